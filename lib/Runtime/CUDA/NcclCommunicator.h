//===- NcclCommunicator.h - Collectives on CUDA devices ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives of ranks with a CUDA device each, threads of one process or processes of a job, as
// work of their streams. There is one NCCL communicator for each group of ranks in its order.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_CUDA_NCCLCOMMUNICATOR_H
#define DMC_LIB_RUNTIME_CUDA_NCCLCOMMUNICATOR_H

#include "CUDA/Driver.h"
#include "CUDA/Nccl.h"
#include "Ranks/Ranks.h"
#include "dmc/Runtime/Transport.h"

#include <map>
#include <vector>

namespace dmc::cuda {

class NcclCommunicator {
public:
  /// Without a transport, all ranks are in this process.
  NcclCommunicator(const dmc_program &program, runtime::Ranks &ranks, bool isSimulated,
                   runtime::Transport *transport);
  ~NcclCommunicator();
  NcclCommunicator(const NcclCommunicator &) = delete;
  NcclCommunicator &operator=(const NcclCommunicator &) = delete;

  /// Whether NCCL computes what the program's interface says. Of reductions it does not:
  ///   16-bit integers           no such type
  ///   sum and product of i1     no such type; maximum and minimum are those of bytes
  ///   maximum, minimum of floats  a NaN may be lost
  ///   floats in several groups of three or more: each sums in an order of its own, but the results
  ///                             may be copies of each other, which have the same bits
  bool supports(int64_t index) const { return isSupported_[static_cast<size_t>(index)]; }

  /// Makes the communicators of `groups`, which has the groups of each collective. Nothing is
  /// loaded if no group of several ranks needs it.
  runtime::Failure connect(const std::vector<std::vector<std::vector<int64_t>>> &groups);
  /// After a step that failed: what is left in the streams must not wait for other ranks.
  void abort();
  /// Before a step: makes them again if the last one failed.
  runtime::Failure reconnect();
  /// Puts a collective that is supported into its stream, with the faults that were asked for.
  /// False after a failure.
  bool execute(dmc_rank_context &rank, int64_t index, const void *operand, void *result);
  /// Whether several ranks take part in the collective with this one.
  bool isShared(int64_t rank, int64_t index) const { return memberOf(rank, index).size > 1; }

private:
  struct Member {
    size_t size = 0, position = 0;
    size_t communicator = 0; // of the rank's
  };
  struct RankData {
    std::vector<Member> members; // by collective
    std::vector<nccl::Communicator> communicators;
    uint64_t executed = 0;            // operations of a simulated device, by the rank's thread
    std::map<int64_t, void *> copies; // of operands that NCCL cannot read in place
  };
  /// A collective of one rank, on its way into a stream.
  struct Transfer;

  const Member &memberOf(int64_t rank, int64_t index) const { return data_[rank].members[index]; }
  runtime::Failure shareIds(std::vector<nccl::UniqueId> &ids);
  runtime::Failure open();
  runtime::Failure open(const std::vector<int64_t> &ranks, const nccl::UniqueId &id,
                        std::vector<size_t> &next);
  runtime::Failure awaitOpening(dmc_rank_context &rank, nccl::Communicator communicator);
  runtime::Failure agree(const runtime::Failure &why) const;
  void abort(RankData &data);
  runtime::Failure watch(dmc_rank_context &rank);
  runtime::Failure settle(dmc_rank_context &rank, nccl::Communicator communicator);
  runtime::Failure failed(nccl::Result result) const;
  runtime::Failure failed(dmc_rank_context &rank, nccl::Result result) const;
  runtime::Failure enqueue(dmc_rank_context &rank, int64_t index, const uint8_t *operand,
                           uint8_t *result);
  nccl::Result call(const Transfer &transfer) const;
  nccl::Result allToAll(const Transfer &transfer) const;
  nccl::Result permute(const Transfer &transfer) const;
  runtime::Failure copyOperand(dmc_rank_context &rank, int64_t index, const uint8_t *&operand);
  bool injectAfter(dmc_rank_context &rank, int64_t index, void *result);

  static bool canCompute(const dmc_collective &collective,
                         const std::vector<std::vector<int64_t>> &groups);

  const dmc_program &program_;
  runtime::Ranks &ranks_;
  bool isSimulated_;
  runtime::Transport *transport_;
  const nccl::Nccl *library_ = nullptr;
  const Driver *driver_ = nullptr;
  std::vector<bool> isSupported_;            // by collective
  std::vector<std::vector<int64_t>> groups_; // of several ranks, each once
  std::vector<RankData> data_;
};

} // namespace dmc::cuda

#endif // DMC_LIB_RUNTIME_CUDA_NCCLCOMMUNICATOR_H
