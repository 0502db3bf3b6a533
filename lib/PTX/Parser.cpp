//===- Parser.cpp - The statements of PTX ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of nested blocks are told apart by a number: what `{ .reg .b32 t; ... }` declares is not
// what the block around it has under that name.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"

#include <cstring>

using namespace dmc::ptx;
using namespace dmc::ptx::syntax;

namespace {
class Parser {
public:
  Parser(std::vector<Token> tokens, Text &result) : tokens(std::move(tokens)), result(result) {}

  std::optional<std::string> run() {
    while (error.empty() && peek().kind != Token::End)
      parseTop();
    return error.empty() ? std::nullopt : std::optional(error);
  }

private:
  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  bool is(const char *text) const { return peek().kind != Token::Text && peek().text == text; }
  bool take(const char *text) {
    if (!is(text))
      return false;
    ++at;
    return true;
  }
  void fail(const std::string &why) {
    if (error.empty())
      error = "line " + std::to_string(peek().line) + ": " + why;
  }
  void expect(const char *text) {
    if (!take(text))
      fail(std::string("expected '") + text + "', found '" + peek().text + "'");
  }
  std::string word(const char *what) {
    if (peek().kind != Token::Word) {
      fail(std::string("expected ") + what + ", found '" + peek().text + "'");
      return "";
    }
    return tokens[at++].text;
  }
  uint64_t number() {
    bool isNegative = take("-");
    if (peek().kind != Token::Number || peek().isFloat) {
      fail("expected a number, found '" + peek().text + "'");
      return 0;
    }
    uint64_t value = tokens[at++].value;
    return isNegative ? 0 - value : value;
  }
  void skipTo(const char *text) {
    while (error.empty() && peek().kind != Token::End && !is(text))
      ++at;
    expect(text);
  }
  void skipLine() {
    int line = peek().line;
    while (peek().kind != Token::End && peek().line == line)
      ++at;
  }

  void parseTop() {
    bool isExternal = false;
    while (is(".visible") || is(".extern") || is(".weak") || is(".common")) {
      isExternal |= is(".extern");
      ++at;
    }
    if (is(".version") || is(".target") || is(".address_size") || is(".file") || is(".loc")) {
      skipLine();
    } else if (is(".section")) {
      skipTo("{");
      skipTo("}");
    } else if (is(".entry") || is(".func")) {
      parseFunction();
    } else if (is(".global") || is(".const") || is(".shared")) {
      Declaration declaration = parseVariable();
      declaration.isExternal = isExternal;
      result.variables.push_back(std::move(declaration));
      expect(";");
    } else {
      fail("unsupported: '" + peek().text + "'");
    }
  }

  /// Of a variable.
  static constexpr uint64_t mostBytes = uint64_t(1) << 30;
  static uint64_t bytesOrOne(Type type) { return std::max(1U, bytesOf(type)); }

  static Space spaceNamed(const std::string &name) {
    if (name == ".global")
      return Space::Global;
    if (name == ".shared")
      return Space::Shared;
    if (name == ".const")
      return Space::Const;
    if (name == ".local")
      return Space::Local;
    return Space::Param;
  }

  /// .space .align N .type name[count] = {...}, without what ends it.
  Declaration parseVariable() {
    Declaration declaration;
    declaration.line = peek().line;
    declaration.space = spaceNamed(word("a state space"));
    unsigned lanes = 1;
    while (error.empty() && is(".align")) {
      ++at;
      declaration.alignment = number();
    }
    while (is(".v2") || is(".v4"))
      lanes = tokens[at++].text[2] - '0';
    std::string type = word("a type");
    declaration.type = typeNamed(type.substr(std::min<size_t>(1, type.size())));
    if (error.empty() && !bytesOf(declaration.type))
      fail("expected a type, found '" + type + "'");
    while (is(".ptr") || is(".global") || is(".shared") || is(".const") || is(".local"))
      ++at;
    if (take(".align"))
      number(); // of what the parameter points at
    declaration.name = word("a name");
    declaration.count = lanes;
    while (take("[")) {
      declaration.isArray = true;
      uint64_t count = is("]") ? 0 : number();
      declaration.count = std::min(declaration.count, mostBytes) * std::min(count, mostBytes);
      expect("]");
    }
    if (declaration.count > mostBytes / bytesOrOne(declaration.type) ||
        declaration.alignment > mostBytes)
      fail("unsupported: a variable of more than " + std::to_string(mostBytes) + " bytes");
    if (take("="))
      parseInitial(declaration);
    if (!declaration.alignment)
      declaration.alignment = lanes * bytesOf(declaration.type);
    return declaration;
  }

  void parseInitial(Declaration &declaration) {
    bool isList = take("{");
    unsigned bytes = bytesOf(declaration.type);
    do {
      if (peek().kind == Token::Word || (peek().kind == Token::Number && peek(1).text == "(")) {
        parseReference(declaration, bytes);
        continue;
      }
      bool isNegative = take("-");
      if (peek().kind != Token::Number)
        return fail("unsupported: an initial value that is not a number");
      Token token = tokens[at++];
      uint64_t value = isNegative ? 0 - token.value : token.value;
      if (token.isFloat && !token.isSingle && bytes == 4) {
        double wide;
        std::memcpy(&wide, &token.value, 8);
        auto narrow = static_cast<float>(isNegative ? -wide : wide);
        value = 0;
        std::memcpy(&value, &narrow, 4);
      }
      for (unsigned i = 0; i < bytes; ++i)
        declaration.initial.push_back(static_cast<uint8_t>(i < 8 ? value >> (8 * i) : 0));
    } while (isList && take(","));
    if (isList)
      expect("}");
  }

  /// `name`, `generic(name)`, either with `+ number`, or bytes of it as in `0xff00(name)`.
  void parseReference(Declaration &declaration, unsigned bytes) {
    Reference reference;
    reference.at = declaration.initial.size();
    reference.bytes = bytes;
    uint64_t mask = 0;
    if (peek().kind == Token::Number) {
      mask = number();
      expect("(");
      if (!mask)
        return fail("expected a mask of bytes, found 0");
      reference.shift = static_cast<unsigned>(__builtin_ctzll(mask)) / 8 * 8;
    }
    bool isGeneric = take("generic");
    if (isGeneric)
      expect("(");
    reference.name = word("a variable");
    if (isGeneric)
      expect(")");
    if (take("+"))
      reference.addend = number();
    if (mask)
      expect(")");
    declaration.initial.resize(declaration.initial.size() + bytes);
    declaration.references.push_back(std::move(reference));
  }

  void parseParameters(std::vector<Declaration> &list) {
    expect("(");
    while (error.empty() && !is(")")) {
      if (is(".reg")) {
        fail("unsupported: a parameter in a register");
        return;
      }
      list.push_back(parseVariable());
      if (!take(","))
        break;
    }
    expect(")");
  }

  void parseFunction() {
    Function f;
    f.line = peek().line;
    f.isEntry = tokens[at++].text == ".entry";
    if (!f.isEntry && is("("))
      parseParameters(f.results);
    f.name = word("a name");
    if (is("("))
      parseParameters(f.parameters);
    while (error.empty() && !is("{") && !is(";")) {
      std::string directive = word("a directive");
      auto triple = [&](std::array<uint32_t, 3> &to) {
        to = {1, 1, 1};
        size_t i = 0;
        do {
          auto value = static_cast<uint32_t>(number());
          if (i < 3)
            to[i++] = value;
        } while (take(","));
      };
      if (directive == ".maxntid")
        triple(f.mostThreads);
      else if (directive == ".reqntid")
        triple(f.requiredThreads);
      else if (directive == ".minnctapersm" || directive == ".maxnreg" ||
               directive == ".maxnctapersm")
        number();
      else if (directive != ".noreturn")
        fail("unsupported: the directive '" + directive + "'");
    }
    if (take(";")) {
      result.functions.try_emplace(f.name, f);
      return;
    }
    f.hasBody = true;
    scopes.assign(1, {});
    numScopes = 0;
    parseBlock(f);
    auto &known = result.functions[f.name];
    if (known.hasBody)
      fail("'" + f.name + "' is defined twice");
    known = std::move(f);
  }

  //===--- Bodies ---===//

  std::string unique(const std::string &name) {
    return scopes.size() == 1 ? name : name + "#" + std::to_string(scopes.back().number);
  }
  /// The name as the innermost block that declares it has it.
  std::string resolve(const std::string &name) const {
    for (size_t i = scopes.size(); i-- > 0;)
      if (auto found = scopes[i].names.find(name); found != scopes[i].names.end())
        return found->second;
    return name;
  }

  void parseBlock(Function &f) {
    expect("{");
    if (scopes.size() > mostNested)
      return fail("unsupported: blocks nested more than " + std::to_string(mostNested) + " deep");
    while (error.empty() && !is("}")) {
      if (peek().kind == Token::End)
        return fail("a block does not end");
      parseStatement(f);
    }
    expect("}");
  }

  void parseRegisters(Function &f) {
    ++at;
    while (is(".v2") || is(".v4"))
      return fail("unsupported: vector registers");
    std::string type = word("a type");
    Type of = typeNamed(type.substr(std::min<size_t>(1, type.size())));
    if (error.empty() && of == Type::None)
      return fail("expected a type, found '" + type + "'");
    do {
      std::string name = word("a register");
      uint64_t count = 0;
      bool isRange = take("<");
      if (isRange) {
        count = number();
        expect(">");
      }
      constexpr uint64_t most = 1 << 20;
      if (count > most)
        return fail("unsupported: more than " + std::to_string(most) + " registers");
      for (uint64_t i = 0; i < (isRange ? count : 1); ++i) {
        std::string own = isRange ? name + std::to_string(i) : name;
        scopes.back().names[own] = unique(own);
        f.registers[unique(own)] = of;
      }
    } while (error.empty() && take(","));
    expect(";");
  }

  void parseStatement(Function &f) {
    if (is("{")) {
      scopes.push_back({++numScopes, {}});
      parseBlock(f);
      scopes.pop_back();
    } else if (is(".reg")) {
      parseRegisters(f);
    } else if (is(".shared") || is(".local") || is(".param") || is(".global") || is(".const")) {
      Declaration declaration = parseVariable();
      scopes.back().names[declaration.name] = unique(declaration.name);
      declaration.name = unique(declaration.name);
      f.variables.push_back(std::move(declaration));
      expect(";");
    } else if (is(".loc") || is(".file")) {
      skipLine();
    } else if (is(".pragma")) {
      skipTo(";");
    } else if (peek().kind == Token::Word && peek(1).text == ":" &&
               peek(1).kind == Token::Punctuation) {
      parseLabel(f);
    } else {
      parseInstruction(f);
    }
  }

  void parseLabel(Function &f) {
    std::string name = word("a label");
    ++at;
    if (is(".branchtargets")) {
      ++at;
      do
        f.branchTables[name].push_back(word("a label"));
      while (take(","));
      expect(";");
      return;
    }
    if (is(".callprototype") || is(".calltargets"))
      return fail("unsupported: indirect calls");
    Statement label;
    label.kind = Statement::Label;
    label.line = peek().line;
    label.name = name;
    f.body.push_back(std::move(label));
  }

  void parseInstruction(Function &f) {
    Statement statement;
    statement.line = peek().line;
    if (take("@")) {
      statement.isGuardNegated = take("!");
      statement.guard = resolve(word("a predicate"));
    }
    statement.name = word("an instruction");
    while (error.empty() && !is(";")) {
      statement.operands.push_back(parseOperand());
      if (!take(","))
        break;
    }
    expect(";");
    f.body.push_back(std::move(statement));
  }

  Operand parseList(Operand::Kind kind, const char *end) {
    Operand operand;
    operand.kind = kind;
    while (error.empty() && !is(end)) {
      operand.parts.push_back(parseOperand());
      if (!take(","))
        break;
    }
    expect(end);
    return operand;
  }

  /// Neither blocks nor operands of operands are deeper than this in any text that makes sense.
  static constexpr size_t mostNested = 100;

  Operand parseOperand() {
    Operand operand;
    Nesting nesting(*this);
    if (depth > mostNested) {
      fail("unsupported: operands nested more than " + std::to_string(mostNested) + " deep");
      return operand;
    }
    if (take("{"))
      return parseList(Operand::Vector, "}");
    if (take("("))
      return parseList(Operand::List, ")");
    if (take("[")) {
      operand.kind = Operand::Address;
      if (peek().kind == Token::Word)
        operand.name = resolve(tokens[at++].text);
      else
        operand.value = number();
      while (error.empty() && (is("+") || is("-"))) {
        bool isNegative = take("-");
        if (!isNegative)
          take("+");
        uint64_t value = number();
        operand.value += isNegative ? 0 - value : value;
      }
      expect("]");
      return operand;
    }
    if (take("!")) {
      operand = parseOperand();
      operand.isNegated = true;
      return operand;
    }
    bool isNegative = take("-");
    if (peek().kind == Token::Number) {
      const Token &token = tokens[at++];
      operand.kind = Operand::Immediate;
      operand.isFloat = token.isFloat;
      operand.isSingle = token.isSingle;
      operand.value = token.value;
      if (isNegative && token.isFloat)
        operand.value ^= token.isSingle ? uint64_t(1) << 31 : uint64_t(1) << 63;
      else if (isNegative)
        operand.value = 0 - token.value;
      return operand;
    }
    operand.name = resolve(word("an operand"));
    operand.kind = operand.name[0] == '%' ? Operand::Register : Operand::Symbol;
    if (take("+")) { // symbol + offset
      operand.value = number();
    } else if (take("|")) {
      Operand pair;
      pair.kind = Operand::Pair;
      pair.parts = {operand, parseOperand()};
      return pair;
    }
    return operand;
  }

  struct Nesting {
    explicit Nesting(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Nesting() { --parser.depth; }
    Parser &parser;
  };
  size_t depth = 0;

  struct Scope {
    unsigned number;
    std::map<std::string, std::string> names;
  };

  std::vector<Token> tokens;
  size_t at = 0;
  Text &result;
  std::string error;
  std::vector<Scope> scopes;
  unsigned numScopes = 0;
};
} // namespace

std::optional<std::string> syntax::parse(const std::string &text, Text &result) {
  std::vector<Token> tokens;
  if (auto why = tokenize(text, tokens))
    return why;
  return Parser(std::move(tokens), result).run();
}
