//===- HloCollectives.cpp - Collectives of StableHLO ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HloProgram.h"

#include <cmath>
#include <numeric>

using namespace dmc;
using namespace dmc::fuzz;

namespace {
/// Which processes act together, and how they are named.
struct Groups {
  std::vector<Shape> ranks;
  bool hasChannel = false, isGlobal = false;

  int64_t getSize() const { return ranks.front().size(); }
  std::string getTable() const {
    std::vector<std::string> rows;
    for (const Shape &row : ranks)
      rows.push_back("[" + join(row) + "]");
    return "dense<[" + join(rows) + "]> : tensor<" + std::to_string(ranks.size()) + "x" +
           std::to_string(getSize()) + "xi64>";
  }
  /// The attributes that all collectives have in common.
  std::string getText(bool knowsGlobal, const char *name = "replica_groups") const {
    return std::string(hasChannel
                           ? "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
                           : "") +
           name + " = " + getTable() + (isGlobal && knowsGlobal ? ", use_global_device_ids" : "");
  }
};

enum class Kind { AllReduce, AllGather, ReduceScatter, AllToAll, Permute };
} // namespace

static bool usesGlobalIds(Kind kind) { return kind != Kind::AllToAll && kind != Kind::Permute; }

/// Writes a collective on `a`; `dim` is split or grows, `other` grows or is split.
static bool addCollective(HloBuilder &g, Kind kind, const Groups &groups, const Value &a,
                          size_t dim, size_t other, Value &result) {
  int64_t size = groups.getSize();
  Combination combination;
  result = a;
  std::string attributes = groups.getText(usesGlobalIds(kind));
  switch (kind) {
  case Kind::AllReduce:
    if (!pickCombination(g, a, size, combination))
      return false;
    break;
  case Kind::ReduceScatter:
    if (a.shape[dim] % size || !pickCombination(g, a, size, combination))
      return false;
    result.shape[dim] /= size;
    attributes += ", scatter_dimension = " + std::to_string(dim) + " : i64";
    break;
  case Kind::AllGather:
    result.shape[dim] *= size;
    attributes += ", all_gather_dim = " + std::to_string(dim) + " : i64";
    break;
  case Kind::AllToAll:
    if (a.shape[other] % size)
      return false;
    result.shape[other] /= size;
    result.shape[dim] *= size;
    attributes += ", split_dimension = " + std::to_string(other) +
                  " : i64, concat_dimension = " + std::to_string(dim) +
                  " : i64, split_count = " + std::to_string(size) + " : i64";
    break;
  case Kind::Permute:
    break;
  }
  if (count(result.shape) > g.maxElements)
    return false;
  static const char *const names[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                      "collective_permute"};
  result.name = g.next();
  if (kind == Kind::Permute) {
    // A ring in each group; some do not send, in all groups the same ones.
    Groups pairs = groups;
    pairs.ranks.clear();
    for (int64_t i = 0; i < size; ++i)
      if (pairs.ranks.empty() || g.random.chance(80))
        for (const Shape &group : groups.ranks)
          pairs.ranks.push_back({group[i], group[(i + 1) % size]});
    attributes = pairs.getText(false, "source_target_pairs");
  }
  g.begin(result.name) << "\"stablehlo." << names[static_cast<int>(kind)] << "\"(" << a.name
                       << ") <{" << attributes << "}>";
  if (!combination.op.empty()) {
    result.bound = combination.bound;
    result.error = combination.error;
    g.os << " " << g.getReducer(combination.op, a.element);
  }
  g.os << " : (" << getType(a) << ") -> " << getType(result) << "\n";
  return true;
}

//===--- Programs of ranks ------------------------------------------------===//

/// Groups of equal size, in any order.
static Groups makeGroups(HloBuilder &g, Kind kind) {
  int64_t ranks = g.numReplicas * g.numPartitions;
  Groups groups;
  // Replicas of one partition, partitions of one replica, or all by number.
  int64_t mode = g.random.below(3);
  int64_t number = g.numReplicas;
  if (mode == 1 && !usesGlobalIds(kind)) {
    groups.hasChannel = true;
    number = g.numPartitions;
  } else if (mode == 2 && usesGlobalIds(kind)) {
    groups.hasChannel = groups.isGlobal = true;
    number = ranks;
  }
  Shape ids(number), divisors;
  std::iota(ids.begin(), ids.end(), 0);
  for (int64_t i = 1; i <= number; ++i)
    if (number % i == 0)
      divisors.push_back(i);
  if (g.random.chance(50))
    g.random.shuffle(ids);
  int64_t size = g.random.pick(divisors);
  for (int64_t i = 0; i < number; i += size)
    groups.ranks.push_back(Shape(ids.begin() + i, ids.begin() + i + size));
  return groups;
}

static bool addAnyCollective(HloBuilder &g) {
  // Ranks may take different paths through a branch or a loop.
  if (!g.isOfRanks() || g.depth > 0)
    return false;
  const Value *found = g.pickIf([](const Value &value) { return !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found, result;
  auto kind = static_cast<Kind>(g.random.below(5));
  Groups groups = makeGroups(g, kind);
  if (!addCollective(g, kind, groups, a, g.random.below(a.shape.size()),
                     g.random.below(a.shape.size()), result))
    return false;
  g.add(result);
  return true;
}

//===--- Manual computations ----------------------------------------------===//

/// The ranks that differ in one axis only.
static Groups getAxisGroups(HloBuilder &g, size_t axis) {
  int64_t inner = 1, total = 1;
  for (size_t i = 0; i < g.mesh.size(); ++i) {
    total *= g.mesh[i].second;
    if (i > axis)
      inner *= g.mesh[i].second;
  }
  Groups groups;
  groups.hasChannel = groups.isGlobal = true;
  int64_t size = g.mesh[axis].second;
  for (int64_t rank = 0; rank < total; ++rank) {
    if (rank / inner % size)
      continue;
    Shape group;
    for (int64_t i = 0; i < size; ++i)
      group.push_back(rank + i * inner);
    groups.ranks.push_back(group);
  }
  return groups;
}

static bool addManual(HloBuilder &g) {
  if (g.isOfRanks() || g.depth > 0)
    return false;
  size_t axis = g.random.below(g.mesh.size());
  int64_t size = g.mesh[axis].second;
  const Value *found = g.pickIf([](const Value &value) { return !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found;
  size_t dim = g.random.below(a.shape.size()), other = g.random.below(a.shape.size());
  auto kind = static_cast<Kind>(g.random.below(5));
  if (a.shape[dim] % size || (kind == Kind::AllToAll && dim == other))
    return false;
  if (kind == Kind::ReduceScatter)
    dim = other;
  Value part = a;
  size_t splitDim = kind == Kind::ReduceScatter ? g.random.below(a.shape.size()) : dim;
  if (a.shape[splitDim] % size)
    return false;
  part.shape[splitDim] /= size;
  part.name = g.next();
  std::string before = g.body, inner = part.name, name = g.next();
  g.body.clear();
  Value result;
  bool isDone = addCollective(g, kind, getAxisGroups(g, axis), part, dim, other, result);
  std::string text = g.body;
  g.body = before;
  if (!isDone)
    return false;
  auto getSharding = [&](std::optional<size_t> split) {
    Layout layout;
    layout.dims.resize(a.shape.size());
    if (split)
      layout.dims[*split] = "\"" + g.mesh[axis].first + "\"";
    return layout.getSdy();
  };
  std::optional<size_t> outDim;
  if (kind == Kind::ReduceScatter)
    outDim = dim;
  else if (kind == Kind::AllToAll)
    outDim = other;
  else if (kind == Kind::Permute)
    outDim = splitDim;
  std::vector<std::string> axes;
  for (auto &[axisName, axisSize] : g.mesh)
    axes.push_back("\"" + axisName + "\"");
  Value out = result;
  out.name = name;
  if (outDim)
    out.shape[*outDim] *= size;
  g.begin(name) << "sdy.manual_computation(" << a.name << ") in_shardings=["
                << getSharding(splitDim) << "] out_shardings=[" << getSharding(outDim)
                << "] manual_axes={" << join(axes) << "} (" << inner << ": " << getType(part)
                << ") {\n"
                << text << "    sdy.return " << result.name << " : " << getType(result)
                << "\n    } : (" << getType(a) << ") -> " << getType(out) << "\n";
  g.add(out);
  return true;
}

const std::vector<HloForm> fuzz::hloCollectives = {&addAnyCollective, &addManual};
