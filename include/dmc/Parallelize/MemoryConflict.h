//===- MemoryConflict.h - Why no layouts fit the memory ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_PARALLELIZE_MEMORYCONFLICT_H
#define DMC_PARALLELIZE_MEMORYCONFLICT_H

#include "mlir/IR/Diagnostics.h"

#include <string>
#include <vector>

namespace dmc {

/// Points of a program such that every choice of layouts holds, at one of them at least, more than
/// a capacity: proved for what is alive there in plans that were tried.
struct MemoryConflict {
  struct Tensor {
    mlir::Location location;
    /// "argument 3 ('params/w')", or "'tensor<8x16xf32>'".
    std::string name;
    /// Of a rank, in any layout that can be chosen.
    int64_t leastBytes = 0;
  };
  struct Point {
    mlir::Location location;
    /// Largest first.
    std::vector<Tensor> tensors;
  };

  double capacity = 0;
  /// Each at another location, the fullest first.
  std::vector<Point> points;

  /// Notes for the points and their largest tensors.
  void attachTo(mlir::InFlightDiagnostic &diagnostic) const;
};

} // namespace dmc

#endif // DMC_PARALLELIZE_MEMORYCONFLICT_H
