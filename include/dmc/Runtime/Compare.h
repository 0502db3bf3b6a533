//===- Compare.h - Comparing arrays within tolerances -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_RUNTIME_COMPARE_H
#define DMC_RUNTIME_COMPARE_H

#include "dmc/Runtime/Array.h"

#include <string>

namespace dmc::runtime {

struct Tolerance {
  /// Close: |got - want| <= atol + rtol * |want|. Ulps: at most `ulps` floats of
  /// the type lie between. Bits: the sign of a zero counts too.
  enum class Kind { Close, Ulps, Bits };

  double rtol = 0;
  double atol = 0;
  Kind kind = Kind::Close;
  int64_t ulps = 0;
};

struct Comparison {
  bool passed = true;
  int64_t differing = 0;  // elements out of tolerance
  double maxAbsError = 0; // infinity where only one side is finite
  std::string message;    // what differs first and most, for people
};

/// Compares element by element; NaN equals NaN, an infinity the same infinity,
/// integers are close by atol and rtol alone. Types and shapes must be equal.
Comparison compare(const Array &got, const Array &want, Tolerance tolerance);

} // namespace dmc::runtime

#endif // DMC_RUNTIME_COMPARE_H
