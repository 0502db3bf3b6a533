//===- BufferizeKernels.cpp - Kernel functions on memory ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives kernel functions memory at their boundary; bodies stay on tensors.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Schedule/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-bufferize-kernels"

namespace dmc {
#define GEN_PASS_DEF_BUFFERIZEKERNELS
#include "dmc/Schedule/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

namespace {
struct BufferizeKernels : dmc::impl::BufferizeKernelsBase<BufferizeKernels> {
  using BufferizeKernelsBase::BufferizeKernelsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("dmc.kernel_function") && function.getNumResults() > 0)
        if (failed(bufferize(function)))
          return signalPassFailure();
  }

  static LogicalResult bufferize(func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return function.emitError("expected a kernel function with one block");
    Block &block = function.getBody().front();
    unsigned numResults = function.getNumResults();
    if (function.getNumArguments() < numResults ||
        TypeRange(function.getArgumentTypes()).take_back(numResults) !=
            TypeRange(function.getResultTypes()))
      return function.emitError("expected a kernel function's last arguments to be its results' "
                                "destinations");
    LDBG() << "bufferized " << function.getName();
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    unsigned firstDestination = function.getNumArguments() - numResults;
    SmallVector<Value> destinations;
    for (BlockArgument argument : block.getArguments()) {
      auto tensor = dyn_cast<RankedTensorType>(argument.getType());
      if (!tensor)
        continue;
      bool isDestination = argument.getArgNumber() >= firstDestination;
      argument.setType(MemRefType::get(tensor.getShape(), tensor.getElementType()));
      auto read = bufferization::ToTensorOp::create(builder, argument.getLoc(), tensor, argument,
                                                    /*restrict=*/true, isDestination);
      argument.replaceAllUsesExcept(read.getResult(), read);
      if (isDestination)
        destinations.push_back(argument);
      if (read->use_empty())
        read->erase();
    }
    Operation *terminator = block.getTerminator();
    builder.setInsertionPoint(terminator);
    for (auto [value, destination] : llvm::zip(terminator->getOperands(), destinations))
      bufferization::MaterializeInDestinationOp::create(builder, value.getLoc(), Type(), value,
                                                        destination, /*restrict=*/true,
                                                        /*writable=*/true);
    terminator->setOperands({});
    function.setType(builder.getFunctionType(block.getArgumentTypes(), {}));
    return success();
  }
};
} // namespace
