//===- Instance.h - A function whose values get layouts ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that must have one layout (a loop's carried value, a destination and its
// result) form a group; a program is a function with a layout for each group.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RULECHECK_INSTANCE_H
#define DMC_LIB_RULECHECK_INSTANCE_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace dmc::rulecheck {

struct Group {
  mlir::SmallVector<unsigned> values; // numbers in getTensorValues
  mlir::RankedTensorType type;
  bool isArgument = false; // has an argument of the function
  bool isProduced = false; // has a result of an operation that computes
  bool isReturned = false;
  std::string name; // of the first value, for people
};

struct Instance {
  mlir::func::FuncOp function;
  mlir::Operation *op = nullptr; // the first that computes
  mlir::SmallVector<Group> groups;
  llvm::DenseMap<mlir::Value, unsigned> groupOf;
};

/// A layout for each group.
using Layouts = std::vector<Layout>;

/// The tensors of a function in one order: arguments, then results as they come.
mlir::SmallVector<mlir::Value> getTensorValues(mlir::func::FuncOp function);

/// Emits an error for what cannot be given layouts.
mlir::FailureOr<Instance> getInstance(mlir::func::FuncOp function);

/// The level 1 program of these layouts. An argument that is partial becomes one of
/// partial values with a dimension more, reduced at the start: they are arbitrary.
mlir::OwningOpRef<mlir::ModuleOp> makeProgram(const Instance &instance, MeshAttr mesh,
                                              const Layouts &layouts);
/// The same without layouts: level 0.
mlir::OwningOpRef<mlir::ModuleOp> makeReference(const Instance &instance, MeshAttr mesh,
                                                const Layouts &layouts);

} // namespace dmc::rulecheck

#endif // DMC_LIB_RULECHECK_INSTANCE_H
