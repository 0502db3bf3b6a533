//===- CustomCalls.h - Calls of functions by name ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The targets of `stablehlo.custom_call` of which import knows the meaning, and why it
// refuses others.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_IMPORT_CUSTOMCALLS_H
#define DMC_LIB_IMPORT_CUSTOMCALLS_H

#include "Derived.h"

namespace dmc {

/// Builds what a call of a known target computes; null for others.
Expansion getCustomCallExpansion(stablehlo::CustomCallOp call);
/// The same, of LAPACK's functions as JAX calls them on processors.
Expansion getLapackExpansion(llvm::StringRef target);

/// The function that orders the elements of an approximate top-k; null for other calls.
mlir::FlatSymbolRefAttr getTopKComparator(stablehlo::CustomCallOp call);
/// Replaces an approximate top-k by a sort with the comparator's body, or leaves a call of another
/// form as it is.
void expandApproxTopK(stablehlo::CustomCallOp call, mlir::func::FuncOp comparator);

/// The attribute of a call of a kernel that the session is given: its sharding rule, or no text if
/// every rank needs all operands.
inline constexpr llvm::StringLiteral kRuleAttrName = "dmc.rule";

/// Says why a call is not supported.
mlir::LogicalResult refuseCustomCall(stablehlo::CustomCallOp call);

/// An attribute that describes the call: in the attribute of this name of `mhlo.attributes`,
/// `mhlo.backend_config` or `backend_config`, whichever there is; null if there is none.
mlir::Attribute getCallAttribute(stablehlo::CustomCallOp call, llvm::StringRef name);

} // namespace dmc

#endif // DMC_LIB_IMPORT_CUSTOMCALLS_H
