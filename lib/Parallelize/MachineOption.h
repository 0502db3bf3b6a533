//===- MachineOption.h - The machine that a pass is told --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option `machine` of the passes of this stage.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_MACHINEOPTION_H
#define DMC_LIB_PARALLELIZE_MACHINEOPTION_H

#include "dmc/Parallelize/Machine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dmc {

/// The machine of a pass's option, or an error at the module that names the pass.
inline mlir::FailureOr<Machine> parseMachineOption(mlir::Pass &pass, mlir::ModuleOp module,
                                                   llvm::StringRef text) {
  std::string error;
  if (std::optional<Machine> machine = parseMachine(text, error))
    return *machine;
  return module.emitError("in the option machine of ") << pass.getArgument() << ": " << error;
}

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_MACHINEOPTION_H
