//===- RunningWindows.cpp - Windows that begin where their line does ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A prefix sum is a reduction of windows that end with their result and begin before the line does,
// where there is padding. What padding gives does not change what a reduction begins with, so that
// each result is the one before and an element more: a thread walks a line, in the order of each
// window, and the results are those of the windows, bit by bit.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Buffers.h"
#include "Kernel/TeamWindows.h"

#include "dmc/Dialect/DMC/CudaChips.h"
#include "dmc/Dialect/DMC/ThreadRegisters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// Whether a combiner of this value and itself gives it, to the last bit.
static bool isIdempotent(Operation *combiner, Attribute value) {
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
          arith::MinUIOp, arith::AndIOp, arith::OrIOp>(combiner))
    return true;
  if (auto number = dyn_cast<FloatAttr>(value))
    return isa<arith::AddFOp>(combiner)   ? number.getValue().isZero()
           : isa<arith::MulFOp>(combiner) ? number.getValue().isExactlyValue(1)
                                          : false;
  if (auto number = dyn_cast<IntegerAttr>(value))
    return isa<arith::AddIOp>(combiner)   ? number.getValue().isZero()
           : isa<arith::MulIOp>(combiner) ? number.getValue().isOne()
                                          : false;
  return false;
}

namespace {
class RunningWindows {
public:
  RunningWindows(Scalarizer &s, const Task &task)
      : s(s), task(task), op(cast<linalg::LinalgOp>(task.op)) {}

  bool match() {
    if (op->getNumResults() != 1 || op.getNumReductionLoops() != 1 || !op.hasPureTensorSemantics())
      return false;
    shape = shapeOf(op->getResult(0));
    unsigned loops = op.getNumLoops();
    // The window's loop is the last one, behind those of the results.
    AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (op.getIteratorTypesArray().back() != utils::IteratorType::reduction ||
        out != AffineMap::getMultiDimIdentityMap(loops, op.getContext()).getMajorSubMap(loops - 1))
      return false;
    for (const Root &root : task.roots)
      if (root.value.getDefiningOp() != op.getOperation())
        return false;
    return matchOperand() && matchCombiner();
  }

  void emit() {
    bool isAlong = dim + 1 == shape.size();
    int64_t bytes = elementBytes(getElementTypeOrSelf(op->getResult(0)));
    for (Value read : task.reads)
      bytes = std::max(bytes, elementBytes(getElementTypeOrSelf(read)));
    lanes = std::max<int64_t>(1, s.target.getVectorBytes() / bytes);
    while (shape.back() % lanes)
      lanes /= 2;
    // Lines are few: a thread has several neighbours only if all threads of a device have some.
    int64_t threads = 2 * s.target.getBlockThreads() * countMultiprocessors(s.target);
    int64_t lines = llvm::product_of(shape) / shape[dim];
    while (!isAlong && lanes > 1 && lines / lanes < threads)
      lanes /= 2;
    SmallVector<int64_t> walked(shape);
    walked[dim] = 1;
    if (!isAlong)
      walked.back() /= lanes;
    steps = shape[dim] / (isAlong ? lanes : 1);
    together = std::clamp<int64_t>(countHeldElements(s.target, llvm::divideCeil(bytes, 4)) / lanes,
                                   1, steps);
    s.loadVectors();
    for (const Root &root : task.roots)
      s.limitVectors(s.arguments.lookup(root.dest), lanes);
    s.divide(walked, shape[dim] * lanes, /*isContiguous=*/true, [&](ArrayRef<Index> line) {
      Indices first(line);
      if (!isAlong)
        first.back() = s.scale(first.back(), lanes);
      SmallVector<Value> carried;
      for (int64_t lane = 0; lane < (isAlong ? 1 : lanes); ++lane) {
        Indices at(first);
        at[dim] = LoopBuilder::constant(0);
        at.back().constant += lane;
        carried.push_back(s.element(op.getDpsInitOperand(0)->get(), at));
      }
      carried = walk(first, 0, steps / together, together, carried);
      walk(first, steps / together * together, steps % together, 1, carried);
    });
  }

private:
  bool matchOperand() {
    OpOperand *read = nullptr;
    for (OpOperand *input : op.getDpsInputOperands())
      if (op.payloadUsesValueFromOperand(input)) {
        if (read)
          return false;
        read = input;
      }
    auto pad = read ? read->get().getDefiningOp<tensor::PadOp>() : tensor::PadOp();
    if (!pad || ShapedType::isDynamicShape(pad.getStaticLow()) ||
        ShapedType::isDynamicShape(pad.getStaticHigh()) || !pad.getConstantPaddingValue())
      return false;
    input = pad.getSource();
    padding = pad.getConstantPaddingValue();
    if (shapeOf(input) != shape)
      return false;
    int64_t window = op.getStaticLoopRanges().back();
    std::optional<size_t> found;
    MLIRContext *context = op.getContext();
    AffineExpr loop = getAffineDimExpr(op.getNumLoops() - 1, context);
    for (auto [index, expr] : llvm::enumerate(op.getMatchingIndexingMap(read).getResults())) {
      bool isPadded = pad.getStaticLow()[index] || pad.getStaticHigh()[index];
      AffineExpr own = getAffineDimExpr(index, context);
      if (expr == own && !isPadded)
        continue;
      if (found || (expr != own + loop && expr != loop + own) || pad.getStaticHigh()[index] != 0 ||
          pad.getStaticLow()[index] != window - 1 || window < shape[index])
        return false;
      found = index;
    }
    dim = found.value_or(0);
    return found && shape[dim] > 1 && llvm::product_of(shape) > 0;
  }

  /// The body combines an element with what there is, and does nothing else.
  bool matchCombiner() {
    Block *body = op.getBlock();
    combiner = body->getTerminator()->getOperand(0).getDefiningOp();
    if (!combiner || combiner->getBlock() != body || combiner->getNumOperands() != 2 ||
        !llvm::all_of(combiner->getOperands(), llvm::IsaPred<BlockArgument>) ||
        combiner->getOperand(0) == combiner->getOperand(1) ||
        !llvm::is_contained(combiner->getOperands(), op.getRegionOutputArgs().front()))
      return false;
    auto fill = op.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
    Attribute initial, padded;
    return fill && matchPattern(fill.getInputs().front(), m_Constant(&initial)) &&
           matchPattern(padding, m_Constant(&padded)) && initial == padded &&
           isIdempotent(combiner, initial);
  }

  /// Steps from `first` on along a line, as many at a time.
  SmallVector<Value> walk(const Indices &line, int64_t first, int64_t count, int64_t atOnce,
                          SmallVector<Value> carried) {
    if (count == 0)
      return carried;
    bool isAlong = dim + 1 == shape.size();
    auto body = [&](const Index &number, ValueRange before) {
      s.recordCopies({{LoopExecutor::unrolled, atOnce}, {LoopExecutor::lanes, lanes}});
      SmallVector<Indices> places;
      SmallVector<Value> values;
      for (int64_t step = 0; step < atOnce; ++step) {
        Indices at(line);
        at[dim] = s.add(LoopBuilder::constant(first + step), number, atOnce);
        if (isAlong)
          at[dim] = s.scale(at[dim], lanes);
        places.push_back(at);
        for (int64_t lane = 0; lane < lanes; ++lane) {
          Indices element(at);
          element.back() = s.add(element.back(), LoopBuilder::constant(lane));
          values.push_back(s.element(input, element));
        }
      }
      SmallVector<Value> running(before);
      for (auto [index, value] : llvm::enumerate(values)) {
        Value &last = running[isAlong ? 0 : index % lanes];
        bool isFirst = combiner->getOperand(0) == op.getRegionOutputArgs().front();
        last = isFirst ? s.combine(combiner, last, value) : s.combine(combiner, value, last);
        value = last;
      }
      for (auto [step, at] : llvm::enumerate(places))
        for (const Root &root : task.roots)
          s.storeVector(ArrayRef(values).slice(step * lanes, lanes), s.arguments.lookup(root.dest),
                        at);
      return running;
    };
    return s.loop(count, carried, body);
  }

  Scalarizer &s;
  const Task &task;
  linalg::LinalgOp op;
  ArrayRef<int64_t> shape;
  size_t dim = 0; // along which the windows lie
  Value input, padding;
  Operation *combiner = nullptr;
  /// Neighbours that a thread accesses at once, how often it does along a line, and how many of
  /// these accesses it waits for together.
  int64_t lanes = 1, steps = 1, together = 1;
};
} // namespace

bool codegen::emitRunningWindows(Scalarizer &s, const Task &task) {
  RunningWindows windows(s, task);
  if (!windows.match())
    return false;
  windows.emit();
  return true;
}
