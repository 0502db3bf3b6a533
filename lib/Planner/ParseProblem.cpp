//===- ParseProblem.cpp - Layout problems from text -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive descent; names are resolved as they are read, so all is defined before it is used.
//
//===----------------------------------------------------------------------===//
#include "Lexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace dmc::planner;

namespace {
using Part = Mistake::Part;

/// Names of one kind, and where each is defined.
struct Names {
  llvm::StringMap<uint32_t> numbers;
  std::vector<size_t> offsets;

  void add(llvm::StringRef name, size_t offset) {
    numbers.try_emplace(name, static_cast<uint32_t>(offsets.size()));
    offsets.push_back(offset);
  }
};

class Parser {
public:
  explicit Parser(llvm::StringRef text) : lexer_(text) {}
  std::optional<LayoutProblem> run(std::vector<TextError> &errors);

private:
  bool parseProblem();
  bool parseUnit();
  bool parseItem();
  bool parseLoop();
  bool parseVariable();
  bool parseTable();
  bool parsePair();
  bool parseRow();
  bool parseRequest();
  bool parseGroup();
  /// What follows in braces, separated by commas; none is allowed.
  template <typename Element>
  bool parseList(Element parseElement);
  bool parseDense(Table &table);
  bool parseSparse(const Pair &pair, Table &table);
  /// `in` and a loop, if the text has them.
  bool parseLoopAround(std::optional<uint32_t> &loop);
  bool parsePairLoop(Pair &pair);
  std::optional<uint32_t> expectDefined(const Names &names, const char *kind);
  std::optional<uint32_t> expectState(uint32_t variable);
  std::optional<int64_t> expectCost();
  size_t getOffset(const Mistake &mistake) const;

  Lexer lexer_;
  ProblemParts parts_;
  Names loops_, variables_, tables_;
  std::vector<llvm::StringMap<uint32_t>> states_;
  /// Where the parts without names, and rows and groups, are.
  std::vector<size_t> tableOffsets_, pairs_, rows_, requests_, groups_;
};
} // namespace

std::optional<uint32_t> Parser::expectDefined(const Names &names, const char *kind) {
  size_t offset = lexer_.peek().offset;
  std::optional<std::string> name = lexer_.expectName(std::string("a ") + kind);
  if (!name)
    return std::nullopt;
  auto found = names.numbers.find(*name);
  if (found == names.numbers.end()) {
    lexer_.error(std::string(kind) + " \"" + *name + "\" is not defined", offset);
    return std::nullopt;
  }
  return found->second;
}

std::optional<uint32_t> Parser::expectState(uint32_t variable) {
  size_t offset = lexer_.peek().offset;
  const std::string &of = parts_.variables[variable].name;
  std::optional<std::string> name = lexer_.expectName("a state of \"" + of + "\"");
  if (!name)
    return std::nullopt;
  auto found = states_[variable].find(*name);
  if (found == states_[variable].end()) {
    lexer_.error("variable \"" + of + "\" has no state \"" + *name + "\"", offset);
    return std::nullopt;
  }
  return found->second;
}

std::optional<int64_t> Parser::expectCost() {
  if (lexer_.takeKeyword("inf"))
    return infeasible;
  return lexer_.expectInteger("a cost in picoseconds or 'inf'");
}

template <typename Element>
bool Parser::parseList(Element parseElement) {
  if (!lexer_.expectSign('{'))
    return false;
  if (lexer_.takeSign('}'))
    return true;
  do {
    if (!parseElement())
      return false;
  } while (lexer_.takeSign(','));
  return lexer_.expectSign('}');
}

bool Parser::parseLoopAround(std::optional<uint32_t> &loop) {
  if (!lexer_.takeKeyword("in"))
    return true;
  loop = expectDefined(loops_, "loop");
  return loop.has_value();
}

bool Parser::parseLoop() {
  size_t offset = lexer_.peek().offset;
  Loop loop;
  auto name = lexer_.expectName("the loop");
  if (!name || !lexer_.expectKeyword("trips"))
    return false;
  auto trips = lexer_.expectInteger("a trip count");
  if (!trips)
    return false;
  if (!parseLoopAround(loop.parent))
    return false;
  loop.name = *name;
  loop.trips = *trips;
  loops_.add(loop.name, offset);
  parts_.loops.push_back(std::move(loop));
  return true;
}

bool Parser::parseVariable() {
  size_t offset = lexer_.peek().offset;
  Variable variable;
  auto name = lexer_.expectName("the variable");
  if (!name || !parseLoopAround(variable.loop))
    return false;
  variable.name = *name;
  llvm::StringMap<uint32_t> states;
  if (!parseList([&] {
        auto state = lexer_.expectName("a state");
        auto cost = state ? expectCost() : std::nullopt;
        if (!cost)
          return false;
        states.try_emplace(*state, static_cast<uint32_t>(variable.states.size()));
        variable.states.push_back({*state, *cost});
        return true;
      }))
    return false;
  variables_.add(variable.name, offset);
  states_.push_back(std::move(states));
  parts_.variables.push_back(std::move(variable));
  return true;
}

/// After the opening bracket.
bool Parser::parseDense(Table &table) {
  uint32_t columns = 0;
  auto endRow = [&] {
    if (table.rows++ == 0)
      table.columns = columns;
    else if (columns != table.columns)
      return lexer_.error("expected " + std::to_string(table.columns) +
                          " costs as in the first row, found " + std::to_string(columns));
    columns = 0;
    return true;
  };
  while (true) {
    if (lexer_.isSign(';') || lexer_.isSign(']')) {
      bool isLast = lexer_.isSign(']');
      if (!endRow())
        return false;
      lexer_.take();
      if (isLast)
        return true;
      continue;
    }
    auto cost = expectCost();
    if (!cost)
      return false;
    table.costs.push_back(*cost);
    ++columns;
  }
}

bool Parser::parseSparse(const Pair &pair, Table &table) {
  table.rows = static_cast<uint32_t>(parts_.variables[pair.first].states.size());
  table.columns = static_cast<uint32_t>(parts_.variables[pair.second].states.size());
  int64_t size = static_cast<int64_t>(table.rows) * table.columns;
  if (size > tableLimit)
    return lexer_.error("a table of " + std::to_string(size) + " costs is larger than the limit " +
                        std::to_string(tableLimit));
  std::map<std::pair<uint32_t, uint32_t>, int64_t> entries;
  std::optional<int64_t> rest;
  if (!parseList([&] {
        size_t offset = lexer_.peek().offset;
        if (lexer_.takeKeyword("default")) {
          if (rest)
            return lexer_.error("expected one default of a pair, found another", offset);
          rest = expectCost();
          return rest.has_value();
        }
        auto row = expectState(pair.first);
        auto column = row ? expectState(pair.second) : std::nullopt;
        auto cost = column ? expectCost() : std::nullopt;
        if (!cost)
          return false;
        return entries.try_emplace({*row, *column}, *cost).second ||
               lexer_.error("expected one cost of two states, found another", offset);
      }))
    return false;
  table.costs.assign(static_cast<size_t>(size), rest.value_or(0));
  for (auto [states, cost] : entries)
    table.costs[static_cast<size_t>(states.first) * table.columns + states.second] = cost;
  return true;
}

bool Parser::parseTable() {
  size_t offset = lexer_.peek().offset;
  auto name = lexer_.expectName("the table");
  if (!name)
    return false;
  if (tables_.numbers.count(*name))
    return lexer_.error("table \"" + *name + "\" is defined twice", offset);
  Table table;
  if (!lexer_.expectSign('[') || !parseDense(table))
    return false;
  // Tables of pairs lie between the named ones: a name's number is not its position among names.
  tables_.numbers[*name] = static_cast<uint32_t>(parts_.tables.size());
  parts_.tables.push_back(std::move(table));
  tableOffsets_.push_back(offset);
  return true;
}

bool Parser::parsePairLoop(Pair &pair) {
  if (lexer_.takeKeyword("outside"))
    return true;
  if (lexer_.isKeyword("in"))
    return parseLoopAround(pair.loop);
  pair.loop =
      getCommonLoop(parts_, parts_.variables[pair.first].loop, parts_.variables[pair.second].loop);
  return true;
}

bool Parser::parsePair() {
  size_t offset = lexer_.peek().offset;
  Pair pair;
  auto first = expectDefined(variables_, "variable");
  auto second = first ? expectDefined(variables_, "variable") : std::nullopt;
  if (!second)
    return false;
  pair.first = *first;
  pair.second = *second;
  if (!parsePairLoop(pair))
    return false;
  if (lexer_.isSign('[') || lexer_.isSign('{')) {
    Table table;
    size_t start = lexer_.peek().offset;
    if (lexer_.isSign('{') ? !parseSparse(pair, table)
                           : !(lexer_.takeSign('[') && parseDense(table)))
      return false;
    pair.table = static_cast<uint32_t>(parts_.tables.size());
    parts_.tables.push_back(std::move(table));
    tableOffsets_.push_back(start);
  } else {
    auto table = expectDefined(tables_, "table");
    if (!table)
      return false;
    pair.table = *table;
  }
  parts_.pairs.push_back(pair);
  pairs_.push_back(offset);
  return true;
}

bool Parser::parseRow() {
  size_t offset = lexer_.peek().offset;
  auto name = lexer_.expectName("the row");
  if (!name || !lexer_.expectKeyword("capacity"))
    return false;
  auto capacity = lexer_.expectInteger("a number of bytes");
  if (!capacity)
    return false;
  Row row{*name, *capacity, {}};
  if (!parseList([&] {
        auto variable = expectDefined(variables_, "variable");
        auto state = variable ? expectState(*variable) : std::nullopt;
        auto bytes = state ? lexer_.expectInteger("a number of bytes") : std::nullopt;
        if (bytes)
          row.uses.push_back({*variable, *state, *bytes});
        return bytes.has_value();
      }))
    return false;
  parts_.rows.push_back(std::move(row));
  rows_.push_back(offset);
  return true;
}

bool Parser::parseRequest() {
  size_t offset = lexer_.peek().offset;
  auto variable = expectDefined(variables_, "variable");
  if (!variable || !lexer_.expectSign('='))
    return false;
  auto state = expectState(*variable);
  if (!state)
    return false;
  parts_.requests.push_back({*variable, *state});
  requests_.push_back(offset);
  return true;
}

bool Parser::parseGroup() {
  size_t offset = lexer_.peek().offset;
  auto name = lexer_.expectName("the group");
  if (!name)
    return false;
  Group group{*name, {}};
  if (!parseList([&] {
        if (!lexer_.expectSign('['))
          return false;
        std::vector<uint32_t> &instance = group.instances.emplace_back();
        while (!lexer_.isSign(']')) {
          auto variable = expectDefined(variables_, "variable");
          if (!variable)
            return false;
          instance.push_back(*variable);
        }
        return lexer_.expectSign(']');
      }))
    return false;
  parts_.groups.push_back(std::move(group));
  groups_.push_back(offset);
  return true;
}

bool Parser::parseItem() {
  static constexpr std::pair<const char *, bool (Parser::*)()> items[] = {
      {"loop", &Parser::parseLoop},   {"variable", &Parser::parseVariable},
      {"table", &Parser::parseTable}, {"pair", &Parser::parsePair},
      {"row", &Parser::parseRow},     {"request", &Parser::parseRequest},
      {"group", &Parser::parseGroup}};
  for (auto [keyword, parse] : items)
    if (lexer_.takeKeyword(keyword))
      return (this->*parse)();
  return lexer_.error("expected 'loop', 'variable', 'table', 'pair', 'row', 'request', 'group' "
                      "or '}'");
}

bool Parser::parseUnit() {
  size_t offset = lexer_.peek().offset;
  auto unit = lexer_.expectInteger("the logarithm of a unit");
  if (!unit)
    return false;
  if (*unit < -mostUnit || *unit > mostUnit)
    return lexer_.error("expected a logarithm from " + std::to_string(-mostUnit) + " to " +
                            std::to_string(mostUnit),
                        offset);
  parts_.unit = static_cast<int>(*unit);
  return true;
}

bool Parser::parseProblem() {
  if (!lexer_.expectKeyword("problem"))
    return false;
  auto name = lexer_.expectName("the problem");
  if (!name || (lexer_.takeKeyword("unit") && !parseUnit()) || !lexer_.expectSign('{'))
    return false;
  parts_.name = *name;
  while (!lexer_.takeSign('}'))
    if (!parseItem())
      return false;
  if (lexer_.peek().kind != Token::Kind::End)
    return lexer_.error("expected the end of the text after the problem");
  return !lexer_.failed();
}

size_t Parser::getOffset(const Mistake &mistake) const {
  switch (mistake.part) {
  case Part::Problem:
    return 0;
  case Part::Loop:
    return loops_.offsets[mistake.index];
  case Part::Variable:
    return variables_.offsets[mistake.index];
  case Part::Table:
    return tableOffsets_[mistake.index];
  case Part::Pair:
    return pairs_[mistake.index];
  case Part::Row:
    return rows_[mistake.index];
  case Part::Request:
    return requests_[mistake.index];
  case Part::Group:
    return groups_[mistake.index];
  }
  llvm_unreachable("all parts are above");
}

std::optional<LayoutProblem> Parser::run(std::vector<TextError> &errors) {
  if (!parseProblem()) {
    errors.push_back(*lexer_.getError());
    return std::nullopt;
  }
  std::vector<Mistake> mistakes;
  auto problem = LayoutProblem::create(std::move(parts_), mistakes);
  for (const Mistake &mistake : mistakes)
    errors.push_back(lexer_.makeError(mistake.message, getOffset(mistake)));
  return problem;
}

std::optional<LayoutProblem> dmc::planner::parseProblem(llvm::StringRef text,
                                                        std::vector<TextError> &errors) {
  return Parser(text).run(errors);
}
