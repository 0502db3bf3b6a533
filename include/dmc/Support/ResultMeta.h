//===- ResultMeta.h - Names and tolerances of results -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_SUPPORT_RESULTMETA_H
#define DMC_SUPPORT_RESULTMETA_H

#include "dmc/Runtime/Compare.h"

#include <optional>
#include <string>
#include <vector>

namespace dmc::support {

/// What every tool allows between floats where nobody says otherwise:
/// |got - want| <= atol + rtol * |want|. A layout changes the order of sums, and n
/// float32 summands in another order differ by about sqrt(n) * 2^-24 relative to the sum of
/// their magnitudes: rtol is that of n = 2^15, atol the same for magnitudes up to 0.1
/// that cancel. Integers and booleans are equal by default.
inline constexpr runtime::Tolerance kDefaultTolerance{1e-5, 1e-6};

/// kDefaultTolerance for floats, exact for other element types.
runtime::Tolerance getDefaultTolerance(uint32_t elementType);

/// One result, as meta.json lists it.
struct ResultMeta {
  std::string name;
  std::optional<double> rtol, atol;

  /// What is given, else the default of the element type.
  runtime::Tolerance getTolerance(uint32_t elementType) const;
};

/// Reads `{"rtol": ..., "results": [{"name": ..., "atol": ..., "rtol": ...}, ...]}`: of a
/// result only the name is required; its `rtol` is that of the file unless it has its own.
/// On failure nothing, and `error` says why.
std::optional<std::vector<ResultMeta>> readResultMeta(const std::string &path, std::string &error);

} // namespace dmc::support

#endif // DMC_SUPPORT_RESULTMETA_H
