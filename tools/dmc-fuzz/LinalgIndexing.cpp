//===- LinalgIndexing.cpp - Positions known at run time -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinalgProgram.h"

#include <numeric>

using namespace dmc;
using namespace dmc::fuzz;

/// `1, 2, ...`: the dimensions after the first.
static Shape makeTail(size_t rank) {
  Shape dims(rank - 1);
  std::iota(dims.begin(), dims.end(), 1);
  return dims;
}

static bool addGather(LinalgBuilder &g) {
  Value a = g.pick();
  if (a.shape.empty())
    return false;
  int64_t rows = g.random.between(1, 6);
  Value indices = g.addArgument({rows, 1}, Element::I32, Fill::Index);
  Shape shape = a.shape, sizes = a.shape, tail = makeTail(a.shape.size());
  shape[0] = rows;
  sizes[0] = 1;
  std::string empty = g.addEmpty(shape, a.element), name = g.next();
  g.os << "    " << name << " = dmc.gather ins(" << a.name << ", " << indices.name << " : "
       << getType(a) << ", " << getType(indices) << ") outs(" << empty << " : "
       << getType(shape, a.element) << ") {offset_dims = " << makeArray(tail)
       << ", collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, "
          "index_vector_dim = 1 : i64, slice_sizes = "
       << makeArray(sizes) << "} -> " << getType(shape, a.element) << "\n";
  g.add({name, shape, a.element, a.bound});
  return true;
}

static bool addScatter(LinalgBuilder &g) {
  const Value *found = g.pickIf(
      [](const Value &value) { return value.element != Element::I1 && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found;
  int64_t rows = g.random.between(1, 6);
  bool isFloat = fuzz::isFloat(a.element);
  double bound = a.bound + rows * 7;
  if (!g.isExact(bound, a.element))
    return false;
  Shape shape = a.shape, tail = makeTail(a.shape.size());
  shape[0] = rows;
  if (count(shape) > g.maxElements)
    return false;
  Value indices = g.addArgument({rows, 1}, Element::I32, Fill::Index),
        updates = g.addArgument(shape, a.element);
  std::string name = g.next(), type = getName(a.element);
  g.os << "    " << name << " = dmc.scatter ins(" << indices.name << ", " << updates.name << " : "
       << getType(indices) << ", " << getType(updates) << ") outs(" << a.name << " : " << getType(a)
       << ") {update_window_dims = " << makeArray(tail)
       << ", inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, "
          "index_vector_dim = 1 : i64} -> "
       << getType(a) << " {\n    ^bb0(%p: " << type << ", %q: " << type
       << "):\n      %s = arith.add" << (isFloat ? "f" : "i") << " %p, %q : " << type
       << "\n      dmc.yield %s : " << type << "\n    }\n";
  g.add({name, a.shape, a.element, bound});
  return true;
}

static bool addDynamicSlice(LinalgBuilder &g) {
  Value a = g.pick();
  if (a.shape.empty())
    return false;
  Shape shape;
  std::vector<std::string> starts, types;
  for (int64_t size : a.shape) {
    shape.push_back(g.random.between(1, size));
    starts.push_back(g.addArgument({}, Element::I32, Fill::Index).name);
    types.push_back("tensor<i32>");
  }
  std::string empty = g.addEmpty(shape, a.element), name = g.next();
  g.os << "    " << name << " = dmc.dynamic_slice ins(" << a.name << " : " << getType(a) << ") at("
       << join(starts) << " : " << join(types) << ") outs(" << empty << " : "
       << getType(shape, a.element) << ") -> " << getType(shape, a.element) << "\n";
  g.add({name, shape, a.element, a.bound});
  return true;
}

static bool addDynamicUpdate(LinalgBuilder &g) {
  Value a = g.pick();
  if (a.shape.empty())
    return false;
  Shape shape;
  std::vector<std::string> starts, types;
  for (int64_t size : a.shape) {
    shape.push_back(g.random.between(1, size));
    starts.push_back(g.addArgument({}, Element::I32, Fill::Index).name);
    types.push_back("tensor<i32>");
  }
  Value update = g.addArgument(shape, a.element);
  std::string name = g.next();
  g.os << "    " << name << " = dmc.dynamic_update_slice ins(" << update.name << " : "
       << getType(update) << ") at(" << join(starts) << " : " << join(types) << ") outs(" << a.name
       << " : " << getType(a) << ") -> " << getType(a) << "\n";
  g.add({name, a.shape, a.element, std::max(a.bound, 7.0)});
  return true;
}

const std::vector<LinalgForm> fuzz::linalgIndexing = {&addGather, &addScatter, &addDynamicSlice,
                                                      &addDynamicUpdate};
