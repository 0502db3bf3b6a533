//===- Meeting.h - All processes of a job find each other -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_COMMUNICATOR_TCP_MEETING_H
#define DMC_LIB_RUNTIME_COMMUNICATOR_TCP_MEETING_H

#include "Launcher.h"

#include <vector>

namespace dmc::tcp {

/// A connection to each other process, by rank; -1 to itself. `hosts` are the machines' names.
struct Connections {
  std::vector<int> sockets;
  std::vector<std::string> hosts;
};

/// Processes connect to the first one, which tells them where the others are. Empty, or what has
/// gone wrong, with the rank and the address.
std::string meet(const Launch &launch, Connections &connections);

} // namespace dmc::tcp

#endif // DMC_LIB_RUNTIME_COMMUNICATOR_TCP_MEETING_H
