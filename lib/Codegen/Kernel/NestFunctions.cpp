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
  nests.push_back(nest);
  return body;
}

/// Bytes by buffer.
using Accesses = llvm::MapVector<Value, double>;

/// A contraction reads its first two operands and writes the third. Returns its operations.
static double addLibraryCall(func::CallOp call, const SymbolTable &symbols, Accesses &reads,
                             Accesses &writes) {
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    (i < 2 ? reads : writes)[operand] += bufferBytes(cast<MemRefType>(operand.getType()));
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  double flops = 2;
  for (int64_t size : callee->getAttrOfType<DictionaryAttr>("dmc.contraction")
                          .getAs<DenseI64ArrayAttr>("sizes")
                          .asArrayRef())
    flops *= static_cast<double>(size);
  return flops;
}

/// What a nest costs: each loop runs as often as expected, both sides of a branch are run, and what
/// is read or written of a buffer more than once counts once.
static DictionaryAttr describeCost(func::FuncOp nest, const LoopBuilder &loops,
                                   const SymbolTable &symbols) {
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
    double times = 1;
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
    else if (auto call = dyn_cast<func::CallOp>(op))
      flops += times * addLibraryCall(call, symbols, reads, writes);
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
  nests.back()->setAttr("dmc.nest", describeCost(nests.back(), loops, symbols));
}

void NestFunctions::callAll() {
  Block *old = &kernel.getBody().front();
  auto *body = new Block();
  kernel.getBody().push_back(body);
  for (BlockArgument argument : old->getArguments())
    body->addArgument(argument.getType(), argument.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  Location loc = kernel.getLoc();
  for (func::FuncOp nest : nests) {
    auto cost = nest->getAttrOfType<DictionaryAttr>("dmc.nest");
    SmallVector<Value> operands(body->getArguments());
    operands.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
    operands.push_back(arith::ConstantIndexOp::create(
        builder, loc, cost.getAs<IntegerAttr>("iterations").getInt()));
    func::CallOp::create(builder, nest.getLoc(), nest, operands);
  }
  func::ReturnOp::create(builder, loc);
  old->dropAllDefinedValueUses();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*old))) {
    op.dropAllUses();
    op.erase();
  }
  old->erase();
}
