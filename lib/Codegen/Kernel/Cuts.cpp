//===- Cuts.cpp - Where along a dimension an expression changes -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A concatenation, a padding or an insertion takes its elements from one operand up to some index
// and from another behind it. A loop for each such piece needs no choice for each element.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Locality.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <set>

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// The code of a nest grows with the pieces: as much as unrolling a loop by as many would.
static constexpr size_t maxPieces = 8;
static constexpr unsigned maxDepth = 16;

namespace {
/// The dimension of the root that a dimension follows (-1: none), shifted by a distance.
struct Follows {
  int64_t dim = -1;
  int64_t shift = 0; // index of the tensor = index of the root + shift
};

class CutFinder {
public:
  CutFinder(ArrayRef<int64_t> shape) : shape(shape), found(shape.size()) {}

  void visit(Value tensor, ArrayRef<Follows> dims, unsigned depth) {
    Operation *op = tensor.getDefiningOp();
    if (!op || depth > maxDepth)
      return;
    if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      return visitConcat(concat, dims, depth);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      if (slice.hasUnitStride() && !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
          !slice.getDroppedDims().any())
        visit(slice.getSource(), shifted(dims, slice.getStaticOffsets(), 1), depth + 1);
      return;
    }
    if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      if (!ShapedType::isDynamicShape(pad.getStaticLow()))
        visitWindow(pad.getSource(), pad.getStaticLow(), pad.getSourceType().getShape(), dims,
                    depth);
      return;
    }
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      if (insert.hasUnitStride() && !ShapedType::isDynamicShape(insert.getStaticOffsets()) &&
          !ShapedType::isDynamicShape(insert.getStaticSizes()) && !insert.getDroppedDims().any()) {
        visitWindow(insert.getSource(), insert.getStaticOffsets(), insert.getStaticSizes(), dims,
                    depth);
        visit(insert.getDest(), dims, depth + 1);
      }
      return;
    }
    if (op->hasTrait<OpTrait::Elementwise>() && !op->getNumRegions()) {
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          visit(operand, dims, depth + 1);
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
      SmallVector<Follows> inner(type.getRank());
      AffineMap map = structured.getMatchingIndexingMap(input);
      for (auto [position, expr] : llvm::enumerate(map.getResults()))
        if (auto at = out.getResultPosition(expr); at && isa<AffineDimExpr>(expr))
          inner[position] = dims[*at];
      visit(input->get(), inner, depth + 1);
    }
  }

  SmallVector<SmallVector<int64_t>> take() const {
    SmallVector<SmallVector<int64_t>> cuts(shape.size());
    for (auto [cut, all] : llvm::zip_equal(cuts, found))
      if (all.size() < maxPieces)
        cut.assign(all.begin(), all.end());
    return cuts;
  }

private:
  static SmallVector<Follows> shifted(ArrayRef<Follows> dims, ArrayRef<int64_t> by, int64_t sign) {
    SmallVector<Follows> result(dims);
    for (auto [follows, distance] : llvm::zip_equal(result, by))
      follows.shift += sign * distance;
    return result;
  }

  void addCut(const Follows &follows, int64_t at) {
    int64_t cut = at - follows.shift;
    if (follows.dim >= 0 && cut > 0 && cut < shape[follows.dim])
      found[follows.dim].insert(cut);
  }

  void visitConcat(tensor::ConcatOp op, ArrayRef<Follows> dims, unsigned depth) {
    uint64_t dim = op.getDim();
    int64_t begin = 0;
    for (Value input : op.getInputs()) {
      addCut(dims[dim], begin);
      SmallVector<Follows> inner(dims);
      inner[dim].shift -= begin;
      visit(input, inner, depth + 1);
      begin += cast<RankedTensorType>(input.getType()).getDimSize(dim);
    }
  }

  void visitWindow(Value inner, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                   ArrayRef<Follows> dims, unsigned depth) {
    for (auto [follows, offset, size] : llvm::zip_equal(dims, offsets, sizes)) {
      addCut(follows, offset);
      addCut(follows, offset + size);
    }
    visit(inner, shifted(dims, offsets, -1), depth + 1);
  }

  ArrayRef<int64_t> shape;
  SmallVector<std::set<int64_t>> found;
};
} // namespace

SmallVector<SmallVector<int64_t>> codegen::findCuts(ArrayRef<Value> roots) {
  auto shape = cast<RankedTensorType>(roots.front().getType()).getShape();
  CutFinder finder(shape);
  SmallVector<Follows> own;
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    own.push_back({dim, 0});
  for (Value root : roots)
    finder.visit(root, own, 0);
  return finder.take();
}
