//===- Profile.cpp - Where the time of a step goes ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Profile.h"
#include "ProfileText.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::profile;

/// The bytes and operations of all nests of a kernel.
std::pair<double, double> profile::costOf(const dmc_kernel &kernel) {
  double bytes = 0, flops = 0;
  for (uint32_t i = 0; i < kernel.num_nests; ++i) {
    bytes += static_cast<double>(kernel.nests[i].bytes);
    flops += static_cast<double>(kernel.nests[i].flops);
  }
  return {bytes, flops};
}

std::pair<double, double> profile::costOf(const dmc_call &call) {
  return {static_cast<double>(call.bytes), static_cast<double>(call.flops)};
}

std::optional<double> profile::predictionOf(const dmc_program &program, ProfileEvent::Kind kind,
                                            uint32_t index) {
  if (!program.predicted_ps || kind == ProfileEvent::Copy)
    return std::nullopt;
  size_t row = index;
  if (kind != ProfileEvent::Launch)
    row += program.num_kernels;
  if (kind == ProfileEvent::Collective)
    row += program.num_calls;
  return 1e-12 * static_cast<double>(program.predicted_ps[row]);
}

std::string profile::nameOf(const dmc_program &program, ProfileEvent::Kind kind, uint32_t index) {
  if (kind == ProfileEvent::Launch)
    return textOf(program.kernels[index].name);
  if (kind == ProfileEvent::Call)
    return textOf(program.calls[index].name);
  if (kind == ProfileEvent::Copy) {
    static const char *const spaces[] = {"host", "device"};
    return std::string(spaces[index / 2]) + " to " + spaces[index % 2];
  }
  std::string location = textOf(program.collectives[index].location);
  return "collective " + std::to_string(index) + (location.empty() ? "" : " at " + location);
}

/// Adds to `streams` in how many seconds each had work. Returns in how many any had.
static double addBusy(const RankProfile &rank, std::map<uint32_t, double> &streams) {
  std::vector<const ProfileEvent *> events;
  events.reserve(rank.events.size());
  for (const ProfileEvent &event : rank.events)
    events.push_back(&event);
  std::stable_sort(events.begin(), events.end(), [](const ProfileEvent *a, const ProfileEvent *b) {
    return a->begin < b->begin;
  });
  double busy = 0, end = 0;
  for (const ProfileEvent *event : events) {
    streams[event->stream] += event->end - event->begin; // one after the other
    busy += std::max(0.0, event->end - std::max(end, event->begin));
    end = std::max(end, event->end);
  }
  return busy;
}

void Profile::add(const std::vector<RankProfile> &ranks) {
  for (const RankProfile &rank : ranks) {
    seconds_ += rank.seconds;
    hostSeconds_ += rank.hostSeconds;
    clock_ = rank.clock;
    if (clock_ != ProfileClock::Host)
      busy_ += addBusy(rank, streams_);
    for (const ProfileEvent &event : rank.events) {
      Row &row = rows_[{event.kind, event.index}];
      ++row.count;
      row.seconds += event.end - event.begin;
      row.wait += event.wait;
      row.bytes += static_cast<double>(event.bytes);
      row.threads = std::max(row.threads, event.threads);
    }
  }
  rankSteps_ += static_cast<int64_t>(ranks.size());
  ++steps_;
  last_ = ranks;
}

void Profile::addCounts(int64_t pageFaults, int64_t allocations) {
  pageFaults_ += pageFaults;
  allocations_ += allocations;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::string Profile::rowText(const std::string &what, const std::string &name, const Row &row,
                             double bytes, double flops, double predicted,
                             const ProfileLimits &limits) const {
  auto steps = static_cast<double>(rankSteps_);
  double seconds = row.seconds / steps, count = static_cast<double>(row.count) / steps;
  std::string rates;
  if (seconds > 0 && bytes > 0) {
    double rate = count * bytes / seconds;
    rates += format("%9.2f", rate / 1e9);
    rates +=
        limits.copyBytes > 0 ? format("%8.0f%%", 100 * rate / limits.copyBytes) : format("%9s", "");
  } else {
    rates += format("%18s", "");
  }
  bool computes = seconds > 0 && flops > 0;
  double rate = computes ? count * flops / seconds : 0;
  rates += computes ? format("%10.2f", rate / 1e9) : format("%10s", "");
  if (limits.flops > 0)
    rates += computes ? format("%8.0f%%", 100 * rate / limits.flops) : format("%9s", "");
  std::string threads = row.threads ? format("%8d", row.threads) : format("%8s", "");
  std::string expected;
  if (program_.predicted_ps)
    expected = predicted > 0 ? format("%11.4f", 1e3 * predicted) : format("%11s", "");
  return format("%-14s%8.4g%10.4f", what.c_str(), count, 1e3 * seconds) + expected +
         format("%7.1f%%", seconds_ > 0 ? 100 * row.seconds / seconds_ : 0.0) + threads + rates +
         "  " + name + "\n";
}

std::string Profile::headText(const ProfileLimits &limits) const {
  auto steps = static_cast<double>(rankSteps_);
  bool isModelled = clock_ == ProfileClock::Modelled;
  std::string text =
      format("profile%s: mean of %lld step%s, per rank: %.4f ms", isModelled ? " (modelled)" : "",
             static_cast<long long>(steps_), steps_ == 1 ? "" : "s", 1e3 * seconds_ / steps);
  if (clock_ != ProfileClock::Host)
    text += format(" %s, %.4f ms by the host's clock",
                   isModelled ? "on a modelled device" : "by the device's clock",
                   1e3 * hostSeconds_ / steps);
  if (limits.copyBytes > 0 || clock_ == ProfileClock::Host)
    text += format("; a copy reads and writes %.2f GB/s", limits.copyBytes / 1e9);
  if (limits.flops > 0)
    text += format(", the matrix library does %.2f GFLOP/s", limits.flops / 1e9);
  return text + format("\n%-14s%8s%10s%s%8s%8s%9s%9s%10s%s  %s\n", "what", "count", "ms",
                       program_.predicted_ps ? "  predicted" : "", "share", "threads", "GB/s",
                       "of copy", "GFLOP/s", limits.flops > 0 ? "  of peak" : "", "name");
}

std::string Profile::sumText(const char *what, double seconds) const {
  return format("%-22s%10.4f%7.1f%%\n", what, 1e3 * seconds / static_cast<double>(rankSteps_),
                seconds_ > 0 ? 100 * seconds / seconds_ : 0.0);
}

std::string Profile::predictionText() const {
  // What is told apart by a reader: a part of the step whose prediction is off by more than this
  // share of its time, by at least this share of the step.
  constexpr double part = 0.1, ofStep = 0.01;
  double total = 0, step = seconds_ / static_cast<double>(rankSteps_);
  std::vector<std::pair<double, std::string>> off;
  for (const auto &[key, row] : rows_) {
    auto [kind, index] = key;
    std::optional<double> each = predictionOf(program_, kind, index);
    if (!each)
      continue;
    double predicted = *each * static_cast<double>(row.count) / static_cast<double>(rankSteps_);
    double measured = (row.seconds - row.wait) / static_cast<double>(rankSteps_);
    total += predicted;
    double error = std::abs(predicted - measured);
    if (error > part * measured && error > ofStep * step)
      off.emplace_back(error, format("  %s: %.4f ms, predicted %.4f\n",
                                     nameOf(program_, kind, index).c_str(), 1e3 * measured,
                                     1e3 * predicted));
  }
  std::string text = format("predicted%23.4f ms, %.1f%% %s than measured\n", 1e3 * total,
                            100 * std::abs(total - step) / step, total < step ? "less" : "more");
  if (off.empty())
    return text;
  std::stable_sort(off.begin(), off.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  text += "off by more than a tenth, and by a hundredth of the step:\n";
  for (const auto &line : off)
    text += line.second;
  return text;
}

/// Streams run beside each other: their shares may add up to more than the step.
std::string Profile::streamsText() const {
  std::string text;
  for (auto [stream, seconds] : streams_)
    text += sumText(("stream " + std::to_string(stream) + " has work").c_str(), seconds);
  return text + sumText("no stream has work", seconds_ - busy_);
}

std::string Profile::toTable(const ProfileLimits &limits) const {
  if (!rankSteps_)
    return "profile: no step was recorded\n";
  std::string text = headText(limits);
  std::vector<std::pair<double, std::string>> lines;
  double known = 0, waits = 0;
  for (const auto &[key, row] : rows_) {
    auto [kind, index] = key;
    known += row.seconds;
    std::string what, name = nameOf(program_, kind, index);
    double bytes = 0, flops = 0;
    Row shown = row;
    ProfileLimits reached = limits;
    if (kind == ProfileEvent::Launch) {
      std::tie(bytes, flops) = costOf(program_.kernels[index]);
      what = "kernel";
    } else if (kind == ProfileEvent::Call) {
      std::tie(bytes, flops) = costOf(program_.calls[index]);
      what = "library call";
    } else if (kind == ProfileEvent::Copy) {
      bool isWithin = index == copyIndex(DMC_MEMORY_DEVICE, DMC_MEMORY_DEVICE);
      what = "copy";
      bytes = (isWithin ? 2 : 1) * row.bytes / static_cast<double>(row.count);
      if (!isWithin)
        reached.copyBytes = 0;
    } else {
      const dmc_collective &collective = program_.collectives[index];
      what = collectiveName(collective.kind);
      bytes = static_cast<double>(collective.operand_bytes + collective.result_bytes);
      shown.seconds -= row.wait;
      waits += row.wait;
    }
    double predicted = predictionOf(program_, kind, index).value_or(0) *
                       static_cast<double>(row.count) / static_cast<double>(rankSteps_);
    lines.push_back({shown.seconds, rowText(what, name, shown, bytes, flops, predicted, reached)});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  for (const auto &line : lines)
    text += line.second;
  if (waits > 0)
    text += sumText("waits for other ranks", waits);
  text += clock_ == ProfileClock::Host ? sumText("between these", seconds_ - known) : streamsText();
  if (program_.predicted_ps)
    text += predictionText();
  text += format("per step: %.4g page faults, %.4g allocations\n",
                 static_cast<double>(pageFaults_) / static_cast<double>(steps_),
                 static_cast<double>(allocations_) / static_cast<double>(steps_));
  return text;
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

double runtime::measureCopyRate(int threads) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t bytes = size_t(64) << 20; // of each thread: above the last cache's share of it
  std::vector<Buffer> from, to;
  for (int i = 0; i < threads; ++i) {
    from.push_back(Buffer::allocate(bytes));
    to.push_back(Buffer::allocate(bytes));
    if (!from.back() || !to.back())
      return 0;
    std::memset(from.back().data(), 1, bytes);
    std::memset(to.back().data(), 1, bytes);
  }
  double best = 0;
  for (int round = 0; round < 4; ++round) {
    auto start = Clock::now();
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i)
      others.emplace_back([&, i] { std::memcpy(to[i].data(), from[i].data(), bytes); });
    std::memcpy(to[0].data(), from[0].data(), bytes);
    for (std::thread &thread : others)
      thread.join();
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::max(best, 2.0 * static_cast<double>(bytes) * threads / seconds);
  }
  return best;
}
