//===- SharedLibrary.h - Object code for a processor ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a program in the LLVM dialect to a shared library.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_CODEGEN_SHAREDLIBRARY_H
#define DMC_CODEGEN_SHAREDLIBRARY_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

#include <atomic>
#include <string>
#include <vector>

namespace dmc {
struct DeviceCode;

/// How much of a program's object code a cache had.
struct ObjectCacheUse {
  unsigned parts = 0; // that the code was made in; 0: without a cache
  unsigned found = 0;
};

struct SharedLibraryOptions {
  /// The linker; empty: `DMC_LINKER` of the environment, ld.lld or ld.
  std::string linker;
  /// The processor to compile for, as LLVM names it, of a module without `dmc.target`; empty or
  /// "host": this machine's. Of a module for devices, empty: all of this one's architecture.
  std::string targetCpu;
  /// Where object code is kept for the next time that the same code is compiled; empty: the folder
  /// that `DMC_CACHE_DIR` of the environment names, if any.
  std::string cacheDir;
  /// What the cache had; may be null.
  ObjectCacheUse *cacheUse = nullptr;
  /// Where to put what became of the code for devices; may be null.
  std::vector<DeviceCode> *deviceCode = nullptr;
  /// Where to add what the linker takes, in milliseconds; may be null.
  double *linkMilliseconds = nullptr;
  /// Ends the compilation as failed, without a diagnostic, when it becomes true, after the parts
  /// that are being compiled; may be null.
  const std::atomic<bool> *interrupt = nullptr;
};

/// What translation to LLVM IR needs; before the context is made.
void registerCodegenTranslations(mlir::DialectRegistry &registry);

/// Compiles the program, records in it what the code needs of the processor, and
/// writes the library, whole or not at all. Errors are emitted on the module.
mlir::LogicalResult writeSharedLibrary(mlir::ModuleOp module, llvm::StringRef path,
                                       const SharedLibraryOptions &options = {});

/// What is wrong with the name of a processor, or nothing.
std::string checkTargetCpu(llvm::StringRef name);

} // namespace dmc

#endif // DMC_CODEGEN_SHAREDLIBRARY_H
