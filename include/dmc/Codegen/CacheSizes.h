//===- CacheSizes.h - The caches that kernels are shaped for ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_CODEGEN_CACHESIZES_H
#define DMC_CODEGEN_CACHESIZES_H

#include <cstdint>

namespace dmc {

/// Bytes of caches. They decide how kernels keep and write values, never what these are.
struct CacheSizes {
  /// What one core has to itself: its second level.
  int64_t core = int64_t(512) << 10;
  /// All that the cores share: what is larger does not stay in any cache.
  int64_t last = int64_t(8) << 20;
};

/// Those of this machine; what the system does not tell is as above.
CacheSizes findHostCaches();

} // namespace dmc

#endif // DMC_CODEGEN_CACHESIZES_H
