// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tensors StableHLO operations take.
#include "dmc/Import/StableHLO/Types.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dmc::stablehlo {

unsigned getElementKind(Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return kFloat;
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
  int64_t bytes = 8;
  for (int64_t size : tensor.getShape())
    if (llvm::MulOverflow(bytes, std::max<int64_t>(size, 1), bytes) || bytes > maxBytes)
      return false;
  return true;
}

bool isScalarOf(Type type, unsigned kinds) {
  return isTensorOf(type, kinds) && cast<RankedTensorType>(type).getRank() == 0;
}

} // namespace dmc::stablehlo
