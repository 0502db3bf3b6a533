//===- State.h - Communicators of the simulated NCCL ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_FAKES_NCCL_STATE_H
#define DMC_LIB_RUNTIME_FAKES_NCCL_STATE_H

#include "CUDA/NcclTypes.h"
#include "Fakes/DriverCalls.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace dmc::cuda::nccl {
// Exported, and with the signatures of the table.
extern "C" {
#define DMC_NCCL_FUNCTION(since, result, exported, name, parameters)                               \
  __attribute__((visibility("default"))) result exported parameters;
#include "CUDA/Nccl.def"
}

using Lock = std::unique_lock<std::mutex>;
using Clock = std::chrono::steady_clock;

size_t bytesOf(Type type);     // 0: there is no such type
const char *nameOf(Type type); // "f32"
std::string nameOf(Reduction reduction);

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

enum class Kind { AllReduce, AllGather, ReduceScatter, Broadcast, Reduce, AllToAll, Send, Receive };
const char *nameOf(Kind kind);     // "all-reduce"
const char *functionOf(Kind kind); // "ncclAllReduce"
inline bool isTransfer(Kind kind) { return kind == Kind::Send || kind == Kind::Receive; }
inline bool reduces(Kind kind) {
  return kind == Kind::AllReduce || kind == Kind::ReduceScatter || kind == Kind::Reduce;
}

/// What operands are multiplied by before they are added up.
struct Factor {
  bool isUsed = false;
  Type type = Type::F32;
  uint64_t address = 0; // on the device; 0: the value is here
  char value[8] = {};
};

/// Where a buffer lies in a window: the number of the window, from 1 on, and the offset.
struct WindowPlace {
  int window = 0;
  uint64_t offset = 0;
};

/// What a rank calls.
struct Call {
  Kind kind = Kind::AllReduce;
  uint64_t send = 0, receive = 0; // addresses
  size_t count = 0;
  Type type = Type::F32;
  Reduction reduction = Reduction::Sum;
  Factor factor;
  int root = 0; // or the other rank of a transfer
  Stream stream = nullptr;
  int groupSize = 1, groupIndex = 0; // collectives of this communicator in the group
  bool isCaptured = false;
  WindowPlace sendWindow, receiveWindow;

  /// Bytes that a rank reads and writes: a buffer that it does not use has none.
  uint64_t sendBytes(int ranks, int rank) const;
  uint64_t receiveBytes(int ranks, int rank) const;
  /// Whether the buffers may share bytes.
  bool isInPlace(int rank) const;
};

/// A collective: the calls of all ranks.
struct Meeting {
  struct Part {
    bool isCalled = false, hasArrived = false, isDone = false;
    double time = 0; // when it arrived, by its device's clock
    Call call;
    /// What it sends, in the journal: its place and its bytes.
    uint64_t data = 0, dataBytes = 0;
  };
  uint64_t sequence = 0, launch = 0;
  std::vector<Part> parts;
  int numArrived = 0, numDone = 0;
  bool isComputed = false;
};

/// A send and its receive.
struct Transfer {
  Meeting::Part send, receive;
  bool isComputed = false;

  Meeting::Part &partOf(Kind kind) { return kind == Kind::Send ? send : receive; }
};

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

/// A device: those of several processes may have the same number.
struct DeviceKey {
  uint64_t process = 0;
  int number = -1;
  bool operator==(const DeviceKey &other) const {
    return process == other.process && number == other.number;
  }
  bool operator<(const DeviceKey &other) const {
    return std::tie(process, number) < std::tie(other.process, other.number);
  }
};

struct Member {
  bool hasJoined = false, isGone = false, isAborted = false, isDead = false;
  DeviceKey device;
  int pid = 0;
  Result error = Result::Success; // asynchronous
  uint64_t numCalled = 0;         // collectives
  std::map<int, uint64_t> numSent, numReceived;
  int numWindows = 0;
  uint64_t numSplits = 0;
};

/// The colors and keys of a split.
struct Split {
  struct Part {
    bool isCalled = false;
    int color = 0, key = 0;
    std::shared_ptr<struct Clique> made;
    int rank = 0;
  };
  std::vector<Part> parts;
  int numCalled = 0;
};

class Journal;

/// What the handles of all ranks have in common. Processes have one each, which the journal keeps
/// equal.
struct Clique {
  uint64_t number = 0;              // in the order in which they are made
  uint64_t creator = 0;             // the process that has given the number; 0: this one
  uint32_t key = 0;                 // in the journal
  std::shared_ptr<Journal> journal; // null if all ranks are threads of this process
  bool isBroken = false;            // after a report
  /// Does not depend on which of several splits is complete first: the seed's choices do not
  /// either.
  uint64_t identity = 0;
  int numJoined = 0;
  Result refusal = Result::Success; // of all who join
  std::vector<Member> members;
  std::map<std::pair<uint64_t, uint64_t>, std::shared_ptr<Meeting>> meetings;
  std::map<std::tuple<int, int, uint64_t, uint64_t>, std::shared_ptr<Transfer>> transfers;
  std::map<uint64_t, Split> splits;
  std::vector<size_t> windowBytes;

  int size() const { return static_cast<int>(members.size()); }
  std::string name() const {
    return "communicator " + std::to_string(number) + (key ? "." + std::to_string(key) : "");
  }
};

/// A rank's place in the order of collectives, and what it is for people.
struct Token {
  uint64_t creator, clique, sequence;
  std::string what;
  bool operator==(const Token &other) const {
    return std::tie(creator, clique, sequence) ==
           std::tie(other.creator, other.clique, other.sequence);
  }
};

/// The collectives that one of two devices has called and the other one not yet, by their number
/// among those that both take part in; the lesser device's, and the other one's.
struct PairOrder {
  std::map<uint64_t, Token> ahead[2];
  bool isReported = false;
};

/// What a process knows of a device.
struct DeviceState {
  int numCommunicators = 0;
  int rank = 0; // in its first communicator
  uint64_t numCalled = 0;
};

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t numIds = 0, numCliques = 0;
  std::map<std::string, std::shared_ptr<Clique>> opening; // by unique id, until all have joined
  std::set<Communicator> communicators;
  std::map<int, DeviceState> devices;
  std::map<std::pair<DeviceKey, DeviceKey>, PairOrder> orders;
  /// How many collectives a device of this process has called together with another one.
  std::map<std::pair<DeviceKey, DeviceKey>, uint64_t> pairCounts;
  std::vector<std::weak_ptr<Journal>> journals;
  bool isRepeating = false; // what another process did, which has reported what is wrong
  std::string lastError;

  void notify();
};
State &state();

/// Locks the state, and repeats what other processes have done since.
Lock enter();
/// A number that no other process on this machine has.
uint64_t ownProcess();

/// A number that looks random but for the seed and these numbers is always the same; 0 for seed 0.
uint64_t drawFrom(uint64_t a, uint64_t b);
/// How long a rank waits for others before that is reported.
std::chrono::milliseconds patience();

/// Says on the standard error stream why a call is refused; keeps it for ncclGetLastError.
Result refuse(Result result, const std::string &function, const std::string &why);
/// Records a report.
void report(const std::string &kind, const std::string &text);

/// What DMC_SIMULATED_NCCL_FAULT asks of this call of a device.
enum class Fault { None, Die, Refuse, Hang };
Fault faultOf(DeviceState &device);

} // namespace dmc::cuda::nccl

/// A handle.
struct ncclComm {
  std::shared_ptr<dmc::cuda::nccl::Clique> clique; // null until it is known
  int rank = -1;
  int device = -1;
  dmc::cuda::CUcontext context = nullptr;
  bool isBlocking = true, isFinalized = false;
  /// What is still to be done before the communicator is ready: true once it is.
  std::function<bool(dmc::cuda::nccl::Result &result)> opening;
  /// Of a communicator that does not block: calls until it has made progress, and what then
  /// happens.
  int polls = 0;
  std::vector<std::function<dmc::cuda::nccl::Result()>> deferred;
  uint64_t numDeferrals = 0;
  std::map<int, dmc::cuda::nccl::Factor> reductions;
  int numReductions = 0;
  std::set<void *> registrations;
  /// By number from 1 on: address and bytes; none if it was deregistered.
  std::vector<std::pair<uint64_t, size_t>> windows;

  dmc::cuda::nccl::Member &member() const { return clique->members[static_cast<size_t>(rank)]; }
};

namespace dmc::cuda::nccl {

/// Makes the context of a communicator current for a while.
class InContext {
public:
  explicit InContext(CUcontext context) {
    cuCtxGetCurrent(&before_);
    cuCtxSetCurrent(context);
  }
  ~InContext() { cuCtxSetCurrent(before_); }

private:
  CUcontext before_ = nullptr;
};

/// Whether a communicator may be used: it exists, is ready and has not failed. With the lock.
Result checkReady(const char *function, Communicator communicator);
/// Starts what a communicator that does not block does later, or does it at once.
Result deferOrRun(Communicator communicator, std::function<Result()> run);

//===----------------------------------------------------------------------===//
// What ranks do
//===----------------------------------------------------------------------===//

enum class Act : uint32_t {
  Join,   // flag: the ranks that it expects; numbers: its device, its pid
  Order,  // calls a collective: data are its numbers among those of each pair of devices
  Call,   // a collective or a transfer
  Arrive, // is first in its stream: data are what it sends
  Finish, // leaves what it has called
  Split,  // sequence: of the splits; numbers: color, key
  Window, // registers one; numbers: the window's, its bytes
  Leave,  // destroys the communicator; flag: and has not failed
  Abort,  // flag: while it is being made
  Die,    // fails without a word
  Break,  // has waited for too long; flag: the error
  Lost    // the process `sequence` has ended
};

/// What a rank does, as all processes of a communicator are told. Has no pointers that others use.
struct Event {
  Act act = Act::Join;
  uint32_t clique = 0, flag = 0;
  int rank = 0;
  uint64_t process = 0; // of the rank
  uint64_t sequence = 0, launch = 0;
  int64_t numbers[2] = {};
  double time = 0;
  Call call;
  uint64_t bytes = 0; // of the data that follow in the journal
};

/// Keeps other processes from acting while it lives, after having repeated what they did.
class Exclusive {
public:
  explicit Exclusive(Clique &clique);
  ~Exclusive();

private:
  std::shared_ptr<Journal> journal_;
};

/// Does something here and tells other processes. With the lock.
void act(Clique &clique, Event event, const void *data = nullptr, uint64_t bytes = 0);
/// Repeats what others have done that have this journal. With the lock.
void repeat(Journal &journal);
/// The meeting or the transfer of a call, which is made if there is none.
std::shared_ptr<Meeting> &meetingOf(Clique &clique, uint64_t sequence, uint64_t launch);
std::shared_ptr<Transfer> &transferOf(Clique &clique, int rank, const Call &call, uint64_t sequence,
                                      uint64_t launch);
/// Source and target of a transfer.
inline std::pair<int, int> endsOf(const Call &call, int rank) {
  return call.kind == Kind::Send ? std::pair(rank, call.root) : std::pair(call.root, rank);
}
/// Ids whose ranks have all joined are used up.
void closeIds();
/// Divides the ranks of a communicator whose calls have all come.
void divide(const Clique &clique, uint64_t number, Split &split);
/// Tells of what others wait for and this rank has not called.
void checkCalledAll(Clique &clique, int rank);

/// Compares a rank's call with those of others, and reports a difference. With the lock.
void meet(Clique &clique, Meeting &meeting, int rank, const Call &call);
void match(Clique &clique, Transfer &transfer, int source, int target, Kind kind, const Call &call);
/// Compares the order of a rank's collectives with that of others. `numbers` has, for each member,
/// how many its device has called before together with that of the member.
void noteOrder(const Clique &clique, int rank, const Token &token, const uint64_t *numbers);
/// From now on all ranks have this asynchronous error; what is in streams waits until they abort.
/// With the lock.
void fail(Clique &clique, Result error);
/// As that, after a report: what is in streams ends without effect, so that nobody waits.
void breakUp(Clique &clique, Result error);
/// Puts calls of one communicator into streams. With the lock.
Result enqueue(Communicator communicator, std::vector<Call> calls);

/// In a group, remembers the call for its end. Without the lock.
Result submit(Communicator communicator, const Call &call);
/// Reports and forgets calls of a communicator in the thread's group, which has not ended. With the
/// lock.
void leaveGroup(Communicator communicator);
/// In a group, remembers that a communicator is to be awaited; else waits. Without the lock.
Result awaitOpening(Communicator communicator, bool isBlocking);

/// Computes the results of all ranks, or of one where ranks are in several processes.
void compute(const Clique &clique, Meeting &meeting, int rank);
void copy(const Clique &clique, Transfer &transfer);
/// Where bytes of a device are.
char *hostOf(uint64_t address, uint64_t bytes);

} // namespace dmc::cuda::nccl

#endif // DMC_LIB_RUNTIME_FAKES_NCCL_STATE_H
