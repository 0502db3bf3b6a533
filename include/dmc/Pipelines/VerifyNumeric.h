//===- VerifyNumeric.h - The program's value around every pass --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the first pass that changes what a program computes.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PIPELINES_VERIFYNUMERIC_H
#define DMC_PIPELINES_VERIFYNUMERIC_H

#include "dmc/Interpreter/Interpreter.h"

#include "mlir/Pass/PassInstrumentation.h"

#include <atomic>
#include <memory>

namespace dmc {

struct VerifyNumericOptions {
  uint64_t seed = 1;
  /// NaN, infinities and negative zeros among the inputs also where the program
  /// sums floats, and infinities of both signs may meet; the sign of a zero counts.
  bool specialValues = false;
};

/// What may be among an argument's elements: extreme integers, also NaN,
/// infinities and -0.0.
enum class SpecialValues { none, integers, all };

/// An argument for a comparison: floats are small multiples of `unit`, a power of
/// two, of which sums and products are exact; integers are small and not negative.
interpreter::Tensor makeIntegralTensor(mlir::RankedTensorType type, uint64_t seed, size_t index,
                                       SpecialValues special = SpecialValues::none,
                                       double unit = 1);

/// The first element in which two values of one type differ by more than
/// rounding, and its `slack`; NaNs are equal.
std::optional<int64_t> findDifference(const interpreter::Tensor &a, const interpreter::Tensor &b,
                                      double relativeTolerance, bool signedZeros = false,
                                      llvm::ArrayRef<double> slack = {});

/// Element number `index` as text.
std::string formatElement(const interpreter::Tensor &tensor, int64_t index);

/// Evaluates the module before and after each pass at levels 0 to 2, on plain
/// arguments and on such with special values that its operations define; ranks of a
/// program of ranks have arguments of their own. An instrumentation cannot fail a
/// pass: it reports an error, and sets `*failed`.
std::unique_ptr<mlir::PassInstrumentation>
createVerifyNumericInstrumentation(VerifyNumericOptions options,
                                   std::shared_ptr<std::atomic<bool>> failed);

} // namespace dmc

#endif // DMC_PIPELINES_VERIFYNUMERIC_H
