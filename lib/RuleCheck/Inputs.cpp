//===- Inputs.cpp - What functions are evaluated on -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Inputs.h.
//
//===----------------------------------------------------------------------===//
#include "Inputs.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;
using namespace dmc;
using namespace dmc::rulecheck;
using interpreter::Tensor;

static uint64_t getFloatBits(FloatType type, double value) {
  llvm::APFloat converted(value);
  bool losesInfo;
  converted.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return converted.bitcastToAPInt().getZExtValue();
}

namespace {
class Source {
public:
  Source(const DataOptions &options, size_t argument)
      : options(options),
        random((options.seed * 64 + static_cast<uint64_t>(options.kind)) * 1000003 + argument) {
    // Generators of neighbouring seeds begin alike.
    random.discard(16);
  }

  double makeFloat() {
    switch (options.kind) {
    case DataKind::Plain:
      return between(-16, 16) / 4.0;
    case DataKind::Special:
      return below(2) ? between(-8, 8) / 4.0 : makeSpecial();
    case DataKind::Zeros:
      return below(6) == 0 ? makeSpecial() : below(2) ? 0.0 : below(2) ? -0.0 : between(-2, 2);
    }
    llvm_unreachable("all kinds are handled");
  }

  /// Bits beyond the type's are cut.
  uint64_t makeInteger(unsigned width) {
    // Many flags are all true, or all false, only if most are.
    if (width == 1)
      return options.kind == DataKind::Plain     ? below(2)
             : options.kind == DataKind::Special ? below(12) != 0
                                                 : below(12) == 0;
    uint64_t smallest = uint64_t(1) << (width - 1);
    const uint64_t ends[] = {smallest, smallest - 1, 0, ~uint64_t(0), 1, smallest + 1};
    switch (options.kind) {
    case DataKind::Plain:
      return between(-3, 9);
    case DataKind::Special:
      return below(2) ? ends[below(6)] : random();
    case DataKind::Zeros:
      return below(3) ? 0 : between(-1, 1);
    }
    llvm_unreachable("all kinds are handled");
  }

  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }

private:
  int64_t below(int64_t bound) { return static_cast<int64_t>((random() >> 8) % bound); }
  double makeSpecial() {
    static const double special[] = {NAN, -0.0, 0.0, INFINITY, -INFINITY, INFINITY, -INFINITY};
    return special[below(options.allowsInfinities ? 7 : 3)];
  }

  DataOptions options;
  std::mt19937_64 random;
};
} // namespace

Tensor rulecheck::makeInput(RankedTensorType type, const DataOptions &options,
                            std::optional<std::pair<int64_t, int64_t>> range, size_t argument) {
  Tensor tensor = Tensor::get(type);
  Source source(options, argument);
  unsigned width = tensor.elementType.getIntOrFloatBitWidth(), bytes = (width + 7) / 8;
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    uint64_t word;
    if (auto floatType = dyn_cast<FloatType>(tensor.elementType))
      word = getFloatBits(floatType,
                          range ? source.between(range->first, range->second) : source.makeFloat());
    else
      word = range ? source.between(range->first, range->second) : source.makeInteger(width);
    if (width == 1)
      word &= 1;
    std::memcpy(&tensor.bytes[i * bytes], &word, bytes);
  }
  return tensor;
}
