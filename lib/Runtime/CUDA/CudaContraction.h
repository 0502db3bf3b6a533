//===- CudaContraction.h - Contractions by cuBLASLt -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_CUDA_CUDACONTRACTION_H
#define DMC_LIB_RUNTIME_CUDA_CUDACONTRACTION_H

#include "CUDA/CublasLt.h"
#include "dmc/Runtime/ContractionPlan.h"
#include "dmc/Runtime/Session.h"

#include <memory>
#include <vector>

namespace dmc::cuda {

/// A contraction as matrix products of cuBLASLt, one call for each iteration of the batch loops
/// but one. Its descriptors and its algorithm are chosen when it is prepared.
class CudaContraction {
public:
  ~CudaContraction();
  CudaContraction(const CudaContraction &) = delete;
  CudaContraction &operator=(const CudaContraction &) = delete;

  /// With so many bytes of workspace. Null, and why.
  static std::unique_ptr<CudaContraction> prepare(const blas::CublasLt &library,
                                                  blas::Handle handle,
                                                  const dmc_contraction &contraction,
                                                  size_t workspaceBytes, std::string &error);
  /// Appends the products to a stream. Operands are addresses on the device.
  runtime::Failure run(void *a, void *b, void *c, void *workspace, size_t workspaceBytes,
                       blas::Stream stream) const;

private:
  CudaContraction(const blas::CublasLt &library, blas::Handle handle)
      : library_(library), handle_(handle) {}
  bool describe(const dmc_matmul &matmul, std::string &error);
  bool choose(size_t workspaceBytes, std::string &error);
  /// Where in each buffer, in elements, the product of each call begins.
  struct Offsets {
    int64_t a, b, c;
  };

  const blas::CublasLt &library_;
  blas::Handle handle_;
  runtime::ContractionPlan plan_;
  blas::Operation operation_ = nullptr;
  blas::Layout first_ = nullptr, second_ = nullptr, result_ = nullptr;
  blas::Algorithm algorithm_ = {};
  std::vector<Offsets> calls_;
};

} // namespace dmc::cuda

#endif // DMC_LIB_RUNTIME_CUDA_CUDACONTRACTION_H
