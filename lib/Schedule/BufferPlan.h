//===- BufferPlan.h - Which buffer holds which value ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers of an entry function on tensors: which values share one, how
// long it lives, where it is. Changes no IR.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_SCHEDULE_BUFFERPLAN_H
#define DMC_LIB_SCHEDULE_BUFFERPLAN_H

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Dialect/DMC/MemoryUse.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace dmc {

/// Bytes of a value as a buffer; i1 takes a byte.
int64_t getBufferBytes(mlir::ShapedType type);

/// The reshape's operand if the operation is a view on tensors, else null.
mlir::Value getViewSource(mlir::Operation *op);
/// The value of which `value` is a reshape, or of which that is one; itself if it is none.
mlir::Value getBase(mlir::Value value);

/// The value in whose buffer an operation may compute its result: an input of a launch, as its
/// kernel says, or the operand of an all-reduce, which combines element by element. Else null.
mlir::Value getInPlaceInput(mlir::OpResult result);

struct PlannedBuffer {
  enum Location {
    /// At `offset`.
    Arena,
    /// In the memory of argument `index`, which is donated or only read.
    Argument,
    /// In the memory of result `index`.
    Result,
    /// In buffer `index`, which outlives it: one iteration's value of what a loop
    /// carries, or one branch's of what a choice yields.
    Within
  };
  Location location = Arena;
  unsigned index = 0;
  int64_t bytes = 0;
  /// Of the value that it was made for; null for one that copies go through.
  mlir::RankedTensorType type;
  /// Steps in which the buffer is alive, both included. Operations are numbered
  /// in the order of the text, regions between their operation's two ends.
  int64_t first = -1, last = -1;
  int64_t offset = 0;
  /// If not -1, only a value of this chain may take the buffer over.
  int chain = -1;
};

/// Fills a buffer with a value that was not computed there.
struct BufferCopy {
  mlir::Value source;
  unsigned target = 0;
  /// A buffer to go through, since another copy of the same place overwrites
  /// the source; -1 if none.
  int through = -1;
};

class BufferPlan {
public:
  /// Where the program waits for collectives: at once, or before their results are used first,
  /// so that what stands between can run meanwhile.
  enum class Waits { AtOnce, BeforeUse };
  /// Devices execute collectives beside kernels; processors do so themselves.
  static Waits getWaits(mlir::func::FuncOp entry);

  /// Emits an error and fails on what cannot be at level 3. For `comparisons` see planArena.
  static mlir::FailureOr<BufferPlan> compute(mlir::func::FuncOp entry, ProgramAttr program,
                                             Waits waits, int64_t comparisons = 0);
  static mlir::FailureOr<BufferPlan> compute(mlir::func::FuncOp entry, ProgramAttr program) {
    return compute(entry, program, getWaits(entry));
  }

  /// The buffer in whose memory this one is.
  const PlannedBuffer &getMemory(unsigned buffer) const { return buffers[getMemoryIndex(buffer)]; }
  unsigned getMemoryIndex(unsigned buffer) const {
    while (buffers[buffer].location == PlannedBuffer::Within)
      buffer = buffers[buffer].index;
    return buffer;
  }

  std::vector<PlannedBuffer> buffers;
  llvm::DenseMap<mlir::Value, unsigned> bufferOf;
  /// Before a terminator, at a function's end or before a loop: all sources are
  /// read before a target is overwritten.
  llvm::DenseMap<mlir::Operation *, std::vector<BufferCopy>> copies;
  /// Before which operation of its block each collective is waited for.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> waitPlace;
  /// Of a loop or a choice: for each result of tensor type its buffer. Of a
  /// `while`, second, for each carried value.
  struct Carried {
    llvm::SmallVector<int> results, carried;
  };
  llvm::DenseMap<mlir::Operation *, Carried> carried;
  /// For each result the argument donated to it, or -1.
  std::vector<int> donor;
  int64_t arenaBytes = 0;
  /// The most bytes of the arena that are alive at one step: what offsets could
  /// at best make of these live ranges.
  int64_t liveBytes = 0;
  /// The first such step.
  int64_t peakStep = 0;
  /// The first step of each operation.
  llvm::DenseMap<mlir::Operation *, int64_t> steps;

  /// Lets values that are alive when memory is fullest, and gone before a result is
  /// computed, be in the result's memory, if they are as many elements of its type.
  void borrowResults();

  /// Of arguments, and of results that no argument is donated to.
  int64_t getArgumentBytes(mlir::func::FuncOp entry) const;
  int64_t getResultBytes(mlir::func::FuncOp entry) const;
  /// With the arena.
  int64_t getRankBytes(mlir::func::FuncOp entry) const {
    return getArgumentBytes(entry) + getResultBytes(entry) + arenaBytes;
  }

  /// The operation at which most of the arena is in use.
  mlir::Operation *getPeakPlace(mlir::func::FuncOp entry) const {
    return getPlace(entry, peakStep);
  }
  /// Notes the largest buffers alive there.
  void describePeak(mlir::InFlightDiagnostic &diagnostic, mlir::Location loc) const;
  /// What is alive at the fullest points, at most so many.
  MemoryUse getMemoryUse(mlir::func::FuncOp entry, size_t maxPoints) const;

private:
  /// The operation that a step is part of.
  mlir::Operation *getPlace(mlir::func::FuncOp entry, int64_t step) const;
  /// By buffer: the value that it is made for, which comes first in the text.
  llvm::DenseMap<unsigned, mlir::Value> getMakers() const;
  bool isAliveAt(const PlannedBuffer &buffer, int64_t step) const {
    return buffer.location == PlannedBuffer::Arena && buffer.first <= step && step <= buffer.last &&
           buffer.bytes > 0;
  }
};

} // namespace dmc

#endif // DMC_LIB_SCHEDULE_BUFFERPLAN_H
