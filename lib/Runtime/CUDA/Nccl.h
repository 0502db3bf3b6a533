//===- Nccl.h - NCCL, real or simulated -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_CUDA_NCCL_H
#define DMC_LIB_RUNTIME_CUDA_NCCL_H

#include "CUDA/NcclTypes.h"

#include <string>

namespace dmc::cuda::nccl {

/// The functions of the library. Those that are younger than it are null: only what NCCL 2.18 has
/// is sure to be there.
struct Nccl {
// NOLINTBEGIN(bugprone-macro-parentheses): a type and a list of parameters cannot have any
#define DMC_NCCL_FUNCTION(since, result, exported, name, parameters)                               \
  result(*name) parameters = nullptr;
// NOLINTEND(bugprone-macro-parentheses)
#include "CUDA/Nccl.def"
  int version = 0; // as 22809 of 2.28.9

  /// libnccl.so.2, or the simulated one that comes with dmc; loaded at the first call and then
  /// kept. Null, and what is missing or too old.
  static const Nccl *load(bool simulated, std::string &error);
};

} // namespace dmc::cuda::nccl

#endif // DMC_LIB_RUNTIME_CUDA_NCCL_H
