//===- ProgramParts.h - What is compiled by itself --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_CPU_PROGRAMPARTS_H
#define DMC_LIB_CODEGEN_CPU_PROGRAMPARTS_H

#include "CPU/TargetCpu.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace dmc::codegen {

/// A part of a program in the LLVM dialect, and what became of it.
struct Part {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool optimize = true;
  bool isFromCache = false;
  llvm::SmallString<0> object;
  std::string error;
};

/// Cuts the program into the rank function with the tables, and groups of
/// kernels of similar size. The cut depends on the program alone.
std::vector<Part> split(mlir::ModuleOp module);

/// The LLVM IR of a part before any pass runs over it, and the machine to compile it for; null
/// after an error.
struct TranslatedPart {
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};
TranslatedPart translate(Part &part, const TargetCpu &cpu, llvm::LLVMContext &context);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_CPU_PROGRAMPARTS_H
