//===- NestFunctions.cpp - The loop nests of a kernel as functions --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/NestFunctions.h"

#include "Kernel/Buffers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

Block *NestFunctions::open(Location loc) {
  OpBuilder builder(kernel);
  SmallVector<Type> types(kernel.getArgumentTypes());
  types.append(2, builder.getIndexType());
  std::string name = (kernel.getSymName() + "_nest").str();
  auto nest = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  nest.setPrivate();
  symbols.insert(nest);
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (DictionaryAttr attrs = kernel.getArgAttrDict(i))
      nest.setArgAttrs(i, attrs);
  Block *body = nest.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  func::ReturnOp::create(builder, loc);
  parts.push_back({loc, nest, {}});
  return body;
}

/// Bytes by buffer.
using Accesses = llvm::MapVector<Value, double>;

/// What a nest costs: each loop runs as often as expected, both sides of a branch are run, and what
/// is read or written of a buffer more than once counts once.
static DictionaryAttr describeCost(func::FuncOp nest, const LoopBuilder &loops) {
  Accesses reads, writes;
  double flops = 0;
  auto add = [](Accesses &accesses, Value buffer, double bytes) {
    while (Operation *view = buffer.getDefiningOp()) {
      if (isa<memref::AllocaOp>(view))
        return; // stays in the cache
      if (!isa<memref::ReinterpretCastOp, UnrealizedConversionCastOp>(view))
        break;
      buffer = view->getOperand(0);
    }
    accesses[buffer] += bytes;
  };
  auto vectorBytes = [](VectorType type) {
    return type.getNumElements() * elementBytes(type.getElementType());
  };
  nest.getBody().walk([&](Operation *op) {
    double times = loops.isFinelyDivided() ? double(loops.getDivided()) : 1;
    for (Operation *parent = op->getParentOp(); parent != nest; parent = parent->getParentOp())
      if (isa<scf::ForOp>(parent))
        times *= static_cast<double>(std::max<int64_t>(loops.getTrips(parent), 1));
    if (auto load = dyn_cast<memref::LoadOp>(op))
      add(reads, load.getMemRef(), times * elementBytes(load.getType()));
    else if (auto load = dyn_cast<vector::LoadOp>(op))
      add(reads, load.getBase(), times * vectorBytes(load.getVectorType()));
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      add(writes, store.getMemRef(), times * elementBytes(store.getValueToStore().getType()));
    else if (auto store = dyn_cast<vector::StoreOp>(op))
      add(writes, store.getBase(), times * vectorBytes(store.getVectorType()));
    else if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
             op->getNumResults() == 1 &&
             isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())) &&
             !isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, arith::ExtFOp,
                  arith::TruncFOp>(op)) {
      auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
      flops += times * static_cast<double>(vector ? vector.getNumElements() : 1);
    }
  });
  double bytes = 0;
  for (const auto *accesses : {&reads, &writes})
    for (auto &[buffer, count] : *accesses)
      bytes += std::min<double>(count, bufferBytes(cast<MemRefType>(buffer.getType())));
  Builder builder(nest.getContext());
  auto number = [&](StringRef name, double value) {
    constexpr double most = int64_t(1) << 62;
    return builder.getNamedAttr(
        name, builder.getI64IntegerAttr(static_cast<int64_t>(std::min(value, most))));
  };
  return builder.getDictionaryAttr({number("bytes", bytes), number("flops", flops),
                                    number("iterations", double(loops.getDivided()))});
}

void NestFunctions::close(const LoopBuilder &loops) {
  func::FuncOp nest = parts.back().callee;
  nest->setAttr("dmc.nest", describeCost(nest, loops));
}

void NestFunctions::addCall(Location loc, func::FuncOp callee, ArrayRef<unsigned> arguments) {
  parts.push_back({loc, callee, SmallVector<unsigned>(arguments)});
}

void NestFunctions::callAll() {
  Block *old = &kernel.getBody().front();
  auto *body = new Block();
  kernel.getBody().push_back(body);
  for (BlockArgument argument : old->getArguments())
    body->addArgument(argument.getType(), argument.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  Location loc = kernel.getLoc();
  for (const Part &part : parts) {
    auto cost = part.callee->getAttrOfType<DictionaryAttr>("dmc.nest");
    SmallVector<Value> operands;
    if (!cost) {
      for (unsigned argument : part.arguments)
        operands.push_back(body->getArgument(argument));
      func::CallOp::create(builder, part.loc, part.callee, operands);
      continue;
    }
    llvm::append_range(operands, body->getArguments());
    operands.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
    operands.push_back(arith::ConstantIndexOp::create(
        builder, loc, cost.getAs<IntegerAttr>("iterations").getInt()));
    func::CallOp::create(builder, part.loc, part.callee, operands);
  }
  func::ReturnOp::create(builder, loc);
  old->dropAllDefinedValueUses();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*old))) {
    op.dropAllUses();
    op.erase();
  }
  old->erase();
}
