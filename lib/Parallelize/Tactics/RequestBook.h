//===- RequestBook.h - What was asked of each value -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests of tactics are kept with their locations on the program, so that those
// which cannot hold together are found and named.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_TACTICS_REQUESTBOOK_H
#define DMC_LIB_PARALLELIZE_TACTICS_REQUESTBOOK_H

#include "TransformOps.h"

#include "../Factors.h"

#include "dmc/Dialect/DMC/Requests.h"

namespace dmc::tactics {

struct Request {
  RequestKind kind;
  mlir::Location loc;
  /// Of shard.
  int64_t dim = 0;
  /// Of shard and replicate; null: all axes.
  AxesAttr axes;
  /// Of pin (null: what was asked for so far), given and decided.
  LayoutAttr layout;
};

/// What requests one after the other amount to.
struct Outcome {
  Layout layout;
  AxisList excluded;
  bool isClosed = false;
  /// Why the last one cannot be honoured; empty: it can.
  std::string problem;
};
Outcome combine(MeshAttr mesh, size_t rank, llvm::ArrayRef<Request> requests);

/// The smallest of a set of requests that cannot hold together: none can be left out.
llvm::SmallVector<Request> getConflict(MeshAttr mesh, size_t rank,
                                       llvm::SmallVector<Request> requests);

/// What a request is about: an argument, a result of the program, or a value within.
struct Target {
  enum Kind { argument, result, inner } kind;
  unsigned number = 0;
  mlir::Value value;
};

/// The layout in which propagation let a value lie; null where it has decided nothing.
LayoutAttr getDecided(mlir::Value value);

class RequestBook {
public:
  RequestBook(mlir::Operation *tactic, Subject subject);

  /// The targets of a handle; an error where it is about anything else.
  mlir::FailureOr<llvm::SmallVector<Target>> getTargets(mlir::Value handle,
                                                        mlir::transform::TransformState &state);
  /// Adds a request and makes the program say it; an error names those that conflict.
  mlir::LogicalResult add(const Target &target, Request request);
  /// The layout that was asked for so far.
  Outcome getOutcome(const Target &target);
  mlir::RankedTensorType getType(const Target &target) const;
  std::string describe(const Target &target) const;
  /// Writes the program's boundary back.
  void finish();

  const Subject &getSubject() const { return subject; }

private:
  mlir::LogicalResult addOne(const Target &target, const Request &request);
  llvm::SmallVector<Request> load(const Target &target);
  void store(const Target &target, llvm::ArrayRef<Request> requests, const Outcome &outcome);
  void storeInner(mlir::Value value, llvm::ArrayRef<Request> requests, const Outcome &outcome);

  mlir::Operation *tactic;
  Subject subject;
  MeshAttr mesh;
  llvm::SmallVector<ValueAttr> arguments, results;
};

/// Where a value is used first in its own block, at the latest at its end: what moves it may
/// wait so long.
mlir::Operation *findFirstUse(mlir::Value value);

/// The constraint that a tactic has put on a value, or null.
ConstrainOp getTacticConstraint(mlir::Value value);
/// Puts one between a value and its uses: in front of the first, or where it is said.
ConstrainOp addTacticConstraint(mlir::Value value, LayoutAttr layout,
                                mlir::Operation *before = nullptr);

} // namespace dmc::tactics

#endif // DMC_LIB_PARALLELIZE_TACTICS_REQUESTBOOK_H
