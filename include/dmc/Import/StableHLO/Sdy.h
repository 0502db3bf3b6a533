// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect sdy: meshes and shardings as programs hold them.
#ifndef DMC_IMPORT_STABLEHLO_SDY_H
#define DMC_IMPORT_STABLEHLO_SDY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <optional>

namespace dmc::sdy {

/// The name of the attribute that holds the sharding of an argument, result or operation.
inline constexpr llvm::StringLiteral kShardingAttrName = "sdy.sharding";

class TensorShardingAttr;

/// Looks up the mesh from an operation and checks a sharding on it for a type (null: any).
llvm::LogicalResult verifySharding(mlir::Operation *op, TensorShardingAttr sharding,
                                   mlir::Type type, const llvm::Twine &what);

} // namespace dmc::sdy

#include "dmc/Import/StableHLO/SdyDialect.h.inc"
#include "dmc/Import/StableHLO/SdyEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dmc/Import/StableHLO/SdyAttributes.h.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/SdyOps.h.inc"

#endif
