//===- LinalgElementwise.cpp - Elementwise operations of linalg ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinalgProgram.h"

using namespace dmc;
using namespace dmc::fuzz;

static bool addBinary(LinalgBuilder &g) {
  const Value *found = g.pickIf([](const Value &value) { return value.element != Element::I1; });
  if (!found)
    return false;
  Value a = *found, b = g.getLike(a);
  bool isFloat = fuzz::isFloat(a.element);
  static const char *const floats[] = {"addf", "subf", "mulf", "maximumf", "minimumf"};
  static const char *const integers[] = {"addi", "subi", "muli", "maxsi", "minsi"};
  int64_t op = g.random.below(5);
  double bound = op == 2  ? a.bound * b.bound
                 : op < 2 ? a.bound + b.bound
                          : std::max(a.bound, b.bound);
  if (!g.isExact(bound, a.element))
    return false;
  std::string empty = g.addEmpty(a.shape, a.element), name = g.next();
  g.os << "    " << name << " = linalg.map { arith." << (isFloat ? floats : integers)[op]
       << " } ins(" << a.name << ", " << b.name << " : " << getType(a) << ", " << getType(b)
       << ") outs(" << empty << " : " << getType(a) << ")\n";
  g.add({name, a.shape, a.element, bound});
  return true;
}

static bool addUnary(LinalgBuilder &g) {
  Value a = g.pick();
  struct Form {
    const char *op;
    Element from, to;
  };
  if (isFloat(a.element) && g.random.chance(60)) {
    std::string empty = g.addEmpty(a.shape, a.element), name = g.next();
    g.os << "    " << name << " = linalg.map { "
         << (g.random.chance(50) ? "arith.negf" : "math.absf") << " } ins(" << a.name << " : "
         << getType(a) << ") outs(" << empty << " : " << getType(a) << ")\n";
    g.add({name, a.shape, a.element, a.bound});
    return true;
  }
  static const std::vector<Form> forms = {
      {"arith.extf", Element::F32, Element::F64},   {"arith.extf", Element::BF16, Element::F32},
      {"arith.extf", Element::F16, Element::F32},   {"arith.truncf", Element::F64, Element::F32},
      {"arith.truncf", Element::F32, Element::F16}, {"arith.truncf", Element::F32, Element::BF16},
      {"arith.fptosi", Element::F32, Element::I32}, {"arith.sitofp", Element::I32, Element::F32},
      {"arith.extui", Element::I1, Element::I32},   {"arith.uitofp", Element::I1, Element::F32}};
  const Form &form = g.random.pick(forms);
  if (form.from != a.element || !g.isExact(a.bound, form.to))
    return false;
  std::string empty = g.addEmpty(a.shape, form.to), name = g.next();
  g.os << "    " << name << " = linalg.map ins(" << a.name << " : " << getType(a) << ") outs("
       << empty << " : " << getType(a.shape, form.to) << ") (%p: " << getName(a.element)
       << ", %o: " << getName(form.to) << ") {\n      %r = " << form.op
       << " %p : " << getName(form.from);
  if (form.from != form.to)
    g.os << " to " << getName(form.to);
  g.os << "\n      linalg.yield %r : " << getName(form.to) << "\n    }\n";
  g.add({name, a.shape, form.to, a.element == Element::I1 ? 1 : a.bound});
  return true;
}

static bool addCompare(LinalgBuilder &g) {
  const Value *found = g.pickIf([](const Value &value) { return value.element != Element::I1; });
  if (!found)
    return false;
  Value a = *found, b = g.getLike(a);
  bool isFloat = fuzz::isFloat(a.element);
  std::string predicate =
      g.random.pick(isFloat ? std::vector<std::string>{"olt", "oge", "une", "oeq"}
                            : std::vector<std::string>{"slt", "uge", "ne", "eq"});
  std::string empty = g.addEmpty(a.shape, Element::I1), name = g.next();
  g.os << "    " << name << " = linalg.map ins(" << a.name << ", " << b.name << " : " << getType(a)
       << ", " << getType(b) << ") outs(" << empty << " : " << getType(a.shape, Element::I1)
       << ") (%p: " << getName(a.element) << ", %q: " << getName(a.element)
       << ", %o: i1) {\n      %r = arith.cmp" << (isFloat ? "f " : "i ") << predicate
       << ", %p, %q : " << getName(a.element) << "\n      linalg.yield %r : i1\n    }\n";
  g.add({name, a.shape, Element::I1, 1});
  return true;
}

static bool addSelect(LinalgBuilder &g) {
  Value a = g.pick(), b = g.getLike(a);
  const Value *mask = g.pickIf(
      [&](const Value &value) { return value.element == Element::I1 && value.shape == a.shape; });
  Value m = mask ? *mask : g.addArgument(a.shape, Element::I1);
  std::string empty = g.addEmpty(a.shape, a.element), name = g.next();
  g.os << "    " << name << " = linalg.map { arith.select } ins(" << m.name << ", " << a.name
       << ", " << b.name << " : " << getType(m) << ", " << getType(a) << ", " << getType(b)
       << ") outs(" << empty << " : " << getType(a) << ")\n";
  g.add({name, a.shape, a.element, std::max(a.bound, b.bound)});
  return true;
}

const std::vector<LinalgForm> fuzz::linalgElementwise = {&addBinary, &addUnary, &addCompare,
                                                         &addSelect};
