//===- CustomCalls.cpp - Calls of kernels by name -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion leaves each call in a kernel of its own, whose arguments are its operands and results.
//
//===----------------------------------------------------------------------===//
#include "Kernel/CustomCalls.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

CustomCallOp codegen::findCustomCall(func::FuncOp kernel) {
  if (kernel.isDeclaration())
    return {};
  auto calls = kernel.getBody().front().getOps<CustomCallOp>();
  return calls.empty() ? CustomCallOp() : *calls.begin();
}

/// The arguments of the kernel that are operands, then results; empty after an error.
static SmallVector<Value> findBuffers(func::FuncOp kernel, CustomCallOp call) {
  SmallVector<Value> buffers;
  for (Value input : call.getInputs()) {
    auto read = input.getDefiningOp<bufferization::ToTensorOp>();
    if (!read || !isa<BlockArgument>(read.getBuffer())) {
      call.emitError("expected a kernel whose operands are in memory");
      return {};
    }
    buffers.push_back(read.getBuffer());
  }
  for (Value result : call.getResults()) {
    bufferization::MaterializeInDestinationOp write;
    for (Operation *user : result.getUsers())
      if (auto found = dyn_cast<bufferization::MaterializeInDestinationOp>(user))
        write = found;
    if (!write || !result.hasOneUse() || !isa<BlockArgument>(write.getDest())) {
      call.emitError("expected a kernel all of whose results are written");
      return {};
    }
    buffers.push_back(write.getDest());
  }
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (&op != call &&
        !isa<bufferization::ToTensorOp, bufferization::MaterializeInDestinationOp>(op)) {
      call.emitError("expected a kernel that does nothing beside the call");
      return {};
    }
  return buffers;
}

LogicalResult codegen::lowerCustomCall(func::FuncOp kernel, CustomCallOp call,
                                       SymbolTable &symbols) {
  if (TargetAttr::of(kernel).isDevice())
    return call.emitError("unsupported: the kernel '")
           << call.getTarget() << "' in a program for a device; expected one for processors";
  SmallVector<Value> buffers = findBuffers(kernel, call);
  if (buffers.empty())
    return failure();
  OpBuilder b(kernel);
  SmallVector<bool> areUnsigned(buffers.size(), false);
  if (auto flags = call.getAreUnsigned())
    areUnsigned.assign(flags->begin(), flags->end());
  DictionaryAttr description =
      b.getDictionaryAttr({b.getNamedAttr("target", call.getTargetAttr()),
                           b.getNamedAttr("config", b.getStringAttr(call.getConfig().value_or(""))),
                           b.getNamedAttr("results", b.getI64IntegerAttr(call->getNumResults())),
                           b.getNamedAttr("unsigned", b.getDenseBoolArrayAttr(areUnsigned))});
  Location loc = call.getLoc();
  auto callee = func::FuncOp::create(b, loc, "dmc_custom",
                                     b.getFunctionType(ValueRange(buffers).getTypes(), {}));
  callee.setPrivate();
  callee->setAttr(customCallAttr, description);
  symbols.insert(callee);
  Block &body = kernel.getBody().front();
  SmallVector<Operation *> replaced;
  for (Operation &op : body.without_terminator())
    replaced.push_back(&op);
  b.setInsertionPoint(body.getTerminator());
  func::CallOp::create(b, loc, callee, buffers);
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  return success();
}
