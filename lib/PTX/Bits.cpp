//===- Bits.cpp - Logic, shifts, fields of bits ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Numbers.h"
#include "Opcode.h"

using namespace dmc::ptx;

namespace {
uint64_t andBits(uint64_t a, uint64_t b, uint64_t) { return a & b; }
uint64_t orBits(uint64_t a, uint64_t b, uint64_t) { return a | b; }
uint64_t xorBits(uint64_t a, uint64_t b, uint64_t) { return a ^ b; }
template <typename T>
uint64_t notBits(uint64_t a, uint64_t, uint64_t) {
  return toBits<T>(static_cast<T>(~as<T>(a)));
}
uint64_t notPredicate(uint64_t a, uint64_t, uint64_t) { return !a; }
template <typename T>
uint64_t isZero(uint64_t a, uint64_t, uint64_t) {
  return as<T>(a) == 0;
}

// More than all bits are clamped.
template <typename T>
uint64_t shiftLeft(uint64_t a, uint64_t b, uint64_t) {
  auto count = static_cast<uint32_t>(b);
  return count >= 8 * sizeof(T) ? 0 : toBits<T>(static_cast<T>(as<T>(a) << count));
}
template <typename T>
uint64_t shiftRight(uint64_t a, uint64_t b, uint64_t) {
  auto count = static_cast<uint32_t>(b);
  if (count >= 8 * sizeof(T))
    count = std::is_signed_v<T> ? 8 * sizeof(T) - 1 : 8 * sizeof(T);
  return count == 8 * sizeof(T) ? 0 : toBits<T>(static_cast<T>(as<T>(a) >> count));
}

template <bool Left, bool Wraps>
uint64_t funnel(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t both = a | b << 32;
  auto count = static_cast<uint32_t>(c);
  count = Wraps ? count & 31 : std::min(count, 32U);
  return Left ? both << count >> 32 : (both >> count) & 0xffffffff;
}

template <typename T>
uint64_t countOnes(uint64_t a, uint64_t, uint64_t) {
  return __builtin_popcountll(as<T>(a));
}
template <typename T>
uint64_t countZeros(uint64_t a, uint64_t, uint64_t) {
  T value = as<T>(a);
  return value ? __builtin_clzll(value) - (64 - 8 * sizeof(T)) : 8 * sizeof(T);
}
/// The place of the highest bit that is not the sign; -1 if there is none.
template <typename T, bool IsShift>
uint64_t findBit(uint64_t a, uint64_t, uint64_t) {
  using U = std::make_unsigned_t<T>;
  U value = as<U>(a);
  if (std::is_signed_v<T> && as<T>(a) < 0)
    value = static_cast<U>(~value);
  if (!value)
    return 0xffffffff;
  uint32_t place = 63 - __builtin_clzll(value);
  return IsShift ? 8 * sizeof(T) - 1 - place : place;
}
template <typename T>
uint64_t reverse(uint64_t a, uint64_t, uint64_t) {
  uint64_t result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    result |= (a >> i & 1) << (8 * sizeof(T) - 1 - i);
  return result;
}
template <typename T>
uint64_t extractField(uint64_t a, uint64_t b, uint64_t c) {
  constexpr unsigned width = 8 * sizeof(T);
  unsigned place = b & 0xff, length = c & 0xff;
  bool sign = std::is_signed_v<T> && length && (a >> std::min(place + length - 1, width - 1) & 1);
  uint64_t result = 0;
  for (unsigned i = 0; i < width; ++i)
    result |= uint64_t(i < length && place + i < width ? a >> (place + i) & 1 : sign) << i;
  return result;
}
/// Selects bytes of b:a, or their signs, by the nibbles of c.
uint64_t permuteBytes(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t both = (a & 0xffffffff) | b << 32, result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned nibble = c >> (4 * i) & 0xf;
    uint64_t byte = both >> (8 * (nibble & 7)) & 0xff;
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
/// The special modes, by c & 3.
template <int Mode>
uint64_t permuteMode(uint64_t a, uint64_t b, uint64_t c) {
  static constexpr uint16_t selectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, // f4e: four bytes forwards
      {0x5670, 0x6701, 0x7012, 0x0123}, // b4e: backwards
      {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
      {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
      {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
      {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
  };
  return permuteBytes(a, b, selectors[Mode][c & 3]);
}
template <typename T>
LaneOp unary(const std::string &name, bool isShift) {
  using S = std::make_signed_t<T>;
  if (name == "popc")
    return op<countOnes<T>>();
  if (name == "clz")
    return op<countZeros<T>>();
  if (name == "brev")
    return op<reverse<T>>();
  if (name == "bfind.s")
    return isShift ? op<findBit<S, true>>() : op<findBit<S, false>>();
  return isShift ? op<findBit<T, true>>() : op<findBit<T, false>>();
}
} // namespace

LaneForm dmc::ptx::decodeBits(Opcode &o) {
  LaneForm form;
  Type type = o.type();
  form.result = type;
  form.numSources = 2;
  unsigned bytes = bytesOf(type);
  bool isPredicate = type == Type::Pred;
  if (o.name == "and" || o.name == "or" || o.name == "xor") {
    form.function = o.name == "and" ? op<andBits>() : o.name == "or" ? op<orBits>() : op<xorBits>();
  } else if (o.name == "not" || o.name == "cnot") {
    form.numSources = 1;
    if (o.name == "not")
      form.function = isPredicate  ? op<notPredicate>()
                      : bytes == 2 ? op<notBits<uint16_t>>()
                      : bytes == 4 ? op<notBits<uint32_t>>()
                                   : op<notBits<uint64_t>>();
    else
      form.function = bytes == 2   ? op<isZero<uint16_t>>()
                      : bytes == 4 ? op<isZero<uint32_t>>()
                                   : op<isZero<uint64_t>>();
  } else if (o.name == "shl" || o.name == "shr") {
    form.operands[1] = Type::U32;
    if (o.name == "shl")
      form.function = bytes == 2   ? op<shiftLeft<uint16_t>>()
                      : bytes == 4 ? op<shiftLeft<uint32_t>>()
                                   : op<shiftLeft<uint64_t>>();
    else if (isSigned(type))
      form.function = bytes == 2   ? op<shiftRight<int16_t>>()
                      : bytes == 4 ? op<shiftRight<int32_t>>()
                                   : op<shiftRight<int64_t>>();
    else
      form.function = bytes == 2   ? op<shiftRight<uint16_t>>()
                      : bytes == 4 ? op<shiftRight<uint32_t>>()
                                   : op<shiftRight<uint64_t>>();
  } else if (o.name == "shf") {
    form.numSources = 3;
    bool isLeft = o.take("l"), isRight = !isLeft && o.take("r"), wraps = o.take("wrap");
    if (!wraps && !o.take("clamp"))
      return {};
    if (isLeft)
      form.function = wraps ? op<funnel<true, true>>() : op<funnel<true, false>>();
    else if (isRight)
      form.function = wraps ? op<funnel<false, true>>() : op<funnel<false, false>>();
  } else if (o.name == "popc" || o.name == "clz" || o.name == "brev" || o.name == "bfind") {
    form.numSources = 1;
    bool isShift = o.name == "bfind" && o.take("shiftamt");
    std::string name = o.name == "bfind" && isSigned(type) ? "bfind.s" : o.name;
    form.function = bytes == 8 ? unary<uint64_t>(name, isShift) : unary<uint32_t>(name, isShift);
    form.operands[0] = type;
    form.result = o.name == "brev" ? type : Type::U32;
  } else if (o.name == "bfe") {
    form.numSources = 3;
    form.operands[1] = form.operands[2] = Type::U32;
    form.function = type == Type::S32   ? op<extractField<int32_t>>()
                    : type == Type::U32 ? op<extractField<uint32_t>>()
                    : type == Type::S64 ? op<extractField<int64_t>>()
                                        : op<extractField<uint64_t>>();
  } else if (o.name == "prmt") {
    form.numSources = 3;
    std::string mode = o.takeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
    form.function = mode.empty()    ? op<permuteBytes>()
                    : mode == "f4e" ? op<permuteMode<0>>()
                    : mode == "b4e" ? op<permuteMode<1>>()
                    : mode == "rc8" ? op<permuteMode<2>>()
                    : mode == "ecl" ? op<permuteMode<3>>()
                    : mode == "ecr" ? op<permuteMode<4>>()
                                    : op<permuteMode<5>>();
  }
  return form;
}
