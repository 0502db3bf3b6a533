//===- Approximation.cpp - Instructions that need not be exact ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computed in double precision and rounded once; how far hardware may be from that is a part of the
// form, from the tables of NVIDIA's PTX ISA.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"
#include "Opcode.h"

using namespace dmc::ptx;

namespace {
double exp2Of(double x) { return std::exp2(x); }
double log2Of(double x) { return std::log2(x); }
double sinOf(double x) { return std::sin(x); }
double cosOf(double x) { return std::cos(x); }
double rcpOf(double x) { return 1 / x; }
double sqrtOf(double x) { return std::sqrt(x); }
double rsqrtOf(double x) { return 1 / std::sqrt(x); }
double tanhOf(double x) { return std::tanh(x); }

uint64_t result(double value) {
  return std::isnan(value) ? 0x7fffffff : toBits(static_cast<float>(value));
}
template <double (*F)(double), bool Flush>
uint64_t approximate(uint64_t a, uint64_t, uint64_t) {
  float x = as<float>(a);
  if (Flush)
    x = flush(x);
  uint64_t bits = result(F(x));
  return Flush ? toBits(flush(as<float>(bits))) : bits;
}
/// Unless it is `.full`, the reciprocal of a divisor above 2^126 is 0: so the PTX ISA has it.
template <bool Flush, bool IsFull>
uint64_t divide(uint64_t a, uint64_t b, uint64_t) {
  float x = as<float>(a), y = as<float>(b);
  if (Flush) {
    x = flush(x);
    y = flush(y);
  }
  bool vanishes = !IsFull && std::isfinite(y) && std::fabs(y) > 0x1p126f;
  uint64_t bits = result(vanishes ? x * std::copysign(0.0, y) : double(x) / y);
  return Flush ? toBits(flush(as<float>(bits))) : bits;
}
template <typename T, double (*F)(double)>
uint64_t narrow(uint64_t a, uint64_t, uint64_t) {
  return T::of(F(as<T>(a).value())).bits;
}
template <typename T, double (*F)(double)>
uint64_t narrowPair(uint64_t a, uint64_t, uint64_t) {
  return narrow<T, F>(a & 0xffff, 0, 0) | narrow<T, F>(a >> 16 & 0xffff, 0, 0) << 16;
}
/// The reciprocal with the lower half of the digits zero, flushed: what `rcp.approx.ftz.f64` and
/// `rsqrt.approx.ftz.f64` give, for a first guess.
template <double (*F)(double)>
uint64_t guess(uint64_t a, uint64_t, uint64_t) {
  double x = as<double>(a);
  if (std::fpclassify(x) == FP_SUBNORMAL)
    x = std::copysign(0.0, x);
  double value = F(x);
  if (std::isnan(value))
    return 0x7fffffff00000000;
  if (std::fpclassify(value) == FP_SUBNORMAL)
    value = std::copysign(0.0, value);
  return toBits(value) & 0xffffffff00000000;
}

struct Entry {
  const char *name;
  LaneOp plain, flushed;
  unsigned ulps;
  int absolute;
};
const Entry entries[] = {
    {"ex2", op<approximate<exp2Of, false>>(), op<approximate<exp2Of, true>>(), 2, 0},
    {"lg2", op<approximate<log2Of, false>>(), op<approximate<log2Of, true>>(), 0, -22},
    {"sin", op<approximate<sinOf, false>>(), op<approximate<sinOf, true>>(), 0, -20},
    {"cos", op<approximate<cosOf, false>>(), op<approximate<cosOf, true>>(), 0, -20},
    {"rcp", op<approximate<rcpOf, false>>(), op<approximate<rcpOf, true>>(), 1, 0},
    {"sqrt", op<approximate<sqrtOf, false>>(), op<approximate<sqrtOf, true>>(), 1, 0},
    {"rsqrt", op<approximate<rsqrtOf, false>>(), op<approximate<rsqrtOf, true>>(), 2, 0},
    {"tanh", op<approximate<tanhOf, false>>(), nullptr, 4096, 0},
};
} // namespace

LaneForm dmc::ptx::decodeApproximation(Opcode &o) {
  LaneForm form;
  form.result = o.type();
  form.numSources = o.name == "div" ? 2 : 1;
  bool isFull = o.take("full");
  if (!isFull && !o.take("approx"))
    return {};
  bool flushes = o.take("ftz");
  Type type = o.type();
  if (o.name == "div") {
    if (type == Type::F32)
      form.function = isFull ? (flushes ? op<divide<true, true>>() : op<divide<false, true>>())
                             : (flushes ? op<divide<true, false>>() : op<divide<false, false>>());
    form.ulps = 2;
    return form;
  }
  if (isFull)
    return {};
  if (type == Type::F64) {
    if (flushes && o.name == "rcp")
      form.function = op<guess<rcpOf>>();
    else if (flushes && o.name == "rsqrt")
      form.function = op<guess<rsqrtOf>>();
    else if (o.name == "rsqrt")
      form.function = LaneFunction(
          [](uint64_t a, uint64_t, uint64_t) { return toBits(rsqrtOf(as<double>(a))); });
    return form;
  }
  if (type == Type::F32) {
    for (const Entry &entry : entries)
      if (o.name == entry.name) {
        form.function = flushes ? entry.flushed : entry.plain;
        form.ulps = entry.ulps;
        form.absolute = entry.absolute;
      }
    return form;
  }
  bool isExp = o.name == "ex2";
  if (!isExp && o.name != "tanh")
    return {};
  // bf16's ex2 has `.ftz` always: its subnormal numbers are those of f32.
  switch (type) {
  case Type::F16:
    form.function = isExp ? op<narrow<Half, exp2Of>>() : op<narrow<Half, tanhOf>>();
    break;
  case Type::F16x2:
    form.function = isExp ? op<narrowPair<Half, exp2Of>>() : op<narrowPair<Half, tanhOf>>();
    break;
  case Type::BF16:
    form.function = isExp ? op<narrow<BFloat, exp2Of>>() : op<narrow<BFloat, tanhOf>>();
    break;
  case Type::BF16x2:
    form.function = isExp ? op<narrowPair<BFloat, exp2Of>>() : op<narrowPair<BFloat, tanhOf>>();
    break;
  default:
    break;
  }
  return form;
}
