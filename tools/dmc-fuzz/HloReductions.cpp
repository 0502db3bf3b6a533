//===- HloReductions.cpp - Reductions and sorts of StableHLO --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HloProgram.h"

#include <cmath>

using namespace dmc;
using namespace dmc::fuzz;

//===--- What combines ----------------------------------------------------===//

std::string HloBuilder::getReducer(const std::string &op, Element element) {
  std::string type = getType({}, element);
  return "({\n    ^bb0(%p: " + type + ", %q: " + type + "):\n      %s = stablehlo." + op +
         " %p, %q : " + type + "\n      stablehlo.return %s : " + type + "\n    })";
}

std::string HloBuilder::getPairReducer(Element element) {
  std::string type = getType({}, element);
  return "({\n    ^bb0(%p: " + type + ", %i: " + type + ", %q: " + type + ", %j: " + type +
         "):\n      %s = stablehlo.add %p, %q : " + type +
         "\n      %m = stablehlo.maximum %i, %j : " + type +
         "\n      stablehlo.return %s, %m : " + type + ", " + type + "\n    })";
}

std::string fuzz::getNeutral(const std::string &op, Element element) {
  const ElementInfo &info = getInfo(element);
  bool isLogic = element == Element::I1;
  if (op == "add" || op == "or" || op == "xor")
    return getNumber(element, 0);
  if (op == "multiply")
    return getNumber(element, 1);
  if (op == "and")
    return isLogic ? "true" : info.isUnsigned ? "255" : "-1";
  bool isMaximum = op == "maximum";
  if (isLogic)
    return isMaximum ? "false" : "true";
  if (info.isFloat) {
    static const char *const infinities[][2] = {{"0x7C00", "0xFC00"},
                                                {"0x7F80", "0xFF80"},
                                                {"0x7F800000", "0xFF800000"},
                                                {"0x7FF0000000000000", "0xFFF0000000000000"}};
    return infinities[static_cast<int>(element) - static_cast<int>(Element::F16)][isMaximum];
  }
  if (info.isUnsigned)
    return isMaximum ? "0" : "255"; // no other is needed: see pickCombination
  static const char *const limits[][2] = {{"127", "-128"},
                                          {"32767", "-32768"},
                                          {"2147483647", "-2147483648"},
                                          {"9223372036854775807", "-9223372036854775808"}};
  return limits[static_cast<int>(element) - static_cast<int>(Element::I8)][isMaximum];
}

bool fuzz::pickCombination(HloBuilder &g, const Value &a, int64_t addends,
                           Combination &combination) {
  const ElementInfo &info = getInfo(a.element);
  std::vector<std::string> ops = {"maximum", "minimum"};
  if (a.element == Element::I1)
    ops = {"and", "or", "maximum", "minimum"};
  else if (!info.isFloat)
    ops = {"add", "add", "maximum", "minimum", "multiply", "or"};
  else if (!a.isSpecial)
    ops = {"add", "add", "add", "maximum", "minimum"};
  if (info.isUnsigned && info.width > 8) // neutral elements of 8 bits only
    llvm::erase(ops, "minimum");
  combination.op = g.random.pick(ops);
  combination.bound = a.bound;
  combination.error = a.error;
  if (combination.op == "add") {
    double bound = a.bound * addends;
    if (info.isFloat && bound > g.maxBound)
      return false;
    // In any order, and in parts that are rounded.
    bool isExactSum = a.isIntegral && a.error == 0 && g.isExact(bound, a.element);
    combination.bound = bound;
    combination.error =
        isExactSum || !info.isFloat ? 0 : addends * a.error + 2 * addends * bound * info.epsilon;
  } else if (combination.op == "multiply") {
    combination.bound = INFINITY;
  }
  return true;
}

//===--- Reductions -------------------------------------------------------===//

static void pickDims(HloBuilder &g, const Value &a, Shape &dims, Shape &shape, int64_t &addends) {
  addends = 1;
  for (size_t d = 0; d < a.shape.size(); ++d)
    if (g.random.chance(50)) {
      dims.push_back(d);
      addends *= a.shape[d];
    } else {
      shape.push_back(a.shape[d]);
    }
}

static bool addReduce(HloBuilder &g) {
  Value a = g.pick();
  Shape dims, shape;
  int64_t addends;
  pickDims(g, a, dims, shape, addends);
  Combination combination;
  if (dims.empty() || !pickCombination(g, a, addends, combination))
    return false;
  // Any initial value, once.
  Value init{"", {}, a.element, 3};
  if (g.random.chance(70))
    init.name = g.addSplat({}, a.element, getNeutral(combination.op, a.element));
  else if (combination.op == "add" || isFloat(a.element))
    init.name = g.addSplat({}, a.element, g.random.between(-3, 3));
  else
    init = g.addArgument({}, a.element);
  Value result = a;
  result.name = g.next();
  result.shape = shape;
  result.bound = std::max(combination.bound + init.bound, 3.0);
  result.error = combination.error;
  result.isSpecial |= combination.op != "add"; // the neutral element may be left
  g.begin(result.name) << "stablehlo.reduce(" << a.name << " init: " << init.name
                       << ") applies stablehlo." << combination.op << " across dimensions = ["
                       << join(dims) << "] : (" << getType(a) << ", " << getType({}, a.element)
                       << ") -> " << getType(result) << "\n";
  if (result.isSpecial && !a.isSpecial && addends > 0 && !a.shape.empty())
    result.isSpecial = false; // no dimension is empty
  g.add(result);
  return true;
}

/// Where the largest is, and which: two operands that depend on each other.
static bool addArgMax(HloBuilder &g) {
  const Value *found = g.pickIf([](const Value &value) {
    return isNumber(value) && isExact(value) && !value.isSpecial && !value.shape.empty();
  });
  if (!found)
    return false;
  Value a = *found;
  Shape dims = {g.random.below(a.shape.size())}, shape = a.shape;
  shape.erase(shape.begin() + dims[0]);
  std::string scalar = getType({}, a.element), places = getType(a.shape, Element::I32),
              indices = g.next();
  g.begin(indices) << "stablehlo.iota dim = " << dims[0] << " : " << places << "\n";
  std::string least = g.addSplat({}, a.element, getNeutral("maximum", a.element)),
              zero = g.addSplat({}, Element::I32, 0), name = g.next();
  g.begin(name + ":2")
      << "stablehlo.reduce(" << a.name << " init: " << least << "), (" << indices
      << " init: " << zero << ") across dimensions = [" << join(dims) << "] : (" << getType(a)
      << ", " << places << ", " << scalar << ", tensor<i32>) -> (" << getType(shape, a.element)
      << ", " << getType(shape, Element::I32) << ")\n     reducer(%p: " << scalar
      << ", %q: " << scalar << ") (%i: tensor<i32>, %j: tensor<i32>) {\n"
      << "      %gt = stablehlo.compare GT, %p, %q : (" << scalar << ", " << scalar
      << ") -> tensor<i1>\n      %eq = stablehlo.compare EQ, %p, %q : (" << scalar << ", " << scalar
      << ") -> tensor<i1>\n      %lt = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) "
         "-> tensor<i1>\n      %both = stablehlo.and %eq, %lt : tensor<i1>\n"
      << "      %first = stablehlo.or %gt, %both : tensor<i1>\n"
      << "      %v = stablehlo.select %first, %p, %q : tensor<i1>, " << scalar
      << "\n      %k = stablehlo.select %first, %i, %j : tensor<i1>, tensor<i32>\n"
      << "      stablehlo.return %v, %k : " << scalar << ", tensor<i32>\n    }\n";
  Value value = a;
  value.name = name + "#0";
  value.shape = shape;
  g.add(value);
  g.add({name + "#1", shape, Element::I32, 12});
  return true;
}

/// Two reductions in one.
static bool addPair(HloBuilder &g) {
  const Value *found =
      g.pickIf([](const Value &value) { return isInteger(value.element) && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found, b = g.getLike(a);
  Shape dims, shape;
  int64_t addends;
  pickDims(g, a, dims, shape, addends);
  if (dims.empty())
    return false;
  std::string scalar = getType({}, a.element),
              zero = g.addSplat({}, a.element, getNeutral("add", a.element)),
              least = g.addSplat({}, a.element, getNeutral("maximum", a.element)), name = g.next(),
              result = getType(shape, a.element);
  g.begin(name + ":2") << "stablehlo.reduce(" << a.name << " init: " << zero << "), (" << b.name
                       << " init: " << least << ") across dimensions = [" << join(dims) << "] : ("
                       << getType(a) << ", " << getType(b) << ", " << scalar << ", " << scalar
                       << ") -> (" << result << ", " << result << ")\n     reducer(%p: " << scalar
                       << ", %q: " << scalar << ") (%i: " << scalar << ", %j: " << scalar
                       << ") {\n      %s = stablehlo.add %p, %q : " << scalar
                       << "\n      %m = stablehlo.maximum %i, %j : " << scalar
                       << "\n      stablehlo.return %s, %m : " << scalar << ", " << scalar
                       << "\n    }\n";
  g.add({name + "#0", shape, a.element, a.bound * addends});
  g.add({name + "#1", shape, a.element, INFINITY});
  return true;
}

//===--- Sorts ------------------------------------------------------------===//

static bool addSort(HloBuilder &g) {
  const Value *found = g.pickIf(
      [](const Value &value) { return isNumber(value) && isExact(value) && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found, b = g.getLike(a);
  size_t dim = g.random.below(a.shape.size());
  std::string scalar = getType({}, a.element);
  std::string compare = "      %c = stablehlo.compare " +
                        std::string(g.random.chance(50) ? "LT" : "GT") + ", %p, %q" +
                        (isFloat(a.element) ? ", TOTALORDER" : "") + " : (" + scalar + ", " +
                        scalar + ") -> tensor<i1>\n      stablehlo.return %c : tensor<i1>\n    })";
  bool isPair = g.random.chance(40);
  std::string name = g.next(), type = getType(a);
  g.begin(isPair ? name + ":2" : name)
      << "\"stablehlo.sort\"(" << a.name << (isPair ? ", " + b.name : "")
      << ") <{dimension = " << dim << " : i64, is_stable = true}> ({\n    ^bb0(%p: " << scalar
      << ", %q: " << scalar << (isPair ? ", %i: " + scalar + ", %j: " + scalar : "") << "):\n"
      << compare << " : (" << type << (isPair ? ", " + type : "") << ") -> "
      << (isPair ? "(" + type + ", " + type + ")" : type) << "\n";
  Value keys = a, others = b;
  keys.name = isPair ? name + "#0" : name;
  others.name = name + "#1";
  g.add(keys);
  if (isPair)
    g.add(others);
  return true;
}

const std::vector<HloForm> fuzz::hloReductions = {&addReduce, &addReduce, &addReduce,
                                                  &addArgMax, &addPair,   &addSort};
