//===- Socket.h - Connections with a time limit -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_COMMUNICATOR_TCP_SOCKET_H
#define DMC_LIB_RUNTIME_COMMUNICATOR_TCP_SOCKET_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dmc::tcp {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

/// Listens at a port (0: any, which it becomes); -1, and why not.
int listenAt(int64_t &port, int backlog, std::string &why);
/// Tries again until the deadline; -1, and why not.
int connectTo(const std::string &host, int64_t port, Deadline deadline, std::string &why);
/// -1 if nobody has connected by the deadline.
int acceptFrom(int listener, Deadline deadline);
bool sendAll(int socket, const void *data, size_t bytes, Deadline deadline);
bool receiveAll(int socket, void *data, size_t bytes, Deadline deadline);
/// "10.0.0.7".
std::string addressOfPeer(int socket);
bool isLoopback(const std::string &address);

} // namespace dmc::tcp

#endif // DMC_LIB_RUNTIME_COMMUNICATOR_TCP_SOCKET_H
