//===- Windows.cpp - Loops that read around their position ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing maps of linalg operations and the positions of pads, slices and
// concatenations, as windows over what is behind pads and dilations.
//
//===----------------------------------------------------------------------===//
#include "dmc/Sharding/Windows.h"
#include "dmc/Dialect/DMC/RuleText.h"

#include "Rules.h"

#include "dmc/Dialect/DMC/Combiner.h"

using namespace mlir;
using namespace dmc;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

bool dmc::maySplit(const Factor &factor, const std::vector<int64_t> &axisSizes) {
  for (int64_t size : factor.alikeSizes) {
    int64_t positions = 1;
    for (int64_t axisSize : axisSizes)
      positions *= axisSize;
    if (size == kOneSize ? factor.size % positions != 0 : !cutsAlike(factor.size, size, axisSizes))
      return false;
  }
  if (!factor.needsUniformBlocks)
    return true;
  // An axis of one position has no place among the windows' dimensions.
  int64_t positions = 1;
  for (int64_t size : axisSizes) {
    if (size == 1)
      return false;
    positions *= size;
  }
  return positions <= kMostHaloPositions && cutsUniformly(factor.size, axisSizes);
}

//===----------------------------------------------------------------------===//
// Pads and dilations
//===----------------------------------------------------------------------===//

static bool isStatic(ArrayRef<int64_t> numbers) {
  return llvm::none_of(numbers, ShapedType::isDynamic);
}

/// Composes with what lies further behind: element t was (t - low) / dilation, which is now
/// (that - innerLow) / innerDilation of `size`.
static void compose(WindowDim &dim, int64_t size, int64_t innerLow, int64_t innerDilation) {
  dim.low += dim.dilation * innerLow;
  dim.dilation *= innerDilation;
  dim.size = size;
}

/// True if the paddings agree; takes the new one over.
static bool agree(WindowSource &source, TypedAttr padding) {
  if (!padding || (source.padding && source.padding != padding))
    return false;
  source.padding = padding;
  return true;
}

static bool lookThrough(WindowSource &source, bool &isPadded) {
  Operation *op = source.value.getDefiningOp();
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(op)) {
    Value padding = pad.getConstantPaddingValue();
    if (!isStatic(pad.getStaticLow()) || !isStatic(pad.getStaticHigh()) || !padding ||
        !agree(source, getSplatConstant(padding)))
      return false;
    for (auto [dim, low, size] :
         llvm::zip_equal(source.dims, pad.getStaticLow(), pad.getSourceType().getShape()))
      compose(dim, size, low, 1);
    source.value = pad.getSource();
    return isPadded = true;
  }
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op)) {
    RankedTensorType inner = insert.getSourceType();
    if (inner.getRank() != insert.getDestType().getRank() || !isStatic(insert.getStaticOffsets()) ||
        !isStatic(insert.getStaticStrides()) || !agree(source, getSplatConstant(insert.getDest())))
      return false;
    for (auto [dim, low, stride, size] : llvm::zip_equal(
             source.dims, insert.getStaticOffsets(), insert.getStaticStrides(), inner.getShape()))
      // One element needs no stride.
      compose(dim, size, low, size > 1 ? stride : 1);
    source.value = insert.getSource();
    return isPadded = true;
  }
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op)) {
    RankedTensorType inner = slice.getSourceType();
    bool isUnit =
        llvm::all_of(slice.getStaticStrides(), [](int64_t stride) { return stride == 1; });
    // Behind a pad, what the slice cuts off would take the padding's place.
    if (isPadded || !isUnit || inner.getRank() != slice.getType().getRank() ||
        !isStatic(slice.getStaticOffsets()))
      return false;
    for (auto [dim, offset, size] :
         llvm::zip_equal(source.dims, slice.getStaticOffsets(), inner.getShape()))
      compose(dim, size, -offset, 1);
    source.value = slice.getSource();
    return true;
  }
  return false;
}

/// True if some element of each of the source's dimensions is in the tensor.
static bool isSeen(const WindowSource &source, ArrayRef<int64_t> shape) {
  return llvm::all_of(llvm::zip_equal(source.dims, shape), [](auto pair) {
    auto [dim, size] = pair;
    int64_t last = dim.low + (dim.size - 1) * dim.dilation;
    return dim.size > 0 && last >= 0 && dim.low < size;
  });
}

SmallVector<WindowSource> dmc::getWindowSources(Value value) {
  WindowSource source{value, {}, {}};
  for (int64_t size : typeOf(value).getShape())
    source.dims.push_back({size, 0, 1});
  SmallVector<WindowSource> sources = {source};
  // Padding with nothing in it has no source.
  for (bool isPadded = false;
       lookThrough(source, isPadded) && isSeen(source, typeOf(value).getShape());)
    sources.push_back(source);
  return sources;
}

const WindowSource &dmc::chooseWindowSource(ArrayRef<WindowSource> sources, ArrayRef<int64_t> shape,
                                            llvm::function_ref<DimUse(unsigned)> getUse) {
  auto canTake = [&](const WindowSource &source) {
    return llvm::all_of(llvm::enumerate(shape), [&](auto pair) {
      auto [dim, size] = pair;
      DimUse use = getUse(dim);
      if (use == DimUse::windows || source.isIdentity(dim, size))
        return true;
      const WindowDim &inner = source.dims[dim];
      bool isWithin = inner.low >= 0 && inner.low + (inner.size - 1) * inner.dilation < size;
      return use == DimUse::whole && (inner.dilation == 1 || isWithin);
    });
  };
  while (sources.size() > 1 && !canTake(sources.back()))
    sources = sources.drop_back();
  return sources.back();
}

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

namespace {
/// sum of coefficients[l] * loop l + constant
struct Linear {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
};
} // namespace

static bool addTo(Linear &linear, AffineExpr expr, int64_t factor) {
  if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
    linear.coefficients[loop.getPosition()] += factor;
    return true;
  }
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    linear.constant += factor * number.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Add)
    return addTo(linear, binary.getLHS(), factor) && addTo(linear, binary.getRHS(), factor);
  if (binary && expr.getKind() == AffineExprKind::Mul)
    if (auto number = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return addTo(linear, binary.getLHS(), factor * number.getValue());
  return false;
}

static std::optional<Linear> getLinear(AffineExpr expr, unsigned numLoops) {
  Linear linear;
  linear.coefficients.assign(numLoops, 0);
  if (!addTo(linear, expr, 1))
    return std::nullopt;
  return linear;
}

namespace {
/// A dimension of an operand that is indexed by more than one loop alone.
struct Compound {
  unsigned operand;
  unsigned dim;
  std::optional<Linear> linear;
};

/// Finds the loops of a linalg operation that may be split if windows are made.
class LinalgWindows {
public:
  LinalgWindows(linalg::LinalgOp op, WindowRule &result) : op(op), result(result) {}
  void run();

private:
  bool mayTrap();
  bool isMaskable();
  std::optional<Factor> getFactor(unsigned loop);
  std::optional<unsigned> choose(const Compound &compound);

  linalg::LinalgOp op;
  WindowRule &result;
  SmallVector<int64_t> ranges;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<Compound> compounds;
};
} // namespace

/// What lies beyond a window's valid part may be anything, and what a body reads by itself
/// is not a window.
bool LinalgWindows::mayTrap() {
  return llvm::any_of(*op.getBlock(), [](Operation &inner) {
    return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
               arith::CeilDivUIOp, arith::FloorDivSIOp>(inner) ||
           inner.getNumRegions() != 0 ||
           llvm::any_of(inner.getOperandTypes(), llvm::IsaPred<RankedTensorType>);
  });
}

/// True if an addend can be made neutral: each result is the accumulator combined with it.
bool LinalgWindows::isMaskable() {
  return llvm::all_of(
      llvm::zip_equal(op.getBlock()->getTerminator()->getOperands(), op.getRegionOutputArgs()),
      [](auto pair) {
        auto [value, accumulator] = pair;
        Operation *combine = value.getDefiningOp();
        return combine && combine->getNumOperands() == 2 && accumulator.hasOneUse() &&
               llvm::is_contained(combine->getOperands(), accumulator) &&
               matchAccumulation(value, accumulator);
      });
}

/// The factor of a loop that is split with what it reads.
std::optional<Factor> LinalgWindows::getFactor(unsigned loop) {
  bool isEverywhere = true, isSomewhere = false;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    bool isIndexed = op.getMatchingIndexingMap(&init).isFunctionOfDim(loop);
    isEverywhere &= isIndexed;
    isSomewhere |= isIndexed;
  }
  Factor factor;
  factor.size = ranges[loop];
  factor.needsUniformBlocks = true;
  if (iterators[loop] == utils::IteratorType::parallel && isEverywhere)
    return factor;
  if (iterators[loop] != utils::IteratorType::reduction || isSomewhere || !isMaskable())
    return std::nullopt;
  std::optional<CombinerKind> common;
  for (auto [value, accumulator] :
       llvm::zip_equal(op.getBlock()->getTerminator()->getOperands(), op.getRegionOutputArgs())) {
    std::optional<CombinerKind> combiner = matchAccumulation(value, accumulator);
    if (!combiner || (common && common != combiner))
      return std::nullopt;
    common = combiner;
  }
  factor.kind = FactorKind::Reduction;
  factor.combiner = common;
  return factor;
}

/// The largest of the loops that index a dimension together, if each map has it once.
std::optional<unsigned> LinalgWindows::choose(const Compound &compound) {
  std::optional<unsigned> best;
  if (!compound.linear)
    return best;
  for (unsigned loop = 0; loop < ranges.size(); ++loop)
    if (compound.linear->coefficients[loop] != 0 && (!best || ranges[loop] > ranges[*best]))
      best = loop;
  if (!best || ranges[*best] < 2)
    return std::nullopt;
  for (AffineMap map : op.getIndexingMapsArray())
    if (llvm::count_if(map.getResults(),
                       [&](AffineExpr expr) { return expr.isFunctionOfDim(*best); }) > 1)
      return std::nullopt;
  return best;
}

void LinalgWindows::run() {
  ranges = op.getStaticLoopRanges();
  iterators = op.getIteratorTypesArray();
  if (llvm::any_of(ranges, [](int64_t size) { return ShapedType::isDynamic(size) || size < 1; }) ||
      mayTrap())
    return;
  SmallVector<OpOperand *> operands = getTensorOperands(op);
  for (auto [number, operand] : llvm::enumerate(operands)) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (!isa<AffineDimExpr>(expr)) {
        if (op.isDpsInit(operand))
          return;
        compounds.push_back({static_cast<unsigned>(number), static_cast<unsigned>(dim),
                             getLinear(expr, ranges.size())});
      }
  }
  SmallVector<std::optional<unsigned>> chosen;
  llvm::SmallBitVector excluded(ranges.size());
  for (const Compound &compound : compounds) {
    chosen.push_back(choose(compound));
    for (unsigned loop = 0; loop < ranges.size(); ++loop)
      if (loop != chosen.back() && (!compound.linear || compound.linear->coefficients[loop] != 0))
        excluded.set(loop);
  }
  for (auto [compound, loop] : llvm::zip_equal(compounds, chosen)) {
    if (!loop || excluded.test(*loop))
      continue;
    std::optional<Factor> factor = getFactor(*loop);
    if (!factor)
      continue;
    const Linear &linear = *compound.linear;
    WindowAccess access;
    access.operand = compound.operand;
    access.dim = compound.dim;
    access.factor = *loop;
    access.scale = linear.coefficients[*loop];
    access.offset = linear.constant;
    for (unsigned other = 0; other < ranges.size(); ++other)
      if (int64_t coefficient = linear.coefficients[other]; other != *loop && coefficient != 0) {
        int64_t reach = coefficient * (ranges[other] - 1);
        access.offset += std::min<int64_t>(reach, 0);
        access.extent += std::abs(reach);
      }
    access.source = getWindowSources(operands[compound.operand]->get()).back().dims[compound.dim];
    result.rule.factors[*loop] = *factor;
    result.rule.operands[compound.operand][compound.dim] = {*loop};
    result.windows.push_back(access);
  }
}

//===----------------------------------------------------------------------===//
// Pads, slices, concatenations
//===----------------------------------------------------------------------===//

static void addWindow(WindowRule &result, unsigned operand, unsigned dim, unsigned resultDim,
                      int64_t size, int64_t scale, int64_t offset, WindowDim source) {
  Factor factor;
  factor.size = size;
  factor.needsUniformBlocks = true;
  unsigned number = result.rule.results[0][resultDim].front();
  result.rule.factors[number] = factor;
  result.rule.operands[operand][dim] = {number};
  result.windows.push_back({operand, dim, number, scale, offset, 1, source});
}

/// Of a pad or an insertion into a splat: what is behind it.
static void addInsertion(Operation *op, WindowRule &result) {
  WindowSource source = getWindowSources(op->getResult(0)).back();
  RankedTensorType inner = typeOf(op->getOperand(0)), outer = typeOf(op->getResult(0));
  if (source.value == op->getResult(0) || inner.getRank() != outer.getRank())
    return;
  for (int64_t dim = 0; dim < outer.getRank(); ++dim) {
    if (inner.getDimSize(dim) == outer.getDimSize(dim) || outer.getDimSize(dim) < 2 ||
        inner.getDimSize(dim) < 1)
      continue;
    addWindow(result, 0, dim, dim, outer.getDimSize(dim), 1, 0, source.dims[dim]);
    if (result.rule.operands.size() > 1)
      result.rule.operands[1][dim] = result.rule.results[0][dim];
  }
}

static void addSlice(tensor::ExtractSliceOp op, WindowRule &result) {
  if (!isStatic(op.getStaticOffsets()) || !isStatic(op.getStaticStrides()))
    return;
  WindowSource source = getWindowSources(op.getSource()).back();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t next = 0;
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    if (dropped.test(dim))
      continue;
    int64_t inner = next++, size = op.getType().getDimSize(inner);
    if (size == op.getSourceType().getDimSize(dim) || size < 2)
      continue;
    addWindow(result, 0, dim, inner, size, op.getStaticStride(dim), op.getStaticOffset(dim),
              source.dims[dim]);
  }
}

static void addConcat(tensor::ConcatOp op, WindowRule &result) {
  int64_t dim = op.getDim(), begin = 0;
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    int64_t size = typeOf(input).getDimSize(dim);
    addWindow(result, number, dim, dim, op.getType().getDimSize(dim), 1, -begin, {size, 0, 1});
    begin += size;
  }
}

FailureOr<WindowRule> dmc::getWindowRule(Operation *op) {
  FailureOr<ShardingRule> rule = getShardingRule(op);
  if (failed(rule))
    return failure();
  WindowRule result{std::move(*rule), {}};
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    LinalgWindows(linalgOp, result).run();
  else if (isa<tensor::PadOp, tensor::InsertSliceOp>(op))
    addInsertion(op, result);
  else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    addSlice(slice, result);
  else if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    addConcat(concat, result);
  return result;
}
