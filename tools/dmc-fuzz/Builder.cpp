//===- Builder.cpp - A random program while it is made --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Builder.h"

#include <cmath>
#include <numeric>

using namespace dmc::fuzz;

int64_t dmc::fuzz::count(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<int64_t>());
}

std::string dmc::fuzz::getType(const Shape &shape, Element element, const std::string &layout) {
  std::string result = "tensor<";
  for (int64_t size : shape)
    result += std::to_string(size) + "x";
  return result + getName(element) + (layout.empty() ? "" : ", " + layout) + ">";
}

std::string dmc::fuzz::getNumber(Element element, int64_t number) {
  if (element == Element::I1)
    return number % 2 ? "true" : "false";
  if (getInfo(element).isUnsigned)
    number = std::abs(number);
  return std::to_string(number) + (isFloat(element) ? ".0" : "");
}

std::string dmc::fuzz::makeArray(const Shape &list) {
  return list.empty() ? "array<i64>" : "array<i64: " + join(list) + ">";
}

//===--- Meshes and layouts -----------------------------------------------===//

void Builder::makeMesh() {
  static const std::vector<Shape> sizes = {{1}, {2},    {3},    {4},    {5},    {6},       {7},
                                           {8}, {2, 2}, {2, 3}, {3, 2}, {4, 2}, {2, 2, 2}, {1, 4}};
  static const char *const names[] = {"x", "y", "z"};
  for (auto [i, size] : llvm::enumerate(random.pick(sizes)))
    mesh.push_back({names[i], size});
}

std::string Builder::getMesh(const char *equals) const {
  std::vector<std::string> axes;
  for (auto &[name, size] : mesh)
    axes.push_back("\"" + name + "\"" + equals + std::to_string(size));
  return join(axes);
}

Layout Builder::makeLayout(size_t rank, bool isSplitOnly) {
  std::vector<std::string> axes;
  for (auto &[name, size] : mesh) {
    std::string quoted = "\"" + name + "\"";
    if (size % 2 == 0 && size > 2 && random.chance(20)) {
      axes.push_back(quoted + ":(1)2");
      axes.push_back(quoted + ":(2)" + std::to_string(size / 2));
    } else {
      axes.push_back(quoted);
    }
  }
  random.shuffle(axes);
  Layout layout;
  layout.dims.resize(rank);
  for (const std::string &axis : axes)
    if (rank && random.chance(65)) {
      std::string &dim = layout.dims[random.below(rank)];
      dim += (dim.empty() ? "" : ", ") + axis;
    } else if (!isSplitOnly && layout.placed.empty() && random.chance(10)) {
      layout.placed = axis;
    }
  return layout;
}

static std::string joinDims(const std::vector<std::string> &dims) {
  std::string result;
  for (auto [i, dim] : llvm::enumerate(dims))
    result += (i ? ", {" : "{") + dim + "}";
  return "[" + result + "]";
}

std::string Layout::getDMC() const {
  return "#dmc.layout<#mesh, " + joinDims(dims) +
         (placed.empty() ? "" : ", placed {" + placed + " = 0}") + ">";
}

std::string Layout::getSdy() const { return "<@mesh, " + joinDims(dims) + ">"; }

//===--- Values -----------------------------------------------------------===//

Shape Builder::makeShape() {
  static const std::vector<int64_t> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12};
  Shape shape(random.pick(std::vector<int64_t>{0, 1, 1, 2, 2, 2, 3, 3, 4}));
  for (int64_t &size : shape)
    do
      size = random.pick(sizes);
    while (count(shape) > maxElements && size > 1);
  return count(shape) <= maxElements ? shape : Shape{random.between(1, 9)};
}

const Value &Builder::pick() {
  size_t recent = std::min<size_t>(values.size(), 3);
  return random.chance(60) ? values[values.size() - 1 - random.below(recent)]
                           : values[random.below(values.size())];
}

const Value *Builder::pickIf(llvm::function_ref<bool(const Value &)> isSuited) {
  for (int i = 0; i < 8; ++i)
    if (const Value &value = pick(); isSuited(value))
      return &value;
  return nullptr;
}

const Value &Builder::add(Value value) {
  if (!isFloat(value.element)) {
    value.error = 0;
    value.isIntegral = true;
    value.isSpecial = false;
    if (value.bound >= getInfo(value.element).exact) // it wraps
      value.bound = INFINITY;
  } else if (value.bound > getInfo(value.element).exact) {
    value.isIntegral = false; // it is rounded
  }
  values.push_back(std::move(value));
  return values.back();
}

Value Builder::addArgument(Shape shape, Element element, Fill fill) {
  Value value{"%arg" + std::to_string(arguments.size()), std::move(shape), element, 4};
  value.bound = element == Element::I1                   ? 1
                : fill == Fill::Index                    ? 9
                : fill == Fill::Special                  ? INFINITY
                : isFloat(element) && fill == Fill::Real ? 2
                : isFloat(element)                       ? 4
                                                         : 7;
  value.isIntegral = !isFloat(element) || fill == Fill::Integral || fill == Fill::Index;
  value.isSpecial = isFloat(element) && fill == Fill::Special;
  arguments.push_back(value);
  fills.push_back(fill);
  values.push_back(value);
  return value;
}

Value Builder::addArgument(Shape shape, Element element) {
  return addArgument(std::move(shape), element,
                     element == Element::I1 ? Fill::Integral : defaultFill);
}

Value Builder::getLike(const Value &given) {
  Value value = given; // `values` may grow
  if (random.chance(70))
    if (const Value *other = pickIf([&](const Value &other) {
          // The difference of an infinity and itself is a NaN of either sign, which total orders
          // tell apart.
          bool isAllowed = other.name != value.name || !value.isSpecial;
          return isAllowed && other.shape == value.shape && other.element == value.element;
        }))
      return *other;
  if (random.chance(70) || value.element == Element::I1)
    return addArgument(value.shape, value.element);
  int64_t number = random.between(-3, 3);
  Value result{addSplat(value.shape, value.element, number), value.shape, value.element, 3};
  return result;
}

//===--- Programs ---------------------------------------------------------===//

std::string dmc::fuzz::getNotes(const Program &program) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [i, fill] : llvm::enumerate(program.arguments))
    if (fill != Fill::Integral)
      os << "// argument " << i << ": " << getName(fill) << "\n";
  for (auto [i, tolerance] : llvm::enumerate(program.tolerances))
    if (tolerance > 0)
      os << "// result " << i << ": within " << tolerance << "\n";
  return text;
}
