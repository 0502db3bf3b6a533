//===- CudaClock.h - Times of a CUDA device's work --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_CUDA_CUDACLOCK_H
#define DMC_LIB_RUNTIME_CUDA_CUDACLOCK_H

#include "CUDA/Driver.h"
#include "Device/DeviceClock.h"

#include <vector>

namespace dmc::cuda {

/// Marks are events with times, which are kept for later steps. Those within a graph have numbers
/// with the highest bit: a step may have others before its launch.
class CudaClock final : public runtime::DeviceClock {
public:
  CudaClock(const Driver &driver, CUcontext context, const std::vector<CUstream> &streams,
            bool isSimulated)
      : driver_(driver), context_(context), streams_(streams), isSimulated_(isSimulated) {}
  ~CudaClock() override;
  CudaClock(const CudaClock &) = delete;
  CudaClock &operator=(const CudaClock &) = delete;

  bool isModelled() const override { return isSimulated_; }
  void restart() override { step_.used = 0; }
  void beginGraph() override {
    graph_.used = 0;
    isInGraph_ = true;
  }
  void endGraph() override { isInGraph_ = false; }
  std::optional<std::string> mark(uint32_t stream, uint32_t &number) override;
  std::optional<std::string> secondsAt(uint32_t number, double &seconds) override;

private:
  const Driver &driver_;
  CUcontext context_;
  const std::vector<CUstream> &streams_;
  bool isSimulated_;
  struct Marks {
    std::vector<CUevent> events;
    uint32_t used = 0; // of the events
  };
  Marks step_, graph_;
  bool isInGraph_ = false;
};

} // namespace dmc::cuda

#endif // DMC_LIB_RUNTIME_CUDA_CUDACLOCK_H
