//===- Launcher.h - What a launcher says of the job -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_COMMUNICATOR_TCP_LAUNCHER_H
#define DMC_LIB_RUNTIME_COMMUNICATOR_TCP_LAUNCHER_H

#include <cstdint>
#include <string>

namespace dmc::tcp {

/// This process's rank, and where the first one is found.
struct Launch {
  int64_t rank = 0, size = 1;
  std::string host;
  int64_t port = 0;
  double connectSeconds = 60;
};

/// Reads the environment of torchrun or of srun. Empty, or what is missing or malformed.
std::string readLaunch(Launch &launch);

/// The first host of a list as Slurm writes it: "a[07-12,15],b3" begins with "a07".
std::string firstHost(const std::string &list);

} // namespace dmc::tcp

#endif // DMC_LIB_RUNTIME_COMMUNICATOR_TCP_LAUNCHER_H
