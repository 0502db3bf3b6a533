//===- MemoryAccess.cpp - Elements and vectors in memory ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel loads and stores elements: as bytes, as vectors of neighbours, and under predicates.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Scalarizer.h"

#include "CPU/StreamStores.h"
#include "Kernel/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

Value Scalarizer::asIntegers(Value buffer, unsigned width) {
  Value &cast = integers[buffer];
  if (!cast) {
    auto type = mlir::cast<MemRefType>(buffer.getType());
    Type same = MemRefType::get(type.getShape(), builder.getIntegerType(width), type.getLayout(),
                                type.getMemorySpace());
    OpBuilder b = start();
    if (Operation *op = buffer.getDefiningOp())
      b.setInsertionPointAfter(op);
    cast = UnrealizedConversionCastOp::create(b, loc, same, buffer).getResult(0);
  }
  return cast;
}

Value Scalarizer::bytesOf(Value buffer) {
  bool isBoolean = cast<MemRefType>(buffer.getType()).getElementType().isInteger(1);
  return isBoolean ? asIntegers(buffer, 8) : buffer;
}

Value Scalarizer::vectorSourceOf(Value buffer) {
  // bf16 is moved as 16 bits.
  bool isNarrow = cast<MemRefType>(buffer.getType()).getElementType().isBF16();
  return isNarrow ? asIntegers(buffer, 16) : bytesOf(buffer);
}

/// The most elements of a buffer that are accessed at once.
static int64_t getVectorLength(Value buffer, TargetAttr target) {
  return target.getLanes(cast<MemRefType>(buffer.getType()).getElementType());
}

bool Scalarizer::hasVector(const Index &position, int64_t length, Value buffer) {
  int64_t count = cast<MemRefType>(buffer.getType()).getNumElements();
  return isMultiple(position, length) &&
         (count % length == 0 || range(position).second + length <= count);
}

Value Scalarizer::loadFromVector(Value buffer, ArrayRef<Index> indices) {
  if (!loadsVectors || scope->guard != vectorGuard || !isa<BlockArgument>(buffer))
    return {};
  Value source = vectorSourceOf(buffer);
  auto type = cast<MemRefType>(source.getType());
  Index position = linearize(indices, type.getShape());
  if (position.isConstant())
    return {};
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  // Rows of few neighbours begin at multiples of less than an access has.
  int64_t length = getVectorLength(source, target), offset = position.constant, lane = 0;
  if (auto limit = mostNeighbours.find(buffer); limit != mostNeighbours.end())
    length = std::min(length, limit->second);
  if (auto start = findInPair(position, length, source))
    return fromMemory(loadOfPair(source, *start, pair->lane), element);
  for (; length > 1; length /= 2) {
    lane = ((offset % length) + length) % length;
    position.constant = offset - lane;
    if (hasVector(position, length, source))
      break;
  }
  if (length == 1)
    return {};
  SmallVector<int64_t, 8> key = {KeyVector, reinterpret_cast<int64_t>(source.getAsOpaquePointer()),
                                 position.constant};
  for (auto [id, factor] : position.addends)
    key.append({id, factor});
  if (predicate.condition)
    key.push_back(reinterpret_cast<int64_t>(predicate.condition.getAsOpaquePointer()));
  Value vector = findValue(scope, key);
  if (!vector) {
    Type memory = VectorType::get({length}, type.getElementType());
    vector = ifPredicated(memory, [&] { return loadNeighbours(source, position, length); });
    scope->values[key] = vector;
  }
  return fromMemory(vector::ExtractOp::create(here(), loc, vector, lane), element);
}

Value Scalarizer::loadNeighbours(Value source, const Index &position, int64_t count) {
  Type type = cast<MemRefType>(source.getType()).getElementType();
  Value line = flat(source), at = materialize(position);
  auto load =
      vector::LoadOp::create(here(), loc, VectorType::get({count}, type), line, ValueRange(at));
  load.setAlignment(count * elementBytes(type));
  return load;
}

SmallVector<Value> Scalarizer::loadVector(Value buffer, const Index &position, int64_t count) {
  Value source = vectorSourceOf(buffer);
  if (count == 1) {
    Value line = flat(source), at = materialize(position);
    return {memref::LoadOp::create(here(), loc, line, ValueRange(at))};
  }
  Value vector = loadNeighbours(source, position, count);
  SmallVector<Value> values;
  for (int64_t lane = 0; lane < count; ++lane)
    values.push_back(vector::ExtractOp::create(here(), loc, vector, lane));
  return values;
}

Type Scalarizer::getMemoryType(Type type) {
  bool isOther = type.isInteger(1) || type.isBF16();
  return isOther ? IntegerType::get(type.getContext(), 8 * elementBytes(type)) : type;
}

Value Scalarizer::fromMemory(Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (!type.isInteger(1))
    return arith::BitcastOp::create(here(), loc, type, value);
  Value none = arith::ConstantOp::create(here(), loc, builder.getI8IntegerAttr(0));
  return arith::CmpIOp::create(here(), loc, arith::CmpIPredicate::ne, value, none);
}

void Scalarizer::storeVector(ArrayRef<Value> values, Value buffer, ArrayRef<Index> indices) {
  if (values.size() == 1)
    return store(values.front(), buffer, indices);
  buffer = vectorSourceOf(buffer);
  auto type = cast<MemRefType>(buffer.getType());
  Index position = linearize(indices, type.getShape());
  int64_t length = std::min<int64_t>(getVectorLength(buffer, target), values.size());
  setLane(0);
  if (auto start = findInPair(position, length, buffer);
      start && pair->lanes == static_cast<int64_t>(values.size()))
    return storeOfPair(values, buffer, *start);
  while (!hasVector(position, length, buffer))
    length /= 2;
  when(pair && pair->apart ? pair->apart->isOwnThere : Value(), [&] {
    for (size_t first = 0; first < values.size(); first += length)
      storeNeighbours(values.slice(first, length), buffer, add(position, constant(first)));
  });
}

void Scalarizer::storeNeighbours(ArrayRef<Value> values, Value source, const Index &position) {
  Type type = cast<MemRefType>(source.getType()).getElementType();
  SmallVector<Value> stored(values);
  for (Value &value : stored)
    if (value.getType().isInteger(1))
      value = arith::ExtUIOp::create(here(), loc, builder.getI8Type(), value);
    else if (value.getType().isBF16())
      value = arith::BitcastOp::create(here(), loc, builder.getI16Type(), value);
  int64_t count = values.size();
  Value vector =
      vector::FromElementsOp::create(here(), loc, VectorType::get({count}, type), stored);
  Value line = flat(source), at = materialize(position);
  auto store = vector::StoreOp::create(here(), loc, vector, line, ValueRange(at));
  store.setAlignment(count * elementBytes(type));
}

Value Scalarizer::load(Value buffer, ArrayRef<Index> indices) {
  if (Value loaded = loadFromVector(buffer, indices))
    return loaded;
  Value source = bytesOf(buffer);
  Value loaded = ifPredicated(getElementTypeOrSelf(source), [&]() -> Value {
    SmallVector<Value> at = materialize(indices);
    return memref::LoadOp::create(here(), loc, source, at);
  });
  return fromMemory(loaded, cast<MemRefType>(buffer.getType()).getElementType());
}

void Scalarizer::store(Value value, Value buffer, ArrayRef<Index> indices) {
  SmallVector<Value> at = materialize(indices);
  if (value.getType().isInteger(1)) {
    buffer = bytesOf(buffer);
    value = arith::ExtUIOp::create(here(), loc, builder.getI8Type(), value);
  }
  memref::StoreOp::create(here(), loc, value, buffer, at);
}

Value Scalarizer::flat(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t count = type.getNumElements();
  auto line = MemRefType::get({count}, type.getElementType(), MemRefLayoutAttrInterface(),
                              type.getMemorySpace());
  return memref::ReinterpretCastOp::create(here(), loc, line, buffer, /*offset=*/0,
                                           ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
}

void Scalarizer::stream(Value buffer) {
  auto argument = cast<BlockArgument>(buffer);
  cast<func::FuncOp>(argument.getOwner()->getParentOp())
      .setArgAttr(argument.getArgNumber(), streamAttr, builder.getUnitAttr());
}

//===--- Predicates -------------------------------------------------------===//

Value Scalarizer::predicated(Value condition, function_ref<Value()> compute) {
  Predicate outer = predicate;
  if (outer.condition)
    condition = indexOp("arith.andi", outer.condition, outer.scope, condition, scope);
  predicate = {condition, scope};
  Value value = compute();
  predicate = outer;
  return value;
}

Value Scalarizer::ifPredicated(Type type, function_ref<Value()> load) {
  if (!predicate.condition)
    return load();
  Predicate outer = predicate;
  predicate = {};
  Value value = choose(
                    outer.condition, type, [&]() -> SmallVector<Value> { return {load()}; },
                    [&]() -> SmallVector<Value> {
                      return {arith::ConstantOp::create(here(), loc, builder.getZeroAttr(type))};
                    })
                    .front();
  predicate = outer;
  return value;
}
