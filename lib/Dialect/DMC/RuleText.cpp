//===- RuleText.cpp - Sharding rules as text ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. The text is parsed first; whether it fits an operation is another
// question.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/RuleText.h"

#include "dmc/Dialect/DMC/DMC.h"

#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace dmc;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct ParsedFactor {
  std::string name;
  int64_t size = -1; // not known
  FactorKind kind = FactorKind::Parallel;
};

/// A rule without shapes.
struct ParsedRule {
  SmallVector<ParsedFactor> factors;
  SmallVector<ValueFactors> operands, results;

  std::string listFactors() const {
    return llvm::join(llvm::map_range(factors, [](const ParsedFactor &f) { return f.name; }), ", ");
  }
  std::string listFactors(ArrayRef<unsigned> numbers) const {
    return llvm::join(llvm::map_range(numbers, [&](unsigned f) { return factors[f].name; }), ", ");
  }
};

class RuleParser {
public:
  explicit RuleParser(StringRef text) : text(text), rest(text) {}

  /// Returns what is wrong, or nothing.
  std::string parse(ParsedRule &parsed) {
    rule = &parsed;
    if (parseValues(rule->operands) && expect("->") && parseValues(rule->results) && parseSizes() &&
        parseClauses())
      checkKinds();
    return problem;
  }

private:
  bool fail(const Twine &why) {
    problem = why.str();
    return false;
  }
  void skipSpace() { rest = rest.ltrim(); }
  bool consume(StringRef token) {
    skipSpace();
    return rest.consume_front(token);
  }
  bool failAt(const Twine &expected) {
    skipSpace();
    std::string found = rest.empty() ? "the end" : "'" + rest.take_front(12).str() + "'";
    return fail("expected " + expected + ", found " + found);
  }
  bool expect(StringRef token) { return consume(token) || failAt("'" + token + "'"); }

  /// Items between brackets, separated by commas; there may be none.
  template <typename Parse>
  bool parseList(StringRef open, StringRef close, Parse parseItem) {
    if (!expect(open))
      return false;
    if (consume(close))
      return true;
    do
      if (!parseItem())
        return false;
    while (consume(","));
    return consume(close) || failAt("',' or '" + close + "'");
  }

  /// A letter and perhaps a number; empty if there is none.
  std::string parseName() {
    skipSpace();
    if (rest.empty() || !llvm::isLower(rest.front()))
      return {};
    size_t length = 1;
    if (rest.size() > 2 && rest[1] == '_' && llvm::isDigit(rest[2]))
      for (length = 2; length < rest.size() && llvm::isDigit(rest[length]);)
        ++length;
    std::string name = rest.take_front(length).str();
    rest = rest.drop_front(length);
    return name;
  }

  std::optional<unsigned> find(StringRef name) const {
    for (auto [i, factor] : llvm::enumerate(rule->factors))
      if (factor.name == name)
        return i;
    return std::nullopt;
  }

  /// The factors of one dimension.
  bool parseDim(ValueFactors &value) {
    DimFactors &dim = value.emplace_back();
    for (std::string name = parseName(); !name.empty(); name = parseName()) {
      std::optional<unsigned> factor = find(name);
      if (!factor) {
        factor = rule->factors.size();
        rule->factors.emplace_back().name = name;
      }
      for (const DimFactors &other : value)
        if (llvm::is_contained(other, *factor))
          return fail("factor " + name + " stands twice among the dimensions of one tensor");
      dim.push_back(*factor);
      if (rest.empty() || !llvm::isLower(rest.front()))
        break;
    }
    return !dim.empty() || failAt("a factor, as i or i_1");
  }

  bool parseValues(llvm::SmallVectorImpl<ValueFactors> &values) {
    return parseList("(", ")", [&] {
      ValueFactors &value = values.emplace_back();
      return parseList("[", "]", [&] { return parseDim(value); });
    });
  }

  bool parseFactor(unsigned &factor) {
    std::string name = parseName();
    if (name.empty())
      return failAt("a factor, as i or i_1");
    std::optional<unsigned> found = find(name);
    if (!found)
      return fail("unknown factor " + name + ", expected one of " + rule->listFactors());
    factor = *found;
    return true;
  }

  bool parseSizes() {
    skipSpace();
    if (!rest.starts_with("{"))
      return true;
    return parseList("{", "}", [&] {
      unsigned factor = 0;
      if (!parseFactor(factor) || !expect("="))
        return false;
      skipSpace();
      int64_t &size = rule->factors[factor].size;
      if (rest.consumeInteger(10, size) || size < 1)
        return fail("expected a size, 1 or more, of factor " + rule->factors[factor].name);
      return true;
    });
  }

  bool parseClauses() {
    while (true) {
      FactorKind kind;
      // Of the text of an attribute of Shardy.
      if (consume(",")) {
        if (!expect("custom"))
          return false;
        continue;
      }
      if (consume("reduction"))
        kind = FactorKind::Reduction;
      else if (consume("need_replication"))
        kind = FactorKind::NeedsReplication;
      else
        break;
      if (!expect("=") || !parseList("{", "}", [&] {
            unsigned factor = 0;
            if (!parseFactor(factor))
              return false;
            FactorKind &known = rule->factors[factor].kind;
            if (known != FactorKind::Parallel && known != kind)
              return fail("factor " + rule->factors[factor].name +
                          " is among both reduction and need_replication");
            known = kind;
            return true;
          }))
        return false;
    }
    skipSpace();
    return rest.empty() || failAt("reduction={...}, need_replication={...} or the end");
  }

  static bool has(const ValueFactors &value, unsigned factor) {
    return llvm::any_of(value,
                        [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); });
  }

  /// What is split without communication is in all results, what is added is in none.
  bool checkKinds() {
    for (auto [f, factor] : llvm::enumerate(rule->factors)) {
      unsigned number = f;
      auto hasIt = [&](const ValueFactors &value) { return has(value, number); };
      const ValueFactors *with = llvm::find_if(rule->results, hasIt);
      const ValueFactors *without = llvm::find_if_not(rule->results, hasIt);
      bool isInOne = with != rule->results.end();
      if (factor.kind == FactorKind::Reduction && isInOne)
        return fail("factor " + factor.name + " is among reduction, but in result " +
                    Twine(with - rule->results.begin()));
      if (factor.kind != FactorKind::Parallel || without == rule->results.end())
        continue;
      if (!isInOne)
        return fail("factor " + factor.name +
                    " is in no result; expected it in all of them, or among reduction or "
                    "need_replication");
      return fail("factor " + factor.name + " is in result " + Twine(with - rule->results.begin()) +
                  ", but not in result " + Twine(without - rule->results.begin()) +
                  "; expected it in all of them, or among need_replication");
    }
    return true;
  }

  StringRef text, rest;
  ParsedRule *rule = nullptr;
  std::string problem;
};

/// Gives factors the sizes of the dimensions.
class RuleSizes {
public:
  explicit RuleSizes(ParsedRule &rule) : rule(rule), places(rule.factors.size()) {}

  std::string find(ArrayRef<ArrayRef<int64_t>> operands, ArrayRef<ArrayRef<int64_t>> results) {
    if (count("operand", rule.operands, operands) && count("result", rule.results, results) &&
        visit("operand", rule.operands, operands, /*isJoint=*/false) &&
        visit("result", rule.results, results, /*isJoint=*/false) &&
        visit("operand", rule.operands, operands, /*isJoint=*/true))
      visit("result", rule.results, results, /*isJoint=*/true);
    return problem;
  }

private:
  bool fail(const Twine &why) {
    problem = why.str();
    return false;
  }

  bool count(StringRef kind, ArrayRef<ValueFactors> values, ArrayRef<ArrayRef<int64_t>> shapes) {
    auto plural = [](size_t number, const Twine &what) {
      return (Twine(number) + " " + what + (number == 1 ? "" : "s")).str();
    };
    if (values.size() != shapes.size())
      return fail("the rule has " + plural(values.size(), kind) + ", the operation " +
                  Twine(shapes.size()));
    for (auto [i, value, shape] : llvm::enumerate(values, shapes))
      if (value.size() != shape.size())
        return fail(kind + " " + Twine(i) + " has " + plural(value.size(), "dimension") +
                    " in the rule, but " + Twine(shape.size()) + " in the operation");
    return true;
  }

  /// The dimensions of one factor, or the others.
  bool visit(StringRef kind, ArrayRef<ValueFactors> values, ArrayRef<ArrayRef<int64_t>> shapes,
             bool isJoint) {
    for (auto [i, value, shape] : llvm::enumerate(values, shapes))
      for (auto [d, dim, size] : llvm::enumerate(value, shape)) {
        std::string place = ("dimension " + Twine(d) + " of " + kind + " " + Twine(i)).str();
        if (isJoint != (dim.size() > 1))
          continue;
        if (!(isJoint ? checkJoint(dim, size, place) : take(dim.front(), size, place)))
          return false;
      }
    return true;
  }

  bool take(unsigned number, int64_t size, const std::string &place) {
    ParsedFactor &factor = rule.factors[number];
    if (factor.size >= 0 && factor.size != size)
      return fail("factor " + factor.name + " has size " + Twine(size) + " in " + place + ", but " +
                  Twine(factor.size) +
                  (places[number].empty() ? " among the sizes" : " in " + places[number]));
    factor.size = size;
    places[number] = place;
    return true;
  }

  bool checkJoint(const DimFactors &dim, int64_t size, const std::string &place) {
    int64_t known = 1;
    std::optional<unsigned> unknown;
    for (unsigned number : dim) {
      int64_t part = rule.factors[number].size;
      if (part < 0 && unknown)
        return fail("expected the sizes of factors " + rule.listFactors(dim) + ", as {" +
                    rule.factors[dim.back()].name + "=2}: " + place + " has them together");
      if (part < 0)
        unknown = number;
      else
        known *= part;
    }
    if (unknown && known > 0 && size % known == 0)
      return take(*unknown, size / known, place);
    if (unknown || known != size)
      return fail(place + " has " + Twine(size) + " elements, but its factors " +
                  rule.listFactors(dim) + " have " + (unknown ? "a multiple of " : "") +
                  Twine(known));
    return true;
  }

  ParsedRule &rule;
  SmallVector<std::string> places;
  std::string problem;
};

} // namespace

std::string dmc::checkRule(StringRef text) {
  ParsedRule parsed;
  return RuleParser(text).parse(parsed);
}

static SmallVector<ArrayRef<int64_t>> getShapes(mlir::ValueRange values) {
  return llvm::map_to_vector(values.getTypes(), [](mlir::Type type) {
    return llvm::cast<mlir::RankedTensorType>(type).getShape();
  });
}

std::string dmc::readRule(StringRef text, mlir::ValueRange operands, mlir::ValueRange results,
                          ShardingRule &rule) {
  ParsedRule parsed;
  if (std::string problem = RuleParser(text).parse(parsed); !problem.empty())
    return problem;
  if (std::string problem = RuleSizes(parsed).find(getShapes(operands), getShapes(results));
      !problem.empty())
    return problem;
  for (const ParsedFactor &factor : parsed.factors) {
    bool isReduction = factor.kind == FactorKind::Reduction;
    for (auto [i, result] : llvm::enumerate(results))
      if (isReduction && mlir::getElementTypeOrSelf(result).isInteger(1))
        return "results are added over factor " + factor.name + ", but result " +
               std::to_string(i) + " has elements of i1";
    unsigned number = rule.addFactor(factor.size, factor.kind,
                                     isReduction ? std::optional(CombinerKind::sum) : std::nullopt);
    rule.factors[number].alikeSizes = {kOneSize};
  }
  rule.operands.append(parsed.operands.begin(), parsed.operands.end());
  rule.results.append(parsed.results.begin(), parsed.results.end());
  return {};
}
