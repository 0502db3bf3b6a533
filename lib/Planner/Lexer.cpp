//===- Lexer.cpp - Tokens of the planner's texts --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Lexer.h.
//
//===----------------------------------------------------------------------===//
#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace dmc::planner;

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

TextError Lexer::makeError(const std::string &message, size_t offset) const {
  llvm::StringRef before = text_.take_front(offset);
  size_t lineStart = before.rfind('\n');
  lineStart = lineStart == llvm::StringRef::npos ? 0 : lineStart + 1;
  return {before.count('\n') + 1, offset - lineStart + 1, message};
}

bool Lexer::error(const std::string &message, size_t offset) {
  if (!error_)
    error_ = makeError(message, offset);
  at_ = text_.size();
  token_ = {Token::Kind::End, "", 0, offset};
  return false;
}

Token Lexer::take() {
  Token taken = std::move(token_);
  advance();
  return taken;
}

void Lexer::advance() {
  while (at_ < text_.size()) {
    if (llvm::isSpace(text_[at_]))
      ++at_;
    else if (text_.substr(at_).starts_with("//"))
      at_ = std::min(text_.find('\n', at_), text_.size());
    else
      break;
  }
  token_ = {Token::Kind::End, "", 0, at_};
  if (at_ >= text_.size())
    return;
  char c = text_[at_];
  if (isWordStart(c)) {
    llvm::StringRef word = text_.substr(at_).take_while(isWordPart);
    token_.kind = Token::Kind::Word;
    token_.text = word.str();
    at_ += word.size();
  } else if (c == '"') {
    lexString();
  } else if (size_t digit = at_ + (c == '-'); digit < text_.size() && llvm::isDigit(text_[digit])) {
    lexInteger();
  } else if (llvm::StringRef("{}[](),;=").contains(c)) {
    token_.kind = Token::Kind::Punctuation;
    token_.text = c;
    ++at_;
  } else {
    error(llvm::isPrint(c)
              ? "unexpected character '" + std::string(1, c) + "'"
              : "unexpected character of code " + std::to_string(static_cast<unsigned char>(c)),
          at_);
  }
}

void Lexer::lexString() {
  token_.kind = Token::Kind::String;
  size_t start = at_++;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
    bool isEscaped = text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n';
    char c = text_[at_ += isEscaped];
    token_.text += isEscaped && c == 'n' ? '\n' : c;
    ++at_;
  }
  if (at_ >= text_.size() || text_[at_] != '"') {
    error("expected '\"' at the end of the string", start);
    return;
  }
  ++at_;
}

void Lexer::lexInteger() {
  token_.kind = Token::Kind::Integer;
  size_t sign = text_[at_] == '-';
  llvm::StringRef digits = text_.substr(at_ + sign).take_while(llvm::isDigit);
  llvm::StringRef number = text_.substr(at_, sign + digits.size());
  if (number.getAsInteger(10, token_.value) || token_.value == infeasible) {
    error("the number does not fit 64 bits", at_);
    return;
  }
  token_.text = number.str();
  at_ += number.size();
}

std::string Lexer::describe() const {
  switch (token_.kind) {
  case Token::Kind::End:
    return "the end of the text";
  case Token::Kind::String:
    return "\"" + token_.text + "\"";
  default:
    return "'" + token_.text + "'";
  }
}

bool Lexer::takeKeyword(llvm::StringRef word) {
  if (!isKeyword(word))
    return false;
  advance();
  return true;
}

bool Lexer::takeSign(char sign) {
  if (!isSign(sign))
    return false;
  advance();
  return true;
}

bool Lexer::expectKeyword(llvm::StringRef word) {
  return takeKeyword(word) || error(("expected '" + word + "', found ").str() + describe());
}

bool Lexer::expectSign(char sign) {
  return takeSign(sign) || error("expected '" + std::string(1, sign) + "', found " + describe());
}

std::optional<std::string> Lexer::expectName(llvm::StringRef what) {
  if (token_.kind == Token::Kind::Word || token_.kind == Token::Kind::String)
    return take().text;
  error(("expected the name of " + what + ", found ").str() + describe());
  return std::nullopt;
}

std::optional<int64_t> Lexer::expectInteger(llvm::StringRef what) {
  if (token_.kind == Token::Kind::Integer)
    return take().value;
  error(("expected " + what + ", found ").str() + describe());
  return std::nullopt;
}
