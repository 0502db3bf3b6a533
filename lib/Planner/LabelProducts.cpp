//===- LabelProducts.cpp - Partial plans within rows of memory ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LabelProducts.h.
//
//===----------------------------------------------------------------------===//
#include "LabelProducts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace dmc::planner;

/// Effort: of pairs of labels, fewer are not pruned before all of them are made. That decides time
/// and memory, and where labels are limited what they leave out, which the bound shows.
static constexpr size_t leastToPrune = 4096;

uint32_t LabelProducts::startTrace() {
  origins_.push_back({});
  return static_cast<uint32_t>(origins_.size() - 1);
}

uint32_t LabelProducts::startTrace(uint32_t node, uint32_t state) {
  origins_.push_back({Origin::none, Origin::none, node, state});
  return static_cast<uint32_t>(origins_.size() - 1);
}

bool LabelProducts::multiply(const LabelRange &ofA, const LabelRange &ofB, int64_t budget,
                             llvm::MutableArrayRef<LabelLimit> limits, llvm::ArrayRef<int64_t> rest,
                             Labels &product) {
  const Labels &a = ofA.of, &b = ofB.of;
  const size_t numRows = room_.size();
  product.clear();
  pairs_.clear();
  size_t most = leastToPrune;
  std::vector<int64_t> bytes(numRows);
  effort_.steps -= static_cast<int64_t>(ofA.size() * ofB.size());
  if (effort_.steps < 0)
    return false;
  for (size_t i = ofA.begin; i < ofA.end && effort_.steps >= 0; ++i) {
    // Most pairs are no better than others: they take no memory for long.
    if (product.size() > most) {
      prune(product, rest);
      most = std::max(leastToPrune, 2 * product.size());
    }
    for (size_t j = ofB.begin; j < ofB.end; ++j) {
      int64_t excess = a.excess[i] + b.excess[j];
      // Labels are in the order of their excess.
      if (excess >= budget)
        break;
      const int64_t *bytesOfA = a.bytes.data() + i * numRows,
                    *bytesOfB = b.bytes.data() + j * numRows;
      const int64_t cost = a.cost[i] + b.cost[j];
      bool fits = true;
      for (size_t r = 0; fits && r < numRows; ++r) {
        bytes[r] = bytesOfA[r] + bytesOfB[r];
        fits = bytes[r] <= room_[r];
      }
      if (!fits || !isBelow(limits, cost, bytes.data()))
        continue;
      product.bytes.insert(product.bytes.end(), bytes.begin(), bytes.end());
      product.excess.push_back(excess);
      product.cost.push_back(cost);
      product.trace.push_back(static_cast<uint32_t>(pairs_.size()));
      pairs_.push_back({a.trace[i], b.trace[j], Origin::none, 0});
    }
  }
  prune(product, rest);
  for (uint32_t &trace : product.trace) {
    origins_.push_back(pairs_[trace]);
    trace = static_cast<uint32_t>(origins_.size() - 1);
  }
  return effort_.steps >= 0;
}

bool LabelProducts::dominates(const Labels &labels, uint32_t a, uint32_t b) const {
  const size_t numRows = room_.size();
  if (labels.cost[a] > labels.cost[b])
    return false;
  const int64_t *ofA = labels.bytes.data() + a * numRows, *ofB = labels.bytes.data() + b * numRows;
  for (size_t r = 0; r < numRows; ++r)
    if (ofA[r] > ofB[r])
      return false;
  return true;
}

std::vector<int64_t> LabelProducts::getRest(llvm::ArrayRef<int64_t> below) const {
  std::vector<int64_t> rest;
  rest.reserve(room_.size());
  for (size_t r = 0; r < room_.size(); ++r)
    rest.push_back(totalMost_[r] - below[r]);
  return rest;
}

void LabelProducts::prune(Labels &labels, llvm::ArrayRef<int64_t> rest) {
  const size_t numRows = room_.size();
  for (size_t i = 0; i < labels.size(); ++i)
    for (size_t r = 0; r < numRows; ++r) {
      int64_t &bytes = labels.bytes[i * numRows + r];
      if (bytes + rest[r] <= room_[r])
        bytes = 0;
    }
  if (labels.size() <= 1)
    return;
  std::vector<uint32_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tie(labels.excess[a], labels.cost[a], a) <
           std::tie(labels.excess[b], labels.cost[b], b);
  });
  std::vector<uint32_t> kept;
  for (uint32_t candidate : order) {
    effort_.steps -= static_cast<int64_t>(kept.size());
    if (llvm::any_of(kept, [&](uint32_t other) { return dominates(labels, other, candidate); }))
      continue;
    if (kept.size() == effort_.labels && !effort_.keepsSmall) {
      leastDropped_ = std::min(leastDropped_, labels.excess[candidate]);
      break;
    }
    kept.push_back(candidate);
  }
  if (kept.size() > effort_.labels)
    spread(labels, kept);
  Labels result;
  for (uint32_t i : kept)
    result.append(labels, i);
  labels = std::move(result);
}

/// Leaves as many labels as the limit says: those of the most and of the least bytes, as shares of
/// what is left of the rows, and some in between.
void LabelProducts::spread(const Labels &labels, std::vector<uint32_t> &kept) {
  std::vector<std::pair<double, uint32_t>> bySize;
  for (uint32_t i : kept) {
    double share = 0;
    for (size_t r = 0; r < room_.size(); ++r)
      share += static_cast<double>(labels.bytes[i * room_.size() + r]) /
               static_cast<double>(room_[r] + 1);
    bySize.push_back({share, i});
  }
  std::sort(bySize.begin(), bySize.end());
  std::vector<bool> stays(labels.size(), false);
  for (size_t i = 0, last = effort_.labels - 1; i <= last; ++i)
    stays[bySize[i * (bySize.size() - 1) / std::max<size_t>(last, 1)].second] = true;
  llvm::erase_if(kept, [&](uint32_t i) {
    if (!stays[i])
      leastDropped_ = std::min(leastDropped_, labels.excess[i]);
    return !stays[i];
  });
}

std::vector<uint32_t> LabelProducts::trace(uint32_t label, size_t numNodes) const {
  std::vector<uint32_t> choice(numNodes, 0), open = {label};
  while (!open.empty()) {
    const Origin &origin = origins_[open.back()];
    open.pop_back();
    if (origin.node != Origin::none)
      choice[origin.node] = origin.state;
    for (uint32_t part : {origin.first, origin.second})
      if (part != Origin::none)
        open.push_back(part);
  }
  return choice;
}
