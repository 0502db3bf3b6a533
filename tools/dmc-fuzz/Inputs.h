//===- Inputs.h - Values for and of random programs -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_FUZZ_INPUTS_H
#define DMC_TOOLS_DMC_FUZZ_INPUTS_H

#include "Elements.h"

#include "dmc/Interpreter/Interpreter.h"

#include <optional>
#include <string>

namespace dmc::fuzz {

/// An argument's value; its type has the signedness of the source.
interpreter::Tensor makeInput(mlir::RankedTensorType type, Fill fill, uint64_t seed, size_t index);

/// Where two results differ, in words: floats by more than the tolerance, where 0
/// asks for equal numbers. NaNs are equal, and so are zeros.
std::optional<std::string> findDifference(const interpreter::Tensor &want,
                                          const interpreter::Tensor &got, double tolerance);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_INPUTS_H
