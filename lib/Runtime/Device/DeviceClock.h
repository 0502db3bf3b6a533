//===- DeviceClock.h - Times by the clock of a device -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device executes is timed by marks in its streams: the host only says where they are.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_DEVICE_DEVICECLOCK_H
#define DMC_LIB_RUNTIME_DEVICE_DEVICECLOCK_H

#include <cstdint>
#include <optional>
#include <string>

namespace dmc::runtime {

class DeviceClock {
public:
  virtual ~DeviceClock() = default;
  /// Whether the times are those of a model, and nothing is measured.
  virtual bool isModelled() const = 0;
  /// Forgets all marks but those of a graph.
  virtual void restart() = 0;
  /// Until `endGraph`, marks are parts of the graph that streams are captured to: each launch of it
  /// reaches them again. Those of an earlier graph are forgotten.
  virtual void beginGraph() = 0;
  virtual void endGraph() = 0;
  /// Appends a mark to a stream; `number` says which it is, 0 the first since `restart`.
  /// Returns what is wrong, or nothing.
  virtual std::optional<std::string> mark(uint32_t stream, uint32_t &number) = 0;
  /// Seconds from mark 0 to another, after the device has reached both.
  virtual std::optional<std::string> secondsAt(uint32_t number, double &seconds) = 0;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_DEVICE_DEVICECLOCK_H
