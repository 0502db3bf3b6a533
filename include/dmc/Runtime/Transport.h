//===- Transport.h - The job that this process is a part of -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where ranks are processes: joining the job through a plugin, exchanges that wait
// without holding the processor, and agreement on failures.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_TRANSPORT_H
#define DMC_RUNTIME_TRANSPORT_H

#include "dmc/Runtime/Session.h"
#include "dmc/Runtime/TransportPlugin.h"

#include <functional>
#include <memory>

namespace dmc::runtime {

/// One per process. Failures of the library itself are not recoverable: whoever
/// gets one ends the job.
class Transport {
public:
  /// Loads the plugin of an engine ("mpi") and joins the job.
  static std::unique_ptr<Transport> join(const std::string &engine, std::string &error);
  /// Leaves the job, together with all others.
  ~Transport();
  Transport(const Transport &) = delete;
  Transport &operator=(const Transport &) = delete;

  const std::string &engine() const { return engine_; }
  int64_t rank() const { return rank_; }
  int64_t size() const { return size_; }
  /// Among the processes of the job on this machine.
  int64_t localRank() const { return localRank_; }
  int64_t localSize() const { return localSize_; }

  /// Called while waiting, some thousand times a second; an answer of false ends
  /// the wait with a failure without text.
  using Watch = std::function<bool()>;

  Failure makeGroup(const std::vector<int64_t> &ranks, void *&group);
  Failure exchange(void *group, const std::vector<dmc_message> &sends,
                   const std::vector<dmc_message> &receives, const Watch &watch = nullptr);
  Failure broadcast(void *group, int64_t root, void *data, int64_t bytes,
                    const Watch &watch = nullptr);
  /// The `bytes` of every process, in their order.
  Failure allGather(const void *mine, int64_t bytes, std::vector<uint8_t> &all);

  void sendNote(int64_t rank, const void *data, int64_t bytes) const;
  bool receiveNote(int64_t &rank, void *data, int64_t bytes) const;
  /// Says which process has ended without leaving the job, if the transport knows it.
  Failure checkProcesses() const;

  /// Nothing if no process has failed. Else the failure, on the first process
  /// that says why, and an empty text on all others.
  Failure agree(const Failure &mine);
  [[noreturn]] void abort(int code) const;

private:
  Transport(const dmc_transport &plugin, std::string engine)
      : plugin_(plugin), engine_(std::move(engine)) {}
  Failure wait(void *request, const Watch &watch);

  const dmc_transport &plugin_;
  std::string engine_;
  int64_t rank_ = 0, size_ = 1, localRank_ = 0, localSize_ = 1;
};

} // namespace dmc::runtime

#endif // DMC_RUNTIME_TRANSPORT_H
