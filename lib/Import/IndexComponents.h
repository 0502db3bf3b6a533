//===- IndexComponents.h - Components of indices known at import -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_IMPORT_INDEXCOMPONENTS_H
#define DMC_LIB_IMPORT_INDEXCOMPONENTS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace dmc {

/// What every element of a StableHLO tensor at `position` of dimension `dim` is, where that is
/// one known integer.
std::optional<int64_t> getKnownAt(mlir::Value value, int64_t dim, int64_t position);

} // namespace dmc

#endif // DMC_LIB_IMPORT_INDEXCOMPONENTS_H
