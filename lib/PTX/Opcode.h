//===- Opcode.h - An instruction's name taken apart -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PTX_OPCODE_H
#define DMC_LIB_PTX_OPCODE_H

#include "Program.h"

#include <set>

namespace dmc::ptx {

/// "add.rn.ftz.f32": the name, types in order, and all other modifiers, which decoders take: one
/// that is left is an error.
struct Opcode {
  explicit Opcode(const std::string &text);
  /// True, and the modifier is taken, if the opcode has it.
  bool take(const std::string &modifier) { return modifiers.erase(modifier) > 0; }
  /// The first of these that it has, or nothing.
  std::string takeOne(std::initializer_list<const char *> choices) {
    for (const char *choice : choices)
      if (take(choice))
        return choice;
    return "";
  }
  Type type(size_t i = 0) const { return i < types.size() ? types[i] : Type::None; }

  std::string name;
  std::vector<Type> types;
  std::set<std::string> modifiers;
};

/// A function of a lane, and of all lanes at once where the processor has wide registers.
struct LaneOp {
  LaneOp(LaneFunction lane = nullptr, RowFunction rows = nullptr) : lane(lane), rows(rows) {}
  LaneOp(std::nullptr_t) {}
  explicit operator bool() const { return lane; }
  LaneFunction lane = nullptr;
  RowFunction rows = nullptr;
};

#if defined(__x86_64__)
#define DMC_PTX_WIDE __attribute__((target("avx2,fma,bmi2"), flatten))
inline bool hasWideRows() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}
#else
#define DMC_PTX_WIDE __attribute__((flatten))
inline bool hasWideRows() { return true; }
#endif

/// The result may be one of the operands.
template <LaneFunction F>
DMC_PTX_WIDE void rowsOf(uint64_t *result, const uint64_t *a, const uint64_t *b,
                         const uint64_t *c) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#endif
  for (unsigned lane = 0; lane < 32; ++lane)
    result[lane] = F(a[lane], b[lane], c[lane]);
}
template <LaneFunction F>
LaneOp op() {
  return {F, hasWideRows() ? rowsOf<F> : nullptr};
}

/// What one lane computes of up to three operands; no function: no such form.
struct LaneForm {
  LaneOp function;
  unsigned numSources = 0;
  Type result = Type::None;
  /// Of each operand, where they differ from the opcode's type.
  Type operands[3] = {Type::None, Type::None, Type::None};
  /// Of an approximation: how far it may be from the right value, in units of the last place or, if
  /// that is not 0, as an absolute error of this power of two.
  unsigned ulps = 0;
  int absolute = 0;
};

// Each takes the modifiers that it knows.
LaneForm decodeArithmetic(Opcode &opcode);
LaneForm decodeBits(Opcode &opcode);
LaneForm decodeConversion(Opcode &opcode);
LaneForm decodeFloat8(Opcode &opcode);
LaneForm decodeApproximation(Opcode &opcode);
/// A comparison of two operands, which gives 0 or 1: "lt" or "geu" and so on.
LaneOp comparison(const std::string &name, Type type, bool flushes);

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_OPCODE_H
