//===- LinalgProgram.cpp - Random programs of level 0 ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinalgProgram.h"

using namespace dmc;
using namespace dmc::fuzz;

std::string LinalgBuilder::addEmpty(const Shape &shape, Element element) {
  std::string name = next();
  os << "    " << name << " = tensor.empty() : " << getType(shape, element) << "\n";
  return name;
}

std::string LinalgBuilder::addConstant(Element element, const std::string &number) {
  std::string name = next();
  os << "    " << name << " = arith.constant " << number
     << (element == Element::I1 ? "" : std::string(" : ") + getName(element)) << "\n";
  return name;
}

std::string LinalgBuilder::addSplat(const Shape &shape, Element element,
                                    const std::string &number) {
  std::string scalar = addConstant(element, number), empty = addEmpty(shape, element),
              name = next();
  os << "    " << name << " = linalg.fill ins(" << scalar << " : " << getName(element) << ") outs("
     << empty << " : " << getType(shape, element) << ") -> " << getType(shape, element) << "\n";
  return name;
}

static std::string print(LinalgBuilder &g, const std::vector<Value> &results) {
  auto makeType = [&](const Value &value) {
    return getType(value.shape, value.element,
                   g.random.chance(80) ? g.makeLayout(value.shape.size()).getDMC() : "");
  };
  std::vector<std::string> argumentTypes, resultTypes;
  for (const Value &value : g.arguments)
    argumentTypes.push_back(makeType(value));
  for (const Value &value : results)
    resultTypes.push_back(makeType(value));
  // A result may take over the buffer of an argument of its type.
  for (auto [i, result] : llvm::enumerate(results))
    for (auto [j, argument] : llvm::enumerate(g.arguments))
      if (argument.shape == result.shape && argument.element == result.element &&
          argumentTypes[j].back() == '>' && g.random.chance(40)) {
        resultTypes[i] = argumentTypes[j];
        argumentTypes[j] += " donates " + std::to_string(i);
        break;
      }
  std::string program;
  llvm::raw_string_ostream text(program);
  text << "#mesh = #dmc.mesh<" << g.getMesh(" = ")
       << ">\nmodule attributes {dmc.program = #dmc.program<tensor \"fuzz\" on #mesh,\n    "
          "arguments [";
  llvm::interleaveComma(llvm::enumerate(argumentTypes), text, [&](auto argument) {
    text << "\"a" << argument.index() << "\" : " << argument.value();
  });
  text << "],\n    results [";
  llvm::interleaveComma(llvm::enumerate(resultTypes), text, [&](auto result) {
    text << "\"r" << result.index() << "\" : " << result.value();
  });
  text << "]>} {\n  func.func @main(";
  llvm::interleaveComma(g.arguments, text,
                        [&](const Value &value) { text << value.name << ": " << getType(value); });
  text << ") -> (";
  llvm::interleaveComma(results, text, [&](const Value &value) { text << getType(value); });
  text << ") {\n" << g.body << "    return ";
  llvm::interleaveComma(results, text, [&](const Value &value) { text << value.name; });
  text << " : ";
  llvm::interleaveComma(results, text, [&](const Value &value) { text << getType(value); });
  text << "\n  }\n}\n";
  return program;
}

Program fuzz::makeLinalgProgram(uint64_t seed) {
  LinalgBuilder g(seed);
  g.elements = {Element::F32, Element::F32, Element::F32, Element::F32,  Element::I32,
                Element::I32, Element::F64, Element::F16, Element::BF16, Element::I64};
  g.makeMesh();
  for (int64_t i = 0, e = g.random.between(1, 2); i < e; ++i) {
    Shape shape = g.makeShape();
    g.addArgument(shape, g.pickElement());
  }
  static const std::vector<LinalgForm> *const menu[] = {
      &linalgElementwise, &linalgElementwise, &linalgShapes,   &linalgShapes,
      &linalgReductions,  &linalgReductions,  &linalgIndexing, &linalgSources};
  for (int64_t i = 0, e = g.random.between(2, 12); i < e;)
    i += g.random.pick(*menu[g.random.below(std::size(menu))])(g);
  std::vector<Value> results = {g.values.back()};
  for (int64_t i = g.random.below(3); i > 0; --i)
    results.push_back(g.pick());
  return {print(g, results), g.fills, std::vector<double>(results.size(), 0.0)};
}
