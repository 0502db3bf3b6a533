//===- ProcessEngine.h - Ranks as processes of one job ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This process is one rank; collectives are messages. Reductions combine in the
// order of the group, as the local engine does, so that results are the same.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_PROCESSENGINE_H
#define DMC_LIB_RUNTIME_PROCESSENGINE_H

#include "Engine.h"
#include "dmc/Runtime/Transport.h"

#include <chrono>
#include <map>

namespace dmc::runtime {

class ProcessEngine final : public Engine {
public:
  ProcessEngine(const dmc_program &program, const Mesh &mesh, const SessionOptions &options);
  /// Makes the groups, together with all other processes.
  Failure connect();

  Failure run(Body body) override;
  int32_t fail(const std::string &message) override;
  std::vector<int64_t> executions() const override;
  int threadsPerRank() const override { return context_.threads; }
  std::vector<RankProfile> profile() const override {
    return context_.recorder ? std::vector{context_.recorder->profile()}
                             : std::vector<RankProfile>();
  }

private:
  using Clock = std::chrono::steady_clock;

  /// A group of a collective that this rank is in.
  struct Group {
    void *handle = nullptr;
    int64_t size = 0, position = 0;
  };

  /// What a rank tells the others aside from collectives.
  struct Note {
    enum Kind : int64_t { Waits, Stalls, Runs, Failed };
    int64_t kind, collective, executions;
    uint64_t progress;
  };

  bool hasFailed() const override { return failed_; }
  bool isHere(int64_t rank) const override { return rank == context_.rank; }
  bool transfer(dmc_rank_context &context, int64_t index, const uint8_t *operand,
                uint8_t *result) override;
  bool gatherHashes(dmc_rank_context &context, int64_t index, const Hash &mine,
                    std::vector<Hash> &all) override;
  void onProgress(dmc_rank_context &context) override;

  // ProcessTransfers.cpp: one per kind of collective.
  bool allReduce(const dmc_collective &collective, const Group &group, const uint8_t *operand,
                 uint8_t *result);
  bool reducePiece(const dmc_collective &collective, const Group &group, const uint8_t *operand,
                   uint8_t *result, size_t numElements);
  bool allGather(const dmc_collective &collective, const Group &group, const uint8_t *operand,
                 uint8_t *result);
  bool reduceScatter(const dmc_collective &collective, const Group &group, const uint8_t *operand,
                     uint8_t *result);
  bool allToAll(const dmc_collective &collective, const Group &group, const uint8_t *operand,
                uint8_t *result);
  bool permute(const dmc_collective &collective, const Group &group, const uint8_t *operand,
               uint8_t *result);
  bool broadcast(const dmc_collective &collective, const Group &group, const uint8_t *operand,
                 uint8_t *result);
  bool gatherBlocks(const Group &group, const uint8_t *mine, size_t bytes, uint8_t *all);
  bool exchangeBlocks(const Group &group, const uint8_t *sent, uint8_t *received, size_t bytes);
  bool exchange(const Group &group, const std::vector<dmc_message> &sends,
                const std::vector<dmc_message> &receives);
  bool check(const Failure &why);
  uint8_t *reserve(Buffer &buffer, size_t bytes);

  // ProcessWatch.cpp: failures and hangs.
  bool watch();
  void receiveNotes();
  void tellAll(Note::Kind kind);
  Note note(Note::Kind kind) const;
  bool awaitEnd();
  std::string describeRanks() const;

  Transport &transport_;
  double watchdogSeconds_;
  dmc_rank_context context_;
  std::vector<Group> groups_; // per collective
  Buffer staging_, packed_;

  bool failed_ = false;
  std::string failure_;

  bool isWaiting_ = false, hasAsked_ = false;
  Clock::time_point waitsSince_, askedAt_;
  std::map<int64_t, Note> waiting_, stalled_; // by rank
  std::map<int64_t, uint64_t> progressOf_;
  int64_t firstFailed_ = -1;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_PROCESSENGINE_H
