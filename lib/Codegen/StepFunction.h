//===- StepFunction.h - The rank function as C ------------------*- C++ -*-===//
//
// From level 3's entry function to dmc_step_fn.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_STEPFUNCTION_H
#define DMC_LIB_CODEGEN_STEPFUNCTION_H

#include "ProgramTables.h"

namespace dmc::codegen {

/// Adds `@dmc_step` to the module and records what it launches.
mlir::LogicalResult lowerStepFunction(mlir::ModuleOp module, mlir::func::FuncOp entry,
                                      ProgramAttr program, TableBuilder &tables,
                                      ProgramFacts &facts);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_STEPFUNCTION_H
