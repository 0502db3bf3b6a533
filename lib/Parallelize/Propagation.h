//===- Propagation.h - Layouts of all values from some ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of operations (nodes) and tensors (values) on which layouts are
// propagated and decided. No IR is changed.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_PROPAGATION_H
#define DMC_LIB_PARALLELIZE_PROPAGATION_H

#include "Factors.h"
#include "LoopInvariants.h"
#include "PropagationObserver.h"

#include "dmc/Parallelize/PlanSearch.h"
#include "dmc/Parallelize/ReshardPlan.h"
#include "dmc/Sharding/Windows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <atomic>
#include <map>
#include <memory>

namespace dmc {
struct ManualWork;
struct SolvedProblem;
class MemoryMeter;
class MovePrices;

/// A tensor; those that control flow forwards unchanged (block arguments and
/// results of loops) are one.
struct TensorInfo {
  llvm::ArrayRef<int64_t> shape;
  int64_t elementBytes = 1;
  /// The axes of each dimension that propagation would like.
  std::vector<AxisList> sharding;
  /// For each dimension, how many requests hold it: its axes are given, or will be
  /// given and uses must not say them meanwhile.
  llvm::SmallVector<unsigned, 4> holds;
  /// Axes that must not split the tensor.
  AxisList excluded;
  /// Of an argument, the axes of which one position holds it.
  decltype(Layout::placed) placed;
  /// What the producer makes, and what uses start from (partial values combined).
  Layout produced, base;
  /// The layout into which it is moved once, and from which all uses take it.
  std::optional<Layout> kept;
  /// Layouts that uses have asked for already.
  std::vector<Layout> versions;
  /// Nodes that use or make it.
  llvm::SmallVector<unsigned, 4> nodes;
  unsigned numUses = 0;
  /// Operands that are behind pads, dilations or slices of it, or of what a loop makes of it, and
  /// whose windows may be taken from there.
  struct WindowUse {
    unsigned node, operand;
    bool isBehindLoop;
  };
  llvm::SmallVector<WindowUse, 0> windowUses;
  /// The layouts in which the program returns it, and whether it returns it in one
  /// that is not given.
  std::vector<Layout> returned;
  bool isReturnedInSharding = false;
  /// How often its moves are executed (loops): as often as it is produced, or, where the loop
  /// changes nothing that it is made of, as often as the loop that they are hoisted out of.
  double repeats = 1;
  /// That loop, if there is one.
  mlir::Operation *hoistedFrom = nullptr;
  /// Of what a loop carries and returns: how often moves behind the loop are executed.
  std::optional<double> resultRepeats;
  /// Of what a constraint makes: the value that uses may take instead.
  std::optional<unsigned> constrained;
  /// Constraints make such values of it.
  bool hasConstraints = false;
  /// What a constraint makes of something that is in all layouts at once: moves cost nothing.
  bool isLayoutAgnostic = false;

  double getBytes() const {
    double bytes = elementBytes;
    for (int64_t size : shape)
      bytes *= size;
    return bytes;
  }
};

/// By operand, the axes over which an operation takes it in partial values, which its results are
/// then, too.
using CarriedAxes = std::map<unsigned, AxisList>;

/// An operation, or one operand of a control flow operation that is forwarded
/// (then the rule is the identity).
struct Node {
  static constexpr unsigned kLayoutAgnostic = ~0u;

  mlir::Operation *op = nullptr;
  /// The tensor operand of `op` that is forwarded.
  std::optional<unsigned> forwarded;
  ShardingRule rule;
  /// What split factors read around their positions.
  llvm::SmallVector<WindowAccess, 2> windows;
  /// By tensor operand of these that is behind pads, dilations or slices, where windows may be
  /// taken from; and the operand's shape.
  struct WindowSources {
    llvm::SmallVector<WindowSource> all;
    llvm::SmallVector<int64_t> shape;
  };
  std::map<unsigned, WindowSources> windowSources;
  /// A pad, dilation or slice that all uses look through.
  bool isLookedThrough = false;
  /// Numbers of values; kLayoutAgnostic where any layout costs nothing.
  llvm::SmallVector<unsigned, 4> operands;
  llvm::SmallVector<unsigned, 2> results;
  /// The operands that are results of loops: they share the number of what the loop carries.
  llvm::BitVector areLoopResults;
  llvm::SmallVector<std::optional<unsigned>, 1> destinations;
  Assignment assignment;
  /// What was decided of it before; empty: nothing.
  Assignment kept;
  /// The operation is a request: what it takes and makes is not chosen.
  bool isFixed = false;
  /// Factors whose axes are given and not extended.
  llvm::BitVector closedFactors;
  /// The directions in which layouts propagate; both but for barriers.
  Direction direction = Direction::both;
  bool isDirty = false;
  /// What the operation is to take and what it makes.
  llvm::SmallVector<Layout, 4> operandLayouts;
  CarriedAxes carried;
  llvm::SmallVector<Layout, 2> resultLayouts;
  /// How often it is executed (loops).
  double repeats = 1;
  /// Of a manual computation, what its body takes.
  std::shared_ptr<const ManualWork> manual;

  /// True if operand or result `i` may say something about the factors.
  bool reads(unsigned i) const {
    return direction == Direction::both ||
           direction == (i < operands.size() ? Direction::forward : Direction::backward);
  }
  /// True if the factors may say something about operand or result `i`.
  bool writes(unsigned i) const {
    return direction == Direction::both ||
           direction == (i < operands.size() ? Direction::backward : Direction::forward);
  }
  unsigned getNumValues() const { return operands.size() + results.size(); }
  unsigned getValue(unsigned i) const {
    return i < operands.size() ? operands[i] : results[i - operands.size()];
  }
  const ValueFactors &getFactors(unsigned i) const {
    return i < operands.size() ? rule.operands[i] : rule.results[i - operands.size()];
  }
};

/// One tensor that a counted loop carries, and what each iteration yields for the next.
struct CarriedValue {
  unsigned value = 0, yielded = 0;
  /// The operation that adds something to what is carried and makes what is yielded, if both
  /// have no other use, and the value that it adds.
  mlir::Operation *join = nullptr;
  std::optional<unsigned> addend;
};

/// An argument, or a result that takes over no argument's buffer.
struct BoundaryValue {
  llvm::ArrayRef<int64_t> shape;
  int64_t elementBytes = 1;
  /// The value of the graph that decides the layout, or the layout that the program gives.
  std::optional<unsigned> number;
  std::optional<Layout> given;
};

/// A layout that a value is to have, dimension by dimension in order of priority.
struct Request {
  unsigned value = 0;
  Layout layout;
  /// The node of the constraint, if it is not the boundary that asks.
  std::optional<unsigned> node;
  /// Dimensions that may be split further; empty: none.
  llvm::BitVector open;
  /// For each dimension; empty: 0.
  llvm::ArrayRef<int64_t> priorities;
  AxisList replicated;

  int64_t getPriority(unsigned dim) const { return priorities.empty() ? 0 : priorities[dim]; }
};

/// What refinement changes: all that was decided, or what a textbook leaves open: whether the rows
/// of scatters are sent rather than sums of their targets, and whether what is narrowed is moved
/// before or after.
enum class RefinementScope { Sent, All };

class Propagation;
/// The same graph, decided otherwise, and what a rank needs of memory then.
struct OtherPlan {
  std::unique_ptr<Propagation> graph;
  double bytes = 0;
};
using OtherPlans = std::vector<OtherPlan>;

/// The texts of a problem, and of its plan with the certificate, as far as they are asked for.
struct PlanTexts {
  std::string problem, certificate;
};

/// What one problem of a program leaves to the next, of which there are several where memory is
/// limited.
struct MemorySearch {
  std::shared_ptr<MovePrices> prices;
  /// Around which operations live ranges were split, as OperationRanges say it.
  std::string splitAround = "none";
  /// Whether they may be: if the fastest plan does not fit, what runs while too much is alive is
  /// left, and the search ends early where no plan fits.
  bool maySplit = false;
  std::vector<mlir::Operation *> tooFull;
  /// Plans that do not fit, for local search to begin with.
  OtherPlans others;
  /// Plans without split live ranges, for the search with them to begin with.
  OtherPlans whole;
  /// A plan that fits, though a search before this one found none of the problem; null: there is no
  /// such plan.
  const Propagation *known = nullptr;
  /// The problem is small enough to be solved once more.
  bool mayRepeat = false;
  /// What the plan found needs, where memory is limited.
  std::optional<double> needed;
  PlanTexts texts;
};

class Propagation {
public:
  /// On the mesh and for the machine of `plans`. With `withWindows`, loops that read around
  /// their position may be split.
  explicit Propagation(ReshardPlans &plans, bool withWindows = true)
      : plans(plans), mesh(plans.getMesh()), withWindows(withWindows) {}

  /// Null: nobody listens.
  PropagationObserver *observer = nullptr;

  /// Adds the entry and all that is nested in it.
  mlir::LogicalResult build(mlir::func::FuncOp entry);

  /// The number of a value of the entry.
  unsigned getNumber(mlir::Value value) const { return numbers.lookup(value); }
  bool has(mlir::Value value) const { return numbers.contains(value); }
  TensorInfo &getValue(unsigned number) { return values[number]; }
  unsigned getNumValues() const { return values.size(); }
  std::vector<Node> &getNodes() { return nodes; }
  const RankRates &getRates() const { return plans.getRates(); }
  const Mesh &getMesh() const { return mesh; }

  /// Begins with the layouts that operations were given before; says if there are any.
  mlir::FailureOr<bool> keep(LayoutCache &cache);
  /// What the constraints ask for.
  llvm::SmallVector<Request> getRequests(LayoutCache &cache);
  /// Keeps everything else from deciding a value's layout before its priority is reached.
  void reserve(const Request &request);
  /// Emits an error where requests for one value cannot hold together.
  mlir::LogicalResult checkGroups(llvm::ArrayRef<Request> requests) const;
  /// Gives a value's dimensions of one priority their axes.
  void grant(const Request &request, int64_t priority);
  /// Proposes a sharding for a value that has none.
  void propose(unsigned value, const Layout &layout);
  /// Carries homes on to all other values.
  void propagate();

  /// Chooses each node's assignment, then its layouts.
  void decide();
  /// Takes over what the program says about its arguments and results.
  void setBoundary(mlir::func::FuncOp entry, ProgramAttr program, LayoutCache &cache);
  llvm::ArrayRef<BoundaryValue> getBoundary() const { return boundary; }
  /// Returns results without a layout of their own in that of the argument whose buffer they take
  /// over, once it is decided.
  void returnDonated(mlir::func::FuncOp entry, ProgramAttr program);
  /// Chooses all layouts as one problem: those of operations and of what is between them, and
  /// with `choosesBoundary` of arguments without a layout. Nothing where there is no choice. What
  /// the problem says beside its plan goes to `solved`, if that is not null.
  mlir::FailureOr<std::optional<PlanSummary>> solve(mlir::func::FuncOp entry, ProgramAttr program,
                                                    bool choosesBoundary, const PlanSearch &search,
                                                    MemoryMeter &meter, MemorySearch &memory,
                                                    std::optional<SolvedProblem> *solved);
  /// States the same problem and checks a plan of it; decides nothing that is of use.
  mlir::LogicalResult checkPlan(mlir::func::FuncOp entry, ProgramAttr program, bool choosesBoundary,
                                MemoryMeter &meter, llvm::StringRef splitAround, PlanCheck &check);
  /// Lets partial values pass through operations that add them up.
  void deferReductions();
  /// Changes what was decided wherever that shortens the predicted time; false: nowhere. Ends once
  /// `interrupt`, which may be null, is true.
  bool refine(RefinementScope scope = RefinementScope::All,
              const std::atomic<bool> *interrupt = nullptr);
  /// True if a loop that reads around its position is split.
  bool splitsWindows() const;

  /// Bytes do not decide where values disagree: who asked first does.
  bool isInOrder = false;

private:
  friend class Chooser;
  friend class LayoutChoice;
  friend class NodeStates;
  friend class Deferral;
  friend class ProgramCost;
  friend class PlanEdit;
  friend class Refinement;
  friend class LayoutRecorder;
  friend class Trial;

  unsigned addValue(mlir::Value value);
  mlir::LogicalResult addBlock(mlir::Block &block);
  mlir::LogicalResult addOp(mlir::Operation &op);
  mlir::LogicalResult addControlFlow(mlir::Operation &op, double outerRepeats);
  void addCarried(mlir::scf::ForOp loop);
  void setRepeats(mlir::Operation &op, TensorInfo &value);
  void addHandOver(mlir::Operation *op, unsigned operand, unsigned target);
  void addNode(Node node);
  void addConstraint(ConstrainOp op, Node node);
  void constrain(ManualOp op);
  void touch(unsigned value);

  /// The windows of an operand's dimension, if the operation is split so.
  Windows getWindows(const Node &node, const WindowAccess &access,
                     const Assignment &assignment) const;
  /// What the windows of an operand's dimension send, if the operation is split so.
  Traffic getHaloTraffic(const Node &node, const WindowAccess &access,
                         const Assignment &assignment) const;
  /// The same where the axes split what is behind the operand's pads.
  Traffic getSplitHaloTraffic(const Node &node, const WindowAccess &access,
                              const Assignment &assignment) const;
  /// False of what is looked through: pads, dilations and slices of a value.
  bool isMade(unsigned value) const {
    auto producer = producers.find(value);
    return producer == producers.end() || !nodes[producer->second].isLookedThrough;
  }
  /// True of what is looked through, where a use takes it nevertheless: one that is not split so
  /// that it makes windows.
  bool isTaken(const Node &node) const;
  /// What is behind a value's pads and constraints; nothing: what is in all layouts at once.
  std::optional<unsigned> getBehindPads(unsigned value) const;
  /// What a node takes an operand from: windows of it, with this assignment, from what is behind
  /// its pads, dilations and slices. Nothing: what is in all layouts at once.
  std::optional<unsigned> getRead(const Node &node, unsigned operand,
                                  const Assignment &assignment) const;
  /// True if every position of the axes has what the windows of an operand are taken from.
  bool isOnAll(const Node &node, unsigned operand, const Assignment &assignment,
               const AxisList &axes) const;
  static bool isOnAll(const Layout &made, const AxisList &axes) {
    return llvm::none_of(axes, [&](const AxisRef &axis) { return isUsed(made, axis); });
  }
  bool extend(Node &node);
  bool process(Node &node);
  void choose(Node &node);
  void setLayouts(Node &node);
  Layout getTarget(const TensorInfo &value, const Layout &produced) const;

  ReshardPlans &plans;
  const Mesh &mesh;
  bool withWindows;
  /// What halos send for each byte of the other dimensions.
  mutable std::map<std::vector<int64_t>, Traffic> halos;
  std::vector<TensorInfo> values;
  std::vector<Node> nodes;
  std::vector<BoundaryValue> boundary;
  /// The node that makes a value, if there is one.
  llvm::DenseMap<unsigned, unsigned> producers;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  /// The value of each group of constraints.
  std::map<int64_t, unsigned> groups; // any number is a group: none is left as a marker
  /// What counted loops carry, and for each value where it takes part in that.
  std::vector<CarriedValue> carriedValues;
  llvm::DenseMap<unsigned, llvm::SmallVector<unsigned, 1>> carriedBy;
  /// Of what is being added.
  double repeats = 1;
  LoopInvariants invariants;
  llvm::DenseMap<mlir::Operation *, double> loopRepeats; // of each loop operation itself
};

/// True if partial values of one kind at most are made by the split reductions of a node.
bool hasOneCombiner(const Node &node, const Assignment &assignment);

/// True if a node whose `operands` are sums that are partial over an axis makes such sums: then
/// they may be reduced behind it. What it writes to is partial, too.
bool carriesSums(const Node &node, llvm::BitVector operands);

/// Extends an assignment by axes of a factor as far as they are free, fit the
/// factor and all dimensions that index it can say it.
bool extendAssignment(const Node &node, Assignment &assignment, unsigned factor,
                      llvm::ArrayRef<AxisRef> axes);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_PROPAGATION_H
