//===- BankedMemory.h - Elements in the banks of shared memory --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_BANKEDMEMORY_H
#define DMC_LIB_CODEGEN_KERNEL_BANKEDMEMORY_H

#include "Kernel/Team.h"

namespace dmc::codegen {

/// Elements that a block shares, each in a word of its own, or two: the threads of a warp access
/// neighbouring ones from a multiple of a warp on, or groups of `beside` neighbours, a power of
/// two, of which each is `step` groups behind the one before, without two of them in one bank.
class BankedMemory {
public:
  BankedMemory(Scalarizer &s, Team &team, int64_t count, mlir::Type element, int64_t step,
               int64_t beside = 1);

  /// Bytes of an element there.
  static int64_t countBytes(mlir::Type element);
  /// Stores what was loaded as it is in memory, or an element.
  void store(mlir::Value value, const Index &number);
  mlir::Value load(const Index &number);

private:
  Index place(const Index &number);

  Scalarizer &s;
  int64_t count;
  mlir::Type element, kept;
  int64_t step, beside;
  mlir::Value buffer;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_BANKEDMEMORY_H
