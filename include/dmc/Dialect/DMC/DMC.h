//===- DMC.h - The dmc dialect ----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts, movement, compute and kernel operators.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_DMC_H
#define DMC_DIALECT_DMC_DMC_H

#include "dmc/Dialect/DMC/ShardingRule.h"
#include "dmc/Layout/Layout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"

#include "dmc/Dialect/DMC/DMCEnums.h.inc"

namespace dmc {
class LayoutAttr;
class MeshAttr;

inline Combiner toCombiner(CombinerKind kind) { return static_cast<Combiner>(kind); }
inline CombinerKind toCombinerKind(Combiner combiner) {
  return static_cast<CombinerKind>(combiner);
}

/// The tensor type with another layout; a null layout removes it.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, LayoutAttr layout);

/// The neutral element of a combiner for an element type: float sum -0.0, prod
/// 1, max -inf, min +inf; integers the extremes of their signedness; on i1 max
/// is or and min is and. `isUnsigned` concerns integers only.
mlir::TypedAttr getNeutralElement(CombinerKind combiner, mlir::Type elementType,
                                  bool isUnsigned = false);
} // namespace dmc

#include "dmc/Dialect/DMC/DMCDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dmc/Dialect/DMC/DMCAttrs.h.inc"

#include "dmc/Dialect/DMC/MoveOpInterface.h.inc"
#include "dmc/Dialect/DMC/ShardingRuleInterface.h.inc"

namespace dmc {
/// `{"data", "x":(2)4}`: the stripped form of a list of axes.
mlir::ParseResult parseAxes(mlir::AsmParser &parser, AxesAttr &axes);
void printAxes(mlir::AsmPrinter &printer, AxesAttr axes);
inline mlir::ParseResult parseAxes(mlir::OpAsmParser &parser, AxesAttr &axes) {
  return parseAxes(static_cast<mlir::AsmParser &>(parser), axes);
}
inline void printAxes(mlir::OpAsmPrinter &printer, mlir::Operation *, AxesAttr axes) {
  printAxes(static_cast<mlir::AsmPrinter &>(printer), axes);
}
/// Emits an error unless all axes are axes of the mesh, none used twice.
mlir::LogicalResult verifyAxes(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                               MeshAttr mesh, AxesAttr axes);
} // namespace dmc

#define GET_OP_CLASSES
#include "dmc/Dialect/DMC/MovementOps.h.inc"
#define GET_OP_CLASSES
#include "dmc/Dialect/DMC/ComputeOps.h.inc"
#define GET_OP_CLASSES
#include "dmc/Dialect/DMC/KernelOps.h.inc"

namespace dmc {
struct Move;
/// The move that an operation makes, without its traffic; nothing if it is none of the planned
/// ones (dmc/Layout/Reshard.h).
std::optional<Move> getMove(mlir::Operation *op);
} // namespace dmc

#endif // DMC_DIALECT_DMC_DMC_H
