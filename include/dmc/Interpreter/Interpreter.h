//===- Interpreter.h - Reference semantics of levels 0 to 2 -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a program with plain loops in its element types' own arithmetic, on
// as many ranks as its mesh has, in one process: the oracle of what is below it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_INTERPRETER_INTERPRETER_H
#define DMC_INTERPRETER_INTERPRETER_H

#include "dmc-c/CustomKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <string>
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
  /// How many iterations all loops together may run; 0: no limit.
  int64_t maxIterations = 0;
  /// Finds the functions of kernels that the program calls by name; without it such a call is an
  /// error.
  std::function<dmc_custom_kernel_fn(const std::string &name)> findKernel = {};
};

/// An argument or result as the program's caller sees it: global, no layout,
/// element type with the signedness of the source.
struct Parameter {
  std::string name;
  mlir::RankedTensorType type;
  /// Of integers that index others: how many values lie within all of them; 0: not known.
  int64_t below = 0;
};

struct Signature {
  llvm::SmallVector<Parameter> arguments, results;
  int64_t numRanks = 1;
};

/// What `dmc.program` says; without it, what the entry function says. Emits an
/// error if the module has no entry that can be interpreted.
mlir::FailureOr<Signature> getSignature(mlir::ModuleOp module);

/// Runs a module of level 0, 1 or 2: scatters the global inputs by the layouts
/// of `dmc.program`, evaluates the entry on every rank, gathers the results.
/// What goes wrong is an error at the operation.
mlir::FailureOr<llvm::SmallVector<Tensor>>
interpret(mlir::ModuleOp module, llvm::ArrayRef<Tensor> inputs, const Options &options = {});

/// Whether every rank has arguments and results of its own: a module of level 2 on
/// the mesh of replicas and partitions that import gives programs of ranks.
bool isProgramOfRanks(mlir::ModuleOp module);

/// A level 2 module as one of its ranks sees it: local shapes. A level 0 module has
/// one rank.
mlir::FailureOr<Signature> getLocalSignature(mlir::ModuleOp module);

/// The arguments or the results of each rank.
using RankTensors = std::vector<llvm::SmallVector<Tensor>>;

/// Runs a module of level 2 or 0 on local tensors, the results likewise: nothing is
/// scattered, gathered, or compared with another rank's.
mlir::FailureOr<RankTensors> interpretRanks(mlir::ModuleOp module, const RankTensors &inputs,
                                            const Options &options = {});

/// Writes `tensor<2x2xf32> = [[1, 2], [3, 4]]`.
void print(llvm::raw_ostream &os, const Tensor &tensor);

} // namespace dmc::interpreter

#endif // DMC_INTERPRETER_INTERPRETER_H
