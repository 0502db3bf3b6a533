//===- KernelTasks.h - The loop nests of a kernel ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel consists of, once its tensors are gone.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_KERNELTASKS_H
#define DMC_LIB_CODEGEN_KERNEL_KERNELTASKS_H

#include "Kernel/Contraction.h"
#include "Kernel/Scalarizer.h"

namespace dmc::codegen {

/// The functions without body that stand for library calls, by description.
class LibraryCalls {
public:
  LibraryCalls(mlir::ModuleOp module, mlir::SymbolTable &symbols)
      : module(module), symbols(symbols) {}
  mlir::func::FuncOp get(mlir::DictionaryAttr description, mlir::FunctionType type,
                         mlir::Location loc);

private:
  mlir::ModuleOp module;
  mlir::SymbolTable &symbols;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, mlir::func::FuncOp> known;
};

/// A value that the kernel writes, and where.
struct Root {
  mlir::Value value;
  mlir::Value dest; // of the kernel as it was
};

/// A reduction by blocks, and where their partial results are: of the kernel as it was.
struct Split {
  mlir::linalg::LinalgOp op;
  mlir::Value partials;
};

/// Writes some roots. Those of one task are computed together, element by
/// element: what one writes in place the others read before.
struct Task {
  enum Kind {
    Elements,
    Rows,
    Combination,
    Reduction,
    Update,
    Scatter,
    ScatterUpdate,
    Sort,
    Contraction
  } kind = Elements;
  mlir::Operation *op = nullptr; // the operation that is not plain elements
  llvm::SmallVector<Root> roots;
  /// Of `ScatterUpdate`: where the scatter's result is while it is needed.
  mlir::Value scratch;
  /// Of `Rows`: computed by blocks beside the roots. Of `Combination`: whose blocks the roots are.
  llvm::SmallVector<Split> splits;
  llvm::SmallVector<mlir::Value, 4> reads; // destinations' and inputs' buffers
};

/// Powers of two of which the scalars that a kernel is launched with are multiples, by its
/// arguments.
using Divisors = llvm::SmallVector<int64_t>;

/// Replaces the body of a kernel function by calls of its loop nests, which become functions.
mlir::LogicalResult lowerKernel(mlir::func::FuncOp kernel, mlir::SymbolTable &symbols,
                                ConstantPool &constants, LibraryCalls &calls,
                                const CacheSizes &caches, llvm::ArrayRef<int64_t> divisors);

/// Whether an operation, which may be null, has loops whose elements become one result.
inline bool isReduction(mlir::linalg::LinalgOp op) { return op && op.getNumReductionLoops() > 0; }

/// Whether an operation reads the values of an operand, and does not only write in its place.
bool isRead(mlir::OpOperand &operand);

/// The buffers of an operation's results, all of which the task writes; empty after an error.
llvm::SmallVector<mlir::Value> resultBuffers(Scalarizer &s, const Task &task);

/// What computes a value, but for reshapes of its result, which change the shape of a nest and
/// nothing else.
mlir::Operation *reshapedFrom(mlir::Value value);

/// Emission of the tasks that are not plain elements.
void emitReduction(Scalarizer &s, const Task &task);
/// Whether most of what a reduction reads is contiguous along the last of the loops that it
/// reduces: one of a few iterations only if these count, too, as for threads that share it.
bool walksReduction(mlir::linalg::LinalgOp op, bool areShort = false);
void emitTinyContraction(Scalarizer &s, const Task &task);

/// Whether loops that keep a few results in registers compute a contraction faster than a library:
/// many products of matrices of which one has few columns, as grouped convolutions are.
bool isTinyContraction(mlir::linalg::LinalgOp op, const ContractionLoops &loops);
void emitUpdate(Scalarizer &s, const Task &task);
void emitScatter(Scalarizer &s, const Task &task);
void emitScatterUpdate(Scalarizer &s, const Task &task);
/// Whether teams of a device's threads do a scatter, or a kernel that updates what one changes:
/// they write all elements of the result, also those that no update hits.
bool isTeamScatter(const Task &task, TargetAttr target);
void emitTeamScatter(Scalarizer &s, const Task &task);
void emitSort(Scalarizer &s, const Task &task);
void emitElements(Scalarizer &s, const Task &task);
/// The same for a device, where each thread has neighbours along the last dimension.
void emitThreadElements(Scalarizer &s, const Task &task);
/// For devices: elements for which operands are read transposed, by tiles that teams of threads
/// share. False, and nothing is emitted, where single elements are as good.
bool emitTeamTiles(Scalarizer &s, const Task &task);
/// The same where operands have sides that are shorter than a warp, which lie one behind the other.
/// `hasTiles`: not where tiles without padding can access such sides by whole vectors.
bool emitTeamRuns(Scalarizer &s, const Task &task, bool hasTiles);
/// The same where the results have such sides.
bool emitTeamResultRuns(Scalarizer &s, const Task &task);
void emitRows(Scalarizer &s, const Task &task);
void emitCombination(Scalarizer &s, const Task &task);
/// Computes the element of each root at these indices, then stores them: one may be overwritten
/// that another follows from.
void storeElements(Scalarizer &s, llvm::ArrayRef<Root> roots, llvm::ArrayRef<Index> indices);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_KERNELTASKS_H
