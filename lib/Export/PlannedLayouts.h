//===- PlannedLayouts.h - What a plan says of StableHLO values --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which value of a planned program is which of the StableHLO program that it was
// made of, and the layouts of both ends of its uses.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_EXPORT_PLANNEDLAYOUTS_H
#define DMC_LIB_EXPORT_PLANNEDLAYOUTS_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace dmc {

/// The location with an operation's number.
mlir::Location withNumber(mlir::Location loc, int64_t number);

mlir::LogicalResult refuseLayout(LayoutAttr layout, mlir::Location loc);

class PlannedLayouts {
public:
  /// `operations` are those of the source by number, null where one is no longer there.
  PlannedLayouts(mlir::func::FuncOp source, llvm::ArrayRef<mlir::Operation *> operations,
                 mlir::func::FuncOp planned)
      : source(source), planned(planned), operations(operations) {}

  /// Emits an error where the plan says what no sharding can.
  mlir::LogicalResult read();

  /// The layout in which a value of the source is kept; null if the plan does not know the value.
  LayoutAttr getLayout(mlir::Value value) const { return layouts.lookup(value); }

  /// The first operation that takes partial values, and their layout; null if there is none.
  std::pair<mlir::Operation *, LayoutAttr> getCarried() const {
    return carried.value_or(std::pair<mlir::Operation *, LayoutAttr>());
  }

  /// The uses that take their operand in another layout, and this, in the order of the program.
  llvm::MapVector<mlir::OpOperand *, LayoutAttr> &getMoved() { return moved; }

private:
  mlir::Operation *findSource(mlir::Operation *op) const;
  void collectResults();
  mlir::LogicalResult matchResults(mlir::Operation *op, llvm::ArrayRef<mlir::Value> made);
  void matchLoop(mlir::Operation *op, mlir::Operation *loop);
  mlir::LogicalResult matchUses();
  void pair(mlir::Value sourceValue, mlir::Value plannedValue);

  mlir::func::FuncOp source, planned;
  llvm::ArrayRef<mlir::Operation *> operations;
  /// The values that other operations use of what each operation became, in order.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> results;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> loops;
  llvm::DenseMap<mlir::Value, LayoutAttr> layouts;
  /// From values of the planned program.
  llvm::DenseMap<mlir::Value, mlir::Value> sources;
  llvm::MapVector<mlir::OpOperand *, LayoutAttr> moved;
  std::optional<std::pair<mlir::Operation *, LayoutAttr>> carried;
};

} // namespace dmc

#endif // DMC_LIB_EXPORT_PLANNEDLAYOUTS_H
