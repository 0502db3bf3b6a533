//===- Contraction.cpp - Contractions for the vendor library --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/Contraction.h"

#include "dmc/Dialect/DMC/SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

static SmallVector<int64_t> rowMajor(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Splits dimensions: strides of the parts follow from that of the whole.
static void split(StridedView &view, ArrayRef<ReassociationIndices> groups,
                  ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (auto [group, stride] : llvm::zip(groups, view.strides)) {
    int64_t next = stride;
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = next;
      next *= shape[dim];
    }
  }
  view.shape.assign(shape.begin(), shape.end());
  view.strides = strides;
}

/// Merges dimensions, which must lie one after another in memory.
static bool merge(StridedView &view, ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> shape, strides;
  for (auto &group : groups) {
    int64_t size = 1, stride = 1;
    for (int64_t dim : llvm::reverse(group)) {
      if (view.shape[dim] == 1)
        continue;
      if (size == 1)
        stride = view.strides[dim];
      else if (view.strides[dim] != stride * size)
        return false;
      size *= view.shape[dim];
    }
    shape.push_back(size);
    strides.push_back(stride);
  }
  view.shape = shape;
  view.strides = strides;
  return true;
}

static SmallVector<int64_t> permuted(ArrayRef<int64_t> values, ArrayRef<int64_t> permutation) {
  return llvm::map_to_vector(permutation, [&](int64_t from) { return values[from]; });
}

std::optional<StridedView> codegen::viewOf(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto read = dyn_cast_or_null<bufferization::ToTensorOp>(op)) {
    auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
    return StridedView{read.getBuffer(), 0, SmallVector<int64_t>(shape), rowMajor(shape)};
  }
  if (!isa_and_nonnull<linalg::TransposeOp, linalg::BroadcastOp, tensor::ExpandShapeOp,
                       tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::CastOp>(op))
    return std::nullopt;
  std::optional<StridedView> view = viewOf(op->getOperand(0));
  if (!view)
    return view;
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    view->shape = permuted(view->shape, transpose.getPermutation());
    view->strides = permuted(view->strides, transpose.getPermutation());
  } else if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op)) {
    auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
    for (int64_t dim : broadcast.getDimensions()) {
      view->shape.insert(view->shape.begin() + dim, shape[dim]);
      view->strides.insert(view->strides.begin() + dim, 0);
    }
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    split(*view, expand.getReassociationIndices(), expand.getResultType().getShape());
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    if (!merge(*view, collapse.getReassociationIndices()))
      return std::nullopt;
  } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
        ShapedType::isDynamicShape(slice.getStaticStrides()))
      return std::nullopt;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    StridedView part{view->buffer, view->offset, {}, {}};
    for (size_t dim = 0; dim < view->shape.size(); ++dim) {
      part.offset += slice.getStaticOffsets()[dim] * view->strides[dim];
      if (dropped.test(dim))
        continue;
      part.shape.push_back(slice.getStaticSizes()[dim]);
      part.strides.push_back(view->strides[dim] * slice.getStaticStrides()[dim]);
    }
    return part;
  }
  return view;
}

Operation *codegen::producerOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<linalg::TransposeOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::CastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

std::optional<StridedView> codegen::viewOfProducer(Value value, Value dest, Operation *producer) {
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  StridedView view{dest, 0, SmallVector<int64_t>(shape), rowMajor(shape)};
  while (value.getDefiningOp() != producer) {
    Operation *op = value.getDefiningOp();
    if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
      StridedView source = view;
      for (auto [to, from] : llvm::enumerate(transpose.getPermutation())) {
        source.shape[from] = view.shape[to];
        source.strides[from] = view.strides[to];
      }
      view = source;
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      if (!merge(view, expand.getReassociationIndices()))
        return std::nullopt;
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      split(view, collapse.getReassociationIndices(), collapse.getSrcType().getShape());
    }
    value = op->getOperand(0);
  }
  return view;
}

//===--- The operation ----------------------------------------------------===//

/// Strips widenings, all of one kind.
template <typename Extension>
static Value widened(Value value) {
  while (auto extension = value.getDefiningOp<Extension>())
    value = extension.getIn();
  return value;
}

/// The value that an integer is widened from, which notes whether without its sign.
static Value widenedInteger(Value value, bool &isUnsigned) {
  Value narrow = widened<arith::ExtSIOp>(value);
  if (narrow != value)
    return narrow;
  narrow = widened<arith::ExtUIOp>(value);
  isUnsigned = narrow != value;
  return narrow;
}

/// Whether the body yields accumulator + a * b of integers, and which operands are extended
/// without their sign.
static bool multipliesIntegers(linalg::LinalgOp op, bool isUnsigned[2]) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op->getNumResults() != 1 ||
      op.getBlock()->getNumArguments() != 3)
    return false;
  Block *body = op.getBlock();
  auto sum = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  Value accumulator = body->getArgument(2);
  if (!sum || (sum.getLhs() != accumulator && sum.getRhs() != accumulator))
    return false;
  Value addend = sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs();
  auto product = addend.getDefiningOp<arith::MulIOp>();
  if (!product)
    return false;
  bool isLeftUnsigned = false, isRightUnsigned = false;
  Value a = widenedInteger(product.getLhs(), isLeftUnsigned),
        b = widenedInteger(product.getRhs(), isRightUnsigned);
  bool isSwapped = a == body->getArgument(1);
  if (isSwapped) {
    std::swap(a, b);
    std::swap(isLeftUnsigned, isRightUnsigned);
  }
  isUnsigned[0] = isLeftUnsigned;
  isUnsigned[1] = isRightUnsigned;
  return a == body->getArgument(0) && b == body->getArgument(1);
}

/// Whether a library multiplies such integers: of bytes, and no operand wider than the sums.
static bool areLibraryIntegers(linalg::LinalgOp op) {
  auto width = [](Value value) {
    auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(value));
    unsigned bits = integer ? integer.getWidth() : 0;
    return bits >= 8 && bits <= 64 && llvm::isPowerOf2_32(bits) ? bits : 0;
  };
  unsigned sum = width(op->getResult(0));
  return llvm::all_of(op.getDpsInputs(), [&](Value input) {
    unsigned bits = width(input);
    return isa<RankedTensorType>(input.getType()) && bits && bits <= sum;
  });
}

/// expr = constant + the sum of coefficients[d] * d, with none negative.
static bool isLinear(AffineExpr expr, int64_t factor, MutableArrayRef<int64_t> coefficients,
                     int64_t &constant) {
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * value.getValue();
    return constant >= 0;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += factor;
    return factor > 0;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add)
    return isLinear(binary.getLHS(), factor, coefficients, constant) &&
           isLinear(binary.getRHS(), factor, coefficients, constant);
  auto times = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && times && times.getValue() > 0 &&
         isLinear(binary.getLHS(), factor * times.getValue(), coefficients, constant);
}

/// How far one iteration of each loop moves in a view, and where all start;
/// nothing if that is not constant. Loops of one iteration move nothing.
static std::optional<std::pair<SmallVector<int64_t>, int64_t>>
loopStrides(AffineMap map, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  SmallVector<int64_t> total(sizes.size(), 0);
  int64_t start = 0;
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    SmallVector<int64_t> coefficients(sizes.size(), 0);
    int64_t constant = 0;
    if (!isLinear(expr, 1, coefficients, constant))
      return std::nullopt;
    start += constant * stride;
    for (auto [loop, coefficient] : llvm::enumerate(coefficients))
      if (sizes[loop] != 1)
        total[loop] += coefficient * stride;
  }
  return std::pair(total, start);
}

/// Whether each loop of more than one iteration indexes one dimension, and each
/// dimension is one such loop or constant: all elements are distinct.
static bool isDistinct(AffineMap map, ArrayRef<int64_t> sizes) {
  llvm::SmallBitVector seen(sizes.size());
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && !isa<AffineConstantExpr>(expr))
      return false;
    if (!dim || sizes[dim.getPosition()] == 1)
      continue;
    if (seen.test(dim.getPosition()))
      return false;
    seen.set(dim.getPosition());
  }
  return true;
}

/// Whether a library multiplies such floats.
static bool areLibraryFloats(linalg::LinalgOp op) {
  auto type = getElementTypeOrSelf(op->getResult(0));
  return (type.isF32() || type.isF64()) && llvm::all_of(op.getDpsInputs(), [](Value input) {
           Type element = getElementTypeOrSelf(input);
           return isa<RankedTensorType>(input.getType()) &&
                  (element.isF32() || element.isF64() || element.isBF16() || element.isF16());
         });
}

std::optional<ContractionLoops> codegen::matchContraction(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return std::nullopt;
  bool isUnsigned[2];
  if (!(addsProducts(op) && areLibraryFloats(op)) &&
      !(multipliesIntegers(op, isUnsigned) && areLibraryIntegers(op)))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (llvm::any_of(sizes, [](int64_t size) { return size <= 0; }) || !isDistinct(maps[2], sizes))
    return std::nullopt;
  // Which loops index an operand: where all its strides are 1, those that move.
  SmallVector<SmallVector<int64_t>> moves;
  for (AffineMap map : maps) {
    SmallVector<int64_t> ones(map.getNumResults(), 1);
    auto strides = loopStrides(map, sizes, ones);
    if (!strides)
      return std::nullopt;
    moves.push_back(strides->first);
  }
  ContractionLoops loops;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned loop = 0; loop < sizes.size(); ++loop) {
    if (sizes[loop] == 1)
      continue;
    bool inA = moves[0][loop], inB = moves[1][loop], inC = moves[2][loop];
    if (inA && inB && inC)
      loops.batch.push_back(loop);
    else if (inA && inC)
      loops.m.push_back(loop);
    else if (inB && inC)
      loops.n.push_back(loop);
    else if (inA && inB && iterators[loop] == utils::IteratorType::reduction)
      loops.k.push_back(loop);
    else
      return std::nullopt;
  }
  return loops;
}

DictionaryAttr codegen::describe(linalg::LinalgOp op, const ContractionLoops &loops,
                                 const StridedView &a, const StridedView &b, const StridedView &c,
                                 bool accumulate) {
  Builder builder(op.getContext());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> order(loops.batch);
  llvm::append_range(order, loops.m);
  llvm::append_range(order, loops.n);
  llvm::append_range(order, loops.k);
  SmallVector<int64_t> offsets;
  auto strides = [&](const StridedView &view, AffineMap map) {
    auto [moves, start] = *loopStrides(map, ranges, view.strides);
    offsets.push_back(view.offset + start);
    SmallVector<int64_t> list;
    for (unsigned loop : order)
      list.push_back(moves[loop]);
    return builder.getDenseI64ArrayAttr(list);
  };
  SmallVector<int64_t> sizes;
  for (unsigned loop : order)
    sizes.push_back(ranges[loop]);
  SmallVector<int64_t> roles = {
      static_cast<int64_t>(loops.batch.size()), static_cast<int64_t>(loops.m.size()),
      static_cast<int64_t>(loops.n.size()), static_cast<int64_t>(loops.k.size())};
  Attribute stridesA = strides(a, maps[0]), stridesB = strides(b, maps[1]),
            stridesC = strides(c, maps[2]);
  bool isUnsigned[2] = {false, false};
  multipliesIntegers(op, isUnsigned);
  return builder.getDictionaryAttr({
      builder.getNamedAttr("loops", builder.getDenseI64ArrayAttr(roles)),
      builder.getNamedAttr("sizes", builder.getDenseI64ArrayAttr(sizes)),
      builder.getNamedAttr("strides_a", stridesA),
      builder.getNamedAttr("strides_b", stridesB),
      builder.getNamedAttr("strides_c", stridesC),
      builder.getNamedAttr("offsets", builder.getDenseI64ArrayAttr(offsets)),
      builder.getNamedAttr("accumulate", builder.getBoolAttr(accumulate)),
      builder.getNamedAttr("unsigned", builder.getDenseBoolArrayAttr(isUnsigned)),
  });
}
