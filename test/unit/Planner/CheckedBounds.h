//===- CheckedBounds.h - What the checker finds -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_UNIT_PLANNER_CHECKEDBOUNDS_H
#define DMC_TEST_UNIT_PLANNER_CHECKEDBOUNDS_H

#include "Stages.h"

#include <gtest/gtest.h>

namespace dmc::planner::test {

/// That potentials and clusters, nodes of the network, prove together without prices.
inline int64_t checkClusters(const Network &network, const Potentials &potentials,
                             const std::vector<std::vector<uint32_t>> &clusters) {
  const LayoutProblem &problem = network.problem();
  Scales scales(problem);
  std::vector<int64_t> prices(problem.parts().rows.size(), 0);
  Certificate certificate{scales.potential, scales.price, {makeStage(network, potentials, prices)}};
  for (const auto &nodes : clusters) {
    auto &cluster = certificate.clusters.emplace_back();
    for (uint32_t node : nodes)
      cluster.push_back(network.nodes()[node].variable);
  }
  CheckedCertificate checked = checkCertificate(problem, certificate, {});
  EXPECT_EQ(checked.error, "");
  return checked.bound;
}

} // namespace dmc::planner::test

#endif // DMC_TEST_UNIT_PLANNER_CHECKEDBOUNDS_H
