//===- ScalarProgram.h - Scalar code as a list of instructions --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region's scalar operations, resolved once: what a loop's body costs is then
// one indirect call an operation.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_INTERPRETER_SCALARPROGRAM_H
#define DMC_LIB_INTERPRETER_SCALARPROGRAM_H

#include "Shards.h"

#include "mlir/IR/Operation.h"

namespace dmc::interpreter {

struct Frame;
struct Instruction;
using Function = void (*)(Frame &, const Instruction &);

struct Instruction {
  Function run = nullptr;
  uint32_t result = 0;
  uint32_t a = 0, b = 0, c = 0; // slots of operands
  uint8_t width = 64;           // of the operands
  uint8_t resultWidth = 64;
  Kind kind = Kind::F32;       // of the operands
  Kind resultKind = Kind::F32; // of the result
  uint32_t extra = 0;          // a second result, or the first of a list of slots
  Word immediate = 0;
};

/// What an evaluation works on.
struct Frame {
  Word *slots = nullptr;
  const int64_t *loops = nullptr; // of linalg.index
  llvm::ArrayRef<Shard> tensors;  // captured
  llvm::ArrayRef<uint32_t> lists;
  const char *error = nullptr; // set by an operation that has no value
};

class ScalarProgram {
public:
  /// Compiles all operations of a block; the arguments are slots 0, 1, ...
  /// Emits an error at an operation that it does not know.
  static mlir::FailureOr<ScalarProgram> compile(mlir::Block &block);
  /// Compiles one operation on scalars, or on tensors elementwise: its operands
  /// are slots 0, 1, ..., its results what the program yields.
  static mlir::FailureOr<ScalarProgram> compile(mlir::Operation *op);

  void evaluate(Frame &frame) const {
    for (const Instruction &instruction : code)
      instruction.run(frame, instruction);
  }

  unsigned numSlots = 0;
  std::vector<Instruction> code;
  llvm::SmallVector<uint32_t> yields;
  llvm::SmallVector<std::pair<uint32_t, Word>> constants;
  /// Values defined outside of the block.
  llvm::SmallVector<std::pair<uint32_t, mlir::Value>> scalars;
  llvm::SmallVector<mlir::Value> tensors;
  llvm::SmallVector<uint32_t> lists;
};

/// The function that computes an arith or math operation of these element kinds;
/// null if there is none.
Function getFunction(mlir::Operation *op, Kind operandKind, Kind resultKind);

} // namespace dmc::interpreter

#endif // DMC_LIB_INTERPRETER_SCALARPROGRAM_H
