//===- Number.h - Elements as machine words ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element kinds, and the conversion between an element's bits, kept in a word,
// and the C type that it is computed in.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_INTERPRETER_NUMBER_H
#define DMC_LIB_INTERPRETER_NUMBER_H

#include "dmc/Dialect/DMC/DMC.h"

#include <cstdint>
#include <cstring>
#include <optional>

namespace dmc::interpreter {

/// An element's bits, zero-extended.
using Word = uint64_t;

enum class Kind : uint8_t { I1, I8, I16, I32, I64, Index, F16, BF16, F32, F64 };

/// Nothing where the interpreter has no such element type.
std::optional<Kind> getKind(mlir::Type type);

inline bool isFloat(Kind kind) { return kind >= Kind::F16; }
unsigned getWidth(Kind kind);
inline unsigned getNumBytes(Kind kind) { return kind == Kind::I1 ? 1 : getWidth(kind) / 8; }

inline Word loadWord(const char *from, unsigned bytes) {
  Word word = 0;
  switch (bytes) {
  case 1:
    return static_cast<uint8_t>(*from);
  case 2:
    std::memcpy(&word, from, 2);
    return word;
  case 4:
    std::memcpy(&word, from, 4);
    return word;
  default:
    std::memcpy(&word, from, 8);
    return word;
  }
}

inline void storeWord(char *to, Word word, unsigned bytes) {
  switch (bytes) {
  case 1:
    *to = static_cast<char>(word);
    return;
  case 2:
    std::memcpy(to, &word, 2);
    return;
  case 4:
    std::memcpy(to, &word, 4);
    return;
  default:
    std::memcpy(to, &word, 8);
  }
}

/// The bits of a scalar attribute.
Word getWord(mlir::Attribute attr);

/// What stands where nothing was written: a NaN, or an integer out of any range.
Word getPoison(Kind kind);
Word getNeutral(CombinerKind combiner, Kind kind);
/// Folds partial values in order; 16-bit floats in float, rounded once.
Word foldPartials(CombinerKind combiner, Kind kind, llvm::ArrayRef<Word> partials);

inline int64_t signExtend(Word word, unsigned width) {
  return width == 64 ? static_cast<int64_t>(word)
                     : static_cast<int64_t>(word << (64 - width)) >> (64 - width);
}
inline Word truncate(Word word, unsigned width) {
  return width == 64 ? word : word & ((Word(1) << width) - 1);
}

float halfToFloat(uint16_t bits);
/// Rounds to nearest, ties to even.
uint16_t floatToHalf(float value);
/// The same from a double, rounding once.
uint16_t doubleToHalf(double value);
uint16_t doubleToBFloat(double value);

inline float bfloatToFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}
inline uint16_t floatToBFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// How a float kind computes: `get` and `put` around arithmetic in C.
struct F32Number {
  using C = float;
  static C get(Word word) {
    uint32_t bits = static_cast<uint32_t>(word);
    C value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  static Word put(C value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return bits;
  }
};
struct F64Number {
  using C = double;
  static C get(Word word) {
    C value;
    std::memcpy(&value, &word, 8);
    return value;
  }
  static Word put(C value) {
    Word word;
    std::memcpy(&word, &value, 8);
    return word;
  }
};
struct BF16Number {
  using C = float;
  static C get(Word word) { return bfloatToFloat(static_cast<uint16_t>(word)); }
  static Word put(C value) { return floatToBFloat(value); }
};
struct F16Number {
  using C = float;
  static C get(Word word) { return halfToFloat(static_cast<uint16_t>(word)); }
  static Word put(C value) { return floatToHalf(value); }
};

/// The value of a float of any kind; exact.
double getDouble(Kind kind, Word word);
/// Rounds once.
Word putDouble(Kind kind, double value);

} // namespace dmc::interpreter

#endif // DMC_LIB_INTERPRETER_NUMBER_H
