//===- Machine.h - Executes operations on all ranks -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One environment for all ranks, operation by operation: a value has a cell per
// rank. Where ranks branch differently, a block runs for some ranks only.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_INTERPRETER_MACHINE_H
#define DMC_LIB_INTERPRETER_MACHINE_H

#include "ScalarProgram.h"
#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Dialect/DMC/CustomCall.h"
#include "dmc/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <memory>

namespace dmc::interpreter {

/// A rank's scalar or shard; a shard never changes once its operation is done.
struct Cell {
  Word word = 0;
  std::shared_ptr<char[]> data;
};
using Cells = std::vector<Cell>;
/// The ranks that execute, in order.
using Ranks = llvm::ArrayRef<unsigned>;

struct LoopNest;

class Machine {
public:
  /// `mesh` is null at level 0.
  Machine(Level level, MeshAttr mesh, const Options &options);
  ~Machine();

  unsigned getNumRanks() const { return numRanks; }
  /// Runs a function; the arguments are its parameters' cells, the results come
  /// in place of `values`.
  mlir::LogicalResult call(mlir::func::FuncOp function, std::vector<Cells> &values, Ranks ranks);
  /// Where a type's elements are. Types are checked by `call`.
  const Distribution &getDistribution(mlir::Type type);
  /// A shard full of poison.
  std::shared_ptr<char[]> allocate(const Distribution &distribution);
  /// Emits an error at `op` unless ranks that should hold the same do.
  mlir::LogicalResult checkReplicas(mlir::Operation *op, mlir::Type type, const Cells &cells,
                                    Ranks ranks, const llvm::Twine &what);

private:
  using LogicalResult = mlir::LogicalResult;

  // Control flow (Control.cpp).
  LogicalResult checkTypes(mlir::func::FuncOp function);
  LogicalResult execute(mlir::Block &block, Ranks ranks);
  LogicalResult execute(mlir::Operation *op, Ranks ranks);
  LogicalResult executeFunc(mlir::Operation *op, Ranks ranks);
  LogicalResult executeControl(mlir::Operation *op, Ranks ranks);
  /// Emits an error once loops have run as often as they may.
  LogicalResult countIteration(mlir::Operation *loop);
  LogicalResult executeIf(mlir::scf::IfOp op, Ranks ranks);
  LogicalResult executeSwitch(mlir::scf::IndexSwitchOp op, Ranks ranks);
  LogicalResult executeFor(mlir::scf::ForOp op, Ranks ranks);
  LogicalResult executeWhile(mlir::scf::WhileOp op, Ranks ranks);
  LogicalResult executeKernel(KernelOp op, Ranks ranks);
  LogicalResult executeLaunch(LaunchOp op, Ranks ranks);
  LogicalResult executeManual(ManualOp op, Ranks ranks);

  // Loops (Loops.cpp): linalg, and scalars elementwise.
  LogicalResult executeLinalg(mlir::linalg::LinalgOp op, Ranks ranks);
  LogicalResult runNest(mlir::linalg::LinalgOp op, LoopNest &nest, unsigned rank);
  LogicalResult executeElementwise(mlir::Operation *op, Ranks ranks);
  LogicalResult executeConstant(mlir::Operation *op, mlir::Attribute value, Ranks ranks);

  // TensorOps.cpp.
  LogicalResult executeTensor(mlir::Operation *op, Ranks ranks);
  LogicalResult executeExtract(mlir::tensor::ExtractOp op, Ranks ranks);
  LogicalResult executeExtractSlice(mlir::tensor::ExtractSliceOp op, Ranks ranks);
  LogicalResult executeInsertSlice(mlir::tensor::InsertSliceOp op, Ranks ranks);
  LogicalResult executePad(mlir::tensor::PadOp op, Ranks ranks);
  LogicalResult executeConcat(mlir::tensor::ConcatOp op, Ranks ranks);
  LogicalResult executeGenerate(mlir::tensor::GenerateOp op, Ranks ranks);
  LogicalResult executeReshape(mlir::Operation *op, Ranks ranks);
  LogicalResult executeCast(mlir::Operation *op, Ranks ranks);

  // ComputeOps.cpp: the dmc operations with run-time indices.
  LogicalResult executeDMC(mlir::Operation *op, Ranks ranks);
  LogicalResult executeGather(GatherOp op, Ranks ranks);
  LogicalResult executeScatter(ScatterOp op, Ranks ranks);
  LogicalResult executeSort(SortOp op, Ranks ranks);
  LogicalResult executeCustomCall(CustomCallOp op, Ranks ranks); // CustomKernels.cpp
  LogicalResult executeDynamicSlice(DynamicSliceOp op, Ranks ranks);
  LogicalResult executeDynamicUpdateSlice(DynamicUpdateSliceOp op, Ranks ranks);
  mlir::FailureOr<Index> readStarts(mlir::Operation *op, mlir::OperandRange starts,
                                    llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> sizes,
                                    bool isUnsigned, unsigned rank);

  // Moves.cpp: level 1.
  LogicalResult executeMove(mlir::Operation *op, Ranks ranks);
  LogicalResult executeReduce(ReduceOp op, Ranks ranks);
  LogicalResult executeSpread(SpreadOp op, Ranks ranks);
  LogicalResult executePermute(PermuteOp op, Ranks ranks);
  LogicalResult executeHalo(HaloOp op, Ranks ranks);
  LogicalResult executeReshard(mlir::Operation *op, Ranks ranks);
  LogicalResult collect(mlir::Operation *op, unsigned rank, Ranks sources, Ranks ranks);

  // Collectives.cpp: level 2.
  LogicalResult executeCollective(mlir::Operation *op, Ranks ranks);

  // Values.
  LogicalResult unsupported(mlir::Operation *op);
  LogicalResult notHeld(mlir::Operation *op, unsigned rank, llvm::ArrayRef<int64_t> index,
                        mlir::Value operand);
  /// Emits an error unless all ranks of a group execute.
  LogicalResult checkGroup(mlir::Operation *op, Ranks group, Ranks ranks);
  Word getScalar(mlir::Value value, unsigned rank) { return env.find(value)->second[rank].word; }
  Shard getShard(mlir::Value value, unsigned rank);
  llvm::MutableArrayRef<Cell> define(mlir::Value value);
  Cells getCells(mlir::Value value) { return env.find(value)->second; }
  void setCells(mlir::Value value, const Cells &cells, Ranks ranks);
  /// Copies cells of terminator operands, which end with their block.
  std::vector<Cells> takeCells(mlir::OperandRange values);
  void setScalar(mlir::Value value, unsigned rank, Word word) { define(value)[rank] = {word, {}}; }
  /// Makes a new shard: poison, or a copy of `init`'s.
  Shard makeShard(mlir::Value value, unsigned rank, mlir::Value init = {});
  /// The value of a rank-dependent index, or the attribute's.
  int64_t getIndex(mlir::OpFoldResult value, unsigned rank);
  Index getIndices(llvm::ArrayRef<mlir::OpFoldResult> values, unsigned rank);
  /// A value that no operand determines: under a partial layout only the first
  /// partial value has it, the others become neutral.
  void keepInFirstPartial(mlir::Value result, Ranks ranks);
  /// What the rank's partial value holds where the value is `word`.
  Word getPartialOf(const Distribution &distribution, unsigned rank, Word word);
  /// Slots for a program on a rank: constants and captured values.
  void initializeFrame(const ScalarProgram &program, unsigned rank, std::vector<Word> &slots,
                       std::vector<Shard> &tensors, Frame &frame);

  Level level;
  MeshAttr mesh;
  Options options;
  unsigned numRanks = 1;
  int64_t numIterations = 0;
  llvm::DenseMap<mlir::Value, Cells> env;
  llvm::DenseMap<mlir::Type, std::unique_ptr<Distribution>> distributions;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<LoopNest>> nests;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<ScalarProgram>> programs;
  /// Per operation the values of its block that it uses last.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> lastUses;
  llvm::DenseSet<mlir::Block *> analyzed;
  llvm::DenseSet<mlir::Operation *> checked, active;
};

} // namespace dmc::interpreter

#endif // DMC_LIB_INTERPRETER_MACHINE_H
