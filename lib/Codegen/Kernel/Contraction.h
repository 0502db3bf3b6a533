//===- Contraction.h - Contractions for the vendor library ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes contractions whose operands lie in memory with constant strides.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_CONTRACTION_H
#define DMC_LIB_CODEGEN_KERNEL_CONTRACTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace dmc::codegen {

/// A tensor as elements of a buffer at constant strides.
struct StridedView {
  mlir::Value buffer; // memref, an argument of the kernel
  int64_t offset = 0;
  llvm::SmallVector<int64_t> shape, strides;
};

/// Follows transposes, broadcasts, reshapes and slices to a buffer; nothing where
/// strides cannot express it, or the tensor is computed.
std::optional<StridedView> viewOf(mlir::Value tensor);

/// Given where a value is written, where `producer`, of which it is reshapes and
/// transposes, has its elements; nothing if strides cannot express it.
std::optional<StridedView> viewOfProducer(mlir::Value value, mlir::Value dest,
                                          mlir::Operation *producer);

/// Looks through reshapes and transposes of a value.
mlir::Operation *producerOf(mlir::Value value);

/// Loops by role, batch, m, n, k, as in dmc_contraction.
struct ContractionLoops {
  llvm::SmallVector<unsigned> batch, m, n, k;
};

/// Whether the body multiplies and adds, each loop moving on by a constant in both operands, in a
/// form that the library computes: floats, the accumulation no narrower than f32, or integers of at
/// least 8 bits. Convolutions are among these: their window and their position move in the same
/// dimension.
std::optional<ContractionLoops> matchContraction(mlir::linalg::LinalgOp op);

/// `dmc.contraction` of the function that stands for the library call.
mlir::DictionaryAttr describe(mlir::linalg::LinalgOp op, const ContractionLoops &loops,
                              const StridedView &a, const StridedView &b, const StridedView &c,
                              bool accumulate);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_CONTRACTION_H
