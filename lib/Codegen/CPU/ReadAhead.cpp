//===- ReadAhead.cpp - Fetching what is computed next ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CPU/ReadAhead.h"

#include "Kernel/Buffers.h"
#include "Kernel/Locality.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

void ReadAhead::add(Value root) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  for (const LocalRead &read : findReads(root)) {
    auto source = read.tensor.getDefiningOp<bufferization::ToTensorOp>();
    if (source && read.strides == strides &&
        cast<RankedTensorType>(read.tensor.getType()).getShape() == shape &&
        bufferBytes(cast<MemRefType>(source.getBuffer().getType())) > s.caches.last &&
        !llvm::is_contained(buffers, source.getBuffer()))
      buffers.push_back(source.getBuffer());
  }
}

int64_t ReadAhead::getRowBytes() const {
  int64_t bytes = 0;
  for (Value buffer : buffers)
    bytes += shape.back() * elementBytes(getElementTypeOrSelf(buffer));
  return bytes;
}

SmallVector<Value> ReadAhead::loop(ArrayRef<Index> row, ValueRange carried,
                                   LoopBuilder::Body body) {
  int64_t length = shape.back(), elements = llvm::product_of(shape);
  for (Value buffer : buffers)
    length = std::min(length, linesAhead * s.target.getLineElements(getElementTypeOrSelf(buffer)));
  int64_t whole = shape.back() / length, rest = shape.back() % length;
  auto step = [&](const Index &part, ValueRange partial) {
    Index begin = s.scale(part, length);
    Indices at(row);
    at.push_back(begin);
    Index next = s.add(s.linearize(at, shape), LoopBuilder::constant(shape.back()));
    next = s.clamp(next, 0, elements - length);
    for (Value buffer : buffers)
      fetch(buffer, next, length);
    return s.loop(length, partial, [&](const Index &index, ValueRange inner) {
      return body(s.add(begin, index), inner);
    });
  };
  SmallVector<Value> results = s.loop(whole, carried, step);
  return s.loop(rest, results, [&](const Index &index, ValueRange inner) {
    return body(s.add(LoopBuilder::constant(whole * length), index), inner);
  });
}

void ReadAhead::fetch(Value buffer, const Index &begin, int64_t length) {
  Value line = s.flat(s.arguments.lookup(buffer));
  int64_t step = s.target.getLineElements(getElementTypeOrSelf(buffer));
  for (int64_t i = 0; i < length; i += step) {
    Value at = s.materialize(s.add(begin, LoopBuilder::constant(i)));
    memref::PrefetchOp::create(s.here(), s.loc, line, ValueRange(at), /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
}
