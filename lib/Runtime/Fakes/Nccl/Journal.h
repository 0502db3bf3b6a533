//===- Journal.h - What processes tell each other ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that are processes have no memory in common but a file in memory, which the unique id
// names. Each process appends what its ranks do, and repeats what those of others did on objects of
// its own, all in the order of the file. What a rank sends follows the record that says so.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_FAKES_NCCL_JOURNAL_H
#define DMC_LIB_RUNTIME_FAKES_NCCL_JOURNAL_H

#include "Fakes/Nccl/State.h"

namespace dmc::cuda::nccl {

class Journal {
public:
  /// Null if there is no shared memory for it, or nothing of that name.
  static std::shared_ptr<Journal> create(const std::string &name);
  static std::shared_ptr<Journal> open(const std::string &name);
  ~Journal();
  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;

  /// No process can open it from now on.
  void unlink();
  /// Keeps other processes from appending. All that is called below is called with the state's
  /// lock, this may be nested.
  void lock();
  void unlock();
  /// The next record of any process that this one has not seen, and where its data begin.
  bool next(Event &event, uint64_t &data);
  /// Between lock and unlock, after all others were seen. Returns where its data begin.
  uint64_t append(Event event, const void *data, uint64_t bytes);
  void read(uint64_t from, void *to, uint64_t bytes) const;
  /// Gives back the memory of data that all have read.
  void discard(uint64_t from, uint64_t bytes);
  /// Whether a process that has this open still runs.
  bool hasProcess(uint64_t process) const;
  /// Whether it is time to ask that.
  bool isTimeToLook();

  /// By number: that of the unique id, and those which are split off.
  std::vector<std::weak_ptr<Clique>> cliques;

private:
  struct Header;
  Journal(std::string name, int file, Header *header)
      : name_(std::move(name)), file_(file), header_(header) {}
  static std::shared_ptr<Journal> map(const std::string &name, int file);

  std::string name_;
  int file_;
  Header *header_;
  uint64_t seen_ = 0;
  int depth_ = 0;
  bool isUnlinked_ = false;
  Clock::time_point looked_ = Clock::now();
};

} // namespace dmc::cuda::nccl

#endif // DMC_LIB_RUNTIME_FAKES_NCCL_JOURNAL_H
