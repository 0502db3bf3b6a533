//===- FusionProblem.h - Which operations may form kernels ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of a block as fusion sees them, what a grouping of them into
// kernels is, and what makes a grouping right. Solvers work on this alone.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_FUSION_FUSIONPROBLEM_H
#define DMC_FUSION_FUSIONPROBLEM_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dmc {

/// What an operation is to fusion.
enum class FusionKind {
  /// Stays between kernels: collectives, views, index arithmetic, returns.
  Outside,
  /// Needs no kernel and costs nothing: tensor.empty, scalar constants.
  Free,
  /// A splat, written without reading memory.
  Fill,
  /// Each element of the result follows from a few elements of the operands.
  Elementwise,
  Reduction,
  Contraction,
  Convolution,
  Scatter,
  /// Replaces a part of its destination.
  Update,
  /// A kernel of its own.
  Opaque
};

/// How an operation reads an operand, with respect to the element that it
/// computes: two accesses with one key read the same element.
struct FusionAccess {
  const void *key = nullptr;
  unsigned operand = 0;

  /// The element of the same position.
  bool isIdentity() const { return !key; }
  bool operator<(const FusionAccess &other) const {
    return std::pair(key, operand) < std::pair(other.key, other.operand);
  }
};

/// A tensor that an operation reads.
struct FusionRead {
  mlir::Value value;
  /// The node that computes it, or -1.
  int producer = -1;
  FusionAccess access;
  /// From the position that the operation computes, or from the loops of a reduction, to the
  /// element that is read; null where that is not an affine function of loops. A symbol is an index
  /// that the operation computes there: a gather's.
  mlir::AffineMap map;
  /// Reads per element of the tensor.
  double reuse = 1;
  /// The destination's old value.
  bool isInit = false;
};

struct FusionNode {
  mlir::Operation *op = nullptr;
  FusionKind kind = FusionKind::Outside;
  llvm::SmallVector<FusionRead, 2> reads;
  /// Nodes that read a result or, if `Outside`, use one; each once.
  llvm::SmallVector<unsigned, 2> users;
  /// Of a reduction with one result that starts from a splat: from its loops to the result; else
  /// null.
  mlir::AffineMap resultMap;
  /// Of a reduction whose partial results over blocks of leading loops can be combined: how many
  /// leading loops are reduced; else 0.
  unsigned numReducedLeading = 0;
  /// Operations per element; a division or a transcendental function counts
  /// eight.
  unsigned work = 0;
  /// Copies into every kernel that reads it are cheaper than a buffer.
  bool isDuplicable = false;
  /// As cheap to compute again from one tensor of its size as to read, if no
  /// kernel needs it in memory.
  bool isRecomputable = false;
  /// The same elements in another order or a part of them: a library call can
  /// read or write it with strides.
  bool isStridedView = false;

  bool isFusible() const { return kind != FusionKind::Outside && kind != FusionKind::Free; }
};

/// The operations of one block, in order.
struct FusionProblem {
  std::vector<FusionNode> nodes;
  llvm::DenseMap<mlir::Operation *, unsigned> index;
  /// What kernels are made for.
  TargetAttr target;

  explicit FusionProblem(mlir::Block &block);
  /// The space that a node as root of a kernel iterates over in its results.
  llvm::ArrayRef<int64_t> getResultShape(unsigned node) const;
};

/// What a kernel's code is generated from. The roots of `Row` have the shape of the largest or of
/// its leading dimensions: its outer loops are shared, and reductions within a row feed what
/// follows. A root may also be a reduction over leading loops, of which blocks of rows are computed
/// beside the others and combined at the end. The root of `Scatter` may be an elementwise value
/// that differs from one of its operands only where the scatter changes its target
/// (SparseUpdate.h).
enum class KernelKind { Loop, Row, Reduction, Contraction, Convolution, Scatter, Update, Opaque };
llvm::StringRef stringify(KernelKind kind);

/// The operations of one kernel. A duplicated operation is in several.
struct KernelGroup {
  KernelKind kind = KernelKind::Loop;
  /// Ascending.
  llvm::SmallVector<unsigned, 4> nodes;
  /// Those whose results leave the kernel; ascending.
  llvm::SmallVector<unsigned, 1> roots;
};

struct FusionDecision {
  std::vector<KernelGroup> groups;
};

/// At how many distinct positions the nodes of a group are evaluated for one
/// element of its roots, following reads from the roots.
class GroupAccesses {
public:
  /// Position numbers of a node; 0 is that of the largest root.
  using Positions = llvm::SmallVector<unsigned, 2>;
  /// For each dimension of a tensor what it follows at a position: a dimension of the largest root
  /// (its number), nothing (`constant`), or (below that) a loop of a reduction or a computed index.
  using Form = llvm::SmallVector<int, 4>;
  static constexpr int constant = -1;

  GroupAccesses() = default;
  /// For a group whose largest root has this shape. Reductions are computed inside of its loops.
  explicit GroupAccesses(llvm::ArrayRef<int64_t> shape);

  /// Of a read by a node at these positions.
  Positions through(const FusionNode &reader, const Positions &positions, const FusionRead &read);
  /// Of what a reduction reads that runs in the loops of the largest root.
  Positions fromLoops(const FusionRead &read);
  /// Of a root that has the leading dimensions of the largest one.
  unsigned prefix(unsigned rank);
  /// Null if it is not known.
  const Form *getForm(unsigned position) const;
  /// How often a value at a position is computed, hoisted as far out as its loops allow; nothing if
  /// the form is not known.
  std::optional<double> countEvaluations(unsigned position) const;
  /// Whether a position is an element of the row that the root's own position is in, reached by a
  /// reduction of that row or at an index that is computed for the row: it is read before the row
  /// is written, if no more than `outer` dimensions are of other rows, which run in any order.
  bool isInRow(unsigned position, unsigned outer = 0) const;

private:
  /// What runs within the loops of the largest root.
  struct Inner {
    int64_t iterations;
    /// Of a computed index: the innermost loop of the largest root that it depends on, and of how
    /// many leading dimensions each row has one.
    int innermost = -1;
    unsigned rowDims = 0;
  };

  Positions step(const Positions &from, const FusionAccess &access, mlir::AffineMap map);
  unsigned number(Form form);
  std::optional<Form> compose(unsigned position, mlir::AffineMap map);
  const Inner &getInner(int dim) const { return inner[constant - dim - 1]; }
  int addInner(Inner loop);

  llvm::SmallVector<int64_t> shape;
  std::map<std::pair<unsigned, FusionAccess>, unsigned> numbers;
  std::map<Form, unsigned> known;
  /// By position; empty where it is not known.
  std::vector<std::optional<Form>> forms;
  llvm::SmallVector<Inner> inner;
};

/// Of a kernel whose root follows, element by element, from a scatter: the scatter.
std::optional<unsigned> getUpdatingScatter(const FusionProblem &problem, const KernelGroup &group);

/// The leading dimensions of the largest root that all nodes of a group of kind `Row` share: its
/// rows may be computed in any order.
unsigned countOuterDims(const FusionProblem &problem, const KernelGroup &group);

/// Whether a node can be computed beside loops over a shape by blocks of rows.
bool isReducedBeside(const FusionProblem &problem, unsigned node, llvm::ArrayRef<int64_t> shape);

/// The member of `roots` whose result has the most dimensions; the first of several.
unsigned getLargestRoot(const FusionProblem &problem, llvm::ArrayRef<unsigned> roots);

/// Empty if the decision solves the problem, else what is wrong with it.
std::string verifyDecision(const FusionProblem &problem, const FusionDecision &decision);

/// For each node of `Outside` kind and each group, an order in which kernels
/// and other operations can stand: group g is numbered nodes.size() + g. Empty
/// if there is a cycle.
std::vector<unsigned> getExecutionOrder(const FusionProblem &problem,
                                        const FusionDecision &decision);

/// Fuses producers into their only consumer, copies cheap ones, and joins
/// neighbours of one iteration space that share a value. Linear in practice.
FusionDecision fuseGreedily(const FusionProblem &problem);

/// For each root the value that its result may overwrite, or null: the kernel
/// reads it at the element that it writes and nowhere else. Of several, the one
/// that `partners` names for the root (a donated argument), else one that no
/// other operation uses.
llvm::SmallVector<mlir::Value, 1>
getInPlaceInputs(const FusionProblem &problem, const KernelGroup &group,
                 const llvm::DenseMap<unsigned, mlir::Value> &partners);

} // namespace dmc

#endif // DMC_FUSION_FUSIONPROBLEM_H
