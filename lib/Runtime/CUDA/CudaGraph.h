//===- CudaGraph.h - The launches of a step as one graph --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_CUDA_CUDAGRAPH_H
#define DMC_LIB_RUNTIME_CUDA_CUDAGRAPH_H

#include "CUDA/Driver.h"
#include "Device/DeviceGraph.h"

#include <vector>

namespace dmc::cuda {

/// Streams are captured from the first one: the others come after its begin, and it ends after
/// them.
class CudaGraph final : public runtime::DeviceGraph {
public:
  CudaGraph(const Driver &driver, CUcontext context, const std::vector<CUstream> &streams)
      : driver_(driver), context_(context), streams_(streams) {}
  ~CudaGraph() override;
  CudaGraph(const CudaGraph &) = delete;
  CudaGraph &operator=(const CudaGraph &) = delete;

  bool isCapturing() const override { return isCapturing_; }
  bool isMade() const override { return exec_ != nullptr; }
  std::optional<std::string> begin() override;
  std::optional<std::string> end(bool keeps) override;
  std::optional<std::string> launch() override;
  void drop() override;

private:
  /// Makes each of the other streams come after the first, or the first after all others.
  Result order(bool isFork);
  std::optional<std::string> failed(const char *what, Result result) const;

  const Driver &driver_;
  CUcontext context_;
  const std::vector<CUstream> &streams_;
  std::vector<CUevent> events_; // one for each stream
  CUgraphExec exec_ = nullptr;
  bool isCapturing_ = false;
};

} // namespace dmc::cuda

#endif // DMC_LIB_RUNTIME_CUDA_CUDAGRAPH_H
