//===- Network.h - A layout problem as the solver sees it -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes with the states that are left, and at most one edge between two nodes. Tables are shared
// between edges, and equal rows and columns of a table are stored once: many states of an operation
// want the same layout of an operand.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_NETWORK_H
#define DMC_LIB_PLANNER_NETWORK_H

#include "dmc/Planner/LayoutProblem.h"

#include <memory>

namespace dmc::planner {

struct CostTable {
  /// By state: which of the distinct rows or columns is its.
  std::vector<uint32_t> rowClass, columnClass;
  uint32_t rowClasses = 0, columnClasses = 0;
  /// Of the classes, row by row, all iterations counted.
  std::vector<int64_t> costs;
  bool hasInfeasible = false;
  /// As `costs` for the messages, padded: rows of columns, and columns of rows.
  std::vector<double> forward, backward;
  uint32_t forwardStride = 0, backwardStride = 0;

  int64_t at(uint32_t row, uint32_t column) const {
    return costs[static_cast<size_t>(rowClass[row]) * columnClasses + columnClass[column]];
  }
  /// Of class numbers.
  int64_t ofClasses(uint32_t row, uint32_t column) const {
    return costs[static_cast<size_t>(row) * columnClasses + column];
  }
};

/// Bytes of a node's states in one row of memory.
struct NodeUse {
  uint32_t row = 0;
  std::vector<int64_t> bytes;
  int64_t most = 0;
};

struct Node {
  uint32_t variable = 0;
  /// Numbers of the states in the problem.
  std::vector<uint32_t> states;
  /// In all iterations; none is infeasible.
  std::vector<int64_t> costs;
  std::vector<NodeUse> uses;
  /// Edges to nodes before and after this one.
  std::vector<uint32_t> before, after;
};

struct Edge {
  /// Nodes, in their order; rows of the table are the states of `first`.
  uint32_t first = 0, second = 0;
  uint32_t table = 0;
  /// The link of certificates that it is, and whether `first` is the variable of larger number.
  uint32_t link = 0;
  bool isSwapped = false;
};

class Network {
public:
  /// All states of all variables; `restrict` removes those that no plan has.
  explicit Network(const LayoutProblem &problem);

  const LayoutProblem &problem() const { return *problem_; }
  const std::vector<Node> &nodes() const { return nodes_; }
  const std::vector<Edge> &edges() const { return edges_; }
  const CostTable &table(const Edge &edge) const { return *tables_[edge.table]; }
  const CostTable &tableOf(uint32_t number) const { return *tables_[number]; }
  size_t getNumTables() const { return tables_.size(); }
  /// Sum of the states of all nodes.
  int64_t getNumStates() const;
  /// Rows of the problem that states left can exceed. Nodes keep their uses of others too: prices
  /// of these still count in bounds.
  const std::vector<uint32_t> &rows() const { return rows_; }
  /// What infeasible entries count in messages.
  double big() const { return big_; }
  /// The plan where each node has the state of that number among those left.
  Assignment toAssignment(llvm::ArrayRef<uint32_t> choice) const;
  /// By row of the problem: the bytes of a choice, in rows that the states of all nodes exceed.
  std::vector<int64_t> getBytes(llvm::ArrayRef<uint32_t> choice) const;
  /// Nothing, if a state is not among those left.
  std::optional<std::vector<uint32_t>> toChoice(llvm::ArrayRef<uint32_t> assignment) const;

  /// The same without rows of memory.
  Network withoutRows() const {
    Network result = *this;
    result.rows_.clear();
    return result;
  }
  /// Keeps the states that are marked, by node and state.
  Network restrict(const std::vector<std::vector<bool>> &keep) const;

private:
  Network() = default;
  void buildNodes(const LayoutProblem &problem);
  void buildEdges(const LayoutProblem &problem);
  void findRows();
  void dropUses();

  const LayoutProblem *problem_ = nullptr;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::shared_ptr<const CostTable>> tables_;
  std::vector<uint32_t> rows_;
  double big_ = 0;
};

/// The states that have a feasible partner in each neighbour, and room in each row of memory.
struct Consistency {
  std::vector<std::vector<bool>> keep;
  bool isChanged = false;
  /// A node that has no states left: there is no plan.
  std::optional<uint32_t> emptyNode;
  /// The nodes and rows of memory that took its states, directly or through others.
  std::vector<uint32_t> involved, rows;
};
Consistency makeConsistent(const Network &network, std::vector<std::vector<bool>> keep);

/// Marks all states.
std::vector<std::vector<bool>> keepAll(const Network &network);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_NETWORK_H
