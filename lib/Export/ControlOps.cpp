//===- ControlOps.cpp - Loops and branches in StableHLO -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops carry their values and, where they count, the index. Branches of scalars
// within elementwise bodies are both computed.
//
//===----------------------------------------------------------------------===//
#include "RankWriter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;

/// What a block yields, its arguments being these; in the shape of the loops around it.
static FailureOr<SmallVector<Value>> writeYields(RankWriter &b, Block &block,
                                                 ValueRange arguments) {
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    b.set(argument, value);
  if (failed(b.writeBlock(block)))
    return failure();
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return b.getScalar(value); });
}

/// A region of the loop, in which scalars keep the shape that they have around it.
static LogicalResult
fillRegion(RankWriter &b, Region &region, TypeRange types,
           llvm::function_ref<FailureOr<SmallVector<Value>>(ValueRange)> build) {
  SmallVector<int64_t> shape = b.shape;
  SmallVector<Value> indices = b.loopIndices;
  return b.fillRegion(region, types, [&](ValueRange args) {
    b.shape = shape;
    b.loopIndices = indices;
    return build(args);
  });
}

static LogicalResult writeFor(scf::ForOp op, RankWriter &b) {
  SmallVector<Value> carried{b.get(op.getLowerBound())};
  for (Value init : op.getInitArgs())
    carried.push_back(b.getScalar(init));
  Value upper = b.get(op.getUpperBound()), step = b.get(op.getStep());
  auto types = llvm::to_vector(ValueRange(carried).getTypes());
  auto loop = stablehlo::WhileOp::create(b, types, carried);
  auto buildCondition = [&](ValueRange args) -> FailureOr<SmallVector<Value>> {
    return SmallVector<Value>{b.compare(args[0], upper, stablehlo::ComparisonDirection::LT)};
  };
  auto buildBody = [&](ValueRange args) -> FailureOr<SmallVector<Value>> {
    FailureOr<SmallVector<Value>> values = writeYields(b, *op.getBody(), args);
    if (succeeded(values))
      values->insert(values->begin(), b.make("stablehlo.add", {args[0], step}));
    return values;
  };
  if (failed(fillRegion(b, loop->getRegion(0), types, buildCondition)) ||
      failed(fillRegion(b, loop->getRegion(1), types, buildBody)))
    return failure();
  for (auto [result, form] : llvm::zip_equal(op.getResults(), loop->getResults().drop_front()))
    b.set(result, form);
  return success();
}

/// The part before the condition is computed for the condition, for the body and for the results.
static LogicalResult writeWhile(scf::WhileOp op, RankWriter &b) {
  SmallVector<Value> carried =
      llvm::map_to_vector(op.getInits(), [&](Value init) { return b.getScalar(init); });
  auto types = llvm::to_vector(ValueRange(carried).getTypes());
  auto loop = stablehlo::WhileOp::create(b, types, carried);
  Block &before = *op.getBeforeBody(), &after = *op.getAfterBody();
  auto buildCondition = [&](ValueRange args) -> FailureOr<SmallVector<Value>> {
    FailureOr<SmallVector<Value>> values = writeYields(b, before, args);
    if (succeeded(values))
      values->truncate(1);
    return values;
  };
  auto buildBody = [&](ValueRange args) -> FailureOr<SmallVector<Value>> {
    FailureOr<SmallVector<Value>> values = writeYields(b, before, args);
    if (failed(values))
      return failure();
    return writeYields(b, after, ArrayRef<Value>(*values).drop_front());
  };
  if (failed(fillRegion(b, loop->getRegion(0), types, buildCondition)) ||
      failed(fillRegion(b, loop->getRegion(1), types, buildBody)))
    return failure();
  FailureOr<SmallVector<Value>> values = writeYields(b, before, loop->getResults());
  if (failed(values))
    return failure();
  for (auto [result, form] : llvm::zip_equal(op.getResults(), ArrayRef(*values).drop_front()))
    b.set(result, form);
  return success();
}

static LogicalResult writeIf(scf::IfOp op, RankWriter &b) {
  auto hasScalars = llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (!b.shape.empty() && hasScalars) {
    FailureOr<SmallVector<Value>> yes = writeYields(b, op.getThenRegion().front(), {});
    if (failed(yes))
      return failure();
    FailureOr<SmallVector<Value>> no = writeYields(b, op.getElseRegion().front(), {});
    if (failed(no))
      return failure();
    Value predicate = b.getScalar(op.getCondition());
    for (auto [result, x, y] : llvm::zip_equal(op.getResults(), *yes, *no))
      b.set(result, b.select(predicate, x, y));
    return success();
  }
  auto types =
      llvm::map_to_vector(op->getResultTypes(), [](Type type) -> Type { return getForm(type); });
  auto form = stablehlo::IfOp::create(b, types, b.get(op.getCondition()));
  for (unsigned i : {0u, 1u}) {
    Region &from = op->getRegion(i);
    auto build = [&](ValueRange) -> FailureOr<SmallVector<Value>> {
      if (from.empty())
        return SmallVector<Value>();
      return writeYields(b, from.front(), {});
    };
    if (failed(fillRegion(b, form->getRegion(i), {}, build)))
      return failure();
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), form->getResults()))
    b.set(result, value);
  return success();
}

/// The default branch is the last one, which StableHLO takes for an index out of range.
static LogicalResult writeSwitch(scf::IndexSwitchOp op, RankWriter &b) {
  auto types =
      llvm::map_to_vector(op->getResultTypes(), [](Type type) -> Type { return getForm(type); });
  auto count = static_cast<int64_t>(op.getCases().size());
  Value index = b.get(op.getArg()), chosen = b.makeIndex(count);
  for (auto [i, value] : llvm::enumerate(op.getCases()))
    chosen = b.select(b.compare(index, b.makeIndex(value), stablehlo::ComparisonDirection::EQ),
                      b.makeIndex(static_cast<int64_t>(i)), chosen);
  auto form = stablehlo::CaseOp::create(b, types, b.convert(chosen, b.getI32Type()),
                                        static_cast<unsigned>(count) + 1);
  auto fill = [&](int64_t i, Block &block) {
    return fillRegion(b, form->getRegion(i), {},
                      [&](ValueRange) { return writeYields(b, block, {}); });
  };
  for (int64_t i = 0; i < count; ++i)
    if (failed(fill(i, op.getCaseBlock(i))))
      return failure();
  if (failed(fill(count, op.getDefaultBlock())))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), form->getResults()))
    b.set(result, value);
  return success();
}

LogicalResult dmc::writeControl(Operation *op, RankWriter &b, bool &isKnown) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return writeFor(loop, b); })
      .Case([&](scf::IfOp branch) { return writeIf(branch, b); })
      .Case([&](scf::IndexSwitchOp branch) { return writeSwitch(branch, b); })
      .Case([&](scf::WhileOp loop) {
        // On a tensor of scalars each would end at its own time.
        isKnown = b.shape.empty();
        return isKnown ? writeWhile(loop, b) : success();
      })
      .Default([&](Operation *) {
        isKnown = false;
        return success();
      });
}
