//===- Syntax.h - PTX as it is written --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PTX_SYNTAX_H
#define DMC_LIB_PTX_SYNTAX_H

#include "Program.h"

#include <optional>

namespace dmc::ptx::syntax {

struct Token {
  enum Kind { Word, Number, Text, Punctuation, End } kind = End;
  std::string text;
  uint64_t value = 0;   // bits of a number
  bool isFloat = false; // a number of 64 or, if isSingle, 32 bits
  bool isSingle = false;
  int line = 0;
};

/// The tokens of a text; an error, with its line, if a character is none of PTX.
std::optional<std::string> tokenize(const std::string &text, std::vector<Token> &tokens);

struct Operand {
  enum Kind { Register, Symbol, Immediate, Vector, Address, Pair, List } kind = Register;
  std::string name;   // of a register or a symbol; of an address: its base, or nothing
  uint64_t value = 0; // of an immediate; of an address: the offset
  bool isFloat = false, isSingle = false, isNegated = false;
  std::vector<Operand> parts; // of a vector or a list; of p|q both
};

struct Statement {
  enum Kind { Label, Instruction } kind = Instruction;
  int line = 0;
  std::string name;  // of a label; or the opcode with its modifiers
  std::string guard; // a predicate, or nothing
  bool isGuardNegated = false;
  std::vector<Operand> operands;
};

struct Declaration {
  std::string name;
  Type type = Type::B8;
  Space space = Space::Global;
  uint64_t count = 1, alignment = 0;
  int line = 0;
  bool isExternal = false, isArray = false;
  std::vector<uint8_t> initial;
  std::vector<Reference> references;
  uint64_t bytes() const { return count * bytesOf(type); }
};

struct Function {
  std::string name;
  int line = 0;
  bool isEntry = false, hasBody = false;
  std::vector<Declaration> results, parameters;
  std::array<uint32_t, 3> mostThreads = {}, requiredThreads = {};
  std::map<std::string, Type> registers; // by name
  std::vector<Declaration> variables;
  std::map<std::string, std::vector<std::string>> branchTables;
  std::vector<Statement> body;
};

struct Text {
  std::vector<Declaration> variables;
  std::map<std::string, Function> functions;
};

/// What is wrong, with its line, or nothing.
std::optional<std::string> parse(const std::string &text, Text &result);

} // namespace dmc::ptx::syntax

#endif // DMC_LIB_PTX_SYNTAX_H
