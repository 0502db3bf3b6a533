//===- Builder.h - From statements to what is executed ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PTX_BUILDER_H
#define DMC_LIB_PTX_BUILDER_H

#include "Syntax.h"

namespace dmc::ptx {

/// The kernels and variables of a text; what is wrong, with its line, or nothing.
std::optional<std::string> build(const syntax::Text &text, Program &program);

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_BUILDER_H
