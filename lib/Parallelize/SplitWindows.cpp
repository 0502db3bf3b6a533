//===- SplitWindows.cpp - dmc-split-windows -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a loop that reads around its position is split, blocks of it become a loop of their
// own, and what each block reads a window.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Passes.h"

#include "WindowBuilder.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-split-windows"

namespace dmc {
#define GEN_PASS_DEF_SPLITWINDOWS
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

namespace {
/// Rewrites one linalg operation.
class LinalgSplitter {
public:
  LinalgSplitter(linalg::LinalgOp op, const WindowRule &rule, ArrayRef<SplitFactor> splits)
      : op(op), rule(rule), splits(splits), b(op), layouts(OpLayouts::get(op)) {
    for (const SplitFactor &split : splits)
      splitOf[split.factor] = &split;
    // A block's loop stands before the loop of its positions.
    unsigned next = 0;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      if (splitOf.count(loop))
        blockLoop[loop] = next++;
      newLoop.push_back(next++);
    }
    numLoops = next;
  }
  void run();

private:
  struct Operand {
    Value value;
    LayoutAttr layout;
    AffineMap map;
  };
  AffineExpr renumber(AffineExpr expr);
  Operand rewrite(unsigned number, OpOperand &operand);
  void cloneBody(linalg::GenericOp generic);
  void maskAddends(linalg::GenericOp generic);

  linalg::LinalgOp op;
  const WindowRule &rule;
  ArrayRef<SplitFactor> splits;
  WindowBuilder b;
  OpLayouts layouts;
  DenseMap<unsigned, const SplitFactor *> splitOf;
  DenseMap<unsigned, unsigned> blockLoop;
  SmallVector<unsigned> newLoop;
  unsigned numLoops = 0;
};
} // namespace

AffineExpr LinalgSplitter::renumber(AffineExpr expr) {
  SmallVector<AffineExpr> loops;
  for (unsigned loop : newLoop)
    loops.push_back(getAffineDimExpr(loop, op.getContext()));
  return expr.replaceDims(loops);
}

/// An operand whose split dimensions are blocks or windows.
LinalgSplitter::Operand LinalgSplitter::rewrite(unsigned number, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<AffineExpr> exprs;
  SmallVector<DimWindows> dims;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    auto split = loop ? splitOf.find(loop.getPosition()) : splitOf.end();
    if (split != splitOf.end()) {
      dims.push_back(DimWindows::blocks(dim, *split->second));
      exprs.push_back(getAffineDimExpr(blockLoop.lookup(loop.getPosition()), op.getContext()));
      exprs.push_back(renumber(expr));
      continue;
    }
    const WindowAccess *access = llvm::find_if(rule.windows, [&, dim = dim](const WindowAccess &w) {
      return w.operand == number && w.dim == dim && splitOf.count(w.factor);
    });
    if (access == rule.windows.end()) {
      exprs.push_back(renumber(expr));
      continue;
    }
    const SplitFactor &windows = *splitOf.lookup(access->factor);
    int64_t begin = access->getBegin(windows.block);
    dims.push_back({static_cast<int64_t>(dim), windows.axes, windows.count,
                    access->scale * windows.block, begin, access->getLength(windows.block),
                    /*isWindow=*/true});
    exprs.push_back(getAffineDimExpr(blockLoop.lookup(access->factor), op.getContext()));
    exprs.push_back(renumber(expr) - begin);
  }
  auto [value, layout] = b.makeWindows(operand.get(), layouts.operands[number], dims);
  return {value, layout, AffineMap::get(numLoops, 0, exprs, op.getContext())};
}

void LinalgSplitter::cloneBody(linalg::GenericOp generic) {
  Block &from = *op.getBlock();
  Block &to = generic.getRegion().emplaceBlock();
  for (BlockArgument argument : from.getArguments())
    to.addArgument(argument.getType(), argument.getLoc());
  IRMapping mapping;
  mapping.map(from.getArguments(), to.getArguments());
  OpBuilder body = OpBuilder::atBlockEnd(&to);
  for (Operation &inner : from) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (!index) {
      body.clone(inner, mapping);
      continue;
    }
    Value value = linalg::IndexOp::create(body, index.getLoc(), newLoop[index.getDim()]);
    if (auto split = splitOf.find(index.getDim()); split != splitOf.end())
      value = getPosition(body, index.getLoc(), blockLoop.lookup(index.getDim()),
                          newLoop[index.getDim()], split->second->block);
    mapping.map(index.getResult(), value);
  }
}

/// Makes addends beyond the end of an unevenly split reduction neutral.
void LinalgSplitter::maskAddends(linalg::GenericOp generic) {
  Block &body = *generic.getBlock();
  OpBuilder builder(&body, body.begin());
  Location loc = op.getLoc();
  Value isValid;
  for (const SplitFactor &split : splits) {
    const Factor &factor = rule.rule.factors[split.factor];
    if (factor.kind != FactorKind::Reduction || split.count * split.block == factor.size)
      continue;
    Value position = getPosition(builder, loc, blockLoop.lookup(split.factor),
                                 newLoop[split.factor], split.block);
    Value size = arith::ConstantIndexOp::create(builder, loc, factor.size);
    Value isWithin = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, position, size);
    isValid = isValid ? Value(arith::AndIOp::create(builder, loc, isValid, isWithin)) : isWithin;
  }
  if (!isValid)
    return;
  CombinerKind combiner = *rule.rule.factors[splits.front().factor].combiner;
  for (const SplitFactor &split : splits)
    if (rule.rule.factors[split.factor].combiner)
      combiner = *rule.rule.factors[split.factor].combiner;
  auto yield = cast<linalg::YieldOp>(body.getTerminator());
  for (auto [value, accumulator] :
       llvm::zip_equal(yield.getValues(), generic.getRegionOutputArgs())) {
    Operation *combine = value.getDefiningOp();
    bool isDifference = isa<arith::SubFOp, arith::SubIOp>(combine);
    Type type = accumulator.getType();
    TypedAttr neutral =
        isDifference ? TypedAttr(builder.getZeroAttr(type)) : getNeutralElement(combiner, type);
    OpOperand &addend = combine->getOpOperand(combine->getOperand(0) == accumulator ? 1 : 0);
    OpBuilder before(combine);
    Value otherwise = arith::ConstantOp::create(before, loc, neutral);
    addend.set(arith::SelectOp::create(before, loc, isValid, addend.get(), otherwise));
  }
}

void LinalgSplitter::run() {
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  SmallVector<LayoutAttr> operandLayouts, resultLayouts;
  SmallVector<Type> types;
  unsigned number = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    Operand rewritten;
    if (isa<RankedTensorType>(operand.get().getType())) {
      rewritten = rewrite(number++, operand);
      operandLayouts.push_back(rewritten.layout);
    } else {
      SmallVector<AffineExpr> exprs;
      for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
        exprs.push_back(renumber(expr));
      rewritten = {operand.get(), {}, AffineMap::get(numLoops, 0, exprs, op.getContext())};
    }
    maps.push_back(rewritten.map);
    if (op.isDpsInit(&operand)) {
      inits.push_back(rewritten.value);
      types.push_back(rewritten.value.getType());
      resultLayouts.push_back(rewritten.layout);
    } else {
      inputs.push_back(rewritten.value);
    }
  }
  SmallVector<utils::IteratorType> iterators;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    iterators.append(splitOf.count(loop) ? 2 : 1, iterator);

  auto generic =
      linalg::GenericOp::create(b.builder, op.getLoc(), types, inputs, inits, maps, iterators);
  cloneBody(generic);
  maskAddends(generic);
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    generic->setAttr(attribute.getName(), attribute.getValue());
  setLayouts(generic, operandLayouts, resultLayouts);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    AffineMap map = op.getMatchingIndexingMap(op.getTiedOpOperand(result));
    SmallVector<int64_t> dims;
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr); loop && splitOf.count(loop.getPosition()))
        dims.push_back(dim);
    result.replaceAllUsesWith(b.join(generic.getResult(i), resultLayouts[i], layouts.results[i],
                                     cast<RankedTensorType>(result.getType()), dims));
  }
}

//===----------------------------------------------------------------------===//
// Pads, slices, concatenations
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> dimsOf(ArrayRef<DimWindows> windows) {
  return llvm::map_to_vector(windows, [](const DimWindows &window) { return window.dim; });
}

/// A pad or an insertion into a splat: blocks of what it makes, from what is behind it.
static void splitInsertion(Operation *op, const WindowRule &rule, ArrayRef<SplitFactor> splits) {
  WindowBuilder b(op);
  LayoutAttr layout = OpLayouts::get(op).results.front();
  SmallVector<DimWindows> dims;
  for (const WindowAccess &access : rule.windows)
    for (const SplitFactor &split : splits)
      if (split.factor == access.factor) {
        dims.push_back(DimWindows::blocks(access.dim, split));
        dims.back().isWindow = true;
      }
  llvm::sort(dims, [](const DimWindows &a, const DimWindows &b) { return a.dim < b.dim; });
  auto [value, made] = b.makeWindows(op->getResult(0), layout, dims);
  op->getResult(0).replaceAllUsesWith(b.join(
      value, made, layout, cast<RankedTensorType>(op->getResult(0).getType()), dimsOf(dims)));
}

static void splitSlice(tensor::ExtractSliceOp op, const WindowRule &rule,
                       ArrayRef<SplitFactor> splits) {
  WindowBuilder b(op);
  OpLayouts layouts = OpLayouts::get(op);
  SmallVector<DimWindows> dims;
  SmallVector<int64_t> resultDims;
  for (const WindowAccess &access : rule.windows)
    for (const SplitFactor &split : splits)
      if (split.factor == access.factor)
        dims.push_back({static_cast<int64_t>(access.dim), split.axes, split.count,
                        access.scale * split.block, access.getBegin(split.block),
                        access.getLength(split.block), /*isWindow=*/true});
  auto [value, layout] = b.makeWindows(op.getSource(), layouts.operands.front(), dims);

  // The slice within each window.
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> shape;
  SmallVector<AxesAttr> axes;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned next = 0, made = 0;
  OpBuilder &builder = b.builder;
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    auto window = llvm::find_if(dims, [&](const DimWindows &w) { return w.dim == dim; });
    if (window == dims.end()) {
      offsets.push_back(op.getMixedOffsets()[dim]);
      sizes.push_back(op.getMixedSizes()[dim]);
      strides.push_back(op.getMixedStrides()[dim]);
      if (!dropped.test(dim)) {
        shape.push_back(op.getStaticSize(dim));
        axes.push_back(layout.getDims()[made]);
        ++next;
      }
      ++made;
      continue;
    }
    const SplitFactor &split = *llvm::find_if(splits, [&](const SplitFactor &other) {
      return rule.rule.operands[0][dim].front() == other.factor;
    });
    offsets.append(2, builder.getIndexAttr(0));
    sizes.append({builder.getIndexAttr(window->count), builder.getIndexAttr(split.block)});
    strides.append({builder.getIndexAttr(1), builder.getIndexAttr(op.getStaticStride(dim))});
    shape.append({window->count, split.block});
    axes.append({layout.getDims()[made], layout.getDims()[made + 1]});
    made += 2;
    resultDims.push_back(next++);
  }
  auto type = RankedTensorType::get(shape, op.getType().getElementType());
  LayoutAttr sliced = layouts.results.front().withDims(axes);
  auto slice =
      tensor::ExtractSliceOp::create(builder, op.getLoc(), type, value, offsets, sizes, strides);
  setLayouts(slice, {layout}, {sliced});
  op.getResult().replaceAllUsesWith(
      b.join(slice, sliced, layouts.results.front(), op.getType(), resultDims));
}

/// Each block takes from every input what falls into it.
static void splitConcat(tensor::ConcatOp op, ArrayRef<SplitFactor> splits) {
  WindowBuilder b(op);
  OpLayouts layouts = OpLayouts::get(op);
  const SplitFactor &split = splits.front();
  int64_t dim = op.getDim(), begin = 0;
  Value joined;
  LayoutAttr layout;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    DimWindows window = DimWindows::blocks(dim, split);
    window.offset = -begin;
    // Inputs may lie behind pads of values that are not zero: they are taken as they are.
    auto [part, made] = b.makeWindows(input, layouts.operands[i], {window});
    layout = made;
    joined =
        joined ? b.selectFrom(joined, part, layout, dim, split.block, begin, begin + size) : part;
    begin += size;
  }
  op.getResult().replaceAllUsesWith(
      b.join(joined, layout, layouts.results.front(), op.getType(), {dim}));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// True for a slice from the beginning that has the blocks that it needs.
static bool isKept(Operation *op, unsigned factor, const std::vector<int64_t> &sizes) {
  if (!isa<tensor::ExtractSliceOp>(op))
    return false;
  FailureOr<ShardingRule> strict = getShardingRule(op);
  return succeeded(strict) && strict->factors[factor].kind == FactorKind::Parallel &&
         maySplit(strict->factors[factor], sizes);
}

/// The factors that are split and read windows; those whose blocks lie where they are need none.
static FailureOr<SmallVector<SplitFactor>> getSplits(Operation *op, const WindowRule &rule) {
  OpLayouts layouts = OpLayouts::get(op);
  SmallVector<SplitFactor> splits;
  for (const WindowAccess &access : rule.windows) {
    AxesAttr axes = layouts.operands[access.operand].getDims()[access.dim];
    if (axes.empty() || llvm::any_of(splits, [&](const SplitFactor &split) {
          return split.factor == access.factor;
        }))
      continue;
    const Factor &factor = rule.rule.factors[access.factor];
    MeshAttr mesh = layouts.operands[access.operand].getMesh();
    std::vector<int64_t> sizes;
    for (AxisAttr axis : axes)
      sizes.push_back(axis.getSize(mesh));
    if (isKept(op, access.factor, sizes))
      continue;
    if (!maySplit(factor, sizes))
      return op->emitOpError("is unsupported: loop ")
             << access.factor << " of " << factor.size
             << " positions is split into blocks that do not begin at multiples of their size, and "
                "reads around its positions";
    splits.push_back({access.factor, axes, axes.getGroupSize(mesh), localSize(factor.size, sizes)});
  }
  return splits;
}

/// Operations that are many and never read around a position.
static bool hasNoWindows(Operation *op) {
  return isa<linalg::MapOp, linalg::ReduceOp, linalg::BroadcastOp, linalg::TransposeOp,
             linalg::FillOp, linalg::MatmulOp, linalg::BatchMatmulOp>(op);
}

static LogicalResult splitWindows(Operation *op) {
  if (!op->hasAttr("dmc.layouts") ||
      !isa<linalg::LinalgOp, tensor::PadOp, tensor::InsertSliceOp, tensor::ExtractSliceOp,
           tensor::ConcatOp>(op) ||
      hasNoWindows(op))
    return success();
  FailureOr<WindowRule> rule = getWindowRule(op);
  if (failed(rule) || rule->windows.empty())
    return success();
  FailureOr<SmallVector<SplitFactor>> splits = getSplits(op, *rule);
  if (failed(splits) || splits->empty())
    return LogicalResult(splits);
  if (op->use_empty())
    return success();
  LDBG() << "split windows of " << op->getName() << " at " << op->getLoc();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    LinalgSplitter(linalgOp, *rule, *splits).run();
  else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    splitSlice(slice, *rule, *splits);
  else if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    splitConcat(concat, *splits);
  else
    splitInsertion(op, *rule, *splits);
  return success();
}

namespace {
struct SplitWindows : dmc::impl::SplitWindowsBase<SplitWindows> {
  using SplitWindowsBase::SplitWindowsBase;

  void runOnOperation() override {
    ProgramAttr program = ProgramAttr::of(getOperation());
    if (!program || program.getLevel() != Level::tensor)
      return;
    // Users first: they look through pads, which are then not used any more.
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (isa<linalg::LinalgOp>(op) || op->getDialect()->getNamespace() == "tensor")
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (failed(splitWindows(op)))
        return signalPassFailure();
      if (isOpTriviallyDead(op))
        op->erase();
    }
  }
};
} // namespace
