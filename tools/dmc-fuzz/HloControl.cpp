//===- HloControl.cpp - Branches and loops of StableHLO -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HloProgram.h"

#include <cmath>

using namespace dmc;
using namespace dmc::fuzz;

namespace {
/// What a region makes is seen in it only.
class Scope {
public:
  explicit Scope(HloBuilder &g)
      : g(g), numValues(g.values.size()), numArguments(g.arguments.size()) {
    ++g.depth;
  }
  ~Scope() {
    --g.depth;
    g.values.resize(numValues);
    // Arguments are seen everywhere.
    g.values.insert(g.values.end(), g.arguments.begin() + numArguments, g.arguments.end());
  }

private:
  HloBuilder &g;
  size_t numValues, numArguments;
};
} // namespace

static std::vector<std::string> getTypes(const std::vector<Value> &values) {
  std::vector<std::string> types;
  for (const Value &value : values)
    types.push_back(getType(value));
  return types;
}

static void addReturn(HloBuilder &g, const std::vector<Value> &values) {
  std::vector<std::string> names;
  for (const Value &value : values)
    names.push_back(value.name);
  g.os << "    stablehlo.return " << join(names) << " : " << join(getTypes(values)) << "\n";
}

/// Results `%n#0`, ...; `%n` where there is one.
static void addResults(HloBuilder &g, const std::string &name, std::vector<Value> results) {
  for (auto [i, result] : llvm::enumerate(results)) {
    result.name = results.size() == 1 ? name : name + "#" + std::to_string(i);
    g.add(result);
  }
}

static std::string getPack(const std::string &name, size_t count) {
  return count == 1 ? name : name + ":" + std::to_string(count);
}

static bool addBranches(HloBuilder &g, bool isIf) {
  if (g.depth > 1)
    return false;
  Element element = isIf ? Element::I1 : Element::I32;
  const Value *found =
      g.pickIf([&](const Value &value) { return value.element == element && value.shape.empty(); });
  Value selector = found  ? *found
                   : isIf ? g.addArgument({}, element)
                          : g.addArgument({}, element, Fill::Index);
  std::string name = g.next();
  int64_t numBranches = isIf ? 2 : g.random.between(1, 3);
  std::vector<Value> results;
  // The results' number is known after the first branch.
  std::string before = g.body;
  g.body.clear();
  for (int64_t branch = 0; branch < numBranches; ++branch) {
    Scope scope(g);
    g.os << (branch ? "    }, {\n" : "{\n");
    g.addSome(3);
    std::vector<Value> yielded;
    if (branch == 0) {
      for (int64_t i = g.random.between(1, 2); i > 0; --i)
        yielded.push_back(g.pick());
      results = yielded;
    } else {
      for (Value &result : results) {
        Value value = g.getLike(result);
        result.bound = std::max(result.bound, value.bound);
        result.error = std::max(result.error, value.error);
        result.isIntegral &= value.isIntegral;
        result.isSpecial |= value.isSpecial;
        yielded.push_back(value);
      }
    }
    addReturn(g, yielded);
  }
  std::string branches = g.body;
  g.body = before;
  g.begin(getPack(name, results.size()))
      << (isIf ? "\"stablehlo.if\"(" : "\"stablehlo.case\"(") << selector.name << ") (" << branches
      << "    }) : (" << getType(selector) << ") -> (" << join(getTypes(results)) << ")\n";
  addResults(g, name, results);
  return true;
}

static bool addIf(HloBuilder &g) { return addBranches(g, true); }
static bool addCase(HloBuilder &g) { return addBranches(g, false); }

/// A value of the carried one's type, within its bounds: they hold in every iteration.
static Value pickNext(HloBuilder &g, const Value &carried) {
  const Value *found = g.pickIf([&](const Value &value) {
    return value.shape == carried.shape && value.element == carried.element &&
           value.name != carried.name;
  });
  if (!found || !isExact(*found))
    return carried;
  Value value = *found;
  if (!isFloat(value.element) || carried.isSpecial)
    return value;
  if (value.isSpecial || (carried.isIntegral && !value.isIntegral))
    return carried;
  if (value.bound <= carried.bound)
    return value;
  int64_t limit = std::floor(carried.bound);
  std::string high = g.addSplat({}, value.element, limit),
              low = g.addSplat({}, value.element, -limit), name = g.next(),
              scalar = getType({}, value.element);
  g.begin(name) << "stablehlo.clamp " << low << ", " << value.name << ", " << high << " : ("
                << scalar << ", " << getType(value) << ", " << scalar << ") -> " << getType(value)
                << "\n";
  value.name = name;
  return value;
}

static bool addWhile(HloBuilder &g) {
  if (g.depth > 1)
    return false;
  std::vector<Value> initial, carried;
  initial.push_back({g.addSplat({}, Element::I32, 0), {}, Element::I32, 9});
  for (int64_t i = g.random.between(1, 2); i > 0; --i)
    if (const Value *found = g.pickIf(isExact))
      initial.push_back(*found);
  // A trip count that is known, or not.
  std::string limit = g.random.chance(60) ? g.addSplat({}, Element::I32, g.random.below(4))
                                          : g.addArgument({}, Element::I32, Fill::Index).name;
  std::string name = g.next();
  std::vector<std::string> bindings;
  for (const Value &value : initial) {
    carried.push_back(value);
    Value &inner = carried.back();
    inner.name = g.next();
    if (!isFloat(inner.element) && carried.size() > 1)
      inner.bound = INFINITY;
    bindings.push_back(inner.name + " = " + value.name);
  }
  g.begin(getPack(name, initial.size()))
      << "stablehlo.while(" << join(bindings) << ") : " << join(getTypes(initial))
      << "\n    cond {\n    %c = stablehlo.compare LT, " << carried[0].name << ", " << limit
      << " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n"
      << "    } do {\n";
  {
    Scope scope(g);
    for (const Value &value : carried)
      g.values.push_back(value);
    g.addSome(4);
    std::string one = g.addSplat({}, Element::I32, 1), step = g.next();
    g.begin(step) << "stablehlo.add " << carried[0].name << ", " << one << " : tensor<i32>\n";
    std::vector<Value> nexts = {{step, {}, Element::I32, 9}};
    for (const Value &value : llvm::drop_begin(carried))
      nexts.push_back(pickNext(g, value));
    addReturn(g, nexts);
  }
  g.os << "    }\n";
  addResults(g, name, carried);
  return true;
}

const std::vector<HloForm> fuzz::hloControl = {&addIf, &addCase, &addWhile, &addWhile};
