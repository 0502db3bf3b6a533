//===- Scatters.cpp - Nests over the updates of scatters ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates may hit one element, and stay in order: each thread goes through all of them, and does
// those of its range of a dimension of the target.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelTasks.h"

#include "dmc/Dialect/DMC/SparseUpdate.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {
class ScatterNest {
public:
  /// A nest that goes through all updates `passes` times.
  ScatterNest(Scalarizer &s, ScatterOp op, int64_t passes)
      : s(s), op(op), shape(op.getTargetType().getShape()) {
    if (ArrayRef<int64_t> scattered = op.getScatterDimsToOperandDims(); !scattered.empty()) {
      rangeDim = scattered.front();
      range = s.divideRange(shape[rangeDim], passes * op.getUpdateType().getNumElements());
    }
  }

  /// Calls `body` for each element of the updates that lies in the target, and in the range: with
  /// its indices there and in the updates.
  using Body = llvm::function_ref<void(ArrayRef<Index> at, ArrayRef<Index> indices)>;
  void forEach(Body body) {
    s.nest(op.getUpdateType().getShape(), [&](ArrayRef<Index> indices) {
      Value condition;
      std::optional<Indices> at = find(indices, condition);
      if (!at)
        return;
      if (!condition)
        return body(*at, indices);
      s.choose(
          condition, {},
          [&]() -> SmallVector<Value> {
            body(*at, indices);
            return {};
          },
          []() -> SmallVector<Value> { return {}; });
    });
  }

  /// Combines an element of each buffer with that of the update.
  void combine(ArrayRef<Value> buffers, ArrayRef<Index> at, ArrayRef<Index> indices) {
    SmallVector<Value> elements;
    for (Value buffer : buffers)
      elements.push_back(s.load(buffer, at));
    for (Value update : op.getUpdates())
      elements.push_back(s.element(update, indices));
    SmallVector<Value> combined = s.inlineBody(&op.getCombiner().front(), indices,
                                               [&](unsigned number) { return elements[number]; });
    for (auto [value, buffer] : llvm::zip_equal(combined, buffers))
      s.store(value, buffer, at);
  }

private:
  /// Where in the target an element of the updates belongs, if `condition` holds; nothing if it is
  /// outside always.
  std::optional<Indices> find(ArrayRef<Index> indices, Value &condition) {
    Indices batch, window;
    for (auto [dim, index] : llvm::enumerate(indices))
      (llvm::is_contained(op.getUpdateWindowDims(), dim) ? window : batch).push_back(index);
    Indices at =
        s.readStarts(op.getIndices(), batch, op.getIndexVectorDim(),
                     op.getScatterDimsToOperandDims(), shape.size(), op.getIndicesAreUnsigned());
    size_t next = 0;
    bool never = false;
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
      if (const auto *found = llvm::find(op.getInputBatchingDims(), dim);
          found != op.getInputBatchingDims().end()) {
        int64_t other =
            op.getScatterIndicesBatchingDims()[found - op.getInputBatchingDims().begin()];
        at[dim] = batch[other - (other > static_cast<int64_t>(op.getIndexVectorDim()))];
      } else if (!llvm::is_contained(op.getInsertedWindowDims(), dim)) {
        at[dim] = s.add(at[dim], window[next++]);
      }
      never |= s.within(at[dim], 0, shape[dim], condition) == std::optional<bool>(false);
    }
    if (never)
      return std::nullopt;
    if (range) {
      Value isMine = s.isInRange(at[rangeDim], range->first, range->second);
      condition = condition ? arith::AndIOp::create(s.here(), s.loc, condition, isMine) : isMine;
    }
    return at;
  }

  Scalarizer &s;
  ScatterOp op;
  ArrayRef<int64_t> shape;
  int64_t rangeDim = -1;
  std::optional<std::pair<Value, Value>> range;
};
} // namespace

void codegen::emitScatter(Scalarizer &s, const Task &task) {
  if (isTeamScatter(task, s.target))
    return emitTeamScatter(s, task);
  SmallVector<Value> buffers = resultBuffers(s, task);
  if (buffers.empty())
    return;
  ScatterNest nest(s, cast<ScatterOp>(task.op), 1);
  nest.forEach(
      [&](ArrayRef<Index> at, ArrayRef<Index> indices) { nest.combine(buffers, at, indices); });
}

/// The root's place holds the value that it has where the scatter changes nothing. Scratch holds
/// the scatter's result where it is not that splat, and is valid only at elements that updates hit:
/// these are set to the splat first. An element that several updates hit is computed with the first
/// of them, and set back to the splat: with the others it stays what it is.
void codegen::emitScatterUpdate(Scalarizer &s, const Task &task) {
  if (isTeamScatter(task, s.target))
    return emitTeamScatter(s, task);
  auto op = cast<ScatterOp>(task.op);
  const Root &root = task.roots.front();
  Value initial = getUnscattered(root.value, op);
  Value scratch = s.arguments.lookup(task.scratch), dest = s.arguments.lookup(root.dest);
  Value splat = arith::ConstantOp::create(s.here(), s.loc, getInitialSplat(op));
  ScatterNest nest(s, op, 3);
  nest.forEach([&](ArrayRef<Index> at, ArrayRef<Index>) { s.store(splat, scratch, at); });
  nest.forEach(
      [&](ArrayRef<Index> at, ArrayRef<Index> indices) { nest.combine(scratch, at, indices); });
  Indices origin(op.getTargetType().getRank());
  auto dims = llvm::to_vector(llvm::seq<unsigned>(origin.size()));
  s.keep(op->getResult(0), origin, dims, scratch);
  s.keep(initial, origin, dims, dest);
  nest.forEach([&](ArrayRef<Index> at, ArrayRef<Index>) {
    s.store(s.element(root.value, at), dest, at);
    s.store(splat, scratch, at);
  });
  s.drop(op->getResult(0));
  s.drop(initial);
}
