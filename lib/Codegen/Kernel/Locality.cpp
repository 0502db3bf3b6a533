//===- Locality.cpp - How a nest walks through memory ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/Locality.h"

#include "Kernel/Contraction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// Expressions are not followed for longer: a shared value would be visited once for each path.
static constexpr unsigned maxDepth = 16;
static constexpr size_t maxReads = 32;

/// `dims[i]` is the dimension of the root that dimension i of the tensor is, or -1.
static void collect(Value tensor, ArrayRef<int64_t> dims, unsigned rank, unsigned depth,
                    SmallVectorImpl<LocalRead> &reads) {
  if (reads.size() >= maxReads)
    return;
  if (std::optional<StridedView> view = viewOf(tensor)) {
    SmallVector<int64_t> strides(rank, 0);
    for (auto [dim, stride] : llvm::zip_equal(dims, view->strides))
      if (dim >= 0)
        strides[dim] += stride;
    reads.push_back({tensor, SmallVector<int64_t>(dims), std::move(strides)});
    return;
  }
  Operation *op = tensor.getDefiningOp();
  if (!op || depth > maxDepth)
    return;
  if (op->hasTrait<OpTrait::Elementwise>() && !op->getNumRegions()) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        collect(operand, dims, rank, depth + 1, reads);
    return;
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumReductionLoops())
    return;
  AffineMap out = structured.getMatchingIndexingMap(
      structured.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber()));
  for (OpOperand *input : structured.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    if (!type || !structured.payloadUsesValueFromOperand(input))
      continue;
    SmallVector<int64_t> inner(type.getRank(), -1);
    for (auto [position, expr] :
         llvm::enumerate(structured.getMatchingIndexingMap(input).getResults()))
      if (auto at = out.getResultPosition(expr))
        inner[position] = dims[*at];
    collect(input->get(), inner, rank, depth + 1, reads);
  }
}

SmallVector<LocalRead> codegen::findReads(Value root) {
  unsigned rank = cast<RankedTensorType>(root.getType()).getRank();
  SmallVector<LocalRead> reads;
  collect(root, llvm::to_vector(llvm::seq<int64_t>(0, rank)), rank, 0, reads);
  return reads;
}

int64_t codegen::findRowAlignment(Value value, int64_t elements, int64_t most) {
  int64_t alignment = most;
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (op && op.getNumReductionLoops()) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (isa<RankedTensorType>(input->get().getType()))
        alignment = std::min(alignment, findRowAlignment(input->get(), elements, most));
    return alignment;
  }
  for (const LocalRead &read : findReads(value)) {
    auto type = cast<RankedTensorType>(read.tensor.getType());
    if (read.strides.empty() || read.strides.back() != 1 || type.getNumElements() < elements)
      continue;
    std::optional<StridedView> view = viewOf(read.tensor);
    auto limit = [&](int64_t distance) {
      while (distance % alignment)
        alignment /= 2;
    };
    limit(view->offset);
    for (int64_t stride : ArrayRef(read.strides).drop_back())
      limit(stride);
  }
  return alignment;
}

bool codegen::isTransposed(const LocalRead &read, unsigned dim) {
  // Along the last: not contiguous, nor the same element again and again.
  return dim + 1 < read.strides.size() && read.strides.back() > 1 && read.strides[dim] == 1;
}

std::optional<unsigned> codegen::findTransposedDim(Value root, int64_t atLeast) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(root.getType()).getShape();
  if (shape.size() < 2 || shape.back() < atLeast)
    return std::nullopt;
  for (const LocalRead &read : findReads(root))
    for (unsigned dim = 0; dim + 1 < shape.size(); ++dim)
      if (isTransposed(read, dim) && shape[dim] >= atLeast)
        return dim;
  return std::nullopt;
}
