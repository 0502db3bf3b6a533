//===- PlainSearch.h - All layouts and all moves between them ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dijkstra over the whole graph, plain and slow: what the planner must not be dearer than.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_TEST_UNIT_LAYOUT_PLAINSEARCH_H
#define DMC_TEST_UNIT_LAYOUT_PLAINSEARCH_H

#include "PlainMachine.h"

#include <limits>
#include <map>
#include <queue>
#include <unordered_map>

namespace dmc::plain {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What the layouts of a run may use.
struct Universe {
  Mesh mesh;
  std::vector<int64_t> shape;
  int64_t elementBytes;
  std::vector<Combiner> combiners;
  bool hasPlaced;
};

inline std::set<std::pair<uint32_t, int64_t>> cutsOf(const Mesh &mesh, const Layout &layout) {
  std::set<std::pair<uint32_t, int64_t>> cuts;
  auto add = [&](const AxisRef &ref) {
    for (int64_t cut : {ref.preSize, ref.preSize * ref.size})
      if (cut != 1 && cut != mesh.axis(ref.axis).size)
        cuts.insert({ref.axis, cut});
  };
  Layout canonical = layout.canonical();
  for (const AxisList &axes : canonical.dims)
    for (const AxisRef &ref : axes)
      add(ref);
  for (const AxisRef &ref : canonical.partial)
    add(ref);
  for (const PlacedAxis &entry : canonical.placed)
    add(entry.axis);
  return cuts;
}

/// All layouts that cut axes at some places only, and the moves between them.
class Graph {
public:
  using Cuts = std::set<std::pair<uint32_t, int64_t>>;
  struct Edge {
    int32_t source;
    float bytes;
    int32_t messages;
  };

  Graph(const Universe &universe, const Cuts &cuts) : universe(universe) {
    for (uint32_t a = 0; a < universe.mesh.size(); ++a)
      for (int64_t pre = 1; pre <= universe.mesh.axis(a).size; ++pre)
        for (int64_t size = 2; pre * size <= universe.mesh.axis(a).size; ++size) {
          AxisRef ref{a, pre, size};
          auto isCut = [&](int64_t at) {
            return at == 1 || at == universe.mesh.axis(a).size || cuts.count({a, at});
          };
          if (universe.mesh.axis(a).size % (pre * size) == 0 && isCut(pre) && isCut(pre * size))
            refs.push_back(ref);
        }
    Layout layout = Layout::replicated(universe.shape.size());
    enumerateDims(layout, 0);
    incoming.resize(layouts.size());
    for (size_t node = 0; node < layouts.size(); ++node)
      addMoves(static_cast<int32_t>(node));
    addPermutes();
  }

  std::vector<Layout> layouts;
  /// Moves into a layout, without redistributions.
  std::vector<std::vector<Edge>> incoming;

  std::optional<int32_t> find(const Layout &layout) const {
    auto entry = numbers.find(keyOf(layout));
    return entry == numbers.end() ? std::nullopt : std::optional(entry->second);
  }

  /// What a redistribution from every layout to the target sends, or nothing.
  std::vector<std::optional<Traffic>> redistributionsTo(const Layout &target) const {
    std::vector<std::optional<Traffic>> result;
    for (const Layout &layout : layouts)
      result.push_back(layout == target ? std::nullopt : redistribute(layout, target));
    return result;
  }

  /// Seconds from every layout to the target; moves must fit into `memoryBytes`.
  /// The places of layouts on the way are those of the ends; between ends without partial axes
  /// and places there are no partial axes. `following` gets the next layout on each path, or -1.
  std::vector<double> distancesTo(const Layout &target,
                                  const std::vector<std::optional<Traffic>> &redistributions,
                                  const LinkRates &rates, int64_t memoryBytes,
                                  const std::vector<PlacedAxis> &places, bool hasPartials,
                                  std::vector<int32_t> &following) const {
    std::vector<char> isAllowed(layouts.size(), 1);
    hasPartials |= !target.partial.empty() || !target.placed.empty() || !places.empty();
    for (size_t node = 0; node < layouts.size(); ++node) {
      isAllowed[node] = hasPartials || layouts[node].partial.empty();
      for (const PlacedAxis &entry : layouts[node].placed)
        isAllowed[node] &= isWithin(entry, places) || isWithin(entry, target.placed);
    }
    std::vector<double> distance(layouts.size(), kInfinity);
    following.assign(layouts.size(), -1);
    std::priority_queue<std::pair<double, int32_t>, std::vector<std::pair<double, int32_t>>,
                        std::greater<>>
        open;
    auto reach = [&](int32_t node, double cost, int32_t next) {
      if (cost < distance[node] && isAllowed[node]) {
        distance[node] = cost;
        following[node] = next;
        open.push({cost, node});
      }
    };
    int32_t goal = *find(target);
    reach(goal, 0, -1);
    for (size_t node = 0; node < layouts.size(); ++node) {
      // Partial axes that the layout has not are spread afterwards.
      bool isSpread = layouts[node].partial != target.partial;
      if (redistributions[node] && bytesOf(node) + bytesOf(goal) <= memoryBytes &&
          !(isSpread && 2 * bytesOf(goal) > memoryBytes))
        reach(static_cast<int32_t>(node), redistributions[node]->seconds(rates), goal);
    }
    while (!open.empty()) {
      auto [cost, node] = open.top();
      open.pop();
      if (cost > distance[node])
        continue;
      for (const Edge &edge : incoming[node])
        if (bytesOf(node) + bytesOf(edge.source) <= memoryBytes)
          reach(edge.source, cost + Traffic{edge.bytes, edge.messages}.seconds(rates), node);
    }
    return distance;
  }

  int64_t bytesOf(size_t node) const { return bytes[node]; }

private:
  /// True if every unit of the entry's axis is placed so by the list.
  bool isWithin(const PlacedAxis &entry, const std::vector<PlacedAxis> &list) const {
    for (const PlacedAxis &whole : list) {
      int64_t end = whole.axis.preSize * whole.axis.size;
      int64_t entryEnd = entry.axis.preSize * entry.axis.size;
      if (whole.axis.axis != entry.axis.axis || entry.axis.preSize % whole.axis.preSize != 0 ||
          entryEnd > end || end % entryEnd != 0)
        continue;
      if (whole.coordinate / (end / entryEnd) % entry.axis.size == entry.coordinate)
        return true;
    }
    return false;
  }

  std::string keyOf(const Layout &layout) const {
    Layout l = layout.canonical();
    std::string key;
    auto add = [&](const AxisRef &ref) {
      key += static_cast<char>(ref.axis);
      key += static_cast<char>(ref.preSize);
      key += static_cast<char>(ref.size);
    };
    for (const AxisList &axes : l.dims) {
      for (const AxisRef &ref : axes)
        add(ref);
      key += '|';
    }
    if (l.combiner)
      key += stringify(*l.combiner);
    for (const AxisRef &ref : l.partial)
      add(ref);
    key += '|';
    for (const PlacedAxis &entry : l.placed) {
      add(entry.axis);
      key += static_cast<char>(entry.coordinate);
    }
    return key;
  }

  void enumerateDims(Layout &layout, size_t dim) {
    if (dim == layout.dims.size())
      return enumeratePartial(layout, 0);
    enumerateDims(layout, dim + 1);
    for (const AxisRef &ref : refs) {
      if (touches(layout, ref))
        continue;
      layout.dims[dim].push_back(ref);
      enumerateDims(layout, dim);
      layout.dims[dim].pop_back();
    }
  }

  void enumeratePartial(Layout &layout, size_t first) {
    if (layout.partial.empty()) {
      enumeratePlaced(layout, 0);
    } else {
      for (Combiner combiner : universe.combiners) {
        layout.combiner = combiner;
        enumeratePlaced(layout, 0);
      }
      layout.combiner.reset();
    }
    if (universe.combiners.empty())
      return;
    for (size_t i = first; i < refs.size(); ++i) {
      if (touches(layout, refs[i]))
        continue;
      layout.partial.push_back(refs[i]);
      enumeratePartial(layout, i + 1);
      layout.partial.pop_back();
    }
  }

  void enumeratePlaced(Layout &layout, size_t first) {
    addLayout(layout);
    if (!universe.hasPlaced)
      return;
    for (size_t i = first; i < refs.size(); ++i) {
      if (touches(layout, refs[i]))
        continue;
      for (int64_t coordinate = 0; coordinate < refs[i].size; ++coordinate) {
        layout.placed.push_back({refs[i], coordinate});
        enumeratePlaced(layout, i + 1);
        layout.placed.pop_back();
      }
    }
  }

  void addLayout(const Layout &layout) {
    auto [entry, isNew] = numbers.try_emplace(keyOf(layout), static_cast<int32_t>(layouts.size()));
    if (!isNew)
      return;
    layouts.push_back(layout.canonical());
    bytes.push_back(elementsOf(layout, universe.shape) * universe.elementBytes);
  }

  void addEdge(int32_t source, const Layout &target, double bytes, int64_t messages) {
    if (std::optional<int32_t> node = find(target); node && *node != source)
      incoming[*node].push_back(
          {source, static_cast<float>(bytes), static_cast<int32_t>(messages)});
  }

  using Parts = std::function<void(const AxisList &, const Layout &)>;

  /// Ordered lists of references that a layout does not touch.
  void forEachFree(Layout &layout, AxisList &list, const std::function<void()> &visit) {
    for (const AxisRef &ref : refs) {
      if (touches(layout, ref) || std::any_of(list.begin(), list.end(), [&](const AxisRef &other) {
            return overlaps(ref, other);
          }))
        continue;
      list.push_back(ref);
      visit();
      forEachFree(layout, list, visit);
      list.pop_back();
    }
  }

  /// A layout without a part of its partial axes, or nothing.
  std::optional<Layout> withoutPartial(const Layout &layout, const AxisRef &ref) const {
    Layout result = layout;
    for (size_t i = 0; i < result.partial.size(); ++i) {
      AxisRef whole = result.partial[i];
      int64_t end = whole.preSize * whole.size, refEnd = ref.preSize * ref.size;
      if (whole.axis != ref.axis || ref.preSize % whole.preSize != 0 || refEnd > end ||
          end % refEnd != 0)
        continue;
      result.partial.erase(result.partial.begin() + i);
      if (ref.preSize > whole.preSize)
        result.partial.push_back({whole.axis, whole.preSize, ref.preSize / whole.preSize});
      if (end > refEnd)
        result.partial.push_back({whole.axis, refEnd, end / refEnd});
      if (result.partial.empty())
        result.combiner.reset();
      return result.canonical();
    }
    return std::nullopt;
  }

  std::optional<Layout> withoutPlaced(const Layout &layout, const AxisRef &ref) const {
    Layout result = layout;
    for (size_t i = 0; i < result.placed.size(); ++i) {
      PlacedAxis whole = result.placed[i];
      int64_t end = whole.axis.preSize * whole.axis.size, refEnd = ref.preSize * ref.size;
      if (whole.axis.axis != ref.axis || ref.preSize % whole.axis.preSize != 0 || refEnd > end ||
          end % refEnd != 0)
        continue;
      result.placed.erase(result.placed.begin() + i);
      int64_t below = end / refEnd;
      if (ref.preSize > whole.axis.preSize)
        result.placed.push_back({{ref.axis, whole.axis.preSize, ref.preSize / whole.axis.preSize},
                                 whole.coordinate / (below * ref.size)});
      if (below > 1)
        result.placed.push_back({{ref.axis, refEnd, below}, whole.coordinate % below});
      return result.canonical();
    }
    return std::nullopt;
  }

  void addReduces(int32_t node, const Layout &layout, AxisList &list) {
    const int64_t operand = bytesOf(node);
    for (const AxisRef &ref : refs) {
      std::optional<Layout> rest = withoutPartial(layout, ref);
      if (!rest)
        continue;
      list.push_back(ref);
      double p = static_cast<double>(productOf(list));
      addEdge(node, *rest, 2 * (p - 1) / p * static_cast<double>(operand),
              2 * logOf(productOf(list)));
      for (size_t d = 0; d < layout.dims.size(); ++d) {
        Layout scattered = *rest;
        scattered.dims[d].insert(scattered.dims[d].end(), list.begin(), list.end());
        // Where padding makes it send more it is an all-reduce and a slice.
        double block =
            static_cast<double>(elementsOf(scattered, universe.shape) * universe.elementBytes);
        if ((p - 1) * block <= 2 * (p - 1) / p * static_cast<double>(operand))
          addEdge(node, scattered, (p - 1) * block, logOf(productOf(list)));
      }
      addReduces(node, *rest, list);
      list.pop_back();
    }
  }

  void addReplicates(int32_t node, const Layout &layout, int64_t p, size_t first) {
    for (size_t i = first; i < refs.size(); ++i)
      if (std::optional<Layout> rest = withoutPlaced(layout, refs[i])) {
        addEdge(node, *rest, static_cast<double>(bytesOf(node)), logOf(p * refs[i].size));
        addReplicates(node, *rest, p * refs[i].size, i + 1);
      }
  }

  /// Of replicated, split (minor end) and placed axes, one after the other.
  void addSpreads(int32_t node, const Layout &layout) {
    for (const AxisRef &ref : refs)
      for (Combiner combiner : universe.combiners) {
        if (layout.combiner && *layout.combiner != combiner)
          continue;
        std::vector<Layout> results;
        if (!touches(layout, ref))
          results.push_back(layout);
        for (size_t d = 0; d < layout.dims.size(); ++d)
          if (!layout.dims[d].empty() && layout.dims[d].back() == ref) {
            results.push_back(layout);
            results.back().dims[d].pop_back();
          }
        if (std::optional<Layout> rest = withoutPlaced(layout, ref))
          results.push_back(*rest);
        for (Layout &result : results) {
          result.combiner = combiner;
          result.partial.push_back(ref);
          if (result.canonical() != layouts[node] &&
              spreadSeen.insert({node, keyOf(result)}).second) {
            addEdge(node, result, 0, 0);
            addSpreads(node, result.canonical());
          }
        }
      }
  }

  void addMoves(int32_t node) {
    Layout layout = layouts[node];
    double block = static_cast<double>(bytesOf(node));
    AxisList list;
    forEachFree(layout, list, [&] {
      for (size_t d = 0; d < layout.dims.size(); ++d) {
        Layout result = layout;
        result.dims[d].insert(result.dims[d].end(), list.begin(), list.end());
        addEdge(node, result, 0, 0);
      }
    });
    for (size_t d = 0; d < layout.dims.size(); ++d)
      for (size_t count = 1; count <= layout.dims[d].size(); ++count) {
        AxisList axes(layout.dims[d].end() - count, layout.dims[d].end());
        double p = static_cast<double>(productOf(axes));
        Layout combined = layout;
        combined.dims[d].resize(layout.dims[d].size() - count);
        addEdge(node, combined, (p - 1) * block, logOf(productOf(axes)));
        for (size_t e = 0; e < layout.dims.size(); ++e) {
          if (e == d)
            continue;
          Layout exchanged = combined, both = layout;
          exchanged.dims[e].insert(exchanged.dims[e].end(), axes.begin(), axes.end());
          both.dims[e] = exchanged.dims[e];
          addEdge(node, exchanged,
                  (p - 1) *
                      static_cast<double>(elementsOf(both, universe.shape) * universe.elementBytes),
                  logOf(productOf(axes)));
        }
      }
    addReduces(node, layout, list);
    addReplicates(node, layout, 1, 0);
    spreadSeen.clear();
    addSpreads(node, layout);
    if (universe.hasPlaced)
      for (const AxisRef &ref : refs)
        if (!touches(layout, ref))
          for (int64_t coordinate = 0; coordinate < ref.size; ++coordinate) {
            Layout result = layout;
            result.placed.push_back({ref, coordinate});
            addEdge(node, result, 0, 0);
          }
  }

  /// Each block that is wanted has enough holders of the same partial value.
  void addPermutes() {
    // Of every layout the blocks of all ranks.
    using Blocks = std::vector<std::vector<int64_t>>;
    std::vector<Blocks> held(layouts.size());
    std::map<std::vector<std::vector<int64_t>>, std::vector<int32_t>> byBlocks;
    for (size_t node = 0; node < layouts.size(); ++node) {
      std::set<std::vector<int64_t>> distinct;
      for (int64_t rank = 0; rank < universe.mesh.numRanks(); ++rank) {
        std::vector<int64_t> block;
        bool isEmpty = !isHolder(universe.mesh, layouts[node], rank);
        for (size_t d = 0; d < universe.shape.size(); ++d) {
          Interval interval =
              intervalOf(universe.mesh, layouts[node].dims[d], universe.shape[d], rank);
          isEmpty |= interval.begin == interval.end;
          block.push_back(interval.begin);
          block.push_back(interval.end);
        }
        if (isEmpty)
          block.clear();
        else
          distinct.insert(block);
        held[node].push_back(std::move(block));
      }
      byBlocks[{distinct.begin(), distinct.end()}].push_back(static_cast<int32_t>(node));
    }
    for (const auto &[blocks, nodes] : byBlocks)
      for (int32_t source : nodes)
        for (int32_t target : nodes) {
          const Layout &from = layouts[source], &to = layouts[target];
          if (source == target || from.partial != to.partial || from.combiner != to.combiner)
            continue;
          // Placed axes stay, or all become others.
          if (from.placed != to.placed && (from.placed.empty() || to.placed.empty()))
            continue;
          std::map<std::vector<int64_t>, int64_t> copies;
          bool isLocal = true, isEnough = true;
          for (size_t rank = 0; rank < held[source].size(); ++rank) {
            ++copies[held[source][rank]];
            --copies[held[target][rank]];
            isLocal &= held[target][rank].empty() || held[target][rank] == held[source][rank];
          }
          for (const auto &[block, count] : copies)
            isEnough &= block.empty() || count >= 0;
          if (isEnough)
            incoming[target].push_back(
                {source, isLocal ? 0 : static_cast<float>(bytesOf(source)), isLocal ? 0 : 1});
        }
  }

  /// Into the target, whose further partial values are placed at coordinate 0 and then spread.
  std::optional<Traffic> redistribute(const Layout &from, const Layout &target) const {
    Layout to = target;
    if (!from.partial.empty()) {
      if (from.combiner != target.combiner)
        return std::nullopt;
      for (const AxisRef &ref : from.partial) {
        std::optional<Layout> rest = withoutPartial(to, ref);
        if (!rest)
          return std::nullopt;
        to = *rest;
      }
    }
    for (const AxisRef &ref : to.partial)
      to.placed.push_back({ref, 0});
    to.partial = from.partial;
    to.combiner = from.combiner;
    std::optional<Redistribution> plan =
        planRedistribution(universe.mesh, from, to, universe.shape);
    return plan ? std::optional(plan->traffic(universe.elementBytes)) : std::nullopt;
  }

  const Universe &universe;
  AxisList refs;
  std::unordered_map<std::string, int32_t> numbers;
  std::vector<int64_t> bytes;
  std::set<std::pair<int32_t, std::string>> spreadSeen;
};

} // namespace dmc::plain

#endif // DMC_TEST_UNIT_LAYOUT_PLAINSEARCH_H
