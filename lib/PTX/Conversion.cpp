//===- Conversion.cpp - Conversions between types -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Numbers.h"
#include "Opcode.h"

using namespace dmc::ptx;

namespace {
/// Loads a value of a type as a wide one that holds it exactly: a double (64-bit integers aside).
template <typename F>
double floatOf(uint64_t bits) {
  if constexpr (IsNarrow<F>::value)
    return as<F>(bits).value();
  else
    return static_cast<double>(as<F>(bits));
}
template <typename F>
bool isNaN(uint64_t bits) {
  return std::isnan(floatOf<F>(bits));
}

//===--- Between integers ---===//

template <typename To, typename From, bool Saturates>
uint64_t convertInt(uint64_t a, uint64_t, uint64_t) {
  From value = as<From>(a);
  if constexpr (Saturates) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, which keeps its sign
    __int128 wide = value;
    wide = std::max<__int128>(wide, std::numeric_limits<To>::min());
    wide = std::min<__int128>(wide, std::numeric_limits<To>::max());
    return toBits<To>(static_cast<To>(wide));
  }
  return toBits<To>(static_cast<To>(value));
}

//===--- Floats to integers: what is out of range goes to the nearest number ---===//

template <Rounding R>
double whole(double value) {
  return R == Rounding::Zero   ? std::trunc(value)
         : R == Rounding::Down ? std::floor(value)
         : R == Rounding::Up   ? std::ceil(value)
                               : std::nearbyint(value);
}
template <typename To, typename From, Rounding R, bool Flush>
uint64_t floatToInt(uint64_t a, uint64_t, uint64_t) {
  double value = floatOf<From>(a);
  if constexpr (Flush)
    value = flush(static_cast<float>(value));
  if (std::isnan(value)) // with 64 bits on either side: the highest bit alone
    return sizeof(To) == 8 || std::is_same_v<From, double> ? uint64_t(1) << (8 * sizeof(To) - 1)
                                                           : 0;
  value = whole<R>(value);
  // Powers of two, which doubles have.
  double above = std::ldexp(1.0, 8 * sizeof(To) - std::is_signed_v<To>);
  if (value >= above)
    return toBits<To>(std::numeric_limits<To>::max());
  if (value < (std::is_signed_v<To> ? -above : 0))
    return toBits<To>(std::numeric_limits<To>::min());
  return toBits<To>(static_cast<To>(value));
}

//===--- Integers to floats ---===//

/// An integer of up to 64 bits, rounded to odd at 53 digits.
template <typename From>
double oddDouble(From value) {
  unsigned __int128 magnitude =
      value < 0 ? -static_cast<__int128>(value) : static_cast<__int128>(value);
  int shift = 0;
  bool isInexact = false;
  for (; magnitude >> 53; ++shift) {
    isInexact |= magnitude & 1;
    magnitude >>= 1;
  }
  double result =
      std::ldexp(static_cast<double>(static_cast<uint64_t>(magnitude | isInexact)), shift);
  return value < 0 ? -result : result;
}
template <typename To, Rounding R>
uint64_t roundFloat(double value) {
  if constexpr (IsNarrow<To>::value)
    return To::of(value, R).bits;
  else if constexpr (std::is_same_v<To, float> && R == Rounding::Nearest)
    return value != value ? 0x7fffffff : toBits(static_cast<float>(value));
  else if constexpr (std::is_same_v<To, float>)
    return std::isnan(value) ? 0x7fffffff
                             : toBits(static_cast<float>(roundTo(value, 24, -126, 127, R)));
  else
    return std::isnan(value) ? 0x7ff8000000000000 : toBits(value);
}
template <typename To, typename From, Rounding R>
uint64_t intToFloat(uint64_t a, uint64_t, uint64_t) {
  if constexpr (std::is_same_v<To, double> && sizeof(From) == 8) {
    // Below and above: the odd digit decides which is nearer.
    From value = as<From>(a);
    long double exact = static_cast<long double>(value); // 64 digits on x86
    auto nearest = static_cast<double>(exact);
    auto back = static_cast<long double>(nearest);
    if ((R == Rounding::Zero && std::fabs(back) > std::fabs(exact)) ||
        (R == Rounding::Down && back > exact))
      nearest = std::nextafter(nearest, R == Rounding::Zero ? 0 : -HUGE_VAL);
    else if (R == Rounding::Up && back < exact)
      nearest = std::nextafter(nearest, HUGE_VAL);
    return toBits(nearest);
  }
  return roundFloat<To, R>(oddDouble(as<From>(a)));
}

//===--- Between floats ---===//

template <typename To, typename From, Rounding R, int Flags>
uint64_t convertFloat(uint64_t a, uint64_t, uint64_t) {
  double value = floatOf<From>(a);
  if constexpr (Flags & 1)
    if (std::is_same_v<From, float>)
      value = flush(static_cast<float>(value));
  if constexpr (Flags & 2)
    value = value > 0 ? std::min(value, 1.0) : 0;
  if constexpr (Flags & 4)
    value = value > 0 || std::isnan(value) ? value : 0;
  uint64_t bits = roundFloat<To, R>(value);
  if constexpr (Flags & 1)
    if (std::is_same_v<To, float>)
      bits = toBits(flush(as<float>(bits)));
  return bits;
}
/// cvt.rni.f32.f32 and its like: a whole number.
template <typename T, Rounding R, bool Flush>
uint64_t roundWhole(uint64_t a, uint64_t, uint64_t) {
  double value = floatOf<T>(a);
  if constexpr (Flush)
    value = flush(static_cast<float>(value));
  return roundFloat<T, Rounding::Nearest>(
      std::isnan(value) ? value : std::copysign(whole<R>(value), value));
}
/// A pair from two f32, the first above.
template <typename To, Rounding R, bool Clamps>
uint64_t pack(uint64_t a, uint64_t b, uint64_t) {
  return convertFloat<To, float, R, Clamps ? 4 : 0>(a, 0, 0) << 16 |
         convertFloat<To, float, R, Clamps ? 4 : 0>(b, 0, 0);
}
/// An f32 with 10 digits of fraction.
template <Rounding R>
uint64_t toTF32(uint64_t a, uint64_t, uint64_t) {
  float value = as<float>(a);
  return std::isnan(value) ? 0x7fffffff
                           : toBits(static_cast<float>(roundTo(value, 11, -126, 127, R)));
}

/// Calls `body` with a zero of the type; false if it is none of these.
template <typename F>
bool withInt(Type type, F body) {
  switch (type) {
  // NOLINTNEXTLINE(bugprone-branch-clone): each calls another instance
  case Type::U8:
  case Type::B8:
    return body(uint8_t()), true;
  case Type::S8:
    return body(int8_t()), true;
  case Type::U16:
  case Type::B16:
    return body(uint16_t()), true;
  case Type::S16:
    return body(int16_t()), true;
  case Type::U32:
  case Type::B32:
    return body(uint32_t()), true;
  case Type::S32:
    return body(int32_t()), true;
  case Type::U64:
  case Type::B64:
    return body(uint64_t()), true;
  case Type::S64:
    return body(int64_t()), true;
  default:
    return false;
  }
}
template <typename F>
bool withFloat(Type type, F body) {
  switch (type) {
  case Type::F16:
    return body(Half()), true;
  case Type::BF16:
    return body(BFloat()), true;
  // NOLINTNEXTLINE(bugprone-branch-clone): each calls another instance
  case Type::F32:
    return body(float()), true;
  case Type::F64:
    return body(double()), true;
  default:
    return false;
  }
}
template <Rounding R>
struct RoundingTag {
  static constexpr Rounding value = R;
};
template <typename F>
void withRounding(Rounding rounding, F body) {
  switch (rounding) {
  case Rounding::Zero:
    return body(RoundingTag<Rounding::Zero>());
  case Rounding::Down:
    return body(RoundingTag<Rounding::Down>());
  case Rounding::Up:
    return body(RoundingTag<Rounding::Up>());
  default:
    return body(RoundingTag<Rounding::Nearest>());
  }
}
} // namespace

LaneForm dmc::ptx::decodeConversion(Opcode &o) {
  LaneForm form;
  if (o.types.size() < 2)
    return form;
  Type to = o.type(0), from = o.type(1);
  form.result = to;
  form.operands[0] = form.operands[1] = from;
  form.numSources = 1;
  bool flushes = o.take("ftz"), saturates = o.take("sat"), clamps = o.take("relu");
  std::string mode = o.takeOne({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"});
  bool isIntegral = mode.size() == 3 && mode != "rna";
  char direction = mode.size() > 1 ? mode[1] : ' ';
  Rounding rounding = direction == 'z'   ? Rounding::Zero
                      : direction == 'm' ? Rounding::Down
                      : direction == 'p' ? Rounding::Up
                                         : Rounding::Nearest;
  if (to == Type::TF32 && from == Type::F32) {
    form.function = mode == "rna"  ? op<toTF32<Rounding::NearestAway>>()
                    : mode == "rz" ? op<toTF32<Rounding::Zero>>()
                    : mode == "rn" ? op<toTF32<Rounding::Nearest>>()
                                   : nullptr;
    return form;
  }
  if ((to == Type::F16x2 || to == Type::BF16x2) && from == Type::F32 &&
      (mode == "rn" || mode == "rz")) {
    form.numSources = 2;
    withRounding(rounding, [&](auto r) {
      constexpr Rounding R = decltype(r)::value;
      if (to == Type::F16x2)
        form.function = clamps ? op<pack<Half, R, true>>() : op<pack<Half, R, false>>();
      else
        form.function = clamps ? op<pack<BFloat, R, true>>() : op<pack<BFloat, R, false>>();
    });
    return form;
  }
  bool fromFloat = isFloat(from), toFloat = isFloat(to);
  if (!fromFloat && !toFloat) {
    if (!mode.empty() || flushes || clamps)
      return {};
    withInt(to, [&](auto t) {
      withInt(from, [&](auto f) {
        form.function = saturates ? op<convertInt<decltype(t), decltype(f), true>>()
                                  : op<convertInt<decltype(t), decltype(f), false>>();
      });
    });
  } else if (fromFloat && !toFloat) {
    // Out of range is saturated anyway.
    if (!isIntegral || clamps)
      return {};
    withInt(to, [&](auto t) {
      withFloat(from, [&](auto f) {
        withRounding(rounding, [&](auto r) {
          using T = decltype(t);
          using F = decltype(f);
          constexpr Rounding R = decltype(r)::value;
          form.function =
              flushes ? op<floatToInt<T, F, R, true>>() : op<floatToInt<T, F, R, false>>();
        });
      });
    });
  } else if (!fromFloat) {
    if (mode.size() != 2 || saturates || clamps || flushes)
      return {};
    withFloat(to, [&](auto t) {
      withInt(from, [&](auto f) {
        withRounding(rounding, [&](auto r) {
          form.function = op<intToFloat<decltype(t), decltype(f), decltype(r)::value>>();
        });
      });
    });
  } else if (isIntegral && to == from) {
    withFloat(to, [&](auto t) {
      withRounding(rounding, [&](auto r) {
        using T = decltype(t);
        constexpr Rounding R = decltype(r)::value;
        form.function = flushes ? op<roundWhole<T, R, true>>() : op<roundWhole<T, R, false>>();
      });
    });
    if (saturates)
      return {};
  } else {
    int flags = (flushes ? 1 : 0) | (saturates ? 2 : 0) | (clamps ? 4 : 0);
    withFloat(to, [&](auto t) {
      withFloat(from, [&](auto f) {
        withRounding(rounding, [&](auto r) {
          using T = decltype(t);
          using F = decltype(f);
          constexpr Rounding R = decltype(r)::value;
          form.function = flags == 0   ? op<convertFloat<T, F, R, 0>>()
                          : flags == 1 ? op<convertFloat<T, F, R, 1>>()
                          : flags == 2 ? op<convertFloat<T, F, R, 2>>()
                          : flags == 3 ? op<convertFloat<T, F, R, 3>>()
                          : flags == 4 ? op<convertFloat<T, F, R, 4>>()
                                       : nullptr;
        });
      });
    });
  }
  return form;
}
