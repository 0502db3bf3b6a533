//===- Arena.cpp - Offsets of buffers in one arena ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Best-fit greedy placement in several orders, a search among others, and checks.
//
//===----------------------------------------------------------------------===//
#include "dmc/Schedule/Arena.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <random>

using namespace dmc;

/// Alignments are powers of two: a division by one would take most of the time of a plan.
static int64_t alignTo(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) & -alignment;
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

static constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

/// Where a buffer goes: the first has fewer bytes lost at once, of the second a change of the
/// order changes less of the plan.
enum class Gap { Tightest, Lowest };

namespace {
/// Bytes of the arena that are taken.
struct Taken {
  int64_t offset, end;
  bool operator<(const Taken &other) const { return offset < other.offset; }
};

/// Buffers by offset: a column for each property, so that those alive with another one are found
/// without a branch for each.
class Columns {
public:
  size_t size() const { return offsets.size(); }

  void reserve(size_t most) {
    for (auto *column : {&offsets, &ends, &firsts, &lasts})
      column->reserve(most);
  }

  void add(int64_t offset, int64_t bytes, const ArenaBuffer &buffer) {
    auto at = std::lower_bound(offsets.begin(), offsets.end(), offset) - offsets.begin();
    offsets.insert(offsets.begin() + at, offset);
    ends.insert(ends.begin() + at, offset + bytes);
    firsts.insert(firsts.begin() + at, buffer.first);
    lasts.insert(lasts.begin() + at, buffer.last);
  }

  /// Lists those from `start` to before `end` that are alive with the buffer; returns how many.
  size_t findAlive(const ArenaBuffer &buffer, size_t start, size_t end, Taken *alive) const {
    size_t count = 0;
    for (size_t i = start; i < end; ++i) {
      alive[count] = {offsets[i], ends[i]};
      count += static_cast<size_t>(lasts[i] >= buffer.first) &
               static_cast<size_t>(buffer.last >= firsts[i]);
    }
    return count;
  }

private:
  std::vector<int64_t> offsets, ends, firsts, lasts;
};

/// Finds the gap for a buffer between those that are alive with it, which come by offset.
class GapSearch {
public:
  GapSearch(const ArenaBuffer &buffer, Gap chosen)
      : bytes(align(buffer.bytes)), alignment(getArenaAlignment(buffer.bytes)), chosen(chosen) {}

  /// True: no other gap is better.
  bool add(const Taken &taken) {
    end = alignTo(end, alignment);
    int64_t gap = taken.offset - end;
    if (gap >= bytes && gap < bestGap) {
      best = end;
      bestGap = gap;
      if (gap == bytes || chosen == Gap::Lowest)
        return true;
    }
    end = std::max(end, taken.end);
    return false;
  }

  int64_t getOffset() const { return best < 0 ? alignTo(end, alignment) : best; }

private:
  int64_t bytes, alignment;
  Gap chosen;
  int64_t best = -1, bestGap = unlimited, end = 0;
};

/// The buffers that are placed. Most of a program's live for a few steps, and are alive with few
/// others of that kind: these are in parts of time, so that a gap among all that are alive with one
/// of them is found without a look at the rest.
class PlacedBuffers {
public:
  PlacedBuffers(const std::vector<ArenaBuffer> &buffers, size_t most, Gap chosen) : chosen(chosen) {
    all.reserve(most);
    // The lowest gap is mostly found before all buffers were looked at.
    if (chosen == Gap::Lowest || most < 2 * sizeOfPart)
      return;
    int64_t end = 1;
    for (const ArenaBuffer &buffer : buffers) {
      start = std::min(start, buffer.first);
      end = std::max(end, buffer.last + 1);
    }
    auto numParts = static_cast<int64_t>(most / sizeOfPart);
    stepsOfPart = (end - start + numParts - 1) / numParts;
    parts.resize(numParts);
  }

  size_t size() const { return all.size(); }

  void add(int64_t offset, int64_t bytes, const ArenaBuffer &buffer) {
    all.add(offset, bytes, buffer);
    if (parts.empty())
      return;
    auto [first, last] = getParts(buffer);
    if (last > first + 1)
      return lasting.add(offset, bytes, buffer);
    for (size_t part = first; part <= last; ++part)
      parts[part].add(offset, bytes, buffer);
  }

  /// Where the buffer fits between those that are alive with it.
  int64_t findOffset(const ArenaBuffer &buffer) {
    GapSearch search(buffer, chosen);
    if (parts.empty())
      return findAmongAll(buffer, search);
    auto [first, last] = getParts(buffer);
    if (last > first + 1)
      return findAmongAll(buffer, search);
    alive.resize(lasting.size() + parts[first].size() + parts[last].size());
    size_t count = lasting.findAlive(buffer, 0, lasting.size(), alive.data());
    for (size_t part = first; part <= last; ++part) {
      size_t more = parts[part].findAlive(buffer, 0, parts[part].size(), alive.data() + count);
      std::inplace_merge(alive.begin(), alive.begin() + count, alive.begin() + count + more);
      count += more;
    }
    for (size_t i = 0; i < count; ++i)
      if (search.add(alive[i]))
        break;
    return search.getOffset();
  }

private:
  /// Effort alone, offsets do not depend on it: so many buffers there are for each part, about, and
  /// so many are looked at before it is asked whether a gap among them will do.
  static constexpr size_t sizeOfPart = 256;

  /// The first and the last part in which a buffer is alive.
  std::pair<size_t, size_t> getParts(const ArenaBuffer &buffer) const {
    return {(buffer.first - start) / stepsOfPart, (buffer.last - start) / stepsOfPart};
  }

  int64_t findAmongAll(const ArenaBuffer &buffer, GapSearch &search) const {
    std::array<Taken, sizeOfPart> block;
    for (size_t from = 0; from < size(); from += block.size()) {
      size_t count =
          all.findAlive(buffer, from, std::min(from + block.size(), size()), block.data());
      for (size_t i = 0; i < count; ++i)
        if (search.add(block[i]))
          return search.getOffset();
    }
    return search.getOffset();
  }

  Gap chosen;
  int64_t start = 0, stepsOfPart = 1;
  Columns all, lasting;
  std::vector<Columns> parts;
  std::vector<Taken> alive;
};
} // namespace

/// Places the buffers in the order given, or up to the first one that ends behind `most`; adds to
/// `comparisons` how many pairs it looks at.
static ArenaPlan placeInOrder(const ArenaProblem &problem, const std::vector<size_t> &order,
                              Gap chosen, int64_t most, int64_t &comparisons) {
  ArenaPlan plan;
  plan.offsets.assign(problem.buffers.size(), 0);
  PlacedBuffers placed(problem.buffers, order.size(), chosen);
  for (size_t index : order) {
    const ArenaBuffer &buffer = problem.buffers[index];
    comparisons += static_cast<int64_t>(placed.size());
    int64_t offset = placed.findOffset(buffer), bytes = align(buffer.bytes);
    plan.offsets[index] = offset;
    plan.bytes = std::max(plan.bytes, offset + bytes);
    if (plan.bytes > most)
      break;
    placed.add(offset, bytes, buffer);
  }
  plan.bytes = alignTo(plan.bytes, arenaAlignment);
  return plan;
}

namespace {
/// An order of buffers and its plan.
struct Candidate {
  std::vector<size_t> order;
  ArenaPlan plan;
};

/// Searches orders from a first one on, always with the lowest gap: changes where a buffer at the
/// arena's end, or one that is alive with it, stands in the order, and keeps what makes the arena
/// no larger.
class Search {
public:
  // NOLINTNEXTLINE(bugprone-random-generator-seed): a program's plan is always the same.
  Search(const ArenaProblem &problem, std::vector<size_t> order, int64_t budget)
      : buffers(problem.buffers), problem(problem), budget(budget) {
    current = place(std::move(order), unlimited);
  }

  ArenaPlan run(int64_t bound) {
    while (current.plan.bytes > bound && budget > 0)
      if (Candidate next = place(change(), current.plan.bytes);
          next.plan.bytes <= current.plan.bytes)
        current = std::move(next);
    return std::move(current.plan);
  }

private:
  Candidate place(std::vector<size_t> order, int64_t most) {
    // What chooses a change looks at each buffer, too.
    int64_t comparisons = static_cast<int64_t>(order.size());
    ArenaPlan plan = placeInOrder(problem, order, Gap::Lowest, most, comparisons);
    budget -= comparisons;
    return {std::move(order), std::move(plan)};
  }

  size_t choose(size_t count) { return random() % count; }

  std::vector<size_t> change() {
    std::vector<size_t> order = current.order;
    size_t position = choosePosition([&](size_t buffer) {
      return alignTo(current.plan.offsets[buffer] + align(buffers[buffer].bytes), arenaAlignment) ==
             current.plan.bytes;
    });
    const ArenaBuffer &last = buffers[order[position]];
    size_t other = choosePosition([&](size_t buffer) {
      return buffers[buffer].first <= last.last && last.first <= buffers[buffer].last;
    });
    switch (choose(4)) {
    case 0:
      std::swap(order[position], order[other]);
      break;
    case 1:
      move(order, other, choose(order.size()));
      break;
    default:
      move(order, position, choose(position + 1));
    }
    return order;
  }

  /// One of the positions in the order whose buffer is such; there is one.
  template <typename Predicate>
  size_t choosePosition(Predicate isSuch) {
    std::vector<size_t> positions;
    for (size_t i = 0; i < current.order.size(); ++i)
      if (isSuch(current.order[i]))
        positions.push_back(i);
    return positions[choose(positions.size())];
  }

  static void move(std::vector<size_t> &order, size_t from, size_t to) {
    auto begin = order.begin();
    if (from < to)
      std::rotate(begin + from, begin + from + 1, begin + to + 1);
    else
      std::rotate(begin + to, begin + from, begin + from + 1);
  }

  const std::vector<ArenaBuffer> &buffers;
  const ArenaProblem &problem;
  int64_t budget;
  Candidate current;
  /// The same sequence in every library.
  std::minstd_rand random;
};
} // namespace

ArenaPlan dmc::planArena(const ArenaProblem &problem, int64_t comparisons) {
  const std::vector<ArenaBuffer> &buffers = problem.buffers;
  std::vector<size_t> order;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].bytes > 0)
      order.push_back(i);
  int64_t bound = problem.getLowerBound(), spent = 0;
  ArenaPlan best;
  auto consider = [&](ArenaPlan plan) {
    if (best.offsets.empty() || plan.bytes < best.bytes)
      best = std::move(plan);
  };
  std::vector<std::vector<size_t>> orders;
  auto tryOrder = [&](auto key) {
    if (!best.offsets.empty() && best.bytes == bound)
      return;
    std::vector<size_t> &sorted = orders.emplace_back(order);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](size_t a, size_t b) { return key(buffers[a]) > key(buffers[b]); });
    // Those that are no smaller need not be known.
    int64_t most = best.offsets.empty() ? unlimited : best.bytes - arenaAlignment;
    consider(placeInOrder(problem, sorted, Gap::Tightest, most, spent));
  };
  tryOrder([](const ArenaBuffer &b) { return static_cast<double>(b.bytes); });
  tryOrder(
      [](const ArenaBuffer &b) { return static_cast<double>(b.bytes) * (b.last - b.first + 1); });
  tryOrder([](const ArenaBuffer &b) { return static_cast<double>(b.last - b.first); });
  tryOrder([](const ArenaBuffer &b) { return -static_cast<double>(b.first); });
  int64_t budget = comparisons / static_cast<int64_t>(orders.size());
  for (std::vector<size_t> &first : orders)
    if (best.bytes > bound && budget > 0)
      consider(Search(problem, std::move(first), budget).run(bound));
  return best;
}
