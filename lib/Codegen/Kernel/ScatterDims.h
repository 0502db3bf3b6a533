//===- ScatterDims.h - What the dimensions of a scatter stand for -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_SCATTERDIMS_H
#define DMC_LIB_CODEGEN_KERNEL_SCATTERDIMS_H

#include "Kernel/Scalarizer.h"

namespace dmc::codegen {

/// A scatter as rows that are combined with rows of its targets. The dimensions of a target are
/// those of batches; the scattered ones, whose indices are read and make the key of a row; and
/// those of a row. The other dimensions of the updates number the rows of a batch: the entries, in
/// whose order those with the same key are combined.
class ScatterDims {
public:
  explicit ScatterDims(ScatterOp op);

  int64_t countKeys() const { return llvm::product_of(keySizes); }
  int64_t countEntries() const { return llvm::product_of(entrySizes); }
  /// Whether the last dimension of the targets is one of rows.
  bool endsInRow() const { return !rowDims.empty() && rowDims.back() + 1 == rank; }

  /// The key of an entry of a batch; it is in the targets if the condition holds, which is
  /// conjoined with what it was. Nothing if it is outside always.
  std::optional<Index> findKey(Scalarizer &s, llvm::ArrayRef<Index> batch, const Index &entry,
                               mlir::Value &condition) const;
  /// The indices in a target of the first element of a chunk of `lanes`.
  Indices locate(Scalarizer &s, llvm::ArrayRef<Index> batch, const Index &key,
                 llvm::ArrayRef<Index> chunk, int64_t lanes) const;
  /// Where the updates have an entry's element for an element of a target.
  Indices findUpdate(Scalarizer &s, const Index &entry, llvm::ArrayRef<Index> at) const;
  /// Whether rows of the updates, which may be smaller, have an element of a target: false if they
  /// do not, else if the condition holds, or always if it is null.
  bool isInWindow(Scalarizer &s, llvm::ArrayRef<Index> at, mlir::Value &condition) const;

  llvm::SmallVector<int64_t> batchSizes, keySizes, rowSizes, entrySizes;
  /// How many elements the updates have along the dimensions of rows.
  llvm::SmallVector<int64_t> rowWindows;

private:
  /// The indices of an entry, in the dimensions of the updates that number them.
  Indices spread(Scalarizer &s, const Index &entry) const;

  mutable ScatterOp op;
  int64_t rank;
  llvm::SmallVector<int64_t> batchDims, keyDims, rowDims; // of the targets
  struct UpdateDim {
    int64_t target = -1; // the dimension of the targets, if there is one
    bool isWindow = false, isEntry = false;
  };
  llvm::SmallVector<UpdateDim> updateDims;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_SCATTERDIMS_H
