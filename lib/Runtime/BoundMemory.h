//===- BoundMemory.h - Memory of the caller in a step -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of the caller the next step reads and writes. Hundreds of arrays are bound for a
// step of a millisecond: adding one takes time by the logarithm of their number.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_BOUNDMEMORY_H
#define DMC_LIB_RUNTIME_BOUNDMEMORY_H

#include <cstdint>
#include <map>

namespace dmc::runtime {

class BoundMemory {
public:
  /// Adds memory unless the step would write bytes that it shares with another array: then
  /// returns false and changes nothing.
  bool add(const uint8_t *data, int64_t bytes, bool isWritten);
  void clear();

private:
  /// From the first byte to the one behind the last, disjoint.
  using Ranges = std::map<uintptr_t, uintptr_t>;
  static bool meets(const Ranges &ranges, uintptr_t begin, uintptr_t end);
  /// What is read may overlap: such ranges are joined.
  static void join(Ranges &ranges, uintptr_t begin, uintptr_t end);

  Ranges written_, read_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_BOUNDMEMORY_H
