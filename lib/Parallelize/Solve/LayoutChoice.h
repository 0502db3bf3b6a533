//===- LayoutChoice.h - The layout problem of a program ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States the choice of all layouts of a decided graph as a planner::LayoutProblem, and takes over
// an assignment of its variables.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_LAYOUTCHOICE_H
#define DMC_LIB_PARALLELIZE_SOLVE_LAYOUTCHOICE_H

#include "../MemoryEstimate.h"
#include "MovePrices.h"
#include "NodeStates.h"

#include "dmc/Planner/LayoutProblem.h"

#include "llvm/ADT/StringSet.h"

namespace dmc {

/// Variables are the assignments of operations, the layouts of arguments, and for each tensor that
/// is not used exactly once the layout in which it is kept: it is moved there once after it is
/// made, and from there to each use; where it can be made in one layout only, also from that. This
/// is the space of the problem: whole axes in the order of the mesh (and what was decided or
/// requested otherwise), partial sums on their way to where they are joined, and one layout in
/// which a tensor is kept, which is not partial.
class LayoutChoice {
public:
  /// Of a graph whose layouts are decided. Arguments without a layout stay as they are decided
  /// unless their layouts are chosen, too.
  LayoutChoice(Propagation &graph, mlir::func::FuncOp entry, ProgramAttr program,
               bool choosesBoundary, MovePrices &prices, AxisGroups groups)
      : graph(graph), groups(groups), states(graph, layouts, std::move(groups)), entry(entry),
        program(program), choosesBoundary(choosesBoundary), prices(prices, layouts) {}

  /// Effort limits: states of one operation, and entries of all tables on a mesh of up to three
  /// axes, each of which takes a reshard's plan.
  static constexpr size_t maxStates = 512;
  static constexpr int64_t maxEntries = int64_t(1) << 22;
  /// The search for a plan of a matrix passes through four times as many layouts with one axis
  /// more, which splits one of two dimensions, is partial or is free. From each there are steps of
  /// five axes in place of four, say: in all it takes five times as long.
  static constexpr size_t axesOfMaxEntries = 3;
  static constexpr int64_t longerOfAxis = 5;

  /// Nothing, and why, where the problem would exceed the limits (`isTooLarge`) or numbers what a
  /// problem may hold.
  std::optional<planner::LayoutProblem> build(std::string &whyNot);
  bool isTooLarge() const { return exceedsLimits; }
  /// The graph's own decisions as an assignment of the problem.
  planner::Assignment getCurrent() const;
  /// The decisions of another graph of the program, of before live ranges were split: what a
  /// barrier makes is kept as the tensor itself.
  planner::Assignment getAlike(const Propagation &other) const;
  /// The layouts of a tensor in the states of the variable that decides how it is made, or given,
  /// or else kept.
  struct TensorChoice {
    unsigned value = 0;
    uint32_t variable = 0;
    std::vector<Layout> layouts;
  };
  std::vector<TensorChoice> getTensorChoices() const;
  /// Decides the graph so.
  void apply(llvm::ArrayRef<uint32_t> assignment);

private:
  friend class PointUses;
  /// Where a tensor is taken from: a variable, and the list of its layouts by state.
  struct Source {
    uint32_t variable = 0;
    unsigned layouts = 0;
  };
  /// A use of a tensor by a node: the operands of it that are this tensor.
  struct Use {
    unsigned node = 0;
    bool isBehindLoop = false;
    llvm::SmallVector<unsigned, 2> operands;
  };
  struct ValueChoice {
    /// The node that makes it and which of its results it is; none: an argument, or what control
    /// flow forwards, which is made in the layout in which it is kept unless it is an argument.
    std::optional<unsigned> producer;
    unsigned result = 0;
    llvm::SmallVector<Use, 4> uses;
    /// The variable of the layout in which it is kept.
    std::optional<Source> hub;
    /// That of an argument's layout.
    std::optional<Source> boundary;
    bool isArgument = false;
    /// Its variables are made, if it has any.
    bool isAdded = false;
    /// What the program gives an argument: it may be split further at most.
    LayoutAttr given;
  };

  /// What is decided of a program: the assignment of a node, and the layout in which a tensor is
  /// kept or made.
  struct Decisions {
    llvm::function_ref<std::optional<uint32_t>(unsigned)> getState;
    llvm::function_ref<Layout(unsigned)> getLayout;
  };
  planner::Assignment getAssignment(const Decisions &decisions) const;
  void collect();
  bool isBarrier(unsigned node) const;
  /// The tensor itself of one that is behind barriers.
  unsigned getOrigin(unsigned value) const;
  /// Whether a barrier keeps an argument where memory is limited: its node has each state twice,
  /// first for the argument itself, then for a copy, which takes memory.
  bool keepsArgument(unsigned node) const;
  bool needsHub(unsigned value) const;
  bool addClasses();
  double getMostSeconds() const;
  int getUnit() const;
  void addNode(unsigned node);
  void addBoundary(unsigned value);
  void preferSplitArguments();
  void addHub(unsigned value);
  void addVariables();
  void addKept(unsigned node);
  void addMoves();
  void addHalos();
  void addHalo(unsigned node, size_t window);
  void addHalosOfPad(unsigned node);
  /// What one of a node's windows sends where ranks do not have all of what it reads.
  int64_t getHaloCost(const Node &node, const WindowAccess &access,
                      const Assignment &assignment) const;
  void addReturned();
  void setShardings(llvm::ArrayRef<uint32_t> assignment);
  void keepWhereCheaper();
  Layout getKept(unsigned value) const;
  std::optional<std::string> getHubKey(unsigned value);
  unsigned getHubLayouts(unsigned value);
  LayoutList listLayouts(unsigned value, bool isBoundary);
  std::optional<Source> getMade(unsigned value);
  Source getSource(unsigned value);
  Source addVariable(std::string name, unsigned list);
  unsigned getResultLayouts(unsigned nodeClass, unsigned result);
  std::optional<uint32_t> getLoop(double repeats);
  bool reserveTable(size_t rows, size_t columns);
  bool hasTooManyEntries() const;
  bool isFurther(llvm::StringRef key, size_t rows, size_t columns);
  uint32_t addTable(llvm::StringRef key, planner::Table table);
  void addPair(uint32_t first, uint32_t second, uint32_t table, double repeats);
  void addMove(unsigned value, Source from, const Use &use);
  void addMove(unsigned value, Source from, Source to, double repeats);

  Propagation &graph;
  LayoutTable layouts;
  AxisGroups groups;
  NodeStates states;
  mlir::func::FuncOp entry;
  ProgramAttr program;
  bool choosesBoundary;

  std::vector<ValueChoice> values;
  /// By node: its class, and its variable (forwarded operands have none).
  std::vector<unsigned> classes;
  std::vector<std::optional<uint32_t>> variables;
  planner::ProblemParts parts;
  int64_t numEntries = 0;
  bool exceedsLimits = false;
  /// Tables of moves are counted and not made: that many prices take minutes.
  bool isCounting = false;
  llvm::StringSet<> counted;
  llvm::DenseMap<int64_t, uint32_t> loops;
  llvm::StringMap<uint32_t> tables;
  /// Lists of layouts by what they follow from.
  llvm::StringMap<unsigned> hubLists;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> resultLists;
  MoveTables prices;
  /// Arguments, and what is returned in their place wherever they are.
  std::vector<std::pair<unsigned, unsigned>> donations;
  /// The layouts in which those results are to be returned beside that.
  std::vector<std::vector<Layout>> returnedBefore;
};

/// A choice, and its problem; nothing, and why, where there is none.
struct StatedChoice {
  std::unique_ptr<LayoutChoice> choice;
  std::optional<planner::LayoutProblem> problem;
  std::string whyNot;
  /// The names of axes that are taken together.
  std::vector<std::vector<std::string>> axesTogether;
};

/// With each axis of the mesh alone or, where that exceeds the limits, with as few of them taken
/// together as keep them.
StatedChoice stateChoice(Propagation &graph, mlir::func::FuncOp entry, ProgramAttr program,
                         bool choosesBoundary, MovePrices &prices);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_LAYOUTCHOICE_H
