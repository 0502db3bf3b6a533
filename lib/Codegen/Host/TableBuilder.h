//===- TableBuilder.h - Constant data of the C ABI --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Globals of the LLVM dialect for the structs of dmc-c/Program.h.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_HOST_TABLEBUILDER_H
#define DMC_LIB_CODEGEN_HOST_TABLEBUILDER_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringSet.h"

#include <variant>
#include <vector>

namespace dmc::codegen {

/// A pointer to a global, or null.
struct Pointer {
  mlir::FlatSymbolRefAttr symbol;
};
/// A field of a struct, in order; the width is the struct type's.
using Field = std::variant<int64_t, Pointer>;
using Fields = std::vector<Field>;

class TableBuilder {
public:
  explicit TableBuilder(mlir::ModuleOp module);

  Pointer text(llvm::StringRef text);
  /// An empty text of that name, for what is known only when code is made.
  Pointer textToFill(llvm::StringRef name);
  Pointer int64s(llvm::ArrayRef<int64_t> values);
  Pointer uint32s(llvm::ArrayRef<uint32_t> values);
  /// Bytes as they are, with a zero behind them.
  Pointer bytes(llvm::StringRef name, llvm::StringRef data);
  /// An array of structs; a null pointer if there is none.
  Pointer structs(llvm::StringRef name, mlir::Type type, llvm::ArrayRef<Fields> rows);
  /// So many structs of zeros under that name, and the first ones of them set later.
  Pointer structsToFill(llvm::StringRef name, mlir::Type type, int64_t count);
  void fill(mlir::LLVM::GlobalOp table, mlir::Type type, llvm::ArrayRef<Fields> rows);
  Pointer axisRefs(MeshAttr mesh, llvm::ArrayRef<AxisAttr> axes);

  /// The C structs.
  mlir::Type meshAxisType, axisRefType, valueType, collectiveType, contractionType, callType,
      customValueType, customTargetType, kernelType, nestType, deviceLaunchType, arenaType,
      constantType, imageType, programType;
  mlir::Type pointer, i32, i64;

private:
  Pointer data(llvm::StringRef name, mlir::Type type, mlir::Attribute value);
  mlir::FlatSymbolRefAttr fresh(llvm::StringRef name);
  mlir::LLVM::GlobalOp makeTable(mlir::FlatSymbolRefAttr symbol, mlir::Type type, int64_t count);

  mlir::OpBuilder builder;
  mlir::Location loc;
  llvm::DenseMap<mlir::Attribute, Pointer> known;
  llvm::StringMap<unsigned> counts;
  llvm::StringSet<> names; // of the module's globals
};

/// `file:line:col (scope)` of a location, shortened; empty where it is unknown.
std::string describeLocation(mlir::Location loc);

/// The dmc_element_type of a type; 0 where there is none.
uint32_t elementTypeCode(mlir::Type type, bool isUnsigned = false);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_HOST_TABLEBUILDER_H
