//===- Fault.h - Faults that users ask for ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DMC_FAULT makes one rank misbehave, to show what a fault looks like and to test
// that it is handled. What can never happen in the program is refused.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_RANKS_FAULT_H
#define DMC_LIB_RUNTIME_RANKS_FAULT_H

#include "dmc/Runtime/Session.h"

namespace dmc::runtime {

struct Fault {
  enum class Action {
    None,
    Fail,     // the collective fails on the rank
    Stall,    // the rank does not enter it until others have failed
    Kill,     // the process of the rank ends by SIGKILL
    Delay,    // the rank enters it later
    NoMemory, // a buffer cannot be allocated: the collective's, or the session's
    Corrupt   // a bit of what the rank receives is flipped
  };

  Action action = Action::None;
  int64_t rank = -1;
  int64_t collective = -1; // -1: when the session is created
  int64_t milliseconds = 0;

  /// Reads "rank=1,collective=3,action=fail"; empty: no fault. Says what is malformed
  /// or does not exist in the program. `delay` needs milliseconds=N; `no-memory` goes
  /// without a collective too.
  static Failure parse(const std::string &text, const dmc_program &program, Fault &fault);

  /// True if the rank is to have no memory for its buffers.
  bool hitsAllocation(int64_t ofRank) const {
    return action == Action::NoMemory && collective < 0 && rank == ofRank;
  }
  bool hits(int64_t ofRank, int64_t ofCollective) const {
    return action != Action::None && collective == ofCollective && rank == ofRank;
  }
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_RANKS_FAULT_H
