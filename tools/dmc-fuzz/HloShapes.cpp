//===- HloShapes.cpp - Whole tensors in StableHLO -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HloProgram.h"

#include <numeric>

using namespace dmc;
using namespace dmc::fuzz;

/// The same numbers in another shape.
static bool addMoved(HloBuilder &g, Value value, std::string name, Shape shape) {
  value.name = std::move(name);
  value.shape = std::move(shape);
  g.add(std::move(value));
  return true;
}

static bool addBroadcast(HloBuilder &g) {
  Value a = g.pick();
  if (a.shape.size() > 4)
    return false;
  Shape shape, dims;
  size_t rank = a.shape.size() + g.random.below(std::min<int64_t>(3, 5 - a.shape.size()));
  // Operand dimensions in any order of the result's.
  Shape places(rank);
  std::iota(places.begin(), places.end(), 0);
  g.random.shuffle(places);
  dims.assign(places.begin(), places.begin() + a.shape.size());
  if (g.random.chance(70))
    std::sort(dims.begin(), dims.end());
  shape.assign(rank, 0);
  for (int64_t &size : shape)
    size = g.random.between(1, 6);
  for (size_t d = 0; d < dims.size(); ++d)
    if (a.shape[d] != 1 || g.random.chance(40))
      shape[dims[d]] = a.shape[d];
  if (count(shape) > g.maxElements)
    return false;
  std::string name = g.next();
  g.begin(name) << "stablehlo.broadcast_in_dim " << a.name << ", dims = [" << join(dims) << "] : ("
                << getType(a) << ") -> " << getType(shape, a.element) << "\n";
  return addMoved(g, a, name, shape);
}

static bool addTranspose(HloBuilder &g) {
  Value a = g.pick();
  Shape permutation(a.shape.size()), shape;
  std::iota(permutation.begin(), permutation.end(), 0);
  g.random.shuffle(permutation);
  for (int64_t dim : permutation)
    shape.push_back(a.shape[dim]);
  std::string name = g.next();
  g.begin(name) << "stablehlo.transpose " << a.name << ", dims = [" << join(permutation) << "] : ("
                << getType(a) << ") -> " << getType(shape, a.element) << "\n";
  return addMoved(g, a, name, shape);
}

/// Factors that multiply to a number of elements, in any order.
static bool addReshape(HloBuilder &g) {
  Value a = g.pick();
  int64_t rest = count(a.shape);
  if (rest == 0)
    return false;
  Shape shape;
  for (int64_t factor = 2; rest > 1; ++factor)
    for (; rest % factor == 0; rest /= factor) {
      if (!shape.empty() && g.random.chance(50))
        shape[g.random.below(shape.size())] *= factor;
      else
        shape.insert(shape.begin() + g.random.below(shape.size() + 1), factor);
    }
  while (shape.size() < 4 && g.random.chance(25))
    shape.insert(shape.begin() + g.random.below(shape.size() + 1), 1);
  if (shape.size() > 5)
    return false;
  std::string name = g.next();
  g.begin(name) << "stablehlo.reshape " << a.name << " : (" << getType(a) << ") -> "
                << getType(shape, a.element) << "\n";
  return addMoved(g, a, name, shape);
}

static bool addReverse(HloBuilder &g) {
  Value a = g.pick();
  Shape dims;
  for (size_t d = 0; d < a.shape.size(); ++d)
    if (g.random.chance(50))
      dims.push_back(d);
  if (dims.empty())
    return false;
  std::string name = g.next();
  g.begin(name) << "stablehlo.reverse " << a.name << ", dims = [" << join(dims)
                << "] : " << getType(a) << "\n";
  return addMoved(g, a, name, a.shape);
}

static bool addSlice(HloBuilder &g) {
  Value a = g.pick();
  Shape shape;
  std::string ranges;
  for (int64_t size : a.shape) {
    int64_t start = g.random.chance(50) ? 0 : g.random.below(size);
    int64_t limit = g.random.chance(50) ? size : g.random.between(start + 1, size);
    int64_t stride = g.random.chance(70) ? 1 : g.random.between(2, 3);
    shape.push_back((limit - start + stride - 1) / stride);
    ranges += (ranges.empty() ? "" : ", ") + std::to_string(start) + ":" + std::to_string(limit) +
              (stride == 1 ? "" : ":" + std::to_string(stride));
  }
  std::string name = g.next();
  g.begin(name) << "stablehlo.slice " << a.name << " [" << ranges << "] : (" << getType(a)
                << ") -> " << getType(shape, a.element) << "\n";
  return addMoved(g, a, name, shape);
}

static bool addPad(HloBuilder &g) {
  Value a = g.pick();
  Shape low, high, interior, shape;
  for (int64_t size : a.shape) {
    low.push_back(g.random.chance(50) ? 0 : g.random.between(-2, 3));
    high.push_back(g.random.chance(50) ? 0 : g.random.between(-2, 3));
    interior.push_back(g.random.chance(75) ? 0 : g.random.between(1, 2));
    shape.push_back(low.back() + high.back() + size + (size - 1) * interior.back());
    if (shape.back() < 1)
      return false;
  }
  if (count(shape) > g.maxElements)
    return false;
  Value padding = g.random.chance(40)
                      ? g.addArgument({}, a.element)
                      : Value{g.addSplat({}, a.element, g.random.between(-2, 2)), {}, a.element, 2};
  Value result = a;
  result.bound = std::max(a.bound, padding.bound);
  result.isIntegral &= padding.isIntegral;
  result.isSpecial |= padding.isSpecial;
  std::string name = g.next();
  g.begin(name) << "stablehlo.pad " << a.name << ", " << padding.name << ", low = [" << join(low)
                << "], high = [" << join(high) << "], interior = [" << join(interior) << "] : ("
                << getType(a) << ", " << getType(padding) << ") -> " << getType(shape, a.element)
                << "\n";
  return addMoved(g, result, name, shape);
}

static bool addConcatenate(HloBuilder &g) {
  Value a = g.pick();
  if (a.shape.empty())
    return false;
  size_t dim = g.random.below(a.shape.size());
  std::vector<std::string> names = {a.name}, types = {getType(a)};
  Value result = a;
  for (int64_t i = g.random.between(1, 2); i > 0; --i) {
    const Value *found = g.pickIf([&](const Value &value) {
      if (value.element != a.element || value.shape.size() != a.shape.size())
        return false;
      Shape cut = value.shape;
      cut[dim] = a.shape[dim];
      return cut == a.shape;
    });
    Shape other = a.shape;
    other[dim] = g.random.between(1, 5);
    Value b = found ? *found : g.addArgument(other, a.element);
    names.push_back(b.name);
    types.push_back(getType(b));
    result.shape[dim] += b.shape[dim];
    result.bound = std::max(result.bound, b.bound);
    result.error = std::max(result.error, b.error);
    result.isIntegral &= b.isIntegral;
    result.isSpecial |= b.isSpecial;
  }
  if (count(result.shape) > g.maxElements)
    return false;
  std::string name = g.next();
  g.begin(name) << "stablehlo.concatenate " << join(names) << ", dim = " << dim << " : ("
                << join(types) << ") -> " << getType(result) << "\n";
  return addMoved(g, result, name, result.shape);
}

//===--- Sources and requests ---------------------------------------------===//

static bool addIota(HloBuilder &g) {
  Shape shape = g.random.chance(70) ? g.pick().shape : g.makeShape();
  Element element = g.pickElement();
  if (shape.empty() || element == Element::I1)
    return false;
  std::string name = g.next();
  g.begin(name) << "stablehlo.iota dim = " << g.random.below(shape.size()) << " : "
                << getType(shape, element) << "\n";
  g.add({name, shape, element, 256});
  return true;
}

static bool addConstant(HloBuilder &g) {
  Shape shape = g.random.chance(60) ? g.pick().shape : g.makeShape();
  Element element = g.pickElement();
  auto write = [&](auto &self, size_t dim) -> std::string {
    if (dim == shape.size())
      return getNumber(element, g.random.between(-4, 4));
    std::vector<std::string> parts;
    for (int64_t i = 0; i < shape[dim]; ++i)
      parts.push_back(self(self, dim + 1));
    return "[" + join(parts) + "]";
  };
  std::string name = g.next();
  g.begin(name) << "stablehlo.constant dense<" << write(write, 0)
                << "> : " << getType(shape, element) << "\n";
  g.add({name, shape, element, 4});
  return true;
}

static bool addConstraint(HloBuilder &g) {
  if (g.isOfRanks() || g.depth > 0)
    return false;
  Value a = g.pick();
  Layout layout = g.makeLayout(a.shape.size(), true);
  // Open dimensions may be split further.
  for (std::string &dim : layout.dims)
    if (g.random.chance(30))
      dim += dim.empty() ? "?" : ", ?";
  std::string name = g.next();
  g.begin(name) << "sdy.sharding_constraint " << a.name << " " << layout.getSdy() << " : "
                << getType(a) << "\n";
  return addMoved(g, a, name, a.shape);
}

static bool addBarrier(HloBuilder &g) {
  Value a = g.pick();
  std::string name = g.next();
  g.begin(name) << "stablehlo.optimization_barrier " << a.name << " : " << getType(a) << "\n";
  return addMoved(g, a, name, a.shape);
}

const std::vector<HloForm> fuzz::hloShapes = {&addBroadcast, &addTranspose,  &addReshape,
                                              &addReshape,   &addReverse,    &addSlice,
                                              &addPad,       &addConcatenate};
const std::vector<HloForm> fuzz::hloRequests = {&addIota, &addConstant, &addConstraint,
                                                &addBarrier};
