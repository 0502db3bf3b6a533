//===- NestFunctions.cpp - The loop nests of a kernel as functions --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/NestFunctions.h"

#include "Kernel/CustomCalls.h"
#include "Kernel/DescribeNest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

Block *NestFunctions::open(Location loc) {
  OpBuilder builder(kernel);
  SmallVector<Type> types(kernel.getBody().getArgumentTypes());
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

void NestFunctions::close(const LoopBuilder &loops) {
  func::FuncOp nest = parts.back().callee;
  nest->setAttr(NestAttr::attrName, describeNest(nest, loops));
}

void NestFunctions::addCall(Location loc, func::FuncOp callee, ArrayRef<unsigned> arguments) {
  parts.push_back({loc, callee, SmallVector<unsigned>(arguments)});
}

void NestFunctions::callAll() {
  Block *old = &kernel.getBody().front();
  auto *body = new Block();
  kernel.getBody().push_back(body);
  for (auto [argument, type] : llvm::zip_equal(old->getArguments(), kernel.getArgumentTypes()))
    body->addArgument(type, argument.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  Location loc = kernel.getLoc();
  SmallVector<Value> collapsed; // arguments as nests take them
  for (auto [argument, type] : llvm::zip_equal(body->getArguments(), old->getArgumentTypes())) {
    collapsed.push_back(argument);
    if (argument.getType() == type)
      continue;
    auto memref = cast<MemRefType>(type);
    collapsed.back() = memref::ReinterpretCastOp::create(
        builder, loc, memref, argument, /*offset=*/0, memref.getShape(),
        SmallVector<int64_t>(computeStrides(memref.getShape())));
  }
  for (const Part &part : parts) {
    NestAttr plan = NestAttr::of(part.callee);
    SmallVector<Value> operands;
    if (!plan) {
      for (unsigned argument : part.arguments)
        operands.push_back(body->getArgument(argument));
      func::CallOp::create(builder, part.loc, part.callee, operands);
      continue;
    }
    llvm::append_range(operands, collapsed);
    operands.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
    operands.push_back(arith::ConstantIndexOp::create(builder, loc, plan.getIterations()));
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

bool codegen::hasParts(func::FuncOp kernel, const SymbolTable &symbols) {
  if (kernel.isDeclaration())
    return false;
  auto calls = kernel.getBody().front().getOps<func::CallOp>();
  return llvm::any_of(calls, [&](func::CallOp call) {
    Operation *callee = symbols.lookup(call.getCallee());
    return callee && (callee->hasAttr(NestAttr::attrName) || callee->hasAttr("dmc.contraction") ||
                      callee->hasAttr(customCallAttr));
  });
}
