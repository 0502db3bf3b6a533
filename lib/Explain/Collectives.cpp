//===- Collectives.cpp - What the rank program sends ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each collective with its count, bytes and time, as the report of dmc-compile counts
// them.
//
//===----------------------------------------------------------------------===//
#include "Gather.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Layout/Reshard.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::explain;

/// Executions in a step; nothing if the program decides them.
static std::optional<int64_t> countExecutions(Operation *op) {
  int64_t count = 1;
  for (Operation *parent = op->getParentOp(); parent && !isa<func::FuncOp>(parent);
       parent = parent->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    std::optional<APInt> tripCount = loop ? loop.getStaticTripCount() : std::nullopt;
    if (!tripCount)
      return std::nullopt;
    count *= tripCount->getSExtValue();
  }
  return count;
}

static int64_t bytesOf(Value value) {
  auto type = cast<ShapedType>(value.getType());
  return type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
}

/// A permute in which nobody sends to another moves nothing.
static bool sendsNothing(Operation *op) {
  auto permute = dyn_cast<comm::PermuteOp>(op);
  if (!permute)
    return false;
  ArrayRef<int64_t> pairs = permute.getPairs();
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i] != pairs[i + 1])
      return false;
  return true;
}

static std::string textOf(DenseIntElementsAttr groups) {
  std::string text;
  int64_t size = groups.getType().getDimSize(1);
  for (auto [i, rank] : llvm::enumerate(groups.getValues<int64_t>()))
    text += (int64_t(i) % size ? " " : i ? "][" : "[") + std::to_string(rank);
  return text + "]";
}

void explain::gatherCollectives(ModuleOp module, const ParallelFacts *parallel,
                                const Machine &machine, Explanation &explanation) {
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
    std::optional<int64_t> count = countExecutions(op);
    collective.isCountKnown = count.has_value();
    collective.count = count.value_or(1);
    collective.operandBytes = bytesOf(
        op.getKind() == CollectiveKind::AllGather ? op.getDestination() : op.getOperandValue());
    if (!sendsNothing(op)) {
      collective.wireBytes = wireBytes(op.getKind(), collective.operandBytes, collective.ranks);
      collective.seconds =
          collective.wireBytes / machine.link +
          static_cast<double>(messageCount(op.getKind(), collective.ranks)) * machine.latency;
    }
    collective.place = toPlace(op->getLoc());
    if (parallel)
      parallel->describe(collective, getTags(op->getLoc(), kOpTag));
    if (collective.why.empty())
      collective.why = "the program says so itself";
    explanation.collectives.push_back(std::move(collective));
  });
}
