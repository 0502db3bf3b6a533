//===- HostMemory.cpp - Memory of the host that work accesses -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler of access faults runs in the thread that accesses, which holds none of the locks
// here: nothing here accesses the program's mapping.
//
//===----------------------------------------------------------------------===//

#include "HostMemory.h"

#include <csignal>
#include <iterator>

#include <sys/mman.h>
#include <unistd.h>

using namespace dmc::fakes;

namespace {
struct Pending {
  uint32_t operation;
  uint64_t offset, bytes;
  bool isWrite;
};

struct Block {
  uint8_t *program = nullptr, *copies = nullptr; // the two mappings
  uint64_t bytes = 0, mappedBytes = 0;
  std::vector<Pending> pending;
  bool isOpened = false; // until the next call: pages are accessible that pending ranges touch
};

class SpinLock {
public:
  SpinLock() {
    while (flag_.test_and_set(std::memory_order_acquire))
      ;
  }
  ~SpinLock() { flag_.clear(std::memory_order_release); }

private:
  static std::atomic_flag flag_;
};
std::atomic_flag SpinLock::flag_ = ATOMIC_FLAG_INIT;

// Guarded by SpinLock. Plain arrays: the handler allocates nothing.
std::vector<Block> blocks;
constexpr size_t mostFaults = 64;
HostMemory::Fault faults[mostFaults];
size_t numFaults = 0;
struct sigaction previousFault, previousTrap;

// The pages that the thread's present instruction may access.
struct Opened {
  void *pages[4];
  size_t count;
};
__attribute__((tls_model("initial-exec"))) thread_local Opened opened;

uint64_t pageBytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

Block *blockOf(const void *pointer) {
  const auto *at = static_cast<const uint8_t *>(pointer);
  for (Block &block : blocks)
    if (at >= block.program && at < block.program + block.mappedBytes)
      return &block;
  return nullptr;
}

bool overlaps(const Pending &pending, uint64_t offset, uint64_t bytes) {
  return pending.offset < offset + bytes && offset < pending.offset + pending.bytes;
}

/// Sets what may be done with the pages from..to of a block: one call for neighbours that are
/// alike.
void setProtection(const Block &block, uint64_t from, uint64_t to) {
  uint64_t page = pageBytes(), first = from / page * page;
  int known = PROT_READ | PROT_WRITE;
  auto set = [&](uint64_t end) {
    if (end > first)
      mprotect(block.program + first, end - first, known);
    first = end;
  };
  uint64_t offset = first;
  for (; offset < to; offset += page) {
    int access = PROT_READ | PROT_WRITE;
    for (const Pending &pending : block.pending)
      if (overlaps(pending, offset, page))
        access &= pending.isWrite ? PROT_NONE : PROT_READ;
    if (access != known)
      set(offset);
    known = access;
  }
  set(offset);
}

#if defined(__x86_64__) && defined(__linux__)
bool isWriteFault(void *context) {
  return static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] & 2;
}

/// Lets the thread run one instruction, and stop behind it if `stops`.
bool step(void *context, bool stops) {
  constexpr greg_t trapFlag = 0x100;
  greg_t &flags = static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_EFL];
  flags = stops ? flags | trapFlag : flags & ~trapFlag;
  return true;
}
#else
bool isWriteFault(void *) { return true; } // nobody says
bool step(void *, bool) { return false; }
#endif

/// Calls the handler that was there before. One that calls this one in turn comes to an end.
void chain(const struct sigaction &to, int signal, siginfo_t *info, void *context) {
  __attribute__((tls_model("initial-exec"))) static thread_local bool isChaining = false;
  bool isHandler =
      to.sa_flags & SA_SIGINFO || (to.sa_handler != SIG_DFL && to.sa_handler != SIG_IGN);
  if (isChaining || !isHandler) {
    // A fault is repeated, and then ends the process.
    struct sigaction none = {};
    none.sa_handler = SIG_DFL;
    sigaction(signal, &none, nullptr);
    return;
  }
  isChaining = true;
  if (to.sa_flags & SA_SIGINFO)
    to.sa_sigaction(signal, info, context);
  else
    to.sa_handler(signal);
  isChaining = false;
}

void onFault(int signal, siginfo_t *info, void *context) {
  {
    SpinLock lock;
    if (Block *block = blockOf(info->si_addr)) {
      auto offset = static_cast<uint64_t>(static_cast<uint8_t *>(info->si_addr) - block->program);
      bool isWrite = isWriteFault(context), isEarly = false;
      for (const Pending &pending : block->pending)
        if (overlaps(pending, offset, 1) && (pending.isWrite || isWrite)) {
          isEarly = true;
          if (numFaults < mostFaults)
            faults[numFaults++] = {pending.operation, offset, pending.isWrite};
          break;
        }
      uint64_t page = pageBytes();
      uint8_t *opens = block->program + offset / page * page;
      mprotect(opens, page, PROT_READ | PROT_WRITE);
      // Bytes that share a page with those of a copy: for this instruction. After a report, or
      // where that is not possible, until the next call.
      if (!isEarly && opened.count < std::size(opened.pages) && step(context, /*stops=*/true))
        opened.pages[opened.count++] = opens;
      else
        block->isOpened = true;
      return;
    }
  }
  chain(previousFault, signal, info, context);
}

void onTrap(int signal, siginfo_t *info, void *context) {
  if (!opened.count)
    return chain(previousTrap, signal, info, context);
  SpinLock lock;
  for (; opened.count; --opened.count)
    if (Block *block = blockOf(opened.pages[opened.count - 1])) {
      auto *start = static_cast<uint8_t *>(opened.pages[opened.count - 1]);
      auto offset = static_cast<uint64_t>(start - block->program);
      setProtection(*block, offset, offset + 1);
    }
  step(context, /*stops=*/false);
}

using Handler = void (*)(int, siginfo_t *, void *);

/// Other libraries may have set theirs since the last time; they are called for what is not here.
void installHandler(int signal, Handler handler, struct sigaction &previous) {
  struct sigaction current = {};
  if (sigaction(signal, nullptr, &current) ||
      (current.sa_flags & SA_SIGINFO && current.sa_sigaction == handler))
    return;
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  previous = current;
  sigaction(signal, &action, nullptr);
}

void installHandlers() {
  installHandler(SIGTRAP, onTrap, previousTrap);
  installHandler(SIGSEGV, onFault, previousFault);
}
} // namespace

void *HostMemory::allocate(uint64_t bytes) {
  uint64_t page = pageBytes(), mappedBytes = (bytes + page - 1) / page * page;
  int file = memfd_create("dmc pinned memory", MFD_CLOEXEC);
  if (file < 0)
    return nullptr;
  void *views[2] = {MAP_FAILED, MAP_FAILED};
  if (ftruncate(file, static_cast<off_t>(mappedBytes)) == 0)
    for (void *&view : views)
      view = mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (views[0] == MAP_FAILED || views[1] == MAP_FAILED) {
    for (void *view : views)
      if (view != MAP_FAILED)
        munmap(view, mappedBytes);
    return nullptr;
  }
  SpinLock lock;
  blocks.push_back({static_cast<uint8_t *>(views[0]),
                    static_cast<uint8_t *>(views[1]),
                    bytes,
                    mappedBytes,
                    {},
                    false});
  return views[0];
}

bool HostMemory::free(void *pointer) {
  SpinLock lock;
  for (auto block = blocks.begin(); block != blocks.end(); ++block)
    if (block->program == pointer) {
      munmap(block->program, block->mappedBytes);
      munmap(block->copies, block->mappedBytes);
      blocks.erase(block);
      return true;
    }
  return false;
}

bool HostMemory::isPinned(const void *pointer, uint64_t bytes) const {
  SpinLock lock;
  const Block *block = blockOf(pointer);
  if (!block)
    return false;
  auto offset = static_cast<uint64_t>(static_cast<const uint8_t *>(pointer) - block->program);
  return offset <= block->bytes && bytes <= block->bytes - offset;
}

uint8_t *HostMemory::mapped(const void *pointer) const {
  SpinLock lock;
  const Block *block = blockOf(pointer);
  return block ? block->copies + (static_cast<const uint8_t *>(pointer) - block->program) : nullptr;
}

void HostMemory::protect(const HostRange &range, uint32_t operation) {
  SpinLock lock;
  Block *block = blockOf(range.pointer);
  if (!block || !range.bytes)
    return;
  installHandlers();
  auto offset = static_cast<uint64_t>(range.pointer - block->program);
  block->pending.push_back({operation, offset, range.bytes, range.isWrite});
  setProtection(*block, offset, offset + range.bytes);
}

void HostMemory::release(const std::function<bool(uint32_t)> &hasEnded) {
  SpinLock lock;
  for (Block &block : blocks) {
    std::vector<Pending> ended, rest;
    for (const Pending &pending : block.pending)
      (hasEnded(pending.operation) ? ended : rest).push_back(pending);
    block.pending = std::move(rest);
    for (const Pending &pending : ended)
      setProtection(block, pending.offset, pending.offset + pending.bytes);
  }
}

uint32_t HostMemory::user(const void *pointer) const {
  SpinLock lock;
  const Block *block = blockOf(pointer);
  return block && !block->pending.empty() ? block->pending.front().operation : 0;
}

void HostMemory::clear() {
  SpinLock lock;
  for (Block &block : blocks) {
    munmap(block.program, block.mappedBytes);
    munmap(block.copies, block.mappedBytes);
  }
  blocks.clear();
  numFaults = 0;
}

std::vector<HostMemory::Fault> HostMemory::takeFaults() {
  SpinLock lock;
  std::vector<Fault> taken(faults, faults + numFaults);
  numFaults = 0;
  for (Block &block : blocks)
    if (block.isOpened) {
      block.isOpened = false;
      for (const Pending &pending : block.pending)
        setProtection(block, pending.offset, pending.offset + pending.bytes);
    }
  return taken;
}
