//===- FormsTest.cpp - Instructions against other computations ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>

using namespace dmc::ptx;
using namespace dmc::ptx::test;

namespace {
using Rows = std::vector<std::array<uint64_t, 3>>;

/// All triples of some values, up to 1000, and others that follow a generator.
Rows triples(const std::vector<uint64_t> &special, unsigned bits) {
  Rows rows;
  for (uint64_t a : special)
    for (uint64_t b : special)
      rows.push_back({a, b, special[(a ^ (b >> 3)) % special.size()]});
  uint64_t state = 12345, mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  auto next = [&] {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state ^ (state >> 29)) & mask;
  };
  rows.resize(std::min<size_t>(rows.size(), 600));
  while (rows.size() < 1000)
    rows.push_back({next(), next(), next()});
  return rows;
}
Rows ints(unsigned bits) {
  uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1, high = uint64_t(1)
                                                                                << (bits - 1);
  return triples({0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 100, high - 1, high, high + 1, mask,
                  mask - 1, 0x1234 & mask},
                 bits);
}
Rows floats() {
  std::vector<uint64_t> special;
  for (float value :
       {0.0f, 1.0f, 1.5f, 0.1f, 3.0f, 1e10f, 1e-10f, 2147483648.0f, 0.5f, 2.5f, 16777217.0f,
        65504.0f, 65520.0f, std::numeric_limits<float>::max(), std::numeric_limits<float>::min(),
        std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::infinity()}) {
    special.push_back(bitsOf(value));
    special.push_back(bitsOf(-value));
  }
  special.push_back(0x7fc00000);
  return triples(special, 32);
}
Rows doubles() {
  std::vector<uint64_t> special;
  for (double value :
       {0.0, 1.0, 1.5, 0.1, 1e300, 1e-300, 9.3e18, 4294967296.0, 1 + 0x1p-30,
        std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min(),
        std::numeric_limits<double>::infinity()}) {
    special.push_back(bitsOf(value));
    special.push_back(bitsOf(-value));
  }
  special.push_back(bitsOf(std::nan("")));
  return triples(special, 64);
}

using Compute = std::function<uint64_t(uint64_t, uint64_t, uint64_t)>;

uint64_t reversed(uint64_t word) {
  uint64_t result = 0;
  for (int i = 0; i < 32; ++i)
    result = result << 1 | (word >> i & 1);
  return result;
}

/// Any NaN equals any other.
bool isSame(uint64_t a, uint64_t b, unsigned floatBits) {
  if (floatBits == 32 && std::isnan(valueOf<float>(a)) && std::isnan(valueOf<float>(b)))
    return true;
  if (floatBits == 64 && std::isnan(valueOf<double>(a)) && std::isnan(valueOf<double>(b)))
    return true;
  return a == b;
}

void check(const std::string &body, const Rows &rows, const Compute &expected,
           unsigned floatBits = 0) {
  Result result = runLanes(body, rows);
  ASSERT_EQ(result.error, "") << body;
  ASSERT_EQ(text(result.outcome), "") << body;
  for (size_t i = 0; i < rows.size(); ++i) {
    uint64_t want = expected(rows[i][0], rows[i][1], rows[i][2]);
    ASSERT_TRUE(isSame(result.values[i], want, floatBits))
        << body << std::hex << "\nof " << rows[i][0] << " " << rows[i][1] << " " << rows[i][2]
        << ": " << result.values[i] << ", expected " << want;
  }
}

/// A body whose operands are 32-bit registers.
std::string words(const std::string &instruction) {
  return instruction + "\nmov.b64 %rd0, {%r0, 0};";
}
std::string halves(const std::string &instruction) {
  return instruction + "\ncvt.u64.u16 %rd0, %h0;";
}
std::string predicate(const std::string &instruction) {
  return instruction + "\nselp.u64 %rd0, 1, 0, %p0;";
}

/// A float, rounded as the processor does it.
template <typename T>
T withRounding(int mode, const std::function<T()> &compute) {
  int old = std::fegetround();
  std::fesetround(mode);
  volatile T value = compute(); // before the mode is set back
  std::fesetround(old);
  return value;
}

TEST(Forms, Integers) {
  Rows r = ints(32), d = ints(64), h = ints(16);
  check(words("add.s32 %r0, %r1, %r2;"), r, [](auto a, auto b, auto) { return uint32_t(a + b); });
  check(words("sub.u32 %r0, %r1, %r2;"), r, [](auto a, auto b, auto) { return uint32_t(a - b); });
  check(words("add.sat.s32 %r0, %r1, %r2;"), r, [](auto a, auto b, auto) {
    return uint32_t(std::clamp<int64_t>(int64_t(int32_t(a)) + int32_t(b), INT32_MIN, INT32_MAX));
  });
  check(words("mul.lo.s32 %r0, %r1, %r2;"), r,
        [](auto a, auto b, auto) { return uint32_t(a * b); });
  check(words("mul.hi.s32 %r0, %r1, %r2;"), r, [](auto a, auto b, auto) {
    return uint32_t(uint64_t(int64_t(int32_t(a)) * int32_t(b)) >> 32);
  });
  check(words("mul.hi.u32 %r0, %r1, %r2;"), r,
        [](auto a, auto b, auto) { return uint32_t(a * b >> 32); });
  check("mul.wide.s32 %rd0, %r1, %r2;", r,
        [](auto a, auto b, auto) { return uint64_t(int64_t(int32_t(a)) * int32_t(b)); });
  check("mad.wide.u32 %rd0, %r1, %r2, %rd3;", r, [](auto a, auto b, auto c) { return a * b + c; });
  check("mul.hi.u64 %rd0, %rd1, %rd2;", d,
        [](auto a, auto b, auto) { return uint64_t((unsigned __int128)a * b >> 64); });
  check("mul.hi.s64 %rd0, %rd1, %rd2;", d,
        [](auto a, auto b, auto) { return uint64_t((__int128)int64_t(a) * int64_t(b) >> 64); });
  check(halves("mul.lo.u16 %h0, %h1, %h2;"), h,
        [](auto a, auto b, auto) { return uint16_t(a * b); });
  check(words("mad.lo.s32 %r0, %r1, %r2, %r3;"), r,
        [](auto a, auto b, auto c) { return uint32_t(a * b + c); });
  check(words("div.u32 %r0, %r1, %r2;"), r,
        [](auto a, auto b, auto) { return b ? a / b : 0xffffffff; });
  check(words("rem.s32 %r0, %r1, %r2;"), r,
        [](auto a, auto b, auto) { return b ? uint32_t(int64_t(int32_t(a)) % int32_t(b)) : a; });
  check("div.s64 %rd0, %rd1, %rd2;", d, [](auto a, auto b, auto) {
    return b ? uint64_t((__int128)int64_t(a) / int64_t(b)) : ~uint64_t(0);
  });
  check(words("min.relu.s32 %r0, %r1, %r2;"), r, [](auto a, auto b, auto) {
    return uint32_t(std::max(std::min(int32_t(a), int32_t(b)), 0));
  });
  check(words("max.relu.s32 %r0, %r1, %r2;"), r, [](auto a, auto b, auto) {
    return uint32_t(std::max(std::max(int32_t(a), int32_t(b)), 0));
  });
  check(words("min.s32 %r0, %r1, %r2;"), r,
        [](auto a, auto b, auto) { return uint32_t(std::min(int32_t(a), int32_t(b))); });
  check(words("max.u32 %r0, %r1, %r2;"), r, [](auto a, auto b, auto) { return std::max(a, b); });
  check(words("abs.s32 %r0, %r1;"), r,
        [](auto a, auto, auto) { return uint32_t(int32_t(a) < 0 ? 0 - a : a); });
  check(words("neg.s32 %r0, %r1;"), r, [](auto a, auto, auto) { return uint32_t(0 - a); });
  check(words("sad.u32 %r0, %r1, %r2, %r3;"), r,
        [](auto a, auto b, auto c) { return uint32_t((a > b ? a - b : b - a) + c); });
  check(words("dp4a.s32.u32 %r0, %r1, %r2, %r3;"), r, [](auto a, auto b, auto c) {
    int64_t sum = int32_t(c);
    for (int i = 0; i < 32; i += 8)
      sum += int64_t(int8_t(a >> i)) * uint8_t(b >> i);
    return uint32_t(sum);
  });
  // 128-bit sums and differences in two halves, and a product in three.
  check("add.cc.u64 %rd4, %rd1, %rd2;\naddc.u64 %rd0, %rd3, 0;", d,
        [](auto a, auto b, auto c) { return uint64_t(c + (a + b < a)); });
  check(words("sub.cc.u32 %r4, %r1, %r2;\nsubc.u32 %r0, %r3, 0;"), r,
        [](auto a, auto b, auto c) { return uint32_t(c - (a < b)); });
  check(words("mad.lo.cc.u32 %r4, %r1, %r2, %r3;\nmadc.hi.u32 %r0, %r1, %r2, 0;"), r,
        [](auto a, auto b, auto c) { return uint32_t((a * b + c) >> 32); });
}

TEST(Forms, Bits) {
  Rows r = ints(32), d = ints(64), h = ints(16);
  check(words("and.b32 %r0, %r1, %r2;"), r, [](auto a, auto b, auto) { return a & b; });
  check("or.b64 %rd0, %rd1, %rd2;", d, [](auto a, auto b, auto) { return a | b; });
  check(halves("xor.b16 %h0, %h1, %h2;"), h, [](auto a, auto b, auto) { return a ^ b; });
  check(words("not.b32 %r0, %r1;"), r, [](auto a, auto, auto) { return uint32_t(~a); });
  check(words("cnot.b32 %r0, %r1;"), r, [](auto a, auto, auto) { return uint64_t(a == 0); });
  check(words("shl.b32 %r0, %r1, %r2;"), r,
        [](auto a, auto b, auto) { return b > 31 ? 0 : uint32_t(a << b); });
  check(words("shr.s32 %r0, %r1, %r2;"), r,
        [](auto a, auto b, auto) { return uint32_t(int32_t(a) >> std::min<uint64_t>(b, 31)); });
  check("shr.u64 %rd0, %rd1, %r2;", d,
        [](auto a, auto b, auto) { return uint32_t(b) > 63 ? 0 : a >> uint32_t(b); });
  check(words("shf.l.wrap.b32 %r0, %r1, %r2, %r3;"), r, [](auto a, auto b, auto c) {
    return c & 31 ? uint32_t(b << (c & 31) | a >> (32 - (c & 31))) : uint32_t(b);
  });
  check(words("shf.r.clamp.b32 %r0, %r1, %r2, %r3;"), r, [](auto a, auto b, auto c) {
    return c >= 32 ? b : c ? uint32_t(a >> c | b << (32 - c)) : a;
  });
  check(words("popc.b32 %r0, %r1;"), r,
        [](auto a, auto, auto) { return uint64_t(__builtin_popcountll(a)); });
  check(words("clz.b64 %r0, %rd1;"), d,
        [](auto a, auto, auto) { return a ? uint64_t(__builtin_clzll(a)) : 64; });
  check(words("bfind.s32 %r0, %r1;"), r, [](auto a, auto, auto) {
    auto v = uint32_t(int32_t(a) < 0 ? ~a : a);
    return v ? uint64_t(31 - __builtin_clz(v)) : 0xffffffff;
  });
  check(words("bfind.shiftamt.u32 %r0, %r1;"), r,
        [](auto a, auto, auto) { return a ? uint64_t(__builtin_clz(uint32_t(a))) : 0xffffffff; });
  check(words("brev.b32 %r0, %r1;"), r, [](auto a, auto, auto) { return reversed(a); });
  check(words("bfe.u32 %r0, %r1, %r2, %r3;"), r, [](auto a, auto b, auto c) {
    b &= 255, c &= 255;
    uint64_t value = b > 31 ? 0 : a >> b;
    return c > 31 ? value : value & ((uint64_t(1) << c) - 1);
  });
  check(words("bfe.s32 %r0, %r1, 4, 9;"), r,
        [](auto a, auto, auto) { return uint32_t(int32_t(uint32_t(a) << 19) >> 23); });
  check(words("prmt.b32 %r0, %r1, %r2, 0x7160;"), r, [](auto a, auto b, auto) {
    return uint32_t((a & 0xff) | (b >> 16 & 0xff) << 8 | (a >> 8 & 0xff) << 16 | (b >> 24) << 24);
  });
  check(words("lop3.b32 %r0, %r1, %r2, %r3, 0xe8;"), r,
        [](auto a, auto b, auto c) { return (a & b) | (b & c) | (a & c); });
  check("{ .reg .b32 %r1; mov.b64 {%r1, %r5}, %rd1; mov.b64 %rd0, {%r5, %r1}; }", d,
        [](auto a, auto, auto) { return a << 32 | a >> 32; });
}

TEST(Forms, InsertedFields) {
  check(words("bfi.b32 %r0, %r1, %r2, 5, 9;"), ints(32),
        [](auto a, auto b, auto) { return (b & ~uint64_t(0x1ff << 5)) | (a & 0x1ff) << 5; });
  check("bfi.b64 %rd0, %rd1, %rd2, 60, 9;", ints(64),
        [](auto a, auto b, auto) { return (b & ~uint64_t(0) >> 4) | a << 60; });
}

TEST(Forms, Floats) {
  Rows r = floats(), d = doubles();
  auto f = [](uint64_t bits) { return valueOf<float>(bits); };
  auto flush = [](float v) {
    return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
  };
  for (auto [name, mode] : {std::pair("rn", FE_TONEAREST), std::pair("rz", FE_TOWARDZERO),
                            std::pair("rm", FE_DOWNWARD), std::pair("rp", FE_UPWARD)}) {
    std::string n = name;
    int m = mode;
    auto with = [m](const std::function<float()> &compute) {
      return bitsOf(withRounding<float>(m, compute));
    };
    check(
        words("add." + n + ".f32 %r0, %r1, %r2;"), r,
        [&](auto a, auto b, auto) {
          volatile float x = f(a), y = f(b);
          return with([&] { return x + y; });
        },
        32);
    check(
        words("mul." + n + ".f32 %r0, %r1, %r2;"), r,
        [&](auto a, auto b, auto) {
          volatile float x = f(a), y = f(b);
          return with([&] { return x * y; });
        },
        32);
    check(
        words("div." + n + ".f32 %r0, %r1, %r2;"), r,
        [&](auto a, auto b, auto) {
          volatile float x = f(a), y = f(b);
          return with([&] { return x / y; });
        },
        32);
    check(
        words("sqrt." + n + ".f32 %r0, %r1;"), r,
        [&](auto a, auto, auto) {
          volatile float x = f(a);
          return with([&] { return std::sqrt(float(x)); });
        },
        32);
    check(
        words("fma." + n + ".f32 %r0, %r1, %r2, %r3;"), r,
        [&](auto a, auto b, auto c) {
          volatile float x = f(a), y = f(b), z = f(c);
          return with([&] { return std::fma(float(x), float(y), float(z)); });
        },
        32);
    check(
        "add." + n + ".f64 %rd0, %rd1, %rd2;", d,
        [&](auto a, auto b, auto) {
          volatile double x = valueOf<double>(a), y = valueOf<double>(b);
          return bitsOf(withRounding<double>(m, [&] { return x + y; }));
        },
        64);
  }
  check(
      words("mul.ftz.f32 %r0, %r1, %r2;"), r,
      [&](auto a, auto b, auto) { return bitsOf(flush(flush(f(a)) * flush(f(b)))); }, 32);
  check(
      words("fma.rn.sat.f32 %r0, %r1, %r2, %r3;"), r,
      [&](auto a, auto b, auto c) {
        float v = std::fma(f(a), f(b), f(c));
        return bitsOf(v > 0 ? std::min(v, 1.0f) : 0.0f);
      },
      32);
  check(
      words("min.f32 %r0, %r1, %r2;"), r,
      [&](auto a, auto b, auto) {
        if (f(a) == 0 && f(b) == 0)
          return a | b;
        return bitsOf(std::fmin(f(a), f(b)));
      },
      32);
  check(
      words("max.NaN.f32 %r0, %r1, %r2;"), r,
      [&](auto a, auto b, auto) {
        if (std::isnan(f(a)) || std::isnan(f(b)))
          return uint64_t(0x7fffffff);
        if (f(a) == 0 && f(b) == 0)
          return a & b;
        return f(a) > f(b) ? a : b;
      },
      32);
  check(words("neg.f32 %r0, %r1;"), r, [](auto a, auto, auto) { return a ^ 0x80000000; });
  check(words("abs.f32 %r0, %r1;"), r, [](auto a, auto, auto) { return a & 0x7fffffff; });
  check(words("copysign.f32 %r0, %r1, %r2;"), r,
        [](auto a, auto b, auto) { return (a & 0x80000000) | (b & 0x7fffffff); });
  check(predicate("testp.subnormal.f32 %p0, %r1;"), r,
        [&](auto a, auto, auto) { return uint64_t(std::fpclassify(f(a)) == FP_SUBNORMAL); });
  check(
      "rcp.rn.f64 %rd0, %rd1;", d,
      [](auto a, auto, auto) { return bitsOf(1 / valueOf<double>(a)); }, 64);
}

TEST(Forms, Comparisons) {
  Rows r = floats(), n = ints(32);
  auto f = [](uint64_t bits) { return valueOf<float>(bits); };
  check(predicate("setp.lt.f32 %p0, %r1, %r2;"), r,
        [&](auto a, auto b, auto) { return uint64_t(f(a) < f(b)); });
  check(predicate("setp.geu.f32 %p0, %r1, %r2;"), r,
        [&](auto a, auto b, auto) { return uint64_t(!(f(a) < f(b))); });
  check(predicate("setp.ne.f32 %p0, %r1, %r2;"), r,
        [&](auto a, auto b, auto) { return uint64_t(f(a) < f(b) || f(a) > f(b)); });
  check(predicate("setp.nan.f32 %p0, %r1, %r2;"), r,
        [&](auto a, auto b, auto) { return uint64_t(std::isnan(f(a)) || std::isnan(f(b))); });
  check(predicate("setp.lt.s32 %p0, %r1, %r2;"), n,
        [](auto a, auto b, auto) { return uint64_t(int32_t(a) < int32_t(b)); });
  check(predicate("setp.hs.u32 %p0, %r1, %r2;"), n,
        [](auto a, auto b, auto) { return uint64_t(a >= b); });
  check(predicate("setp.eq.s32 %p1, %r1, 1;\nsetp.gt.and.u32 %p2|%p0, %r1, %r2, !%p1;"), n,
        [](auto a, auto b, auto) { return uint64_t(!(a > b) && a != 1); });
  check(words("set.le.u32.s32 %r0, %r1, %r2;"), n,
        [](auto a, auto b, auto) { return int32_t(a) <= int32_t(b) ? 0xffffffff : 0; });
  check(words("set.gt.f32.s32 %r0, %r1, %r2;"), n,
        [](auto a, auto b, auto) { return int32_t(a) > int32_t(b) ? 0x3f800000 : 0; });
  check(words("slct.b32.s32 %r0, %r1, %r2, %r3;"), n,
        [](auto a, auto b, auto c) { return int32_t(c) >= 0 ? a : b; });
}

TEST(Forms, Conversions) {
  Rows r = floats(), n = ints(32), d = doubles(), w = ints(64);
  auto f = [](uint64_t bits) { return valueOf<float>(bits); };
  check(words("cvt.rzi.s32.f32 %r0, %r1;"), r, [&](auto a, auto, auto) {
    double v = f(a);
    return std::isnan(v)
               ? 0
               : uint32_t(int32_t(std::clamp(std::trunc(v), -2147483648.0, 2147483647.0)));
  });
  check(words("cvt.rni.u32.f32 %r0, %r1;"), r, [&](auto a, auto, auto) {
    double v = f(a);
    return std::isnan(v) ? 0 : uint32_t(std::clamp(std::nearbyint(v), 0.0, 4294967295.0));
  });
  check("cvt.rmi.s64.f64 %rd0, %rd1;", d, [](auto a, auto, auto) {
    double v = std::floor(valueOf<double>(a));
    return std::isnan(v) || v < -0x1p63 ? uint64_t(1) << 63
           : v >= 0x1p63                ? ~uint64_t(0) >> 1
                                        : uint64_t(int64_t(v));
  });
  check(words("cvt.rn.f32.s32 %r0, %r1;"), n,
        [](auto a, auto, auto) { return bitsOf(float(int32_t(a))); });
  check(words("cvt.rn.f32.u64 %r0, %rd1;"), w, [](auto a, auto, auto) { return bitsOf(float(a)); });
  check("cvt.rn.f64.s64 %rd0, %rd1;", w,
        [](auto a, auto, auto) { return bitsOf(double(int64_t(a))); });
  check(
      words("cvt.rn.f32.f64 %r0, %rd1;"), d,
      [](auto a, auto, auto) { return bitsOf(float(valueOf<double>(a))); }, 32);
  check(
      words("cvt.rp.f32.f64 %r0, %rd1;"), d,
      [](auto a, auto, auto) {
        volatile double v = valueOf<double>(a);
        return bitsOf(withRounding<float>(FE_UPWARD, [&] { return float(v); }));
      },
      32);
  check("cvt.f64.f32 %rd0, %r1;", r, [&](auto a, auto, auto) { return bitsOf(double(f(a))); }, 64);
  check(
      words("cvt.rpi.f32.f32 %r0, %r1;"), r,
      [&](auto a, auto, auto) { return bitsOf(std::ceil(f(a))); }, 32);
  check("cvt.s64.s32 %rd0, %r1;", n,
        [](auto a, auto, auto) { return uint64_t(int64_t(int32_t(a))); });
  check(words("cvt.s32.s8 %r0, %r1;"), n,
        [](auto a, auto, auto) { return uint32_t(int32_t(int8_t(a))); });
  check(words("cvt.sat.u8.s32 %r0, %r1;"), n,
        [](auto a, auto, auto) { return uint64_t(std::clamp(int32_t(a), 0, 255)); });
  check(
      words("cvt.rna.tf32.f32 %r0, %r1;"), r,
      [&](auto a, auto, auto) {
        return std::isnan(f(a)) || std::isinf(f(a)) ? a : (a + 0x1000) & 0xffffe000;
      },
      32);
}

/// f16 by the compiler's own type, which rounds once.
TEST(Forms, Narrow) {
  Rows h = ints(16), r = floats();
  auto value = [](uint64_t bits) { return float(valueOf<_Float16>(bits)); };
  auto isNaN = [](uint64_t bits) { return (bits & 0x7fff) > 0x7c00; };
  auto same = [&](const std::string &body, const Rows &rows, const Compute &expected) {
    Result result = runLanes(body, rows);
    ASSERT_EQ(result.error, "");
    for (size_t i = 0; i < rows.size(); ++i) {
      uint64_t want = expected(rows[i][0], rows[i][1], rows[i][2]);
      ASSERT_TRUE(result.values[i] == want || (isNaN(result.values[i]) && isNaN(want)))
          << body << std::hex << " of " << rows[i][0] << " " << rows[i][1] << ": "
          << result.values[i] << ", expected " << want;
    }
  };
  same(halves("add.rn.f16 %h0, %h1, %h2;"), h,
       [&](auto a, auto b, auto) { return bitsOf(_Float16(value(a) + value(b))); });
  same(halves("mul.rn.f16 %h0, %h1, %h2;"), h,
       [&](auto a, auto b, auto) { return bitsOf(_Float16(value(a) * value(b))); });
  same(halves("fma.rn.f16 %h0, %h1, %h2, %h3;"), h, [&](auto a, auto b, auto c) {
    return bitsOf(_Float16(double(value(a)) * value(b) + value(c)));
  });
  same(halves("cvt.rn.f16.f32 %h0, %r1;"), r,
       [](auto a, auto, auto) { return bitsOf(_Float16(valueOf<float>(a))); });
  check(
      words("cvt.f32.f16 %r0, %h1;"), h, [&](auto a, auto, auto) { return bitsOf(value(a)); }, 32);
  auto bf16 = [](uint64_t a) {
    float v = valueOf<float>(a);
    return std::isnan(v) ? 0x7fff : (a + 0x7fff + (a >> 16 & 1)) >> 16;
  };
  check(halves("cvt.rn.bf16.f32 %h0, %r1;"), r, [&](auto a, auto, auto) { return bf16(a); });
  check(words("cvt.rn.bf16x2.f32 %r0, %r1, %r2;"), r,
        [&](auto a, auto b, auto) { return bf16(a) << 16 | bf16(b); });
  check(words("cvt.f32.bf16 %r0, %h1;"), h, [](auto a, auto, auto) { return a << 16; }, 32);
  check(words("add.rn.bf16x2 %r0, %r1, %r2;"),
        {{0x3f803f80, 0x40003c00, 0}, {0xbf804000, 0x3f804000, 0}},
        [](auto a, auto, auto) { return a == 0x3f803f80 ? 0x40403f81 : 0x00004080; });
}

TEST(Forms, Approximations) {
  Rows r = floats();
  auto f = [](uint64_t bits) { return double(valueOf<float>(bits)); };
  auto narrow = [](double v) { return bitsOf(float(v)); };
  check(
      words("ex2.approx.f32 %r0, %r1;"), r,
      [&](auto a, auto, auto) { return narrow(std::exp2(f(a))); }, 32);
  check(
      words("lg2.approx.f32 %r0, %r1;"), r,
      [&](auto a, auto, auto) { return narrow(std::log2(f(a))); }, 32);
  check(
      words("rsqrt.approx.f32 %r0, %r1;"), r,
      [&](auto a, auto, auto) { return narrow(1 / std::sqrt(f(a))); }, 32);
  check(
      words("tanh.approx.f32 %r0, %r1;"), r,
      [&](auto a, auto, auto) { return narrow(std::tanh(f(a))); }, 32);
  check(
      words("div.full.f32 %r0, %r1, %r2;"), r,
      [&](auto a, auto b, auto) { return narrow(f(a) / f(b)); }, 32);
  // Above 2^126 the approximate reciprocal is 0.
  check(
      words("div.approx.f32 %r0, %r1, %r2;"), r,
      [&](auto a, auto b, auto) {
        double divisor = f(b);
        bool vanishes = std::isfinite(divisor) && std::fabs(divisor) > 0x1p126;
        return narrow(vanishes ? f(a) * std::copysign(0.0, divisor) : f(a) / divisor);
      },
      32);
  // Wrong by at most what is allowed, and wrong at all.
  Rows some;
  for (int i = 1; i < 500; ++i)
    some.push_back({bitsOf(0.01f * i), 0, 0});
  Result exact = runLanes(words("ex2.approx.f32 %r0, %r1;"), some),
         wrong = runLanes(words("ex2.approx.f32 %r0, %r1;"), some, 7, true);
  int changed = 0;
  for (size_t i = 0; i < some.size(); ++i) {
    EXPECT_LE(std::abs(int64_t(exact.values[i]) - int64_t(wrong.values[i])), 2);
    changed += exact.values[i] != wrong.values[i];
  }
  EXPECT_GT(changed, 100);
}

TEST(Forms, DamagedTextsAreErrors) {
  for (const char *body :
       {"mov.f32 %f1, 0f3F80;", "mov.f32 %f1, 0fXYZ00000;", "mov.b32 %r0, 12x;", "mov.b32 %r0, \"a",
        "/* never ends", "{ mov.b32 %r0, 1;", "mov.b32 %r0, [;", "@ %p1 bra;",
        "ld.global.u64 %rd0, [%rd1+;", "bar.sync;", "shfl.sync.bfly.b32 %r0, %r1;",
        ".reg .b32 %x<99999999>;", ".shared .b8 a[", "}}}",
        "st.global.v4.b32 [%rd1], {%r0, %r1, %r2, %r3, %r4, %r0, %r1, %r2, %r3, %r4};"})
    EXPECT_NE(runLanes(body, {{0, 0, 0}}).error, "") << body;
  for (const char *part : {"{", "[", "!", "mov.b32 %r0, {", "mov.b32 %r0, !", "mov.b32 %r0, (",
                           ".local .b8 a[600000];", ".shared .b8 a[99999999999][99999999999];"}) {
    std::string body;
    for (int i = 0; i < 100000; ++i)
      body += i == 0 || body.size() < 3 ? part : std::string(1, part[std::strlen(part) - 1]);
    EXPECT_NE(runLanes(body, {{0, 0, 0}}).error, "") << part;
    EXPECT_NE(runLanes(part, {{0, 0, 0}}).error, "") << part;
  }
}

TEST(Forms, UnknownOnesAreErrors) {
  for (const char *body :
       {"add.rn.f99 %r0, %r1, %r2;", "frobnicate.b32 %r0, %r1;", "add.s32.wide %r0, %r1, %r2;",
        "fma.f32 %r0, %r1, %r2, %r3;", "cvt.s32.f32 %r0, %r1;", "wgmma.fence.sync.aligned;"}) {
    Result result = runLanes(body, {{0, 0, 0}});
    EXPECT_NE(result.error.find("unsupported instruction"), std::string::npos)
        << body << ": " << result.error;
    EXPECT_NE(result.error.find("line 29"), std::string::npos) << result.error;
  }
  EXPECT_NE(runLanes("add.s32 %r0, %r1;", {{0, 0, 0}}).error.find("has 2 operands"),
            std::string::npos);
  EXPECT_NE(runLanes("add.s32 %r0, %q1, %r2;", {{0, 0, 0}}).error.find("'%q1' is not declared"),
            std::string::npos);
  EXPECT_NE(runLanes("bra nowhere;", {{0, 0, 0}}).error.find("no label 'nowhere'"),
            std::string::npos);
}

TEST(Forms, PairsAndBytes) {
  // Each half by itself: 1.0 and -2.0 with 1.0 and 0.5.
  std::vector<std::array<uint64_t, 3>> operands = {{0xc0003c00, 0x38003c00, 0}};
  auto of = [&](const std::string &body, const std::vector<std::array<uint64_t, 3>> &given) {
    Result result = runLanes(body, given);
    EXPECT_EQ(result.error, "") << body;
    EXPECT_EQ(text(result.outcome), "") << body;
    return result.values.empty() ? 0 : result.values[0];
  };
  std::string give = "cvt.u64.u32 %rd0, %r0;\n";
  EXPECT_EQ(of("set.lt.f16x2.f16x2 %r0, %r1, %r2;\n" + give, operands), 0x3c000000u);
  EXPECT_EQ(of("set.eq.u32.f16x2 %r0, %r1, %r2;\n" + give, operands), 0x0000ffffu);
  EXPECT_EQ(of("setp.lt.f16x2 %p1|%p2, %r1, %r2;\nselp.u32 %r0, 1, 0, %p1;\n@%p2 add.s32 %r0, "
               "%r0, 2;\n" +
                   give,
               operands),
            2u);
  std::vector<std::array<uint64_t, 3>> integers = {{0x7fff0001, 0x0001ffff, 0}};
  EXPECT_EQ(of("add.s16x2 %r0, %r1, %r2;\n" + give, integers), 0x80000000u);
  EXPECT_EQ(of("min.s16x2 %r0, %r1, %r2;\n" + give, integers), 0x0001ffffu);
  EXPECT_EQ(of("min.relu.s16x2 %r0, %r1, %r2;\n" + give, integers), 0x00010000u);
  EXPECT_EQ(of("max.u16x2 %r0, %r1, %r2;\n" + give, integers), 0x7fffffffu);

  // All numbers of 8 bits are numbers of 16, and come back.
  for (const char *type : {"e4m3x2", "e5m2x2"})
    for (uint64_t bits = 0; bits < 256; ++bits) {
      std::string there = std::string("cvt.rn.f16x2.") + type + " %r0, %h1;\n",
                  back = std::string("cvt.rn.satfinite.") + type +
                         ".f16x2 %h0, %r0;\n"
                         "cvt.u64.u16 %rd0, %h0;\n";
      bool isE4M3 = type[1] == '4';
      bool isSpecial = isE4M3 ? (bits & 0x7f) == 0x7f : (bits & 0x7c) == 0x7c;
      if (!isSpecial)
        EXPECT_EQ(of(there + back, {{{bits << 8 | bits, 0, 0}}}), bits << 8 | bits) << type;
    }
  auto single = [&](const char *form, float a, float b) {
    return of(std::string("mov.b32 %f1, %r1;\nmov.b32 %f2, %r2;\ncvt.rn.satfinite.") + form +
                  ".f32 %h0, %f1, %f2;\ncvt.u64.u16 %rd0, %h0;\n",
              {{{bitsOf(a), bitsOf(b), 0}}});
  };
  // 448 is the largest, and 17 and 19 lie half way between 16, 18 and 20.
  EXPECT_EQ(single("e4m3x2", 1000, -464), 0x7efeu);
  EXPECT_EQ(single("e4m3x2", 17, 19), 0x585au);
  EXPECT_EQ(single("e4m3x2", 0x1p-10f, 0x1.8p-9f), 0x0002u);
  EXPECT_EQ(single("e5m2x2", 1e30f, -INFINITY), 0x7bfbu);
  EXPECT_EQ(single("e5m2x2", 1.125f, 1.375f), 0x3c3eu);
  EXPECT_EQ(single("relu.e5m2x2", -1, 1), 0x003cu);
  EXPECT_EQ(single("e4m3x2", NAN, 0), 0x7f00u);
}
} // namespace
