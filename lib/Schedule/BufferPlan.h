//===- BufferPlan.h - Which buffer holds which value ------------*- C++ -*-===//
//
// The buffers of an entry function on tensors: which values share one, how
// long it lives, where it is. Changes no IR.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_SCHEDULE_BUFFERPLAN_H
#define DMC_LIB_SCHEDULE_BUFFERPLAN_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace dmc {

/// Bytes of a value as a buffer; i1 takes a byte.
int64_t getBufferBytes(mlir::ShapedType type);

/// The reshape's operand if the operation is a view on tensors, else null.
mlir::Value getViewSource(mlir::Operation *op);

struct PlannedBuffer {
  enum Home { Arena, Argument, Result };
  Home home = Arena;
  /// The argument or the result.
  unsigned index = 0;
  int64_t bytes = 0;
  /// Steps, which are positions in the block; copies of results follow.
  int64_t first = -1, last = -1;
  int64_t offset = 0;
};

/// A result that is not computed where the caller wants it.
struct ResultCopy {
  mlir::Value source;
  unsigned result = 0;
  /// A buffer to go through, since the source could be overwritten by another
  /// copy; -1 if none.
  int through = -1;
};

class BufferPlan {
public:
  /// Emits an error and fails on what cannot be at level 3.
  static mlir::FailureOr<BufferPlan> compute(mlir::func::FuncOp entry, ProgramAttr program);

  std::vector<PlannedBuffer> buffers;
  llvm::DenseMap<mlir::Value, unsigned> bufferOf;
  /// In the order in which they are safe.
  std::vector<ResultCopy> copies;
  /// For each result the argument donated to it, or -1.
  std::vector<int> donor;
  /// Launch results that take over an input's buffer.
  unsigned numInPlace = 0;
  int64_t arenaBytes = 0;
};

} // namespace dmc

#endif // DMC_LIB_SCHEDULE_BUFFERPLAN_H
