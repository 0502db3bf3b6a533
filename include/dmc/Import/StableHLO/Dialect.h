// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialects stablehlo and chlo, and their registration together with sdy.
#ifndef DMC_IMPORT_STABLEHLO_DIALECT_H
#define DMC_IMPORT_STABLEHLO_DIALECT_H

#include "dmc/Import/StableHLO/Sdy.h"
#include "dmc/Import/StableHLO/Types.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace dmc::stablehlo {

/// Registers stablehlo, chlo and sdy.
void registerDialects(mlir::DialectRegistry &registry);

/// Why an operation that is not defined is not supported, and what is instead.
llvm::StringRef explainUnsupported(llvm::StringRef name);

} // namespace dmc::stablehlo

#include "dmc/Import/StableHLO/Dialect.h.inc"
#include "dmc/Import/StableHLO/Enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dmc/Import/StableHLO/Attributes.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/UnaryOps.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/BinaryOps.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/CreationOps.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/DataMovementOps.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/ContractionOps.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/TransformOps.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/ReductionOps.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/ControlOps.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/CollectiveOps.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/DerivedOps.h.inc"

#include "dmc/Import/StableHLO/ChloDialect.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/ChloOps.h.inc"

#endif
