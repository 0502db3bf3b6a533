//===- Builder.h - A random program while it is made ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs of all dialects have in common: a mesh, layouts, values with
// bounds, arguments.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_TOOLS_DMC_FUZZ_BUILDER_H
#define DMC_TOOLS_DMC_FUZZ_BUILDER_H

#include "Elements.h"
#include "Random.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace dmc::fuzz {

using Shape = std::vector<int64_t>;

int64_t count(const Shape &shape);

/// A value and what is known of it; the rest follows from how it was made.
struct Value {
  std::string name;
  Shape shape;
  Element element;
  double bound;           // on magnitudes
  double error = 0;       // by which paths may differ: sums in another order
  bool isIntegral = true; // of a float
  bool isSpecial = false; // may be NaN, infinite, ...
};

template <typename List>
std::string join(const List &list) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  llvm::interleaveComma(list, stream);
  return result;
}

std::string getType(const Shape &shape, Element element, const std::string &layout = "");
/// An integer as a literal of the element type.
std::string getNumber(Element element, int64_t number);
inline std::string getType(const Value &value) { return getType(value.shape, value.element); }

/// `array<i64: 1, 2>`
std::string makeArray(const Shape &list);

/// Axes of each dimension, in the text that all layouts share.
struct Layout {
  std::vector<std::string> dims;
  std::string placed; // an axis, or nothing

  std::string getDMC() const;
  std::string getSdy() const;
};

class Builder {
public:
  explicit Builder(uint64_t seed) : random(seed), os(body) {}
  virtual ~Builder() = default;

  /// A constant of equal elements.
  virtual std::string addSplat(const Shape &shape, Element element, const std::string &number) = 0;
  std::string addSplat(const Shape &shape, Element element, int64_t number) {
    return addSplat(shape, element, getNumber(element, number));
  }

  // The mesh: up to 8 ranks.
  void makeMesh();
  /// `"x" = 2, "y" = 2`
  std::string getMesh(const char *equals) const;
  Layout makeLayout(size_t rank, bool isSplitOnly = false);

  // Values.
  std::string next() { return "%" + std::to_string(numValues++); }
  Shape makeShape();
  /// Prefers what was made last: deep programs.
  const Value &pick();
  const Value *pickIf(llvm::function_ref<bool(const Value &)> isSuited);
  Value addArgument(Shape shape, Element element, Fill fill);
  Value addArgument(Shape shape, Element element);
  /// A value of the same type.
  Value getLike(const Value &value);
  const Value &add(Value value);
  Element pickElement() { return random.pick(elements); }
  /// Whether sums of that magnitude are exact, whatever their order.
  bool isExact(double bound, Element element) const {
    return !isFloat(element) || bound <= std::min(maxBound, getInfo(element).exact);
  }

  static constexpr double maxBound = 1 << 14;
  static constexpr int64_t maxElements = 256;

  Random random;
  std::vector<std::pair<std::string, int64_t>> mesh;
  std::vector<Value> values, arguments;
  std::vector<Fill> fills;
  std::vector<Element> elements = {Element::F32};
  /// Of arguments that are not asked for special ones.
  Fill defaultFill = Fill::Integral;
  std::string body;
  llvm::raw_string_ostream os;

private:
  int numValues = 0;
};

/// What was made: a text, and how to try it.
struct Program {
  std::string text;
  std::vector<Fill> arguments;
  std::vector<double> tolerances; // absolute, of the results
};

/// Lines that say how to try a program, before its text.
std::string getNotes(const Program &program);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_BUILDER_H
