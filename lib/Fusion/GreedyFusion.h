//===- GreedyFusion.h - Kernels without a solver ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the greedy fusion: groups that grow while it goes through the operations.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_FUSION_GREEDYFUSION_H
#define DMC_LIB_FUSION_GREEDYFUSION_H

#include "dmc/Fusion/FusionProblem.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <vector>

namespace dmc {

/// How a kernel evaluates one of its operations.
struct Member {
  GroupAccesses::Positions positions;
  /// Evaluations per element of the operation's result.
  double reuse = 1;
  /// Work from here to where the repetition starts.
  unsigned repeatedWork = 0;
  /// A reduction by blocks of rows, beside the other roots.
  bool isBeside = false;
};

struct Group {
  KernelKind kind = KernelKind::Loop;
  llvm::DenseMap<unsigned, Member> members;
  /// The first is the largest.
  llvm::SmallVector<unsigned, 1> roots;
  GroupAccesses accesses;
  bool isMerged = false;
  /// A place in the block: behind all that the kernel reads and before all
  /// that reads it. Its existence shows that the graph is acyclic.
  double place = 0;
};

/// One sweep from the last operation to the first: at each, all its users are in kernels already.
class Greedy {
public:
  explicit Greedy(const FusionProblem &problem)
      : problem(problem), maxNodes(problem.target.getKernelOperations()),
        maxRoots(problem.target.getKernelResults()), groupsOf(problem.nodes.size()) {}
  FusionDecision run();

private:
  using Readers = llvm::SmallMapVector<unsigned, llvm::SmallVector<unsigned, 2>, 4>;
  void visit(unsigned node);
  size_t rankOf(unsigned group) const;

  /// A transpose of what nobody else reads of a contraction belongs to it.
  bool isTransposedContraction(unsigned node) const;
  bool addToTranspose(unsigned node, bool hasOutsideUser, const Readers &readers);

  /// A scatter into a splat of which only one elementwise value is computed that differs from an
  /// operand nowhere else: the value is computed where the scatter is.
  bool addToUpdate(unsigned node, bool hasOutsideUser, const Readers &readers);

  bool canJoinAll(unsigned node, const Readers &readers);
  Readers getReaders(unsigned node, bool &hasOutsideUser) const;

  /// How the group would evaluate the node; nothing where it should not.
  std::optional<Member> evaluate(Group &group, unsigned node, llvm::ArrayRef<unsigned> users);
  static GroupAccesses::Positions getPositions(Group &group, const FusionNode &reader,
                                               const Member &member, const FusionRead &read);

  /// Adds a reduction over rows to a kernel whose loops read what it reads, or what its operands
  /// are computed from.
  bool joinBeside(unsigned node);
  bool addBeside(unsigned index, unsigned node);

  /// Evaluations of a node at a position for each element of its result.
  double getReuse(const Group &group, unsigned node, unsigned position, const Member &reader,
                  const FusionRead &read) const;

  /// Whether a reduction is computed once for each of its elements, outside of the loops over a
  /// row.
  bool isRowReduction(Group &group, unsigned node, const Member &member) const;

  /// Whether the group computes an element of its results from each row of a reduction, whose
  /// innermost loop follows the rows in memory.
  bool isWithin(const Group &group, unsigned node) const;

  /// Whether the group is what follows from a sum of everything and from nothing else that is
  /// reduced in it: such scalars are computed behind the loops of the sum.
  bool isScalarReduction(const Group &group, unsigned node) const;

  /// Whether the result has some, not all, of the leading dimensions of the group's largest root.
  bool isPrefix(const Group &group, unsigned node) const;
  bool addTo(unsigned index, unsigned node, llvm::ArrayRef<unsigned> users);

  /// Adds a node that others read, too.
  bool addRoot(unsigned index, unsigned node, llvm::ArrayRef<unsigned> users);
  /// Adds a root to a group that becomes one of this kind, if there is a place for it.
  bool appendRoot(unsigned index, unsigned node, const Member &member, KernelKind kind);
  void makeGroup(unsigned node);
  static bool isLoop(KernelKind kind) {
    return kind == KernelKind::Loop || kind == KernelKind::Row;
  }

  /// A root is computed at its own position, and may be again by reductions of its row. False if
  /// the group needs it elsewhere.
  bool makeRoot(Group &group, unsigned node, Member &member) const;

  /// Joins kernels of one iteration space that read the node element by element.
  bool joinSiblings(unsigned node, const Readers &readers);
  void joinReadersOfArguments();
  bool joinReaders(const Readers &readers, mlir::RankedTensorType type,
                   llvm::function_ref<bool(unsigned, const FusionRead &)> reads);

  //===--- What follows from rows ---===//

  /// What a kernel computes from the rows' reductions of another is computed there: as a whole, or
  /// what a sum over the rows reads.
  void moveIntoRows();

  /// The members of a group that the given ones are computed from, up to those in `except`.
  static llvm::DenseSet<unsigned> collectProducers(const FusionProblem &problem, const Group &group,
                                                   llvm::ArrayRef<unsigned> nodes,
                                                   llvm::ArrayRef<unsigned> except);

  /// The elementwise members that the reduction of a group reads.
  llvm::SmallVector<unsigned> findReducedValues(const Group &group) const;

  /// Where a sum reads what follows from a reduction of rows, `node`, the rows become a group of
  /// their own, which can compute that reduction. The group in which the reduction is read then.
  unsigned splitRows(unsigned index, unsigned node);
  static void keepMembers(Group &group, const llvm::DenseSet<unsigned> &rest);

  /// The values with one element for each row that a group computes and that are needed further on:
  /// its roots, or what its reduction reads. Empty if there is anything else.
  llvm::SmallVector<unsigned> findRowValues(const Group &into, const Group &from) const;
  bool isMovedWhole(const Group &into, const Group &from) const;
  bool moveRows(unsigned into, unsigned from);

  //===--- Sums over long rows ---===//

  /// For devices: sums over rows that a block cannot hold get kernels of their own.
  void splitLongSums();
  static llvm::SmallVector<unsigned>
  findMembers(const Group &group, llvm::function_ref<bool(unsigned, const Member &)> is);
  /// The reductions by blocks of rows, and those of each row.
  static llvm::SmallVector<unsigned> findSums(const Group &group);
  llvm::SmallVector<unsigned> findRowReductions(const Group &group) const;
  bool hasLongSums(const Group &group) const;
  bool splitSums(unsigned index);

  /// Puts the second group into the first, if there is a place for both.
  bool merge(unsigned into, unsigned from);

  /// Recomputes how a group with new members evaluates them.
  bool evaluateAll(Group &group);

  /// Looks for a place behind the inputs and before the readers of a group that
  /// takes over those in `parts`.
  bool findPlace(Group &group, llvm::ArrayRef<unsigned> parts);

  /// Where the value that others read is available: the place of the kernel
  /// that hands it over, or of the operation itself.
  double getPlace(unsigned node) const;

  const FusionProblem &problem;
  /// Bounds that keep compile time linear and generated code small: the target's.
  const size_t maxNodes, maxRoots;
  std::vector<Group> groups;
  std::vector<llvm::SmallVector<unsigned, 1>> groupsOf;
};

} // namespace dmc

#endif // DMC_LIB_FUSION_GREEDYFUSION_H
