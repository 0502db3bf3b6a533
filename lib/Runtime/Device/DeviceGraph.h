//===- DeviceGraph.h - The launches of a step, launched at once -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_DEVICE_DEVICEGRAPH_H
#define DMC_LIB_RUNTIME_DEVICE_DEVICEGRAPH_H

#include <optional>
#include <string>

namespace dmc::runtime {

/// What a step gives to all streams of a device, kept with its order and its addresses. Functions
/// return what is wrong, or nothing.
class DeviceGraph {
public:
  virtual ~DeviceGraph() = default;
  virtual bool isCapturing() const = 0;
  /// Whether there is one to launch.
  virtual bool isMade() const = 0;
  /// From now on nothing is executed: what streams are given becomes the graph.
  virtual std::optional<std::string> begin() = 0;
  /// Makes the graph, or forgets it unless `keeps`.
  virtual std::optional<std::string> end(bool keeps) = 0;
  virtual std::optional<std::string> launch() = 0;
  virtual void drop() = 0;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_DEVICE_DEVICEGRAPH_H
