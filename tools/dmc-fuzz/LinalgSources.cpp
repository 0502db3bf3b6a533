//===- LinalgSources.cpp - Constants, numberings and requests -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinalgProgram.h"

using namespace dmc;
using namespace dmc::fuzz;

static bool addConstant(LinalgBuilder &g) {
  Shape shape = g.random.chance(60) ? g.pick().shape : g.makeShape();
  Element element = g.pickElement();
  auto write = [&](auto &self, size_t dim) -> std::string {
    if (dim == shape.size())
      return std::to_string(g.random.between(-4, 4)) + (isFloat(element) ? ".0" : "");
    std::vector<std::string> parts;
    for (int64_t i = 0; i < shape[dim]; ++i)
      parts.push_back(self(self, dim + 1));
    return "[" + join(parts) + "]";
  };
  std::string name = g.next();
  g.os << "    " << name << " = arith.constant dense<" << write(write, 0)
       << "> : " << getType(shape, element) << "\n";
  g.add({name, shape, element, 4});
  return true;
}

static bool addIota(LinalgBuilder &g) {
  Shape shape = g.random.chance(70) ? g.pick().shape : g.makeShape();
  if (shape.empty())
    return false;
  std::vector<std::string> loops, kinds(shape.size(), "\"parallel\"");
  for (size_t d = 0; d < shape.size(); ++d)
    loops.push_back("d" + std::to_string(d));
  std::string empty = g.addEmpty(shape, Element::I32), name = g.next();
  g.os << "    " << name << " = linalg.generic {indexing_maps = [affine_map<(" << join(loops)
       << ") -> (" << join(loops) << ")>], iterator_types = [" << join(kinds) << "]} outs(" << empty
       << " : " << getType(shape, Element::I32)
       << ") {\n    ^bb0(%o: i32):\n      %i = linalg.index " << g.random.below(shape.size())
       << " : index\n      %j = arith.index_cast %i : index to i32\n"
       << "      linalg.yield %j : i32\n    } -> " << getType(shape, Element::I32) << "\n";
  g.add({name, shape, Element::I32, 32});
  return true;
}

static bool addConstraint(LinalgBuilder &g) {
  Value a = g.pick();
  std::string name = g.next();
  g.os << "    " << name << " = dmc.constrain " << a.name << " : " << getType(a) << " to "
       << g.makeLayout(a.shape.size(), true).getDMC() << "\n";
  g.add({name, a.shape, a.element, a.bound});
  return true;
}

const std::vector<LinalgForm> fuzz::linalgSources = {&addConstant, &addIota, &addConstraint};
