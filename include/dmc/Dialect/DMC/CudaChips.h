//===- CudaChips.h - What chips are built of --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structure that depends on the chip alone, as #dmc.target names it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_CUDACHIPS_H
#define DMC_DIALECT_DMC_CUDACHIPS_H

#include "dmc/Dialect/DMC/DMC.h"

namespace dmc {

/// What the name of a target of CUDA chips begins with: `cuda:sm_90a+sm_80`.
inline constexpr llvm::StringLiteral cudaPrefix = "cuda:";

struct CudaChip {
  llvm::StringRef name;
  /// Shared memory in KB: what a block may have if it asks for it, and a multiprocessor's.
  int64_t blockSharedKilobytes, sharedKilobytes;
  /// What a multiprocessor executes at one time.
  int64_t warps, blocks;
  /// Of the largest device: with fewer blocks some would have nothing to do.
  int64_t multiprocessors;
};

/// Those that dmc compiles for.
llvm::ArrayRef<CudaChip> getCudaChips();

/// The chip of that name, or null.
const CudaChip *findCudaChip(llvm::StringRef name);

/// The most multiprocessors that a device of one of the target's chips has; of a device that is
/// none of these, of any chip.
int64_t countMultiprocessors(TargetAttr target);

} // namespace dmc

#endif // DMC_DIALECT_DMC_CUDACHIPS_H
