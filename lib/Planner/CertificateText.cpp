//===- CertificateText.cpp - Plans with certificates from texts -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form is in docs/planner-problem.md. What is not listed is 0.
//
//===----------------------------------------------------------------------===//
#include "CertificateText.h"
#include "Lexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <set>

using namespace dmc::planner;

/// `plan of "fingerprint" {`, and what the text says that the plan is about.
static bool parseHead(Lexer &lexer, SavedPlan &plan, size_t &fingerprintAt) {
  if (!lexer.expectKeyword("plan") || !lexer.expectKeyword("of"))
    return false;
  fingerprintAt = lexer.peek().offset;
  auto fingerprint = lexer.expectName("the fingerprint of a problem");
  if (!fingerprint)
    return false;
  plan.fingerprint = *fingerprint;
  if (!lexer.expectSign('{'))
    return false;
  if (!lexer.takeKeyword("about"))
    return true;
  if (!lexer.expectSign('{'))
    return false;
  while (!lexer.takeSign('}')) {
    auto name = lexer.expectName("something that the plan is about");
    auto value = name ? lexer.expectName("its " + *name) : std::nullopt;
    if (!value || (!lexer.isSign('}') && !lexer.expectSign(',')))
      return false;
    plan.about.emplace_back(*name, *value);
  }
  return true;
}

namespace {
class Parser {
public:
  Parser(const LayoutProblem &problem, llvm::StringRef text, bool hasRows)
      : problem_(problem), text_(text), lexer_(text), hasRows_(hasRows) {
    offsets_ = getLinkOffsets(problem, numPotentials_);
    for (auto [index, variable] : llvm::enumerate(problem.parts().variables))
      variables_.try_emplace(variable.name, static_cast<uint32_t>(index));
    for (auto [index, row] : llvm::enumerate(problem.parts().rows))
      rows_.try_emplace(row.name, static_cast<uint32_t>(index));
  }
  std::optional<SavedPlan> run(TextError &error);

private:
  bool parsePlan();
  bool parseItem();
  bool parseStates(std::vector<std::optional<uint32_t>> &states);
  bool parseAssignment();
  bool parseRow();
  bool parseNumber(std::optional<int64_t> &number, const char *what);
  bool parseDigest(size_t offset);
  bool parseStage();
  bool parseElimination();
  bool parseVariables(std::vector<uint32_t> &variables, const char *place);
  bool parsePrice(CertificateStage &stage);
  bool parseLink(CertificateStage &stage);
  bool parsePotentials(uint32_t variable, int64_t *potentials);
  std::optional<uint32_t> expectDefined(const llvm::StringMap<uint32_t> &names, const char *kind);

  const LayoutProblem &problem_;
  llvm::StringRef text_;
  Lexer lexer_;
  /// Whether the problem has the rows of the text already.
  bool hasRows_;
  LinkOffsets offsets_;
  size_t numPotentials_ = 0;
  llvm::StringMap<uint32_t> variables_, rows_;
  SavedPlan plan_;
};
} // namespace

std::optional<uint32_t> Parser::expectDefined(const llvm::StringMap<uint32_t> &names,
                                              const char *kind) {
  size_t offset = lexer_.peek().offset;
  std::optional<std::string> name = lexer_.expectName(std::string("a ") + kind);
  if (!name)
    return std::nullopt;
  auto found = names.find(*name);
  if (found == names.end()) {
    lexer_.error("the problem has no " + std::string(kind) + " \"" + *name + "\"", offset);
    return std::nullopt;
  }
  return found->second;
}

/// Those that the text lists.
bool Parser::parseStates(std::vector<std::optional<uint32_t>> &states) {
  if (!lexer_.expectSign('{'))
    return false;
  states.assign(problem_.getNumVariables(), std::nullopt);
  while (!lexer_.takeSign('}')) {
    size_t at = lexer_.peek().offset;
    auto variable = expectDefined(variables_, "variable");
    if (!variable)
      return false;
    const Variable &of = problem_.parts().variables[*variable];
    size_t stateAt = lexer_.peek().offset;
    auto name = lexer_.expectName("a state of \"" + of.name + "\"");
    if (!name)
      return false;
    if (states[*variable])
      return lexer_.error("variable \"" + of.name + "\" has two states", at);
    for (auto [index, state] : llvm::enumerate(of.states))
      if (state.name == *name)
        states[*variable] = static_cast<uint32_t>(index);
    if (!states[*variable])
      return lexer_.error("variable \"" + of.name + "\" has no state \"" + *name + "\"", stateAt);
    if (!lexer_.isSign('}') && !lexer_.expectSign(','))
      return false;
  }
  return true;
}

bool Parser::parseAssignment() {
  size_t offset = lexer_.peek().offset;
  std::vector<std::optional<uint32_t>> states;
  if (!parseStates(states))
    return false;
  for (auto [index, state] : llvm::enumerate(states)) {
    if (!state)
      return lexer_.error("variable \"" + problem_.parts().variables[index].name +
                              "\" has no state in the plan",
                          offset);
    plan_.assignment.push_back(*state);
  }
  return true;
}

/// A plan by the states that are others than the saved plan's.
bool Parser::parseRow() {
  size_t offset = lexer_.peek().offset;
  auto name = hasRows_ ? std::nullopt : lexer_.expectName("a row");
  if (hasRows_) {
    auto row = expectDefined(rows_, "row");
    if (!row)
      return false;
    name = problem_.parts().rows[*row].name;
  }
  if (!name)
    return false;
  if (!hasRows_ && !rows_.try_emplace(*name, static_cast<uint32_t>(rows_.size())).second)
    return lexer_.error("row \"" + *name + "\" is there twice", offset);
  if (plan_.assignment.empty() || !plan_.certificate.stages.empty())
    return lexer_.error("expected row \"" + *name + "\" after the states and before the stages",
                        offset);
  std::optional<int64_t> capacity;
  if (lexer_.isKeyword("capacity") &&
      (!lexer_.expectKeyword("capacity") || !parseNumber(capacity, "a capacity")))
    return false;
  std::vector<std::optional<uint32_t>> states;
  if (!parseStates(states))
    return false;
  SavedRow &row = plan_.rows.emplace_back();
  row.name = *name;
  row.capacity = capacity;
  row.exceeding = plan_.assignment;
  for (auto [index, state] : llvm::enumerate(states))
    row.exceeding[index] = state.value_or(row.exceeding[index]);
  return true;
}

bool Parser::parseNumber(std::optional<int64_t> &number, const char *what) {
  number = lexer_.expectInteger(what);
  return number.has_value();
}

bool Parser::parseDigest(size_t offset) {
  auto digest = lexer_.expectName("the digest of the text");
  if (!digest)
    return false;
  plan_.hasDigest = true;
  plan_.isAsWritten = *digest == getDigest(text_.take_front(offset));
  return lexer_.isSign('}') || lexer_.error("expected '}' after the digest");
}

bool Parser::parsePrice(CertificateStage &stage) {
  auto row = expectDefined(rows_, "row");
  auto price = row ? lexer_.expectInteger("a price") : std::nullopt;
  if (price)
    stage.prices[*row] = *price;
  return price.has_value();
}

bool Parser::parsePotentials(uint32_t variable, int64_t *potentials) {
  size_t offset = lexer_.peek().offset;
  if (!lexer_.expectSign('['))
    return false;
  uint32_t count = 0, expected = problem_.getNumStates(variable);
  while (!lexer_.takeSign(']')) {
    auto value = lexer_.expectInteger("a potential");
    if (!value)
      return false;
    if (count < expected)
      potentials[count] = *value;
    ++count;
  }
  return count == expected ||
         lexer_.error("expected a potential for each of " + std::to_string(expected) +
                          " states of \"" + problem_.parts().variables[variable].name +
                          "\", found " + std::to_string(count),
                      offset);
}

bool Parser::parseLink(CertificateStage &stage) {
  size_t offset = lexer_.peek().offset;
  auto first = expectDefined(variables_, "variable");
  auto second = first ? expectDefined(variables_, "variable") : std::nullopt;
  if (!second)
    return false;
  bool isSwapped = *first > *second;
  auto link = offsets_.find(std::minmax(*first, *second));
  if (link == offsets_.end())
    return lexer_.error("the problem has no pair of \"" + problem_.parts().variables[*first].name +
                            "\" and \"" + problem_.parts().variables[*second].name + "\"",
                        offset);
  int64_t *ofSmaller = stage.potentials.data() + link->second;
  int64_t *ofLarger = ofSmaller + problem_.getNumStates(link->first.first);
  return parsePotentials(*first, isSwapped ? ofLarger : ofSmaller) &&
         parsePotentials(*second, isSwapped ? ofSmaller : ofLarger);
}

bool Parser::parseStage() {
  CertificateStage &stage = plan_.certificate.stages.emplace_back();
  stage.prices.assign(rows_.size(), 0);
  stage.potentials.assign(numPotentials_, 0);
  if (!lexer_.expectSign('{'))
    return false;
  while (!lexer_.takeSign('}')) {
    if (lexer_.takeKeyword("price") ? !parsePrice(stage)
                                    : !(lexer_.expectKeyword("link") && parseLink(stage)))
      return false;
  }
  return true;
}

/// Of all that is left, or within rows.
bool Parser::parseElimination() {
  if (!lexer_.takeKeyword("below"))
    return plan_.certificate.isExact = true;
  CertificateElimination &within = plan_.certificate.withinRows.emplace();
  auto cutoff = lexer_.expectInteger("a cost");
  if (!cutoff || !lexer_.expectKeyword("rows") || !lexer_.expectSign('{'))
    return false;
  within.cutoff = *cutoff;
  while (!lexer_.takeSign('}')) {
    size_t offset = lexer_.peek().offset;
    auto row = expectDefined(rows_, "row");
    if (!row)
      return false;
    if (llvm::is_contained(within.rows, *row))
      return lexer_.error("the row is there twice", offset);
    within.rows.push_back(*row);
    if (!lexer_.isSign('}') && !lexer_.expectSign(','))
      return false;
  }
  return !lexer_.takeKeyword("order") || parseVariables(within.order, "order");
}

/// Each once.
bool Parser::parseVariables(std::vector<uint32_t> &variables, const char *place) {
  if (!lexer_.expectSign('{'))
    return false;
  std::set<uint32_t> known;
  while (!lexer_.takeSign('}')) {
    size_t offset = lexer_.peek().offset;
    auto variable = expectDefined(variables_, "variable");
    if (!variable)
      return false;
    if (!known.insert(*variable).second)
      return lexer_.error(std::string("the variable is in the ") + place + " twice", offset);
    variables.push_back(*variable);
    if (!lexer_.isSign('}') && !lexer_.expectSign(','))
      return false;
  }
  return true;
}

bool Parser::parseItem() {
  size_t offset = lexer_.peek().offset;
  if (lexer_.takeKeyword("scale")) {
    auto scale = lexer_.expectInteger("a scale");
    auto priceScale = scale ? lexer_.expectInteger("a scale of prices") : std::nullopt;
    plan_.certificate.scale = scale.value_or(0);
    plan_.certificate.priceScale = priceScale.value_or(0);
    return priceScale.has_value();
  }
  if (lexer_.takeKeyword("states"))
    return plan_.assignment.empty() ? parseAssignment()
                                    : lexer_.error("expected the states once", offset);
  if (lexer_.takeKeyword("cost"))
    return parseNumber(plan_.cost, "a cost");
  if (lexer_.takeKeyword("bound"))
    return parseNumber(plan_.bound, "a bound");
  if (lexer_.takeKeyword("peak"))
    return parseNumber(plan_.peak, "bytes");
  if (lexer_.takeKeyword("limit"))
    return parseNumber(plan_.limit, "bytes");
  if (lexer_.takeKeyword("row"))
    return parseRow();
  if (lexer_.takeKeyword("stage"))
    return parseStage();
  if (lexer_.takeKeyword("digest"))
    return parseDigest(offset);
  if (lexer_.takeKeyword("exact"))
    return parseElimination();
  if (lexer_.takeKeyword("cluster"))
    return parseVariables(plan_.certificate.clusters.emplace_back(), "cluster");
  if (lexer_.takeKeyword("buckets"))
    return parseNumber(plan_.certificate.bucketEntries, "entries");
  return lexer_.error(
      "expected 'states', 'scale', 'stage', 'exact', 'cluster', 'buckets', 'row', 'cost', 'bound', "
      "'peak', 'limit', 'digest' or '}'");
}

bool Parser::parsePlan() {
  size_t offset = 0;
  if (!parseHead(lexer_, plan_, offset))
    return false;
  if (hasRows_ && plan_.fingerprint != problem_.getFingerprint())
    return lexer_.error("the plan is of another problem", offset);
  while (!lexer_.takeSign('}'))
    if (!parseItem())
      return false;
  if (lexer_.peek().kind != Token::Kind::End)
    return lexer_.error("expected the end of the text after the plan");
  return !lexer_.failed();
}

std::optional<SavedPlan> Parser::run(TextError &error) {
  if (parsePlan())
    return std::move(plan_);
  error = *lexer_.getError();
  return std::nullopt;
}

std::optional<SavedPlan> dmc::planner::parsePlan(const LayoutProblem &problem, llvm::StringRef text,
                                                 TextError &error) {
  return Parser(problem, text, /*hasRows=*/true).run(error);
}

std::optional<SavedPlan> dmc::planner::parsePlanWithRows(const LayoutProblem &problem,
                                                         llvm::StringRef text, TextError &error) {
  return Parser(problem, text, /*hasRows=*/false).run(error);
}

std::optional<SavedPlan> dmc::planner::parsePlanHead(llvm::StringRef text, TextError &error) {
  Lexer lexer(text);
  SavedPlan plan;
  size_t offset = 0;
  if (parseHead(lexer, plan, offset))
    return plan;
  error = *lexer.getError();
  return std::nullopt;
}
