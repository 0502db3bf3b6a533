//===- LocalCommunicator.h - Ranks that share memory ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that are threads meet and read the operands of each other. Results depend on neither
// timing nor the number of cores.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_COMMUNICATOR_LOCALCOMMUNICATOR_H
#define DMC_LIB_RUNTIME_COMMUNICATOR_LOCALCOMMUNICATOR_H

#include "Communicator/Collectives.h"
#include "Communicator/Communicator.h"
#include "Ranks/LocalRanks.h"

#include <map>

namespace dmc::runtime {

class LocalCommunicator final : public Communicator {
public:
  LocalCommunicator(const dmc_program &program, LocalRanks &ranks, const SessionOptions &options)
      : Communicator(program, ranks, options.checkCopies), ranks_(ranks) {}
  Failure connect() override;

private:
  /// A set of ranks that meet in collectives.
  struct MeetingPoint {
    MeetingPoint(std::vector<int64_t> members, Barrier &barrier)
        : members(std::move(members)), barrier(barrier), slots(this->members.size()) {
      staging[0].resize(this->members.size());
      staging[1].resize(this->members.size());
    }

    struct Slot {
      int64_t collective = -1;
      const uint8_t *operand = nullptr;
      uint8_t *result = nullptr;
      Hash hash; // of the result
    };
    std::vector<int64_t> members; // ascending
    Barrier &barrier;
    std::vector<Slot> slots;
    /// Copies of small operands, so that their owners need not wait for readers.
    /// Two sets in turn: who fills one has passed the barrier behind its last use.
    std::vector<Buffer> staging[2];
  };

  /// The ranks of one collective in its order, as indices into the members of
  /// their meeting point.
  struct Group {
    MeetingPoint *point = nullptr;
    std::vector<size_t> order;
  };

  /// A collective on one rank.
  struct Member {
    const Group *group = nullptr;
    size_t position = 0; // in the group
    const CollectivePlan *plan = nullptr;
  };

  struct alignas(64) RankData {
    std::vector<Member> members; // per collective
    Buffer ownCopy;              // of an operand that overlaps the result
    /// Of the group, in its order, while a collective is executed.
    std::vector<const uint8_t *> operands;
    std::vector<uint8_t *> results;
  };

  bool transfer(dmc_rank_context &rank, int64_t index, const uint8_t *operand,
                uint8_t *result) override;
  bool gatherHashes(dmc_rank_context &rank, int64_t index, const Hash &mine,
                    std::vector<Hash> &all) override;
  void checkSameCollective(const MeetingPoint &point);

  LocalRanks &ranks_;
  std::vector<RankData> data_; // by rank
  std::map<std::vector<int64_t>, std::unique_ptr<MeetingPoint>> points_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<std::unique_ptr<CollectivePlan>> plans_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_COMMUNICATOR_LOCALCOMMUNICATOR_H
