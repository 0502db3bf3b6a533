//===- DriverCalls.h - The functions of the simulated driver ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declared for libraries that are linked with it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_FAKES_DRIVERCALLS_H
#define DMC_LIB_RUNTIME_FAKES_DRIVERCALLS_H

#include "CUDA/DriverTypes.h"
#include "Fakes/Enqueue.h"

namespace dmc::cuda {
extern "C" {
#define DMC_CUDA_FUNCTION(exported, name, parameters) Result exported parameters;
#include "CUDA/Driver.def"
}
} // namespace dmc::cuda

#endif // DMC_LIB_RUNTIME_FAKES_DRIVERCALLS_H
