//===- Lexer.cpp - The tokens of PTX --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Syntax.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

using namespace dmc::ptx;
using namespace dmc::ptx::syntax;

namespace {
class Lexer {
public:
  explicit Lexer(const std::string &text) : text(text) {}

  std::optional<std::string> run(std::vector<Token> &tokens) {
    while (true) {
      if (!skipSpace())
        return "line " + std::to_string(line) + ": a comment does not end";
      if (at >= text.size())
        break;
      Token token;
      token.line = line;
      if (!read(token))
        return "line " + std::to_string(line) + ": unexpected character '" + text[at] + "'";
      tokens.push_back(std::move(token));
    }
    Token end;
    end.line = line;
    tokens.push_back(end);
    return std::nullopt;
  }

private:
  bool skipSpace() {
    while (at < text.size()) {
      if (text[at] == '\n')
        ++line, ++at;
      else if (std::isspace(static_cast<unsigned char>(text[at])))
        ++at;
      else if (text.compare(at, 2, "//") == 0)
        at = std::min(text.find('\n', at), text.size());
      else if (text.compare(at, 2, "/*") == 0) {
        size_t end = text.find("*/", at + 2);
        if (end == std::string::npos)
          return false;
        for (; at < end + 2; ++at)
          line += text[at] == '\n';
      } else
        break;
    }
    return true;
  }

  static bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' ||
           c == '%';
  }

  bool read(Token &token) {
    char c = text[at];
    if (c == '"') {
      size_t end = text.find('"', at + 1);
      if (end == std::string::npos)
        return false;
      token.kind = Token::Text;
      token.text = text.substr(at + 1, end - at - 1);
      at = end + 1;
      return true;
    }
    if (std::isdigit(static_cast<unsigned char>(c)))
      return readNumber(token);
    if (isWord(c)) {
      size_t begin = at++;
      // A scope of a name, as in `a::b`, is a part of it.
      while (at < text.size() && (isWord(text[at]) || text.compare(at, 2, "::") == 0))
        at += text[at] == ':' ? 2 : 1;
      // Directives may touch, as in `.reg.b32`.
      if (c == '.')
        at = std::min(at, text.find('.', begin + 1));
      token.kind = Token::Word;
      token.text = text.substr(begin, at - begin);
      return true;
    }
    if (std::strchr(",;:{}[]()<>+-!@|=*", c)) {
      token.kind = Token::Punctuation;
      token.text = c;
      ++at;
      return true;
    }
    return false;
  }

  bool readNumber(Token &token) {
    token.kind = Token::Number;
    const char *begin = text.c_str() + at;
    char *end = nullptr;
    if (begin[0] == '0' &&
        (begin[1] == 'f' || begin[1] == 'F' || begin[1] == 'd' || begin[1] == 'D')) {
      token.isFloat = true;
      token.isSingle = begin[1] == 'f' || begin[1] == 'F';
      size_t digits = token.isSingle ? 8 : 16;
      std::string number = text.substr(at + 2, digits);
      if (number.size() < digits ||
          number.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
        return false;
      token.value = std::strtoull(number.c_str(), nullptr, 16);
      at += 2 + digits;
    } else {
      size_t length = std::strspn(begin, "0123456789");
      bool isDecimal =
          begin[length] == '.' && std::isdigit(static_cast<unsigned char>(begin[length + 1]));
      if (isDecimal || ((begin[length] == 'e' || begin[length] == 'E') && length)) {
        double value = std::strtod(begin, &end);
        token.isFloat = true;
        std::memcpy(&token.value, &value, 8);
      } else if (begin[0] == '0' && (begin[1] == 'b' || begin[1] == 'B')) {
        token.value = std::strtoull(begin + 2, &end, 2);
      } else {
        token.value = std::strtoull(begin, &end, 0);
      }
      if (*end == 'U')
        ++end;
      at += end - begin;
    }
    token.text = std::string(begin, text.c_str() + at);
    return at >= text.size() ||
           !(std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  }

  const std::string &text;
  size_t at = 0;
  int line = 1;
};
} // namespace

std::optional<std::string> syntax::tokenize(const std::string &text, std::vector<Token> &tokens) {
  return Lexer(text).run(tokens);
}
