//===- Arithmetic.cpp - Additions, products, extremes ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Numbers.h"
#include "Opcode.h"

#include <cfenv>

using namespace dmc::ptx;

//===--- Integers ---------------------------------------------------------===//

namespace {
template <typename T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;
template <typename T>
using Bits = std::make_unsigned_t<T>;

// Overflow wraps around: sums are those of numbers without sign.
template <typename T>
uint64_t addInt(uint64_t a, uint64_t b, uint64_t) {
  return toBits<Bits<T>>(as<Bits<T>>(a) + as<Bits<T>>(b));
}
template <typename T>
uint64_t subInt(uint64_t a, uint64_t b, uint64_t) {
  return toBits<Bits<T>>(as<Bits<T>>(a) - as<Bits<T>>(b));
}
template <typename T>
uint64_t saturated(int64_t value) {
  return toBits<T>(static_cast<T>(std::min<int64_t>(
      std::max<int64_t>(value, std::numeric_limits<T>::min()), std::numeric_limits<T>::max())));
}
uint64_t addSaturated(uint64_t a, uint64_t b, uint64_t) {
  return saturated<int32_t>(int64_t(as<int32_t>(a)) + as<int32_t>(b));
}
uint64_t subSaturated(uint64_t a, uint64_t b, uint64_t) {
  return saturated<int32_t>(int64_t(as<int32_t>(a)) - as<int32_t>(b));
}
template <typename T>
Wide<T> product(uint64_t a, uint64_t b) {
  return static_cast<Wide<T>>(as<T>(a)) * static_cast<Wide<T>>(as<T>(b));
}
template <typename T>
uint64_t mulLow(uint64_t a, uint64_t b, uint64_t) {
  return toBits<Bits<T>>(static_cast<Bits<T>>(product<T>(a, b)));
}
template <typename T>
uint64_t mulHigh(uint64_t a, uint64_t b, uint64_t) {
  return toBits<Bits<T>>(static_cast<Bits<T>>(product<T>(a, b) >> (8 * sizeof(T))));
}
template <typename T>
uint64_t mulWide(uint64_t a, uint64_t b, uint64_t) {
  static_assert(sizeof(T) < 8);
  return toBits<Wide<T>>(product<T>(a, b));
}
template <typename T>
uint64_t madLow(uint64_t a, uint64_t b, uint64_t c) {
  return addInt<T>(mulLow<T>(a, b, 0), c, 0);
}
template <typename T>
uint64_t madHigh(uint64_t a, uint64_t b, uint64_t c) {
  return addInt<T>(mulHigh<T>(a, b, 0), c, 0);
}
template <typename T>
uint64_t madWide(uint64_t a, uint64_t b, uint64_t c) {
  return addInt<Wide<T>>(mulWide<T>(a, b, 0), c, 0);
}
/// What hardware gives for a quotient by zero: all ones; and -2^n-1 / -1 wraps around.
template <typename T>
uint64_t divInt(uint64_t a, uint64_t b, uint64_t) {
  if (as<T>(b) == 0)
    return toBits<Bits<T>>(static_cast<Bits<T>>(~Bits<T>(0)));
  return toBits<Bits<T>>(
      static_cast<Bits<T>>(static_cast<Wide<T>>(as<T>(a)) / static_cast<Wide<T>>(as<T>(b))));
}
template <typename T>
uint64_t remInt(uint64_t a, uint64_t b, uint64_t) {
  if (as<T>(b) == 0)
    return toBits<T>(as<T>(a));
  return toBits<Bits<T>>(
      static_cast<Bits<T>>(static_cast<Wide<T>>(as<T>(a)) % static_cast<Wide<T>>(as<T>(b))));
}
template <typename T>
uint64_t minInt(uint64_t a, uint64_t b, uint64_t) {
  return toBits<T>(std::min(as<T>(a), as<T>(b)));
}
template <typename T>
uint64_t maxInt(uint64_t a, uint64_t b, uint64_t) {
  return toBits<T>(std::max(as<T>(a), as<T>(b)));
}
/// Of a signed type: nothing below zero.
template <typename T, LaneFunction F>
uint64_t clampInt(uint64_t a, uint64_t b, uint64_t c) {
  return toBits<T>(std::max<T>(as<T>(F(a, b, c)), 0));
}
template <typename T>
uint64_t negInt(uint64_t a, uint64_t, uint64_t) {
  return subInt<T>(0, a, 0);
}
template <typename T>
uint64_t absInt(uint64_t a, uint64_t, uint64_t) {
  return as<T>(a) < 0 ? negInt<T>(a, 0, 0) : toBits<T>(as<T>(a));
}
/// c + |a - b|
template <typename T>
uint64_t sadInt(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t distance = as<T>(a) < as<T>(b) ? subInt<T>(b, a, 0) : subInt<T>(a, b, 0);
  return addInt<T>(distance, c, 0);
}
template <typename A, typename B>
uint64_t dot4(uint64_t a, uint64_t b, uint64_t c) {
  auto sum = static_cast<uint32_t>(c);
  for (int i = 0; i < 4; ++i)
    sum += static_cast<uint32_t>(int32_t(as<A>(a >> (8 * i))) * int32_t(as<B>(b >> (8 * i))));
  return sum;
}

template <LaneFunction F>
uint64_t twice(uint64_t a, uint64_t b, uint64_t c) {
  return F(a & 0xffff, b & 0xffff, c & 0xffff) |
         F(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff) << 16;
}
/// Pairs of 16-bit integers.
LaneForm decodeIntegerPair(Opcode &o) {
  LaneForm form;
  form.result = o.type();
  form.numSources = 2;
  bool isSigned = o.type() == Type::S16x2;
  if (o.name == "add")
    form.function = op<twice<addInt<uint16_t>>>();
  else if (isSigned && o.name == "min" && o.take("relu"))
    form.function = op<twice<clampInt<int16_t, minInt<int16_t>>>>();
  else if (isSigned && o.name == "max" && o.take("relu"))
    form.function = op<twice<clampInt<int16_t, maxInt<int16_t>>>>();
  else if (o.name == "min")
    form.function = isSigned ? op<twice<minInt<int16_t>>>() : op<twice<minInt<uint16_t>>>();
  else if (o.name == "max")
    form.function = isSigned ? op<twice<maxInt<int16_t>>>() : op<twice<maxInt<uint16_t>>>();
  return form;
}

LaneForm decodeInteger(Opcode &o) {
  Type type = o.type();
  LaneForm form;
  form.result = type;
  form.numSources = 2;
  // The function of the type's width and sign.
  auto pick = [&](auto function) {
    switch (type) {
    // NOLINTNEXTLINE(bugprone-branch-clone): each calls another instance
    case Type::U16:
    case Type::B16:
      form.function = function(uint16_t());
      break;
    case Type::S16:
      form.function = function(int16_t());
      break;
    case Type::U32:
    case Type::B32:
      form.function = function(uint32_t());
      break;
    case Type::S32:
      form.function = function(int32_t());
      break;
    case Type::U64:
    case Type::B64:
      form.function = function(uint64_t());
      break;
    case Type::S64:
      form.function = function(int64_t());
      break;
    default:
      break;
    }
  };
// NOLINTNEXTLINE(bugprone-macro-parentheses): a template cannot have any
#define DMC_PICK(F) pick([](auto zero) -> LaneOp { return op<F<decltype(zero)>>(); })
  Type wide = type == Type::U16   ? Type::U32
              : type == Type::S16 ? Type::S32
              : type == Type::U32 ? Type::U64
              : type == Type::S32 ? Type::S64
                                  : Type::None;
  if (o.name == "add" && o.take("sat"))
    form.function = type == Type::S32 ? op<addSaturated>() : nullptr;
  else if (o.name == "sub" && o.take("sat"))
    form.function = type == Type::S32 ? op<subSaturated>() : nullptr;
  else if (o.name == "add")
    DMC_PICK(addInt);
  else if (o.name == "sub")
    DMC_PICK(subInt);
  else if (o.name == "mul" && o.take("lo"))
    DMC_PICK(mulLow);
  else if (o.name == "mul" && o.take("hi"))
    DMC_PICK(mulHigh);
  else if ((o.name == "mul" || o.name == "mad") && o.take("wide")) {
    if (wide == Type::None)
      return {};
    bool isSum = o.name == "mad";
    form.result = form.operands[2] = wide;
    form.numSources = isSum ? 3 : 2;
    form.function = type == Type::U16 ? (isSum ? op<madWide<uint16_t>>() : op<mulWide<uint16_t>>())
                    : type == Type::S16 ? (isSum ? op<madWide<int16_t>>() : op<mulWide<int16_t>>())
                    : type == Type::U32
                        ? (isSum ? op<madWide<uint32_t>>() : op<mulWide<uint32_t>>())
                        : (isSum ? op<madWide<int32_t>>() : op<mulWide<int32_t>>());
  } else if (o.name == "mad" && (o.take("lo") || o.modifiers.count("hi"))) {
    form.numSources = 3;
    if (o.take("hi"))
      DMC_PICK(madHigh);
    else
      DMC_PICK(madLow);
  } else if (o.name == "div")
    DMC_PICK(divInt);
  else if (o.name == "rem")
    DMC_PICK(remInt);
  else if (type == Type::S32 && o.name == "min" && o.take("relu"))
    form.function = op<clampInt<int32_t, minInt<int32_t>>>();
  else if (type == Type::S32 && o.name == "max" && o.take("relu"))
    form.function = op<clampInt<int32_t, maxInt<int32_t>>>();
  else if (o.name == "min")
    DMC_PICK(minInt);
  else if (o.name == "max")
    DMC_PICK(maxInt);
  else if (o.name == "sad") {
    form.numSources = 3;
    DMC_PICK(sadInt);
  } else if (o.name == "neg" && isSigned(type)) {
    form.numSources = 1;
    DMC_PICK(negInt);
  } else if (o.name == "abs" && isSigned(type)) {
    form.numSources = 1;
    DMC_PICK(absInt);
  } else if (o.name == "dp4a" && o.types.size() == 2) {
    form.numSources = 3;
    bool first = type == Type::S32, second = o.type(1) == Type::S32;
    form.result = form.operands[2] = first || second ? Type::S32 : Type::U32;
    form.function = first ? (second ? op<dot4<int8_t, int8_t>>() : op<dot4<int8_t, uint8_t>>())
                          : (second ? op<dot4<uint8_t, int8_t>>() : op<dot4<uint8_t, uint8_t>>());
  }
#undef DMC_PICK
  return form;
}

//===--- Floats -----------------------------------------------------------===//

/// How a result is rounded, and whether subnormal numbers count as zeros and results are kept in
/// [0, 1] (where NaN is 0) or above 0.
enum { Flushes = 1, Saturates = 2, Clamps = 4 };

template <typename T, int Flags>
T before(uint64_t bits) {
  T value = as<T>(bits);
  if constexpr (Flags & Flushes)
    value = static_cast<T>(flush(static_cast<float>(value)));
  return value;
}
template <typename T>
T canonical(T value) {
  // NOLINTNEXTLINE(misc-redundant-expression): a NaN differs from itself
  return value != value ? as<T>(sizeof(T) == 4 ? 0x7fffffffULL : 0x7ff8000000000000ULL) : value;
}
template <typename T, int Flags>
uint64_t after(T value) {
  if constexpr (Flags & Flushes)
    value = static_cast<T>(flush(static_cast<float>(value)));
  if constexpr (Flags & Saturates)
    value = value > 0 ? std::min<T>(value, 1) : 0;
  return toBits(canonical(value));
}

template <Rounding R, typename F>
auto rounded(F compute) {
  if constexpr (R == Rounding::Nearest) {
    return compute();
  } else {
    int old = std::fegetround();
    std::fesetround(R == Rounding::Zero ? FE_TOWARDZERO
                    : R == Rounding::Up ? FE_UPWARD
                                        : FE_DOWNWARD);
    volatile auto value = compute();
    std::fesetround(old);
    return static_cast<std::remove_volatile_t<decltype(value)>>(value);
  }
}

struct Add {
  static constexpr unsigned sources = 2;
  template <typename T>
  static T apply(volatile T a, volatile T b, T) {
    return a + b;
  }
};
struct Sub {
  static constexpr unsigned sources = 2;
  template <typename T>
  static T apply(volatile T a, volatile T b, T) {
    return a - b;
  }
};
struct Mul {
  static constexpr unsigned sources = 2;
  template <typename T>
  static T apply(volatile T a, volatile T b, T) {
    return a * b;
  }
};
struct Fma {
  static constexpr unsigned sources = 3;
  template <typename T>
  static T apply(volatile T a, volatile T b, T c) {
    volatile T addend = c;
    return std::fma(static_cast<T>(a), static_cast<T>(b), static_cast<T>(addend));
  }
};
struct Div {
  static constexpr unsigned sources = 2;
  template <typename T>
  static T apply(volatile T a, volatile T b, T) {
    return a / b;
  }
};
struct Rcp {
  static constexpr unsigned sources = 1;
  template <typename T>
  static T apply(volatile T a, T, T) {
    return 1 / a;
  }
};
struct Sqrt {
  static constexpr unsigned sources = 1;
  template <typename T>
  static T apply(volatile T a, T, T) {
    return std::sqrt(static_cast<T>(a));
  }
};

template <typename Op, typename T, Rounding R, int Flags>
uint64_t computeFloat(uint64_t a, uint64_t b, uint64_t c) {
  T x = before<T, Flags>(a), y = Op::sources > 1 ? before<T, Flags>(b) : T(0),
    z = Op::sources > 2 ? before<T, Flags>(c) : T(0);
  if constexpr (R == Rounding::Nearest) {
    // Without the detour that keeps compilers from computing under another rounding.
    T value;
    if constexpr (std::is_same_v<Op, Add>)
      value = x + y;
    else if constexpr (std::is_same_v<Op, Sub>)
      value = x - y;
    else if constexpr (std::is_same_v<Op, Mul>)
      value = x * y;
    else if constexpr (std::is_same_v<Op, Fma>)
      value = std::fma(x, y, z);
    else if constexpr (std::is_same_v<Op, Div>)
      value = x / y;
    else if constexpr (std::is_same_v<Op, Rcp>)
      value = 1 / x;
    else
      value = std::sqrt(x);
    return after<T, Flags>(value);
  } else {
    return after<T, Flags>(rounded<R>([&] { return Op::template apply<T>(x, y, z); }));
  }
}

template <typename Op, typename T, int Flags>
LaneOp pickRounding(Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return op<computeFloat<Op, T, Rounding::Zero, Flags>>();
  case Rounding::Down:
    return op<computeFloat<Op, T, Rounding::Down, Flags>>();
  case Rounding::Up:
    return op<computeFloat<Op, T, Rounding::Up, Flags>>();
  default:
    return op<computeFloat<Op, T, Rounding::Nearest, Flags>>();
  }
}
template <typename Op>
LaneOp pickFloat(Type type, Rounding rounding, int flags) {
  if (type == Type::F64)
    return flags ? nullptr : pickRounding<Op, double, 0>(rounding);
  switch (flags) {
  case 0:
    return pickRounding<Op, float, 0>(rounding);
  case Flushes:
    return pickRounding<Op, float, Flushes>(rounding);
  case Saturates:
    return pickRounding<Op, float, Saturates>(rounding);
  default:
    return pickRounding<Op, float, Flushes | Saturates>(rounding);
  }
}

//===--- 16 bits ----------------------------------------------------------===//

/// A number of 16 bits; subnormal ones (of f16 alone, whose exponents bf16 does not have) may count
/// as zeros.
template <typename T, int Flags>
double narrowValue(uint64_t bits) {
  if (Flags & Flushes && !(bits & 0x7c00))
    bits &= 0x8000;
  return as<T>(bits).value();
}
template <typename T, typename Op, int Flags>
uint64_t computeNarrow(uint64_t a, uint64_t b, uint64_t c) {
  double x = narrowValue<T, Flags>(a), y = narrowValue<T, Flags>(b), z = narrowValue<T, Flags>(c),
         value;
  // Products of 16-bit numbers are exact.
  if constexpr (std::is_same_v<Op, Add>)
    value = oddSum(x, y);
  else if constexpr (std::is_same_v<Op, Sub>)
    value = oddSum(x, -y);
  else if constexpr (std::is_same_v<Op, Mul>)
    value = x * y;
  else
    value = oddSum(x * y, z);
  if constexpr (Flags & Saturates)
    value = value > 0 ? std::min(value, 1.0) : 0;
  if constexpr (Flags & Clamps)
    value = value > 0 || std::isnan(value) ? value : 0;
  uint64_t bits = T::of(value).bits;
  return Flags & Flushes && !(bits & 0x7c00) ? bits & 0x8000 : bits;
}
template <typename T, bool IsMax, bool KeepsNaN>
uint64_t extremeNarrow(uint64_t a, uint64_t b, uint64_t) {
  double x = as<T>(a).value(), y = as<T>(b).value();
  if (std::isnan(x) || std::isnan(y)) {
    if (KeepsNaN || (std::isnan(x) && std::isnan(y)))
      return 0x7fff;
    return std::isnan(x) ? b & 0xffff : a & 0xffff;
  }
  bool first = x == y ? std::signbit(x) != IsMax : (x < y) != IsMax;
  return (first ? a : b) & 0xffff;
}
uint64_t negNarrow(uint64_t a, uint64_t, uint64_t) { return (a ^ 0x8000) & 0xffff; }
uint64_t absNarrow(uint64_t a, uint64_t, uint64_t) { return a & 0x7fff; }

template <typename T, typename Op>
LaneOp pickNarrow(int flags, bool isPair) {
  switch (flags) {
  case 0:
    return isPair ? op<twice<computeNarrow<T, Op, 0>>>() : op<computeNarrow<T, Op, 0>>();
  case Saturates:
    return isPair ? op<twice<computeNarrow<T, Op, Saturates>>>()
                  : op<computeNarrow<T, Op, Saturates>>();
  case Clamps:
    return isPair ? op<twice<computeNarrow<T, Op, Clamps>>>() : op<computeNarrow<T, Op, Clamps>>();
  case Flushes:
    return isPair ? op<twice<computeNarrow<T, Op, Flushes>>>()
                  : op<computeNarrow<T, Op, Flushes>>();
  case Flushes | Saturates:
    return isPair ? op<twice<computeNarrow<T, Op, Flushes | Saturates>>>()
                  : op<computeNarrow<T, Op, Flushes | Saturates>>();
  case Flushes | Clamps:
    return isPair ? op<twice<computeNarrow<T, Op, Flushes | Clamps>>>()
                  : op<computeNarrow<T, Op, Flushes | Clamps>>();
  default:
    return nullptr;
  }
}

template <typename T>
LaneForm decodeNarrow(Opcode &o, bool isPair) {
  LaneForm form;
  form.result = o.type();
  form.numSources = 2;
  o.take("rn");
  int flags = (o.take("sat") ? Saturates : 0) | (o.take("relu") ? Clamps : 0);
  bool isSum = o.name == "add" || o.name == "sub" || o.name == "mul" || o.name == "fma";
  if (std::is_same_v<T, Half> && isSum && o.take("ftz"))
    flags |= Flushes;
  bool keepsNaN = o.take("NaN");
  if (o.name == "add")
    form.function = pickNarrow<T, Add>(flags, isPair);
  else if (o.name == "sub")
    form.function = pickNarrow<T, Sub>(flags, isPair);
  else if (o.name == "mul")
    form.function = pickNarrow<T, Mul>(flags, isPair);
  else if (o.name == "fma") {
    form.numSources = 3;
    form.function = pickNarrow<T, Fma>(flags, isPair);
  } else if (o.name == "neg" || o.name == "abs") {
    form.numSources = 1;
    form.function = o.name == "neg" ? (isPair ? op<twice<negNarrow>>() : op<negNarrow>())
                                    : (isPair ? op<twice<absNarrow>>() : op<absNarrow>());
  } else if (o.name == "min")
    form.function = keepsNaN ? (isPair ? op<twice<extremeNarrow<T, false, true>>>()
                                       : op<extremeNarrow<T, false, true>>())
                             : (isPair ? op<twice<extremeNarrow<T, false, false>>>()
                                       : op<extremeNarrow<T, false, false>>());
  else if (o.name == "max")
    form.function = keepsNaN ? (isPair ? op<twice<extremeNarrow<T, true, true>>>()
                                       : op<extremeNarrow<T, true, true>>())
                             : (isPair ? op<twice<extremeNarrow<T, true, false>>>()
                                       : op<extremeNarrow<T, true, false>>());
  return form;
}

//===--- Extremes and signs -----------------------------------------------===//

template <typename T, bool IsMax, bool KeepsNaN, int Flags>
uint64_t extreme(uint64_t a, uint64_t b, uint64_t) {
  T x = before<T, Flags>(a), y = before<T, Flags>(b), value;
  if (std::isnan(x) || std::isnan(y))
    value = KeepsNaN || (std::isnan(x) && std::isnan(y)) ? std::numeric_limits<T>::quiet_NaN()
            : std::isnan(x)                              ? y
                                                         : x;
  else if (x == y) // -0 is below +0
    value = std::signbit(x) != IsMax ? x : y;
  else
    value = (x < y) != IsMax ? x : y;
  return toBits(canonical(value));
}
template <typename T, int Flags>
uint64_t negFloat(uint64_t a, uint64_t, uint64_t) {
  constexpr uint64_t sign = uint64_t(1) << (8 * sizeof(T) - 1);
  return toBits(before<T, Flags>(a)) ^ sign;
}
template <typename T, int Flags>
uint64_t absFloat(uint64_t a, uint64_t, uint64_t) {
  constexpr uint64_t sign = uint64_t(1) << (8 * sizeof(T) - 1);
  return toBits(before<T, Flags>(a)) & ~sign;
}
/// The sign of the first on the second.
template <typename T>
uint64_t copySign(uint64_t a, uint64_t b, uint64_t) {
  constexpr uint64_t sign = uint64_t(1) << (8 * sizeof(T) - 1);
  return (a & sign) | (b & (sign - 1));
}

template <typename T, int Flags>
LaneOp pickExtreme(bool isMax, bool keepsNaN) {
  return isMax ? (keepsNaN ? op<extreme<T, true, true, Flags>>()
                           : op<extreme<T, true, false, Flags>>())
               : (keepsNaN ? op<extreme<T, false, true, Flags>>()
                           : op<extreme<T, false, false, Flags>>());
}

template <typename T>
uint64_t testFinite(uint64_t a, uint64_t, uint64_t) {
  return std::isfinite(as<T>(a));
}
template <typename T>
uint64_t testInfinite(uint64_t a, uint64_t, uint64_t) {
  return std::isinf(as<T>(a));
}
template <typename T>
uint64_t testNumber(uint64_t a, uint64_t, uint64_t) {
  return !std::isnan(as<T>(a));
}
template <typename T>
uint64_t testNaN(uint64_t a, uint64_t, uint64_t) {
  return std::isnan(as<T>(a));
}
template <typename T>
uint64_t testNormal(uint64_t a, uint64_t, uint64_t) {
  return std::fpclassify(as<T>(a)) == FP_NORMAL;
}
template <typename T>
uint64_t testSubnormal(uint64_t a, uint64_t, uint64_t) {
  return std::fpclassify(as<T>(a)) == FP_SUBNORMAL;
}
template <typename T>
LaneOp pickTest(Opcode &o) {
  return o.take("finite")       ? op<testFinite<T>>()
         : o.take("infinite")   ? op<testInfinite<T>>()
         : o.take("number")     ? op<testNumber<T>>()
         : o.take("notanumber") ? op<testNaN<T>>()
         : o.take("normal")     ? op<testNormal<T>>()
         : o.take("subnormal")  ? op<testSubnormal<T>>()
                                : nullptr;
}

LaneForm decodeFloat(Opcode &o) {
  Type type = o.type();
  bool isDouble = type == Type::F64;
  LaneForm form;
  form.result = type;
  form.numSources = 2;
  bool keepsNaN = o.take("NaN");
  int flags = (o.take("ftz") ? Flushes : 0) | (o.take("sat") ? Saturates : 0);
  if (isDouble && flags)
    return {};
  bool flushes = flags & Flushes;
  if (o.name == "min" || o.name == "max") {
    bool isMax = o.name == "max";
    form.function = isDouble  ? pickExtreme<double, 0>(isMax, keepsNaN)
                    : flushes ? pickExtreme<float, Flushes>(isMax, keepsNaN)
                              : pickExtreme<float, 0>(isMax, keepsNaN);
    return form;
  }
  if (o.name == "neg" || o.name == "abs") {
    form.numSources = 1;
    bool isNeg = o.name == "neg";
    form.function = isDouble ? (isNeg ? op<negFloat<double, 0>>() : op<absFloat<double, 0>>())
                    : flushes
                        ? (isNeg ? op<negFloat<float, Flushes>>() : op<absFloat<float, Flushes>>())
                        : (isNeg ? op<negFloat<float, 0>>() : op<absFloat<float, 0>>());
    return form;
  }
  if (o.name == "copysign") {
    form.function = isDouble ? op<copySign<double>>() : op<copySign<float>>();
    return form;
  }
  if (o.name == "testp") {
    form.numSources = 1;
    form.function = isDouble ? pickTest<double>(o) : pickTest<float>(o);
    form.operands[0] = type;
    form.result = Type::Pred;
    return form;
  }
  std::string mode = o.takeOne({"rn", "rz", "rm", "rp"});
  Rounding rounding = mode == "rz"   ? Rounding::Zero
                      : mode == "rm" ? Rounding::Down
                      : mode == "rp" ? Rounding::Up
                                     : Rounding::Nearest;
  if (o.name == "add")
    form.function = pickFloat<Add>(type, rounding, flags);
  else if (o.name == "sub")
    form.function = pickFloat<Sub>(type, rounding, flags);
  else if (o.name == "mul")
    form.function = pickFloat<Mul>(type, rounding, flags);
  else if (mode.empty())
    return {}; // what follows is nothing without one
  else if (o.name == "fma" || o.name == "mad") {
    form.numSources = 3;
    form.function = pickFloat<Fma>(type, rounding, flags);
  } else if (o.name == "div")
    form.function = pickFloat<Div>(type, rounding, flags);
  else if (o.name == "rcp" || o.name == "sqrt") {
    form.numSources = 1;
    form.function = o.name == "rcp" ? pickFloat<Rcp>(type, rounding, flags)
                                    : pickFloat<Sqrt>(type, rounding, flags);
  }
  return form;
}
} // namespace

LaneForm dmc::ptx::decodeArithmetic(Opcode &opcode) {
  switch (opcode.type()) {
  case Type::F32:
  case Type::F64:
    return decodeFloat(opcode);
  case Type::F16:
  case Type::F16x2:
    return decodeNarrow<Half>(opcode, opcode.type() == Type::F16x2);
  case Type::BF16:
  case Type::BF16x2:
    return decodeNarrow<BFloat>(opcode, opcode.type() == Type::BF16x2);
  case Type::U16x2:
  case Type::S16x2:
    return decodeIntegerPair(opcode);
  default:
    return decodeInteger(opcode);
  }
}

//===--- Comparisons ------------------------------------------------------===//

namespace {
template <typename T>
auto valueOf(uint64_t bits) {
  if constexpr (IsNarrow<T>::value)
    return as<T>(bits).value();
  else
    return as<T>(bits);
}
enum class Order { Eq, Ne, Lt, Le, Gt, Ge, Num, NaN };
template <typename T, Order O, bool Unordered, bool Flush>
uint64_t compare(uint64_t a, uint64_t b, uint64_t) {
  if constexpr (Flush && IsNarrow<T>::value) { // of f16: bf16 has the exponents of f32
    a &= a & 0x7c00 ? 0xffff : 0x8000;
    b &= b & 0x7c00 ? 0xffff : 0x8000;
  }
  auto x = valueOf<T>(a), y = valueOf<T>(b);
  if constexpr (std::is_floating_point_v<decltype(x)>) {
    if constexpr (Flush && std::is_same_v<T, float>) {
      x = flush(static_cast<float>(x));
      y = flush(static_cast<float>(y));
    }
    bool isUnordered = std::isnan(x) || std::isnan(y);
    if (O == Order::Num)
      return !isUnordered;
    if (O == Order::NaN)
      return isUnordered;
    if (isUnordered)
      return Unordered;
  }
  switch (O) {
  case Order::Eq:
    return x == y;
  case Order::Ne:
    return x != y;
  case Order::Lt:
    return x < y;
  case Order::Le:
    return x <= y;
  case Order::Gt:
    return x > y;
  default:
    return x >= y;
  }
}
template <typename T, bool Unordered, bool Flush>
LaneOp pickOrder(const std::string &name) {
  static const std::pair<const char *, LaneOp> functions[] = {
      {"eq", op<compare<T, Order::Eq, Unordered, Flush>>()},
      {"ne", op<compare<T, Order::Ne, Unordered, Flush>>()},
      {"lt", op<compare<T, Order::Lt, Unordered, Flush>>()},
      {"le", op<compare<T, Order::Le, Unordered, Flush>>()},
      {"gt", op<compare<T, Order::Gt, Unordered, Flush>>()},
      {"ge", op<compare<T, Order::Ge, Unordered, Flush>>()}};
  for (auto [known, function] : functions)
    if (name == known)
      return function;
  return nullptr;
}
template <typename T, bool Flush>
LaneOp pickFloatOrder(const std::string &name) {
  if (name == "num")
    return op<compare<T, Order::Num, false, Flush>>();
  if (name == "nan")
    return op<compare<T, Order::NaN, false, Flush>>();
  if (name.size() == 3 && name.back() == 'u')
    return pickOrder<T, true, Flush>(name.substr(0, 2));
  return pickOrder<T, false, Flush>(name);
}
} // namespace

LaneOp dmc::ptx::comparison(const std::string &given, Type type, bool flushes) {
  // Of numbers without sign there is a name of its own for each order.
  std::string name = given == "lo"   ? "lt"
                     : given == "ls" ? "le"
                     : given == "hi" ? "gt"
                     : given == "hs" ? "ge"
                                     : given;
  switch (type) {
  case Type::U16:
  case Type::B16:
    return pickOrder<uint16_t, false, false>(name);
  case Type::S16:
    return pickOrder<int16_t, false, false>(name);
  case Type::U32:
  case Type::B32:
    return pickOrder<uint32_t, false, false>(name);
  case Type::S32:
    return pickOrder<int32_t, false, false>(name);
  case Type::U64:
  case Type::B64:
    return pickOrder<uint64_t, false, false>(name);
  case Type::S64:
    return pickOrder<int64_t, false, false>(name);
  case Type::F16:
    return flushes ? pickFloatOrder<Half, true>(name) : pickFloatOrder<Half, false>(name);
  case Type::BF16:
    return pickFloatOrder<BFloat, false>(name);
  case Type::F32:
    return flushes ? pickFloatOrder<float, true>(name) : pickFloatOrder<float, false>(name);
  case Type::F64:
    return pickFloatOrder<double, false>(name);
  default:
    return nullptr;
  }
}
