//===- Names.h - Patterns of names ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in which `*` stands for any text, several divided by commas.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_TACTICS_NAMES_H
#define DMC_LIB_PARALLELIZE_TACTICS_NAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace dmc::tactics {

/// True if a name fits a pattern.
bool matches(llvm::StringRef pattern, llvm::StringRef name);

/// `params/layer0/w` for `params['layer0']['w']`, as JAX writes a path; others as they are.
std::string toPath(llvm::StringRef name);

/// The patterns in a text.
llvm::SmallVector<llvm::StringRef> getPatterns(llvm::StringRef text);

/// `; did you mean "params/w"?` with the known name that is nearest to a pattern without
/// match, or nothing where none is near.
std::string suggestNearest(llvm::StringRef pattern, llvm::ArrayRef<llvm::StringRef> known);

/// That, or where none is near `; there are "x", "y" and 3 more`.
std::string suggest(llvm::StringRef pattern, llvm::ArrayRef<llvm::StringRef> known);

} // namespace dmc::tactics

#endif // DMC_LIB_PARALLELIZE_TACTICS_NAMES_H
