//===- TextCheck.cpp - What the parser does not survive -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TextCheck.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace dmc;

/// Brackets within each other; two of a region in the generic form.
static constexpr size_t maxDepth = 256;
/// The same with what aliases stand for: nested call sites have one each.
static constexpr size_t maxAliasDepth = 2000;
/// Results of one operation: the parser makes a list as long as a number asks for.
static constexpr uint64_t maxResult = 1'000'000;
/// Operators of one affine expression, which is a tree as deep.
static constexpr size_t maxOperators = 1000;

/// The rest of a text after white space and comments.
static StringRef skipSpace(StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.starts_with("//"))
      return text;
    text = text.drop_until([](char c) { return c == '\n'; });
  }
}

/// Whether the text begins with `= [` and integers of 64 bits, no two the same.
static bool beginsWithList(StringRef text) {
  text = skipSpace(text);
  if (!text.consume_front("="))
    return true; // not ours
  text = skipSpace(text);
  if (!text.consume_front("["))
    return true; // an error that the parser reports
  text = skipSpace(text);
  if (text.starts_with("]"))
    return true;
  SmallVector<int64_t> values;
  while (true) {
    int64_t value;
    bool isHexadecimal = text.starts_with("0x") || text.starts_with("-0x");
    if (isHexadecimal || text.consumeInteger(10, value) || llvm::is_contained(values, value))
      return false;
    values.push_back(value);
    text = skipSpace(text);
    if (text.starts_with("]"))
      return true;
    if (!text.consume_front(","))
      return false;
    text = skipSpace(text);
  }
}

static bool isInWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

namespace {
/// Reads a text token by token, as far as the checks need it.
class Scanner {
public:
  Scanner(llvm::MemoryBufferRef buffer, MLIRContext &context, unsigned firstLine)
      : name(buffer.getBufferIdentifier()), text(buffer.getBuffer()), context(context),
        firstLine(firstLine) {}

  LogicalResult run() {
    while (at < text.size())
      if (failed(readToken()))
        return failure();
    return success();
  }

private:
  LogicalResult readToken() {
    char c = text[at];
    if (llvm::isSpace(c)) {
      ++at;
      return success();
    }
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
      return success();
    }
    bool isName = llvm::isAlnum(c) || StringRef("_\"#!@%").contains(c);
    // Two names in a row outside of brackets: what an alias stands for has ended.
    if (isName && isAfterOperand && brackets.empty())
      alias = nullptr;
    isAfterOperand = isName || StringRef(")]}>").contains(c);
    if (c == '"')
      return readString();
    if (llvm::isAlpha(c) || c == '_')
      return readWord();
    if (c == '#' || c == '!')
      return readAlias();
    ++at;
    switch (c) {
    case '(':
    case '[':
    case '{':
    case '<':
      return open(c);
    case ')':
      return close('(');
    case ']':
      return close('[');
    case '}':
      return close('{');
    case '>':
      return close('<');
    case '-':
      if (!text.substr(at).starts_with(">"))
        return addOperator();
      ++at; // an arrow closes nothing
      numOperators = 0;
      return success();
    case '+':
    case '*':
      return addOperator();
    default:
      if (!llvm::isDigit(c) && c != '%') // else in an affine expression
        numOperators = 0;
      return success();
    }
  }

  LogicalResult readString() {
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
      at += text[at] == '\\';
    ++at;
    return success();
  }

  /// A use of an alias, or its definition, which begins with the name and `=`.
  LogicalResult readAlias() {
    StringRef name = text.substr(at++).take_front(1);
    StringRef word = text.substr(at).take_while(isInWord);
    name = StringRef(name.data(), 1 + word.size());
    at += word.size();
    StringRef rest = skipSpace(text.substr(at));
    if (brackets.empty() && rest.starts_with("=") && !rest.starts_with("==")) {
      alias = &aliasDepths[name];
      *alias = 0;
      return success();
    }
    uint64_t result;
    if (name.starts_with("#") && !word.empty() && llvm::all_of(word, llvm::isDigit) &&
        (word.getAsInteger(10, result) || result > maxResult))
      return emit() << "unsupported: result " << word << " of an operation; expected at most "
                    << maxResult;
    auto found = aliasDepths.find(name);
    return addDepth(found == aliasDepths.end() ? 0 : found->second);
  }

  LogicalResult readWord() {
    StringRef word = text.substr(at).take_while(isInWord);
    at += word.size();
    if (word == "mod" || word == "floordiv" || word == "ceildiv")
      return addOperator();
    if (word == "linalg.reduce" || word == "linalg.transpose" || word == "linalg.broadcast")
      isListExpected = true;
    if (!isListExpected || (word != "dimensions" && word != "permutation"))
      return success();
    isListExpected = false;
    if (beginsWithList(text.substr(at)))
      return success();
    return emit() << "expected a list of distinct 64-bit integers after '" << word << "'";
  }

  LogicalResult open(char bracket) {
    if (bracket != '(')
      numOperators = 0;
    brackets.push_back(bracket);
    if (brackets.size() > maxDepth)
      return emit() << "unsupported: more than " << maxDepth << " brackets within each other";
    return addDepth(0);
  }

  /// Something in the brackets that has `inner` of its own.
  LogicalResult addDepth(size_t inner) {
    size_t depth = brackets.size() + inner;
    if (alias)
      *alias = std::max(*alias, depth);
    if (inner && depth > maxAliasDepth)
      return emit() << "unsupported: aliases for more than " << maxAliasDepth
                    << " brackets within each other";
    return success();
  }

  LogicalResult close(char bracket) {
    if (bracket != '(')
      numOperators = 0;
    // What does not fit is an error that the parser reports, or no bracket.
    if (!brackets.empty() && brackets.back() == bracket)
      brackets.pop_back();
    return success();
  }

  LogicalResult addOperator() {
    if (++numOperators <= maxOperators)
      return success();
    return emit() << "unsupported: an expression of more than " << maxOperators << " operators";
  }

  InFlightDiagnostic emit() {
    StringRef before = text.take_front(at);
    size_t lineStart = before.rfind('\n') == StringRef::npos ? 0 : before.rfind('\n') + 1;
    return emitError(
        FileLineColLoc::get(&context, name, firstLine + before.count('\n'), at - lineStart));
  }

  StringRef name, text;
  MLIRContext &context;
  unsigned firstLine;
  size_t at = 0;
  std::string brackets; // those that are open
  llvm::StringMap<size_t> aliasDepths;
  size_t *alias = nullptr;     // of which the definition is read
  bool isAfterOperand = false; // what another value cannot follow
  size_t numOperators = 0;
  bool isListExpected = false;
};
} // namespace

LogicalResult dmc::checkText(llvm::MemoryBufferRef buffer, MLIRContext &context,
                             unsigned firstLine) {
  if (isBytecode(buffer))
    return success();
  return Scanner(buffer, context, firstLine).run();
}
