//===- Element.cpp - Element types of programs ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Element.h"

using namespace dmc;

namespace {
struct TypeInfo {
  const char *name;
  size_t bytes;
};
} // namespace

static const TypeInfo typeInfos[] = {{"?", 0},   {"i1", 1},   {"i8", 1},   {"i16", 2},  {"i32", 4},
                                     {"i64", 8}, {"ui8", 1},  {"ui16", 2}, {"ui32", 4}, {"ui64", 8},
                                     {"f16", 2}, {"bf16", 2}, {"f32", 4},  {"f64", 8}};

size_t runtime::elementBytes(uint32_t type) {
  return isElementType(type) ? typeInfos[type].bytes : 0;
}

const char *runtime::elementName(uint32_t type) {
  return isElementType(type) ? typeInfos[type].name : "?";
}

float runtime::f16ToFloat(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  uint32_t magnitude = half & 0x7fff;
  uint32_t bits;
  if (magnitude >= 0x7c00) { // infinity, NaN
    bits = sign | 0x7f800000 | ((magnitude & 0x3ff) << 13);
  } else if (magnitude >= 0x400) {
    bits = sign | ((magnitude << 13) + ((127 - 15) << 23));
  } else { // zero, subnormal: a multiple of 2^-24, exact in f32
    float value = static_cast<float>(magnitude) * 0x1p-24f;
    std::memcpy(&bits, &value, sizeof bits);
    bits |= sign;
  }
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

uint16_t runtime::floatToF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000)
    return sign | 0x7e00 | static_cast<uint16_t>((bits >> 13) & 0x3ff);
  if (bits >= 0x477ff000) // 65520 and above round to infinity
    return sign | 0x7c00;
  if (bits < 0x38800000) { // below 2^-14: adding 0.5 leaves the rounded multiple of 2^-24
    float magnitude, sum;
    std::memcpy(&magnitude, &bits, sizeof magnitude);
    sum = magnitude + 0.5f;
    uint32_t sumBits;
    std::memcpy(&sumBits, &sum, sizeof sumBits);
    return sign | static_cast<uint16_t>(sumBits - 0x3f000000);
  }
  uint32_t rounded = bits - ((127 - 15) << 23) + 0xfff + ((bits >> 13) & 1);
  return sign | static_cast<uint16_t>(rounded >> 13);
}

template <typename T>
static double load(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return static_cast<double>(value);
}

double runtime::elementToDouble(uint32_t type, const void *element) {
  uint16_t half = 0;
  switch (type) {
  case DMC_I1:
    return load<uint8_t>(element) != 0;
  case DMC_I8:
    return load<int8_t>(element);
  case DMC_I16:
    return load<int16_t>(element);
  case DMC_I32:
    return load<int32_t>(element);
  case DMC_I64:
    return load<int64_t>(element);
  case DMC_UI8:
    return load<uint8_t>(element);
  case DMC_UI16:
    return load<uint16_t>(element);
  case DMC_UI32:
    return load<uint32_t>(element);
  case DMC_UI64:
    return load<uint64_t>(element);
  case DMC_F16:
  case DMC_BF16:
    std::memcpy(&half, element, sizeof half);
    return type == DMC_F16 ? f16ToFloat(half) : bf16ToFloat(half);
  case DMC_F32:
    return load<float>(element);
  case DMC_F64:
    return load<double>(element);
  default:
    return 0;
  }
}
