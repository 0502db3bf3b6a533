//===- Propagation.h - Layouts of all values from some ----------*- C++ -*-===//
//
// The graph of operations (nodes) and tensors (values) on which layouts are
// propagated and decided. No IR is changed.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_PROPAGATION_H
#define DMC_LIB_PARALLELIZE_PROPAGATION_H

#include "Factors.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace dmc {

/// A tensor; those that control flow hands on unchanged (block arguments and
/// results of loops) are one.
struct TensorInfo {
  llvm::ArrayRef<int64_t> shape;
  int64_t elementBytes = 1;
  /// The axes of each dimension that propagation would like.
  std::vector<AxisList> home;
  /// The home was given and does not change.
  bool isFixed = false;
  /// The home will be given: uses must not say it meanwhile.
  bool isReserved = false;
  /// What the producer makes, and what uses start from (terms combined).
  Layout produced, base;
  /// Layouts that uses have asked for already.
  std::vector<Layout> versions;
  /// Nodes that use or make it.
  llvm::SmallVector<unsigned, 4> nodes;
  unsigned numUses = 0;

  double getBytes() const {
    double bytes = elementBytes;
    for (int64_t size : shape)
      bytes *= size;
    return bytes;
  }
};

/// An operation, or one operand of a control flow operation that is handed on
/// (then the rule is the identity).
struct Node {
  static constexpr unsigned kFree = ~0u;

  mlir::Operation *op = nullptr;
  /// The tensor operand of `op` that is handed on.
  std::optional<unsigned> handedOn;
  ShardingRule rule;
  /// Numbers of values; kFree where any layout costs nothing.
  llvm::SmallVector<unsigned, 4> operands;
  llvm::SmallVector<unsigned, 2> results;
  llvm::SmallVector<std::optional<unsigned>, 1> destinations;
  Assignment assignment;
  /// The assignment was given (a constraint).
  bool isFixed = false;
  bool isDirty = false;
  /// What the operation is to take and what it makes.
  llvm::SmallVector<Layout, 4> operandLayouts;
  /// The axes over which an operand stays partial.
  std::map<unsigned, AxisList> carried;
  llvm::SmallVector<Layout, 2> resultLayouts;

  unsigned getNumValues() const { return operands.size() + results.size(); }
  unsigned getValue(unsigned i) const {
    return i < operands.size() ? operands[i] : results[i - operands.size()];
  }
  const ValueFactors &getFactors(unsigned i) const {
    return i < operands.size() ? rule.operands[i] : rule.results[i - operands.size()];
  }
};

class Propagation {
public:
  explicit Propagation(const Mesh &mesh) : mesh(mesh) {}

  /// Adds the entry and all that is nested in it.
  mlir::LogicalResult build(mlir::func::FuncOp entry);

  /// The number of a value of the entry.
  unsigned getNumber(mlir::Value value) const { return numbers.lookup(value); }
  bool has(mlir::Value value) const { return numbers.contains(value); }
  TensorInfo &getValue(unsigned number) { return values[number]; }
  std::vector<Node> &getNodes() { return nodes; }

  /// Gives a value its home (and keeps it) and carries it on to all others.
  void seed(unsigned value, const Layout &layout, bool isFixed);
  void constrain(ConstrainOp op, const Layout &layout);
  void propagate();

  /// Chooses each node's assignment, then its layouts.
  void decide();
  /// Lets terms pass through operations that add them up.
  void deferReductions();

private:
  friend class Chooser;
  friend class Deferral;

  unsigned addValue(mlir::Value value);
  mlir::LogicalResult addBlock(mlir::Block &block);
  mlir::LogicalResult addOp(mlir::Operation &op);
  mlir::LogicalResult addControlFlow(mlir::Operation &op);
  void addHandOver(mlir::Operation *op, unsigned operand, unsigned target);
  void addNode(Node node);
  void constrain(ManualOp op);
  void touch(unsigned value);

  bool extend(Node &node);
  bool process(Node &node);
  void choose(Node &node);
  void setLayouts(Node &node);
  Layout getTarget(const TensorInfo &value, const Layout &produced) const;

  const Mesh &mesh;
  std::vector<TensorInfo> values;
  std::vector<Node> nodes;
  /// The node that makes a value, if there is one.
  llvm::DenseMap<unsigned, unsigned> producers;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
};

/// Extends an assignment by axes of a factor as far as they are free, fit the
/// factor and all dimensions that index it can say it.
bool extendAssignment(const Node &node, Assignment &assignment, unsigned factor,
                      llvm::ArrayRef<AxisRef> axes);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_PROPAGATION_H
