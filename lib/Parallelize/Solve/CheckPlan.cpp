//===- CheckPlan.cpp - A certificate against its program ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States the problem of the program again, makes the rows of memory from the plans that the
// certificate says they come from, and compares all that is stated. Nothing here searches, or calls
// what does.
//
//===----------------------------------------------------------------------===//
#include "MemoryRows.h"
#include "PlanStatement.h"

#include "dmc/Parallelize/PlanCheck.h"
#include "dmc/Planner/Certificate.h"

using namespace mlir;
using namespace dmc;

namespace {
/// Each step returns why the certificate is refused, or nothing.
class Check {
public:
  Check(Propagation &graph, LayoutChoice &choice, planner::LayoutProblem problem,
        MemoryMeter &meter, StringRef splitAround, PlanCheck &result)
      : graph(graph), choice(choice), problem(std::move(problem)), meter(meter),
        splitAround(splitAround), result(result) {}

  std::string run(ProgramAttr program);

private:
  std::string checkHead(ProgramAttr program);
  std::string readPlan();
  std::string addRows();
  std::string checkBound();
  std::string checkPeak();

  Propagation &graph;
  LayoutChoice &choice;
  /// Without rows at first.
  planner::LayoutProblem problem;
  MemoryMeter &meter;
  StringRef splitAround;
  PlanCheck &result;
  planner::SavedPlan plan;
};
} // namespace

static std::string describe(const planner::TextError &error) {
  return "line " + std::to_string(error.line) + ", column " + std::to_string(error.column) + ": " +
         error.message;
}

std::string dmc::getSplit(const PlanCheck &check) {
  planner::TextError error;
  std::optional<planner::SavedPlan> head = planner::parsePlanHead(check.certificate, error);
  for (const auto &[name, value] : head ? head->about : decltype(head->about)())
    if (name == "split")
      return value;
  return "none";
}

/// Before anything else is looked at: names of another problem would mean nothing.
std::string Check::checkHead(ProgramAttr program) {
  planner::TextError error;
  std::optional<planner::SavedPlan> head = planner::parsePlanHead(result.certificate, error);
  if (!head)
    return describe(error);
  result.about = describePlan(program, graph.getRates(), problem, splitAround);
  if (head->about.empty())
    return "expected a certificate of a program, as dmc-compile --save-certificate writes it; this "
           "one does not say its program";
  if (head->about.size() != result.about.size())
    return "expected a certificate that says its program, mesh, machine, split and problem";
  for (auto [said, found] : llvm::zip_equal(head->about, result.about)) {
    if (said == found)
      continue;
    if (said.first != found.first)
      return "expected the certificate's " + found.first + ", found its " + said.first;
    if (said.first == "problem")
      return "the certificate is of another problem: the program, its layouts or its tactics are "
             "not those with which the plan was found";
    return "the certificate is for the " + said.first + " '" + said.second + "', not for '" +
           found.second + "'";
  }
  return "";
}

std::string Check::readPlan() {
  planner::TextError error;
  std::optional<planner::SavedPlan> read =
      planner::parsePlanWithRows(problem, result.certificate, error);
  if (!read)
    return describe(error);
  plan = std::move(*read);
  auto requireNumber = [](const std::optional<int64_t> &number, const char *name) {
    return number ? std::string() : std::string("the certificate does not state its ") + name;
  };
  if (plan.assignment.empty())
    return "the certificate has no plan";
  for (const std::string &missing :
       {requireNumber(plan.cost, "cost"), requireNumber(plan.bound, "bound"),
        requireNumber(plan.peak, "peak"), requireNumber(plan.limit, "limit")})
    if (!missing.empty())
      return missing;
  return plan.hasDigest ? "" : "the certificate does not state its digest";
}

/// Rows are what is alive at the fullest points of plans that need too much, those of one plan one
/// after the other.
std::string Check::addRows() {
  auto limit = static_cast<double>(*plan.limit);
  if (*plan.limit < 0 || (*plan.limit > 0 && graph.getRates().capacity <= 0))
    return "the certificate has a limit of " + std::to_string(*plan.limit) +
           " bytes, but the machine has no capacity";
  planner::ProblemParts parts = problem.parts();
  std::vector<MemoryRow> rows;
  size_t next = 0;
  for (auto [number, saved] : llvm::enumerate(plan.rows)) {
    if (number == 0 || next == rows.size() || saved.exceeding != plan.rows[number - 1].exceeding) {
      choice.apply(saved.exceeding);
      MeasuredMemory memory = meter.measure(graph);
      if (*plan.limit == 0 || memory.bytes <= limit)
        return "row \"" + saved.name + "\" of memory comes from a plan that fits: it needs " +
               std::to_string(toBytes(memory.bytes)) + " of " + std::to_string(*plan.limit) +
               " bytes";
      rows = makeRows(choice, memory, limit, saved.exceeding);
      next = 0;
    }
    if (next == rows.size())
      return "row \"" + saved.name + "\" of memory comes from a plan that holds nothing";
    planner::Row &row = parts.rows.emplace_back(rows[next++].row);
    row.name = saved.name;
    // With more room it excludes fewer plans.
    if (saved.capacity && *saved.capacity < row.capacity)
      return "row \"" + saved.name + "\" of memory has a capacity of " +
             std::to_string(*saved.capacity) + " bytes, but its plan leaves " +
             std::to_string(row.capacity);
    row.capacity = saved.capacity.value_or(row.capacity);
  }
  if (!plan.rows.empty()) {
    std::vector<planner::Mistake> mistakes;
    std::optional<planner::LayoutProblem> bounded =
        planner::LayoutProblem::create(std::move(parts), mistakes);
    if (!bounded)
      return mistakes.front().message;
    problem = std::move(*bounded);
  }
  result.fingerprint = problem.getFingerprint();
  if (result.fingerprint != plan.fingerprint)
    return "the rows of memory are not those with which the plan was found: the problem has the "
           "fingerprint " +
           result.fingerprint + " with them, not " + plan.fingerprint;
  return "";
}

std::string Check::checkBound() {
  planner::CheckedCertificate checked =
      planner::checkCertificate(problem, plan.certificate, plan.assignment);
  if (!checked.error.empty())
    return checked.error;
  result.costSeconds = problem.getSeconds(checked.cost);
  result.boundSeconds = problem.getSeconds(checked.bound);
  for (auto [row, bytes] : llvm::zip_equal(problem.parts().rows, checked.bytes))
    result.rows.push_back({row.name, bytes, row.capacity});
  return planner::checkStated(plan, checked);
}

std::string Check::checkPeak() {
  choice.apply(plan.assignment);
  result.peakBytes =
      toBytes(graph.getRates().capacity > 0 ? meter.getBytes(graph) : estimatePeakBytes(graph));
  result.limitBytes = *plan.limit;
  if (result.peakBytes != *plan.peak)
    return "the plan is said to need " + std::to_string(*plan.peak) + " bytes at once, but needs " +
           std::to_string(result.peakBytes);
  return "";
}

std::string Check::run(ProgramAttr program) {
  result.numVariables = static_cast<int64_t>(problem.getNumVariables());
  result.numPairs = static_cast<int64_t>(problem.parts().pairs.size());
  for (size_t variable = 0; variable < problem.getNumVariables(); ++variable)
    result.numStates += problem.getNumStates(variable);
  std::string refusal = checkHead(program);
  // The digest, which any change of the text changes, comes last: other messages say more.
  for (auto step : {&Check::readPlan, &Check::addRows, &Check::checkPeak, &Check::checkBound})
    if (refusal.empty())
      refusal = (this->*step)();
  return refusal;
}

LogicalResult Propagation::checkPlan(func::FuncOp entry, ProgramAttr program, bool choosesBoundary,
                                     MemoryMeter &meter, StringRef splitAround, PlanCheck &check) {
  MovePrices prices(plans, entry.getContext());
  StatedChoice stated = stateChoice(*this, entry, program, choosesBoundary, prices);
  if (!stated.problem)
    return entry.emitError("unsupported: the choice of layouts has no problem to check a plan of: ")
           << stated.whyNot;
  check.isDone = true;
  check.refusal =
      Check(*this, *stated.choice, std::move(*stated.problem), meter, splitAround, check)
          .run(program);
  return success();
}
