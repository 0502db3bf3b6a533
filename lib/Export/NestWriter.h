//===- NestWriter.h - Loop nests of linalg in StableHLO ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation of linalg on its way to StableHLO.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_EXPORT_NESTWRITER_H
#define DMC_LIB_EXPORT_NESTWRITER_H

#include "RankWriter.h"

namespace dmc {

/// A tensor and the loops that its dimensions are.
struct Spread {
  mlir::Value value;
  llvm::SmallVector<int64_t> loops;
};

class NestWriter {
public:
  NestWriter(mlir::linalg::LinalgOp op, RankWriter &b)
      : op(op), b(b), sizes(op.getStaticLoopRanges()), body(*op.getBlock()),
        iterators(op.getIteratorTypesArray()) {}
  mlir::LogicalResult write();

private:
  mlir::LogicalResult refuseIndices();
  mlir::FailureOr<Spread> spread(mlir::Value value, mlir::AffineMap map);
  mlir::FailureOr<mlir::Value> spreadOver(mlir::Value value, mlir::AffineMap map,
                                          llvm::ArrayRef<int64_t> loops);
  mlir::FailureOr<mlir::Value> toResult(Spread from, mlir::AffineMap map,
                                        mlir::RankedTensorType type);
  bool isReduction(int64_t loop) const {
    return iterators[loop] == mlir::utils::IteratorType::reduction;
  }
  llvm::SmallVector<int64_t> getSizes(llvm::ArrayRef<int64_t> loops) const {
    return llvm::map_to_vector(loops, [&](int64_t loop) { return sizes[loop]; });
  }
  mlir::AffineMap getMap(mlir::OpOperand &operand) { return op.getMatchingIndexingMap(&operand); }
  mlir::Value getFillOf(mlir::Value init);

  mlir::LogicalResult writeParallel();
  mlir::FailureOr<bool> writeContraction();
  mlir::FailureOr<bool> writeReduction();
  mlir::FailureOr<bool> writeBodyReduction();
  mlir::LogicalResult writeLoop();
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> spreadInputs(llvm::ArrayRef<int64_t> loops);

  mlir::linalg::LinalgOp op;
  RankWriter &b;
  llvm::SmallVector<int64_t> sizes;
  mlir::Block &body;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
};

/// Whether a body asks for indices of loops.
bool hasIndices(mlir::Block &body);
/// The index of each loop on a tensor of all of them; null where the body asks for none.
llvm::SmallVector<mlir::Value> makeIndices(RankWriter &writer, mlir::Block &body,
                                           llvm::ArrayRef<int64_t> shape);

} // namespace dmc

#endif // DMC_LIB_EXPORT_NESTWRITER_H
