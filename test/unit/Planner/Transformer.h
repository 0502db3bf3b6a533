//===- Transformer.h - A training step as a layout problem ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_UNIT_PLANNER_TRANSFORMER_H
#define DMC_TEST_UNIT_PLANNER_TRANSFORMER_H

#include "dmc/Planner/LayoutProblem.h"

namespace dmc::planner::test {

struct TransformerOptions {
  uint32_t layers = 2;
  /// Axes of the mesh, and the bytes a second of their links.
  std::vector<int64_t> axes = {4, 2};
  std::vector<double> links = {12.5e9, 100e9};
  int64_t batch = 32, sequence = 1024, width = 4096;
  /// Whether a tensor with several uses may be kept in a second layout.
  bool hasCopies = true;
  /// Bytes of a rank; 0: no row of memory.
  int64_t capacity = 0;
  /// A row for each operation instead of one for the loss.
  bool hasAllPoints = false;
};

/// A variable for the strategy of each operation of a transformer's training step, and one for the
/// layouts of each tensor with several uses. Pairs are what tensors cost that are made in one
/// layout and wanted in another: shortest paths of collectives. The row of memory is what lives at
/// the loss: weights with their optimizer's state, and activations.
ProblemParts makeTransformer(const TransformerOptions &options);

} // namespace dmc::planner::test

#endif // DMC_TEST_UNIT_PLANNER_TRANSFORMER_H
