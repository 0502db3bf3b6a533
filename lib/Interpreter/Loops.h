//===- Loops.h - A linalg operation's loops, compiled -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_INTERPRETER_LOOPS_H
#define DMC_LIB_INTERPRETER_LOOPS_H

#include "ScalarProgram.h"

#include "mlir/IR/AffineMap.h"

namespace dmc::interpreter {

/// A tensor operand of a loop nest.
struct Access {
  mlir::Value value;
  uint32_t slot = 0; // of its element in the body
  bool isRead = false;
  mlir::AffineMap map;
  /// Per dimension the loops' coefficients and, last, the constant; empty where
  /// the map is not linear.
  llvm::SmallVector<llvm::SmallVector<int64_t, 6>, 4> linear;
  /// The loop that alone indexes the dimension, or -1.
  int getLoop(unsigned dim) const;
};

struct LoopNest {
  Index sizes;
  llvm::SmallVector<bool> isParallel;
  std::vector<Access> inputs, outputs;
  llvm::SmallVector<std::pair<uint32_t, mlir::Value>> scalars; // scalar operands
  ScalarProgram body;
  bool readsTensors = false;
};

} // namespace dmc::interpreter

#endif // DMC_LIB_INTERPRETER_LOOPS_H
