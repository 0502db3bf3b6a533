//===- Elements.h - Element types of random programs ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_FUZZ_ELEMENTS_H
#define DMC_TOOLS_DMC_FUZZ_ELEMENTS_H

#include <cstdint>

namespace dmc::fuzz {

enum class Element { I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64, F16, BF16, F32, F64 };

struct ElementInfo {
  const char *name;
  unsigned width;
  bool isFloat, isUnsigned;
  /// Integers up to this magnitude are represented exactly.
  double exact;
  /// From 1 to the next number; 0 for integers.
  double epsilon;
};

inline const ElementInfo &getInfo(Element element) {
  static const ElementInfo infos[] = {{"i1", 1, false, true, 1, 0},
                                      {"i8", 8, false, false, 0x1p7, 0},
                                      {"i16", 16, false, false, 0x1p15, 0},
                                      {"i32", 32, false, false, 0x1p31, 0},
                                      {"i64", 64, false, false, 0x1p62, 0},
                                      {"ui8", 8, false, true, 0x1p8, 0},
                                      {"ui16", 16, false, true, 0x1p16, 0},
                                      {"ui32", 32, false, true, 0x1p32, 0},
                                      {"ui64", 64, false, true, 0x1p62, 0},
                                      {"f16", 16, true, false, 0x1p11, 0x1p-10},
                                      {"bf16", 16, true, false, 0x1p8, 0x1p-7},
                                      {"f32", 32, true, false, 0x1p24, 0x1p-23},
                                      {"f64", 64, true, false, 0x1p53, 0x1p-52}};
  return infos[static_cast<int>(element)];
}

inline const char *getName(Element element) { return getInfo(element).name; }
inline bool isFloat(Element element) { return getInfo(element).isFloat; }
inline bool isInteger(Element element) { return !isFloat(element) && element != Element::I1; }

/// What an argument is filled with.
enum class Fill {
  Integral, // small integers, of which sums and products are exact
  Real,     // numbers between -2 and 2
  Special,  // also NaN, infinities, -0.0, subnormals, the largest and smallest
  Index,    // from -2 to 9
};

inline const char *getName(Fill fill) {
  static const char *const names[] = {"small integers", "numbers between -2 and 2",
                                      "special values", "-2 to 9"};
  return names[static_cast<int>(fill)];
}

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_ELEMENTS_H
