//===- Mutator.cpp - Small damages of a text ------------------------------===//

#include "Mutator.h"

#include "Random.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace dmc::fuzz;

std::vector<std::string> dmc::fuzz::readTexts(const std::string &folder, std::string &error) {
  std::vector<std::string> paths, texts;
  std::error_code code;
  for (llvm::sys::fs::recursive_directory_iterator it(folder, code), end; it != end && !code;
       it.increment(code))
    if (llvm::StringRef(it->path()).ends_with(".mlir"))
      paths.push_back(it->path());
  if (code) {
    error = folder + ": " + code.message();
    return {};
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    if (!buffer) {
      error = path + ": " + buffer.getError().message();
      return {};
    }
    llvm::SmallVector<llvm::StringRef> parts;
    (*buffer)->getBuffer().split(parts, "\n// -----");
    for (llvm::StringRef part : parts)
      // Large programs would be all that is compiled.
      if (part.size() < 20000)
        texts.push_back(part.str());
  }
  if (texts.empty())
    error = folder + ": expected .mlir files";
  return texts;
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
  int64_t number = 0;
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
      random.chance(50) ? std::to_string(number + random.between(-2, 2)) : random.pick(odd);
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

std::string dmc::fuzz::mutate(const std::vector<std::string> &texts, uint64_t seed) {
  Random random(seed);
  std::string text = random.pick(texts);
  using Form = void (*)(std::string &, Random &);
  // Most bytes break the syntax: numbers and words get further.
  static const std::vector<Form> forms = {mutateNumber, mutateNumber, mutateNumber, mutateWord,
                                          mutateWord,   mutateLine,   mutateByte};
  for (int64_t i = random.between(1, 3); i > 0; --i)
    random.pick(forms)(text, random);
  return text;
}
