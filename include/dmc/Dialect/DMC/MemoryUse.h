//===- MemoryUse.h - What a program's buffers hold --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a buffer plan says of memory, to whoever chooses layouts by it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_MEMORYUSE_H
#define DMC_DIALECT_DMC_MEMORYUSE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

#include <vector>

namespace dmc {

/// Bytes of one rank.
struct MemoryUse {
  struct Buffer {
    int64_t bytes = 0;
    /// The local type and the location of the value that it was made for.
    mlir::RankedTensorType type;
    mlir::Location location;
    /// A collective makes that value.
    bool isReceived = false;
  };
  /// A point at which more of the arena is alive than just before and after.
  struct Point {
    int64_t liveBytes = 0;
    mlir::Location location;
    std::vector<Buffer> buffers;
  };
  /// What is alive of the arena at most while an operation runs.
  struct Step {
    int64_t liveBytes = 0;
    mlir::Location location;
  };
  /// Of arguments, of results that take over no argument's buffer, and of the arena.
  int64_t boundaryBytes = 0, arenaBytes = 0;
  /// Those at which most is alive, the fullest first.
  std::vector<Point> points;
  /// In the order of execution.
  std::vector<Step> steps;

  int64_t getBytes() const { return boundaryBytes + arenaBytes; }
};

} // namespace dmc

#endif // DMC_DIALECT_DMC_MEMORYUSE_H
