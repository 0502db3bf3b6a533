//===- SessionBuffers.h - The buffers of a rank -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_SESSIONBUFFERS_H
#define DMC_LIB_RUNTIME_SESSIONBUFFERS_H

#include "DeviceValues.h"

namespace dmc::runtime {

/// What a step did when it was captured: launches of the graph do the same.
struct CapturedStep {
  std::vector<int64_t> executions; // by collective
  int64_t collective = -1;         // the last one
};

struct Session::RankBuffers {
  std::vector<Buffer> arguments;
  std::vector<Buffer> results; // empty where a result takes over an argument
  std::vector<void *> argumentPointers, resultPointers;
  Buffer arena;
  Buffer scratch;                       // of library calls
  std::unique_ptr<DeviceValues> device; // null where the host's memory is the device's
  /// Memory of the caller that the next step uses.
  struct Bound {
    bool isResult;
    size_t index;
    uint8_t *data;
    int64_t bytes;
    bool isWritten;
  };
  std::vector<Bound> bound;
  std::vector<bool> isArgumentBound, isResultBound;
  /// The rank's own memory is in use again.
  void restore(const dmc_program &program, const Bound &binding) {
    if (binding.isResult) {
      resultPointers[binding.index] = results[binding.index].data();
      isResultBound[binding.index] = false;
      return;
    }
    uint8_t *own = arguments[binding.index].data();
    argumentPointers[binding.index] = own;
    isArgumentBound[binding.index] = false;
    if (int64_t alias = program.arguments[binding.index].alias; alias >= 0)
      resultPointers[alias] = own;
  }
  CapturedStep captured;
  /// Values that the last step left in memory of the caller.
  std::vector<bool> isArgumentElsewhere, isResultElsewhere;
  /// The argument gets another value, from the host.
  void setArgument(size_t index) {
    isArgumentElsewhere[index] = false;
    if (device)
      device->setArgument(index);
  }
};

inline std::vector<int64_t> globalShapeOf(const dmc_value &value) {
  return {value.global_shape, value.global_shape + value.rank};
}

inline std::vector<int64_t> localShapeOf(const dmc_value &value) {
  return {value.local_shape, value.local_shape + value.rank};
}

/// As messages name it.
inline std::string nameOf(const char *kind, size_t index, const dmc_value &value) {
  std::string text = std::string(kind) + " " + std::to_string(index);
  return value.name && *value.name ? text + " (" + value.name + ")" : text;
}

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_SESSIONBUFFERS_H
