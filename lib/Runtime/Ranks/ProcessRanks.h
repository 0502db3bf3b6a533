//===- ProcessRanks.h - Ranks as processes of one job -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This process is one rank. Processes that wait too long ask the others what they do, and the
// first of those who ask reports. A failure is reported by the first who has one.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_RANKS_PROCESSRANKS_H
#define DMC_LIB_RUNTIME_RANKS_PROCESSRANKS_H

#include "Ranks/Ranks.h"
#include "dmc/Runtime/Transport.h"

#include <chrono>
#include <map>

namespace dmc::runtime {

class ProcessRanks final : public Ranks {
public:
  ProcessRanks(const dmc_program &program, const Mesh &mesh, const SessionOptions &options);

  Failure start() override;
  using Ranks::run;
  Failure run(std::shared_ptr<const Body> body) override;
  int32_t fail(const std::string &message) override;
  void onProgress(dmc_rank_context &) override { receiveNotes(); }
  bool onWait(dmc_rank_context &rank) override;
  std::string failureText() const override { return failure_; }

  Transport &transport() const { return transport_; }
  /// The rank of this process.
  dmc_rank_context &self() const { return *ranks_.front(); }
  /// Runs a transfer, which calls `watch` while it waits for other processes. False after a
  /// failure.
  template <typename Transfer>
  bool waitFor(Transfer transfer) {
    isWaiting_ = true;
    beginWait();
    Failure why = transfer([this] { return watch(); });
    isWaiting_ = false;
    self().advance();
    return check(why);
  }

private:
  using Clock = std::chrono::steady_clock;

  /// What a rank tells the others aside from collectives.
  struct Note {
    enum Kind : int64_t { Waits, Stalls, Runs, Failed };
    int64_t kind, collective, executions;
    uint64_t progress;
  };

  std::string here() const;
  bool check(const Failure &why);
  bool isWaiting() const;
  bool hasWaitedLong() const;
  void beginWait();
  bool watch();
  void receiveNotes();
  void tellAll(Note::Kind kind);
  Note note(Note::Kind kind) const;
  bool awaitEnd();
  std::string describeRanks() const;

  Transport &transport_;
  double watchdogSeconds_;
  std::string failure_;

  bool isWaiting_ = false, hasAsked_ = false;
  uint64_t waitsAt_ = 0; // its progress when it began to wait for its device
  Clock::time_point waitsSince_, askedAt_;
  std::map<int64_t, Note> waiting_, stalled_; // by rank
  std::map<int64_t, uint64_t> progressOf_;
  int64_t firstFailed_ = -1;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_RANKS_PROCESSRANKS_H
