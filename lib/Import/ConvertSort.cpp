//===- ConvertSort.cpp - Sort and top-k -----------------------------------===//
//
// By rank: an element's position in the result is the number of elements that
// come before it. Quadratic in the sorted dimension, but parallel and stable.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dmc;

/// Tells whether the first element comes before the second; each has a value for
/// each operand: (x0, y0, x1, y1, ...). Null after an error.
using Comparison = function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// For each element along `dim` the number of elements that come before it; equal
/// ones keep their order.
static FailureOr<Value> countBefore(Converter &c, Location loc, ValueRange inputs, int64_t dim,
                                    Comparison comparison) {
  OpBuilder &b = c.b;
  auto type = cast<RankedTensorType>(inputs.front().getType());
  unsigned rank = type.getRank();
  // Loop `rank` runs over the others of the same line.
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0; i < rank; ++i)
    exprs.push_back(b.getAffineDimExpr(i));
  AffineMap own = AffineMap::get(rank + 1, 0, exprs, b.getContext());
  exprs[dim] = b.getAffineDimExpr(rank);
  AffineMap other = AffineMap::get(rank + 1, 0, exprs, b.getContext());
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (Value input : inputs) {
    operands.append({input, input});
    maps.append({own, other});
  }
  maps.push_back(own);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  RankedTensorType countType = type.clone(b.getI64Type());
  bool failed = false;
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
    SmallVector<Value> ownFirst(elements.drop_back()), otherFirst;
    for (unsigned i = 0; i < ownFirst.size(); i += 2)
      otherFirst.append({ownFirst[i + 1], ownFirst[i]});
    Value isBefore = comparison(b, loc, otherFirst);
    Value isAfter = isBefore ? comparison(b, loc, ownFirst) : Value();
    if (!isAfter) {
      failed = true;
      return;
    }
    Value isEarlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                            linalg::IndexOp::create(b, loc, rank),
                                            linalg::IndexOp::create(b, loc, dim));
    Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
    Value isTieBefore = arith::SelectOp::create(b, loc, isAfter, no, isEarlier);
    Value counts = arith::OrIOp::create(b, loc, isBefore, isTieBefore);
    Value one = arith::ExtUIOp::create(b, loc, b.getI64Type(), counts);
    linalg::YieldOp::create(b, loc, Value(arith::AddIOp::create(b, loc, elements.back(), one)));
  };
  auto generic = linalg::GenericOp::create(b, loc, countType, operands, c.zeros(loc, countType),
                                           maps, iterators, body);
  if (failed)
    return failure();
  return generic.getResult(0);
}

/// The values at the positions that `positions` gives them along `dim`; those past
/// the end are dropped.
static Value placeByPosition(Converter &c, Location loc, Value values, Value positions, int64_t dim,
                             RankedTensorType type) {
  SmallVector<int64_t> batchDims;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dim)
      batchDims.push_back(i);
  SmallVector<int64_t> indexShape(cast<RankedTensorType>(positions.getType()).getShape());
  indexShape.push_back(1);
  Value indices = c.reshape(loc, positions, indexShape);
  auto scatter = ScatterOp::create(c.b, loc, type, indices, values, c.zeros(loc, type),
                                   /*update_window_dims=*/{}, /*inserted_window_dims=*/{dim},
                                   batchDims, batchDims, /*scatter_dims_to_operand_dims=*/{dim},
                                   /*index_vector_dim=*/type.getRank(),
                                   /*indices_are_unsigned=*/false, /*unique_indices=*/true);
  OpBuilder::InsertionGuard guard(c.b);
  Type element = type.getElementType();
  Block *body = c.b.createBlock(&scatter.getCombiner(), {}, {element, element}, {loc, loc});
  YieldOp::create(c.b, loc, body->getArgument(1));
  return scatter.getResult();
}

static LogicalResult convertSort(Converter &c, Operation *op) {
  auto source = cast<stablehlo::SortOp>(op);
  SmallVector<Value> inputs;
  for (Value input : source.getInputs())
    inputs.push_back(c[input]);
  auto type = cast<RankedTensorType>(inputs.front().getType());
  int64_t dim = source.getDimension();
  if (dim < 0)
    dim += type.getRank();
  auto comparison = [&](OpBuilder &b, Location loc, ValueRange elements) -> Value {
    SmallVector<Value> results;
    return succeeded(buildScalarRegion(b, source.getComparator(), elements, results))
               ? results.front()
               : Value();
  };
  FailureOr<Value> positions = countBefore(c, op->getLoc(), inputs, dim, comparison);
  if (failed(positions))
    return failure();
  for (auto [input, result] : llvm::zip(inputs, op->getResults()))
    c.map(result, placeByPosition(c, op->getLoc(), input, *positions, dim, c.typeOf(result)));
  return success();
}

/// Descending in the total order of floats: NaN first.
static LogicalResult convertTopK(Converter &c, Operation *op) {
  auto source = cast<chlo::TopKOp>(op);
  Location loc = op->getLoc();
  Value operand = c[source.getOperand()];
  auto type = cast<RankedTensorType>(operand.getType());
  bool isUnsignedElement = isUnsigned(source.getOperand().getType());
  auto comparison = [&](OpBuilder &b, Location loc, ValueRange elements) -> Value {
    Value lhs = elements[0], rhs = elements[1];
    if (isa<FloatType>(type.getElementType())) {
      lhs = buildTotalOrderKey(b, loc, lhs);
      rhs = buildTotalOrderKey(b, loc, rhs);
    }
    return arith::CmpIOp::create(
        b, loc, isUnsignedElement ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt, lhs,
        rhs);
  };
  int64_t dim = type.getRank() - 1;
  FailureOr<Value> positions = countBefore(c, loc, operand, dim, comparison);
  if (failed(positions))
    return failure();
  c.map(source.getValues(),
        placeByPosition(c, loc, operand, *positions, dim, c.typeOf(source.getValues())));
  RankedTensorType indexType = c.typeOf(source.getIndices());
  Value numbers = c.iota(loc, type.clone(indexType.getElementType()), dim);
  c.map(source.getIndices(), placeByPosition(c, loc, numbers, *positions, dim, indexType));
  return success();
}

void dmc::registerSortConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["chlo.top_k"] = convertTopK;
  conversions["stablehlo.sort"] = convertSort;
}
