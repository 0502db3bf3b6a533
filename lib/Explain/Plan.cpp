//===- Plan.cpp - How good the plan is, and what bounds it ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the solved problem: its bound, its rows of memory, and the layouts that come next.
//
//===----------------------------------------------------------------------===//
#include "Gather.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::explain;

/// `64x32`: what the record knows of a type.
static std::string toText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "scalar" : text;
}

static PlanQuality::Row describe(const SolvedProblem::MemoryRow &row, const LayoutRecord &record,
                                 const Reasons &reasons) {
  PlanQuality::Row described;
  described.bytes = row.bytes;
  described.capacity = row.capacity;
  described.secondsPerByte = row.secondsPerByte;
  if (row.node) {
    const RecordedNode &node = record.nodes[*row.node];
    described.site.op = node.name.getStringRef().str();
    described.site.place = toPlace(withoutTags(node.loc));
  }
  for (auto [value, bytes] : row.tensors)
    described.tensors.push_back(
        {reasons.nameOf(value), toText(ArrayRef(record.values[value].shape)), bytes});
  return described;
}

/// The layout with the lowest bound that is not the tensor's.
static void addRunnerUp(Tensor &tensor, const LayoutRecord &record, double predictedSeconds) {
  if (!tensor.record || tensor.kind == "result")
    return;
  auto bounds = record.solved->layoutBounds.find(*tensor.record);
  if (bounds == record.solved->layoutBounds.end())
    return;
  const Layout &current = record.values[*tensor.record].produced;
  for (const SolvedProblem::LayoutBound &other : bounds->second) {
    if (other.layout == current)
      continue;
    tensor.runnerUp = {dmc::toString(record.mesh, other.layout), other.seconds - predictedSeconds};
    return;
  }
}

void explain::gatherPlan(const PlanSummary &summary, const LayoutRecord &record,
                         ProgramAttr program, Explanation &explanation) {
  PlanQuality &plan = explanation.plan.emplace();
  plan.predictedMs = summary.predictedMs;
  plan.boundMs = summary.boundMs;
  plan.gap = summary.gap;
  plan.peak = static_cast<int64_t>(summary.peakBytes);
  plan.fingerprint = summary.fingerprint;
  plan.axesTogether = summary.axesTogether;
  if (!record.solved)
    return;
  Reasons reasons(record, program);
  for (const SolvedProblem::MemoryRow &row : record.solved->rows)
    plan.rows.push_back(describe(row, record, reasons));
  for (Tensor &tensor : explanation.tensors)
    addRunnerUp(tensor, record, summary.predictedMs * 1e-3);
}
