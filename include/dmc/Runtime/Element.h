//===- Element.h - Element types of programs --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and names of element types, and conversions of the 16-bit floats.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_ELEMENT_H
#define DMC_RUNTIME_ELEMENT_H

#include "dmc-c/Program.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dmc::runtime {

inline bool isElementType(uint32_t type) { return type >= DMC_I1 && type <= DMC_F64; }
inline bool isFloat(uint32_t type) { return type >= DMC_F16 && type <= DMC_F64; }
/// Bytes of one element; 0 for an unknown type.
size_t elementBytes(uint32_t type);
/// As written in programs: "f32", "ui8", "i1".
const char *elementName(uint32_t type);

/// The value of each byte of an element that no program expects: of floats NaN.
inline int poisonOf(uint32_t type) { return isFloat(type) ? 0xff : type == DMC_I1 ? 1 : 0xa5; }

inline float bf16ToFloat(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

/// Rounds to nearest, ties to even; NaN stays NaN.
inline uint16_t floatToBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  uint32_t quiet = (bits >> 16) | 0x40;
  return static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded);
}

float f16ToFloat(uint16_t bits);
/// Rounds to nearest, ties to even; NaN stays NaN.
uint16_t floatToF16(float value);

/// One element as a double: exact, but for 64-bit integers.
double elementToDouble(uint32_t type, const void *element);

} // namespace dmc::runtime

#endif // DMC_RUNTIME_ELEMENT_H
