//===- TextCheck.cpp - What the parser does not survive -------------------===//

#include "TextCheck.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dmc;

/// The rest of a text after white space and comments.
static StringRef skipSpace(StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.starts_with("//"))
      return text;
    text = text.drop_until([](char c) { return c == '\n'; });
  }
}

/// Whether the text begins with `= [` and integers of 64 bits.
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
  while (true) {
    int64_t value;
    bool isHexadecimal = text.starts_with("0x") || text.starts_with("-0x");
    if (isHexadecimal || text.consumeInteger(10, value))
      return false;
    text = skipSpace(text);
    if (text.starts_with("]"))
      return true;
    if (!text.consume_front(","))
      return false;
    text = skipSpace(text);
  }
}

LogicalResult dmc::checkText(llvm::MemoryBufferRef buffer, MLIRContext &context) {
  if (isBytecode(buffer))
    return success();
  StringRef text = buffer.getBuffer();
  bool isPending = false;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '"') { // a string
      for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
        at += text[at] == '\\';
      ++at;
    } else if (c == '/' && text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (llvm::isAlpha(c) || c == '_') {
      StringRef word = text.substr(at).take_while(
          [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; });
      at += word.size();
      if (word == "linalg.reduce" || word == "linalg.transpose" || word == "linalg.broadcast")
        isPending = true;
      if (!isPending || (word != "dimensions" && word != "permutation"))
        continue;
      isPending = false;
      if (beginsWithList(text.substr(at)))
        continue;
      StringRef before = text.take_front(at);
      unsigned line = before.count('\n') + 1;
      unsigned column = at - (before.rfind('\n') == StringRef::npos ? 0 : before.rfind('\n') + 1);
      return emitError(FileLineColLoc::get(&context, buffer.getBufferIdentifier(), line, column))
             << "expected a list of 64-bit integers after '" << word << "'";
    } else {
      ++at;
    }
  }
  return success();
}
