//===- Team.h - The threads of a rank ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that run the iterations of a loop nest together. A rank's own thread is one of
// them; they are the threads of the OpenMP library that the matrix library uses, where there is
// one, so that kernels and library calls find the same threads awake.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_DEVICE_TEAM_H
#define DMC_LIB_RUNTIME_DEVICE_TEAM_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dmc::runtime {

class Team {
public:
  /// Runs a share of the iterations, [begin, end); nonzero after a failure.
  using Body = int32_t (*)(void *data, int64_t begin, int64_t end);

  virtual ~Team() = default;
  /// Called by the rank's thread alone. Divides [0, iterations) into one contiguous share for each
  /// thread, as even as it goes. Returns when all have ended: the code of the first that failed.
  int32_t run(int64_t iterations, Body body, void *data);
  int threads() const { return threads_; }
  /// What it takes to wake the threads and to wait for them, in seconds; measured by the first
  /// call.
  double forkSeconds();

  /// A team of so many threads, at least 1; null and why if the system gives no such number.
  static std::unique_ptr<Team> create(int threads, std::string &error);

protected:
  explicit Team(int threads) : threads_(threads) {}
  /// Calls `share(data, i)` for i in [0, threads), each on a thread of its own, and waits for all.
  virtual void fork(void (*share)(void *data, int index), void *data) = 0;

private:
  int threads_;
  std::optional<double> forkSeconds_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_DEVICE_TEAM_H
