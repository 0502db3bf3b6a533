//===- TeamRows.h - Rows that teams of threads share ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_TEAMROWS_H
#define DMC_LIB_CODEGEN_KERNEL_TEAMROWS_H

#include "Kernel/OrderedReduction.h"
#include "Kernel/RowMemory.h"
#include "Kernel/RowTask.h"
#include "Kernel/Slots.h"

namespace dmc::codegen {

/// What a team of threads does with rows. Each thread has some elements of a row in registers for
/// all passes over it: it reads them once, combines what it has of a reduction with the others of
/// its team, and writes its results.
class TeamRows {
public:
  TeamRows(Scalarizer &s, const Task &task);

  /// Whether the elements of all reductions of rows may be combined in another order.
  bool canShare();
  /// Chooses the team; false if that is one thread, or there is nothing to share.
  bool choose();
  /// Begins a nest in which each team runs an iteration.
  void begin(int64_t iterations) { team.emplace(s, iterations, size); }
  /// Keeps rows in shared memory, as far as they fit, if there is more than one pass over them and
  /// their chunks have several groups.
  void keepRows(bool hasRows = false);
  /// Of a team that has several rows: reads what is kept for all of them.
  void fillMemory();

  /// What begins with the given leading indices: its reductions, the roots with as many dimensions,
  /// then what is within. `beside` is called when the reductions are there.
  void level(const Indices &row, llvm::function_ref<void()> beside = {});
  /// Writes elements behind the given indices. Those in the place of an input are written when all
  /// threads have read it.
  void writeChunks(llvm::ArrayRef<Index> row, llvm::ArrayRef<Chunk> chunks, int64_t lanes);

  /// Runs the body for the groups of slots of a pass: first for those that are kept.
  llvm::SmallVector<mlir::Value> forGroups(llvm::ArrayRef<int64_t> sizes, const RowPass &pass,
                                           llvm::ArrayRef<Index> row, mlir::ValueRange carried,
                                           Slots::Body body);

  /// The next longer rows of which there is a result; the elements if there are none.
  size_t findNextLevel(size_t rank) const;
  bool hasWaves(size_t rank) const { return !rows.findPasses(rank).waves.empty(); }
  Slots slotsOf(llvm::ArrayRef<int64_t> sizes) const;
  /// Whether the order of elements counts for a reduction of rows.
  bool isOrdered() const { return !orders.empty(); }

  Scalarizer &s;
  const Task &task;
  const RowTask rows;
  const llvm::ArrayRef<int64_t> shape;
  const size_t outer; // dimensions before the rows
  bool isInPlace = false;
  int64_t size = 1, most = 1; // threads, and elements that each has in registers
  std::optional<Team> team;
  std::optional<RowMemory> memory; // of the outermost rows
  bool isWrittenBeside = false;    // elements are, in `beside`
  /// What is written of rows; empty for all of them.
  llvm::SmallVector<Chunk> columns;

private:
  bool isOfSomeRow(mlir::linalg::LinalgOp op) const;
  llvm::SmallVector<llvm::SmallVector<int64_t>> findRowSizes() const;
  int64_t countLiveWords(size_t rank) const;
  int64_t countLanes(llvm::ArrayRef<int64_t> sizes) const;
  bool canReorder(mlir::linalg::LinalgOp op) const;
  static Indices locate(mlir::linalg::LinalgOp op, llvm::ArrayRef<Index> row,
                        llvm::ArrayRef<Index> inner);
  void emitWaves(const Indices &row, const RowPasses &all);
  void emitWave(const Wave &wave, const RowPass &pass, const Indices &row);
  void emitOrdered(mlir::linalg::LinalgOp op, const Wave &wave, const RowPass &pass,
                   const Indices &row);
  int64_t countReservedBytes(const RowPasses &all) const;
  llvm::SmallVector<mlir::Value> reduceChunk(const Wave &wave, llvm::ArrayRef<Index> row,
                                             const Chunk &chunk,
                                             llvm::ArrayRef<mlir::Value> carried);
  void write(const Indices &row, const RowPass &pass);

  /// The reductions of rows whose order counts.
  llvm::DenseMap<mlir::Operation *, OrderedReduction> orders;
};

/// An element of a chunk.
Indices getElement(const Chunk &chunk, int64_t lane);
/// What is outside of a row does not count: the values that were carried instead.
llvm::SmallVector<mlir::Value> selectInside(Scalarizer &s, const Chunk &chunk,
                                            llvm::ArrayRef<mlir::Value> values,
                                            llvm::ArrayRef<mlir::Value> carried);
/// One index behind the other.
Indices concatenate(llvm::ArrayRef<Index> row, llvm::ArrayRef<Index> inner);

/// The same for reductions over rows, by blocks of them: a team goes through the rows of a block
/// and has the sums of its columns, or of everything, in registers. False, and nothing is emitted,
/// where rows have rows within them.
bool emitTeamBlocks(Scalarizer &s, const Task &task);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_TEAMROWS_H
