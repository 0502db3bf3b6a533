//===- LaneForms.h - How accesses lie to each other -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_LANEFORMS_H
#define DMC_LIB_CODEGEN_KERNEL_LANEFORMS_H

#include "dmc/Dialect/DMC/DMC.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace dmc::codegen {

/// How far positions move from one value of a variable to the next one.
class Slopes {
public:
  /// The variable is the induction variable of a loop, an argument of a function, or the number of
  /// a thread.
  explicit Slopes(mlir::Value variable) : variable(variable) {}

  /// The form of accesses of a buffer at some indices, of a vector of so many elements each, and
  /// how many elements two neighbouring ones lie apart if they are strided.
  std::pair<LaneForm, int64_t> getForm(mlir::MemRefType buffer, mlir::OperandRange indices,
                                       int64_t vector);

private:
  /// How much a number grows where the variable does by one, but for the steps of quotients;
  /// nothing where that is not known, as of what is read from memory.
  std::optional<int64_t> of(mlir::Value value);
  std::optional<int64_t> compute(mlir::Operation *op);

  mlir::Value variable;
  llvm::DenseMap<mlir::Value, std::optional<int64_t>> known;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_LANEFORMS_H
