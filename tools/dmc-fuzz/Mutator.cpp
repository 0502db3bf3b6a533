//===- Mutator.cpp - Small damages of a text ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Mutator.h"

#include "Random.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace dmc::fuzz;

/// The text with one public function after the other, if it has several: with more
/// than one entry it would not be compiled at all.
static void addWithOneEntry(const std::string &text, std::vector<std::string> &texts) {
  static const std::string mark = "func.func @";
  std::vector<size_t> places;
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1))
    places.push_back(at);
  if (places.size() < 2)
    return texts.push_back(text);
  for (size_t chosen : places) {
    std::string copy = text;
    for (size_t i = places.size(); i-- > 0;)
      if (places[i] != chosen)
        copy.insert(places[i] + mark.size() - 1, "private ");
    texts.push_back(copy);
  }
}

bool dmc::fuzz::readTexts(const std::string &folder, std::vector<std::string> &texts,
                          std::string &error) {
  std::vector<std::string> paths;
  std::error_code code;
  for (llvm::sys::fs::recursive_directory_iterator it(folder, code), end; it != end && !code;
       it.increment(code))
    if (llvm::StringRef(it->path()).ends_with(".mlir"))
      paths.push_back(it->path());
  if (code)
    error = folder + ": " + code.message();
  else if (paths.empty())
    error = folder + ": expected .mlir files";
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    if (!buffer) {
      error = path + ": " + buffer.getError().message();
      break;
    }
    llvm::SmallVector<llvm::StringRef> parts;
    (*buffer)->getBuffer().split(parts, "\n// -----");
    for (llvm::StringRef part : parts)
      // Large programs would be all that is compiled.
      if (part.size() < 20000)
        addWithOneEntry(part.str(), texts);
  }
  return error.empty();
}

/// The places of maximal runs of characters that suit.
template <typename Predicate>
static std::vector<std::pair<size_t, size_t>> findRuns(const std::string &text,
                                                       Predicate isSuited) {
  std::vector<std::pair<size_t, size_t>> runs;
  for (size_t i = 0; i < text.size();) {
    size_t begin = i;
    while (i < text.size() && isSuited(text[i]))
      ++i;
    if (i > begin)
      runs.push_back({begin, i - begin});
    else
      ++i;
  }
  return runs;
}

static void mutateNumber(std::string &text, Random &random) {
  auto runs = findRuns(text, llvm::isDigit);
  if (runs.empty())
    return;
  auto [begin, size] = random.pick(runs);
  uint64_t number = 0;
  (void)llvm::StringRef(text).substr(begin, size).getAsInteger(10, number);
  static const std::vector<std::string> odd = {"0",
                                               "1",
                                               "2",
                                               "-1",
                                               "3",
                                               "7",
                                               "64",
                                               "2147483648",
                                               "9223372036854775807",
                                               "-9223372036854775808"};
  std::string replacement =
      random.chance(50) ? std::to_string(static_cast<int64_t>(number + random.between(-2, 2)))
                        : random.pick(odd);
  text.replace(begin, size, replacement);
}

/// A word of the text in place of another.
static void mutateWord(std::string &text, Random &random) {
  auto runs = findRuns(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  if (runs.empty())
    return;
  auto [from, fromSize] = random.pick(runs);
  auto [to, toSize] = random.pick(runs);
  std::string word = text.substr(from, fromSize);
  text.replace(to, toSize, word);
}

static void mutateLine(std::string &text, Random &random) {
  auto lines = findRuns(text, [](char c) { return c != '\n'; });
  if (lines.empty())
    return;
  auto [begin, size] = random.pick(lines);
  auto [other, otherSize] = random.pick(lines);
  std::string line = text.substr(begin, size) + "\n";
  switch (random.below(3)) {
  case 0:
    text.erase(begin, size);
    break;
  case 1:
    text.insert(begin, line);
    break;
  default:
    text.insert(other, line);
  }
}

static void mutateByte(std::string &text, Random &random) {
  if (text.empty())
    return;
  static const std::string bytes = "{}[]()<>,:=\"#%@!x-0 \n";
  size_t at = random.below(text.size());
  char byte = bytes[random.below(bytes.size())];
  switch (random.below(3)) {
  case 0:
    text[at] = random.chance(20) ? static_cast<char>(random.between(1, 255)) : byte;
    break;
  case 1:
    text.erase(at, random.between(1, 4));
    break;
  default:
    text.insert(at, 1, byte);
  }
}

/// A few lines of another text, or one of its words, in place of one's own.
static void splice(std::string &text, const std::string &other, Random &random) {
  bool isWord = random.chance(50);
  auto isSuited = [&](char c) {
    return isWord ? llvm::isAlnum(c) || llvm::StringRef("_.%#!@").contains(c) : c != '\n';
  };
  auto from = findRuns(other, isSuited), to = findRuns(text, isSuited);
  if (from.empty() || to.empty())
    return;
  size_t first = random.below(from.size());
  size_t last = isWord ? first : std::min(from.size() - 1, first + random.below(4));
  auto [begin, size] = random.pick(to);
  text.replace(
      begin, random.chance(50) ? size : 0,
      other.substr(from[first].first, from[last].first + from[last].second - from[first].first) +
          (isWord ? "" : "\n"));
}

std::string dmc::fuzz::mutate(const std::vector<std::string> &texts, uint64_t seed) {
  Random random(seed);
  std::string text = random.pick(texts);
  if (random.chance(15))
    splice(text, random.pick(texts), random);
  using Form = void (*)(std::string &, Random &);
  // Most bytes break the syntax: numbers and words get further.
  static const std::vector<Form> forms = {mutateNumber, mutateNumber, mutateNumber, mutateWord,
                                          mutateWord,   mutateLine,   mutateByte};
  for (int64_t i = random.between(random.chance(10) ? 0 : 1, 3); i > 0; --i)
    random.pick(forms)(text, random);
  return text;
}
