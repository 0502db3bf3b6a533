//===- Journal.cpp - What processes tell each other -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/Nccl/Journal.h"

#include <atomic>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dmc::cuda::nccl {

/// Records begin at `beginOfRecords`; what lies behind `end` is not written to its end.
struct Journal::Header {
  std::atomic<uint64_t> end;
};

static constexpr uint64_t beginOfRecords = 4096;

/// The byte that a process locks as long as it lives, far behind all records.
static struct flock lifeOf(uint64_t process) {
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>((uint64_t(1) << 60) + (process & ((uint64_t(1) << 48) - 1)));
  range.l_len = 1;
  return range;
}

std::shared_ptr<Journal> Journal::map(const std::string &name, int file) {
  void *mapped = mmap(nullptr, beginOfRecords, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    close(file);
    return nullptr;
  }
  std::shared_ptr<Journal> journal(new Journal(name, file, static_cast<Header *>(mapped)));
  journal->seen_ = beginOfRecords;
  struct flock life = lifeOf(ownProcess());
  (void)fcntl(file, F_OFD_SETLK, &life);
  state().journals.push_back(journal);
  return journal;
}

std::shared_ptr<Journal> Journal::create(const std::string &name) {
  int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0)
    return nullptr;
  uint64_t end = beginOfRecords;
  if (pwrite(file, &end, sizeof end, 0) != sizeof end || ftruncate(file, beginOfRecords)) {
    close(file);
    shm_unlink(name.c_str());
    return nullptr;
  }
  return map(name, file);
}

std::shared_ptr<Journal> Journal::open(const std::string &name) {
  int file = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
  return file < 0 ? nullptr : map(name, file);
}

Journal::~Journal() {
  munmap(header_, beginOfRecords);
  close(file_);
}

void Journal::unlink() {
  if (!isUnlinked_)
    shm_unlink(name_.c_str());
  isUnlinked_ = true;
}

void Journal::lock() {
  if (depth_++ == 0)
    while (flock(file_, LOCK_EX)) // interrupted
      ;
}

void Journal::unlock() {
  if (--depth_ == 0)
    flock(file_, LOCK_UN);
}

void Journal::read(uint64_t from, void *to, uint64_t bytes) const {
  auto *at = static_cast<char *>(to);
  while (bytes) {
    ssize_t taken = pread(file_, at, bytes, static_cast<off_t>(from));
    if (taken <= 0)
      return;
    at += taken;
    from += static_cast<uint64_t>(taken);
    bytes -= static_cast<uint64_t>(taken);
  }
}

bool Journal::next(Event &event, uint64_t &data) {
  if (seen_ == header_->end.load(std::memory_order_acquire))
    return false;
  read(seen_, &event, sizeof event);
  data = seen_ + sizeof event;
  seen_ = data + event.bytes;
  return true;
}

uint64_t Journal::append(Event event, const void *data, uint64_t bytes) {
  auto write = [&](uint64_t to, const void *from, uint64_t count) {
    const auto *at = static_cast<const char *>(from);
    while (count) {
      ssize_t written = pwrite(file_, at, count, static_cast<off_t>(to));
      if (written <= 0)
        return false;
      at += written;
      to += static_cast<uint64_t>(written);
      count -= static_cast<uint64_t>(written);
    }
    return true;
  };
  event.bytes = bytes;
  uint64_t begin = header_->end.load(std::memory_order_relaxed);
  if (!write(begin, &event, sizeof event) || !write(begin + sizeof event, data, bytes)) {
    refuse(Result::SystemError, "shared memory",
           "it is full: /dev/shm has no room for " + std::to_string(bytes) + " bytes");
    std::_Exit(1); // others would wait for what they never see
  }
  seen_ = begin + sizeof event + bytes;
  header_->end.store(seen_, std::memory_order_release);
  return begin + sizeof event;
}

void Journal::discard(uint64_t from, uint64_t bytes) {
  if (bytes)
    (void)fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                    static_cast<off_t>(bytes));
}

bool Journal::hasProcess(uint64_t process) const {
  if (process == ownProcess())
    return true;
  struct flock life = lifeOf(process);
  return fcntl(file_, F_OFD_GETLK, &life) != 0 || life.l_type != F_UNLCK;
}

bool Journal::isTimeToLook() {
  constexpr auto period = std::chrono::milliseconds(20);
  if (Clock::now() - looked_ < period)
    return false;
  looked_ = Clock::now();
  return true;
}

} // namespace dmc::cuda::nccl
