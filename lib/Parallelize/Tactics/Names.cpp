//===- Names.cpp - Patterns of names --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "Names.h"

#include "llvm/ADT/STLExtras.h"

using llvm::ArrayRef, llvm::SmallVector, llvm::StringRef;
using namespace dmc;

bool tactics::matches(StringRef pattern, StringRef name) {
  // Greedy with one point of return suffices for stars.
  size_t p = 0, n = 0, star = StringRef::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != StringRef::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.substr(p).find_first_not_of('*') == StringRef::npos;
}

std::string tactics::toPath(StringRef name) {
  std::string path;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\'' || name[i] == ']')
      continue;
    if (name[i] != '[')
      path += name[i];
    else if (!path.empty())
      path += '/';
  }
  return path;
}

SmallVector<StringRef> tactics::getPatterns(StringRef text) {
  SmallVector<StringRef> patterns;
  text.split(patterns, ',', -1, /*KeepEmpty=*/false);
  for (StringRef &pattern : patterns)
    pattern = pattern.trim();
  return patterns;
}

std::string tactics::suggestNearest(StringRef pattern, ArrayRef<StringRef> known) {
  unsigned best = std::max<size_t>(2, pattern.size() / 3) + 1;
  StringRef nearest;
  for (StringRef name : known) {
    unsigned distance = pattern.edit_distance(name, /*AllowReplacements=*/true, best);
    // A part of a path is what people leave out.
    if (distance >= best && !pattern.empty() && name.contains(pattern))
      distance = best - 1;
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest.empty() ? std::string() : "; did you mean \"" + nearest.str() + "\"?";
}

std::string tactics::suggest(StringRef pattern, ArrayRef<StringRef> known) {
  std::string text = suggestNearest(pattern, known);
  if (!text.empty())
    return text;
  size_t shown = known.size() > 6 ? 5 : known.size();
  for (StringRef name : known.take_front(shown))
    text += (text.empty() ? "; there are \"" : ", \"") + name.str() + '"';
  if (shown < known.size())
    text += " and " + std::to_string(known.size() - shown) + " more";
  return text;
}
