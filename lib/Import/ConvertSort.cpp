//===- ConvertSort.cpp - Sort and top-k -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmc.sort gives the order, by which gathers collect the values.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dmc;

/// Whether the first `used` of `count` elements are kept sorted while the others are compared with
/// the last of them. Of elements in random order, few are inserted: k ln(n / k) of n, by k / 2
/// moves each. In the worst order all are; with k below the root of n these are n^1.5 moves, and
/// merges of all elements n log n: of a thousand elements, 32 for each against 10 of a merge, which
/// take longer.
static bool isCheapToInsert(int64_t used, int64_t count) { return used * used <= count; }

/// The order of the inputs' elements along `dim`; `comparison` builds, from the
/// elements (x0, x1, y0, y1, ...), whether the first comes before the second. `used` are
/// needed, or more. Null after an error.
static Value buildOrder(Converter &c, Location loc, ValueRange inputs, int64_t dim, int64_t used,
                        function_ref<Value(OpBuilder &, ValueRange)> comparison) {
  OpBuilder &b = c.b;
  auto type = cast<RankedTensorType>(inputs.front().getType());
  bool isLong = type.getDimSize(dim) > std::numeric_limits<int32_t>::max();
  RankedTensorType placeType = type.clone(isLong ? b.getI64Type() : b.getI32Type());
  SmallVector<int64_t> shape(type.getShape());
  if (used > 0 && isCheapToInsert(used, shape[dim]))
    shape[dim] = used;
  RankedTensorType orderType = placeType.clone(shape);
  auto sort = SortOp::create(b, loc, orderType, placeType, inputs, c.empty(loc, orderType),
                             c.empty(loc, placeType), dim);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types;
  for (Value input : inputs)
    types.append(2, getElementTypeOrSelf(input));
  Block *body =
      b.createBlock(&sort.getComparator(), {}, types, SmallVector<Location>(types.size(), loc));
  Value isBefore = comparison(b, body->getArguments());
  if (!isBefore)
    return {};
  YieldOp::create(b, loc, isBefore);
  return sort.getOrder();
}

/// The first elements along `dim` in an order.
static Value collect(Converter &c, Location loc, Value values, Value order, int64_t dim,
                     RankedTensorType type) {
  auto wholeType = cast<RankedTensorType>(order.getType());
  if (wholeType.getShape() != type.getShape())
    order = c.slice(loc, order, SmallVector<int64_t>(type.getRank(), 0), type.getShape(),
                    SmallVector<int64_t>(type.getRank(), 1));
  SmallVector<int64_t> batchDims;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dim)
      batchDims.push_back(i);
  SmallVector<int64_t> indexShape(type.getShape());
  indexShape.push_back(1);
  return GatherOp::create(c.b, loc, type, values, c.reshape(loc, order, indexShape),
                          c.empty(loc, type), /*offset_dims=*/{}, /*collapsed_slice_dims=*/{dim},
                          batchDims, batchDims, /*start_index_map=*/{dim},
                          /*index_vector_dim=*/type.getRank(),
                          /*slice_sizes=*/SmallVector<int64_t>(type.getRank(), 1),
                          /*indices_are_unsigned=*/false);
}

/// True if each element is its position along `dim`: sorted, it is the order.
static bool isPositions(Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  while (auto broadcast = dyn_cast_or_null<stablehlo::BroadcastInDimOp>(op)) {
    ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
    const int64_t *inner = llvm::find(dims, dim);
    auto from = cast<RankedTensorType>(broadcast.getOperand().getType());
    auto to = cast<RankedTensorType>(broadcast.getType());
    if (inner == dims.end() || from.getDimSize(inner - dims.begin()) != to.getDimSize(dim))
      return false;
    dim = inner - dims.begin();
    op = broadcast.getOperand().getDefiningOp();
  }
  auto iota = dyn_cast_or_null<stablehlo::IotaOp>(op);
  return iota && static_cast<int64_t>(iota.getIotaDimension()) == dim;
}

/// The first elements along `dim` that uses take, all where some use takes others.
static RankedTensorType getUsedPart(Value result, int64_t dim, RankedTensorType type) {
  int64_t size = 0;
  for (Operation *user : result.getUsers()) {
    auto slice = dyn_cast<stablehlo::SliceOp>(user);
    if (!slice || slice.getStartIndices()[dim] != 0 || slice.getStrides()[dim] != 1)
      return type;
    size = std::max(size, slice.getLimitIndices()[dim]);
  }
  if (size == 0)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

static LogicalResult convertSort(Converter &c, Operation *op) {
  auto source = cast<stablehlo::SortOp>(op);
  SmallVector<Value> inputs;
  for (Value input : source.getInputs())
    inputs.push_back(c[input]);
  auto type = cast<RankedTensorType>(inputs.front().getType());
  // A scalar is sorted.
  if (type.getRank() == 0) {
    c.map(op, inputs);
    return success();
  }
  int64_t dim = source.getDimension();
  if (dim < 0)
    dim += type.getRank();
  // What the comparator does not look at is collected by the order and not sorted.
  Block &comparator = source.getComparator().front();
  SmallVector<Value> keys;
  SmallVector<unsigned> numbers;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    bool isUsed = !comparator.getArgument(2 * i).use_empty() ||
                  !comparator.getArgument(2 * i + 1).use_empty();
    bool isLastChance = keys.empty() && i + 1 == inputs.size();
    if (!isUsed && !isLastChance)
      continue;
    keys.push_back(input);
    numbers.push_back(i);
  }
  int64_t used = 0;
  for (Value result : op->getResults())
    if (!result.use_empty())
      used = std::max(used, getUsedPart(result, dim, c.typeOf(result)).getDimSize(dim));
  Value order =
      buildOrder(c, op->getLoc(), keys, dim, used, [&](OpBuilder &b, ValueRange elements) {
        // Of what is not looked at any element stands for the others.
        SmallVector<Value> all, results;
        for (auto [i, input] : llvm::enumerate(inputs)) {
          const auto *key = llvm::find(numbers, i);
          if (key != numbers.end()) {
            llvm::append_range(all, elements.slice(2 * (key - numbers.begin()), 2));
            continue;
          }
          auto element = cast<TypedAttr>(b.getZeroAttr(getElementTypeOrSelf(input)));
          all.append(2, arith::ConstantOp::create(b, op->getLoc(), element));
        }
        return succeeded(buildScalarRegion(b, source.getComparator(), all, results))
                   ? results.front()
                   : Value();
      });
  if (!order)
    return failure();
  for (auto [operand, input, result] : llvm::zip(source.getInputs(), inputs, op->getResults())) {
    RankedTensorType resultType = c.typeOf(result);
    RankedTensorType partType = getUsedPart(result, dim, resultType);
    if (!isPositions(operand, dim) || !resultType.getElementType().isIntOrIndex()) {
      c.map(result, collect(c, op->getLoc(), input, order, dim, partType));
      continue;
    }
    int64_t rank = partType.getRank();
    Value first = c.slice(op->getLoc(), order, SmallVector<int64_t>(rank, 0), partType.getShape(),
                          SmallVector<int64_t>(rank, 1));
    c.map(result, c.castElements(op->getLoc(), first, partType.getElementType()));
  }
  return success();
}

/// Descending in the total order of floats: NaN first.
static LogicalResult convertTopK(Converter &c, Operation *op) {
  auto source = cast<chlo::TopKOp>(op);
  Location loc = op->getLoc();
  Value operand = c[source.getOperand()];
  auto type = cast<RankedTensorType>(operand.getType());
  bool isUnsignedElement = isUnsigned(source.getOperand().getType());
  int64_t dim = type.getRank() - 1;
  int64_t used = c.typeOf(source.getIndices()).getDimSize(dim);
  Value order =
      buildOrder(c, loc, operand, dim, used, [&](OpBuilder &b, ValueRange elements) -> Value {
        Value lhs = elements[0], rhs = elements[1];
        if (isa<FloatType>(type.getElementType())) {
          lhs = buildTotalOrderKey(b, loc, lhs);
          rhs = buildTotalOrderKey(b, loc, rhs);
        }
        return arith::CmpIOp::create(
            b, loc, isUnsignedElement ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt, lhs,
            rhs);
      });
  c.map(source.getValues(), collect(c, loc, operand, order, dim, c.typeOf(source.getValues())));
  RankedTensorType indexType = c.typeOf(source.getIndices());
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  Value indices = c.slice(loc, order, zeros, indexType.getShape(), ones);
  c.map(source.getIndices(), c.castElements(loc, indices, indexType.getElementType()));
  return success();
}

void dmc::registerSortConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["chlo.top_k"] = convertTopK;
  conversions["stablehlo.sort"] = convertSort;
}
