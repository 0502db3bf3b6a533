//===- ComputeOps.cpp - Gathers, scatters and sorts in StableHLO ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compute operations of dmc are those of StableHLO; a sort gives the order.
//
//===----------------------------------------------------------------------===//
#include "RankWriter.h"
#include "dmc/Dialect/DMC/CustomCall.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;

static LogicalResult writeGather(GatherOp op, RankWriter &b) {
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      b.getContext(), op.getOffsetDims(), op.getCollapsedSliceDims(), op.getOperandBatchingDims(),
      op.getStartIndicesBatchingDims(), op.getStartIndexMap(), op.getIndexVectorDim());
  Value indices = b.get(op.getIndices());
  if (op.getIndicesAreUnsigned())
    indices = b.toUnsigned(indices);
  b.set(op.getResult(),
        stablehlo::GatherOp::create(b, getForm(op.getType()), b.get(op.getOperand()), indices,
                                    numbers, op.getSliceSizes(), /*indices_are_sorted=*/false));
  return success();
}

static LogicalResult writeScatter(ScatterOp op, RankWriter &b) {
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(
      b.getContext(), op.getUpdateWindowDims(), op.getInsertedWindowDims(),
      op.getInputBatchingDims(), op.getScatterIndicesBatchingDims(),
      op.getScatterDimsToOperandDims(), op.getIndexVectorDim());
  Value indices = b.get(op.getIndices());
  if (op.getIndicesAreUnsigned())
    indices = b.toUnsigned(indices);
  auto types =
      llvm::map_to_vector(op->getResultTypes(), [](Type type) -> Type { return getForm(type); });
  auto scatter = stablehlo::ScatterOp::create(b, types, b.getAll(op.getTargets()), indices,
                                              b.getAll(op.getUpdates()), numbers,
                                              /*indices_are_sorted=*/false, op.getUniqueIndices());
  auto scalars = llvm::map_to_vector(op.getCombiner().front().getArgumentTypes(),
                                     [](Type type) -> Type { return getForm(type); });
  if (failed(b.fillRegion(scatter.getUpdateComputation(), scalars, [&](ValueRange args) {
        return b.writeBody(op.getCombiner().front(), args, {});
      })))
    return failure();
  for (auto [result, form] : llvm::zip_equal(op->getResults(), scatter->getResults()))
    b.set(result, form);
  return success();
}

/// Sorts keys along a dimension, together with the positions of their elements.
static Value sortPositions(RankWriter &b, ArrayRef<Value> keys, int64_t dim, Type elementType,
                           Block *comparator) {
  SmallVector<Value> inputs(keys);
  inputs.push_back(b.iota(tensorOf(keys.front()).getShape(), dim, elementType));
  auto types = llvm::to_vector(ValueRange(inputs).getTypes());
  auto sort = stablehlo::SortOp::create(b, types, inputs, dim, /*is_stable=*/true);
  SmallVector<Type> scalars;
  for (Type type : types)
    scalars.append(2, RankedTensorType::get({}, cast<RankedTensorType>(type).getElementType()));
  LogicalResult isFilled = b.fillRegion(
      sort.getComparator(), scalars, [&](ValueRange args) -> FailureOr<SmallVector<Value>> {
        if (comparator)
          return b.writeBody(*comparator, args.drop_back(2), {});
        return SmallVector<Value>{b.compare(args[0], args[1], stablehlo::ComparisonDirection::LT)};
      });
  return failed(isFilled) ? Value() : Value(sort->getResults().back());
}

static LogicalResult writeSort(SortOp op, RankWriter &b) {
  auto dim = static_cast<int64_t>(op.getDimension());
  RankedTensorType type = getForm(op.getOrder().getType());
  SmallVector<Value> inputs = b.getAll(op.getInputs());
  Value order = sortPositions(b, inputs, dim, type.getElementType(), &op.getComparator().front());
  if (!order)
    return failure();
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  b.set(op.getOrder(), b.slice(order, zeros, type.getShape(), ones));
  if (op.getPlace().use_empty())
    return success();
  // Where each position stands in the order: the positions in the order of what is sorted.
  Value place = sortPositions(b, order, dim, type.getElementType(), /*comparator=*/nullptr);
  if (type != order.getType())
    place =
        b.make("stablehlo.minimum", {place, b.makeInteger(type.getDimSize(dim), tensorOf(place))});
  b.set(op.getPlace(), place);
  return success();
}

LogicalResult dmc::writeComputeOp(Operation *op, RankWriter &b, bool &isKnown) {
  auto asStart = [&](Value start, bool isUnsigned) {
    return isUnsigned ? b.toUnsigned(b.get(start)) : b.get(start);
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](GatherOp gather) { return writeGather(gather, b); })
      .Case([&](ScatterOp scatter) { return writeScatter(scatter, b); })
      .Case([&](SortOp sort) { return writeSort(sort, b); })
      .Case([&](OptimizationBarrierOp barrier) {
        b.set(barrier.getResult(),
              b.make("stablehlo.optimization_barrier", b.get(barrier.getOperand())));
        return success();
      })
      .Case([&](DynamicSliceOp slice) {
        RankedTensorType type = getForm(slice.getType());
        auto starts = llvm::map_to_vector(slice.getStarts(), [&](Value start) {
          return asStart(start, slice.getStartsAreUnsigned());
        });
        b.set(slice.getResult(),
              starts.empty() ? b.get(slice.getOperand())
                             : Value(stablehlo::DynamicSliceOp::create(
                                   b, type, b.get(slice.getOperand()), starts, type.getShape())));
        return success();
      })
      .Case([&](DynamicUpdateSliceOp update) {
        auto starts = llvm::map_to_vector(update.getStarts(), [&](Value start) {
          return asStart(start, update.getStartsAreUnsigned());
        });
        Value value = b.get(update.getUpdate());
        b.set(update.getResult(), starts.empty() ? value
                                                 : Value(stablehlo::DynamicUpdateSliceOp::create(
                                                       b, getForm(update.getType()),
                                                       b.get(update.getOperand()), value, starts)));
        return success();
      })
      .Case([&](dmc::CustomCallOp call) {
        return b.refuse(call, "a program without kernels of the user's own");
      })
      .Default([&](Operation *) {
        isKnown = false;
        return success();
      });
}
