// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensors that StableHLO operations take.
#ifndef DMC_IMPORT_STABLEHLO_TYPES_H
#define DMC_IMPORT_STABLEHLO_TYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include <string>

namespace dmc::stablehlo {

/// Kinds of element types, to be combined. Signless integers of 8 bits and more count as signed.
enum ElementKind : unsigned {
  kBool = 1,
  kSigned = 2,
  kUnsigned = 4,
  kFloat = 8,
  kReal = 15,
  /// Of two f32 or f64: import splits them into tensors of real numbers.
  kComplex = 16,
  kAny = 31
};

/// The kind of an element type, 0 if it is none that is supported.
unsigned getElementKind(mlir::Type type);

/// A ranked static tensor without encoding, of an element type of these kinds, whose size in bytes
/// is far enough from overflow to compute with.
bool isTensorOf(mlir::Type type, unsigned kinds);

/// The same of rank 0.
bool isScalarOf(mlir::Type type, unsigned kinds);

/// What is expected instead of a type that no operation of StableHLO is supported on: of a dynamic
/// shape, of quantized elements, a token, a tuple. Empty for supported types, of which `kinds` says
/// the elements.
std::string explainUnsupportedType(mlir::Type type, unsigned kinds = kAny);

/// Refuses the first operand or result of such a type.
llvm::LogicalResult verifySupportedTypes(mlir::Operation *op);

/// Operations on supported types. Verified before the types that the single operation expects, so
/// that a missing feature is told from a mistake.
template <typename ConcreteType>
class SupportedTypes : public mlir::OpTrait::TraitBase<ConcreteType, SupportedTypes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifySupportedTypes(op); }
};

} // namespace dmc::stablehlo

#endif
