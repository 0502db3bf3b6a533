//===- CertificateText.cpp - Plans with certificates as text --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form is in docs/planner-problem.md. What is not listed is 0.
//
//===----------------------------------------------------------------------===//
#include "Lexer.h"

#include "dmc/Planner/Certificate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <map>

using namespace dmc::planner;

namespace {
/// Where each link's potentials begin.
using LinkOffsets = std::map<std::pair<uint32_t, uint32_t>, size_t>;

LinkOffsets getLinkOffsets(const LayoutProblem &problem, size_t &size) {
  LinkOffsets offsets;
  for (const Pair &pair : problem.parts().pairs)
    offsets[std::minmax(pair.first, pair.second)] = 0;
  size = 0;
  for (auto &[ends, offset] : offsets) {
    offset = size;
    size += problem.getNumStates(ends.first) + problem.getNumStates(ends.second);
  }
  return offsets;
}

class Parser {
public:
  Parser(const LayoutProblem &problem, llvm::StringRef text) : problem_(problem), lexer_(text) {
    offsets_ = getLinkOffsets(problem, numPotentials_);
    for (auto [index, variable] : llvm::enumerate(problem.parts().variables))
      variables_.try_emplace(variable.name, static_cast<uint32_t>(index));
    for (auto [index, row] : llvm::enumerate(problem.parts().rows))
      rows_.try_emplace(row.name, static_cast<uint32_t>(index));
  }
  std::optional<SavedPlan> run(TextError &error);

private:
  bool parsePlan();
  bool parseHead();
  bool parseAssignment();
  bool parseStage();
  bool parsePrice(CertificateStage &stage);
  bool parseLink(CertificateStage &stage);
  bool parsePotentials(uint32_t variable, int64_t *potentials);
  std::optional<uint32_t> expectDefined(const llvm::StringMap<uint32_t> &names, const char *kind);

  const LayoutProblem &problem_;
  Lexer lexer_;
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

bool Parser::parseHead() {
  if (!lexer_.expectKeyword("plan") || !lexer_.expectKeyword("of"))
    return false;
  size_t offset = lexer_.peek().offset;
  auto fingerprint = lexer_.expectName("the fingerprint of a problem");
  if (!fingerprint)
    return false;
  if (*fingerprint != problem_.getFingerprint())
    return lexer_.error("the plan is of another problem", offset);
  return lexer_.expectSign('{');
}

bool Parser::parseAssignment() {
  size_t offset = lexer_.peek().offset;
  if (!lexer_.expectSign('{'))
    return false;
  std::vector<std::optional<uint32_t>> states(problem_.getNumVariables());
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
  for (auto [index, state] : llvm::enumerate(states)) {
    if (!state)
      return lexer_.error("variable \"" + problem_.parts().variables[index].name +
                              "\" has no state in the plan",
                          offset);
    plan_.assignment.push_back(*state);
  }
  return true;
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
  stage.prices.assign(problem_.parts().rows.size(), 0);
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

bool Parser::parsePlan() {
  if (!parseHead())
    return false;
  bool hasAssignment = false;
  while (!lexer_.takeSign('}')) {
    size_t offset = lexer_.peek().offset;
    if (lexer_.takeKeyword("scale")) {
      auto scale = lexer_.expectInteger("a scale");
      auto priceScale = scale ? lexer_.expectInteger("a scale of prices") : std::nullopt;
      if (!priceScale)
        return false;
      plan_.certificate.scale = *scale;
      plan_.certificate.priceScale = *priceScale;
    } else if (lexer_.takeKeyword("states")) {
      if (hasAssignment)
        return lexer_.error("expected the states once", offset);
      hasAssignment = true;
      if (!parseAssignment())
        return false;
    } else if (!lexer_.takeKeyword("stage")) {
      return lexer_.error("expected 'scale', 'states', 'stage' or '}'");
    } else if (!parseStage()) {
      return false;
    }
  }
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
  return Parser(problem, text).run(error);
}

void dmc::planner::printPlan(const LayoutProblem &problem, const SavedPlan &plan,
                             llvm::raw_ostream &stream) {
  const ProblemParts &parts = problem.parts();
  stream << "plan of \"" << problem.getFingerprint() << "\" {\n";
  if (!plan.assignment.empty()) {
    stream << "  states {";
    for (auto [index, state] : llvm::enumerate(plan.assignment)) {
      stream << (index ? ",\n    " : "\n    ");
      printName(parts.variables[index].name, stream);
      stream << ' ';
      printName(parts.variables[index].states[state].name, stream);
    }
    stream << "\n  }\n";
  }
  stream << "  scale " << plan.certificate.scale << ' ' << plan.certificate.priceScale << '\n';
  size_t size = 0;
  LinkOffsets offsets = getLinkOffsets(problem, size);
  for (const CertificateStage &stage : plan.certificate.stages) {
    stream << "  stage {\n";
    for (auto [index, price] : llvm::enumerate(stage.prices))
      if (price) {
        stream << "    price ";
        printName(parts.rows[index].name, stream);
        stream << ' ' << price << '\n';
      }
    for (const auto &[ends, offset] : offsets) {
      auto first = llvm::ArrayRef(stage.potentials).slice(offset, problem.getNumStates(ends.first));
      auto second = llvm::ArrayRef(stage.potentials)
                        .slice(offset + first.size(), problem.getNumStates(ends.second));
      auto isZero = [](int64_t value) { return value == 0; };
      if (llvm::all_of(first, isZero) && llvm::all_of(second, isZero))
        continue;
      stream << "    link ";
      printName(parts.variables[ends.first].name, stream);
      stream << ' ';
      printName(parts.variables[ends.second].name, stream);
      for (auto values : {first, second}) {
        stream << " [";
        llvm::interleave(values, stream, " ");
        stream << ']';
      }
      stream << '\n';
    }
    stream << "  }\n";
  }
  stream << "}\n";
}
