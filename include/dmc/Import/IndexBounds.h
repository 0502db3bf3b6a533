//===- IndexBounds.h - Arguments that index others --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many values the elements of arguments may have that select slices of other tensors.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_IMPORT_INDEXBOUNDS_H
#define DMC_IMPORT_INDEXBOUNDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc {

/// By argument of a function at level 0: how many values lie within all slices that its elements
/// select; 0: they select none, as far as is known.
llvm::SmallVector<int64_t> findIndexBounds(mlir::func::FuncOp entry);

} // namespace dmc

#endif // DMC_IMPORT_INDEXBOUNDS_H
