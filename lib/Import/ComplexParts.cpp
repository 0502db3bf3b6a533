//===- ComplexParts.cpp - Tensors of complex numbers and their parts ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, shardings and products of parts, and arrays in which they lie side by side.
//
//===----------------------------------------------------------------------===//
#include "ComplexMath.h"
#include "dmc/Import/StableHLO/Sdy.h"

using namespace mlir;
using namespace dmc;

/// The type of the parts; null for other types than tensors of complex numbers.
RankedTensorType dmc::getPartType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex = tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  return complex ? tensor.clone(complex.getElementType()) : RankedTensorType();
}

bool dmc::hasComplex(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::any_of(tuple.getTypes(), hasComplex);
  return getPartType(type) != nullptr || isa<ComplexType>(type);
}

sdy::TensorShardingPerValueAttr dmc::expandShardings(sdy::TensorShardingPerValueAttr given,
                                                     TypeRange types) {
  SmallVector<sdy::TensorShardingAttr> shardings;
  for (auto [sharding, type] : llvm::zip_equal(given.getShardings(), types))
    shardings.append(getPartType(type) ? 2 : 1, sharding);
  return sdy::TensorShardingPerValueAttr::get(given.getContext(), shardings);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static bool isZero(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
  return elements && elements.isSplat() && elements.getSplatValue<APFloat>().isZero();
}

Complex dmc::buildComplexProduct(RealBuilder &r, Operation *op, Complex lhs, Complex rhs) {
  RankedTensorType type = getPartType(op->getResult(0).getType());
  auto product = [&](Value x, Value y) -> Value {
    if (isZero(x) || isZero(y))
      return {};
    return r.op(op->getName().getStringRef(), {x, y}, type, op->getAttrs());
  };
  auto combine = [&](StringRef name, Value x, Value y) -> Value {
    if (x && y)
      return r.binary(name, x, y);
    if (y && name == "stablehlo.subtract")
      return r.neg(y);
    if (x || y)
      return x ? x : y;
    return stablehlo::ConstantOp::create(
        r.b, r.loc, DenseElementsAttr::get(type, r.b.getZeroAttr(type.getElementType())));
  };
  return {combine("stablehlo.subtract", product(lhs.re, rhs.re), product(lhs.im, rhs.im)),
          combine("stablehlo.add", product(lhs.re, rhs.im), product(lhs.im, rhs.re))};
}

//===----------------------------------------------------------------------===//
// The boundary: parts side by side in one array
//===----------------------------------------------------------------------===//

RankedTensorType dmc::getPairsType(RankedTensorType part) {
  SmallVector<int64_t> shape(part.getShape());
  shape.push_back(2);
  return part.clone(shape);
}

Complex dmc::takeApart(RealBuilder &r, Value pairs) {
  auto type = cast<RankedTensorType>(pairs.getType());
  int64_t rank = type.getRank();
  auto take = [&](int64_t part) -> Value {
    SmallVector<int64_t> starts(rank, 0), limits(type.getShape()), sizes(type.getShape());
    starts.back() = part;
    limits.back() = part + 1;
    sizes.back() = 1;
    Value slice = stablehlo::SliceOp::create(r.b, r.loc, type.clone(sizes), pairs, starts, limits,
                                             SmallVector<int64_t>(rank, 1));
    return stablehlo::ReshapeOp::create(r.b, r.loc, type.clone(type.getShape().drop_back()), slice);
  };
  return {take(0), take(1)};
}

Value dmc::joinParts(RealBuilder &r, Complex parts) {
  auto type = cast<RankedTensorType>(parts.re.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(1);
  SmallVector<Value> columns;
  for (Value part : {parts.re, parts.im})
    columns.push_back(stablehlo::ReshapeOp::create(r.b, r.loc, type.clone(shape), part));
  return stablehlo::ConcatenateOp::create(r.b, r.loc, getPairsType(type), columns, type.getRank());
}

DictionaryAttr dmc::extendSharding(DictionaryAttr attrs) {
  if (!attrs)
    return attrs;
  auto sharding = attrs.getAs<sdy::TensorShardingAttr>(sdy::kShardingAttrName);
  if (!sharding)
    return attrs;
  SmallVector<sdy::DimensionShardingAttr> dims(sharding.getDimShardings());
  dims.push_back(
      sdy::DimensionShardingAttr::get(attrs.getContext(), {}, /*isClosed=*/true, std::nullopt));
  auto extended = sdy::TensorShardingAttr::get(
      attrs.getContext(), sharding.getMeshOrRef(), dims, sharding.getReplicatedAxes(),
      sharding.getUnreducedAxes(), sharding.getReduction());
  NamedAttrList list(attrs);
  list.set(sdy::kShardingAttrName, extended);
  return list.getDictionary(attrs.getContext());
}
