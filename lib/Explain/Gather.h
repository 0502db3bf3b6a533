//===- Gather.h - Parts of an explanation -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is read off the levels of a program, one after the other.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_EXPLAIN_GATHER_H
#define DMC_LIB_EXPLAIN_GATHER_H

#include "dmc/Explain/Explanation.h"
#include "dmc/Parallelize/LayoutRecord.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace dmc::explain {
struct Request;

/// The innermost position and names of a location.
Place toPlace(mlir::Location loc);
/// Reads the lines of all places from the files that are found.
void readSource(Explanation &explanation, llvm::ArrayRef<std::string> folders);

/// Sizes and element type, `64x32xf32`.
std::string toText(mlir::ShapedType type);
/// The module's public function.
mlir::func::FuncOp getEntry(mlir::ModuleOp module);
std::vector<std::string> toNames(const Mesh &mesh, llvm::ArrayRef<AxisRef> axes);

/// Answers why, from the record of a propagation.
class Reasons {
public:
  Reasons(const LayoutRecord &record, ProgramAttr program) : record(record), program(program) {}

  /// Why each axis of the mesh does what it does with a value in a layout.
  std::vector<Reason> explainValue(unsigned value, const Layout &layout) const;
  /// Of a result of the program, whose layout may be another than its value's.
  std::vector<Reason> explainResult(unsigned result, const Layout &layout) const;
  /// The use of a value for which moves are made; null if it is not known.
  const RecordedUse *findUse(unsigned value, std::optional<unsigned> node, unsigned number) const;
  std::vector<Offer> getOffers(const RecordedUse &use) const;
  std::string nameOf(unsigned value) const;

private:
  Reason explainSplit(unsigned value, unsigned dim, const AxisRef &axis) const;
  Reason explainPartials(unsigned value, const AxisRef &axis) const;
  Reason explainUnsharded(unsigned value, const AxisRef &axis) const;
  bool explainFactor(Reason &reason, unsigned node, unsigned factor, const AxisRef &axis) const;
  void follow(Reason &reason, unsigned value, unsigned dim, const AxisRef &axis) const;
  const FactorCause *getFactorCause(unsigned node, unsigned value, unsigned dim,
                                    const AxisRef &axis) const;
  void end(Reason &reason, const AxisCause &cause, unsigned value, unsigned dim) const;
  bool explainChange(Reason &reason, llvm::ArrayRef<unsigned> changes) const;
  std::string nameOf(const AxisRef &axis) const;
  Reason::Step step(unsigned node, const std::string &text) const;

  const LayoutRecord &record;
  ProgramAttr program;
};

/// The parallel program: its tensors, and which moves lie between whom.
class ParallelFacts {
public:
  /// Numbers the operations in their locations.
  ParallelFacts(mlir::ModuleOp module, const LayoutRecord *record, Explanation &explanation);

  /// Completes a collective that has these numbers in its location.
  void describe(Collective &collective, llvm::ArrayRef<int64_t> operations) const;

private:
  struct Operation {
    Site site;
    bool isMove = false, isHalo = false;
    std::string text;
    /// Of a move: where its tensor comes from and in what form, and its consumer.
    std::optional<unsigned> root;
    std::string from;
    struct User {
      Site site;
      std::string layout;
      const RecordedUse *use = nullptr;
    };
    std::vector<User> users;
  };
  Site describe(mlir::Operation *op) const;
  void addTensors(mlir::func::FuncOp entry);
  unsigned addTensor(mlir::Value value, std::string kind, std::string name);
  void addMoves(mlir::func::FuncOp entry);
  int64_t bytesOf(int64_t number) const;
  std::optional<unsigned> getRecorded(mlir::Value value) const;
  void collectUsers(mlir::Value value, Operation &move);

  ProgramAttr program;
  Mesh mesh;
  const LayoutRecord *record;
  Explanation &explanation;
  std::optional<Reasons> reasons;
  llvm::DenseMap<mlir::Value, unsigned> tensors;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::vector<Operation> operations;
};

/// How good the plan is; what the record's problem says of tensors that are gathered already.
void gatherPlan(const PlanSummary &summary, const LayoutRecord &record, ProgramAttr program,
                Explanation &explanation);

/// What plans for other machines decide otherwise than `record`. The module is the one given to
/// `explain`, before any stage.
mlir::LogicalResult gatherSensitivity(mlir::ModuleOp module, const Request &request,
                                      const Machine &machine, const LayoutRecord &record,
                                      ProgramAttr program, Explanation &explanation);

/// Of the rank program, each collective; `parallel` may be null.
void gatherCollectives(mlir::ModuleOp module, const ParallelFacts *parallel, const RankRates &rates,
                       Explanation &explanation);

/// Of the scheduled program, what its memory holds when it is fullest.
void gatherPeak(mlir::ModuleOp module, Explanation &explanation);

/// Of the program whose kernels are loops, the kernels that the step launches.
void gatherKernels(mlir::ModuleOp module, Explanation &explanation);
/// Of the same program in the LLVM dialect, what becomes of the loops of these kernels.
mlir::LogicalResult gatherVectors(mlir::ModuleOp module, Explanation &explanation);

/// Of the same program for a device, what its kernels take there.
mlir::LogicalResult gatherUses(mlir::ModuleOp module, Explanation &explanation);

constexpr llvm::StringLiteral kOpTag = "dmc.op";

} // namespace dmc::explain

#endif // DMC_LIB_EXPLAIN_GATHER_H
