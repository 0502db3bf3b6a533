//===- TextCheck.h - What the parser does not survive -----------*- C++ -*-===//
//
// Checks on the text of a program, before it is parsed.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PIPELINES_TEXTCHECK_H
#define DMC_LIB_PIPELINES_TEXTCHECK_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace dmc {

/// The upstream parser of `linalg.reduce`, `transpose` and `broadcast` follows a
/// null pointer after a list of dimensions that it cannot read. Emits an error
/// for such a list and fails.
mlir::LogicalResult checkText(llvm::MemoryBufferRef buffer, mlir::MLIRContext &context);

} // namespace dmc

#endif // DMC_LIB_PIPELINES_TEXTCHECK_H
