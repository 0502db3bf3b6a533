//===- Lexer.h - Tokens of the planner's texts ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the forms of problems and of certificates share. The first error is kept, and ends the
// text: all that follows it is the end.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_LEXER_H
#define DMC_LIB_PLANNER_LEXER_H

#include "dmc/Planner/Text.h"

namespace dmc::planner {

struct Token {
  /// A string is a name that is never a keyword.
  enum class Kind { End, Word, String, Integer, Punctuation };
  Kind kind = Kind::End;
  /// A string without its quotes and escapes; the sign of punctuation.
  std::string text;
  int64_t value = 0;
  size_t offset = 0;
};

class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : text_(text) { advance(); }

  const Token &peek() const { return token_; }
  Token take();
  bool isKeyword(llvm::StringRef word) const {
    return token_.kind == Token::Kind::Word && token_.text == word;
  }
  bool isSign(char sign) const {
    return token_.kind == Token::Kind::Punctuation && token_.text[0] == sign;
  }
  /// Takes the token if it is that one.
  bool takeKeyword(llvm::StringRef word);
  bool takeSign(char sign);
  /// As these, and an error where it is another one. `what` completes "expected".
  bool expectKeyword(llvm::StringRef word);
  bool expectSign(char sign);
  std::optional<std::string> expectName(llvm::StringRef what);
  std::optional<int64_t> expectInteger(llvm::StringRef what);

  /// Always false.
  bool error(const std::string &message) { return error(message, token_.offset); }
  bool error(const std::string &message, size_t offset);
  bool failed() const { return error_.has_value(); }
  const std::optional<TextError> &getError() const { return error_; }
  TextError makeError(const std::string &message, size_t offset) const;

private:
  void advance();
  void lexString();
  void lexInteger();
  /// For messages.
  std::string describe() const;

  llvm::StringRef text_;
  size_t at_ = 0;
  Token token_;
  std::optional<TextError> error_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_LEXER_H
