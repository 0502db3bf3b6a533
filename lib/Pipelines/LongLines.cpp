//===- LongLines.cpp - Diagnostics that quote long lines ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LongLines.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using llvm::errs, llvm::SMDiagnostic, llvm::SourceMgr, llvm::StringRef, llvm::Twine;

/// Characters before and after the place.
static constexpr size_t kBefore = 60, kAfter = 100;

static void print(const SMDiagnostic &diagnostic, void *) {
  StringRef line = diagnostic.getLineContents();
  int column = diagnostic.getColumnNo();
  if (line.size() <= kBefore + kAfter || column < 0 || diagnostic.getLineNo() < 0) {
    diagnostic.print(/*ProgName=*/nullptr, errs());
    return;
  }
  // LLVM counts columns from the start of what it quotes, so that the heading is printed alone.
  std::string place =
      (diagnostic.getFilename() + ":" + Twine(diagnostic.getLineNo()) + ":" + Twine(column + 1))
          .str();
  SMDiagnostic(place, diagnostic.getKind(), diagnostic.getMessage()).print(nullptr, errs());
  size_t at = std::min<size_t>(column, line.size()), begin = at > kBefore ? at - kBefore : 0;
  std::string quoted = line.substr(begin, at - begin + kAfter).str();
  // A tab becomes as wide as other characters, so that the mark stands below the place.
  std::replace(quoted.begin(), quoted.end(), '\t', ' ');
  StringRef left = begin ? "..." : "", right = begin + quoted.size() < line.size() ? "..." : "";
  errs() << left << quoted << right << '\n';
  errs().indent(left.size() + at - begin) << "^\n";
}

void dmc::quoteLongLinesInPart(SourceMgr &sources) { sources.setDiagHandler(print); }
