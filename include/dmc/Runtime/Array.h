//===- Array.h - Dense arrays in host memory --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A global or local value: element type, shape, 64-byte aligned contents; and
// copies of boxes between strided buffers.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_ARRAY_H
#define DMC_RUNTIME_ARRAY_H

#include "dmc-c/Program.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace dmc::runtime {

/// Aligned memory that frees itself.
class Buffer {
public:
  Buffer() = default;
  /// At least 64-byte aligned and never null unless memory is exhausted; the
  /// contents are undefined.
  static Buffer allocate(size_t bytes, size_t alignment = 64);
  /// Memory of somebody else, which outlives the buffer.
  static Buffer view(uint8_t *data, size_t bytes);

  uint8_t *data() const { return data_.get(); }
  size_t size() const { return size_; }
  explicit operator bool() const { return data_ != nullptr; }

private:
  struct Free {
    bool isOwner;
    Free() : isOwner(true) {}
    explicit Free(bool isOwner) : isOwner(isOwner) {}
    void operator()(uint8_t *p) const {
      if (isOwner)
        std::free(p);
    }
  };
  std::unique_ptr<uint8_t, Free> data_;
  size_t size_ = 0;
};

/// Row-major and contiguous.
struct Array {
  uint32_t type = DMC_F32; // dmc_element_type
  std::vector<int64_t> shape;
  Buffer buffer;

  /// An array with undefined contents; its buffer is empty if there is not
  /// enough memory.
  static Array make(uint32_t type, std::vector<int64_t> shape);
  int64_t numElements() const;
  size_t numBytes() const;
  uint8_t *data() const { return buffer.data(); }
};

/// The number of elements, or -1 if a size is negative or the product in bytes
/// does not fit into 62 bits.
int64_t checkedElements(const std::vector<int64_t> &shape, size_t elementBytes);

/// "2x3xf32".
std::string toString(uint32_t type, const std::vector<int64_t> &shape);

/// Row-major strides in elements.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);

/// Copies extents[0] x extents[1] x ... elements; strides are in elements.
void copyBox(void *target, const std::vector<int64_t> &targetStrides, const void *source,
             const std::vector<int64_t> &sourceStrides, const std::vector<int64_t> &extents,
             size_t elementBytes);

} // namespace dmc::runtime

#endif // DMC_RUNTIME_ARRAY_H
