//===- ConvertPrefix.cpp - Reductions over prefixes -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefix sums, and what is like them, are windows as long as the dimension: n^2 operations for n
// elements. They are built in blocks: the prefixes within each block, the prefixes of the blocks'
// reductions, which is the same of fewer elements, and what combines the two. A dimension that is
// split among ranks at the bounds of blocks is moved as the blocks' reductions alone.
//
//===----------------------------------------------------------------------===//
#include "Windows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dmc;

/// Elements of a block. Windows within blocks take as many operations an element, where the
/// blocks' reductions take one more pass over memory: 12 bytes that are written, fetched for that
/// and read, at 10 GB/s 1.2 ns, in which eight lanes at 3 GHz do about 16 operations even if each
/// takes two cycles.
static constexpr int64_t blockSize = 16;

//===--- Recognition ------------------------------------------------------===//

/// Whether a value combined with others by an operation leaves them as they are.
static bool isIdentity(Operation *op, TypedAttr value) {
  bool areUnsigned = getElementTypeOrSelf(op->getOperand(0).getType()).isUnsignedInteger();
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APFloat f = number.getValue();
    return (isa<stablehlo::AddOp>(op) && f.isZero()) ||
           (isa<stablehlo::MulOp>(op) && f.isExactlyValue(1.0)) ||
           (isa<stablehlo::MaxOp>(op) && f.isInfinity() && f.isNegative()) ||
           (isa<stablehlo::MinOp>(op) && f.isInfinity() && !f.isNegative());
  }
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number)
    return false;
  APInt n = number.getValue();
  // Booleans are ordered as unsigned numbers.
  areUnsigned |= n.getBitWidth() == 1;
  return (isa<stablehlo::AddOp, stablehlo::OrOp>(op) && n.isZero()) ||
         (isa<stablehlo::MulOp>(op) && n.isOne()) || (isa<stablehlo::AndOp>(op) && n.isAllOnes()) ||
         (isa<stablehlo::MaxOp>(op) && (areUnsigned ? n.isZero() : n.isMinSignedValue())) ||
         (isa<stablehlo::MinOp>(op) && (areUnsigned ? n.isAllOnes() : n.isMaxSignedValue()));
}

/// The operation that a region applies to its two arguments; null if it does anything else.
static Operation *findOperation(Region &region) {
  Block &body = region.front();
  if (!llvm::hasNItems(body, 2))
    return nullptr;
  Operation *op = &body.front();
  auto isArgument = [](Value value) { return isa<BlockArgument>(value); };
  bool isBinary = op->getNumOperands() == 2 && llvm::all_of(op->getOperands(), isArgument) &&
                  op->getOperand(0) != op->getOperand(1);
  return isBinary && body.getTerminator()->getOperands() == op->getResults() ? op : nullptr;
}

std::optional<Prefixes> dmc::findPrefixes(const Windows &windows, ValueRange inputs,
                                          ValueRange inits, Region &combiner) {
  if (inputs.size() != 1)
    return std::nullopt;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(inputs.front().getType()).getShape();
  std::optional<int64_t> dim;
  for (auto [d, size] : llvm::enumerate(shape)) {
    int64_t before = windows.low[d], behind = windows.high[d], window = windows.size[d];
    if (windows.stride[d] != 1 || windows.interior[d] != 0 || windows.dilation[d] != 1)
      return std::nullopt;
    if (window == 1 && before == 0 && behind == 0)
      continue;
    bool isPrefix = window == size &&
                    ((before == size - 1 && behind == 0) || (before == 0 && behind == size - 1));
    if (!isPrefix || dim || size == 0)
      return std::nullopt;
    dim = d;
  }
  Operation *op = findOperation(combiner);
  TypedAttr init = Converter::getSplat(inits.front());
  if (!dim || !op || !init || !isIdentity(op, init))
    return std::nullopt;
  return Prefixes(*dim, windows.low[*dim] == 0, inits.front(), combiner);
}

//===--- Blocks -----------------------------------------------------------===//

FailureOr<Value> Prefixes::buildShort(Converter &c, Location loc, Value input, int64_t dim) const {
  RankedTensorType type = cast<RankedTensorType>(input.getType());
  Windows windows(type.getRank());
  windows.size[dim] = type.getDimSize(dim);
  (isReverse ? windows.high : windows.low)[dim] = type.getDimSize(dim) - 1;
  SmallVector<Value> results;
  if (failed(buildWindows(c, loc, windows, input, identity, type, combiner, results)))
    return failure();
  return results.front();
}

Value Prefixes::shift(Converter &c, Location loc, Value totals) const {
  RankedTensorType type = cast<RankedTensorType>(totals.getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> offsets(rank, 0), sizes(type.getShape()), ones(rank, 1), zeros(rank, 0);
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  --sizes[dim];
  if (isReverse)
    offsets[dim] = high[dim] = 1;
  else
    low[dim] = 1;
  return c.pad(loc, c.slice(loc, totals, offsets, sizes, ones), identity, low, high, zeros);
}

FailureOr<Value> Prefixes::combine(Converter &c, Location loc, Value carried, Value blocks) const {
  RankedTensorType type = cast<RankedTensorType>(blocks.getType());
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != dim + 1)
      dims.push_back(d);
  Value operands[] = {c.broadcast(loc, carried, type, dims), blocks};
  if (isReverse)
    std::swap(operands[0], operands[1]);
  LogicalResult status = success();
  Value result =
      c.elementwise(loc, operands, type, [&](OpBuilder &b, ValueRange elements) -> Value {
        SmallVector<Value> values;
        status = buildScalarRegion(b, combiner, elements, values);
        return succeeded(status) ? values.front() : elements.front();
      });
  if (failed(status))
    return failure();
  return result;
}

FailureOr<Value> Prefixes::build(Converter &c, Location loc, Value input) const {
  RankedTensorType type = cast<RankedTensorType>(input.getType());
  int64_t rank = type.getRank(), size = type.getDimSize(dim);
  // As long as the windows of a block and the pass, which takes as long as these.
  if (size <= 2 * blockSize)
    return buildShort(c, loc, input, dim);
  SmallVector<int64_t> zeros(rank, 0), ones(rank, 1), high(rank, 0);
  int64_t count = llvm::divideCeil(size, blockSize);
  high[dim] = count * blockSize - size;
  SmallVector<int64_t> padded(type.getShape()), blocked(type.getShape());
  padded[dim] = count * blockSize;
  blocked[dim] = count;
  blocked.insert(blocked.begin() + dim + 1, blockSize);

  Value blocks = c.reshape(loc, c.pad(loc, input, identity, zeros, high, zeros), blocked);
  FailureOr<Value> within = buildShort(c, loc, blocks, dim + 1);
  if (failed(within))
    return failure();
  SmallVector<int64_t> offsets(rank + 1, 0), last(blocked), totals(type.getShape());
  offsets[dim + 1] = isReverse ? 0 : blockSize - 1;
  last[dim + 1] = 1;
  totals[dim] = count;
  Value ends = c.slice(loc, *within, offsets, last, SmallVector<int64_t>(rank + 1, 1));
  FailureOr<Value> all = build(c, loc, c.reshape(loc, ends, totals));
  if (failed(all))
    return failure();
  FailureOr<Value> result = combine(c, loc, shift(c, loc, *all), *within);
  if (failed(result))
    return failure();
  return c.slice(loc, c.reshape(loc, *result, padded), zeros, type.getShape(), ones);
}
