//===- Stages.cpp - Potentials as certificates have them ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Stages.h.
//
//===----------------------------------------------------------------------===//
#include "Stages.h"

#include <algorithm>

using namespace dmc::planner;

namespace {
/// Where the potentials of each edge are in a stage: those of its first node, and of its second.
struct Offsets {
  std::vector<size_t> first, second;
  size_t size = 0;
};

Offsets getOffsets(const Network &network) {
  const LayoutProblem &problem = network.problem();
  // Edges are in the order of their links.
  Offsets offsets;
  for (const Edge &edge : network.edges()) {
    offsets.first.push_back(offsets.size);
    offsets.size += problem.getNumStates(network.nodes()[edge.first].variable);
    offsets.second.push_back(offsets.size);
    offsets.size += problem.getNumStates(network.nodes()[edge.second].variable);
  }
  return offsets;
}
} // namespace

CertificateStage dmc::planner::makeStage(const Network &network, const Potentials &potentials,
                                         const std::vector<int64_t> &prices) {
  Offsets offsets = getOffsets(network);
  CertificateStage stage;
  stage.prices = prices;
  stage.potentials.assign(offsets.size, 0);
  for (uint32_t e = 0; e < network.edges().size(); ++e) {
    auto write = [&](uint32_t node, const std::vector<int64_t> &from, size_t offset) {
      const auto &states = network.nodes()[node].states;
      for (size_t s = 0; s < states.size(); ++s)
        stage.potentials[offset + states[s]] = from[s];
    };
    write(network.edges()[e].first, potentials.toFirst[e], offsets.first[e]);
    write(network.edges()[e].second, potentials.toSecond[e], offsets.second[e]);
  }
  return stage;
}

CertificateStage dmc::planner::makeEmptyStage(const LayoutProblem &problem) {
  CertificateStage stage;
  stage.prices.assign(problem.parts().rows.size(), 0);
  stage.potentials.assign(getOffsets(Network(problem)).size, 0);
  return stage;
}

Potentials dmc::planner::readStage(const Network &network, const CertificateStage &stage) {
  Offsets offsets = getOffsets(network);
  Potentials potentials;
  for (uint32_t e = 0; e < network.edges().size(); ++e) {
    auto read = [&](uint32_t node, size_t offset) {
      std::vector<int64_t> values;
      for (uint32_t state : network.nodes()[node].states)
        values.push_back(stage.potentials[offset + state]);
      return values;
    };
    potentials.toFirst.push_back(read(network.edges()[e].first, offsets.first[e]));
    potentials.toSecond.push_back(read(network.edges()[e].second, offsets.second[e]));
  }
  return potentials;
}

Potentials dmc::planner::restrictPotentials(const Network &network, const Potentials &potentials,
                                            const std::vector<std::vector<bool>> &keep) {
  Potentials result;
  for (uint32_t e = 0; e < network.edges().size(); ++e) {
    auto select = [&](const std::vector<int64_t> &from, const std::vector<bool> &keep) {
      std::vector<int64_t> kept;
      for (size_t s = 0; s < from.size(); ++s)
        if (keep[s])
          kept.push_back(from[s]);
      return kept;
    };
    result.toFirst.push_back(select(potentials.toFirst[e], keep[network.edges()[e].first]));
    result.toSecond.push_back(select(potentials.toSecond[e], keep[network.edges()[e].second]));
  }
  return result;
}

std::vector<std::vector<bool>> dmc::planner::keepBetter(const Network &network,
                                                        const ExactBound &bound, int64_t cost) {
  std::vector<std::vector<bool>> keep = keepAll(network);
  if (cost == infeasible)
    return keep;
  for (uint32_t i = 0; i < keep.size(); ++i)
    for (uint32_t s = 0; s < keep[i].size(); ++s)
      keep[i][s] = bound.isBelow(i, s, cost);
  return keep;
}

int64_t dmc::planner::computeBound(const Network &whole, const Certificate &certificate,
                                   int64_t cost) {
  Scales scales(whole.problem());
  std::optional<Network> network;
  int64_t best = 0;
  for (const CertificateStage &stage : certificate.stages) {
    const Network &current = network ? *network : whole;
    ExactBound bound(current, scales, readStage(current, stage), stage.prices);
    int64_t proved = bound.toPicoseconds();
    if (cost == infeasible && proved > whole.problem().getLargestCost())
      return infeasible;
    best = std::max(best, std::min(proved, cost));
    Consistency next = makeConsistent(current, keepBetter(current, bound, cost));
    if (next.emptyNode)
      return cost;
    network = current.restrict(next.keep);
  }
  return best;
}
