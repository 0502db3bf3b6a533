//===- Redistribute.cpp - Transfers from any split to any other -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who sends which box to whom. A price needs neither the boxes nor, where a bound on it
// is too much already, the rounds. The same few problems are priced for many moves.
//
//===----------------------------------------------------------------------===//
#include "ReshardTools.h"

#include <algorithm>
#include <cassert>

using namespace dmc;

namespace {
/// A redistribution without what both layouts split alike: that part runs within each
/// block of the common cut.
struct Reduced {
  Layout from, to;
  std::vector<int64_t> shape;
  std::vector<AxisRef> axes;
};

/// The blocks of a layout that have elements, and the one of each position.
class Holders {
public:
  static constexpr int32_t none = -1;

  Holders(const Mesh &mesh, const Layout &layout, const std::vector<int64_t> &shape,
          const std::vector<int64_t> &ranks);

  size_t size() const { return volumes.size(); }
  int32_t blockOf(size_t position) const { return blocks[position]; }
  /// Of a block, one for each dimension.
  const DimBlock *boxOf(size_t block) const { return boxes.data() + block * rank; }
  int64_t volumeOf(size_t block) const { return volumes[block]; }

private:
  const size_t rank;
  std::vector<int32_t> blocks;
  std::vector<DimBlock> boxes;
  std::vector<int64_t> volumes;
};

/// What a position lacks of a block.
struct Demand {
  int32_t target, block;
  int64_t volume;
  int64_t source = 0;
};

/// Everything that has to be sent.
class Demands {
public:
  Demands(const Mesh &mesh, Reduced reduced);

  /// No order of the transfers sends less. Traffic here is in elements.
  Traffic least() const { return {static_cast<double>(mostElements), numRounds}; }
  /// What the rounds send, which are as large as their largest transfers.
  Traffic price() const;
  /// The same where all transfers are equally large: however they are divided, each round is.
  std::optional<Traffic> priceIfEqual() const;
  Redistribution makePlan() const;
  /// Largest first; the holders of a block alternate.
  void chooseSources();
  /// With these sources no order of the transfers sends less: a position that takes part in k
  /// transfers of a volume or more makes so many rounds as large.
  Traffic leastOfRounds() const;

private:
  int64_t commonVolume(size_t heldBlock, size_t wantedBlock) const;
  /// Of each block that is wanted, those that have a part of it, and the elements of that.
  using Parts = std::vector<std::pair<int32_t, int64_t>>;
  std::vector<Parts> findParts() const;
  Transfer makeTransfer(int64_t source, int64_t target, size_t block) const;

  const Reduced problem;
  const std::vector<int64_t> ranks;
  const Holders held, wanted;
  std::vector<char> keepsAll;
  std::vector<Demand> demands;
  int64_t mostElements = 0, numRounds = 0;
};
} // namespace

static int64_t elementsOf(const DimBlock *box, size_t rank) {
  int64_t volume = 1;
  for (size_t d = 0; d < rank; ++d)
    volume *= box[d].valid();
  return volume;
}

static DimBlock intersect(const DimBlock &a, const DimBlock &b) {
  int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end)), 0};
}

static Reduced reduceProblem(const Mesh &mesh, const Layout &from, const Layout &to,
                             const std::vector<int64_t> &shape) {
  Reduced result{from.canonical(), to.canonical(), shape, {}};
  Layout &a = result.from, &b = result.to;
  AxisCuts cuts(mesh, {&a, &b});
  if (a.placed == b.placed) {
    a.placed.clear();
    b.placed.clear();
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    size_t common = 0;
    while (common < a.dims[d].size() && common < b.dims[d].size() &&
           a.dims[d][common] == b.dims[d][common] && cuts.isAgreed(a.dims[d][common])) {
      result.shape[d] = localSize(result.shape[d], {a.dims[d][common].size});
      ++common;
    }
    a.dims[d].erase(a.dims[d].begin(), a.dims[d].begin() + common);
    b.dims[d].erase(b.dims[d].begin(), b.dims[d].begin() + common);
  }
  result.axes = cuts.partsOf({&a, &b});
  return result;
}

Holders::Holders(const Mesh &mesh, const Layout &layout, const std::vector<int64_t> &shape,
                 const std::vector<int64_t> &ranks)
    : rank(shape.size()), blocks(ranks.size(), none) {
  std::vector<DimBlock> all(ranks.size() * rank);
  for (size_t d = 0; d < rank; ++d) {
    BlocksOfDim blocksOf(mesh, layout.dims[d], shape[d]);
    for (size_t position = 0; position < ranks.size(); ++position)
      all[position * rank + d] = blocksOf.at(ranks[position]);
  }
  NumberTable numbers;
  for (size_t position = 0; position < ranks.size(); ++position) {
    const DimBlock *box = all.data() + position * rank;
    int64_t volume = elementsOf(box, rank);
    if (volume == 0 || !holds(mesh, layout, ranks[position]))
      continue;
    uint64_t hash = 0;
    for (const DimBlock *part = box; part != box + rank; ++part)
      hash = mixHash(hash, part->begin);
    uint32_t block = numbers.findOrAdd(hash, size(), [&](uint32_t other) {
      for (size_t d = 0; d < rank; ++d)
        if (boxOf(other)[d].begin != box[d].begin)
          return false;
      return true;
    });
    if (block == size()) {
      boxes.insert(boxes.end(), box, box + rank);
      volumes.push_back(volume);
    }
    blocks[position] = static_cast<int32_t>(block);
  }
}

int64_t Demands::commonVolume(size_t heldBlock, size_t wantedBlock) const {
  const DimBlock *a = held.boxOf(heldBlock), *b = wanted.boxOf(wantedBlock);
  int64_t volume = 1;
  for (size_t d = 0; d < problem.shape.size() && volume > 0; ++d)
    volume *= intersect(a[d], b[d]).valid();
  return volume;
}

/// Blocks that are held are cells of a grid: only those that a wanted block reaches are looked at.
std::vector<Demands::Parts> Demands::findParts() const {
  const size_t rank = problem.shape.size();
  std::vector<std::vector<int64_t>> begins(rank);
  std::vector<size_t> strides(rank, 1);
  size_t size = 1;
  for (size_t d = 0; d < rank; ++d) {
    for (size_t block = 0; block < held.size(); ++block)
      begins[d].push_back(held.boxOf(block)[d].begin);
    std::sort(begins[d].begin(), begins[d].end());
    begins[d].erase(std::unique(begins[d].begin(), begins[d].end()), begins[d].end());
    strides[d] = size;
    size *= begins[d].size();
  }
  std::vector<int32_t> cells(size, Holders::none);
  for (size_t block = 0; block < held.size(); ++block) {
    size_t cell = 0;
    for (size_t d = 0; d < rank; ++d)
      cell += strides[d] * static_cast<size_t>(std::lower_bound(begins[d].begin(), begins[d].end(),
                                                                held.boxOf(block)[d].begin) -
                                               begins[d].begin());
    cells[cell] = static_cast<int32_t>(block);
  }
  std::vector<Parts> parts(wanted.size());
  std::vector<size_t> from(rank), to(rank), at(rank);
  for (size_t block = 0; block < wanted.size(); ++block) {
    const DimBlock *box = wanted.boxOf(block);
    bool isReached = true;
    for (size_t d = 0; d < rank; ++d) {
      auto first = std::upper_bound(begins[d].begin(), begins[d].end(), box[d].begin);
      auto last = std::lower_bound(first, begins[d].end(), box[d].end);
      // The one in front may reach into it.
      from[d] = static_cast<size_t>(first - begins[d].begin());
      from[d] -= from[d] > 0;
      to[d] = static_cast<size_t>(last - begins[d].begin());
      isReached &= from[d] < to[d];
    }
    if (!isReached)
      continue;
    at = from;
    for (bool isInside = true; isInside;) {
      size_t cell = 0;
      for (size_t d = 0; d < rank; ++d)
        cell += strides[d] * at[d];
      if (int32_t other = cells[cell]; other != Holders::none)
        if (int64_t volume = commonVolume(other, block))
          parts[block].push_back({other, volume});
      isInside = false;
      for (size_t d = 0; d < rank && !isInside; ++d) {
        isInside = ++at[d] < to[d];
        if (!isInside)
          at[d] = from[d];
      }
    }
    std::sort(parts[block].begin(), parts[block].end());
  }
  return parts;
}

Demands::Demands(const Mesh &mesh, Reduced reduced)
    : problem(std::move(reduced)), ranks(group(mesh, problem.axes, 0)),
      held(mesh, problem.from, problem.shape, ranks),
      wanted(mesh, problem.to, problem.shape, ranks), keepsAll(ranks.size(), 0) {
  std::vector<Parts> parts = findParts();
  struct Load {
    int64_t holders = 0, demands = 0, elements = 0;
  };
  std::vector<Load> loads(held.size());
  for (size_t target = 0; target < ranks.size(); ++target) {
    int32_t own = held.blockOf(target), block = wanted.blockOf(target);
    if (own != Holders::none)
      ++loads[own].holders;
    if (block == Holders::none)
      continue;
    int64_t elements = 0, count = 0;
    for (auto [other, volume] : parts[block]) {
      if (other == own)
        continue;
      demands.push_back({static_cast<int32_t>(target), other, volume});
      ++loads[other].demands;
      loads[other].elements += volume;
      elements += volume;
      ++count;
    }
    keepsAll[target] = count == 0;
    mostElements = std::max(mostElements, elements);
    numRounds = std::max(numRounds, count);
  }
  for (const Load &load : loads) {
    mostElements = std::max(mostElements, ceilDiv(load.elements, load.holders));
    numRounds = std::max(numRounds, ceilDiv(load.demands, load.holders));
  }
}

void Demands::chooseSources() {
  // Of each block those first that need not serve themselves, so that a permutation is one.
  std::vector<std::vector<int64_t>> holders(held.size());
  for (char keeps : {0, 1})
    for (size_t position = 0; position < ranks.size(); ++position)
      if (held.blockOf(position) != Holders::none && keepsAll[position] == keeps)
        holders[held.blockOf(position)].push_back(static_cast<int64_t>(position));
  sortLargestFirst(demands, [](const Demand &demand) { return demand.volume; });
  std::vector<size_t> nextSource(held.size(), 0);
  for (Demand &demand : demands) {
    const std::vector<int64_t> &list = holders[demand.block];
    demand.source = list[nextSource[demand.block]++ % list.size()];
  }
}

Traffic Demands::leastOfRounds() const {
  std::vector<int64_t> sent(ranks.size(), 0), received(ranks.size(), 0);
  double elements = 0;
  int64_t rounds = 0;
  for (size_t i = 0; i < demands.size();) {
    const int64_t volume = demands[i].volume;
    int64_t most = rounds;
    for (; i < demands.size() && demands[i].volume == volume; ++i)
      most = std::max({most, ++sent[demands[i].source], ++received[demands[i].target]});
    elements += static_cast<double>(most - rounds) * static_cast<double>(volume);
    rounds = most;
  }
  return {elements, rounds};
}

Traffic Demands::price() const {
  std::vector<Edge> edges;
  edges.reserve(demands.size());
  for (const Demand &demand : demands)
    edges.push_back({demand.source, demand.target});
  std::vector<int32_t> rounds = colourEdges(edges, static_cast<int64_t>(ranks.size()), numRounds);
  const size_t rank = problem.shape.size();
  std::vector<int64_t> shapes(numRounds * rank, 0);
  for (size_t i = 0; i < demands.size(); ++i) {
    const DimBlock *a = held.boxOf(demands[i].block);
    const DimBlock *b = wanted.boxOf(wanted.blockOf(demands[i].target));
    for (size_t d = 0; d < rank; ++d) {
      int64_t &size = shapes[rounds[i] * rank + d];
      size = std::max(size, intersect(a[d], b[d]).valid());
    }
  }
  Traffic result;
  for (int64_t round = 0; round < numRounds; ++round) {
    double elements = 1;
    for (size_t d = 0; d < rank; ++d)
      elements *= static_cast<double>(shapes[round * rank + d]);
    result += {elements, 1};
  }
  return result;
}

std::optional<Traffic> Demands::priceIfEqual() const {
  const size_t rank = problem.shape.size();
  std::vector<int64_t> shape;
  for (const Demand &demand : demands) {
    // Boxes of equal volumes may differ in shape.
    if (demand.volume != demands.front().volume)
      return std::nullopt;
    const DimBlock *a = held.boxOf(demand.block);
    const DimBlock *b = wanted.boxOf(wanted.blockOf(demand.target));
    for (size_t d = 0; d < rank; ++d) {
      int64_t size = intersect(a[d], b[d]).valid();
      if (&demand == &demands.front())
        shape.push_back(size);
      else if (size != shape[d])
        return std::nullopt;
    }
  }
  double elements = 1;
  for (int64_t size : shape)
    elements *= static_cast<double>(size);
  Traffic result;
  for (int64_t round = 0; round < numRounds; ++round)
    result += {elements, 1};
  return result;
}

Transfer Demands::makeTransfer(int64_t source, int64_t target, size_t block) const {
  Transfer transfer{source, target, {}, {}, {}};
  const DimBlock *a = held.boxOf(block), *b = wanted.boxOf(wanted.blockOf(target));
  for (size_t d = 0; d < problem.shape.size(); ++d) {
    DimBlock common = intersect(a[d], b[d]);
    transfer.sourceOffset.push_back(common.begin - a[d].begin);
    transfer.targetOffset.push_back(common.begin - b[d].begin);
    transfer.size.push_back(common.valid());
  }
  return transfer;
}

Redistribution Demands::makePlan() const {
  Redistribution result;
  result.axes = problem.axes;
  for (size_t position = 0; position < ranks.size(); ++position) {
    int32_t own = held.blockOf(position), block = wanted.blockOf(position);
    if (own != Holders::none && block != Holders::none && commonVolume(own, block) > 0)
      result.kept.push_back(makeTransfer(position, position, own));
  }
  std::vector<Transfer> transfers;
  transfers.reserve(demands.size());
  for (const Demand &demand : demands)
    transfers.push_back(makeTransfer(demand.source, demand.target, demand.block));
  result.rounds = makeRounds(std::move(transfers), static_cast<int64_t>(ranks.size()));
  return result;
}

/// The problem of layouts that have the same partial axes; nothing where it has more positions.
static std::optional<Reduced> findProblem(const Mesh &mesh, const Layout &from, const Layout &to,
                                          const std::vector<int64_t> &shape, int64_t maxPositions) {
  Reduced problem = reduceProblem(mesh, from, to, shape);
  if (problem.from.partial != problem.to.partial || problem.from.combiner != problem.to.combiner ||
      groupSize(problem.axes) > maxPositions)
    return std::nullopt;
  return problem;
}

std::optional<Redistribution> dmc::planRedistribution(const Mesh &mesh, const Layout &from,
                                                      const Layout &to,
                                                      const std::vector<int64_t> &shape,
                                                      int64_t maxPositions) {
  std::optional<Reduced> problem = findProblem(mesh, from, to, shape, maxPositions);
  if (!problem)
    return std::nullopt;
  Demands demands(mesh, std::move(*problem));
  demands.chooseSources();
  return demands.makePlan();
}

/// Takes the dimensions out that neither layout splits; returns how many elements they have. Boxes
/// have all of them. A dimension without elements stays: there is nothing to send.
static double takeWholeDims(Reduced &problem) {
  double elements = 1;
  for (size_t d = problem.shape.size(); d-- > 0;) {
    if (!problem.from.dims[d].empty() || !problem.to.dims[d].empty() || problem.shape[d] == 0)
      continue;
    auto at = static_cast<std::ptrdiff_t>(d);
    elements *= static_cast<double>(problem.shape[d]);
    problem.shape.erase(problem.shape.begin() + at);
    problem.from.dims.erase(problem.from.dims.begin() + at);
    problem.to.dims.erase(problem.to.dims.begin() + at);
  }
  return elements;
}

/// Equal for problems whose positions have the same transfers: axes by their place among those in
/// use, and their sizes.
static std::string getKey(const Mesh &mesh, const Reduced &problem) {
  std::string key;
  auto add = [&](int64_t number) {
    key.append(reinterpret_cast<const char *>(&number), sizeof(number));
  };
  std::vector<int64_t> places(mesh.size(), -1);
  int64_t numUsed = 0;
  auto addAxis = [&](const AxisRef &axis) {
    add(places[axis.axis]);
    add(axis.preSize);
    add(axis.size);
  };
  for (const AxisRef &axis : problem.axes) {
    int64_t &place = places[axis.axis];
    if (place < 0) {
      place = numUsed++;
      add(mesh.axis(axis.axis).size);
    }
    addAxis(axis);
  }
  for (const Layout *layout : {&problem.from, &problem.to}) {
    add(-1);
    for (const auto &axes : layout->dims) {
      add(static_cast<int64_t>(axes.size()));
      for (const AxisRef &axis : axes)
        addAxis(axis);
    }
    for (const PlacedAxis &entry : layout->placed) {
      addAxis(entry.axis);
      add(entry.coordinate);
    }
  }
  for (int64_t size : problem.shape)
    add(size);
  return key;
}

std::optional<Traffic>
RedistributionPrices::get(const Layout &from, const Layout &to, const std::vector<int64_t> &shape,
                          int64_t elementBytes,
                          const std::function<bool(const Traffic &)> &isTooMuch) {
  std::optional<Reduced> problem = findProblem(mesh, from, to, shape, maxRedistributedPositions);
  if (!problem)
    return std::nullopt;
  double unit = takeWholeDims(*problem) * static_cast<double>(elementBytes);
  auto inBytes = [&](const Traffic &elements) {
    return Traffic{elements.bytes * unit, elements.messages};
  };
  auto [entry, isNew] = known.try_emplace(getKey(mesh, *problem));
  Price &price = entry->second;
  if (price.isExact)
    return inBytes(price.traffic);
  auto exceeds = [&](const Traffic &least) {
    price.traffic = least;
    return isTooMuch && isTooMuch(inBytes(least));
  };
  if (!isNew && exceeds(price.traffic))
    return std::nullopt;
  auto take = [&](const Traffic &traffic) {
    price = {traffic, true};
    return inBytes(traffic);
  };
  Demands demands(mesh, std::move(*problem));
  if (isNew && exceeds(demands.least()))
    return std::nullopt;
  if (std::optional<Traffic> traffic = demands.priceIfEqual())
    return take(*traffic);
  demands.chooseSources();
  if (exceeds(demands.leastOfRounds()))
    return std::nullopt;
  return take(demands.price());
}

Traffic Redistribution::traffic(int64_t elementBytes) const {
  Traffic result;
  for (const TransferRound &round : rounds) {
    double bytes = static_cast<double>(elementBytes);
    for (int64_t size : round.shape)
      bytes *= static_cast<double>(size);
    result += {bytes, 1};
  }
  return result;
}

int64_t dmc::missingBytes(const Mesh &mesh, const Layout &from, const Layout &to,
                          const std::vector<int64_t> &shape, int64_t elementBytes) {
  Reduced problem = reduceProblem(mesh, from, to, shape);
  int64_t most = 0;
  for (int64_t rank : group(mesh, problem.axes, 0)) {
    if (!holds(mesh, problem.to, rank))
      continue;
    std::vector<DimBlock> wanted = blocks(mesh, problem.to, problem.shape, rank);
    int64_t missing = elementsOf(wanted.data(), shape.size());
    if (holds(mesh, problem.from, rank)) {
      std::vector<DimBlock> common = blocks(mesh, problem.from, problem.shape, rank);
      for (size_t d = 0; d < shape.size(); ++d)
        common[d] = intersect(common[d], wanted[d]);
      missing -= elementsOf(common.data(), shape.size());
    }
    most = std::max(most, missing);
  }
  return most * elementBytes;
}
