//===- LocalForm.h - How an operation becomes its local form ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank does for one operation of a parallel program: the builder of rank
// programs and the table of local forms. Used by `dmc-to-ranks` alone.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RANKS_LOCALFORM_H
#define DMC_RANKS_LOCALFORM_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

namespace dmc {

class LocalForms;

/// Builds the rank program of one function. Values of the parallel program are
/// mapped to their local form; insertion point and location are those of the
/// operation being lowered.
class RankBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// `entry` is the rank program's entry block, still empty; scalars that depend
  /// on the rank alone are made once, at its beginning.
  RankBuilder(mlir::Location loc, MeshAttr mesh, mlir::Block *entry, const LocalForms &forms);

  MeshAttr getMesh() const { return mesh; }

  //===--- Values -------------------------------------------------------------===//

  /// The type on every rank: local shape, no layout.
  static mlir::Type getLocalType(mlir::Type type);
  static mlir::RankedTensorType getLocalType(mlir::RankedTensorType type);
  mlir::Value getLocal(mlir::Value global) const { return mapping.lookup(global); }
  llvm::SmallVector<mlir::Value> getLocal(mlir::ValueRange globals) const;
  void setLocal(mlir::Value global, mlir::Value local) { mapping.map(global, local); }

  /// Clones an operation on its operands' local forms with local result types.
  /// Its regions must not hold layouts.
  mlir::Operation *cloneLocal(mlir::Operation *op);
  /// The same with other operands.
  mlir::Operation *cloneLocal(mlir::Operation *op, mlir::ValueRange operands);
  /// Clones an operation of single-block regions, lowering what the regions hold.
  mlir::FailureOr<mlir::Operation *> cloneWithRegions(mlir::Operation *op);

  /// Lowers one operation, or all of a block, at the insertion point.
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lower(mlir::Block &block);

  //===--- Scalars that depend on the rank alone ------------------------------===//

  mlir::Value getConstantIndex(int64_t value);
  mlir::Value getConstant(mlir::TypedAttr value);
  /// This rank's position over the axes.
  mlir::Value getAxisIndex(AxesAttr axes);
  /// Where this rank's block begins in a dimension of n elements (beyond the
  /// dimension's end if the block is empty).
  mlir::Value getBlockOffset(int64_t n, AxesAttr axes);
  /// How many elements of this rank's block are valid.
  mlir::Value getBlockValid(int64_t n, AxesAttr axes);

  //===--- Static block arithmetic --------------------------------------------===//

  llvm::SmallVector<int64_t> getAxisSizes(AxesAttr axes) const;
  bool isEven(int64_t n, AxesAttr axes) const;
  /// Sizes b_1 .. b_k of the nested cut of n elements.
  llvm::SmallVector<int64_t> getBlockSizes(int64_t n, AxesAttr axes) const;

private:
  /// An insertion point after the last scalar at the entry's beginning.
  mlir::OpBuilder getPrologue();
  mlir::Value addToPrologue(mlir::Operation *op);

  MeshAttr mesh;
  mlir::Block *entry;
  const LocalForms &forms;
  mlir::IRMapping mapping;
  mlir::Operation *lastOfPrologue = nullptr;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  llvm::DenseMap<AxesAttr, mlir::Value> axisIndices;
  llvm::DenseMap<std::pair<int64_t, AxesAttr>, mlir::Value> offsets, valids;
};

/// Emits the local form of an operation and maps its results.
using LocalForm = mlir::LogicalResult (*)(mlir::Operation *op, RankBuilder &builder);

/// The local forms by operation name; `lookup` also finds those of interfaces.
class LocalForms {
public:
  /// The built-in forms and those that loaded dialects contribute.
  explicit LocalForms(mlir::MLIRContext *context);

  void insert(llvm::StringRef operation, LocalForm form) { table[operation] = form; }
  template <typename OpT, mlir::LogicalResult (*form)(OpT, RankBuilder &)>
  void insert() {
    insert(OpT::getOperationName(), [](mlir::Operation *op, RankBuilder &builder) {
      return form(mlir::cast<OpT>(op), builder);
    });
  }
  /// Null for an operation that has none.
  LocalForm lookup(mlir::Operation *op) const;

private:
  llvm::StringMap<LocalForm> table;
};

/// Implemented by a dialect whose operations have local forms of their own.
class LocalFormDialectInterface : public mlir::DialectInterface::Base<LocalFormDialectInterface> {
public:
  LocalFormDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}
  virtual void populateLocalForms(LocalForms &forms) const = 0;
};

} // namespace dmc

#endif // DMC_RANKS_LOCALFORM_H
