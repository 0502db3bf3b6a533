//===- DriverLaunch.h - A launch by the CUDA driver -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_PTX_RUN_DRIVERLAUNCH_H
#define DMC_TOOLS_PTX_RUN_DRIVERLAUNCH_H

#include "dmc/PTX/Simulator.h"
#include "dmc/Runtime/Array.h"

#include <optional>

namespace dmc {

/// An array that a kernel gets, and where it is written to at the end.
struct DeviceArray {
  runtime::Array array;
  ptx::Address address = 0;
  /// Where the bytes of the address are among those of the arguments.
  uint64_t offset = 0;
  bool isFilled = false;
  std::string output;
};

/// Launches the kernel of the text once, on the first device of the installed driver or of the
/// simulated one, and reads the arrays back. Returns what went wrong, or nothing.
std::optional<std::string> launchOnDriver(bool isSimulated, const std::string &text,
                                          ptx::Launch launch, std::vector<DeviceArray> &arrays);

} // namespace dmc

#endif // DMC_TOOLS_PTX_RUN_DRIVERLAUNCH_H
