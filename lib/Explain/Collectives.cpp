//===- Collectives.cpp - What the rank program sends ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each collective with its count, bytes and time, as the report of dmc-compile counts
// them.
//
//===----------------------------------------------------------------------===//
#include "Gather.h"

#include "dmc/Dialect/Comm/Volume.h"
#include "dmc/Layout/Reshard.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::explain;

static std::string textOf(DenseIntElementsAttr groups) {
  std::string text;
  int64_t size = groups.getType().getDimSize(1);
  for (auto [i, rank] : llvm::enumerate(groups.getValues<int64_t>()))
    text += (int64_t(i) % size ? " " : i ? "][" : "[") + std::to_string(rank);
  return text + "]";
}

void explain::gatherCollectives(ModuleOp module, const ParallelFacts *parallel,
                                const RankRates &rates, Explanation &explanation) {
  func::FuncOp entry = getEntry(module);
  Mesh mesh = ProgramAttr::of(module).getMesh().toMesh();
  entry->walk([&](comm::CollectiveOpInterface op) {
    Collective collective;
    collective.id = explanation.collectives.size();
    collective.kind = stringify(op.getKind());
    for (AxisAttr axis : op.getGroupAxes()) {
      AxesAttr one = AxesAttr::get(op->getContext(), ArrayRef<AxisAttr>(axis));
      LayoutAttr layout = LayoutAttr::get(op.getGroupMesh(), {one});
      collective.axes.push_back(dmc::toString(mesh, layout.toLayout().dims[0].front()));
    }
    if (DenseIntElementsAttr groups = op.getListedGroups())
      collective.axes.push_back(textOf(groups));
    collective.ranks = op.getGroupSize();
    std::optional<int64_t> count = comm::countExecutions(op);
    collective.isCountKnown = count.has_value();
    collective.count = count.value_or(1);
    collective.operandBytes = comm::getBytes(op);
    collective.wireBytes = comm::getWireBytes(op);
    if (collective.wireBytes > 0)
      collective.seconds =
          collective.wireBytes / rates.link +
          static_cast<double>(messageCount(op.getKind(), collective.ranks)) * rates.latency;
    collective.place = toPlace(op->getLoc());
    if (parallel)
      parallel->describe(collective, getTags(op->getLoc(), kOpTag));
    if (collective.why.empty())
      collective.why = "the program says so itself";
    explanation.collectives.push_back(std::move(collective));
  });
}
