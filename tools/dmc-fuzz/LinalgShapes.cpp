//===- LinalgShapes.cpp - Whole tensors in linalg and tensor ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinalgProgram.h"

#include <numeric>

using namespace dmc;
using namespace dmc::fuzz;

static bool addBroadcast(LinalgBuilder &g) {
  Value a = g.pick();
  if (a.shape.size() > 3)
    return false;
  Shape shape = a.shape, dims;
  int64_t at = g.random.between(0, a.shape.size());
  shape.insert(shape.begin() + at, g.random.between(1, 6));
  if (count(shape) > g.maxElements)
    return false;
  std::string empty = g.addEmpty(shape, a.element), name = g.next();
  g.os << "    " << name << " = linalg.broadcast ins(" << a.name << " : " << getType(a) << ") outs("
       << empty << " : " << getType(shape, a.element) << ") dimensions = [" << at << "]\n";
  g.add({name, shape, a.element, a.bound});
  return true;
}

static bool addTranspose(LinalgBuilder &g) {
  Value a = g.pick();
  if (a.shape.size() < 2)
    return false;
  Shape permutation(a.shape.size()), shape;
  std::iota(permutation.begin(), permutation.end(), 0);
  g.random.shuffle(permutation);
  for (int64_t dim : permutation)
    shape.push_back(a.shape[dim]);
  std::string empty = g.addEmpty(shape, a.element), name = g.next();
  g.os << "    " << name << " = linalg.transpose ins(" << a.name << " : " << getType(a) << ") outs("
       << empty << " : " << getType(shape, a.element) << ") permutation = [" << join(permutation)
       << "]\n";
  g.add({name, shape, a.element, a.bound});
  return true;
}

static bool addCollapse(LinalgBuilder &g) {
  Value a = g.pick();
  if (a.shape.size() < 2)
    return false;
  Shape shape;
  std::string groups;
  for (size_t d = 0; d < a.shape.size(); ++d) {
    bool joins = d && g.random.chance(55);
    groups += !d ? "[" : joins ? ", " : "], [";
    groups += std::to_string(d);
    if (joins)
      shape.back() *= a.shape[d];
    else
      shape.push_back(a.shape[d]);
  }
  if (shape.size() == a.shape.size())
    return false;
  std::string name = g.next();
  g.os << "    " << name << " = tensor.collapse_shape " << a.name << " [" << groups
       << "]] : " << getType(a) << " into " << getType(shape, a.element) << "\n";
  g.add({name, shape, a.element, a.bound});
  return true;
}

static bool addExpand(LinalgBuilder &g) {
  Value a = g.pick();
  if (a.shape.empty() || a.shape.size() > 3)
    return false;
  size_t split = g.random.below(a.shape.size());
  std::vector<int64_t> divisors;
  for (int64_t i = 1; i <= a.shape[split]; ++i)
    if (a.shape[split] % i == 0)
      divisors.push_back(i);
  int64_t major = g.random.pick(divisors);
  Shape shape;
  std::string groups;
  for (size_t d = 0; d < a.shape.size(); ++d) {
    groups += (d ? ", [" : "[") + std::to_string(shape.size());
    if (d == split) {
      shape.push_back(major);
      groups += ", " + std::to_string(shape.size());
    }
    shape.push_back(d == split ? a.shape[d] / major : a.shape[d]);
    groups += "]";
  }
  std::string name = g.next();
  g.os << "    " << name << " = tensor.expand_shape " << a.name << " [" << groups
       << "] output_shape [" << join(shape) << "] : " << getType(a) << " into "
       << getType(shape, a.element) << "\n";
  g.add({name, shape, a.element, a.bound});
  return true;
}

static bool addSlice(LinalgBuilder &g) {
  Value a = g.pick();
  if (a.shape.empty())
    return false;
  Shape offsets, sizes, strides;
  for (int64_t size : a.shape) {
    int64_t stride = g.random.chance(25) ? 2 : 1,
            offset = g.random.chance(50) ? 0 : g.random.below(size);
    offsets.push_back(offset);
    strides.push_back(stride);
    int64_t most = (size - offset + stride - 1) / stride;
    sizes.push_back(g.random.chance(40) ? most : g.random.between(1, most));
  }
  std::string name = g.next();
  g.os << "    " << name << " = tensor.extract_slice " << a.name << "[" << join(offsets) << "] ["
       << join(sizes) << "] [" << join(strides) << "] : " << getType(a) << " to "
       << getType(sizes, a.element) << "\n";
  g.add({name, sizes, a.element, a.bound});
  return true;
}

static bool addPad(LinalgBuilder &g) {
  const Value *found = g.pickIf(
      [](const Value &value) { return value.element != Element::I1 && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found;
  Shape low, high, shape;
  std::vector<std::string> indices;
  for (size_t d = 0; d < a.shape.size(); ++d) {
    low.push_back(g.random.chance(50) ? 0 : g.random.between(0, 3));
    high.push_back(g.random.chance(50) ? 0 : g.random.between(0, 3));
    shape.push_back(low[d] + a.shape[d] + high[d]);
    indices.push_back("%i" + std::to_string(d) + ": index");
  }
  if (count(shape) > g.maxElements)
    return false;
  std::string scalar = g.addScalar(a.element, g.random.between(-2, 2)), name = g.next();
  g.os << "    " << name << " = tensor.pad " << a.name << " low[" << join(low) << "] high["
       << join(high) << "] {\n    ^bb0(" << join(indices) << "):\n      tensor.yield " << scalar
       << " : " << getName(a.element) << "\n    } : " << getType(a) << " to "
       << getType(shape, a.element) << "\n";
  g.add({name, shape, a.element, std::max(a.bound, 2.0)});
  return true;
}

static bool addConcat(LinalgBuilder &g) {
  Value a = g.pick();
  if (a.shape.empty())
    return false;
  size_t dim = g.random.below(a.shape.size());
  Shape other = a.shape, shape = a.shape;
  other[dim] = g.random.between(1, 5);
  const Value *found = g.pickIf([&](const Value &value) {
    if (value.element != a.element || value.shape.size() != a.shape.size())
      return false;
    Shape cut = value.shape;
    cut[dim] = a.shape[dim];
    return cut == a.shape;
  });
  Value b = found ? *found : g.addArgument(other, a.element);
  shape[dim] += b.shape[dim];
  if (count(shape) > g.maxElements)
    return false;
  std::string name = g.next();
  g.os << "    " << name << " = tensor.concat dim(" << dim << ") " << a.name << ", " << b.name
       << " : (" << getType(a) << ", " << getType(b) << ") -> " << getType(shape, a.element)
       << "\n";
  g.add({name, shape, a.element, std::max(a.bound, b.bound)});
  return true;
}

static bool addReverse(LinalgBuilder &g) {
  Value a = g.pick();
  if (a.shape.empty())
    return false;
  size_t dim = g.random.below(a.shape.size());
  std::vector<std::string> loops, reversed, kinds(a.shape.size(), "\"parallel\"");
  for (size_t d = 0; d < a.shape.size(); ++d) {
    loops.push_back("d" + std::to_string(d));
    reversed.push_back(d == dim ? std::to_string(a.shape[d] - 1) + " - " + loops[d] : loops[d]);
  }
  std::string empty = g.addEmpty(a.shape, a.element), name = g.next(), type = getName(a.element);
  g.os << "    " << name << " = linalg.generic {indexing_maps = [affine_map<(" << join(loops)
       << ") -> (" << join(reversed) << ")>, affine_map<(" << join(loops) << ") -> (" << join(loops)
       << ")>], iterator_types = [" << join(kinds) << "]} ins(" << a.name << " : " << getType(a)
       << ") outs(" << empty << " : " << getType(a) << ") {\n    ^bb0(%p: " << type
       << ", %o: " << type << "):\n      linalg.yield %p : " << type << "\n    } -> " << getType(a)
       << "\n";
  g.add({name, a.shape, a.element, a.bound});
  return true;
}

const std::vector<LinalgForm> fuzz::linalgShapes = {&addBroadcast, &addTranspose, &addCollapse,
                                                    &addExpand,    &addSlice,     &addPad,
                                                    &addConcat,    &addReverse};
