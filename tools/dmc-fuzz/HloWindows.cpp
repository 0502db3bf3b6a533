//===- HloWindows.cpp - Windows and contractions of StableHLO -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HloProgram.h"

#include <cmath>
#include <numeric>

using namespace dmc;
using namespace dmc::fuzz;

namespace {
/// How a window moves over one dimension.
struct Window {
  int64_t size = 1, stride = 1, low = 0, high = 0, baseDilation = 1, dilation = 1;

  /// The number of its places; less than 1 if there is none.
  int64_t getPlaces(int64_t extent) const {
    int64_t padded = (extent - 1) * baseDilation + 1 + low + high;
    int64_t covered = (size - 1) * dilation + 1;
    return padded < covered ? 0 : (padded - covered) / stride + 1;
  }
};

struct Windows {
  std::vector<Window> windows;

  template <typename Member>
  Shape get(Member member) const {
    Shape result;
    for (const Window &window : windows)
      result.push_back(window.*member);
    return result;
  }
  std::string getPadding() const {
    std::vector<std::string> pairs;
    for (const Window &window : windows)
      pairs.push_back("[" + std::to_string(window.low) + ", " + std::to_string(window.high) + "]");
    return "[" + join(pairs) + "]";
  }
  int64_t getNumAddends() const { return count(get(&Window::size)); }
};
} // namespace

static Window makeWindow(HloBuilder &g, int64_t extent, bool isDilated) {
  Window window;
  window.size = g.random.between(1, std::min<int64_t>(extent, 3));
  window.stride = g.random.chance(60) ? 1 : g.random.between(2, 3);
  window.low = g.random.chance(60) ? 0 : g.random.between(-1, 2);
  window.high = g.random.chance(60) ? 0 : g.random.between(-1, 2);
  if (isDilated && g.random.chance(25))
    window.baseDilation = 2;
  if (isDilated && g.random.chance(25))
    window.dilation = 2;
  return window;
}

/// Windows on all dimensions, and the shape of the result; false if that is empty
/// or large.
static bool makeWindows(HloBuilder &g, const Value &a, Windows &windows, Shape &shape) {
  for (int64_t extent : a.shape) {
    windows.windows.push_back(makeWindow(g, extent, /*isDilated=*/true));
    shape.push_back(windows.windows.back().getPlaces(extent));
  }
  return llvm::all_of(shape, [](int64_t size) { return size > 0; }) &&
         count(shape) <= g.maxElements;
}

static std::string getAttributes(const Windows &windows) {
  return "<{window_dimensions = " + makeArray(windows.get(&Window::size)) +
         ", window_strides = " + makeArray(windows.get(&Window::stride)) +
         ", base_dilations = " + makeArray(windows.get(&Window::baseDilation)) +
         ", window_dilations = " + makeArray(windows.get(&Window::dilation)) +
         ", padding = dense<" + windows.getPadding() + "> : tensor<" +
         std::to_string(windows.windows.size()) + "x2xi64>}>";
}

static bool addReduceWindow(HloBuilder &g) {
  const Value *found = g.pickIf([](const Value &value) { return !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found;
  Windows windows;
  Shape shape;
  Combination combination;
  if (!makeWindows(g, a, windows, shape) ||
      !pickCombination(g, a, windows.getNumAddends(), combination))
    return false;
  std::string init = g.addSplat({}, a.element, getNeutral(combination.op, a.element));
  Value result = a;
  result.name = g.next();
  result.shape = shape;
  result.bound = combination.bound;
  result.error = combination.error;
  result.isSpecial |= isFloat(a.element) && combination.op != "add"; // a window of padding only
  g.begin(result.name) << "\"stablehlo.reduce_window\"(" << a.name << ", " << init << ") "
                       << getAttributes(windows) << " " << g.getReducer(combination.op, a.element)
                       << " : (" << getType(a) << ", " << getType({}, a.element) << ") -> "
                       << getType(result) << "\n";
  g.add(result);
  return true;
}

static bool addReduceWindowPair(HloBuilder &g) {
  const Value *found =
      g.pickIf([](const Value &value) { return isInteger(value.element) && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found, b = g.getLike(a);
  Windows windows;
  Shape shape;
  if (!makeWindows(g, a, windows, shape))
    return false;
  std::string scalar = getType({}, a.element), result = getType(shape, a.element),
              zero = g.addSplat({}, a.element, getNeutral("add", a.element)),
              least = g.addSplat({}, a.element, getNeutral("maximum", a.element)), name = g.next();
  g.begin(name + ":2") << "\"stablehlo.reduce_window\"(" << a.name << ", " << b.name << ", " << zero
                       << ", " << least << ") " << getAttributes(windows) << " "
                       << g.getPairReducer(a.element) << " : (" << getType(a) << ", " << getType(b)
                       << ", " << scalar << ", " << scalar << ") -> (" << result << ", " << result
                       << ")\n";
  g.add({name + "#0", shape, a.element, a.bound * windows.getNumAddends()});
  g.add({name + "#1", shape, a.element, INFINITY});
  return true;
}

static bool addSelectAndScatter(HloBuilder &g) {
  const Value *found = g.pickIf([](const Value &value) {
    return isNumber(value) && isExact(value) && !value.isSpecial && value.isIntegral &&
           !value.shape.empty();
  });
  if (!found)
    return false;
  Value a = *found;
  Windows windows;
  Shape shape;
  for (int64_t extent : a.shape) {
    Window window = makeWindow(g, extent, /*isDilated=*/false);
    window.low = std::max<int64_t>(window.low, 0);
    window.high = std::max<int64_t>(window.high, 0);
    // A window of padding only selects nothing.
    window.low = std::min(window.low, window.size - 1);
    window.high = std::min(window.high, window.size - 1);
    windows.windows.push_back(window);
    shape.push_back(window.getPlaces(extent));
    if (shape.back() < 1)
      return false;
  }
  Value source = g.addArgument(shape, a.element, Fill::Integral);
  double bound = source.bound * count(shape);
  if (!g.isExact(bound, a.element))
    return false;
  std::string init = g.addSplat({}, a.element, 0), scalar = getType({}, a.element), name = g.next();
  g.begin(name) << "\"stablehlo.select_and_scatter\"(" << a.name << ", " << source.name << ", "
                << init << ") <{window_dimensions = " << makeArray(windows.get(&Window::size))
                << ", window_strides = " << makeArray(windows.get(&Window::stride))
                << ", padding = dense<" << windows.getPadding() << "> : tensor<" << a.shape.size()
                << "x2xi64>}> ({\n    ^bb0(%p: " << scalar << ", %q: " << scalar
                << "):\n      %c = stablehlo.compare GE, %p, %q : (" << scalar << ", " << scalar
                << ") -> tensor<i1>\n      stablehlo.return %c : tensor<i1>\n    }, "
                << llvm::StringRef(g.getReducer("add", a.element)).drop_front(1) << " : ("
                << getType(a) << ", " << getType(source) << ", " << scalar << ") -> " << getType(a)
                << "\n";
  g.add({name, a.shape, a.element, bound});
  return true;
}

const std::vector<HloForm> fuzz::hloWindows = {&addReduceWindow, &addReduceWindow,
                                               &addReduceWindowPair, &addSelectAndScatter};

//===--- Contractions -----------------------------------------------------===//

/// The type in which products are summed, and what the sum may differ by.
static bool getProduct(HloBuilder &g, const Value &a, const Value &b, int64_t addends,
                       Value &result) {
  result.element = a.element;
  if ((a.element == Element::BF16 || a.element == Element::F16) && g.random.chance(40))
    result.element = Element::F32;
  if (a.element == Element::I8 && g.random.chance(40))
    result.element = Element::I32;
  result.bound = a.bound * b.bound * addends;
  if (!isFloat(a.element))
    return true;
  if (a.isSpecial || b.isSpecial || result.bound > g.maxBound)
    return false;
  result.isIntegral = a.isIntegral && b.isIntegral;
  if (isExact(a) && isExact(b) && result.isIntegral && g.isExact(result.bound, result.element))
    return true;
  result.error = addends * (a.bound * b.error + b.bound * a.error) +
                 2 * addends * result.bound * getInfo(result.element).epsilon;
  return true;
}

static bool isFactor(const Value &value) { return isNumber(value) && !value.shape.empty(); }

static bool addDotGeneral(HloBuilder &g) {
  const Value *found = g.pickIf(isFactor);
  if (!found)
    return false;
  Value a = *found;
  Shape batchA, batchB, contractA, contractB, free, shapeB, shape;
  int64_t addends = 1;
  struct Dim {
    int64_t size, ofA; // -1: free
    bool isBatch;
  };
  std::vector<Dim> dims; // of b
  for (size_t d = 0; d < a.shape.size(); ++d) {
    int64_t role = g.random.below(3);
    if (role == 2)
      free.push_back(a.shape[d]);
    else
      dims.push_back({a.shape[d], static_cast<int64_t>(d), role == 1});
  }
  for (int64_t i = g.random.below(3); i > 0; --i)
    dims.push_back({g.random.between(1, 6), -1, false});
  if (dims.empty())
    return false;
  g.random.shuffle(dims);
  Shape order(dims.size()), freeB;
  std::iota(order.begin(), order.end(), 0);
  for (const Dim &dim : dims)
    shapeB.push_back(dim.size);
  // Pairs are listed in any order too.
  Shape listed = order;
  g.random.shuffle(listed);
  for (int64_t d : listed) {
    if (dims[d].ofA < 0)
      continue;
    (dims[d].isBatch ? batchA : contractA).push_back(dims[d].ofA);
    (dims[d].isBatch ? batchB : contractB).push_back(d);
    if (dims[d].isBatch)
      shape.push_back(dims[d].size);
    else
      addends *= dims[d].size;
  }
  shape.insert(shape.end(), free.begin(), free.end());
  for (const Dim &dim : dims)
    if (dim.ofA < 0)
      shape.push_back(dim.size);
  if (count(shape) > g.maxElements || count(shapeB) > g.maxElements || shape.size() > 5)
    return false;
  const Value *other = g.pickIf(
      [&](const Value &value) { return value.shape == shapeB && value.element == a.element; });
  Value b = other ? *other : g.addArgument(shapeB, a.element);
  Value result{"", shape, a.element, 0};
  if (!getProduct(g, a, b, addends, result))
    return false;
  result.name = g.next();
  g.begin(result.name) << "stablehlo.dot_general " << a.name << ", " << b.name << ", ";
  if (!batchA.empty())
    g.os << "batching_dims = [" << join(batchA) << "] x [" << join(batchB) << "], ";
  g.os << "contracting_dims = [" << join(contractA) << "] x [" << join(contractB) << "] : ("
       << getType(a) << ", " << getType(b) << ") -> " << getType(result) << "\n";
  g.add(result);
  return true;
}

/// A shape's dimensions by name, in any order.
static std::string permute(HloBuilder &g, std::vector<std::string> names, Shape &shape) {
  Shape order(names.size()), sizes = shape;
  std::iota(order.begin(), order.end(), 0);
  if (g.random.chance(60))
    g.random.shuffle(order);
  std::vector<std::string> permuted;
  for (size_t d = 0; d < order.size(); ++d) {
    permuted.push_back(names[order[d]]);
    shape[d] = sizes[order[d]];
  }
  return "[" + join(permuted) + "]";
}

static bool addConvolution(HloBuilder &g) {
  int64_t spatial = g.random.between(0, 2);
  int64_t featureGroups = g.random.chance(25) ? 2 : 1;
  int64_t batchGroups = featureGroups == 1 && g.random.chance(15) ? 2 : 1;
  int64_t batch = g.random.between(1, 3) * batchGroups, inputs = g.random.between(1, 3),
          outputs = g.random.between(1, 3) * featureGroups * batchGroups;
  Shape lhs = {batch, inputs * featureGroups}, rhs = {inputs, outputs},
        result = {batch / batchGroups, outputs};
  std::vector<std::string> lhsNames = {"b", "f"}, rhsNames = {"i", "o"}, resultNames = {"b", "f"};
  Windows windows;
  std::vector<std::string> reverse;
  for (int64_t d = 0; d < spatial; ++d) {
    int64_t extent = g.random.between(1, 6);
    Window window = makeWindow(g, extent, /*isDilated=*/true);
    windows.windows.push_back(window);
    lhs.push_back(extent);
    rhs.push_back(window.size);
    result.push_back(window.getPlaces(extent));
    if (result.back() < 1)
      return false;
    for (auto *names : {&lhsNames, &rhsNames, &resultNames})
      names->push_back(std::to_string(d));
    reverse.push_back(g.random.chance(20) ? "true" : "false");
  }
  if (count(lhs) > g.maxElements || count(rhs) > g.maxElements || count(result) > g.maxElements)
    return false;
  std::string lhsText = permute(g, lhsNames, lhs), rhsText = permute(g, rhsNames, rhs),
              resultText = permute(g, resultNames, result);
  const Value *found = g.pickIf(isFactor);
  Element element = found ? found->element : Element::F32;
  const Value *given =
      g.pickIf([&](const Value &value) { return value.shape == lhs && value.element == element; });
  Value a = given ? *given : g.addArgument(lhs, element), b = g.addArgument(rhs, element);
  Value out{"", result, element, 0};
  if (!getProduct(g, a, b, windows.getNumAddends() * inputs, out))
    return false;
  out.name = g.next();
  g.begin(out.name) << "stablehlo.convolution(" << a.name << ", " << b.name
                    << ") dim_numbers = " << lhsText << "x" << rhsText << "->" << resultText
                    << ", window = {";
  if (spatial)
    g.os << "stride = [" << join(windows.get(&Window::stride))
         << "], pad = " << windows.getPadding() << ", lhs_dilate = ["
         << join(windows.get(&Window::baseDilation)) << "], rhs_dilate = ["
         << join(windows.get(&Window::dilation)) << "], reverse = [" << join(reverse) << "]";
  g.os << "} {batch_group_count = " << batchGroups
       << " : i64, feature_group_count = " << featureGroups << " : i64} : (" << getType(a) << ", "
       << getType(b) << ") -> " << getType(out) << "\n";
  g.add(out);
  return true;
}

const std::vector<HloForm> fuzz::hloContractions = {&addDotGeneral, &addDotGeneral,
                                                    &addConvolution};
