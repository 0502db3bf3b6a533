//===- IndexComponents.cpp - Components of indices known at import --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batched slices of which one dimension moves: the starts of the others are zeros
// that are concatenated and clamped.
//
//===----------------------------------------------------------------------===//
#include "IndexComponents.h"

#include "Conversion.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dmc;

static std::optional<int64_t> getConstantAt(DenseIntElementsAttr elements, int64_t dim,
                                            int64_t position) {
  if (elements.getType().getElementTypeBitWidth() > 64 || elements.empty())
    return std::nullopt;
  if (elements.isSplat())
    return elements.getSplatValue<APInt>().getSExtValue();
  if (elements.getType().getRank() != 1 || dim != 0)
    return std::nullopt;
  return elements.getValues<APInt>()[position].getSExtValue();
}

std::optional<int64_t> dmc::getKnownAt(Value value, int64_t dim, int64_t position) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !type || !type.hasStaticShape() || isUnsigned(type))
    return std::nullopt;
  DenseIntElementsAttr elements;
  if (matchPattern(op, m_Constant(&elements)))
    return getConstantAt(elements, dim, position);
  auto known = [&](Value operand) { return getKnownAt(operand, dim, position); };
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
    auto from = cast<RankedTensorType>(broadcast.getOperand().getType());
    const int64_t *inner = llvm::find(dims, dim);
    if (inner == dims.end())
      return from.getRank() == 0 ? getKnownAt(broadcast.getOperand(), 0, 0) : std::nullopt;
    int64_t at = inner - dims.begin();
    return getKnownAt(broadcast.getOperand(), at, from.getDimSize(at) == 1 ? 0 : position);
  }
  if (auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op)) {
    if (static_cast<int64_t>(concatenate.getDimension()) != dim)
      return std::nullopt;
    for (Value input : concatenate.getInputs()) {
      int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
      if (position < size)
        return getKnownAt(input, dim, position);
      position -= size;
    }
    return std::nullopt;
  }
  if (isa<stablehlo::MinOp, stablehlo::MaxOp>(op)) {
    std::optional<int64_t> x = known(op->getOperand(0)), y = known(op->getOperand(1));
    if (!x || !y)
      return std::nullopt;
    return isa<stablehlo::MinOp>(op) ? std::min(*x, *y) : std::max(*x, *y);
  }
  if (auto clamp = dyn_cast<stablehlo::ClampOp>(op)) {
    // Bounds of rank 0 have no such dimension.
    std::optional<int64_t> low = known(clamp.getMin()), high = known(clamp.getMax());
    if (!low || !high)
      return std::nullopt;
    if (*low >= *high)
      return high;
    std::optional<int64_t> x = known(clamp.getOperand());
    return x ? std::optional(std::min(std::max(*x, *low), *high)) : std::nullopt;
  }
  return std::nullopt;
}
