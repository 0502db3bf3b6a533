//===- Json.h - An explanation as JSON --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object that the JSON form prints and the page holds.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_EXPLAIN_JSON_H
#define DMC_LIB_EXPLAIN_JSON_H

#include "dmc/Explain/Explanation.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace dmc::explain {

void writeJson(llvm::json::OStream &os, const Explanation &explanation,
               llvm::function_ref<bool(const Collective &)> showCollective,
               llvm::function_ref<bool(const Tensor &)> showTensor,
               llvm::function_ref<bool(const Kernel &)> showKernel);
void writeJson(llvm::json::OStream &os, const Place &place);
void writeJson(llvm::json::OStream &os, const Kernel &kernel);

} // namespace dmc::explain

#endif // DMC_LIB_EXPLAIN_JSON_H
