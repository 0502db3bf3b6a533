//===- RunTiles.h - Tiles that are one run of memory ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What transposes share of which a tile is one run of an operand's memory, or of the results': its
// size, its walk by the threads of a team, and the sectors of the results.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_RUNTILES_H
#define DMC_LIB_CODEGEN_KERNEL_RUNTILES_H

#include "Kernel/KernelTasks.h"
#include "Kernel/Locality.h"
#include "Kernel/Slots.h"

namespace dmc::codegen {

/// As many columns as a block has threads, or fewer if there are no more than `size`, or to fit in
/// shared memory, of which a column takes so many bytes. Whole warps; nothing if one does not fit.
std::optional<int64_t> chooseRunColumns(int64_t size, int64_t warp, int64_t bytesPerColumn);

/// The numbers of the running thread among `count`, of which it has several at once: as many as its
/// registers hold elements of so many operands. The condition is that of a number that may lie
/// behind the last.
void forTileElements(Scalarizer &s, Team &team, int64_t count, size_t operands,
                     llvm::function_ref<void(const Index &number, mlir::Value condition)> body);

/// The elements of a sector, of the results' widest type.
int64_t getResultSector(const Scalarizer &s, const Task &task);

/// An element of an operand at these indices of the results is known.
void rememberRead(Scalarizer &s, const LocalRead &read, const Indices &indices, mlir::Value value);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_RUNTILES_H
