//===- ReshardPlan.cpp - From any layout to any other ---------------------===//
//
// Free moves first, then those on the smallest tensors: reduce (scattered where
// the target splits by the same axes), exchange, permute, combine.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/ReshardPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace dmc;
using llvm::ArrayRef;
using llvm::SmallVector;

using AxisList = std::vector<AxisRef>;

static bool isPrefix(const AxisList &prefix, const AxisList &list) {
  return prefix.size() <= list.size() && std::equal(prefix.begin(), prefix.end(), list.begin());
}

static int64_t productOf(const AxisList &axes) {
  int64_t product = 1;
  for (const AxisRef &axis : axes)
    product *= axis.size;
  return product;
}

static bool sameSizes(const AxisList &a, const AxisList &b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](const AxisRef &x, const AxisRef &y) { return x.size == y.size; });
}

namespace {
class ReshardPlanner {
public:
  ReshardPlanner(const Layout &from, const Layout &to, ArrayRef<int64_t> shape)
      : current(from), target(to), shape(shape) {}

  SmallVector<Move> run();

private:
  bool isReplicated(const AxisRef &axis) const;
  bool isPartialInTarget(const AxisRef &axis) const {
    return llvm::is_contained(target.partial, axis);
  }
  /// The target's list of a dimension continues the current one.
  bool isOnWay(size_t dim) const { return isPrefix(current.dims[dim], target.dims[dim]); }
  bool hasDims() const { return current.dims == target.dims; }

  void emit(MoveKind kind, AxisList axes, int64_t dim = 0, int64_t targetDim = 0);
  void partition(size_t dim, const AxisList &axes);
  void reduce(const AxisList &axes);
  bool partitionFree();
  void reducePartial();
  void replicatePlaced();
  bool exchangeOne();
  bool spreadOne();
  bool permuteAll();
  void combineOne();
  void spread(const AxisList &axes);
  void placeAll();

  Layout current;
  const Layout &target;
  ArrayRef<int64_t> shape;
  SmallVector<Move> moves;
};
} // namespace

bool ReshardPlanner::isReplicated(const AxisRef &axis) const {
  auto uses = [&](const AxisList &axes) {
    return llvm::any_of(axes, [&](const AxisRef &other) { return overlaps(axis, other); });
  };
  return !uses(current.partial) && llvm::none_of(current.dims, uses) &&
         llvm::none_of(current.placed, [&](const PlacedAxis &p) { return overlaps(axis, p.axis); });
}

void ReshardPlanner::emit(MoveKind kind, AxisList axes, int64_t dim, int64_t targetDim) {
  moves.push_back({kind, std::move(axes), dim, targetDim, current});
}

void ReshardPlanner::partition(size_t dim, const AxisList &axes) {
  llvm::append_range(current.dims[dim], axes);
  emit(MoveKind::Partition, axes, dim);
}

void ReshardPlanner::reduce(const AxisList &axes) {
  llvm::erase_if(current.partial,
                 [&](const AxisRef &axis) { return llvm::is_contained(axes, axis); });
  if (current.partial.empty())
    current.combiner.reset();
  emit(MoveKind::Reduce, axes);
}

/// Slices where the next axes of a dimension are replicated.
bool ReshardPlanner::partitionFree() {
  bool changed = false;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (!isOnWay(dim))
      continue;
    AxisList axes;
    for (size_t i = current.dims[dim].size(); i < target.dims[dim].size(); ++i) {
      if (!isReplicated(target.dims[dim][i]))
        break;
      axes.push_back(target.dims[dim][i]);
    }
    if (axes.empty())
      continue;
    partition(dim, axes);
    changed = true;
  }
  return changed;
}

void ReshardPlanner::reducePartial() {
  AxisList gone;
  for (const AxisRef &axis : current.partial)
    if (current.combiner != target.combiner || !isPartialInTarget(axis))
      gone.push_back(axis);
  if (gone.empty())
    return;
  // Scattered first: what remains is then smaller.
  bool changed = true;
  while (changed) {
    changed = partitionFree();
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (!isOnWay(dim))
        continue;
      AxisList axes;
      for (size_t i = current.dims[dim].size(); i < target.dims[dim].size(); ++i) {
        if (!llvm::is_contained(gone, target.dims[dim][i]))
          break;
        axes.push_back(target.dims[dim][i]);
      }
      if (axes.empty())
        continue;
      reduce(axes);
      partition(dim, axes);
      llvm::erase_if(gone, [&](const AxisRef &axis) { return llvm::is_contained(axes, axis); });
      changed = true;
    }
  }
  if (!gone.empty())
    reduce(gone);
}

void ReshardPlanner::replicatePlaced() {
  AxisList gone;
  llvm::erase_if(current.placed, [&](const PlacedAxis &placed) {
    bool leaves = !llvm::is_contained(target.placed, placed);
    if (leaves)
      gone.push_back(placed.axis);
    return leaves;
  });
  if (!gone.empty())
    emit(MoveKind::Replicate, gone);
}

/// Minor axes of one dimension that are the next ones of another.
bool ReshardPlanner::exchangeOne() {
  for (size_t source = 0; source < shape.size(); ++source) {
    if (isOnWay(source))
      continue;
    AxisList &axes = current.dims[source];
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (dim == source || !isOnWay(dim))
        continue;
      const AxisList &wanted = target.dims[dim];
      size_t have = current.dims[dim].size();
      for (size_t count = std::min(axes.size(), wanted.size() - have); count > 0; --count) {
        if (!std::equal(axes.end() - count, axes.end(), wanted.begin() + have))
          continue;
        AxisList moved(axes.end() - count, axes.end());
        axes.resize(axes.size() - count);
        llvm::append_range(current.dims[dim], moved);
        emit(MoveKind::Exchange, moved, source, dim);
        return true;
      }
    }
  }
  return false;
}

void ReshardPlanner::spread(const AxisList &axes) {
  current.combiner = target.combiner;
  llvm::append_range(current.partial, axes);
  emit(MoveKind::Spread, axes);
}

/// Minor axes of a dimension that are to be partial: local.
bool ReshardPlanner::spreadOne() {
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    AxisList &axes = current.dims[dim];
    if (isOnWay(dim) || !isPartialInTarget(axes.back()))
      continue;
    AxisList moved = {axes.back()};
    axes.pop_back();
    spread(moved);
    return true;
  }
  return false;
}

/// Every dimension is cut into as many blocks as wanted, only by other axes.
bool ReshardPlanner::permuteAll() {
  AxisList used;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const AxisList &have = current.dims[dim], &want = target.dims[dim];
    if (productOf(have) != productOf(want))
      return false;
    // The order decides which blocks are empty or padded.
    if (have != want && !sameSizes(have, want) &&
        !(isEven(shape[dim], have) && isEven(shape[dim], want)))
      return false;
    llvm::append_range(used, want);
  }
  for (const AxisRef &axis : used)
    if (llvm::any_of(current.partial, [&](const AxisRef &p) { return overlaps(axis, p); }) ||
        llvm::any_of(current.placed, [&](const PlacedAxis &p) { return overlaps(axis, p.axis); }))
      return false;
  current.dims = target.dims;
  emit(MoveKind::Permute, {});
  return true;
}

/// Gathers the most minor axis of the first dimension that must change.
void ReshardPlanner::combineOne() {
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (isOnWay(dim))
      continue;
    AxisRef axis = current.dims[dim].back();
    current.dims[dim].pop_back();
    // Neighbours are one all-gather.
    if (!moves.empty() && moves.back().kind == MoveKind::Combine &&
        moves.back().dim == static_cast<int64_t>(dim)) {
      moves.back().axes.insert(moves.back().axes.begin(), axis);
      moves.back().layout = current;
    } else {
      emit(MoveKind::Combine, {axis}, dim);
    }
    return;
  }
}

void ReshardPlanner::placeAll() {
  AxisList axes;
  for (const PlacedAxis &placed : target.placed)
    if (!llvm::is_contained(current.placed, placed)) {
      current.placed.push_back(placed);
      axes.push_back(placed.axis);
    }
  if (!axes.empty())
    emit(MoveKind::Place, axes);
}

SmallVector<Move> ReshardPlanner::run() {
  reducePartial();
  replicatePlaced();
  while (!hasDims()) {
    if (partitionFree() || spreadOne() || exchangeOne() || permuteAll())
      continue;
    combineOne();
  }
  AxisList axes;
  for (const AxisRef &axis : target.partial)
    if (!llvm::is_contained(current.partial, axis))
      axes.push_back(axis);
  if (!axes.empty())
    spread(axes);
  placeAll();
  return std::move(moves);
}

SmallVector<Move> dmc::planReshard(const Mesh &, const Layout &from, const Layout &to,
                                   ArrayRef<int64_t> shape) {
  if (from.dims == to.dims && from == to)
    return {};
  return ReshardPlanner(from, to, shape).run();
}

double dmc::getWireBytes(const Layout &from, ArrayRef<Move> moves, ArrayRef<int64_t> shape,
                         int64_t elementBytes) {
  auto localBytes = [&](const Layout &layout) {
    int64_t bytes = elementBytes;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      int64_t local = size;
      for (const AxisRef &axis : layout.dims[dim])
        local = (local + axis.size - 1) / axis.size;
      bytes *= local;
    }
    return bytes;
  };
  double total = 0;
  const Layout *before = &from;
  for (size_t i = 0; i < moves.size(); ++i) {
    const Move &move = moves[i];
    int64_t bytes = localBytes(*before), p = groupSize(move.axes);
    switch (move.kind) {
    case MoveKind::Reduce: {
      bool isScattered = i + 1 < moves.size() && moves[i + 1].kind == MoveKind::Partition &&
                         moves[i + 1].axes == move.axes;
      total += wireBytes(isScattered ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce,
                         bytes, p);
      break;
    }
    case MoveKind::Combine:
      total += wireBytes(CollectiveKind::AllGather, localBytes(move.layout), p);
      break;
    case MoveKind::Exchange:
      total += wireBytes(CollectiveKind::AllToAll, bytes, p);
      break;
    case MoveKind::Permute:
      total += wireBytes(CollectiveKind::Permute, bytes, 2);
      break;
    case MoveKind::Replicate:
      total += wireBytes(CollectiveKind::Broadcast, bytes, p);
      break;
    case MoveKind::Partition:
    case MoveKind::Spread:
    case MoveKind::Place:
      break;
    }
    before = &move.layout;
  }
  return total;
}
