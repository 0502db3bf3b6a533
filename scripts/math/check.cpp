//===- check.cpp - Errors of a compiled function ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check PROGRAM FUNCTION BEGIN END STRIDE WORST: runs the bit patterns BEGIN, BEGIN + STRIDE, ...
// below END through a program of one elementwise function, and prints the largest error above WORST
// in units in the last place, and its input. Built and called by scripts/check-math.py.
//
//===----------------------------------------------------------------------===//
#include "dmc-c/Runtime.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#ifdef DMC_CHECK_MPFR
#include <mpfr.h>
#endif

namespace {

#ifdef DMC_CHECK_MPFR
struct Exact {
  mpfr_t value, x, y;
  Exact() { mpfr_inits2(200, value, x, y, nullptr); }
  ~Exact() { mpfr_clears(value, x, y, nullptr); }
};
using MpfrUnary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

int mpfrSigmoid(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  mpfr_neg(result, x, rounding);
  mpfr_exp(result, result, rounding);
  mpfr_add_ui(result, result, 1, rounding);
  return mpfr_ui_div(result, 1, result, rounding);
}
int mpfrAtan2(mpfr_ptr result, mpfr_srcptr y, mpfr_srcptr x) {
  return mpfr_atan2(result, y, x, MPFR_RNDN);
}
int mpfrPow(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y) {
  return mpfr_pow(result, x, y, MPFR_RNDN);
}
#define UNARY(NAME, MPFR) {#NAME, std::NAME, MPFR}
#else
using MpfrUnary = void *;
#define UNARY(NAME, MPFR) {#NAME, std::NAME, nullptr}
#endif

double sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
double rsqrt(double x) { return 1 / std::sqrt(x); }

struct Unary {
  const char *name;
  double (*f64)(double);
  MpfrUnary exact;
};
const Unary unaryFunctions[] = {
    UNARY(acos, mpfr_acos),
    UNARY(acosh, mpfr_acosh),
    UNARY(asin, mpfr_asin),
    UNARY(asinh, mpfr_asinh),
    UNARY(atan, mpfr_atan),
    UNARY(atanh, mpfr_atanh),
    UNARY(cbrt, mpfr_cbrt),
    UNARY(cos, mpfr_cos),
    UNARY(cosh, mpfr_cosh),
    UNARY(erf, mpfr_erf),
    UNARY(erfc, mpfr_erfc),
    UNARY(exp, mpfr_exp),
    UNARY(exp2, mpfr_exp2),
    UNARY(expm1, mpfr_expm1),
    UNARY(log, mpfr_log),
    UNARY(log10, mpfr_log10),
    UNARY(log1p, mpfr_log1p),
    UNARY(log2, mpfr_log2),
    UNARY(sin, mpfr_sin),
    UNARY(sinh, mpfr_sinh),
    UNARY(sqrt, mpfr_sqrt),
    UNARY(tan, mpfr_tan),
    UNARY(tanh, mpfr_tanh),
#ifdef DMC_CHECK_MPFR
    {"rsqrt", rsqrt, mpfr_rec_sqrt},
    {"sigmoid", sigmoid, mpfrSigmoid},
#else
    {"rsqrt", rsqrt, nullptr}, {"sigmoid", sigmoid, nullptr},
#endif
};

struct Function {
  const Unary *unary = nullptr;
  double (*binary)(double, double) = nullptr;

  explicit Function(const char *name) {
    for (const Unary &candidate : unaryFunctions)
      if (!std::strcmp(candidate.name, name))
        unary = &candidate;
    if (!std::strcmp(name, "atan2"))
      binary = std::atan2;
    if (!std::strcmp(name, "pow"))
      binary = std::pow;
  }
  double f64(float x, float y) const { return unary ? unary->f64(x) : binary(x, y); }
};

/// One unit in the last place that f32 has at a value.
double unitAt(double value) {
  return std::ldexp(1.0, std::max(value == 0 ? -149 : std::ilogb(value) - 23, -149));
}

/// The error by a value that f64 holds. What rounds to infinity counts as 2^128.
double errorOf(float got, double want) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : HUGE_VAL;
  if (want == 0 && got == 0)
    return std::signbit(want) == std::signbit(got) ? 0 : HUGE_VAL;
  if (std::abs(want) >= 0x1p128)
    return got == std::copysign(HUGE_VALF, static_cast<float>(want)) ? 0 : HUGE_VAL;
  double value = std::isinf(got) ? std::copysign(0x1p128, got) : got;
  return std::abs(value - want) / unitAt(want);
}

/// The error by the exact value, of which `estimate` is the f64 value.
double exactErrorOf(const Function &function, float x, float y, float got, double estimate) {
  double error = errorOf(got, estimate);
#ifdef DMC_CHECK_MPFR
  if (!std::isfinite(error) || !std::isfinite(estimate) || std::abs(estimate) >= 0x1p128)
    return error;
  thread_local Exact exact;
  mpfr_set_flt(exact.x, x, MPFR_RNDN);
  mpfr_set_flt(exact.y, y, MPFR_RNDN);
  if (function.unary)
    function.unary->exact(exact.value, exact.x, MPFR_RNDN);
  else if (function.binary == static_cast<double (*)(double, double)>(std::atan2))
    mpfrAtan2(exact.value, exact.x, exact.y);
  else
    mpfrPow(exact.value, exact.x, exact.y);
  double unit = unitAt(mpfr_get_d(exact.value, MPFR_RNDN));
  mpfr_sub_d(exact.value, exact.value, std::isinf(got) ? std::copysign(0x1p128, got) : got,
             MPFR_RNDN);
  return std::abs(mpfr_get_d(exact.value, MPFR_RNDN)) / unit;
#else
  return error;
#endif
}

struct Worst {
  double error;
  std::string at;
};

int fail(const char *what) {
  std::fprintf(stderr, "%s: %s\n", what, dmc_last_error());
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 7) {
    std::fprintf(stderr, "expected PROGRAM FUNCTION BEGIN END STRIDE WORST\n");
    return 2;
  }
  Function function(argv[2]);
  if (!function.unary && !function.binary) {
    std::fprintf(stderr, "no function '%s'\n", argv[2]);
    return 2;
  }
  uint64_t begin = std::strtoull(argv[3], nullptr, 10), end = std::strtoull(argv[4], nullptr, 10);
  uint64_t stride = std::strtoull(argv[5], nullptr, 10);
  Worst worst{std::strtod(argv[6], nullptr), ""};
  dmc_session *session = dmc_session_create(argv[1]);
  if (!session)
    return fail("cannot load");
  uint32_t block =
      static_cast<uint32_t>(dmc_session_program(session)->arguments[0].global_shape[0]);
  std::vector<float> x(block), y(block), got(block);
  uint64_t state = begin * 2654435761u + 88172645463325252u, inputs = 0;
  for (uint64_t first = begin; first < end; first += block * stride) {
    uint32_t count =
        static_cast<uint32_t>(std::min<uint64_t>(block, (end - first + stride - 1) / stride));
    for (uint32_t i = 0; i < block; ++i) {
      if (function.unary) {
        x[i] = std::bit_cast<float>(static_cast<uint32_t>(first + std::min(i, count - 1) * stride));
        continue;
      }
      // xorshift; of every other pair y is small and x positive, so that powers stay finite.
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(state));
      y[i] = std::bit_cast<float>(static_cast<uint32_t>(state >> 32));
      if (i % 2) {
        x[i] = std::abs(x[i]);
        y[i] = static_cast<float>(static_cast<int32_t>(state >> 32)) * 0x1p-28f;
      }
    }
    if (dmc_session_set_argument(session, 0, x.data(), block * sizeof(float)) ||
        (function.binary &&
         dmc_session_set_argument(session, 1, y.data(), block * sizeof(float))) ||
        dmc_session_step(session) ||
        dmc_session_get_result(session, 0, got.data(), block * sizeof(float)))
      return fail("cannot run");
    inputs += count;
    // Each thread looks at a share of the block.
    std::mutex mutex;
    auto compare = [&](uint32_t from, uint32_t to) {
      Worst mine = worst;
      for (uint32_t i = from; i < to; ++i) {
        double estimate = function.f64(x[i], y[i]);
        // f64's own error is at most 2^-28 units of f32, so that only errors above half a unit
        // need more to be told apart from each other and from what is correctly rounded.
        double error = errorOf(got[i], estimate);
        if (error <= mine.error - 0x1p-28)
          continue;
        if (error > 0.5)
          error = exactErrorOf(function, x[i], y[i], got[i], estimate);
        if (error > mine.error) {
          char text[100];
          std::snprintf(text, sizeof text, function.unary ? "%a" : "%a, %a", x[i], y[i]);
          mine = {error, text};
        }
      }
      std::lock_guard lock(mutex);
      if (mine.error > worst.error)
        worst = mine;
    };
    unsigned numThreads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < numThreads; ++t)
      threads.emplace_back(compare, uint64_t(count) * t / numThreads,
                           uint64_t(count) * (t + 1) / numThreads);
    for (std::thread &thread : threads)
      thread.join();
  }
  dmc_session_destroy(session);
  std::printf("{\"worst\": %.17g, \"at\": \"%s\", \"inputs\": %llu}\n",
              std::isfinite(worst.error) ? worst.error : 1e300, worst.at.c_str(),
              static_cast<unsigned long long>(inputs));
  return 0;
}
