//===- MachineOption.h - The machine that a pass is told --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option `machine` of the passes of this stage.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_MACHINEOPTION_H
#define DMC_LIB_PARALLELIZE_MACHINEOPTION_H

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Parallelize/RankRates.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dmc {

/// The rates that the machine of a pass's option gives the ranks of a program, or an error at the
/// module that names the pass.
inline mlir::FailureOr<RankRates> parseMachineOption(mlir::Pass &pass, mlir::ModuleOp module,
                                                     llvm::StringRef text) {
  ProgramAttr program = ProgramAttr::of(module);
  int64_t numRanks = program && program.getMesh() ? program.getMesh().toMesh().numRanks() : 1;
  std::string error;
  std::optional<Machine> machine = parseMachine(text, error);
  if (machine)
    error = machine->checkRanks(numRanks);
  if (error.empty() && numRanks > 1)
    return RankRates(std::move(*machine), program.getMesh().toMesh());
  if (error.empty())
    return RankRates(std::move(*machine), numRanks);
  return module.emitError("in the option machine of ") << pass.getArgument() << ": " << error;
}

/// Runs what a pass does to a parallel program, with these rates; other programs stay as they are.
inline mlir::LogicalResult
runOnParallel(mlir::Pass &pass, mlir::ModuleOp module, llvm::StringRef machine,
              llvm::function_ref<void(ProgramAttr, const RankRates &)> run) {
  ProgramAttr program = ProgramAttr::of(module);
  if (!program || program.getLevel() != Level::parallel)
    return mlir::success();
  mlir::FailureOr<RankRates> rates = parseMachineOption(pass, module, machine);
  if (mlir::succeeded(rates))
    run(program, *rates);
  return rates;
}

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_MACHINEOPTION_H
