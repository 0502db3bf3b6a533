//===- HloElementwise.cpp - Elementwise operations of StableHLO -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HloProgram.h"

#include <cmath>

using namespace dmc;
using namespace dmc::fuzz;

bool fuzz::isExact(const Value &value) { return value.error == 0; }

/// What rounding adds where operands differ already.
static double round(double error, double bound, Element element) {
  return error == 0 ? 0 : error + getInfo(element).epsilon * bound;
}

static bool addArithmetic(HloBuilder &g) {
  const Value *found = g.pickIf(isNumber);
  if (!found)
    return false;
  Value a = *found, b = g.getLike(a);
  static const std::vector<std::string> ops = {"add",     "subtract", "multiply",
                                               "maximum", "minimum",  "add"};
  const std::string &op = g.random.pick(ops);
  Value result{"", a.shape, a.element, std::max(a.bound, b.bound)};
  result.isSpecial = a.isSpecial || b.isSpecial;
  result.isIntegral = a.isIntegral && b.isIntegral;
  result.error = std::max(a.error, b.error);
  if (op == "multiply") {
    result.bound = a.bound * b.bound;
    result.error = a.bound * b.error + b.bound * a.error;
    if (result.error > 0)
      result.error = round(result.error, result.bound, a.element);
  } else if (op == "add" || op == "subtract") {
    result.bound = a.bound + b.bound;
    result.error = round(a.error + b.error, result.bound, a.element);
  }
  if (isFloat(a.element) && !result.isSpecial && result.bound > g.maxBound)
    return false;
  if (!(result.error < INFINITY)) // special and inexact
    return false;
  result.name = g.next();
  g.begin(result.name) << "stablehlo." << op << " " << a.name << ", " << b.name << " : "
                       << getType(a) << "\n";
  g.add(result);
  return true;
}

static bool addIntegerArithmetic(HloBuilder &g) {
  const Value *found = g.pickIf([](const Value &value) { return !isFloat(value.element); });
  if (!found)
    return false;
  Value a = *found, b = g.getLike(a);
  static const std::vector<std::string> logic = {"and", "or", "xor"};
  static const std::vector<std::string> numbers = {"divide", "remainder", "shift_left",
                                                   "shift_right_arithmetic", "shift_right_logical"};
  const std::string &op =
      g.random.pick(a.element == Element::I1 || g.random.chance(40) ? logic : numbers);
  std::string name = g.next();
  g.begin(name) << "stablehlo." << op << " " << a.name << ", " << b.name << " : " << getType(a)
                << "\n";
  g.add({name, a.shape, a.element, a.element == Element::I1 ? 1.0 : INFINITY});
  return true;
}

static bool addUnary(HloBuilder &g) {
  Value a = g.pick();
  struct Form {
    const char *op;
    bool ofFloats, ofSigned, ofUnsigned, isContinuous;
  };
  static const std::vector<Form> forms = {{"negate", true, true, true, true},
                                          {"abs", true, true, false, true},
                                          {"sign", true, true, false, false},
                                          {"floor", true, false, false, false},
                                          {"ceil", true, false, false, false},
                                          {"round_nearest_afz", true, false, false, false},
                                          {"round_nearest_even", true, false, false, false},
                                          {"not", false, true, true, true},
                                          {"popcnt", false, true, true, true},
                                          {"count_leading_zeros", false, true, true, true}};
  const Form &form = g.random.pick(forms);
  bool isLogic = a.element == Element::I1;
  bool suits = isLogic                         ? std::string(form.op) == "not"
               : isFloat(a.element)            ? form.ofFloats
               : getInfo(a.element).isUnsigned ? form.ofUnsigned
                                               : form.ofSigned;
  if (!suits || (!isExact(a) && !form.isContinuous))
    return false;
  Value result = a;
  result.name = g.next();
  if (!isFloat(a.element) && !isLogic)
    result.bound = INFINITY;
  g.begin(result.name) << "stablehlo." << form.op << " " << a.name << " : " << getType(a) << "\n";
  g.add(result);
  return true;
}

/// Functions whose values no library rounds exactly, where they are tame.
static bool addFunction(HloBuilder &g) {
  const Value *found = g.pickIf([](const Value &value) { return isFloat(value.element); });
  if (!found)
    return false;
  Value a = *found;
  struct Form {
    const char *op;
    double most; // of the operand's magnitude
    double bound, slope;
  };
  static const std::vector<Form> forms = {
      {"tanh", INFINITY, 1, 1},   {"logistic", INFINITY, 1, 0.25},
      {"sine", 64, 1, 1},         {"cosine", 64, 1, 1},
      {"exponential", 4, 55, 55}, {"exponential_minus_one", 4, 55, 55}};
  const Form &form = g.random.pick(forms);
  if (a.isSpecial ? form.most < INFINITY : a.bound > form.most)
    return false;
  Value result{g.next(), a.shape, a.element, form.bound};
  result.error = a.error * form.slope + 32 * getInfo(a.element).epsilon * form.bound;
  result.isIntegral = false;
  result.isSpecial = a.isSpecial;
  g.begin(result.name) << "stablehlo." << form.op << " " << a.name << " : " << getType(a) << "\n";
  g.add(result);
  return true;
}

static bool addCompare(HloBuilder &g) {
  const Value *found = g.pickIf(isExact);
  if (!found)
    return false;
  Value a = *found, b = g.getLike(a);
  if (!isExact(b))
    return false;
  static const std::vector<std::string> directions = {"LT", "LE", "GT", "GE", "EQ", "NE"};
  std::string name = g.next();
  std::string kind = isFloat(a.element) ? g.random.chance(70) ? ", FLOAT" : ", TOTALORDER" : "";
  g.begin(name) << "stablehlo.compare " << g.random.pick(directions) << ", " << a.name << ", "
                << b.name << kind << " : (" << getType(a) << ", " << getType(b) << ") -> "
                << getType(a.shape, Element::I1) << "\n";
  g.add({name, a.shape, Element::I1, 1});
  return true;
}

/// The looser of what is known of two values of a type.
static Value join(const Value &a, const Value &b) {
  Value result = a;
  result.bound = std::max(a.bound, b.bound);
  result.error = std::max(a.error, b.error);
  result.isIntegral &= b.isIntegral;
  result.isSpecial |= b.isSpecial;
  return result;
}

static bool addSelect(HloBuilder &g) {
  Value a = g.pick(), b = g.getLike(a);
  Shape shape = g.random.chance(30) ? Shape() : a.shape;
  const Value *found = g.pickIf(
      [&](const Value &value) { return value.element == Element::I1 && value.shape == shape; });
  Value mask = found ? *found : g.addArgument(shape, Element::I1);
  Value result = join(a, b);
  result.name = g.next();
  g.begin(result.name) << "stablehlo.select " << mask.name << ", " << a.name << ", " << b.name
                       << " : " << getType(mask) << ", " << getType(a) << "\n";
  g.add(result);
  return true;
}

static bool addClamp(HloBuilder &g) {
  const Value *found = g.pickIf(isNumber);
  if (!found)
    return false;
  Value a = *found;
  Shape shape = g.random.chance(60) ? Shape() : a.shape;
  Value low = g.addArgument(shape, a.element), high = g.addArgument(shape, a.element);
  Value result = join(a, join(low, high));
  result.shape = a.shape;
  result.name = g.next();
  g.begin(result.name) << "stablehlo.clamp " << low.name << ", " << a.name << ", " << high.name
                       << " : (" << getType(low) << ", " << getType(a) << ", " << getType(high)
                       << ") -> " << getType(a) << "\n";
  g.add(result);
  return true;
}

static bool addMap(HloBuilder &g) {
  const Value *found = g.pickIf([&](const Value &value) {
    return !isFloat(value.element) && isNumber(value) && !value.shape.empty();
  });
  if (!found)
    return false;
  Value a = *found, b = g.getLike(a);
  Shape dims;
  for (size_t d = 0; d < a.shape.size(); ++d)
    dims.push_back(d);
  std::string name = g.next(), scalar = getType({}, a.element);
  g.begin(name) << "\"stablehlo.map\"(" << a.name << ", " << b.name
                << ") <{dimensions = " << makeArray(dims) << "}> ({\n    ^bb0(%p: " << scalar
                << ", %q: " << scalar << "):\n      %m = stablehlo.multiply %p, %q : " << scalar
                << "\n      %s = stablehlo.add %m, %p : " << scalar
                << "\n      stablehlo.return %s : " << scalar << "\n    }) : (" << getType(a)
                << ", " << getType(b) << ") -> " << getType(a) << "\n";
  g.add({name, a.shape, a.element, INFINITY});
  return true;
}

const std::vector<HloForm> fuzz::hloElementwise = {
    &addArithmetic, &addArithmetic, &addArithmetic, &addIntegerArithmetic,
    &addUnary,      &addFunction,   &addCompare,    &addSelect,
    &addClamp,      &addMap};

//===--- Conversions ------------------------------------------------------===//

static bool addConvert(HloBuilder &g) {
  Value a = g.pick();
  Element to = g.pickElement();
  Value result{"", a.shape, to, a.bound, a.error, a.isIntegral, a.isSpecial};
  if (isFloat(a.element) && !isFloat(to)) {
    // What does not fit is left to the implementation; a fraction is cut.
    if (!isExact(a) || a.isSpecial || a.bound > getInfo(to).exact - 1 ||
        (getInfo(to).isUnsigned && to != Element::I1))
      return false;
    result.bound = to == Element::I1 ? 1 : a.bound;
  } else if (isFloat(to)) {
    if (a.bound > g.maxBound) // of integers, or special already
      result.isSpecial = true;
    if (a.error > 0)
      result.error = a.error + getInfo(to).epsilon * a.bound;
    if (!(result.error < INFINITY))
      return false;
  } else if (to == Element::I1) {
    result.bound = 1;
  } else if (getInfo(to).isUnsigned && a.element != Element::I1) {
    result.bound = INFINITY; // of a negative number
  }
  result.name = g.next();
  g.begin(result.name) << "stablehlo.convert " << a.name << " : (" << getType(a) << ") -> "
                       << getType(a.shape, to) << "\n";
  g.add(result);
  return true;
}

static bool addBitcast(HloBuilder &g) {
  Value a = g.pick();
  Element to = g.pickElement();
  // Of the same width; a NaN's bits are free.
  if (getInfo(a.element).width != getInfo(to).width || a.element == to || !isExact(a) ||
      a.isSpecial || isFloat(to))
    return false;
  std::string name = g.next();
  g.begin(name) << "stablehlo.bitcast_convert " << a.name << " : (" << getType(a) << ") -> "
                << getType(a.shape, to) << "\n";
  g.add({name, a.shape, to, INFINITY});
  return true;
}

static bool addReducePrecision(HloBuilder &g) {
  const Value *found =
      g.pickIf([](const Value &value) { return isFloat(value.element) && isExact(value); });
  if (!found)
    return false;
  Value result = *found;
  static const std::vector<std::string> formats = {"e5m10", "e8m7", "e4m3", "e5m2", "e8m3"};
  std::string operand = result.name;
  result.name = g.next();
  // A number may become an infinity.
  result.isSpecial = true;
  result.isIntegral = false;
  g.begin(result.name) << "stablehlo.reduce_precision " << operand
                       << ", format = " << g.random.pick(formats) << " : " << getType(result)
                       << "\n";
  g.add(result);
  return true;
}

const std::vector<HloForm> fuzz::hloConversions = {&addConvert, &addConvert, &addConvert,
                                                   &addBitcast, &addReducePrecision};
