//===- Profile.cpp - Where the time of a step goes ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Profile.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

using namespace dmc;
using namespace dmc::runtime;

template <typename... Ts>
static std::string format(const char *pattern, Ts... values) {
  char text[512];
  int length = std::snprintf(text, sizeof text, pattern, values...);
  return {text, std::min<size_t>(static_cast<size_t>(length), sizeof text - 1)};
}

static std::string textOf(const char *text) { return text ? text : ""; }

/// The bytes and operations of all nests of a kernel.
static std::pair<double, double> costOf(const dmc_kernel &kernel) {
  double bytes = 0, flops = 0;
  for (uint32_t i = 0; i < kernel.num_nests; ++i) {
    bytes += static_cast<double>(kernel.nests[i].bytes);
    flops += static_cast<double>(kernel.nests[i].flops);
  }
  return {bytes, flops};
}

static std::pair<double, double> costOf(const dmc_call &call) {
  return {static_cast<double>(call.bytes), static_cast<double>(call.flops)};
}

static std::string nameOf(const dmc_program &program, ProfileEvent::Kind kind, uint32_t index) {
  if (kind == ProfileEvent::Launch)
    return textOf(program.kernels[index].name);
  if (kind == ProfileEvent::Call)
    return textOf(program.calls[index].name);
  std::string location = textOf(program.collectives[index].location);
  return "collective " + std::to_string(index) + (location.empty() ? "" : " at " + location);
}

void Profile::add(const std::vector<RankProfile> &ranks) {
  for (const RankProfile &rank : ranks) {
    seconds_ += rank.seconds;
    for (const ProfileEvent &event : rank.events) {
      Row &row = rows_[{event.kind, event.index}];
      ++row.count;
      row.seconds += event.end - event.begin;
      row.wait += event.wait;
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
                             double bytes, double flops, const ProfileLimits &limits) const {
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
  return format("%-14s%8.4g%10.4f%7.1f%%%8d", what.c_str(), count, 1e3 * seconds,
                seconds_ > 0 ? 100 * row.seconds / seconds_ : 0.0, row.threads) +
         rates + "  " + name + "\n";
}

std::string Profile::toTable(const ProfileLimits &limits) const {
  if (!rankSteps_)
    return "profile: no step was recorded\n";
  auto steps = static_cast<double>(rankSteps_);
  std::string text =
      format("profile: mean of %lld step%s, per rank: %.4f ms; a copy reads and writes %.2f GB/s",
             static_cast<long long>(steps_), steps_ == 1 ? "" : "s", 1e3 * seconds_ / steps,
             limits.copyBytes / 1e9);
  if (limits.flops > 0)
    text += format(", the matrix library does %.2f GFLOP/s", limits.flops / 1e9);
  text +=
      format("\n%-14s%8s%10s%8s%8s%9s%9s%10s%s  %s\n", "what", "count", "ms", "share", "threads",
             "GB/s", "of copy", "GFLOP/s", limits.flops > 0 ? "  of peak" : "", "name");
  std::vector<std::pair<double, std::string>> lines;
  double known = 0, waits = 0;
  for (const auto &[key, row] : rows_) {
    auto [kind, index] = key;
    known += row.seconds;
    std::string what, name = nameOf(program_, kind, index);
    double bytes = 0, flops = 0;
    Row shown = row;
    if (kind == ProfileEvent::Launch) {
      std::tie(bytes, flops) = costOf(program_.kernels[index]);
      what = "kernel";
    } else if (kind == ProfileEvent::Call) {
      std::tie(bytes, flops) = costOf(program_.calls[index]);
      what = "library call";
    } else {
      const dmc_collective &collective = program_.collectives[index];
      what = collectiveName(collective.kind);
      bytes = static_cast<double>(collective.operand_bytes + collective.result_bytes);
      shown.seconds -= row.wait;
      waits += row.wait;
    }
    lines.push_back({shown.seconds, rowText(what, name, shown, bytes, flops, limits)});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  for (const auto &line : lines)
    text += line.second;
  auto sum = [&](const char *what, double seconds) {
    return format("%-22s%10.4f%7.1f%%\n", what, 1e3 * seconds / steps,
                  seconds_ > 0 ? 100 * seconds / seconds_ : 0.0);
  };
  if (waits > 0)
    text += sum("waits for other ranks", waits);
  text += sum("between these", seconds_ - known);
  text += format("per step: %.4g page faults, %.4g allocations\n",
                 static_cast<double>(pageFaults_) / static_cast<double>(steps_),
                 static_cast<double>(allocations_) / static_cast<double>(steps_));
  return text;
}

//===----------------------------------------------------------------------===//
// The trace
//===----------------------------------------------------------------------===//

static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      result += format("\\u%04x", c);
    else
      result += c;
  }
  return result + "\"";
}

std::string Profile::toTrace() const {
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  bool isFirst = true;
  auto add = [&](const std::string &event) {
    text += (isFirst ? "\n" : ",\n") + event;
    isFirst = false;
  };
  add("{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 0, \"args\": {\"name\": " +
      quoted(textOf(program_.name)) + "}}");
  for (const RankProfile &rank : last_) {
    auto track = static_cast<long long>(rank.rank);
    add(format("{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 0, \"tid\": %lld, \"args\": "
               "{\"name\": \"rank %lld\"}}",
               track, track));
    for (const ProfileEvent &event : rank.events) {
      const char *location = nullptr;
      std::string category, more;
      auto addCost = [&](std::pair<double, double> cost) {
        more = format(", \"bytes\": %.0f, \"flops\": %.0f, \"threads\": %d", cost.first,
                      cost.second, event.threads);
      };
      if (event.kind == ProfileEvent::Launch) {
        const dmc_kernel &kernel = program_.kernels[event.index];
        location = kernel.location;
        category = "kernel";
        addCost(costOf(kernel));
      } else if (event.kind == ProfileEvent::Call) {
        const dmc_call &call = program_.calls[event.index];
        location = call.location;
        category = "library call";
        addCost(costOf(call));
      } else {
        const dmc_collective &collective = program_.collectives[event.index];
        location = collective.location;
        category = collectiveName(collective.kind);
        more = format(", \"operand_bytes\": %lld, \"result_bytes\": %lld, \"wait_us\": %.3f",
                      static_cast<long long>(collective.operand_bytes),
                      static_cast<long long>(collective.result_bytes), 1e6 * event.wait);
      }
      std::string arguments = "\"location\": " + quoted(textOf(location)) + more;
      add("{\"name\": " + quoted(nameOf(program_, event.kind, event.index)) +
          ", \"cat\": " + quoted(category) +
          format(", \"ph\": \"X\", \"pid\": 0, \"tid\": %lld, \"ts\": %.3f, \"dur\": %.3f, ", track,
                 1e6 * event.begin, 1e6 * (event.end - event.begin)) +
          "\"args\": {" + arguments + "}}");
    }
  }
  return text + "\n]}\n";
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
