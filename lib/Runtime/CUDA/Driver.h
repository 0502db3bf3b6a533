//===- Driver.h - The CUDA driver, real or simulated ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_CUDA_DRIVER_H
#define DMC_LIB_RUNTIME_CUDA_DRIVER_H

#include "CUDA/DriverTypes.h"

#include <string>

namespace dmc::cuda {

/// The functions of a driver's library.
struct Driver {
// NOLINTBEGIN(bugprone-macro-parentheses): names and lists
#define DMC_CUDA_FUNCTION(exported, name, parameters) Result(*name) parameters = nullptr;
#include "CUDA/Driver.def"
  // NOLINTEND(bugprone-macro-parentheses)

  /// How many operations of streams the calling thread has executed; null for a real driver, whose
  /// device executes them.
  uint64_t (*executed)() = nullptr;

  /// The library of the installed driver, or the simulated one that comes with dmc; loaded at the
  /// first call and then kept. Null, and which library or which of its functions is missing.
  static const Driver *load(bool simulated, std::string &error);
};

/// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory", for messages. Without the driver, since it may be
/// the driver that is missing.
std::string describe(Result result);

} // namespace dmc::cuda

#endif // DMC_LIB_RUNTIME_CUDA_DRIVER_H
