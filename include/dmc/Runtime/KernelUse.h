//===- KernelUse.h - What kernels take of a device --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As far as it is known when a program is compiled. C++ standard library only.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_KERNELUSE_H
#define DMC_RUNTIME_KERNELUSE_H

#include <cstdint>
#include <string>

namespace dmc::runtime {

/// How many blocks of a kernel a multiprocessor has room for.
struct Occupancy {
  int64_t blocks = 0;
  int64_t warps = 0; // of these blocks
  int64_t mostWarps = 0;
  /// What there is no more of: "threads", "blocks", "registers" or "shared memory".
  std::string limit;
};

/// What a kernel takes on a chip, as the assembler says. Bytes are of a thread but for `shared`.
struct KernelUse {
  std::string chip;
  int64_t registers = 0; // of a thread
  int64_t spillStores = 0, spillLoads = 0;
  int64_t stack = 0;
  int64_t shared = 0; // of a block, beside what a launch adds
  Occupancy occupancy;
};

} // namespace dmc::runtime

#endif // DMC_RUNTIME_KERNELUSE_H
