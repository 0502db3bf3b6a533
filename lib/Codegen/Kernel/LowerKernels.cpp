//===- LowerKernels.cpp - Tensor bodies of kernels to loops ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each written value becomes a task (loop nest, reduction, update, library
// call); tasks are ordered so that in-place writes come after other reads.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Buffers.h"
#include "Kernel/Contraction.h"
#include "Kernel/CustomCalls.h"
#include "Kernel/KernelTasks.h"
#include "Kernel/NestFunctions.h"

#include "dmc/Codegen/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace dmc {
#define GEN_PASS_DEF_LOWERKERNELS
#include "dmc/Codegen/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

struct LowerKernels : public dmc::impl::LowerKernelsBase<LowerKernels> {
  using LowerKernelsBase::LowerKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    ConstantPool constants(module);
    LibraryCalls calls(module, symbols);
    CacheSizes caches{coreCache, lastCache};
    // A row of which each thread of a device kept parts would leave its registers.
    if (TargetAttr::of(module).isDevice())
      caches.core = 0;
    SmallVector<func::FuncOp> kernels;
    for (auto function : module.getOps<func::FuncOp>())
      // A text of --emit=kernels has loops already.
      if (function->hasAttr("dmc.kernel_function") && !function.isDeclaration() &&
          !hasParts(function, symbols))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels) {
      CustomCallOp call = findCustomCall(kernel);
      if (failed(call ? lowerCustomCall(kernel, call, symbols)
                      : lowerKernel(kernel, symbols, constants, calls, caches)))
        return signalPassFailure();
    }
  }
};

} // namespace
