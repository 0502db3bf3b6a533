//===- Interpreter.h - Reference semantics of levels 0 to 2 -----*- C++ -*-===//
//
// Evaluates a program with plain loops in its element types' own arithmetic, on
// as many ranks as its mesh has, in one process: the oracle of what is below it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_INTERPRETER_INTERPRETER_H
#define DMC_INTERPRETER_INTERPRETER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

namespace dmc::interpreter {

/// A global value: row-major, contiguous; one byte for an i1.
struct Tensor {
  mlir::Type elementType; // signless
  llvm::SmallVector<int64_t> shape;
  std::vector<char> bytes;

  /// A tensor of zeros.
  static Tensor get(mlir::RankedTensorType type);
  int64_t getNumElements() const;
};

struct Options {
  /// After every operation at level 1, and of the results at all levels: whether
  /// replicated copies agree bit for bit.
  bool checkReplicas = true;
};

/// An argument or result as the program's caller sees it: global, no layout,
/// element type with the signedness of the source.
struct Parameter {
  std::string name;
  mlir::RankedTensorType type;
};

struct Signature {
  llvm::SmallVector<Parameter> arguments, results;
};

/// What `dmc.program` says; without it, what the entry function says. Emits an
/// error if the module has no entry that can be interpreted.
mlir::FailureOr<Signature> getSignature(mlir::ModuleOp module);

/// Runs a module of level 0, 1 or 2: scatters the global inputs by the layouts
/// of `dmc.program`, evaluates the entry on every rank, gathers the results.
/// What goes wrong is an error at the operation.
mlir::FailureOr<llvm::SmallVector<Tensor>>
interpret(mlir::ModuleOp module, llvm::ArrayRef<Tensor> inputs, const Options &options = {});

/// Writes `tensor<2x2xf32> = [[1, 2], [3, 4]]`.
void print(llvm::raw_ostream &os, const Tensor &tensor);

} // namespace dmc::interpreter

#endif // DMC_INTERPRETER_INTERPRETER_H
