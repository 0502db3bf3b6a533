//===- ContractionPlan.h - How a contraction is computed --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which buffers are copied into another order or type, and the batched matrix
// product that remains.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_LIBRARIES_CONTRACTIONPLAN_H
#define DMC_LIB_RUNTIME_LIBRARIES_CONTRACTIONPLAN_H

#include "dmc/Runtime/Contraction.h"
#include "dmc/Runtime/VendorPlugin.h"

namespace dmc::runtime {

enum class Operand { A = 0, B = 1, C = 2 };

/// A copy between a buffer of the program and a contiguous one.
struct PackedBuffer {
  bool isPacked = false;
  uint32_t type = 0;                     // in the product
  std::vector<int64_t> extents, strides; // in the program's buffer, in elements
  int64_t elements() const;
};

struct ContractionPlan {
  PackedBuffer buffers[3]; // by Operand
  dmc_matmul matmul = {};
  bool isSwapped = false; // computes the transposed product: B^T * A^T
  /// Batch loops beyond what the vendor takes, strides in the product's buffers.
  std::vector<ContractionLoop> outer;
  double cost = 0;
};

/// All methods to compute the contraction in these types, the cheapest first.
/// Buffers whose types differ from the given ones are packed; `packAll` packs
/// the others as well. Sizes are positive.
std::vector<ContractionPlan> planContraction(const dmc_contraction &contraction, uint32_t aType,
                                             uint32_t bType, uint32_t cType, bool packAll);

ContractionLoops loopsOf(const dmc_contraction &contraction);

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_LIBRARIES_CONTRACTIONPLAN_H
