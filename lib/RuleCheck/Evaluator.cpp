//===- Evaluator.cpp - Does a program have the value of level 0? ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Evaluator.h.
//
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "dmc/Pipelines/VerifyNumeric.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace mlir;
using namespace dmc;
using namespace dmc::rulecheck;
using interpreter::Tensor;

/// True if some group, of those that `isMeant`, has float partial values of this combiner.
static bool hasPartials(const Instance &instance, const Layouts &layouts, Combiner combiner,
                        function_ref<bool(const Group &)> isMeant) {
  for (auto [group, layout] : llvm::zip_equal(instance.groups, layouts))
    if (layout.combiner == combiner && isa<FloatType>(group.type.getElementType()) &&
        isMeant(group))
      return true;
  return false;
}

static std::optional<std::pair<int64_t, int64_t>> getRange(func::FuncOp function, unsigned number) {
  auto range = function.getArgAttrOfType<DenseI64ArrayAttr>(number, "dmc.range");
  if (!range || range.size() != 2 || range[0] > range[1])
    return std::nullopt;
  return std::pair(range[0], range[1]);
}

Evaluator::Expected &Evaluator::getReference(const Layouts &layouts, bool isUsed) {
  std::string key(1, isUsed ? 'f' : 'i');
  for (auto [group, layout] : llvm::zip_equal(instance.groups, layouts))
    key += group.isArgument && layout.combiner
               ? stringify(*layout.combiner) + std::to_string(groupSize(layout.partial))
               : std::string("-");
  Expected &expected = cache[key];
  if (!expected.module)
    expected.module = makeReference(instance, mesh, layouts);
  return expected;
}

FailureOr<const std::pair<Evaluator::Tensors, Evaluator::Tensors> *>
Evaluator::getExpected(Expected &expected, size_t index, bool isUsed) {
  while (expected.pairs.size() <= index) {
    size_t next = expected.pairs.size();
    FailureOr<interpreter::Signature> signature = interpreter::getSignature(*expected.module);
    if (failed(signature))
      return failure();
    DataOptions data{allDataKinds[next % std::size(allDataKinds)],
                     seed * 1000 + next / std::size(allDataKinds), !isUsed};
    Tensors inputs;
    for (auto [number, parameter] : llvm::enumerate(signature->arguments))
      inputs.push_back(
          makeInput(parameter.type, data, getRange(instance.function, number), number));
    FailureOr<Tensors> results = interpreter::interpret(*expected.module, inputs, options);
    if (failed(results))
      return failure();
    expected.pairs.emplace_back(std::move(inputs), std::move(*results));
  }
  return &expected.pairs[index];
}

/// Where `want` is infinite, `got` becomes the same.
static void ignoreInfinities(const Tensor &want, Tensor &got) {
  auto type = dyn_cast<FloatType>(want.elementType);
  if (!type)
    return;
  size_t bytes = type.getWidth() / 8;
  for (int64_t i = 0, e = want.getNumElements(); i < e; ++i) {
    uint64_t word = 0;
    std::memcpy(&word, &want.bytes[i * bytes], bytes);
    if (llvm::APFloat(type.getFloatSemantics(), llvm::APInt(type.getWidth(), word)).isInfinity())
      std::memcpy(&got.bytes[i * bytes], &word, bytes);
  }
}

Verdict Evaluator::judge(ModuleOp module, const Layouts &layouts, unsigned rounds,
                         std::string &why) {
  // Partial values that are summed after they were used are not infinite, nor is their sum: 2 / 0
  // is not 3 / 0 - 1 / 0.
  bool isUsed = hasPartials(instance, layouts, Combiner::Sum, [](const Group &group) {
    return group.isArgument || !group.isReturned;
  });
  auto any = [](const Group &) { return true; };
  bool hasSum = hasPartials(instance, layouts, Combiner::Sum, any);
  bool reorders = hasSum || hasPartials(instance, layouts, Combiner::Prod, any);
  Expected &expected = getReference(layouts, isUsed);
  for (size_t index = 0; index < rounds * std::size(allDataKinds); ++index) {
    FailureOr<const std::pair<Tensors, Tensors> *> pair = failure();
    {
      FirstError error(module.getContext());
      pair = getExpected(expected, index, isUsed);
      why = error.text;
    }
    if (failed(pair))
      return Verdict::NoReference;
    const auto &[inputs, wanted] = **pair;
    FailureOr<Tensors> results = failure();
    {
      FirstError error(module.getContext());
      results = interpreter::interpret(module, inputs, options);
      why = error.text;
    }
    if (failed(results))
      return Verdict::Wrong;
    for (auto [number, want, got] : llvm::enumerate(wanted, *results)) {
      if (isUsed)
        ignoreInfinities(want, got);
      std::optional<int64_t> element =
          findDifference(want, got, reorders ? 1e-4 : 0, /*signedZeros=*/!hasSum);
      if (!element)
        continue;
      llvm::raw_string_ostream os(why);
      os << "result " << number << ", element " << *element << ": expected "
         << formatElement(want, *element) << ", found " << formatElement(got, *element);
      for (auto [argument, input] : llvm::enumerate(inputs)) {
        os << "\n    input " << argument << ": ";
        if (input.getNumElements() <= 64)
          interpreter::print(os, input);
        else
          os << input.getNumElements() << " elements";
      }
      return Verdict::Wrong;
    }
  }
  return Verdict::Right;
}
