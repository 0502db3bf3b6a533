//===- GroupedContraction.cpp - Many narrow products side by side ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/GroupedContraction.h"

#include "Kernel/Buffers.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

using Loop = GroupedContraction::Loop;

/// A product of matrices packs its left operand: a cycle for an element, which is then multiplied
/// by a vector of columns in a cycle. Of more than four vectors the products take most of the time.
static constexpr int64_t mostVectors = 4;
/// A sum depends on the one before, for about five cycles: fewer of them leave the processor idle.
static constexpr int64_t leastTogether = 4;
/// Steps of the sum that are straight code, at most: a bound on the size of the code.
static constexpr int64_t mostWindow = 7;
/// Copies of operands, which are read again and again, leave half of a first cache of 32 KB.
static constexpr int64_t mostCopiedBytes = int64_t(16) << 10;

int64_t GroupedContraction::count(ArrayRef<Loop> loops) {
  int64_t all = 1;
  for (const Loop &loop : loops)
    all *= loop.size;
  return all;
}

/// Takes out of a loop as many neighbouring iterations as it can be divided by, at most `most`;
/// returns these.
static Loop takePart(Loop &loop, int64_t most) {
  int64_t part = std::min(most, loop.size);
  while (loop.size % part)
    --part;
  Loop inner{part, loop.a, loop.b, loop.c};
  loop = {loop.size / part, loop.a * part, loop.b * part, loop.c * part};
  return inner;
}

/// Finds the loop over groups; the other loops over batches become rows.
bool GroupedContraction::setLanes(ArrayRef<Loop> batch, ArrayRef<Loop> columnLoops,
                                  SmallVectorImpl<Loop> &rows, int64_t vectorLanes) {
  if (columnLoops.size() > 1 || (columnLoops.size() == 1 && columnLoops[0].c != 1))
    return false;
  columns = columnLoops.empty() ? Loop{1, 0, 0, 1} : columnLoops.front();
  const Loop *found =
      llvm::find_if(batch, [&](const Loop &loop) { return loop.c == columns.size; });
  if (found == batch.end() || columns.size > mostVectors * vectorLanes)
    return false;
  groups = *found;
  for (const Loop &loop : batch)
    if (&loop != found)
      rows.push_back(loop);
  int64_t all = groups.size * columns.size;
  auto fits = [&] {
    return all % lanes == 0 && (columns.size % lanes == 0 || lanes % columns.size == 0);
  };
  lanes = vectorLanes;
  if (!fits())
    lanes /= 2; // the other half of each vector is lost
  if (lanes < 2 || !fits())
    return false;
  vectors = all / lanes;
  return true;
}

/// Takes the loop along which A has the elements of a group, if a vector reaches over groups; false
/// if these are apart.
bool GroupedContraction::setMixed(SmallVectorImpl<Loop> &rows) {
  if (groupsOfVector() == 1 || groups.a == 1)
    return true;
  for (SmallVectorImpl<Loop> *loops : {&rows, static_cast<SmallVectorImpl<Loop> *>(&sums)})
    for (Loop *loop = loops->begin(); loop != loops->end(); ++loop)
      if (loop->a == 1 && loop->size == groups.a) {
        mixed = *loop;
        loops->erase(loop);
        return mixed.size * groupsOfVector() <= 2 * lanes;
      }
  return false;
}

/// Chooses what is computed together: parts of loops over rows, as many as there are registers for.
void GroupedContraction::setTile(SmallVectorImpl<Loop> &rows, int64_t registers) {
  // A loop over rows and one of the sum along which A is read at the same positions.
  auto overlap = [](const Loop &row, const Loop &step) {
    return step.a && row.a && !row.b && (row.a % step.a == 0 || step.a % row.a == 0) &&
           std::max(row.a, step.a) < std::min(row.a * row.size, step.a * step.size);
  };
  llvm::stable_sort(rows, [](const Loop &x, const Loop &y) { return x.a < y.a; });
  Loop *step = sums.end(), *row = llvm::find_if(rows, [&](const Loop &row) {
    step = llvm::find_if(sums, [&](const Loop &step) { return overlap(row, step); });
    return step != sums.end();
  });
  int64_t ofB = 1;
  if (row != rows.end()) {
    window = takePart(*step, mostWindow);
    llvm::erase_if(sums, [](const Loop &loop) { return loop.size == 1; });
    ofB = std::min(window.size, row->size);
    std::rotate(rows.begin(), row, row + 1);
  }
  // Beside the sums, B and an element of A.
  int64_t left = std::max<int64_t>(1, registers - ofB - 1);
  if (!isMixedOfSum())
    left = std::max<int64_t>(1, left / mixed.size);
  for (Loop &loop : rows) {
    Loop part = takePart(loop, loop.b ? 1 : left);
    left /= part.size;
    if (part.size > 1)
      tile.push_back(part);
    if (loop.size > 1)
      outer.push_back(loop);
  }
}

//===--- Copies ---===//

int64_t GroupedContraction::copiedOfB() const {
  return count(sums) * window.size * lanes * (isMixedOfSum() ? mixed.size : 1);
}

int64_t GroupedContraction::copiedOfA() const {
  int64_t all = 1;
  for (const Axis &axis : axes)
    all *= axis.extent;
  return all;
}

/// Finds the dimensions of what is read of A for one vector of lanes: loops that move by multiples
/// of one stride are along one dimension. False if two dimensions overlap in another way.
bool GroupedContraction::setAxes() {
  SmallVector<Loop> loops(sums);
  llvm::append_range(loops, inner);
  llvm::append_range(loops, tile);
  loops.push_back(window);
  if (groupsOfVector() > 1)
    loops.push_back({groupsOfVector() * mixed.size, 1, 0, 0});
  llvm::erase_if(loops, [](const Loop &loop) { return loop.size == 1 || !loop.a; });
  llvm::stable_sort(loops, [](const Loop &x, const Loop &y) { return x.a < y.a; });
  axes.clear();
  for (const Loop &loop : loops) {
    int64_t reach = axes.empty() ? 0 : axes.back().stride * axes.back().extent;
    bool isMultiple = !axes.empty() && loop.a % axes.back().stride == 0;
    if (loop.a < reach && !isMultiple)
      return false;
    if (loop.a > reach || !isMultiple)
      axes.push_back({loop.a, 1});
    axes.back().extent += (loop.size - 1) * (loop.a / axes.back().stride);
  }
  std::reverse(axes.begin(), axes.end());
  return true;
}

bool GroupedContraction::fits(int64_t mostCopied) {
  return setAxes() && copiedOfA() + copiedOfB() <= mostCopied;
}

void GroupedContraction::moveInCopy(Loop &loop) const {
  int64_t inner = 1;
  for (const Axis &axis : llvm::reverse(axes)) {
    if (loop.a % axis.stride == 0 && loop.a < axis.stride * axis.extent) {
      loop.a = loop.a / axis.stride * inner;
      return;
    }
    inner *= axis.extent;
  }
}

/// Moves loops, the innermost ones first, or parts of them, as long as the copies fit.
bool GroupedContraction::moveInside(SmallVectorImpl<Loop> &from, SmallVectorImpl<Loop> &to,
                                    int64_t mostCopied) {
  if (!fits(mostCopied))
    return false;
  while (!from.empty() && (&from == &slices || !from.back().b)) {
    bool isMoved = from.back().size == 1;
    for (int64_t most = from.back().size; most > 1; --most) {
      Loop rest = from.back(), part = takePart(rest, most);
      to.insert(to.begin(), part);
      if (fits(mostCopied)) {
        from.back() = rest;
        isMoved = rest.size == 1;
        break;
      }
      to.erase(to.begin());
    }
    if (!isMoved)
      break;
    from.pop_back();
  }
  return fits(mostCopied);
}

/// Orders the loops: sums of a few steps stay in registers, results of long ones in the cache.
bool GroupedContraction::setOrder(int64_t mostCopied) {
  auto byOperands = [](const Loop &x, const Loop &y) {
    return std::max(x.a, x.b) > std::max(y.a, y.b);
  };
  llvm::stable_sort(sums, byOperands);
  llvm::stable_sort(outer, [](const Loop &x, const Loop &y) { return x.c > y.c; });
  if (count(sums) * window.size <= count(outer) * count(tile)) {
    if (!moveInside(outer, inner, mostCopied))
      return false;
  } else {
    if (vectors == 1 || llvm::any_of(outer, [](const Loop &loop) { return loop.b; }))
      return false;
    std::swap(outer, inner);
    std::swap(sums, slices);
    if (!moveInside(slices, sums, mostCopied))
      return false;
  }
  for (SmallVectorImpl<Loop> *loops : {&inner, &sums, &tile})
    for (Loop &loop : *loops)
      moveInCopy(loop);
  moveInCopy(window);
  return true;
}

std::optional<GroupedContraction> GroupedContraction::plan(DictionaryAttr description, Type element,
                                                           TargetAttr target) {
  auto list = [&](StringRef name) {
    return description.getAs<DenseI64ArrayAttr>(name).asArrayRef();
  };
  ArrayRef<int64_t> sizes = list("sizes"), offsets = list("offsets"), counts = list("loops"),
                    stridesA = list("strides_a"), stridesB = list("strides_b"),
                    stridesC = list("strides_c");
  for (bool isSwapped : {false, true}) {
    SmallVector<Loop> roles[4]; // batch, m, n, k
    size_t next = 0;
    for (auto [role, count] : llvm::zip_equal(roles, counts))
      for (int64_t i = 0; i < count; ++i, ++next)
        role.push_back({sizes[next], (isSwapped ? stridesB : stridesA)[next],
                        (isSwapped ? stridesA : stridesB)[next], stridesC[next]});
    SmallVector<Loop> &rows = roles[isSwapped ? 2 : 1];
    GroupedContraction plan;
    plan.isSwapped = isSwapped;
    plan.offsetA = offsets[isSwapped ? 1 : 0];
    plan.offsetB = offsets[isSwapped ? 0 : 1];
    plan.offsetC = offsets[2];
    plan.sums = roles[3];
    if (!plan.setLanes(roles[0], roles[isSwapped ? 1 : 2], rows, target.getLanes(element)) ||
        !plan.setMixed(rows))
      continue;
    plan.setTile(rows, target.getVectorRegisters());
    int64_t together = count(plan.tile) * (plan.isMixedOfSum() ? 1 : plan.mixed.size);
    if (together >= leastTogether && plan.setOrder(mostCopiedBytes / elementBytes(element)))
      return plan;
  }
  return std::nullopt;
}
