//===- Reasons.cpp - Why a tensor lies where it lies ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the record of a propagation from an axis on a dimension back to who asked
// for it.
//
//===----------------------------------------------------------------------===//
#include "Gather.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::explain;

/// Longer chains are cut: a deep network repeats itself.
static constexpr unsigned kMaxSteps = 1024;
/// Of a chain these many steps are told, and the last.
static constexpr unsigned kShownSteps = 6;

std::string Reasons::nameOf(const AxisRef &axis) const {
  return "\"" + dmc::toString(record.mesh, axis) + "\"";
}

Reason::Step Reasons::step(unsigned node, const std::string &text) const {
  return {text, toPlace(withoutTags(record.nodes[node].loc))};
}

static std::string nameOf(const RecordedNode &node) { return node.name.getStringRef().str(); }

std::string Reasons::nameOf(unsigned value) const {
  for (auto [i, argument] : llvm::enumerate(record.arguments))
    if (argument == value)
      return "argument " + program.getArguments()[i].getName().str();
  const RecordedValue &recorded = record.values[value];
  if (!recorded.producer)
    return "a value that control flow forwards";
  const RecordedNode &node = record.nodes[*recorded.producer];
  std::string name = toPlace(withoutTags(node.loc)).name;
  return "the result of " + ::nameOf(node) + (name.empty() ? "" : " (" + name + ")");
}

/// What a request says, at the end of a chain.
void Reasons::end(Reason &reason, const AxisCause &cause, unsigned value, unsigned dim) const {
  std::string where = "dimension " + std::to_string(dim) + " by " + nameOf(cause.axis);
  switch (cause.kind) {
  case AxisCause::Argument:
    reason.chain.push_back({nameOf(value) + " is given with " + where, {}});
    break;
  case AxisCause::Result: {
    std::string result = "a result";
    for (auto [i, returned] : llvm::enumerate(record.results))
      if (returned == value)
        result = "result " + program.getResults()[i].getName().str();
    reason.chain.push_back({result + " is to have " + where, {}});
    break;
  }
  case AxisCause::Constraint:
  case AxisCause::Manual: {
    std::string text = ::nameOf(record.nodes[cause.node]) + " asks for " + where;
    if (cause.priority)
      text += " with priority " + std::to_string(cause.priority);
    reason.chain.push_back(step(cause.node, text));
    break;
  }
  case AxisCause::Operation:
    break;
  }
}

/// From a value back to who said it first; adds the nearest steps and the last.
void Reasons::follow(Reason &reason, unsigned value, unsigned dim, const AxisRef &axis) const {
  struct Step {
    unsigned node, factor, value, dim;
  };
  SmallVector<Step, 32> steps;
  const AxisCause *origin = nullptr;
  std::optional<AxisCause> asked;
  while (steps.size() < kMaxSteps) {
    const RecordedValue &recorded = record.values[value];
    auto cause = llvm::find_if(recorded.causes, [&](const AxisCause &cause) {
      return cause.dim == dim && overlaps(cause.axis, axis);
    });
    if (cause == recorded.causes.end())
      break;
    if (cause->kind != AxisCause::Operation) {
      origin = &*cause;
      break;
    }
    const RecordedNode &node = record.nodes[cause->node];
    const FactorCause *from = getFactorCause(cause->node, value, dim, axis);
    if (!from) {
      if (node.isFixed)
        asked = AxisCause{axis, dim, AxisCause::Constraint, 0, cause->node};
      break;
    }
    steps.push_back({cause->node, from->factor, *node.values[from->value], from->dim});
    value = steps.back().value;
    dim = from->dim;
  }
  for (const Step &taken : ArrayRef(steps).take_front(kShownSteps)) {
    const RecordedNode &node = record.nodes[taken.node];
    std::string what = node.isForwarded ? "forwarded by " + ::nameOf(node)
                                        : "carried by loop d" + std::to_string(taken.factor) +
                                              " of " + ::nameOf(node);
    reason.chain.push_back(step(taken.node, what + " from dimension " + std::to_string(taken.dim) +
                                                " of " + nameOf(taken.value)));
  }
  reason.numSteps += steps.size();
  if (origin || asked)
    end(reason, origin ? *origin : *asked, value, dim);
}

/// The operand or result through which a node splits this dimension of a value.
const FactorCause *Reasons::getFactorCause(unsigned number, unsigned value, unsigned dim,
                                           const AxisRef &axis) const {
  const RecordedNode &node = record.nodes[number];
  for (auto [i, other] : llvm::enumerate(node.values)) {
    if (other != value)
      continue;
    const DimFactors &factors = i < node.numOperands ? node.rule.operands[i][dim]
                                                     : node.rule.results[i - node.numOperands][dim];
    for (const FactorCause &cause : node.causes)
      if (llvm::is_contained(factors, cause.factor) && overlaps(cause.axis, axis) &&
          node.values[cause.value])
        return &cause;
  }
  return nullptr;
}

bool Reasons::explainChange(Reason &reason, ArrayRef<unsigned> changes) const {
  if (changes.empty())
    return false;
  const PlanChange &change = record.changes[changes.back()];
  reason.kind = "cost";
  std::string operations =
      change.numNodes == 1 ? "this operation" : std::to_string(change.numNodes) + " operations";
  reason.text = "decided by predicted time: with " + operations + " changed, the step takes " +
                formatTime(change.secondsSaved) + " less and sends " +
                formatDifference(-change.bytesSaved);
  return true;
}

/// Why a node's factor is split so; false if nothing is known.
bool Reasons::explainFactor(Reason &reason, unsigned number, unsigned factor,
                            const AxisRef &axis) const {
  const RecordedNode &node = record.nodes[number];
  auto cause = llvm::find_if(node.causes, [&](const FactorCause &cause) {
    return cause.factor == factor && overlaps(cause.axis, axis);
  });
  // What was propagated and not changed later was not decided by cost.
  if (cause != node.causes.end() && node.values[cause->value]) {
    unsigned from = *node.values[cause->value];
    bool isOperand = cause->value < node.numOperands;
    std::string side = isOperand ? "operand " + std::to_string(cause->value)
                                 : "result " + std::to_string(cause->value - node.numOperands);
    reason.kind = "carried";
    reason.chain.push_back(step(
        number, (node.isForwarded ? "forwarded by " : "loop d" + std::to_string(factor) + " of ") +
                    ::nameOf(node) + (node.isForwarded ? " from " : " is split as ") + side +
                    " in dimension " + std::to_string(cause->dim)));
    ++reason.numSteps;
    follow(reason, from, cause->dim, axis);
    return true;
  }
  if (explainChange(reason, node.changes))
    return true;
  if (node.choice) {
    reason.kind = "choice";
    reason.text = "the values of " + ::nameOf(node) + " disagree; this split ";
    reason.text += node.choice->numShards != node.choice->numShardsBefore
                       ? "has " + std::to_string(node.choice->numShards) +
                             " devices at work instead of " +
                             std::to_string(node.choice->numShardsBefore)
                       : "sends " + formatCount(node.choice->bytes) + " bytes instead of " +
                             formatCount(node.choice->bytesBefore);
    return true;
  }
  return false;
}

/// The last thing said, for a line of text.
static void summarize(Reason &reason) {
  if (!reason.text.empty() || reason.chain.empty())
    return;
  reason.text = reason.chain.back().text;
  if (reason.numSteps)
    reason.text += "; carried here through " + std::to_string(reason.numSteps) +
                   (reason.numSteps == 1 ? " operation" : " operations");
}

Reason Reasons::explainSplit(unsigned value, unsigned dim, const AxisRef &axis) const {
  Reason reason;
  reason.axis = dmc::toString(record.mesh, axis);
  reason.state = "dimension " + std::to_string(dim);
  const RecordedValue &recorded = record.values[value];
  bool known = false;
  if (recorded.producer) {
    const RecordedNode &node = record.nodes[*recorded.producer];
    for (unsigned i = node.numOperands; i < node.values.size() && !known; ++i) {
      if (node.values[i] != value)
        continue;
      for (unsigned factor : node.rule.results[i - node.numOperands][dim])
        if (llvm::any_of(node.assignment[factor],
                         [&](const AxisRef &mine) { return overlaps(mine, axis); }))
          known = known || explainFactor(reason, *recorded.producer, factor, axis);
    }
    // A constraint's axes are its own.
    if (!known && node.isFixed) {
      reason.kind = "asked";
      reason.chain.push_back(step(*recorded.producer, ::nameOf(node) + " asks for it"));
      known = true;
    }
  }
  if (!known) {
    follow(reason, value, dim, axis);
    bool isArgument = llvm::is_contained(record.arguments, std::optional(value));
    bool isMade = recorded.producer && !record.nodes[*recorded.producer].isForwarded;
    reason.kind = isArgument && reason.chain.size() == 1 ? "given"
                  : isArgument                           ? "completed"
                  : !reason.chain.empty()                ? "carried"
                  : isMade                               ? "decided"
                                                         : "control";
    if (reason.chain.empty())
      reason.text =
          isMade ? "a plan or an earlier tactic decided it" : "control flow hands it on so";
  }
  summarize(reason);
  return reason;
}

Reason Reasons::explainPartials(unsigned value, const AxisRef &axis) const {
  Reason reason;
  reason.axis = dmc::toString(record.mesh, axis);
  reason.state = "partial";
  const RecordedValue &recorded = record.values[value];
  if (!recorded.producer)
    return reason;
  const RecordedNode &node = record.nodes[*recorded.producer];
  for (auto [factor, axes] : llvm::enumerate(node.assignment)) {
    bool reduces = node.rule.factors[factor].kind == FactorKind::Reduction;
    if (reduces && llvm::any_of(axes, [&](const AxisRef &mine) { return overlaps(mine, axis); }) &&
        explainFactor(reason, *recorded.producer, factor, axis)) {
      summarize(reason);
      reason.text =
          "each device sums a part of loop d" + std::to_string(factor) + ": " + reason.text;
      return reason;
    }
  }
  reason.kind = "carried";
  reason.text = ::nameOf(node) + " takes partial values, which are reduced later, once";
  return reason;
}

Reason Reasons::explainUnsharded(unsigned value, const AxisRef &axis) const {
  Reason reason;
  reason.axis = dmc::toString(record.mesh, axis);
  reason.state = "replicated";
  reason.kind = "free";
  const RecordedValue &recorded = record.values[value];
  if (!recorded.producer) {
    auto argument = llvm::find(record.arguments, std::optional(value));
    reason.kind = "control";
    reason.text = "what control flow forwards is not split by it";
    if (argument != record.arguments.end()) {
      bool isGiven = record.isArgumentGiven[argument - record.arguments.begin()];
      reason.kind = isGiven ? "given" : "completed";
      reason.text = isGiven ? "the argument is given so" : "nothing that takes it is split by it";
    }
    return reason;
  }
  const RecordedNode &node = record.nodes[*recorded.producer];
  if (node.hasNoRule) {
    reason.kind = "whole";
    reason.text = ::nameOf(node) + " has no sharding rule and needs its operands whole";
    return reason;
  }
  if (explainChange(reason, recorded.changes) || explainChange(reason, node.changes))
    return reason;
  // An operand that is split by it: what became of the axis?
  for (unsigned i = 0; i < node.numOperands; ++i) {
    if (!node.values[i])
      continue;
    const Layout &base = record.values[*node.values[i]].base;
    for (auto [dim, axes] : llvm::enumerate(base.dims)) {
      if (llvm::none_of(axes, [&](const AxisRef &mine) { return overlaps(mine, axis); }))
        continue;
      std::string where = "dimension " + std::to_string(dim) + " of operand " + std::to_string(i);
      bool needsReplication = llvm::any_of(node.rule.operands[i][dim], [&](unsigned factor) {
        return node.rule.factors[factor].kind == FactorKind::NeedsReplication;
      });
      if (needsReplication) {
        reason.kind = "whole";
        reason.text = ::nameOf(node) + " needs " + where + " whole";
        return reason;
      }
      reason.kind = "choice";
      reason.text = ::nameOf(node) + " does not take over the split of " + where;
      if (node.choice && node.choice->numShards == node.choice->numShardsBefore)
        reason.text += ": it sends " + formatCount(node.choice->bytes) + " bytes instead of " +
                       formatCount(node.choice->bytesBefore);
      else if (std::optional<unsigned> maker = record.values[*node.values[i]].producer;
               maker && !record.nodes[*maker].changes.empty())
        reason.text += ", which was decided after this operation's, by predicted time";
    }
  }
  if (reason.kind == "free")
    reason.text = "nothing that it is made of or that takes it splits it by this axis";
  return reason;
}

std::vector<Reason> Reasons::explainValue(unsigned value, const Layout &layout) const {
  std::vector<Reason> reasons;
  for (auto [dim, axes] : llvm::enumerate(layout.dims))
    for (const AxisRef &axis : axes)
      reasons.push_back(explainSplit(value, dim, axis));
  for (const AxisRef &axis : layout.partial)
    reasons.push_back(explainPartials(value, axis));
  for (uint32_t number = 0; number < record.mesh.size(); ++number) {
    AxisRef axis{number, 1, record.mesh.axis(number).size};
    if (axis.size > 1 && !isUsed(layout, axis))
      reasons.push_back(explainUnsharded(value, axis));
  }
  return reasons;
}

std::vector<Reason> Reasons::explainResult(unsigned result, const Layout &layout) const {
  std::vector<Reason> reasons;
  std::optional<unsigned> value = record.results[result];
  for (auto [dim, axes] : llvm::enumerate(layout.dims))
    for (const AxisRef &axis : axes) {
      Reason reason;
      reason.axis = dmc::toString(record.mesh, axis);
      reason.state = "dimension " + std::to_string(dim);
      reason.kind = "given";
      reason.text = "the boundary says so";
      if (value && !record.isResultGiven[result]) {
        reason = explainSplit(*value, dim, axis);
        reason.kind = "completed";
      }
      reasons.push_back(std::move(reason));
    }
  return reasons;
}

const RecordedUse *Reasons::findUse(unsigned value, std::optional<unsigned> node,
                                    unsigned number) const {
  // What stands for one operation may take what is behind its operand; a constraint is
  // no operation of the parallel program.
  const RecordedUse *near = nullptr;
  auto rank = [&](const RecordedUse &use) {
    bool isOfNode = use.node == node && (node || use.number == number);
    return 4 * (isOfNode && use.value == value && use.number == number) +
           2 * (isOfNode && use.value == value) + (isOfNode || use.value == value);
  };
  for (const RecordedUse &use : record.uses)
    if (rank(use) > (near ? rank(*near) : 0))
      near = &use;
  return near;
}

/// Why a decision was not taken. Bytes are known and times are estimated: the search
/// does not send more for less time.
static std::string judge(const Offer &offer) {
  double seconds = offer.then.seconds - offer.now.seconds;
  double bytes = offer.then.bytes - offer.now.bytes;
  std::string sent = "sends " + formatDifference(bytes);
  if (std::abs(seconds) <= 0.005 * offer.now.seconds)
    return "as fast, " + sent;
  if (seconds > 0)
    return formatTime(seconds) + " slower, " + sent;
  std::string text = formatTime(-seconds) + " faster, " + sent;
  return text + (bytes > 0 ? ": more may not be sent for a time that is estimated"
                           : ": the search took another way and did not reach it");
}

std::vector<Offer> Reasons::getOffers(const RecordedUse &use) const {
  std::vector<Offer> offers;
  for (const Alternative &alternative : use.alternatives) {
    Offer offer;
    offer.what = alternative.what;
    offer.now = {alternative.now.bytes, alternative.now.total()};
    offer.then = {alternative.then.bytes, alternative.then.total()};
    offer.numChanged = alternative.numChanged;
    offer.verdict = judge(offer);
    offers.push_back(std::move(offer));
  }
  return offers;
}
