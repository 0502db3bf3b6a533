//===- HloIndexing.cpp - Run-time positions in StableHLO ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HloProgram.h"

#include <cmath>
#include <numeric>

using namespace dmc;
using namespace dmc::fuzz;

static Element pickIndexElement(HloBuilder &g) {
  return g.random.pick(
      std::vector<Element>{Element::I32, Element::I32, Element::I64, Element::UI32, Element::I8});
}

static Value pickIndices(HloBuilder &g, Shape shape) {
  const Value *found = g.pickIf([&](const Value &value) {
    return isInteger(value.element) && value.shape == shape && g.random.chance(40);
  });
  return found ? *found : g.addArgument(std::move(shape), pickIndexElement(g), Fill::Index);
}

/// Starts of a dynamic slice; all of one type.
static void pickStarts(HloBuilder &g, size_t rank, std::vector<std::string> &names,
                       std::vector<std::string> &types) {
  Element element = pickIndexElement(g);
  for (size_t d = 0; d < rank; ++d) {
    const Value *found = g.pickIf(
        [&](const Value &value) { return value.element == element && value.shape.empty(); });
    Value start = found ? *found
                  : g.random.chance(50)
                      ? g.addArgument({}, element, Fill::Index)
                      : Value{g.addSplat({}, element, g.random.between(-1, 4)), {}, element, 4};
    names.push_back(start.name);
    types.push_back(getType(start));
  }
}

static bool addDynamicSlice(HloBuilder &g) {
  Value a = g.pick();
  if (a.shape.empty())
    return false;
  Value result = a;
  for (int64_t &size : result.shape)
    size = g.random.chance(40) ? size : g.random.between(1, size);
  std::vector<std::string> names, types;
  pickStarts(g, a.shape.size(), names, types);
  result.name = g.next();
  g.begin(result.name) << "stablehlo.dynamic_slice " << a.name << ", " << join(names)
                       << ", sizes = [" << join(result.shape) << "] : (" << getType(a) << ", "
                       << join(types) << ") -> " << getType(result) << "\n";
  g.add(result);
  return true;
}

static bool addDynamicUpdate(HloBuilder &g) {
  Value a = g.pick();
  if (a.shape.empty())
    return false;
  Shape shape = a.shape;
  for (int64_t &size : shape)
    size = g.random.chance(40) ? size : g.random.between(1, size);
  std::vector<std::string> names, types;
  Value update = g.addArgument(shape, a.element);
  pickStarts(g, a.shape.size(), names, types);
  Value result = a;
  result.bound = std::max(a.bound, update.bound);
  result.isIntegral &= update.isIntegral;
  result.isSpecial |= update.isSpecial;
  result.name = g.next();
  g.begin(result.name) << "stablehlo.dynamic_update_slice " << a.name << ", " << update.name << ", "
                       << join(names) << " : (" << getType(a) << ", " << getType(update) << ", "
                       << join(types) << ") -> " << getType(result) << "\n";
  g.add(result);
  return true;
}

namespace {
/// Which dimensions of an operand a gather or scatter addresses; its index vectors
/// are the last dimension.
struct Addressing {
  Shape collapsed, indexed, windows, sliceSizes, offsetDims, resultShape, indexShape;
};
} // namespace

static bool makeAddressing(HloBuilder &g, const Value &a, Addressing &at) {
  if (a.shape.empty())
    return false;
  for (size_t d = 0; d < a.shape.size(); ++d) {
    bool isIndexed = g.random.chance(50), isCollapsed = g.random.chance(50);
    if (isIndexed)
      at.indexed.push_back(d);
    at.sliceSizes.push_back(isCollapsed                        ? 1
                            : isIndexed && g.random.chance(70) ? g.random.between(1, a.shape[d])
                                                               : a.shape[d]);
    if (isCollapsed)
      at.collapsed.push_back(d);
    else
      at.windows.push_back(at.sliceSizes.back());
  }
  g.random.shuffle(at.indexed);
  Shape batch;
  for (int64_t i = g.random.below(3); i > 0; --i)
    batch.push_back(g.random.between(1, 5));
  at.indexShape = batch;
  at.indexShape.push_back(at.indexed.size());
  if (at.indexed.empty() || batch.size() + at.windows.size() > 5)
    return false;
  // Windows anywhere among the result's dimensions.
  Shape places(batch.size() + at.windows.size());
  std::iota(places.begin(), places.end(), 0);
  g.random.shuffle(places);
  at.offsetDims.assign(places.begin(), places.begin() + at.windows.size());
  std::sort(at.offsetDims.begin(), at.offsetDims.end());
  size_t window = 0, other = 0;
  for (size_t d = 0; d < places.size(); ++d)
    at.resultShape.push_back(llvm::is_contained(at.offsetDims, d) ? at.windows[window++]
                                                                  : batch[other++]);
  return count(at.resultShape) <= g.maxElements;
}

static bool addGather(HloBuilder &g) {
  Value a = g.pick();
  Addressing at;
  if (!makeAddressing(g, a, at))
    return false;
  Value indices = pickIndices(g, at.indexShape), result = a;
  result.name = g.next();
  result.shape = at.resultShape;
  g.begin(result.name) << "\"stablehlo.gather\"(" << a.name << ", " << indices.name
                       << ") <{dimension_numbers = #stablehlo.gather<offset_dims = ["
                       << join(at.offsetDims) << "], collapsed_slice_dims = [" << join(at.collapsed)
                       << "], start_index_map = [" << join(at.indexed)
                       << "], index_vector_dim = " << at.indexShape.size() - 1
                       << ">, slice_sizes = " << makeArray(at.sliceSizes) << "}> : (" << getType(a)
                       << ", " << getType(indices) << ") -> " << getType(result) << "\n";
  g.add(result);
  return true;
}

/// Along one dimension, with batching dimensions.
static bool addGatherAlong(HloBuilder &g) {
  Value a = g.pick();
  if (a.shape.empty())
    return false;
  int64_t dim = g.random.below(a.shape.size());
  Shape batching, batches, shape;
  for (int64_t d = 0; d < static_cast<int64_t>(a.shape.size()); ++d)
    if (d != dim) {
      batching.push_back(d);
      batches.push_back(batches.size());
      shape.push_back(a.shape[d]);
    }
  shape.push_back(g.random.between(1, 4));
  Shape indexShape = shape;
  indexShape.push_back(1);
  Value indices = pickIndices(g, indexShape), result = a;
  result.name = g.next();
  result.shape = shape;
  g.begin(result.name) << "\"stablehlo.gather\"(" << a.name << ", " << indices.name
                       << ") <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = ["
                       << dim << "], operand_batching_dims = [" << join(batching)
                       << "], start_indices_batching_dims = [" << join(batches)
                       << "], start_index_map = [" << dim
                       << "], index_vector_dim = " << indexShape.size() - 1
                       << ">, slice_sizes = " << makeArray(Shape(a.shape.size(), 1)) << "}> : ("
                       << getType(a) << ", " << getType(indices) << ") -> " << getType(result)
                       << "\n";
  g.add(result);
  return true;
}

static bool addScatter(HloBuilder &g) {
  Value a = g.pick();
  Addressing at;
  if (!makeAddressing(g, a, at))
    return false;
  Value indices = pickIndices(g, at.indexShape);
  Value updates = g.addArgument(at.resultShape, a.element);
  Value addends = a;
  addends.bound = std::max(a.bound, updates.bound);
  addends.isIntegral &= updates.isIntegral;
  addends.isSpecial |= updates.isSpecial;
  Combination combination;
  if (!pickCombination(g, addends, 1 + count(at.resultShape), combination))
    return false;
  Value result = addends;
  result.name = g.next();
  result.bound = combination.bound;
  result.error = combination.error;
  g.begin(result.name)
      << "\"stablehlo.scatter\"(" << a.name << ", " << indices.name << ", " << updates.name
      << ") <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = ["
      << join(at.offsetDims) << "], inserted_window_dims = [" << join(at.collapsed)
      << "], scatter_dims_to_operand_dims = [" << join(at.indexed)
      << "], index_vector_dim = " << at.indexShape.size() - 1 << ">}> "
      << g.getReducer(combination.op, a.element) << " : (" << getType(a) << ", " << getType(indices)
      << ", " << getType(updates) << ") -> " << getType(result) << "\n";
  g.add(result);
  return true;
}

/// Two operands, of which the updates go to the same places.
static bool addScatterPair(HloBuilder &g) {
  const Value *found =
      g.pickIf([](const Value &value) { return isInteger(value.element) && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found, b = g.getLike(a);
  Addressing at;
  if (!makeAddressing(g, a, at))
    return false;
  Value indices = pickIndices(g, at.indexShape);
  Value updates = g.addArgument(at.resultShape, a.element);
  std::string name = g.next(), type = getType(a);
  g.begin(name + ":2")
      << "\"stablehlo.scatter\"(" << a.name << ", " << b.name << ", " << indices.name << ", "
      << updates.name << ", " << updates.name
      << ") <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = ["
      << join(at.offsetDims) << "], inserted_window_dims = [" << join(at.collapsed)
      << "], scatter_dims_to_operand_dims = [" << join(at.indexed)
      << "], index_vector_dim = " << at.indexShape.size() - 1 << ">}> "
      << g.getPairReducer(a.element) << " : (" << type << ", " << type << ", " << getType(indices)
      << ", " << getType(updates) << ", " << getType(updates) << ") -> (" << type << ", " << type
      << ")\n";
  g.add({name + "#0", a.shape, a.element, INFINITY});
  g.add({name + "#1", a.shape, a.element, INFINITY});
  return true;
}

const std::vector<HloForm> fuzz::hloIndexing = {
    &addDynamicSlice, &addDynamicUpdate, &addGather, &addGatherAlong, &addScatter, &addScatterPair};
