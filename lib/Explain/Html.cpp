//===- Html.cpp - An explanation as a page --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page is a template with the JSON object in it; its script builds the tables of
// text nodes, so that no name of a program is ever markup.
//
//===----------------------------------------------------------------------===//
#include "dmc/Explain/Explain.h"

#include "Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <set>

using namespace dmc::explain;

/// In pieces: compilers bound a literal's length.
static const char *const pagePieces[] = {
#include "Page.inc"
};

/// Tensors on the page beside arguments, results and what is moved.
static constexpr size_t kMaxTensors = 400;

/// JSON within a script element: nothing in it may look like markup.
static std::string escapeScript(llvm::StringRef text) {
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  for (char c : text) {
    if (c == '<')
      result += "\\u003c";
    else if (c == '>')
      result += "\\u003e";
    else if (c == '&')
      result += "\\u0026";
    else
      result += c;
  }
  return result;
}

static std::string escapeText(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string dmc::explain::toHtml(const Explanation &all, const Filter &filter) {
  // The largest tensors, and all that are named or moved.
  std::vector<const Tensor *> bySize;
  std::set<unsigned> shown;
  for (const Tensor &tensor : all.tensors) {
    if (tensor.kind != "value")
      shown.insert(tensor.id);
    bySize.push_back(&tensor);
  }
  for (const Collective &collective : all.collectives)
    if (collective.tensor)
      shown.insert(*collective.tensor);
  llvm::stable_sort(bySize, [](const Tensor *a, const Tensor *b) { return a->bytes > b->bytes; });
  for (const Tensor *tensor : llvm::ArrayRef(bySize).take_front(kMaxTensors))
    shown.insert(tensor->id);

  std::string data;
  {
    llvm::raw_string_ostream stream(data);
    llvm::json::OStream os(stream);
    writeJson(
        os, all, [&](const Collective &collective) { return matches(filter, all, collective); },
        [&](const Tensor &tensor) {
          return shown.count(tensor.id) != 0 && (filter.isEmpty() || matches(filter, tensor));
        },
        [](const Kernel &) { return false; }); // which the page has no table for
  }
  std::string page;
  for (const char *piece : pagePieces)
    page += piece;
  auto fill = [&](llvm::StringRef mark, const std::string &text) {
    size_t at = page.find(mark.str());
    if (at != std::string::npos)
      page.replace(at, mark.size(), text);
  };
  // The data last: it may hold anything.
  fill("@TITLE@", escapeText(all.program));
  fill("@DATA@", escapeScript(data));
  return page;
}
