//===- HloProgram.cpp - Random StableHLO programs -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HloProgram.h"

using namespace dmc;
using namespace dmc::fuzz;

std::string HloBuilder::addSplat(const Shape &shape, Element element, const std::string &number) {
  std::string name = next();
  begin(name) << "stablehlo.constant dense<" << number << "> : " << getType(shape, element) << "\n";
  return name;
}

static bool addAny(HloBuilder &g) {
  // What is in the list twice is tried twice as often.
  static const std::vector<HloForm> *const menu[] = {
      &hloElementwise, &hloElementwise, &hloElementwise,  &hloElementwise, &hloElementwise,
      &hloConversions, &hloShapes,      &hloShapes,       &hloShapes,      &hloReductions,
      &hloReductions,  &hloWindows,     &hloContractions, &hloIndexing,    &hloIndexing,
      &hloControl,     &hloRequests,    &hloCollectives,  &hloCollectives};
  return g.random.pick(*menu[g.random.below(std::size(menu))])(g);
}

void HloBuilder::addSome(int64_t most) {
  for (int64_t i = random.between(1, most); i > 0; --i)
    (void)addAny(*this);
}

/// One to four element types, and what arguments hold.
static void pickElements(HloBuilder &g) {
  static const std::vector<Element> all = {
      Element::I1,   Element::I8,   Element::I16,  Element::I32,  Element::I64,
      Element::UI8,  Element::UI16, Element::UI32, Element::UI64, Element::F16,
      Element::BF16, Element::F32,  Element::F64};
  g.elements = {g.random.chance(60) ? Element::F32 : g.random.pick(all)};
  for (int64_t i = g.random.below(4); i > 0; --i)
    g.elements.push_back(g.random.pick(all));
  g.defaultFill =
      g.random.pick(std::vector<Fill>{Fill::Integral, Fill::Integral, Fill::Real, Fill::Special});
}

static std::vector<Value> pickResults(HloBuilder &g) {
  std::vector<Value> results = {g.values.back()};
  for (int64_t i = g.random.below(3); i > 0; --i)
    results.push_back(g.pick());
  return results;
}

static std::vector<double> getTolerances(const std::vector<Value> &results) {
  std::vector<double> tolerances;
  for (const Value &result : results)
    tolerances.push_back(result.error);
  return tolerances;
}

/// The text, with attributes of arguments and results.
static std::string print(const HloBuilder &g, const std::string &module,
                         const std::vector<Value> &results,
                         const std::vector<std::string> &argumentAttributes,
                         const std::vector<std::string> &resultAttributes) {
  std::string program;
  llvm::raw_string_ostream text(program);
  auto getAttributes = [](const std::string &list) {
    return list.empty() ? "" : " {" + list + "}";
  };
  text << module << "  func.func public @main(";
  llvm::interleaveComma(llvm::zip(g.arguments, argumentAttributes), text, [&](auto pair) {
    auto &[value, attributes] = pair;
    text << value.name << ": " << getType(value) << getAttributes(attributes);
  });
  text << ") -> (";
  llvm::interleaveComma(llvm::zip(results, resultAttributes), text, [&](auto pair) {
    auto &[value, attributes] = pair;
    text << getType(value) << getAttributes(attributes);
  });
  text << ") {\n" << g.body << "    return ";
  llvm::interleaveComma(results, text, [&](const Value &value) { text << value.name; });
  text << " : ";
  llvm::interleaveComma(results, text, [&](const Value &value) { text << getType(value); });
  text << "\n  }\n}\n";
  return program;
}

Program fuzz::makeHloProgram(uint64_t seed) {
  HloBuilder g(seed);
  pickElements(g);
  g.makeMesh();
  for (int64_t i = 0, e = g.random.between(1, 2); i < e; ++i) {
    Shape shape = g.makeShape();
    g.addArgument(shape, g.pickElement());
  }
  for (int64_t i = 0, e = g.random.between(2, 12); i < e;)
    i += addAny(g);
  std::vector<Value> results = pickResults(g);
  auto makeSharding = [&](const Value &value) {
    if (g.random.chance(20))
      return std::string();
    return "sdy.sharding = #sdy.sharding" + g.makeLayout(value.shape.size(), true).getSdy();
  };
  std::vector<std::string> arguments, resultAttributes;
  for (const Value &value : g.arguments)
    arguments.push_back(makeSharding(value));
  for (const Value &value : results)
    resultAttributes.push_back(makeSharding(value));
  // A result may take over the buffer of an argument of its type.
  std::vector<bool> isDonated(g.arguments.size());
  for (auto [i, result] : llvm::enumerate(results))
    for (auto [j, argument] : llvm::enumerate(g.arguments))
      if (argument.shape == result.shape && argument.element == result.element && !isDonated[j] &&
          g.random.chance(30)) {
        isDonated[j] = true;
        arguments[j] += (arguments[j].empty() ? "" : ", ") +
                        ("tf.aliasing_output = " + std::to_string(i)) + " : i32";
        break;
      }
  std::string module = "module @fuzz {\n  sdy.mesh @mesh = <[" + g.getMesh("=") + "]>\n";
  return {print(g, module, results, arguments, resultAttributes), g.fills, getTolerances(results)};
}

//===--- Programs of ranks ------------------------------------------------===//

/// What differs from rank to rank.
static void addPosition(HloBuilder &g, const Value &a) {
  std::string id = g.next(), number = g.next(), all = g.next();
  std::string ofElement = getType({}, a.element);
  g.begin(id) << (g.random.chance(50) ? "stablehlo.partition_id" : "stablehlo.replica_id")
              << " : tensor<ui32>\n";
  g.begin(number) << "stablehlo.convert " << id << " : (tensor<ui32>) -> " << ofElement << "\n";
  g.begin(all) << "stablehlo.broadcast_in_dim " << number << ", dims = [] : (" << ofElement
               << ") -> " << getType(a) << "\n";
  Value sum = a;
  sum.name = g.next();
  sum.bound = a.bound + 8;
  g.begin(sum.name) << "stablehlo.add " << a.name << ", " << all << " : " << getType(a) << "\n";
  g.add(sum);
}

Program fuzz::makeRanksProgram(uint64_t seed) {
  HloBuilder g(seed);
  pickElements(g);
  static const std::vector<std::pair<int64_t, int64_t>> counts = {
      {1, 2}, {2, 1}, {2, 2}, {1, 4}, {4, 1}, {1, 3}, {3, 2}, {2, 4}, {8, 1}, {1, 5}, {7, 1}};
  std::tie(g.numReplicas, g.numPartitions) = g.random.pick(counts);
  for (int64_t i = 0, e = g.random.between(1, 2); i < e; ++i) {
    Shape shape = g.makeShape();
    addPosition(g, g.addArgument(shape, g.pickElement()));
  }
  for (int64_t i = 0, e = g.random.between(2, 8); i < e;)
    i += g.random.chance(40) ? g.random.pick(hloCollectives)(g) : addAny(g);
  // Every rank returns what all have.
  std::vector<Value> results = pickResults(g);
  int64_t numRanks = g.numReplicas * g.numPartitions;
  Shape ranks;
  for (int64_t i = 0; i < numRanks; ++i)
    ranks.push_back(i);
  for (Value &value : results) {
    std::string row = g.next(), name = g.next();
    Shape one = value.shape;
    one.insert(one.begin(), 1);
    g.begin(row) << "stablehlo.reshape " << value.name << " : (" << getType(value) << ") -> "
                 << getType(one, value.element) << "\n";
    value.name = name;
    value.shape = one;
    value.shape[0] = numRanks;
    g.begin(name) << "\"stablehlo.all_gather\"(" << row
                  << ") <{all_gather_dim = 0 : i64, channel_handle = "
                     "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[["
                  << join(ranks) << "]]> : tensor<1x" << numRanks
                  << "xi64>, use_global_device_ids}> : (" << getType(one, value.element) << ") -> "
                  << getType(value) << "\n";
  }
  std::string module =
      "module @fuzz attributes {mhlo.num_replicas = " + std::to_string(g.numReplicas) +
      " : i32, mhlo.num_partitions = " + std::to_string(g.numPartitions) + " : i32} {\n";
  return {print(g, module, results, std::vector<std::string>(g.arguments.size()),
                std::vector<std::string>(results.size())),
          g.fills, getTolerances(results)};
}
