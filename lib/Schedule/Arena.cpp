//===- Arena.cpp - Offsets of buffers in one arena ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Best-fit greedy placement in several orders, and its checks.
//
//===----------------------------------------------------------------------===//
#include "dmc/Schedule/Arena.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

using namespace dmc;

static int64_t alignTo(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

static int64_t align(int64_t bytes) { return alignTo(bytes, getArenaAlignment(bytes)); }

static std::string nameBuffer(size_t index) { return "buffer " + std::to_string(index); }

std::string ArenaProblem::check() const {
  int64_t sum = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const ArenaBuffer &buffer = buffers[i];
    if (buffer.bytes < 0)
      return nameBuffer(i) + " has negative size " + std::to_string(buffer.bytes);
    if (buffer.last < buffer.first)
      return nameBuffer(i) + " ends at step " + std::to_string(buffer.last) +
             " before it starts at step " + std::to_string(buffer.first);
    if (buffer.bytes > std::numeric_limits<int64_t>::max() - arenaAlignment - sum)
      return "the sizes' sum exceeds 64 bits";
    sum += align(buffer.bytes);
  }
  return "";
}

int64_t ArenaProblem::getLowerBound(int64_t *at) const {
  std::map<int64_t, int64_t> changes;
  for (const ArenaBuffer &buffer : buffers) {
    changes[buffer.first] += align(buffer.bytes);
    changes[buffer.last + 1] -= align(buffer.bytes);
  }
  int64_t live = 0, peak = 0;
  for (auto [step, change] : changes) {
    live += change;
    if (live <= peak)
      continue;
    peak = live;
    if (at)
      *at = step;
  }
  return alignTo(peak, arenaAlignment);
}

std::string ArenaPlan::verify(const ArenaProblem &problem) const {
  const std::vector<ArenaBuffer> &buffers = problem.buffers;
  if (offsets.size() != buffers.size())
    return "expected " + std::to_string(buffers.size()) + " offsets, found " +
           std::to_string(offsets.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] % getArenaAlignment(buffers[i].bytes) != 0)
      return nameBuffer(i) + " has unaligned offset " + std::to_string(offsets[i]);
    if (offsets[i] + buffers[i].bytes > bytes)
      return nameBuffer(i) + " ends behind the arena";
  }
  // A sweep over time; those alive are kept by offset, so only neighbours can
  // overlap.
  std::vector<std::pair<int64_t, size_t>> events;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].bytes == 0)
      continue;
    events.push_back({2 * buffers[i].first, i});
    events.push_back({2 * buffers[i].last + 1, i});
  }
  std::sort(events.begin(), events.end());
  std::map<int64_t, size_t> alive;
  for (auto [time, i] : events) {
    if (time == 2 * buffers[i].last + 1) {
      alive.erase(offsets[i]);
      continue;
    }
    auto next = alive.lower_bound(offsets[i]);
    if (next != alive.end() && offsets[i] + buffers[i].bytes > next->first)
      return nameBuffer(i) + " overlaps " + nameBuffer(next->second);
    if (next != alive.begin()) {
      auto previous = std::prev(next);
      if (previous->first + buffers[previous->second].bytes > offsets[i])
        return nameBuffer(i) + " overlaps " + nameBuffer(previous->second);
    }
    alive.emplace(offsets[i], i);
  }
  return "";
}

/// Places the buffers in the order given.
static ArenaPlan placeInOrder(const ArenaProblem &problem, const std::vector<size_t> &order) {
  struct Placed {
    int64_t offset, end, first, last;
  };
  ArenaPlan plan;
  plan.offsets.assign(problem.buffers.size(), 0);
  std::vector<Placed> placed; // by offset
  placed.reserve(order.size());
  for (size_t index : order) {
    const ArenaBuffer &buffer = problem.buffers[index];
    int64_t bytes = align(buffer.bytes), alignment = getArenaAlignment(buffer.bytes);
    int64_t best = -1, bestGap = std::numeric_limits<int64_t>::max(), end = 0;
    for (const Placed &other : placed) {
      if (other.last < buffer.first || buffer.last < other.first)
        continue;
      end = alignTo(end, alignment);
      int64_t gap = other.offset - end;
      if (gap >= bytes && gap < bestGap) {
        best = end;
        bestGap = gap;
        if (gap == bytes)
          break;
      }
      end = std::max(end, other.end);
    }
    if (best < 0)
      best = alignTo(end, alignment);
    plan.offsets[index] = best;
    plan.bytes = std::max(plan.bytes, best + bytes);
    auto position =
        std::lower_bound(placed.begin(), placed.end(), best,
                         [](const Placed &other, int64_t offset) { return other.offset < offset; });
    placed.insert(position, {best, best + bytes, buffer.first, buffer.last});
  }
  plan.bytes = alignTo(plan.bytes, arenaAlignment);
  return plan;
}

ArenaPlan dmc::planArena(const ArenaProblem &problem) {
  const std::vector<ArenaBuffer> &buffers = problem.buffers;
  std::vector<size_t> order;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].bytes > 0)
      order.push_back(i);
  auto orderBy = [&](auto key) {
    std::vector<size_t> sorted = order;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](size_t a, size_t b) { return key(buffers[a]) > key(buffers[b]); });
    return sorted;
  };
  int64_t bound = problem.getLowerBound();
  ArenaPlan best = placeInOrder(
      problem, orderBy([](const ArenaBuffer &b) { return static_cast<double>(b.bytes); }));
  auto consider = [&](const std::vector<size_t> &candidate) {
    if (best.bytes == bound)
      return;
    ArenaPlan plan = placeInOrder(problem, candidate);
    if (plan.bytes < best.bytes)
      best = std::move(plan);
  };
  consider(orderBy(
      [](const ArenaBuffer &b) { return static_cast<double>(b.bytes) * (b.last - b.first + 1); }));
  consider(orderBy([](const ArenaBuffer &b) { return static_cast<double>(b.last - b.first); }));
  consider(orderBy([](const ArenaBuffer &b) { return -static_cast<double>(b.first); }));
  return best;
}
