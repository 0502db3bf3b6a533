// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tensors StableHLO operations take.
#include "dmc/Import/StableHLO/Types.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dmc::stablehlo {

unsigned getElementKind(Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return kFloat;
  if (auto complex = dyn_cast<ComplexType>(type))
    return isa<Float32Type, Float64Type>(complex.getElementType()) ? kComplex : 0;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return 0;
  unsigned width = integer.getWidth();
  if (width == 1)
    return integer.isSignless() ? kBool : 0;
  if (width != 8 && width != 16 && width != 32 && width != 64)
    return 0;
  return integer.isSignless() ? kSigned : kUnsigned;
}

bool isTensorOf(Type type, unsigned kinds) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding())
    return false;
  if (!(getElementKind(tensor.getElementType()) & kinds))
    return false;
  // Sizes of 0 count as 1, so that no product of some of the sizes overflows either.
  constexpr int64_t maxBytes = int64_t(1) << 56;
  int64_t bytes = isa<ComplexType>(tensor.getElementType()) ? 16 : 8;
  for (int64_t size : tensor.getShape())
    if (llvm::MulOverflow(bytes, std::max<int64_t>(size, 1), bytes) || bytes > maxBytes)
      return false;
  return true;
}

bool isScalarOf(Type type, unsigned kinds) {
  return isTensorOf(type, kinds) && cast<RankedTensorType>(type).getRank() == 0;
}

static constexpr llvm::StringLiteral elementTypes =
    "elements of i1, i8 to i64, ui8 to ui64, f16, bf16, f32 or f64";

std::string explainUnsupportedType(Type type, unsigned kinds) {
  if (isTensorOf(type, kinds))
    return {};
  if (isa<TupleType>(type))
    return "several values instead of a tuple";
  auto shaped = dyn_cast<ShapedType>(type);
  Type element = shaped ? shaped.getElementType() : type;
  if (isa<quant::QuantizedType>(element))
    return "integers with scales as tensors of their own";
  if (isa<ComplexType>(element) && !getElementKind(element))
    return "complex<f32> or complex<f64>";
  if (isa<ComplexType>(element) && !(kinds & kComplex))
    return "real and imaginary parts as tensors of their own";
  if (auto opaque = dyn_cast<OpaqueType>(type);
      opaque && opaque.getTypeData() == "token" && opaque.getDialectNamespace() == "stablehlo")
    return "all inputs and outputs as arguments and results, no tokens";
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "a ranked tensor of static shape";
  if (!tensor.hasStaticShape())
    return "a static shape";
  if (!getElementKind(element))
    return elementTypes.str();
  if (tensor.getEncoding())
    return "a tensor without encoding";
  return "a tensor of less than 2^56 bytes";
}

LogicalResult verifySupportedTypes(Operation *op) {
  auto verify = [&](Type type) -> LogicalResult {
    // Some operations take sizes as `index`.
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape() && tensor.getElementType().isIndex())
      return success();
    std::string expected = explainUnsupportedType(type);
    if (expected.empty())
      return success();
    return op->emitError() << "unsupported: '" << op->getName() << "' of type " << type
                           << "; expected " << expected;
  };
  for (Type type : op->getOperandTypes())
    if (failed(verify(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(verify(type)))
      return failure();
  return success();
}

} // namespace dmc::stablehlo
