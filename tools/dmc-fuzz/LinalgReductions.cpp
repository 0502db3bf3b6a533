//===- LinalgReductions.cpp - Reductions and contractions of linalg -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinalgProgram.h"

#include <numeric>

using namespace dmc;
using namespace dmc::fuzz;

static bool addReduce(LinalgBuilder &g) {
  const Value *found = g.pickIf(
      [](const Value &value) { return value.element != Element::I1 && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found;
  Shape dims, shape;
  for (size_t d = 0; d < a.shape.size(); ++d)
    (g.random.chance(50) ? dims : shape).push_back(d);
  if (dims.empty())
    return false;
  int64_t addends = 1;
  for (int64_t dim : dims)
    addends *= a.shape[dim];
  for (int64_t &dim : shape)
    dim = a.shape[dim];
  bool isFloat = fuzz::isFloat(a.element);
  static const char *const floats[] = {"addf", "maximumf", "minimumf"};
  static const char *const integers[] = {"addi", "maxsi", "minsi"};
  int64_t op = g.random.below(3);
  double bound = op ? a.bound : a.bound * addends + 3;
  if (!g.isExact(bound, a.element))
    return false;
  int64_t init = g.random.chance(70) ? 0 : g.random.between(-3, 3);
  std::string out = g.addSplat(shape, a.element, init), name = g.next();
  g.os << "    " << name << " = linalg.reduce { arith." << (isFloat ? floats : integers)[op]
       << " } ins(" << a.name << " : " << getType(a) << ") outs(" << out << " : "
       << getType(shape, a.element) << ") dimensions = [" << join(dims) << "]\n";
  g.add({name, shape, a.element, std::max(bound, 3.0)});
  return true;
}

static bool addContraction(LinalgBuilder &g) {
  const Value *found = g.pickIf(
      [](const Value &value) { return fuzz::isFloat(value.element) && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found;
  bool isMatmul = a.shape.size() == 2 && g.random.chance(50);
  // Loops: those of a, then one of b alone.
  Shape sizes = a.shape, ofA(a.shape.size()), ofB, ofOut, shapeB, shape;
  std::iota(ofA.begin(), ofA.end(), 0);
  std::vector<bool> isReduction(sizes.size() + 1);
  int64_t addends = 1;
  for (size_t d = 0; d < a.shape.size(); ++d) {
    int64_t role = isMatmul ? 1 - static_cast<int64_t>(d) : g.random.below(3);
    if (role == 0) { // contracted
      isReduction[d] = true;
      addends *= a.shape[d];
      ofB.push_back(d);
    } else {
      ofOut.push_back(d);
      if (role == 2) // batch
        ofB.push_back(d);
    }
  }
  if (isMatmul || g.random.chance(60)) {
    ofB.push_back(sizes.size());
    ofOut.push_back(sizes.size());
    sizes.push_back(g.random.between(1, 7));
  }
  if (!isMatmul) {
    g.random.shuffle(ofB);
    g.random.shuffle(ofOut);
  }
  for (int64_t loop : ofB)
    shapeB.push_back(sizes[loop]);
  for (int64_t loop : ofOut)
    shape.push_back(sizes[loop]);
  double bound = a.bound * 4 * addends;
  if (count(shape) > g.maxElements || count(shapeB) > g.maxElements || !g.isExact(bound, a.element))
    return false;
  Value b = g.addArgument(shapeB, a.element);
  std::string out = g.addSplat(shape, a.element, 0), name = g.next(), type = getName(a.element);
  if (isMatmul) {
    g.os << "    " << name << " = linalg.matmul ins(" << a.name << ", " << b.name << " : "
         << getType(a) << ", " << getType(b) << ") outs(" << out << " : "
         << getType(shape, a.element) << ") -> " << getType(shape, a.element) << "\n";
    g.add({name, shape, a.element, bound});
    return true;
  }
  std::vector<std::string> loops;
  for (size_t d = 0; d < sizes.size(); ++d)
    loops.push_back("d" + std::to_string(d));
  auto map = [&](const Shape &list) {
    std::vector<std::string> names;
    for (int64_t loop : list)
      names.push_back(loops[loop]);
    return "affine_map<(" + join(loops) + ") -> (" + join(names) + ")>";
  };
  std::vector<std::string> kinds;
  for (size_t d = 0; d < sizes.size(); ++d)
    kinds.push_back(isReduction[d] ? "\"reduction\"" : "\"parallel\"");
  g.os << "    " << name << " = linalg.generic {indexing_maps = [" << map(ofA) << ", " << map(ofB)
       << ", " << map(ofOut) << "], iterator_types = [" << join(kinds) << "]} ins(" << a.name
       << ", " << b.name << " : " << getType(a) << ", " << getType(b) << ") outs(" << out << " : "
       << getType(shape, a.element) << ") {\n    ^bb0(%p: " << type << ", %q: " << type
       << ", %o: " << type << "):\n      %m = arith.mulf %p, %q : " << type
       << "\n      %s = arith.addf %o, %m : " << type << "\n      linalg.yield %s : " << type
       << "\n    } -> " << getType(shape, a.element) << "\n";
  g.add({name, shape, a.element, bound});
  return true;
}

const std::vector<LinalgForm> fuzz::linalgReductions = {&addReduce, &addContraction};
