//===- CustomKernels.h - Kernels that a session is given --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_LIBRARIES_CUSTOMKERNELS_H
#define DMC_LIB_RUNTIME_LIBRARIES_CUSTOMKERNELS_H

#include "dmc/Runtime/Session.h"

#include <vector>

namespace dmc::runtime {

/// The kernels of a program's calls, found once by name.
class CustomKernels {
public:
  /// Finds a kernel for each call that needs one, or says which are missing.
  Failure resolve(const dmc_program &program, const std::vector<CustomKernel> &given);
  /// Runs call `index` of the program for a rank: on its operands, then its results.
  Failure run(const dmc_call &call, int64_t index, int64_t rank, void *const *operands) const;

private:
  std::vector<const CustomKernel *> calls_; // by call; null for those of libraries
  std::vector<CustomKernel> kernels_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_LIBRARIES_CUSTOMKERNELS_H
