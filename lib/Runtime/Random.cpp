//===- Random.cpp - Arguments made up from a seed -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Runtime/Random.h"

#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace dmc;
using namespace dmc::runtime;

namespace {
/// splitmix64: the same numbers on every platform.
class Random {
public:
  /// As after `skipped` numbers.
  Random(uint64_t seed, uint64_t skipped) : state_(seed + skipped * step) {}
  uint64_t next() {
    uint64_t z = state_ += step;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double normal() {
    double u = (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53;
    double v = static_cast<double>(next() >> 11) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

private:
  static constexpr uint64_t step = 0x9e3779b97f4a7c15;
  uint64_t state_;
};
} // namespace

void runtime::fillRandom(uint32_t type, uint64_t seed, size_t index, int64_t below, int64_t first,
                         int64_t count, uint8_t *target) {
  // A float takes two numbers.
  auto skipped = static_cast<uint64_t>(first) * (isFloat(type) ? 2 : 1);
  Random random(seed * 0x100000001b3 + index, skipped);
  size_t bytes = elementBytes(type);
  uint64_t values = below > 0 ? static_cast<uint64_t>(below) : 2;
  // Those of the type that are not negative: a byte has 128.
  if (bytes < sizeof values)
    values = std::min(values, uint64_t(1) << (8 * bytes - 1));
  if (type == DMC_I1)
    values = 2;
  for (int64_t i = 0; i < count; ++i) {
    uint8_t *at = target + i * static_cast<int64_t>(bytes);
    double value = isFloat(type) ? 0.1 * random.normal() : 0;
    auto narrow = static_cast<float>(value);
    uint16_t half;
    switch (type) {
    case DMC_F64:
      std::memcpy(at, &value, bytes);
      break;
    case DMC_F32:
      std::memcpy(at, &narrow, bytes);
      break;
    case DMC_F16:
    case DMC_BF16:
      half = type == DMC_F16 ? floatToF16(narrow) : floatToBf16(narrow);
      std::memcpy(at, &half, bytes);
      break;
    default: {
      uint64_t number = random.next() % values;
      std::memset(at, 0, bytes);
      std::memcpy(at, &number, std::min(bytes, sizeof number)); // little endian
      break;
    }
    }
  }
}
