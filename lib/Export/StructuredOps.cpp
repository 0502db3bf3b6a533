//===- StructuredOps.cpp - Loop nests of linalg in StableHLO --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are spread over the loops that index them, and bodies compute on tensors
// of all loops.
//
//===----------------------------------------------------------------------===//
#include "NestWriter.h"

#include "llvm/ADT/SmallBitVector.h"

#include <map>

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The coefficient of each loop and the constant, if the expression is their sum.
static bool addCoefficients(AffineExpr expr, int64_t factor,
                            std::map<int64_t, int64_t> &coefficients, int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += factor;
    return true;
  }
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * value.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addCoefficients(binary.getLHS(), factor, coefficients, constant) &&
           addCoefficients(binary.getRHS(), factor, coefficients, constant);
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && scale &&
         addCoefficients(binary.getLHS(), factor * scale.getValue(), coefficients, constant);
}

/// Elements of dimension `dim` at positions that a tensor of integers says, in its place.
static Value take(RankWriter &b, Value value, int64_t dim, Value positions) {
  RankedTensorType type = tensorOf(value), at = tensorOf(positions);
  SmallVector<int64_t> shape, offsetDims, slices(type.getShape());
  slices[dim] = 1;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (d == dim) {
      llvm::append_range(shape, at.getShape());
      continue;
    }
    offsetDims.push_back(static_cast<int64_t>(shape.size()));
    shape.push_back(type.getDimSize(d));
  }
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(b.getContext(), offsetDims, {dim}, {},
                                                            {}, {dim}, at.getRank());
  return stablehlo::GatherOp::create(b, RankedTensorType::get(shape, type.getElementType()), value,
                                     positions, numbers, slices, /*indices_are_sorted=*/false);
}

LogicalResult NestWriter::refuseIndices() {
  return b.refuse(op, "indices that are sums of loops, each loop in one index of an operand");
}

/// Dimensions that an expression of several loops addresses become those loops.
FailureOr<Spread> NestWriter::spread(Value value, AffineMap map) {
  Spread result{b.get(value), {}};
  llvm::SmallBitVector isUsed(sizes.size());
  int64_t dim = 0;
  for (AffineExpr expr : map.getResults()) {
    std::map<int64_t, int64_t> coefficients;
    int64_t constant = 0;
    if (!addCoefficients(expr, 1, coefficients, constant))
      return refuseIndices();
    SmallVector<int64_t> loops;
    for (auto [loop, factor] : coefficients) {
      if (factor == 0)
        continue;
      if (isUsed.test(loop))
        return refuseIndices();
      isUsed.set(loop);
      loops.push_back(loop);
    }
    bool isPlain = loops.size() == 1 && coefficients[loops.front()] == 1 && constant == 0 &&
                   sizes[loops.front()] == tensorOf(result.value).getDimSize(dim);
    if (!isPlain) {
      SmallVector<int64_t> shape = getSizes(loops);
      auto type = RankedTensorType::get(shape, b.getI64Type());
      Value positions = b.makeInteger(constant, type);
      for (auto [i, loop] : llvm::enumerate(loops)) {
        Value scaled = b.make("stablehlo.multiply", {b.iota(shape, i, b.getI64Type()),
                                                     b.makeInteger(coefficients[loop], type)});
        positions = b.make("stablehlo.add", {positions, scaled});
      }
      result.value = take(b, result.value, dim, positions);
    }
    llvm::append_range(result.loops, loops);
    dim += static_cast<int64_t>(loops.size());
  }
  return result;
}

/// The operand with a dimension for each of the loops, in their order.
FailureOr<Value> NestWriter::spreadOver(Value value, AffineMap map, ArrayRef<int64_t> loops) {
  FailureOr<Spread> from = spread(value, map);
  if (failed(from))
    return failure();
  // A broadcast keeps the order of dimensions; the loops are in the order of the whole nest or of
  // a part of it.
  auto place = [&](int64_t loop) { return llvm::find(loops, loop) - loops.begin(); };
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, from->loops.size()));
  llvm::sort(order,
             [&](int64_t i, int64_t j) { return place(from->loops[i]) < place(from->loops[j]); });
  from->value = b.transpose(from->value, order);
  from->loops = llvm::map_to_vector(order, [&](int64_t i) { return from->loops[i]; });
  SmallVector<int64_t> dims;
  for (int64_t loop : from->loops) {
    const auto *found = llvm::find(loops, loop);
    if (found == loops.end())
      return refuseIndices();
    dims.push_back(found - loops.begin());
  }
  return b.broadcast(from->value, getSizes(loops), dims);
}

FailureOr<SmallVector<Value>> NestWriter::spreadInputs(ArrayRef<int64_t> loops) {
  SmallVector<Value> values;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(operand->get().getType())) {
      values.push_back(b.makeSplat(b.get(operand->get()), getSizes(loops)));
      continue;
    }
    FailureOr<Value> value = spreadOver(operand->get(), getMap(*operand), loops);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return values;
}

/// A value over loops as the map says of the result.
FailureOr<Value> NestWriter::toResult(Spread from, AffineMap map, RankedTensorType type) {
  SmallVector<int64_t> order;
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    const auto *found =
        dim ? llvm::find(from.loops, static_cast<int64_t>(dim.getPosition())) : from.loops.end();
    if (found == from.loops.end())
      return refuseIndices();
    order.push_back(found - from.loops.begin());
  }
  if (order.size() != from.loops.size())
    return refuseIndices();
  return b.reshape(b.transpose(from.value, order), getForm(type).getShape());
}

/// The scalar with which a destination is filled; null if it is not.
Value NestWriter::getFillOf(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return fill.getInputs().front();
  return {};
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

bool dmc::hasIndices(Block &body) {
  return body.walk([](linalg::IndexOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

SmallVector<Value> dmc::makeIndices(RankWriter &b, Block &body, ArrayRef<int64_t> shape) {
  SmallVector<Value> indices(shape.size());
  if (hasIndices(body))
    for (size_t i = 0; i < shape.size(); ++i)
      indices[i] = b.iota(shape, static_cast<int64_t>(i), b.getI64Type());
  return indices;
}

LogicalResult NestWriter::writeParallel() {
  auto loops = llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
  FailureOr<SmallVector<Value>> arguments = spreadInputs(loops);
  if (failed(arguments))
    return failure();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Value value;
    if (op.payloadUsesValueFromOperand(&init)) {
      FailureOr<Value> spread = spreadOver(init.get(), getMap(init), loops);
      if (failed(spread))
        return failure();
      value = *spread;
    }
    arguments->push_back(value);
  }
  FailureOr<SmallVector<Value>> values =
      b.writeBody(body, *arguments, sizes, makeIndices(b, body, sizes));
  if (failed(values))
    return failure();
  for (auto [result, value, init] :
       llvm::zip_equal(op->getResults(), *values, op.getDpsInitsMutable())) {
    FailureOr<Value> form =
        toResult({value, loops}, getMap(init), cast<RankedTensorType>(result.getType()));
    if (failed(form))
      return failure();
    b.set(result, *form);
  }
  return success();
}

LogicalResult NestWriter::write() {
  if (auto fill = dyn_cast<linalg::FillOp>(*op)) {
    b.set(fill->getResult(0), b.makeSplat(b.get(fill.getInputs().front()),
                                          getForm(fill->getResult(0).getType()).getShape()));
    return success();
  }
  if (!llvm::is_contained(iterators, utils::IteratorType::reduction))
    return writeParallel();
  for (auto attempt : {&NestWriter::writeContraction, &NestWriter::writeReduction,
                       &NestWriter::writeBodyReduction}) {
    FailureOr<bool> isWritten = (this->*attempt)();
    if (failed(isWritten))
      return failure();
    if (*isWritten)
      return success();
  }
  return writeLoop();
}

LogicalResult dmc::writeStructured(linalg::LinalgOp op, RankWriter &b) {
  return NestWriter(op, b).write();
}
