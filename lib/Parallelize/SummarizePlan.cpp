//===- SummarizePlan.cpp - What is predicted of a plan --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "SummarizePlan.h"

#include "LayoutRecorder.h"
#include "MemoryEstimate.h"
#include "ProgramCost.h"
#include "WriteDecisions.h"

#include <algorithm>

using namespace mlir;
using namespace dmc;

double PlanProgress::getGap() const {
  if (!bestMs)
    return 1;
  return *bestMs > 0 ? std::max(0.0, *bestMs - boundMs) / *bestMs : 0;
}

static std::vector<PredictedCollective> describe(const TrafficByCollective &traffic,
                                                 const Mesh &mesh) {
  std::vector<PredictedCollective> collectives;
  for (const CollectiveTraffic &row : traffic.getRows()) {
    // A loop may save all that it would send.
    if (row.bytes == 0 && row.messages == 0)
      continue;
    PredictedCollective &collective = collectives.emplace_back();
    collective.kind = stringify(row.kind);
    for (const AxisRef &axis : row.axes)
      collective.axes.push_back(toString(mesh, axis));
    collective.wireBytes = row.bytes;
    collective.messages = row.messages;
  }
  return collectives;
}

/// Bounds add up rounded costs, and those that prefer arguments which are split: one that is above
/// a plan's time by no more than plans are told apart by is that time.
static void limitTo(double predictedMs, double &boundMs) {
  if (boundMs * (1 - kMinGain) <= predictedMs)
    boundMs = std::min(boundMs, predictedMs);
}

void dmc::summarize(Propagation &graph, PlanSummary &summary) {
  ProgramCost cost(graph);
  summary.predictedMs = cost.getTotal().seconds * 1e3;
  summary.peakBytes = estimatePeakBytes(graph);
  summary.flops = cost.getTotalFlops();
  summary.collectives = describe(cost.getTraffic(), graph.getMesh());
  limitTo(summary.predictedMs, summary.boundMs);
  limitTo(summary.predictedMs, summary.provedBoundMs);
  if (summary.predictedMs > 0)
    summary.gap = std::max(0.0, summary.predictedMs - summary.boundMs) / summary.predictedMs;
}

LogicalResult dmc::summarizeDecided(func::FuncOp entry, ProgramAttr program, const RankRates &rates,
                                    const PlanSearch &search) {
  LayoutCache cache(program.getMesh());
  if (cache.getMesh().numRanks() == 1)
    return success();
  ReshardPlans plans(cache.getMesh(), rates);
  Propagation graph(plans);
  if (failed(graph.build(entry)) || failed(graph.keep(cache)))
    return failure();
  LayoutRecord notes;
  LayoutRecorder(graph, notes).adopt(entry, program, cache);
  PlanSummary &summary = search.summary->emplace();
  summarize(graph, summary);
  // Tactics search, too.
  summary.wasInterrupted = search.isInterrupted();
  if (rates.capacity == 0 || !search.measure)
    return success();
  IRMapping mapping;
  OwningOpRef<ModuleOp> clone = cast<ModuleOp>(entry->getParentOfType<ModuleOp>()->clone(mapping));
  removeBoundaryRequests(cast<func::FuncOp>(mapping.lookup(entry.getOperation())));
  if (std::optional<MemoryUse> use = search.measure(*clone))
    summary.peakBytes = static_cast<double>(use->getBytes());
  return success();
}
