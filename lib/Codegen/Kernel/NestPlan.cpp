//===- NestPlan.cpp - What is decided of a loop nest ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/NestPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace dmc::codegen;

/// A nest is divided into at most so many iterations: threads that share them evenly differ by one
/// of 256 / threads, and a table of them costs nothing.
static constexpr int64_t mostDivided = 256;
/// An iteration computes at least so many elements: their cost, microseconds, is well above that of
/// setting up the loops within it.
static constexpr int64_t leastWork = 4096;
int64_t Division::countWanted(int64_t elements) {
  return std::min(mostDivided, elements / leastWork);
}

Division Division::choose(llvm::ArrayRef<int64_t> shape, int64_t work, bool isContiguous) {
  int64_t wanted = countWanted(work * llvm::product_of(shape));
  if (wanted < 2)
    return {};
  // The outermost loops up to the one that is cut into chunks.
  Division division;
  while (division.cut + 1 < shape.size() && division.before * shape[division.cut] < wanted)
    division.before *= shape[division.cut++];
  int64_t chunks = llvm::divideCeil(wanted, division.before), size = shape[division.cut];
  int64_t chunk = llvm::divideCeil(size, std::max<int64_t>(1, std::min(chunks, size)));
  if (division.cut + 1 == shape.size() && isContiguous)
    chunk = std::min<int64_t>(size, llvm::alignTo(chunk, leastRow));
  division.chunk = chunk;
  division.chunks = chunk ? llvm::divideCeil(size, chunk) : 0;
  return division.isDivided() ? division : Division();
}

Division Division::intoChunks(int64_t size, int64_t chunk) {
  return {0, 1, chunk, static_cast<int64_t>(llvm::divideCeil(size, chunk))};
}

// Of looseThreads: a multiprocessor has up to 16 to 32 blocks and 1536 to 2048 threads. Fewer
// threads a block would leave some of these unused, and more would wait longer for registers where
// a block's last warp ends late.
Launch Launch::choose(int64_t iterations, int64_t team, int64_t warp) {
  Launch launch;
  launch.team = team;
  iterations = std::max<int64_t>(iterations, 1);
  if (team <= warp) {
    // Warps that teams share are full, so that all of their threads can exchange values.
    int64_t together = team == 1 ? 1 : warp / team;
    launch.teams = std::min<int64_t>(looseThreads / team, llvm::alignTo(iterations, together));
  }
  launch.blocks = llvm::divideCeil(iterations, launch.teams);
  return launch;
}
