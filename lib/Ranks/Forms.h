//===- Forms.h - The built-in local forms -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each family of operations.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RANKS_FORMS_H
#define DMC_LIB_RANKS_FORMS_H

#include "dmc/Ranks/LocalForm.h"

namespace dmc {
void populateControlForms(LocalForms &forms);
void populateDynamicSliceForms(LocalForms &forms);
void populateGatherForms(LocalForms &forms);
void populateHaloForm(LocalForms &forms);
void populateMoveForms(LocalForms &forms);
void populatePermuteForm(LocalForms &forms);
void populateScatterForms(LocalForms &forms);
void populateTensorForms(LocalForms &forms);
void populateValueForms(LocalForms &forms);

/// Any operation on scalars, and elementwise operations.
mlir::LogicalResult lowerElementwise(mlir::Operation *op, RankBuilder &b);
/// Any linalg operation.
mlir::LogicalResult lowerLinalg(mlir::Operation *op, RankBuilder &b);

/// A reduce whose only use is a partition of the same axes: one reduce-scatter.
PartitionOp getScatteringPartition(ReduceOp op);

/// The layout of a value of a parallel program.
inline LayoutAttr layoutOf(mlir::Value value) { return LayoutAttr::of(value.getType()); }
/// Axes that split a dimension of a value.
inline AxesAttr axesOf(mlir::Value value, int64_t dim) { return layoutOf(value).getDims()[dim]; }
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
/// `{"x", "y"}`
std::string toText(AxesAttr axes);
/// Starts the error for an operation that cannot be split so.
mlir::InFlightDiagnostic unsupported(mlir::Operation *op, int64_t dim, AxesAttr axes);
} // namespace dmc

#endif // DMC_LIB_RANKS_FORMS_H
