//===- ProcessCommunicator.h - Ranks that send messages ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives between processes, as messages of a transport. Reductions combine in the
// order of the group, as between threads, so that results are the same.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_COMMUNICATOR_PROCESSCOMMUNICATOR_H
#define DMC_LIB_RUNTIME_COMMUNICATOR_PROCESSCOMMUNICATOR_H

#include "Communicator/Collectives.h"
#include "Communicator/Communicator.h"
#include "Ranks/ProcessRanks.h"

namespace dmc::runtime {

class ProcessCommunicator final : public Communicator {
public:
  ProcessCommunicator(const dmc_program &program, ProcessRanks &ranks,
                      const SessionOptions &options)
      : Communicator(program, ranks, options.checkCopies), ranks_(ranks),
        transport_(ranks.transport()), groups_(program.num_collectives) {}
  Failure connect() override;
  std::vector<int64_t> executions() const override;

private:
  /// A group of a collective that this rank is in.
  struct Group {
    void *handle = nullptr;
    int64_t size = 0, position = 0;
    std::unique_ptr<CollectivePlan> plan;
  };

  bool transfer(dmc_rank_context &rank, int64_t index, const uint8_t *operand,
                uint8_t *result) override;
  bool gatherHashes(dmc_rank_context &rank, int64_t index, const Hash &mine,
                    std::vector<Hash> &all) override;

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
  const uint8_t *const *blocksAt(const Group &group, const uint8_t *begin, size_t bytes,
                                 const uint8_t *own);
  /// Adds a message to the next exchange.
  void send(const void *data, size_t bytes, int64_t peer);
  void receive(void *data, size_t bytes, int64_t peer);
  bool exchange(const Group &group);
  uint8_t *reserve(Buffer &buffer, size_t bytes);

  ProcessRanks &ranks_;
  Transport &transport_;
  std::vector<Group> groups_; // per collective
  Buffer staging_, packed_;
  // Of one execution; kept for their memory.
  std::vector<dmc_message> sends_, receives_;
  std::vector<const uint8_t *> blocks_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_COMMUNICATOR_PROCESSCOMMUNICATOR_H
