//===- TextCheck.h - What the parser does not survive -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks on the text of a program, before it is parsed.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PIPELINES_TEXTCHECK_H
#define DMC_LIB_PIPELINES_TEXTCHECK_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace dmc {

/// Emits an error and fails for
/// - a list of dimensions that upstream's parser of `linalg.reduce`, `transpose`
///   and `broadcast` cannot read, or with one twice: it then reads what is not there;
/// - nesting that would exhaust the stack of a recursive parser, or of what walks
///   over its result, or a result's number that would exhaust the memory.
/// `firstLine` is the number of the text's first line in its file.
mlir::LogicalResult checkText(llvm::MemoryBufferRef buffer, mlir::MLIRContext &context,
                              unsigned firstLine = 1);

} // namespace dmc

#endif // DMC_LIB_PIPELINES_TEXTCHECK_H
