//===- Communicator.h - How bytes get from rank to rank ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The groups of a program's collectives, and the transfers in them: through shared memory, or as
// messages between processes.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_COMMUNICATOR_COMMUNICATOR_H
#define DMC_LIB_RUNTIME_COMMUNICATOR_COMMUNICATOR_H

#include "Hash.h"
#include "Ranks/Ranks.h"

#include <vector>

namespace dmc::runtime {

class Communicator {
public:
  Communicator(const dmc_program &program, Ranks &ranks, bool checksCopies);
  virtual ~Communicator() = default;
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  /// Makes the groups, together with all other processes; before the first step.
  virtual Failure connect() = 0;
  /// Executes a collective of the program on one rank, with the faults that were asked for. False
  /// after a failure.
  bool execute(dmc_rank_context &rank, int64_t index, const uint8_t *operand, uint8_t *result);
  /// Per collective the executions in the last step, the most of any rank of the job.
  virtual std::vector<int64_t> executions() const;
  /// The groups of a collective, each in its order.
  std::vector<std::vector<int64_t>> groupsOf(const dmc_collective &collective) const;
  /// Whether results that should be equal on all ranks of a group are compared.
  bool checksCopies() const { return checksCopies_; }
  /// Compares the results of collectives that give all ranks of a group of several the same. False
  /// after a failure.
  bool checkCopies(dmc_rank_context &rank, int64_t index, const uint8_t *result);

protected:
  /// A collective in a group of at least two.
  virtual bool transfer(dmc_rank_context &rank, int64_t index, const uint8_t *operand,
                        uint8_t *result) = 0;
  /// The hashes of all members of the rank's group in that collective, in its order;
  /// follows a transfer.
  virtual bool gatherHashes(dmc_rank_context &rank, int64_t index, const Hash &mine,
                            std::vector<Hash> &all) = 0;

  /// Says how many ranks are in the group of that rank. 0, as at first: it is in none.
  void setGroupSize(int64_t rank, int64_t index, size_t size);
  /// Makes the buffer hold at least so many bytes, for the rank's current collective; false
  /// after a failure.
  bool reserve(dmc_rank_context &rank, Buffer &buffer, size_t bytes);

  const dmc_program &program_;

private:
  std::vector<int64_t> groupOf(int64_t rank, int64_t index) const;

  Ranks &ranks_;
  bool checksCopies_;
  std::vector<size_t> groupSizes_; // by collective and rank
};

/// True if the buffers share a byte.
inline bool overlap(const uint8_t *a, int64_t aBytes, const uint8_t *b, int64_t bBytes) {
  return a < b + bBytes && b < a + aBytes;
}

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_COMMUNICATOR_COMMUNICATOR_H
