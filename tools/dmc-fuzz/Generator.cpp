//===- Generator.cpp - Random valid programs ------------------------------===//
//
// Adds operations on values that are there, or on new arguments; a bound on
// magnitudes keeps floats exact.
//
//===----------------------------------------------------------------------===//
#include "Generator.h"

#include "Random.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace dmc::fuzz;
using Shape = std::vector<int64_t>;

namespace {
enum class Element { F32, I32, I1 };

struct Value {
  std::string name;
  Shape shape;
  Element element;
  double bound; // on magnitudes
};

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed), os(body) {}
  std::string run();

private:
  // Text.
  static const char *text(Element element);
  static std::string text(const Shape &shape, Element element, const std::string &layout = "");
  static std::string text(const Value &value) { return text(value.shape, value.element); }
  template <typename List>
  static std::string join(const List &list);
  std::string next() { return "%" + std::to_string(numValues++); }
  std::string makeMesh();
  std::string makeLayout(size_t rank, bool isSplitOnly = false);

  // Values.
  Shape makeShape();
  const Value &pick();
  const Value *pickIf(llvm::function_ref<bool(const Value &)> isSuited);
  Value addArgument(Shape shape, Element element);
  Value getLike(const Value &value);
  std::string addEmpty(const Shape &shape, Element element);
  std::string addScalar(Element element, int64_t number);
  std::string addFill(const Shape &shape, Element element, int64_t number);
  void add(std::string name, Shape shape, Element element, double bound);

  // Operations; false if nothing suits.
  bool addBinary();
  bool addUnary();
  bool addCompare();
  bool addSelect();
  bool addBroadcast();
  bool addTranspose();
  bool addReduce();
  bool addContraction();
  bool addCollapse();
  bool addExpand();
  bool addSlice();
  bool addPad();
  bool addConcat();
  bool addGather();
  bool addScatter();
  bool addDynamicSlice();
  bool addDynamicUpdate();
  bool addConstant();
  bool addIota();
  bool addReverse();
  bool addConstraint();

  static constexpr double maxBound = 1 << 21;
  static constexpr int64_t maxElements = 256;

  Random random;
  std::vector<std::pair<std::string, int64_t>> mesh;
  std::vector<Value> values, arguments;
  std::string body;
  llvm::raw_string_ostream os;
  int numValues = 0;
};
} // namespace

//===--- Text -------------------------------------------------------------===//

const char *Generator::text(Element element) {
  return element == Element::F32 ? "f32" : element == Element::I32 ? "i32" : "i1";
}

std::string Generator::text(const Shape &shape, Element element, const std::string &layout) {
  std::string result = "tensor<";
  for (int64_t size : shape)
    result += std::to_string(size) + "x";
  return result + text(element) + (layout.empty() ? "" : ", " + layout) + ">";
}

template <typename List>
std::string Generator::join(const List &list) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  llvm::interleaveComma(list, stream);
  return result;
}

std::string Generator::makeMesh() {
  static const std::vector<Shape> sizes = {{1}, {2},    {3},    {4},    {5},    {6},       {7},
                                           {8}, {2, 2}, {2, 3}, {3, 2}, {4, 2}, {2, 2, 2}, {1, 4}};
  static const char *const names[] = {"x", "y", "z"};
  std::string result = "#dmc.mesh<";
  for (auto [i, size] : llvm::enumerate(random.pick(sizes))) {
    mesh.push_back({names[i], size});
    result += std::string(i ? ", " : "") + "\"" + names[i] + "\" = " + std::to_string(size);
  }
  return result + ">";
}

std::string Generator::makeLayout(size_t rank, bool isSplitOnly) {
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
  std::vector<std::string> dims(rank);
  std::string state;
  for (const std::string &axis : axes)
    if (rank && random.chance(65)) {
      std::string &dim = dims[random.below(rank)];
      dim += (dim.empty() ? "" : ", ") + axis;
    } else if (!isSplitOnly && state.empty() && random.chance(10)) {
      state = ", placed {" + axis + " = 0}";
    }
  std::string result = "#dmc.layout<#mesh, [";
  for (auto [i, dim] : llvm::enumerate(dims))
    result += (i ? ", {" : "{") + dim + "}";
  return result + "]" + state + ">";
}

//===--- Values -----------------------------------------------------------===//

static int64_t count(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<int64_t>());
}

Shape Generator::makeShape() {
  static const std::vector<int64_t> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12};
  Shape shape(random.pick(std::vector<int64_t>{0, 1, 1, 2, 2, 2, 3, 3, 4}));
  for (int64_t &size : shape)
    do
      size = random.pick(sizes);
    while (count(shape) > maxElements && size > 1);
  return count(shape) <= maxElements ? shape : Shape{random.between(1, 9)};
}

/// Prefers what was made last: deep programs.
const Value &Generator::pick() {
  size_t recent = std::min<size_t>(values.size(), 3);
  return random.chance(60) ? values[values.size() - 1 - random.below(recent)]
                           : values[random.below(values.size())];
}

const Value *Generator::pickIf(llvm::function_ref<bool(const Value &)> isSuited) {
  for (int i = 0; i < 8; ++i)
    if (const Value &value = pick(); isSuited(value))
      return &value;
  return nullptr;
}

void Generator::add(std::string name, Shape shape, Element element, double bound) {
  values.push_back({std::move(name), std::move(shape), element, bound});
}

Value Generator::addArgument(Shape shape, Element element) {
  Value value{"%arg" + std::to_string(arguments.size()), std::move(shape), element,
              element == Element::F32 ? 4.0 : 7.0};
  arguments.push_back(value);
  values.push_back(value);
  return value;
}

/// A value of the same type.
Value Generator::getLike(const Value &given) {
  Value value = given; // `values` may grow
  if (random.chance(70))
    if (const Value *other = pickIf([&](const Value &other) {
          return other.shape == value.shape && other.element == value.element &&
                 other.name != value.name;
        }))
      return *other;
  if (random.chance(70) || value.element == Element::I1)
    return addArgument(value.shape, value.element);
  int64_t number = random.between(-3, 3);
  return {addFill(value.shape, value.element, number), value.shape, value.element, 3};
}

std::string Generator::addEmpty(const Shape &shape, Element element) {
  std::string name = next();
  os << "    " << name << " = tensor.empty() : " << text(shape, element) << "\n";
  return name;
}

std::string Generator::addScalar(Element element, int64_t number) {
  std::string name = next();
  os << "    " << name << " = arith.constant " << number << (element == Element::F32 ? ".0" : "")
     << " : " << text(element) << "\n";
  return name;
}

std::string Generator::addFill(const Shape &shape, Element element, int64_t number) {
  std::string scalar = addScalar(element, number), empty = addEmpty(shape, element), name = next();
  os << "    " << name << " = linalg.fill ins(" << scalar << " : " << text(element) << ") outs("
     << empty << " : " << text(shape, element) << ") -> " << text(shape, element) << "\n";
  return name;
}

//===--- Elementwise ------------------------------------------------------===//

bool Generator::addBinary() {
  const Value *found = pickIf([](const Value &value) { return value.element != Element::I1; });
  if (!found)
    return false;
  Value a = *found, b = getLike(a);
  bool isFloat = a.element == Element::F32;
  static const char *const floats[] = {"addf", "subf", "mulf", "maximumf", "minimumf"};
  static const char *const integers[] = {"addi", "subi", "muli", "maxsi", "minsi"};
  int64_t op = random.below(5);
  double bound = op == 2  ? a.bound * b.bound
                 : op < 2 ? a.bound + b.bound
                          : std::max(a.bound, b.bound);
  if (isFloat && bound > maxBound)
    return false;
  std::string empty = addEmpty(a.shape, a.element), name = next();
  os << "    " << name << " = linalg.map { arith." << (isFloat ? floats : integers)[op] << " } ins("
     << a.name << ", " << b.name << " : " << text(a) << ", " << text(b) << ") outs(" << empty
     << " : " << text(a) << ")\n";
  add(name, a.shape, a.element, bound);
  return true;
}

bool Generator::addUnary() {
  Value a = pick();
  struct Form {
    const char *op;
    Element from, to;
  };
  static const std::vector<Form> forms = {
      {"arith.negf", Element::F32, Element::F32},   {"math.absf", Element::F32, Element::F32},
      {"arith.fptosi", Element::F32, Element::I32}, {"arith.sitofp", Element::I32, Element::F32},
      {"arith.extui", Element::I1, Element::I32},   {"arith.uitofp", Element::I1, Element::F32}};
  const Form &form = random.pick(forms);
  if (form.from != a.element || (form.to == Element::F32 && a.bound > maxBound))
    return false;
  std::string empty = addEmpty(a.shape, form.to), name = next();
  os << "    " << name << " = linalg.map ins(" << a.name << " : " << text(a) << ") outs(" << empty
     << " : " << text(a.shape, form.to) << ") (%p: " << text(a.element) << ", %o: " << text(form.to)
     << ") {\n      %r = " << form.op << " %p : " << text(form.from);
  if (form.from != form.to)
    os << " to " << text(form.to);
  os << "\n      linalg.yield %r : " << text(form.to) << "\n    }\n";
  add(name, a.shape, form.to, a.element == Element::I1 ? 1 : a.bound);
  return true;
}

bool Generator::addCompare() {
  const Value *found = pickIf([](const Value &value) { return value.element != Element::I1; });
  if (!found)
    return false;
  Value a = *found, b = getLike(a);
  bool isFloat = a.element == Element::F32;
  std::string predicate = random.pick(isFloat ? std::vector<std::string>{"olt", "oge", "une", "oeq"}
                                              : std::vector<std::string>{"slt", "uge", "ne", "eq"});
  std::string empty = addEmpty(a.shape, Element::I1), name = next();
  os << "    " << name << " = linalg.map ins(" << a.name << ", " << b.name << " : " << text(a)
     << ", " << text(b) << ") outs(" << empty << " : " << text(a.shape, Element::I1)
     << ") (%p: " << text(a.element) << ", %q: " << text(a.element)
     << ", %o: i1) {\n      %r = arith.cmp" << (isFloat ? "f " : "i ") << predicate
     << ", %p, %q : " << text(a.element) << "\n      linalg.yield %r : i1\n    }\n";
  add(name, a.shape, Element::I1, 1);
  return true;
}

bool Generator::addSelect() {
  Value a = pick(), b = getLike(a);
  const Value *mask = pickIf(
      [&](const Value &value) { return value.element == Element::I1 && value.shape == a.shape; });
  Value m = mask ? *mask : addArgument(a.shape, Element::I1);
  std::string empty = addEmpty(a.shape, a.element), name = next();
  os << "    " << name << " = linalg.map { arith.select } ins(" << m.name << ", " << a.name << ", "
     << b.name << " : " << text(m) << ", " << text(a) << ", " << text(b) << ") outs(" << empty
     << " : " << text(a) << ")\n";
  add(name, a.shape, a.element, std::max(a.bound, b.bound));
  return true;
}

//===--- Whole tensors ----------------------------------------------------===//

bool Generator::addBroadcast() {
  Value a = pick();
  if (a.shape.size() > 3)
    return false;
  Shape shape = a.shape, dims;
  int64_t at = random.between(0, a.shape.size());
  shape.insert(shape.begin() + at, random.between(1, 6));
  if (count(shape) > maxElements)
    return false;
  std::string empty = addEmpty(shape, a.element), name = next();
  os << "    " << name << " = linalg.broadcast ins(" << a.name << " : " << text(a) << ") outs("
     << empty << " : " << text(shape, a.element) << ") dimensions = [" << at << "]\n";
  add(name, shape, a.element, a.bound);
  return true;
}

bool Generator::addTranspose() {
  Value a = pick();
  if (a.shape.size() < 2)
    return false;
  Shape permutation(a.shape.size()), shape;
  std::iota(permutation.begin(), permutation.end(), 0);
  random.shuffle(permutation);
  for (int64_t dim : permutation)
    shape.push_back(a.shape[dim]);
  std::string empty = addEmpty(shape, a.element), name = next();
  os << "    " << name << " = linalg.transpose ins(" << a.name << " : " << text(a) << ") outs("
     << empty << " : " << text(shape, a.element) << ") permutation = [" << join(permutation)
     << "]\n";
  add(name, shape, a.element, a.bound);
  return true;
}

bool Generator::addReduce() {
  const Value *found = pickIf(
      [](const Value &value) { return value.element != Element::I1 && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found;
  Shape dims, shape;
  for (size_t d = 0; d < a.shape.size(); ++d)
    (random.chance(50) ? dims : shape).push_back(d);
  if (dims.empty())
    return false;
  int64_t terms = 1;
  for (int64_t dim : dims)
    terms *= a.shape[dim];
  for (int64_t &dim : shape)
    dim = a.shape[dim];
  bool isFloat = a.element == Element::F32;
  static const char *const floats[] = {"addf", "maximumf", "minimumf"};
  static const char *const integers[] = {"addi", "maxsi", "minsi"};
  int64_t op = random.below(3);
  double bound = op ? a.bound : a.bound * terms + 3;
  if (isFloat && bound > maxBound)
    return false;
  int64_t init = random.chance(70) ? 0 : random.between(-3, 3);
  std::string out = addFill(shape, a.element, init), name = next();
  os << "    " << name << " = linalg.reduce { arith." << (isFloat ? floats : integers)[op]
     << " } ins(" << a.name << " : " << text(a) << ") outs(" << out << " : "
     << text(shape, a.element) << ") dimensions = [" << join(dims) << "]\n";
  add(name, shape, a.element, std::max(bound, 3.0));
  return true;
}

bool Generator::addContraction() {
  const Value *found = pickIf(
      [](const Value &value) { return value.element == Element::F32 && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found;
  bool isMatmul = a.shape.size() == 2 && random.chance(50);
  // Loops: those of a, then one of b alone.
  Shape sizes = a.shape, ofA(a.shape.size()), ofB, ofOut, shapeB, shape;
  std::iota(ofA.begin(), ofA.end(), 0);
  std::vector<bool> isReduction(sizes.size() + 1);
  int64_t terms = 1;
  for (size_t d = 0; d < a.shape.size(); ++d) {
    int64_t role = isMatmul ? 1 - static_cast<int64_t>(d) : random.below(3);
    if (role == 0) { // contracted
      isReduction[d] = true;
      terms *= a.shape[d];
      ofB.push_back(d);
    } else {
      ofOut.push_back(d);
      if (role == 2) // batch
        ofB.push_back(d);
    }
  }
  if (isMatmul || random.chance(60)) {
    ofB.push_back(sizes.size());
    ofOut.push_back(sizes.size());
    sizes.push_back(random.between(1, 7));
  }
  if (!isMatmul) {
    random.shuffle(ofB);
    random.shuffle(ofOut);
  }
  for (int64_t loop : ofB)
    shapeB.push_back(sizes[loop]);
  for (int64_t loop : ofOut)
    shape.push_back(sizes[loop]);
  double bound = a.bound * 4 * terms;
  if (count(shape) > maxElements || count(shapeB) > maxElements || bound > maxBound)
    return false;
  Value b = addArgument(shapeB, Element::F32);
  std::string out = addFill(shape, Element::F32, 0), name = next();
  if (isMatmul) {
    os << "    " << name << " = linalg.matmul ins(" << a.name << ", " << b.name << " : " << text(a)
       << ", " << text(b) << ") outs(" << out << " : " << text(shape, Element::F32) << ") -> "
       << text(shape, Element::F32) << "\n";
    add(name, shape, Element::F32, bound);
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
  os << "    " << name << " = linalg.generic {indexing_maps = [" << map(ofA) << ", " << map(ofB)
     << ", " << map(ofOut) << "], iterator_types = [" << join(kinds) << "]} ins(" << a.name << ", "
     << b.name << " : " << text(a) << ", " << text(b) << ") outs(" << out << " : "
     << text(shape, Element::F32) << ") {\n    ^bb0(%p: f32, %q: f32, %o: f32):\n"
     << "      %m = arith.mulf %p, %q : f32\n      %s = arith.addf %o, %m : f32\n"
     << "      linalg.yield %s : f32\n    } -> " << text(shape, Element::F32) << "\n";
  add(name, shape, Element::F32, bound);
  return true;
}

bool Generator::addCollapse() {
  Value a = pick();
  if (a.shape.size() < 2)
    return false;
  Shape shape;
  std::string groups;
  for (size_t d = 0; d < a.shape.size(); ++d) {
    bool joins = d && random.chance(55);
    groups += !d ? "[" : joins ? ", " : "], [";
    groups += std::to_string(d);
    if (joins)
      shape.back() *= a.shape[d];
    else
      shape.push_back(a.shape[d]);
  }
  if (shape.size() == a.shape.size())
    return false;
  std::string name = next();
  os << "    " << name << " = tensor.collapse_shape " << a.name << " [" << groups
     << "]] : " << text(a) << " into " << text(shape, a.element) << "\n";
  add(name, shape, a.element, a.bound);
  return true;
}

bool Generator::addExpand() {
  Value a = pick();
  if (a.shape.empty() || a.shape.size() > 3)
    return false;
  size_t split = random.below(a.shape.size());
  std::vector<int64_t> divisors;
  for (int64_t i = 1; i <= a.shape[split]; ++i)
    if (a.shape[split] % i == 0)
      divisors.push_back(i);
  int64_t major = random.pick(divisors);
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
  std::string name = next();
  os << "    " << name << " = tensor.expand_shape " << a.name << " [" << groups
     << "] output_shape [" << join(shape) << "] : " << text(a) << " into " << text(shape, a.element)
     << "\n";
  add(name, shape, a.element, a.bound);
  return true;
}

bool Generator::addSlice() {
  Value a = pick();
  if (a.shape.empty())
    return false;
  Shape offsets, sizes, strides;
  for (int64_t size : a.shape) {
    int64_t stride = random.chance(25) ? 2 : 1, offset = random.chance(50) ? 0 : random.below(size);
    offsets.push_back(offset);
    strides.push_back(stride);
    int64_t most = (size - offset + stride - 1) / stride;
    sizes.push_back(random.chance(40) ? most : random.between(1, most));
  }
  std::string name = next();
  os << "    " << name << " = tensor.extract_slice " << a.name << "[" << join(offsets) << "] ["
     << join(sizes) << "] [" << join(strides) << "] : " << text(a) << " to "
     << text(sizes, a.element) << "\n";
  add(name, sizes, a.element, a.bound);
  return true;
}

bool Generator::addPad() {
  const Value *found = pickIf(
      [](const Value &value) { return value.element != Element::I1 && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found;
  Shape low, high, shape;
  std::vector<std::string> arguments;
  for (size_t d = 0; d < a.shape.size(); ++d) {
    low.push_back(random.chance(50) ? 0 : random.between(0, 3));
    high.push_back(random.chance(50) ? 0 : random.between(0, 3));
    shape.push_back(low[d] + a.shape[d] + high[d]);
    arguments.push_back("%i" + std::to_string(d) + ": index");
  }
  if (count(shape) > maxElements)
    return false;
  std::string scalar = addScalar(a.element, random.between(-2, 2)), name = next();
  os << "    " << name << " = tensor.pad " << a.name << " low[" << join(low) << "] high["
     << join(high) << "] {\n    ^bb0(" << join(arguments) << "):\n      tensor.yield " << scalar
     << " : " << text(a.element) << "\n    } : " << text(a) << " to " << text(shape, a.element)
     << "\n";
  add(name, shape, a.element, std::max(a.bound, 2.0));
  return true;
}

bool Generator::addConcat() {
  Value a = pick();
  if (a.shape.empty())
    return false;
  size_t dim = random.below(a.shape.size());
  Shape other = a.shape, shape = a.shape;
  other[dim] = random.between(1, 5);
  const Value *found = pickIf([&](const Value &value) {
    if (value.element != a.element || value.shape.size() != a.shape.size())
      return false;
    Shape cut = value.shape;
    cut[dim] = a.shape[dim];
    return cut == a.shape;
  });
  Value b = found ? *found : addArgument(other, a.element);
  shape[dim] += b.shape[dim];
  if (count(shape) > maxElements)
    return false;
  std::string name = next();
  os << "    " << name << " = tensor.concat dim(" << dim << ") " << a.name << ", " << b.name
     << " : (" << text(a) << ", " << text(b) << ") -> " << text(shape, a.element) << "\n";
  add(name, shape, a.element, std::max(a.bound, b.bound));
  return true;
}

bool Generator::addReverse() {
  Value a = pick();
  if (a.shape.empty())
    return false;
  size_t dim = random.below(a.shape.size());
  std::vector<std::string> loops, reversed, kinds(a.shape.size(), "\"parallel\"");
  for (size_t d = 0; d < a.shape.size(); ++d) {
    loops.push_back("d" + std::to_string(d));
    reversed.push_back(d == dim ? std::to_string(a.shape[d] - 1) + " - " + loops[d] : loops[d]);
  }
  std::string empty = addEmpty(a.shape, a.element), name = next(), type = text(a.element);
  os << "    " << name << " = linalg.generic {indexing_maps = [affine_map<(" << join(loops)
     << ") -> (" << join(reversed) << ")>, affine_map<(" << join(loops) << ") -> (" << join(loops)
     << ")>], iterator_types = [" << join(kinds) << "]} ins(" << a.name << " : " << text(a)
     << ") outs(" << empty << " : " << text(a) << ") {\n    ^bb0(%p: " << type << ", %o: " << type
     << "):\n      linalg.yield %p : " << type << "\n    } -> " << text(a) << "\n";
  add(name, a.shape, a.element, a.bound);
  return true;
}

//===--- Run-time positions -----------------------------------------------===//

/// `1, 2, ...`: the dimensions after the first.
static Shape makeTail(size_t rank) {
  Shape dims(rank - 1);
  std::iota(dims.begin(), dims.end(), 1);
  return dims;
}

static std::string makeArray(const std::string &list) {
  return list.empty() ? "array<i64>" : "array<i64: " + list + ">";
}

bool Generator::addGather() {
  Value a = pick();
  if (a.shape.empty())
    return false;
  int64_t rows = random.between(1, 6);
  Value indices = addArgument({rows, 1}, Element::I32);
  Shape shape = a.shape, sizes = a.shape, tail = makeTail(a.shape.size());
  shape[0] = rows;
  sizes[0] = 1;
  std::string empty = addEmpty(shape, a.element), name = next();
  os << "    " << name << " = dmc.gather ins(" << a.name << ", " << indices.name << " : " << text(a)
     << ", " << text(indices) << ") outs(" << empty << " : " << text(shape, a.element)
     << ") {offset_dims = " << makeArray(join(tail))
     << ", collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, "
        "index_vector_dim = 1 : i64, slice_sizes = "
     << makeArray(join(sizes)) << "} -> " << text(shape, a.element) << "\n";
  add(name, shape, a.element, a.bound);
  return true;
}

bool Generator::addScatter() {
  const Value *found = pickIf(
      [](const Value &value) { return value.element != Element::I1 && !value.shape.empty(); });
  if (!found)
    return false;
  Value a = *found;
  int64_t rows = random.between(1, 6);
  bool isFloat = a.element == Element::F32;
  double bound = a.bound + rows * 7;
  if (isFloat && bound > maxBound)
    return false;
  Shape shape = a.shape, tail = makeTail(a.shape.size());
  shape[0] = rows;
  if (count(shape) > maxElements)
    return false;
  Value indices = addArgument({rows, 1}, Element::I32), updates = addArgument(shape, a.element);
  std::string name = next(), type = text(a.element);
  os << "    " << name << " = dmc.scatter ins(" << indices.name << ", " << updates.name << " : "
     << text(indices) << ", " << text(updates) << ") outs(" << a.name << " : " << text(a)
     << ") {update_window_dims = " << makeArray(join(tail))
     << ", inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, "
        "index_vector_dim = 1 : i64} -> "
     << text(a) << " {\n    ^bb0(%p: " << type << ", %q: " << type << "):\n      %s = arith.add"
     << (isFloat ? "f" : "i") << " %p, %q : " << type << "\n      dmc.yield %s : " << type
     << "\n    }\n";
  add(name, a.shape, a.element, bound);
  return true;
}

bool Generator::addDynamicSlice() {
  Value a = pick();
  if (a.shape.empty())
    return false;
  Shape shape;
  std::vector<std::string> starts, types;
  for (int64_t size : a.shape) {
    shape.push_back(random.between(1, size));
    starts.push_back(addArgument({}, Element::I32).name);
    types.push_back("tensor<i32>");
  }
  std::string empty = addEmpty(shape, a.element), name = next();
  os << "    " << name << " = dmc.dynamic_slice ins(" << a.name << " : " << text(a) << ") at("
     << join(starts) << " : " << join(types) << ") outs(" << empty << " : "
     << text(shape, a.element) << ") -> " << text(shape, a.element) << "\n";
  add(name, shape, a.element, a.bound);
  return true;
}

bool Generator::addDynamicUpdate() {
  Value a = pick();
  if (a.shape.empty())
    return false;
  Shape shape;
  std::vector<std::string> starts, types;
  for (int64_t size : a.shape) {
    shape.push_back(random.between(1, size));
    starts.push_back(addArgument({}, Element::I32).name);
    types.push_back("tensor<i32>");
  }
  Value update = addArgument(shape, a.element);
  std::string name = next();
  os << "    " << name << " = dmc.dynamic_update_slice ins(" << update.name << " : " << text(update)
     << ") at(" << join(starts) << " : " << join(types) << ") outs(" << a.name << " : " << text(a)
     << ") -> " << text(a) << "\n";
  add(name, a.shape, a.element, std::max(a.bound, 7.0));
  return true;
}

//===--- Sources, requests ------------------------------------------------===//

bool Generator::addConstant() {
  Shape shape = random.chance(60) ? pick().shape : makeShape();
  Element element = random.chance(70) ? Element::F32 : Element::I32;
  std::vector<std::string> numbers;
  auto write = [&](auto &self, size_t dim) -> std::string {
    if (dim == shape.size())
      return std::to_string(random.between(-4, 4)) + (element == Element::F32 ? ".0" : "");
    std::vector<std::string> parts;
    for (int64_t i = 0; i < shape[dim]; ++i)
      parts.push_back(self(self, dim + 1));
    return "[" + join(parts) + "]";
  };
  std::string name = next();
  os << "    " << name << " = arith.constant dense<" << write(write, 0)
     << "> : " << text(shape, element) << "\n";
  add(name, shape, element, 4);
  return true;
}

bool Generator::addIota() {
  Shape shape = random.chance(70) ? pick().shape : makeShape();
  if (shape.empty())
    return false;
  std::vector<std::string> loops, kinds(shape.size(), "\"parallel\"");
  for (size_t d = 0; d < shape.size(); ++d)
    loops.push_back("d" + std::to_string(d));
  std::string empty = addEmpty(shape, Element::I32), name = next();
  os << "    " << name << " = linalg.generic {indexing_maps = [affine_map<(" << join(loops)
     << ") -> (" << join(loops) << ")>], iterator_types = [" << join(kinds) << "]} outs(" << empty
     << " : " << text(shape, Element::I32) << ") {\n    ^bb0(%o: i32):\n      %i = linalg.index "
     << random.below(shape.size()) << " : index\n      %j = arith.index_cast %i : index to i32\n"
     << "      linalg.yield %j : i32\n    } -> " << text(shape, Element::I32) << "\n";
  add(name, shape, Element::I32, 32);
  return true;
}

bool Generator::addConstraint() {
  Value a = pick();
  // `#dmc.layout<...> : type` would be read as one attribute.
  std::string name = next(), layout = makeLayout(a.shape.size(), true);
  os << "    " << name << " = dmc.constrain " << a.name << " to " << layout.substr(layout.find('<'))
     << " : " << text(a) << "\n";
  add(name, a.shape, a.element, a.bound);
  return true;
}

//===--- Programs ---------------------------------------------------------===//

std::string Generator::run() {
  std::string meshText = makeMesh();
  for (int64_t i = 0, e = random.between(1, 2); i < e; ++i)
    addArgument(makeShape(), random.chance(80) ? Element::F32 : Element::I32);
  using Form = bool (Generator::*)();
  static const std::vector<Form> forms = {
      &Generator::addBinary,       &Generator::addBinary,        &Generator::addUnary,
      &Generator::addCompare,      &Generator::addSelect,        &Generator::addBroadcast,
      &Generator::addTranspose,    &Generator::addReduce,        &Generator::addReduce,
      &Generator::addContraction,  &Generator::addContraction,   &Generator::addCollapse,
      &Generator::addExpand,       &Generator::addSlice,         &Generator::addPad,
      &Generator::addConcat,       &Generator::addGather,        &Generator::addScatter,
      &Generator::addDynamicSlice, &Generator::addDynamicUpdate, &Generator::addConstant,
      &Generator::addIota,         &Generator::addReverse,       &Generator::addConstraint};
  for (int64_t i = 0, e = random.between(2, 12); i < e;)
    i += (this->*random.pick(forms))();
  std::vector<Value> results = {values.back()};
  for (int64_t i = random.below(3); i > 0; --i)
    results.push_back(pick());

  auto makeText = [&](const Value &value) {
    return this->text(value.shape, value.element,
                      random.chance(80) ? makeLayout(value.shape.size()) : std::string());
  };
  std::vector<std::string> argumentTypes, resultTypes;
  for (const Value &value : arguments)
    argumentTypes.push_back(makeText(value));
  for (const Value &value : results)
    resultTypes.push_back(makeText(value));
  // A result may take over the buffer of an argument of its type.
  for (auto [i, result] : llvm::enumerate(results))
    for (auto [j, argument] : llvm::enumerate(arguments))
      if (argument.shape == result.shape && argument.element == result.element &&
          argumentTypes[j].back() == '>' && random.chance(40)) {
        resultTypes[i] = argumentTypes[j];
        argumentTypes[j] += " donates " + std::to_string(i);
        break;
      }
  std::string program;
  llvm::raw_string_ostream text(program);
  text << "#mesh = " << meshText
       << "\nmodule attributes {dmc.program = #dmc.program<tensor \"fuzz\" on #mesh,\n    "
          "arguments [";
  llvm::interleaveComma(llvm::enumerate(argumentTypes), text, [&](auto argument) {
    text << "\"a" << argument.index() << "\" : " << argument.value();
  });
  text << "],\n    results [";
  llvm::interleaveComma(llvm::enumerate(resultTypes), text, [&](auto result) {
    text << "\"r" << result.index() << "\" : " << result.value();
  });
  text << "]>} {\n  func.func @main(";
  llvm::interleaveComma(arguments, text, [&](const Value &value) {
    text << value.name << ": " << this->text(value);
  });
  text << ") -> (";
  llvm::interleaveComma(results, text, [&](const Value &value) { text << this->text(value); });
  text << ") {\n" << body << "    return ";
  llvm::interleaveComma(results, text, [&](const Value &value) { text << value.name; });
  text << " : ";
  llvm::interleaveComma(results, text, [&](const Value &value) { text << this->text(value); });
  text << "\n  }\n}\n";
  return program;
}

std::string dmc::fuzz::generateProgram(uint64_t seed) { return Generator(seed).run(); }
