//===- Text.cpp - An explanation for a terminal ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Totals, then the largest collectives one by one, then tensors that were asked for.
//
//===----------------------------------------------------------------------===//
#include "Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace dmc::explain;
using llvm::formatv;

std::string dmc::explain::wrap(const std::string &label, const std::string &text) {
  std::string indent(14, ' ');
  std::string line = formatv("    {0,-10}", label).str(), result;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t room = kColumns - 14, end = text.size();
    if (end - begin > room) {
      end = text.rfind(' ', begin + room);
      if (end == std::string::npos || end <= begin)
        end = begin + room;
    }
    result += line + text.substr(begin, end - begin) + "\n";
    line = indent;
    begin = end;
    while (begin < text.size() && text[begin] == ' ')
      ++begin;
  }
  return result;
}

static std::string cut(const std::string &text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

static std::string times(const Collective &collective) {
  if (!collective.isCountKnown)
    return "as often as the program decides (counted once)";
  return collective.count == 1 ? "once" : formatCount(double(collective.count)) + " times";
}

static std::string describe(const Price &price) {
  return formatTime(price.seconds) + ", " + formatCount(price.bytes) + " bytes";
}

static std::string describe(const Explanation &all, const Collective &collective, size_t number) {
  std::string text =
      formatv("{0,4}  {1} over {2}, {3} ranks, {4}: {5} bytes, {6}\n", number, collective.kind,
              joinNames(collective.axes), collective.ranks, times(collective),
              formatCount(collective.totalBytes()), formatTime(collective.totalSeconds()))
          .str();
  if (std::string place = toString(collective.place); !place.empty())
    text += wrap("at", place);
  const Place &place = collective.place;
  if (auto file = all.source.find(place.file); file != all.source.end())
    if (auto line = file->second.find(place.line); line != file->second.end())
      text += wrap("source", llvm::StringRef(line->second).trim().str());
  if (collective.tensor) {
    const Tensor &tensor = all.tensors[*collective.tensor];
    text += wrap("moves", tensor.type + " from " + collective.from + " to " + collective.to);
    std::string by;
    for (const std::string &move : collective.moves)
      by += (by.empty() ? "" : ", ") + move;
    if (collective.numMembers > 1)
      by = "a bucket of " + std::to_string(collective.numMembers) + " collectives: " + by;
    text += wrap("by", by);
    text += wrap(collective.maker.op.empty() ? "it is" : "made by", toString(collective.maker));
    for (const Reason &reason : tensor.reasons)
      if (reason.state != "replicated")
        text += wrap("since", "\"" + reason.axis + "\" (" + reason.state + "): " + reason.text);
  }
  text += wrap("consumer", collective.why);
  if (collective.users.size() > 1)
    text += wrap("also by", formatCount(double(collective.users.size() - 1)) +
                                (collective.users.size() == 2 ? " other: " : " others: ") +
                                toString(collective.users[1]));
  if (!collective.forbidden.empty())
    text += wrap("rule", collective.forbidden);
  for (const Offer &offer : llvm::ArrayRef(collective.offers).take_front(3))
    text += wrap("instead", offer.what + ": " + offer.verdict + " (" + describe(offer.then) +
                                "; now " + describe(offer.now) + ")");
  return text;
}

static std::string describe(const Tensor::RunnerUp &next) {
  return next.layout + (next.seconds > 0 ? ": any plan with it takes at least " +
                                               formatTime(next.seconds) + " more"
                                         : ": the bound does not exclude that a plan with it is as "
                                           "fast");
}

static std::string describe(const Tensor &tensor) {
  std::string text = formatv("{0} {1}: {2} {3}, {4} bytes a rank\n", tensor.kind,
                             tensor.name.empty() ? "(no name)" : tensor.name, tensor.type,
                             tensor.layout, formatCount(double(tensor.bytes)))
                         .str();
  if (!tensor.maker.op.empty())
    text += wrap("made by", toString(tensor.maker));
  for (const Reason &reason : tensor.reasons) {
    text += wrap(reason.kind, "\"" + reason.axis + "\" (" + reason.state + "): " + reason.text);
    for (const Reason::Step &step : reason.chain) {
      if (&step == &reason.chain.back() && reason.numSteps >= reason.chain.size())
        text += wrap("", "- ... " + std::to_string(reason.numSteps + 1 - reason.chain.size()) +
                             " more ...");
      std::string place = toString(step.place);
      text += wrap("", "- " + (place.empty() ? "" : place + ": ") + step.text);
    }
  }
  if (tensor.runnerUp)
    text += wrap("next best", describe(*tensor.runnerUp));
  return text;
}

static std::string table(const char *title, const std::vector<Total> &totals, size_t most) {
  std::string text = formatv("{0,-70}{1,10}{2,20}{3,18}\n", title, "count", "bytes", "time").str();
  for (const Total &total : llvm::ArrayRef(totals).take_front(most))
    text += formatv("  {0,-68}{1,10}{2,20}{3,18}\n", cut(total.key, 66),
                    formatCount(double(total.count)), formatCount(total.bytes),
                    formatTime(total.seconds))
                .str();
  if (totals.size() > most)
    text += formatv("  and {0} more\n", totals.size() - most).str();
  return text + "\n";
}

static std::string describePeak(const Peak &peak, size_t most) {
  std::string text =
      formatv("memory of a rank: {0} bytes (arguments {1}, results of their own {2}, arena {3})\n",
              formatCount(double(peak.total())), formatCount(double(peak.arguments)),
              formatCount(double(peak.results)), formatCount(double(peak.arena)))
          .str();
  if (!peak.live)
    return text + "\n";
  text += cut(formatv("the arena is fullest, with {0} bytes, at {1} {2}",
                      formatCount(double(peak.live)), peak.op, toString(peak.place))
                  .str(),
              kColumns) +
          "\n";
  for (const Peak::Buffer &buffer : llvm::ArrayRef(peak.buffers).take_front(most))
    text += cut(formatv("  {0,14}  {1,-20} {2}", formatCount(double(buffer.bytes)), buffer.type,
                        toString(buffer.maker.place))
                    .str(),
                kColumns) +
            "\n";
  if (peak.buffers.size() > most)
    text += formatv("  and {0} more\n", peak.buffers.size() - most).str();
  return text + "\n";
}

static std::string describeQuality(const PlanQuality &plan) {
  std::string text = "the plan is predicted to take " + formatTime(plan.predictedMs * 1e-3);
  if (plan.fingerprint.empty())
    return text + "; no bound was proved\n";
  text += "; no plan of the problem takes less than " + formatTime(plan.boundMs * 1e-3);
  for (const std::vector<std::string> &axes : plan.axesTogether)
    text += "; " + llvm::join(axes, " and ") + " split a dimension together";
  // Bounds are whole picoseconds.
  if (plan.predictedMs < plan.boundMs * (1 - 1e-6))
    return text + ", but sums that are deferred and moves that are shared " +
           (plan.axesTogether.empty() ? "are" : "and axes that split apart are") +
           " outside of it\n";
  char gap[32];
  std::snprintf(gap, sizeof gap, " (gap %.3g %%)\n", plan.gap * 100);
  return text + gap;
}

static std::string describeRows(const PlanQuality &plan, size_t most) {
  std::string text;
  for (const PlanQuality::Row &row : plan.rows) {
    text += formatv("memory that bounds plans: {0} of {1} bytes at {2}{3}\n",
                    formatCount(double(row.bytes)), formatCount(double(row.capacity)),
                    toString(row.site),
                    row.secondsPerByte > 0 ? "; each MB more lowers the bound by at most " +
                                                 formatTime(row.secondsPerByte * 1e6)
                                           : "")
                .str();
    for (const PlanQuality::Row::Held &held : llvm::ArrayRef(row.tensors).take_front(most))
      text += cut(formatv("  {0,14}  {1,-20} {2}", formatCount(double(held.bytes)), held.type,
                          held.name)
                      .str(),
                  kColumns) +
              "\n";
    if (row.tensors.size() > most)
      text += formatv("  and {0} more\n", row.tensors.size() - most).str();
    text += "\n";
  }
  return text;
}

static std::string describe(const Change &change, size_t most) {
  std::string text = formatv("with {0} the plan is predicted to take {1}", change.what,
                             formatTime(change.predictedMs * 1e-3))
                         .str();
  if (!change.isComparable)
    return text + "; its windows are split otherwise\n\n";
  text += formatv("; {0} decision{1} differ{2}\n", change.decisions.size(),
                  change.decisions.size() == 1 ? "" : "s", change.decisions.size() == 1 ? "s" : "")
              .str();
  for (const Change::Decision &decision : llvm::ArrayRef(change.decisions).take_front(most))
    text += cut("  " + toString(decision.site) + ": " + decision.after + ", not " + decision.before,
                kColumns) +
            "\n";
  if (change.decisions.size() > most)
    text += formatv("  and {0} more\n", change.decisions.size() - most).str();
  return text + "\n";
}

static std::string describeProgram(const Explanation &all) {
  double bytes = 0, seconds = 0;
  int64_t count = 0;
  for (const Collective &collective : all.collectives) {
    bytes += collective.totalBytes();
    seconds += collective.totalSeconds();
    count += collective.count;
  }
  std::string mesh;
  for (auto &[name, size] : all.mesh)
    mesh += (mesh.empty() ? "" : ",") + name + "=" + std::to_string(size);
  std::string text = formatv("{0} on mesh {1}: {2} ranks\n", all.program, mesh, all.numRanks).str();
  text +=
      formatv("{0} collective{1} a step: {2} bytes leave a rank, {3}\n", formatCount(double(count)),
              count == 1 ? "" : "s", formatCount(bytes), formatTime(seconds))
          .str();
  if (all.bytesOtherwise)
    text += formatv("with{0} --narrow-partials {1} bytes would leave a rank\n",
                    all.narrowPartials ? "out" : "", formatCount(*all.bytesOtherwise))
                .str();
  if (all.plan)
    text += describeQuality(*all.plan);
  text += "predicted with " + all.machine + "\n";
  if (!all.unknownSince.empty())
    text += "why layouts are as they are is not known: " + all.unknownSince + "\n";
  if (all.numChanges)
    text += formatv("{0} change{1} of what was propagated save{2} {3} and send{2} {4}\n",
                    all.numChanges, all.numChanges == 1 ? "" : "s", all.numChanges == 1 ? "s" : "",
                    formatTime(all.saved.seconds), formatDifference(-all.saved.bytes))
                .str();
  return text + "\n";
}

std::string dmc::explain::toText(const Explanation &all, const Filter &filter) {
  std::string text = describeProgram(all);
  if (filter.kernels)
    return text + kernelsToText(all, filter);
  bool isPlain = filter.isEmpty();
  if (isPlain && !all.collectives.empty()) {
    text += table("by kind and axes", all.totalsBy(kindAndAxesOf), 20);
    if (llvm::any_of(all.collectives, [](const Collective &c) { return !c.place.scope.empty(); }))
      text += table("by scope", all.totalsBy(scopeOf), 12);
    text += table("by source line", all.totalsBy(lineOf), 12);
  }
  if (isPlain && all.peak)
    text += describePeak(*all.peak, 8);
  if (isPlain && all.plan)
    text += describeRows(*all.plan, 8);
  for (const Change &change : all.changes)
    if (isPlain)
      text += describe(change, 8);
  if (isPlain && !all.wholes.empty()) {
    text += "operations without a sharding rule, which need their operands whole\n";
    for (const Site &site : all.wholes)
      text += "  " + toString(site) + "\n";
    text += "\n";
  }

  std::vector<const Collective *> shown;
  for (const Collective &collective : all.collectives)
    if (matches(filter, all, collective))
      shown.push_back(&collective);
  llvm::stable_sort(shown, [](const Collective *a, const Collective *b) {
    return a->totalBytes() > b->totalBytes();
  });
  size_t most = filter.top ? std::min<size_t>(filter.top, shown.size()) : shown.size();
  if (!shown.empty())
    text += formatv("collectives, largest first ({0} of {1})\n", most, shown.size()).str();
  else if (!isPlain)
    text += "no collective matches\n";
  for (size_t i = 0; i < most; ++i)
    text += describe(all, *shown[i], i + 1) + "\n";

  std::vector<const Tensor *> tensors;
  if (!isPlain)
    for (const Tensor &tensor : all.tensors)
      if (matches(filter, tensor))
        tensors.push_back(&tensor);
  llvm::stable_sort(tensors, [](const Tensor *a, const Tensor *b) { return a->bytes > b->bytes; });
  size_t mostTensors = filter.top ? std::min<size_t>(filter.top, tensors.size()) : tensors.size();
  if (!tensors.empty())
    text += formatv("tensors, largest first ({0} of {1})\n", mostTensors, tensors.size()).str();
  else if (!isPlain)
    text += "no tensor matches\n";
  for (size_t i = 0; i < mostTensors; ++i)
    text += describe(*tensors[i]) + "\n";
  return text;
}
