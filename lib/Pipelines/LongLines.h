//===- LongLines.h - Diagnostics that quote long lines ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_PIPELINES_LONGLINES_H
#define DMC_PIPELINES_LONGLINES_H

#include "llvm/Support/SourceMgr.h"

namespace dmc {

/// Prints diagnostics to standard error as LLVM does, but of a long line only what is around
/// the place: the line that describes a program's boundary has many thousand characters.
void quoteLongLinesInPart(llvm::SourceMgr &sources);

} // namespace dmc

#endif // DMC_PIPELINES_LONGLINES_H
