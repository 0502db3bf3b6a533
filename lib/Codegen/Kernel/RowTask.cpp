//===- RowTask.cpp - What the rows of a nest compute ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/RowTask.h"

#include "dmc/Dialect/DMC/SplitReduction.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// The reduction that computes a value, or null.
static linalg::LinalgOp reductionOf(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return isReduction(op) ? op : linalg::LinalgOp();
}

SmallVector<int64_t> codegen::getReductionSizes(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes;
  for (auto [size, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      sizes.push_back(size);
  return sizes;
}

bool codegen::isSplit(linalg::LinalgOp op) { return op && op->hasAttr(partialsAttr); }

Value codegen::neutralOf(Scalarizer &s, linalg::LinalgOp op) {
  return arith::ConstantOp::create(s.here(), s.loc,
                                   *arith::getNeutralElement(getSplitCombiner(op)));
}

RowTask::RowTask(const Task &task) : task(task) {
  if (!task.splits.empty()) {
    loops = linalg::LinalgOp(task.splits.front().op).getStaticLoopRanges();
    shape = loops;
  }
  for (const Root &root : task.roots)
    if (shapeOf(root.value).size() > shape.size() || shape.empty())
      shape = shapeOf(root.value);
  for (const Root &root : task.roots)
    if (shapeOf(root.value).size() == shape.size())
      elements.push_back(&root);
  SmallVector<Value> work;
  for (const Root &root : task.roots)
    work.push_back(root.value);
  while (!work.empty())
    if (Operation *op = work.pop_back_val().getDefiningOp(); op && reached.insert(op).second)
      op->walk([&](Operation *inner) { llvm::append_range(work, inner->getOperands()); });
}

Block *RowTask::block() const {
  if (!task.splits.empty())
    return linalg::LinalgOp(task.splits.front().op)->getBlock();
  Value first = task.roots.front().value;
  return first.getParentBlock();
}

SmallVector<linalg::LinalgOp> RowTask::findReductions() const {
  SmallVector<linalg::LinalgOp> reductions;
  for (auto op : block()->getOps<linalg::LinalgOp>())
    if (isReduction(op) && (task.kind == Task::Rows || reached.contains(op)))
      reductions.push_back(op);
  return reductions;
}

size_t RowTask::countOuterDims() const {
  size_t count = SIZE_MAX;
  for (const Root &root : task.roots)
    count = std::min(count, shapeOf(root.value).size());
  for (linalg::LinalgOp op : findReductions())
    count = std::min<size_t>(count, isSplit(op) ? op.getNumReductionLoops()
                                                : shapeOf(op->getResult(0)).size());
  return count;
}

int64_t RowTask::countElements(size_t outer) const {
  int64_t count = llvm::product_of(shape.drop_front(outer));
  for (auto op : block()->getOps<linalg::LinalgOp>())
    if (isReduction(op) && shapeOf(op->getResult(0)) == shape)
      count = std::max(count, llvm::product_of(op.getStaticLoopRanges()) /
                                  std::max<int64_t>(1, llvm::product_of(shape)));
  return count;
}

int64_t RowTask::countBlocks() const {
  return cast<MemRefType>(task.splits.front().partials.getType()).getDimSize(0);
}

Indices RowTask::locate(linalg::LinalgOp op, ArrayRef<Index> row) {
  Indices dims(op.getNumLoops());
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [expr, index] : llvm::zip_equal(map.getResults(), row))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      dims[dim.getPosition()] = index;
  return dims;
}

bool RowTask::isOfRow(linalg::LinalgOp op, size_t rank) const {
  if (isSplit(op))
    return false;
  if (shapeOf(op->getResult(0)) != shape.take_front(rank))
    return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return map.isProjectedPermutation() && llvm::all_of(op.getDpsInits(), [&](Value init) {
           return shapeOf(init) == shape.take_front(rank);
         });
}

/// The longest chain of reductions of this row that a value needs, and those that it needs.
unsigned RowTask::findDepth(Value value, size_t rank, llvm::DenseMap<Value, unsigned> &depths,
                            SmallVectorImpl<Wave> &waves) const {
  auto [known, isNew] = depths.try_emplace(value, 0);
  Operation *op = value.getDefiningOp();
  if (!isNew || !op)
    return known->second;
  unsigned depth = 0;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      depth = std::max(depth, findDepth(operand, rank, depths, waves));
  if (linalg::LinalgOp reduction = reductionOf(value); reduction && isOfRow(reduction, rank)) {
    SmallVector<int64_t> sizes = getReductionSizes(reduction);
    Wave *wave =
        llvm::find_if(waves, [&](const Wave &w) { return w.depth == depth && w.sizes == sizes; });
    if (wave == waves.end()) {
      waves.push_back({depth, sizes, {}});
      wave = &waves.back();
    }
    if (!llvm::is_contained(wave->ops, reduction))
      wave->ops.push_back(reduction);
    ++depth;
  }
  return depths[value] = depth;
}

/// Adds what a pass computes for each element, from a value back to the reductions of the row.
void RowTask::collect(Value value, size_t rank, RowPass &pass) const {
  Operation *op = value.getDefiningOp();
  linalg::LinalgOp reduction = reductionOf(value);
  if (!op || shapeOf(value).size() <= rank || (reduction && isOfRow(reduction, rank)) ||
      !pass.insert(value).second)
    return;
  collectOperands(op, rank, pass);
}

void RowTask::collectOperands(Operation *op, size_t rank, RowPass &pass) const {
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      collect(operand, rank, pass);
}

RowPasses RowTask::findPasses(size_t rank) const {
  RowPasses result;
  llvm::DenseMap<Value, unsigned> depths;
  for (const Root &root : task.roots)
    findDepth(root.value, rank, depths, result.waves);
  for (const Split &split : task.splits)
    findDepth(linalg::LinalgOp(split.op)->getResult(0), rank, depths, result.waves);
  llvm::stable_sort(result.waves, [](const Wave &a, const Wave &b) { return a.depth < b.depth; });

  result.passes.resize(result.waves.size() + 1);
  for (auto [wave, pass] : llvm::zip(result.waves, result.passes))
    for (linalg::LinalgOp op : wave.ops)
      collectOperands(op, rank, pass);
  for (const Root &root : task.roots)
    if (shapeOf(root.value).size() > rank)
      collect(root.value, rank, result.passes.back());
  for (const Split &split : task.splits)
    collectOperands(split.op, rank, result.passes.back());
  return result;
}
