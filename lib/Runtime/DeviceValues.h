//===- DeviceValues.h - The values of a rank on its device ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_DEVICEVALUES_H
#define DMC_LIB_RUNTIME_DEVICEVALUES_H

#include "Device/Device.h"
#include "Ranks/Recorder.h"
#include "dmc/Runtime/Array.h"

#include <vector>

namespace dmc::runtime {

/// Arguments, results, the arena and constants in the memory of a device, beside the rank's
/// buffers of the host. A value is copied when the other side asks for it and it has changed.
class DeviceValues {
public:
  DeviceValues(const dmc_program &program, Device &device) : program_(program), device_(device) {}
  ~DeviceValues();
  DeviceValues(const DeviceValues &) = delete;
  DeviceValues &operator=(const DeviceValues &) = delete;

  /// Before the first step: memory for everything, and the constants in it.
  Failure allocate();
  /// The host has given the argument another value.
  void setArgument(size_t index) { arguments_[index].side = Side::Host; }
  /// Copies what the host changed to the device, before a step.
  Failure upload(const std::vector<Buffer> &arguments, Recorder *recorder);
  /// Fills the arena and the results with what no program would expect.
  Failure poison();
  /// A step was begun: what it writes is only on the device.
  void beginStep();
  /// Copies a value to the host, unless it is there.
  Failure fetchArgument(size_t index, uint8_t *host);
  Failure fetchResult(size_t index, uint8_t *host);

  void *const *arguments() const { return argumentPointers_.data(); }
  void *const *results() const { return resultPointers_.data(); }
  void *const *constants() const { return constants_.data(); }
  /// In the order of the program's table; `host` is the arena of the host.
  std::vector<void *> arenas(void *host) const;

private:
  enum class Side { Both, Host, Device };
  struct Value {
    int64_t bytes = 0;
    Side side = Side::Both;
  };
  Failure allocate(int64_t bytes, void *&pointer);
  Failure fetch(Value &value, void *from, uint8_t *host);

  const dmc_program &program_;
  Device &device_;
  std::vector<Value> arguments_, results_;
  std::vector<void *> argumentPointers_, resultPointers_, constants_;
  void *arena_ = nullptr;
  std::vector<void *> owned_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_DEVICEVALUES_H
