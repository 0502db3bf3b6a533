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

/// The largest power of two, as far as it matters to accesses, that divides an index for sure: of
/// the first element of a rank's part, which is a multiple of the parts' length.
static int64_t findDivisor(Value value) {
  constexpr int64_t most = 256;
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return *number == 0 ? most : std::min(*number & -*number, most);
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::MulIOp>(op))
    return std::min(findDivisor(op->getOperand(0)) * findDivisor(op->getOperand(1)), most);
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::min(findDivisor(op->getOperand(0)), findDivisor(op->getOperand(1)));
  return 1;
}

/// Of the scalars that each kernel is launched with, wherever that is.
static llvm::DenseMap<StringAttr, Divisors> findDivisors(ModuleOp module) {
  llvm::DenseMap<StringAttr, Divisors> found;
  module.walk([&](LaunchOp launch) {
    auto [known, isNew] = found.try_emplace(launch.getCalleeAttr().getAttr());
    for (auto [number, input] : llvm::enumerate(launch.getInputs())) {
      int64_t divisor = input.getType().isIndex() ? findDivisor(input) : 1;
      if (isNew)
        known->second.push_back(divisor);
      else
        known->second[number] = std::min(known->second[number], divisor);
    }
  });
  return found;
}

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
    llvm::DenseMap<StringAttr, Divisors> divisors;
    if (TargetAttr::of(module).isDevice())
      divisors = findDivisors(module);
    SmallVector<func::FuncOp> kernels;
    for (auto function : module.getOps<func::FuncOp>())
      // A text of --emit=kernels has loops already.
      if (function->hasAttr("dmc.kernel_function") && !function.isDeclaration() &&
          !hasParts(function, symbols))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels) {
      CustomCallOp call = findCustomCall(kernel);
      if (failed(call ? lowerCustomCall(kernel, call, symbols)
                      : lowerKernel(kernel, symbols, constants, calls, caches,
                                    divisors.lookup(kernel.getSymNameAttr()))))
        return signalPassFailure();
    }
  }
};

} // namespace
