//===- HostMemory.h - Memory of the host that work accesses -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuMemHostAlloc gives. The program's pages of bytes that a copy writes cannot be accessed,
// and of bytes that a copy reads cannot be written, until the host has waited for the copy: an
// access before that is a report. Copies use a second mapping of the same pages.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_FAKES_CUDA_HOSTMEMORY_H
#define DMC_LIB_RUNTIME_FAKES_CUDA_HOSTMEMORY_H

#include "Fakes/CUDA/Objects.h"

namespace dmc::fakes {

/// All functions but `mapped` are called with the simulation's lock.
class HostMemory {
public:
  /// Null if the system has none.
  void *allocate(uint64_t bytes);
  /// False if the pointer is not one that allocate returned.
  bool free(void *pointer);
  /// Whether the bytes lie in one allocation.
  bool isPinned(const void *pointer, uint64_t bytes) const;
  /// Where a copy accesses the bytes.
  uint8_t *mapped(const void *pointer) const;

  /// Bytes that an operation will access.
  void protect(const HostRange &range, uint32_t operation);
  /// Ends the protection for operations that have ended.
  void release(const std::function<bool(uint32_t operation)> &hasEnded);
  /// An operation that accesses bytes of the allocation and was not released; 0 if there is none.
  uint32_t user(const void *pointer) const;
  void clear();

  /// Accesses by the program since the last call that came too early.
  struct Fault {
    uint32_t operation = 0;
    uint64_t offset = 0;
    bool isWrite = false; // of the operation
  };
  std::vector<Fault> takeFaults();
};

} // namespace dmc::fakes

#endif // DMC_LIB_RUNTIME_FAKES_CUDA_HOSTMEMORY_H
