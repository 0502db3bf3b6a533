//===- ProfileTrace.cpp - A step as a trace -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON that Perfetto and chrome://tracing read. Ranks on the host are tracks of one process;
// a rank on a device is a process whose tracks are the streams.
//
//===----------------------------------------------------------------------===//

#include "ProfileText.h"
#include "dmc/Runtime/Report.h"

#include <set>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::profile;

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

/// Names a process (`process_name`) or a track (`thread_name`).
static std::string metadata(const char *kind, long long process, long long track,
                            const std::string &name) {
  return format("{\"name\": \"%s\", \"ph\": \"M\", \"pid\": %lld, \"tid\": %lld, \"args\": ", kind,
                process, track) +
         "{\"name\": " + quoted(name) + "}}";
}

static std::string categoryOf(const dmc_program &program, const ProfileEvent &event) {
  switch (event.kind) {
  case ProfileEvent::Launch:
    return "kernel";
  case ProfileEvent::Call:
    return "library call";
  case ProfileEvent::Copy:
    return "copy";
  case ProfileEvent::Collective:
    break;
  }
  return collectiveName(program.collectives[event.index].kind);
}

/// The source location of an event and its figures.
static std::string argumentsOf(const dmc_program &program, const ProfileEvent &event) {
  const char *location = nullptr;
  std::string more;
  auto addCost = [&](std::pair<double, double> cost) {
    more = format(", \"bytes\": %.0f, \"flops\": %.0f, \"threads\": %d", cost.first, cost.second,
                  event.threads);
  };
  if (event.kind == ProfileEvent::Launch) {
    const dmc_kernel &kernel = program.kernels[event.index];
    location = kernel.location;
    addCost(costOf(kernel));
  } else if (event.kind == ProfileEvent::Call) {
    const dmc_call &call = program.calls[event.index];
    location = call.location;
    addCost(costOf(call));
  } else if (event.kind == ProfileEvent::Copy) {
    more = format(", \"bytes\": %lld", static_cast<long long>(event.bytes));
  } else {
    const dmc_collective &collective = program.collectives[event.index];
    location = collective.location;
    more = format(", \"operand_bytes\": %lld, \"result_bytes\": %lld, \"wait_us\": %.3f",
                  static_cast<long long>(collective.operand_bytes),
                  static_cast<long long>(collective.result_bytes), 1e6 * event.wait);
  }
  return "\"location\": " + quoted(textOf(location)) + more;
}

std::string Profile::toTrace() const {
  static const char *const clocks[] = {"host", "device", "modelled"};
  std::string text = "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"clock\": " +
                     quoted(clocks[static_cast<int>(clock_)]) + "}, \"traceEvents\": [";
  bool isFirst = true, isOnHost = clock_ == ProfileClock::Host;
  auto add = [&](const std::string &event) {
    text += (isFirst ? "\n" : ",\n") + event;
    isFirst = false;
  };
  if (isOnHost)
    add(metadata("process_name", 0, 0, textOf(program_.name)));
  for (const RankProfile &rank : last_) {
    auto number = static_cast<long long>(rank.rank);
    std::string name = "rank " + std::to_string(number);
    if (isOnHost) {
      add(metadata("thread_name", 0, number, name));
    } else {
      add(metadata("process_name", number, 0,
                   textOf(program_.name) + " " + name +
                       (clock_ == ProfileClock::Modelled ? " (modelled)" : "")));
      std::set<uint32_t> streams;
      for (const ProfileEvent &event : rank.events)
        if (streams.insert(event.stream).second)
          add(metadata("thread_name", number, event.stream,
                       "stream " + std::to_string(event.stream)));
    }
    for (const ProfileEvent &event : rank.events)
      add("{\"name\": " + quoted(nameOf(program_, event.kind, event.index)) +
          ", \"cat\": " + quoted(categoryOf(program_, event)) +
          format(", \"ph\": \"X\", \"pid\": %lld, \"tid\": %lld, \"ts\": %.3f, \"dur\": %.3f, ",
                 isOnHost ? 0 : number, isOnHost ? number : static_cast<long long>(event.stream),
                 1e6 * event.begin, 1e6 * (event.end - event.begin)) +
          "\"args\": {" + argumentsOf(program_, event) + "}}");
  }
  return text + "\n]}\n";
}
