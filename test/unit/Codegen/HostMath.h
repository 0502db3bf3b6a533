//===- HostMath.h - The arithmetic of elementary functions, on the host ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the templates of lib/Codegen/Math ask of a type, by the host's numbers.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_TEST_UNIT_CODEGEN_HOSTMATH_H
#define DMC_TEST_UNIT_CODEGEN_HOSTMATH_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dmc::hostmath {

/// Whether a product and a sum are rounded once, as on processors with such an instruction.
inline bool fuses = true;

template <class To, class From>
To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "expected types of one size");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

struct Condition {
  bool v;
  Condition operator&(Condition other) const { return {v && other.v}; }
  Condition operator|(Condition other) const { return {v || other.v}; }
  Condition operator!() const { return {!v}; }
};

template <class T>
struct Integer {
  T v;
  static Integer of(T x) { return {x}; }
  friend Integer operator+(Integer x, Integer y) {
    return {static_cast<T>(uint64_t(x.v) + uint64_t(y.v))};
  }
  friend Integer operator-(Integer x, Integer y) {
    return {static_cast<T>(uint64_t(x.v) - uint64_t(y.v))};
  }
  friend Integer operator&(Integer x, Integer y) { return {static_cast<T>(x.v & y.v)}; }
  friend Integer operator^(Integer x, Integer y) { return {static_cast<T>(x.v ^ y.v)}; }
  friend Integer operator+(Integer x, T y) { return x + of(y); }
  friend Integer operator-(Integer x, T y) { return x - of(y); }
  friend Integer operator-(T x, Integer y) { return of(x) - y; }
  friend Integer operator&(Integer x, T y) { return x & of(y); }
  Integer operator<<(int n) const {
    return {static_cast<T>(static_cast<std::make_unsigned_t<T>>(v) << n)};
  }
  Integer operator>>(int n) const { return {static_cast<T>(v >> n)}; }
  Condition operator<(T y) const { return {v < y}; }
  Condition operator==(T y) const { return {v == y}; }
  Condition operator!=(T y) const { return {v != y}; }
};

template <class T>
Integer<T> shiftRightLogical(Integer<T> x, int n) {
  return {static_cast<T>(static_cast<std::make_unsigned_t<T>>(x.v) >> n)};
}

template <class T>
struct Float {
  using Integer = hostmath::Integer<std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>;
  using Wide = Float<double>;
  T v;
  static Float of(double x) { return {static_cast<T>(x)}; }
  static Float of(Float x) { return x; }
  Float operator-() const { return {-v}; }
  Condition operator<(Float y) const { return {v < y.v}; }
  Condition operator>(Float y) const { return {v > y.v}; }
  Condition operator==(Float y) const { return {v == y.v}; }
  Condition operator!=(Float y) const { return {v != y.v}; }
  Condition operator<(double y) const { return *this < of(y); }
  Condition operator>(double y) const { return *this > of(y); }
  Condition operator==(double y) const { return *this == of(y); }
  friend Float operator+(Float x, Float y) { return {x.v + y.v}; }
  friend Float operator-(Float x, Float y) { return {x.v - y.v}; }
  friend Float operator*(Float x, Float y) { return {x.v * y.v}; }
  friend Float operator/(Float x, Float y) { return {x.v / y.v}; }
  friend Float operator+(Float x, double y) { return x + of(y); }
  friend Float operator-(Float x, double y) { return x - of(y); }
  friend Float operator*(Float x, double y) { return x * of(y); }
};

template <class T>
Integer<T> select(Condition c, Integer<T> x, Integer<T> y) {
  return c.v ? x : y;
}
template <class T>
Float<T> select(Condition c, Float<T> x, Float<T> y) {
  return c.v ? x : y;
}
template <class T>
Float<T> select(Condition c, double x, Float<T> y) {
  return c.v ? y.of(x) : y;
}
template <class T, class Y, class Z>
Float<T> multiplyAdd(Float<T> x, Y y, Z z) {
  if (!fuses)
    return x * x.of(y) + x.of(z);
  return {std::fma(x.v, x.of(y).v, x.of(z).v)};
}
template <class T>
auto bits(Float<T> x) {
  return typename Float<T>::Integer{bitCast<decltype(Float<T>::Integer::v)>(x.v)};
}
inline Float<float> asFloat(Integer<int32_t> x) { return {bitCast<float>(x.v)}; }
inline Float<double> asFloat(Integer<int64_t> x) { return {bitCast<double>(x.v)}; }
inline Float<float> toFloat(Integer<int32_t> x) { return {static_cast<float>(x.v)}; }
inline Float<double> toFloat(Integer<int64_t> x) { return {static_cast<double>(x.v)}; }
inline Integer<int32_t> toInteger(Float<float> x) { return {static_cast<int32_t>(x.v)}; }
inline Float<double> widen(Float<float> x) { return {x.v}; }
inline Float<float> narrow(Float<double> x) { return {static_cast<float>(x.v)}; }
inline Integer<int64_t> extend(Integer<int32_t> x) { return {x.v}; }
inline Integer<int32_t> truncate(Integer<int64_t> x) { return {static_cast<int32_t>(x.v)}; }
template <class T>
Float<T> abs(Float<T> x) {
  return {std::abs(x.v)};
}
template <class T>
Float<T> sqrt(Float<T> x) {
  return {std::sqrt(x.v)};
}
template <class T>
Float<T> copySign(Float<T> x, Float<T> sign) {
  return {std::copysign(x.v, sign.v)};
}
template <std::size_t count>
Float<double> lookUp(const double (&table)[count], Integer<int32_t> index) {
  return {table[index.v]};
}

} // namespace dmc::hostmath

#endif // DMC_TEST_UNIT_CODEGEN_HOSTMATH_H
