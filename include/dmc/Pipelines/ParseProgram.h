//===- ParseProgram.h - From a text to a module -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one way by which the tools read a program: no text is a crash.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PIPELINES_PARSEPROGRAM_H
#define DMC_PIPELINES_PARSEPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace dmc {

/// Parses and verifies the main file. A text that MLIR's parser does not survive
/// is an error like others, after which the context is good for nothing but its
/// destruction.
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(llvm::SourceMgr &sources,
                                               mlir::MLIRContext &context);

/// How a driver that parses by itself will do it.
struct DriverOptions {
  /// The lines that divide a file into programs; empty: it is one.
  llvm::StringRef splitMarker;
  bool allowUnregisteredDialects = false;
  bool verify = true;
};

/// Whether MLIR's parser survives a text that a driver is to parse; emits an
/// error if not. What the parser reports by itself is left to the driver.
mlir::LogicalResult checkProgram(llvm::MemoryBufferRef buffer,
                                 const mlir::DialectRegistry &registry,
                                 const DriverOptions &options = {});

} // namespace dmc

#endif // DMC_PIPELINES_PARSEPROGRAM_H
