//===- Driver.cpp - A library with the names of a driver ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/DriverTypes.h"

// As drivers before CUDA 13 call it.
#define cuEventElapsedTime_v2 cuEventElapsedTime
#ifdef TEST_LACKS_A_FUNCTION
#define cuGraphLaunch cuGraphLaunchOfAnotherVersion
#endif

namespace dmc::cuda {
#define DMC_CUDA_FUNCTION(exported, name, parameters)                                              \
  extern "C" __attribute__((visibility("default"))) Result exported parameters {                   \
    return Result::NotSupported;                                                                   \
  }
#include "CUDA/Driver.def"
} // namespace dmc::cuda
