//===- OperationOrder.h - Orders of a block's operations --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block as a problem of order: what each operation needs, makes and frees.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_SCHEDULE_OPERATIONORDER_H
#define DMC_LIB_SCHEDULE_OPERATIONORDER_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace dmc {

/// A buffer that an operation of the block makes.
struct OrderedBuffer {
  int64_t bytes = 0;
  unsigned maker = 0;
  /// The operations that use it, reshapes of it included; each once, ascending.
  llvm::SmallVector<unsigned, 4> users;
};

/// The operations of a block but its terminator, in the order of the text, and
/// the memory that they take. What leaves the block has a place of its own.
struct OrderProblem {
  explicit OrderProblem(mlir::Block &block);

  struct Node {
    mlir::Operation *op = nullptr;
    /// Nodes that must come before and after; each once.
    llvm::SmallVector<unsigned, 4> before, after;
    /// Buffers that it makes and uses.
    llvm::SmallVector<unsigned, 2> makes;
    llvm::SmallVector<unsigned, 4> uses;
    /// The used buffers that its results may take over, with how many bytes.
    llvm::SmallVector<unsigned, 1> takesOver;
    /// An empty tensor, a reshape or a scalar.
    bool isFree = false;
    /// Bytes alive within its regions alone.
    int64_t within = 0;
  };

  std::vector<unsigned> getTextOrder() const;
  /// The most bytes alive at once.
  int64_t getPeak(llvm::ArrayRef<unsigned> order) const;

  std::vector<Node> nodes;
  std::vector<OrderedBuffer> buffers;
};

/// From the first operation to the last: always what frees most, else what the
/// text has next.
std::vector<unsigned> orderForwards(const OrderProblem &problem);

/// From the last operation to the first: always what ends the most live bytes
/// before it, else what the text has last.
std::vector<unsigned> orderBackwards(const OrderProblem &problem);

/// As the text, but collectives start early, and what uses their results waits until the next
/// collective has started.
std::vector<unsigned> orderOverlapping(const OrderProblem &problem);

/// The bytes of the largest collectives that this order lets run or wait at one time.
int64_t getFlightBytes(const OrderProblem &problem);

} // namespace dmc

#endif // DMC_LIB_SCHEDULE_OPERATIONORDER_H
