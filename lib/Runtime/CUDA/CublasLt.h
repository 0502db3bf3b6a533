//===- CublasLt.h - cuBLASLt, real or simulated -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_CUDA_CUBLASLT_H
#define DMC_LIB_RUNTIME_CUDA_CUBLASLT_H

#include "CUDA/CublasLtTypes.h"

#include <string>

namespace dmc::cuda::blas {

/// The functions of the library.
struct CublasLt {
// NOLINTBEGIN(bugprone-macro-parentheses): a type and a list of parameters cannot have any
#define DMC_CUBLASLT_FUNCTION(result, exported, name, parameters)                                  \
  result(*name) parameters = nullptr;
// NOLINTEND(bugprone-macro-parentheses)
#include "CUDA/CublasLt.def"

  /// libcublasLt.so.13, else .12, or the simulated one that comes with dmc; loaded at the first
  /// call and then kept. Null, and which library or which of its functions is missing.
  static const CublasLt *load(bool simulated, std::string &error);
};

} // namespace dmc::cuda::blas

#endif // DMC_LIB_RUNTIME_CUDA_CUBLASLT_H
