//===- RecomputeStacks.cpp - dmc-recompute-stacks -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop stores in every iteration is not stored where it follows by little work
// from other values that are.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Ranks/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-recompute-stacks"

namespace dmc {
#define GEN_PASS_DEF_RECOMPUTESTACKS
#include "dmc/Ranks/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// Operations per element that may be repeated instead of a value kept.
static constexpr unsigned maxWork = 12;

static Value getBase(Value value) {
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The constant of a tensor filled with one integer.
static std::optional<int64_t> getFilledInteger(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill ? getConstantIntValue(fill.getInputs().front()) : std::nullopt;
}

/// The loop's trip count.
static std::optional<int64_t> getTripCount(scf::ForOp loop) {
  auto low = getConstantIntValue(loop.getLowerBound()),
       high = getConstantIntValue(loop.getUpperBound()), step = getConstantIntValue(loop.getStep());
  if (!low || !high || !step || *step <= 0)
    return std::nullopt;
  return *high <= *low ? 0 : (*high - *low + *step - 1) / *step;
}

/// Whether a carried value counts the iterations from 0.
static bool isIterationNumber(scf::ForOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
    return false;
  OpOperand *init = loop.getTiedLoopInit(argument);
  auto next = loop.getTiedLoopYieldedValue(argument)->get().getDefiningOp<linalg::MapOp>();
  if (getFilledInteger(init->get()) != 0 || !next || next.getInputs().size() != 2)
    return false;
  Block &body = next.getMapper().front();
  auto sum = dyn_cast<arith::AddIOp>(body.front());
  if (!sum || body.getTerminator()->getOperand(0) != sum.getResult() ||
      !llvm::all_of(sum->getOperands(), llvm::IsaPred<BlockArgument>) ||
      sum.getLhs() == sum.getRhs())
    return false;
  Value first = next.getInputs()[0], second = next.getInputs()[1];
  return (first == argument && getFilledInteger(second) == 1) ||
         (second == argument && getFilledInteger(first) == 1);
}

namespace {
/// A tensor that a loop fills row by row, each iteration a row, completely.
struct Stack {
  DynamicUpdateSliceOp put;
  unsigned number = 0; // among what the loop carries
  Value row;           // up to its shape
};

/// The stacks of one loop.
class LoopStacks {
public:
  explicit LoopStacks(scf::ForOp loop) : loop(loop) {}

  /// Returns how many it removed.
  unsigned run() {
    collect();
    unsigned removed = 0;
    for (Stack &stack : stacks) {
      unsigned work = 0;
      llvm::SetVector<Operation *> maps;
      if (!areUsesSlices(stack) || !isCheap(stack.row, stack, maps, work, /*isRoot=*/true)) {
        kept[stack.row] = &stack;
        continue;
      }
      recompute(stack, maps);
      ++removed;
    }
    return removed;
  }

private:
  /// In the order of their rows.
  void collect() {
    std::optional<int64_t> tripCount = getTripCount(loop);
    if (!tripCount)
      return;
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
      auto put = yield.getOperand(i).getDefiningOp<DynamicUpdateSliceOp>();
      if (!put || put->getBlock() != loop.getBody() || put.getOperand() != argument ||
          !argument.hasOneUse() || !put.getResult().hasOneUse() || !isComplete(put, *tripCount))
        continue;
      Value row = getBase(put.getUpdate());
      Operation *producer = row.getDefiningOp();
      if (!producer || producer->getBlock() != loop.getBody())
        continue;
      stacks.push_back({put, static_cast<unsigned>(i), row});
    }
    llvm::stable_sort(stacks, [](const Stack &a, const Stack &b) {
      return a.row != b.row && a.row.getDefiningOp()->isBeforeInBlock(b.row.getDefiningOp());
    });
  }

  /// Whether the iterations write every element.
  bool isComplete(DynamicUpdateSliceOp put, int64_t tripCount) {
    auto stack = cast<RankedTensorType>(put.getOperand().getType());
    auto update = cast<RankedTensorType>(put.getUpdate().getType());
    unsigned numRows = 0;
    for (int64_t dim = 0; dim < stack.getRank(); ++dim) {
      // A whole dimension starts at 0, whatever the start is.
      if (stack.getDimSize(dim) == update.getDimSize(dim))
        continue;
      if (update.getDimSize(dim) != 1 || tripCount < stack.getDimSize(dim) ||
          !isIterationNumber(loop, put.getStarts()[dim]))
        return false;
      ++numRows;
    }
    return numRows == 1;
  }

  bool areUsesSlices(const Stack &stack) {
    return llvm::all_of(loop.getResult(stack.number).getUses(), [](OpOperand &use) {
      auto slice = dyn_cast<DynamicSliceOp>(use.getOwner());
      return slice && use.get() == slice.getOperand() && slice.getInit() != use.get();
    });
  }

  static bool haveEqualRows(Stack a, Stack b) {
    auto getShape = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
    return llvm::equal(a.put.getStarts(), b.put.getStarts()) &&
           a.put.getStartsAreUnsigned() == b.put.getStartsAreUnsigned() &&
           getShape(a.put.getOperand()) == getShape(b.put.getOperand()) &&
           getShape(a.put.getUpdate()) == getShape(b.put.getUpdate()) &&
           getShape(a.row) == getShape(b.row);
  }

  static unsigned getWork(linalg::MapOp map) {
    unsigned work = 0;
    for (Operation &op : map.getMapper().front().without_terminator()) {
      bool isSlow = isa<math::MathDialect>(op.getDialect()) ||
                    isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
                        arith::RemSIOp, arith::RemUIOp>(op);
      work += isSlow ? maxWork + 1 : 1;
    }
    return work;
  }

  /// Whether few operations make the row from constants and from rows that are
  /// kept; `maps` gets them in order.
  bool isCheap(Value value, const Stack &stack, llvm::SetVector<Operation *> &maps, unsigned &work,
               bool isRoot = false) {
    if (auto found = kept.find(value); !isRoot && found != kept.end())
      return haveEqualRows(*found->second, stack);
    if (isRoot && kept.contains(value))
      return haveEqualRows(*kept.lookup(value), stack);
    Operation *op = value.getDefiningOp();
    if (auto fill = dyn_cast_or_null<linalg::FillOp>(op)) {
      maps.insert(op);
      return matchPattern(fill.getInputs().front(), m_Constant());
    }
    auto map = dyn_cast_or_null<linalg::MapOp>(op);
    if (!map || map->getBlock() != loop.getBody())
      return false;
    if (maps.contains(op))
      return true;
    work += getWork(map);
    if (work > maxWork || map.getInputs().empty())
      return false;
    bool isClosed = true;
    map.getMapper().walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        isClosed &= map.getMapper().isAncestor(operand.getParentRegion()) ||
                    matchPattern(operand, m_Constant());
    });
    if (!isClosed)
      return false;
    for (Value input : map.getInputs())
      if (!isCheap(input, stack, maps, work))
        return false;
    maps.insert(op);
    return true;
  }

  /// Makes each slice of the stack from slices of those kept.
  void recompute(const Stack &stack, const llvm::SetVector<Operation *> &maps) {
    Value result = loop.getResult(stack.number);
    for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
      auto slice = cast<DynamicSliceOp>(user);
      OpBuilder builder(slice);
      ArrayRef<int64_t> shape = slice.getResult().getType().getShape();
      IRMapping mapping;
      auto getSlice = [&](Value row) {
        if (mapping.contains(row))
          return;
        auto type =
            RankedTensorType::get(shape, cast<RankedTensorType>(row.getType()).getElementType());
        Value empty = makeEmpty(builder, slice.getLoc(), type);
        Value source = loop.getResult(kept.lookup(row)->number);
        mapping.map(row,
                    DynamicSliceOp::create(builder, slice.getLoc(), type, source, slice.getStarts(),
                                           empty, slice.getStartsAreUnsigned())
                        .getResult());
      };
      if (kept.contains(stack.row))
        getSlice(stack.row);
      for (Operation *op : maps) {
        auto dps = cast<DestinationStyleOpInterface>(op);
        for (Value input : dps.getDpsInputs())
          if (kept.contains(input))
            getSlice(input);
        Value init = dps.getDpsInits().front();
        auto type =
            RankedTensorType::get(shape, cast<RankedTensorType>(init.getType()).getElementType());
        mapping.map(init, makeEmpty(builder, op->getLoc(), type));
        Operation *copy = builder.clone(*op, mapping);
        copy->getResult(0).setType(type);
      }
      slice.getResult().replaceAllUsesWith(mapping.lookup(stack.row));
      slice->erase();
    }
    // The stack itself goes with what the loop does not change.
    loop.getBody()->getTerminator()->setOperand(stack.number,
                                                loop.getRegionIterArgs()[stack.number]);
    stack.put->erase();
  }

  static Value makeEmpty(OpBuilder &builder, Location loc, RankedTensorType type) {
    return tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
  }

  scf::ForOp loop;
  SmallVector<Stack> stacks;
  llvm::DenseMap<Value, Stack *> kept;
};

struct RecomputeStacks : dmc::impl::RecomputeStacksBase<RecomputeStacks> {
  using RecomputeStacksBase::RecomputeStacksBase;

  void runOnOperation() override {
    SmallVector<Operation *> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    unsigned removed = 0;
    for (Operation *loop : loops)
      removed += LoopStacks(cast<scf::ForOp>(loop)).run();
    LDBG() << "removed " << removed << " stacked values";
    if (removed == 0)
      return;
    RewritePatternSet patterns(&getContext());
    scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(loops, std::move(patterns), config);
  }
};
} // namespace
