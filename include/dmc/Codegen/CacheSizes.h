//===- CacheSizes.h - The caches that kernels are shaped for ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_CODEGEN_CACHESIZES_H
#define DMC_CODEGEN_CACHESIZES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace dmc {

/// Bytes of caches. They decide how kernels keep and write values, never what these are.
struct CacheSizes {
  /// What one core has to itself: its part of the second level.
  int64_t core = int64_t(512) << 10;
  /// All that the cores share: what is larger does not stay in any cache.
  int64_t last = int64_t(8) << 20;
};

/// Those of a machine, as the option `machine` gives it; where it lists none, of this machine. What
/// neither tells is as above.
CacheSizes findCacheSizes(llvm::StringRef machine);

} // namespace dmc

#endif // DMC_CODEGEN_CACHESIZES_H
