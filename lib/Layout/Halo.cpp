//===- Halo.cpp - Windows over a split dimension --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every position gets the part of its window that it lacks from those that hold it, in as
// few rounds as the busiest position has transfers.
//
//===----------------------------------------------------------------------===//
#include "dmc/Layout/Halo.h"

#include "ReshardTools.h"

using namespace dmc;

static int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

int64_t Windows::firstElement(int64_t window) const { return -floorDiv(-begin(window), dilation); }

/// The block of each position.
static std::vector<DimBlock> makeBlocks(int64_t n, const std::vector<int64_t> &axisSizes,
                                        int64_t count) {
  std::vector<DimBlock> result;
  std::vector<int64_t> coordinates(axisSizes.size());
  for (int64_t position = 0; position < count; ++position) {
    int64_t rest = position;
    for (size_t axis = axisSizes.size(); axis-- > 0;) {
      coordinates[axis] = rest % axisSizes[axis];
      rest /= axisSizes[axis];
    }
    result.push_back(block(n, axisSizes, coordinates));
  }
  return result;
}

HaloPlan dmc::planHalo(const Windows &windows, const std::vector<int64_t> &axisSizes) {
  std::vector<DimBlock> blocks = makeBlocks(windows.size, axisSizes, windows.count);
  HaloPlan plan;
  std::vector<Transfer> transfers;
  for (int64_t target = 0; target < windows.count; ++target) {
    int64_t first = windows.firstElement(target);
    // Elements at positions below the window's end.
    int64_t last = floorDiv(windows.begin(target) + windows.length - 1, windows.dilation) + 1;
    int64_t begin = std::max<int64_t>(first, 0), end = std::min(last, windows.size);
    auto add = [&](int64_t source, std::vector<Transfer> &list) {
      int64_t from = std::max(begin, blocks[source].begin), to = std::min(end, blocks[source].end);
      if (from < to)
        list.push_back(
            {source, target, {from - blocks[source].begin}, {from - first}, {to - from}});
    };
    add(target, plan.kept);
    if (axisSizes.empty())
      continue;
    // Blocks begin in order; empty ones may lie between.
    auto next =
        std::upper_bound(blocks.begin(), blocks.end(), begin,
                         [](int64_t value, const DimBlock &other) { return value < other.end; });
    for (; next != blocks.end() && next->begin < end; ++next)
      if (int64_t source = next - blocks.begin(); source != target)
        add(source, transfers);
  }
  plan.rounds = makeRounds(std::move(transfers), windows.count);
  return plan;
}

int64_t HaloPlan::elements() const {
  int64_t result = 0;
  for (const TransferRound &round : rounds)
    result += round.shape.front();
  return result;
}

Traffic dmc::haloTraffic(const Windows &windows, const std::vector<int64_t> &axisSizes,
                         double rowBytes) {
  HaloPlan plan = planHalo(windows, axisSizes);
  return {static_cast<double>(plan.elements()) * rowBytes,
          static_cast<int64_t>(plan.rounds.size())};
}

bool dmc::cutsUniformly(int64_t n, const std::vector<int64_t> &axisSizes) {
  for (size_t axis = 0; axis < axisSizes.size(); ++axis) {
    int64_t size = ceilDiv(n, axisSizes[axis]);
    if (axis > 0 && size * axisSizes[axis] != n)
      return false;
    n = size;
  }
  return true;
}

bool dmc::cutsAlike(int64_t m, int64_t n, const std::vector<int64_t> &axisSizes) {
  for (int64_t p : axisSizes) {
    m = ceilDiv(m, p);
    n = ceilDiv(n, p);
    if (m != n)
      return false;
  }
  return true;
}
