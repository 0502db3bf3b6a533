//===- Hash.h - Comparing copies without moving them ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_HASH_H
#define DMC_LIB_RUNTIME_HASH_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace dmc::runtime {

/// Two sums that depend on every byte and its place: copies of one block are equal
/// if these are.
struct Hash {
  uint64_t a = 0x9e3779b97f4a7c15, b = 0xc2b2ae3d27d4eb4f;

  void add(const uint8_t *data, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 8) {
      uint64_t word = 0;
      std::memcpy(&word, data + i, std::min<size_t>(8, bytes - i));
      a = (a ^ word) * 0x100000001b3;
      a ^= a >> 29;
      b = (b + word) * 0xd6e8feb86659fd93;
      b ^= b >> 32;
    }
  }
  /// A box of elements of `bytes` bytes each; strides are in elements, the innermost
  /// one is 1.
  void addBox(const uint8_t *data, const std::vector<int64_t> &strides,
              const std::vector<int64_t> &extents, size_t dim, size_t bytes) {
    if (dim + 1 >= extents.size())
      return add(data, bytes * (extents.empty() ? 1 : extents[dim]));
    for (int64_t i = 0; i < extents[dim]; ++i)
      addBox(data + i * strides[dim] * static_cast<int64_t>(bytes), strides, extents, dim + 1,
             bytes);
  }
  bool operator!=(const Hash &o) const { return a != o.a || b != o.b; }
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_HASH_H
