//===- Files.cpp - Inputs, outputs and expectations as files --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between .npy files and the interpreter's tensors.
//
//===----------------------------------------------------------------------===//
#include "Files.h"

#include "dmc/Runtime/Compare.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Npy.h"
#include "dmc/Runtime/Random.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

#include <cstring>

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;
using runtime::Failure;

static LogicalResult fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "dmc-interpret") << message << "\n";
  return failure();
}

uint32_t interpreter::getElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return DMC_I1;
    case 8:
      return integer.isUnsigned() ? DMC_UI8 : DMC_I8;
    case 16:
      return integer.isUnsigned() ? DMC_UI16 : DMC_I16;
    case 32:
      return integer.isUnsigned() ? DMC_UI32 : DMC_I32;
    default:
      return integer.isUnsigned() ? DMC_UI64 : DMC_I64;
    }
  }
  return type.isF16() ? DMC_F16 : type.isBF16() ? DMC_BF16 : type.isF32() ? DMC_F32 : DMC_F64;
}

runtime::Array interpreter::toArray(const Parameter &parameter, const Tensor &tensor) {
  runtime::Array array = runtime::Array::make(getElementType(parameter.type.getElementType()),
                                              {tensor.shape.begin(), tensor.shape.end()});
  std::memcpy(array.data(), tensor.bytes.data(), tensor.bytes.size());
  return array;
}

/// The array in a file, of the parameter's type; otherwise `problem` says what is
/// wrong.
static std::optional<runtime::Array> readArray(const std::string &path, const Parameter &parameter,
                                               std::string &problem) {
  std::optional<runtime::Array> array = runtime::readNpy(path, problem);
  if (!array)
    return std::nullopt;
  std::vector<int64_t> shape(parameter.type.getShape().begin(), parameter.type.getShape().end());
  runtime::Failure mismatch =
      runtime::matchArray(*array, getElementType(parameter.type.getElementType()), shape);
  if (!mismatch)
    return array;
  problem = path + ": " + *mismatch;
  return std::nullopt;
}

Failure interpreter::readTensor(const std::string &path, const Parameter &parameter,
                                Tensor &tensor) {
  std::string problem;
  std::optional<runtime::Array> array = readArray(path, parameter, problem);
  if (!array)
    return problem;
  tensor = Tensor::get(parameter.type);
  std::memcpy(tensor.bytes.data(), array->data(), tensor.bytes.size());
  return std::nullopt;
}

std::string interpreter::getPrefixed(const std::string &prefix, const char *direction, size_t index,
                                     int64_t rank) {
  return prefix + (rank < 0 ? "" : ".r" + std::to_string(rank)) + "." + direction +
         std::to_string(index) + ".npy";
}

/// The arguments of one rank, or of all of them together.
static Failure readInputs(const std::string &prefix, ArrayRef<Parameter> parameters, int64_t rank,
                          SmallVector<Tensor> &inputs) {
  inputs.resize(parameters.size());
  for (auto [i, parameter] : llvm::enumerate(parameters))
    if (Failure problem = readTensor(getPrefixed(prefix, "in", i, rank), parameter, inputs[i]))
      return problem;
  std::string surplus = getPrefixed(prefix, "in", parameters.size(), rank);
  if (!llvm::sys::fs::exists(surplus))
    return std::nullopt;
  return surplus + ": expected " + std::to_string(parameters.size()) + " inputs" +
         (rank < 0 ? "" : " of each rank") + ", found one more";
}

Failure interpreter::readInputs(const std::string &prefix, ArrayRef<Parameter> parameters,
                                SmallVector<Tensor> &inputs) {
  return ::readInputs(prefix, parameters, -1, inputs);
}

Failure interpreter::readRankInputs(const std::string &prefix, const Signature &signature,
                                    RankTensors &inputs) {
  inputs.resize(signature.numRanks);
  for (int64_t rank = 0; rank < signature.numRanks; ++rank)
    if (Failure problem = ::readInputs(prefix, signature.arguments, rank, inputs[rank]))
      return problem;
  std::string surplus = getPrefixed(prefix, "in", 0, signature.numRanks);
  if (!llvm::sys::fs::exists(surplus))
    return std::nullopt;
  return surplus + ": expected inputs of " + std::to_string(signature.numRanks) +
         " ranks, found one more";
}

LogicalResult interpreter::writeTensors(ArrayRef<OutputFile> outputs) {
  runtime::FileSet files;
  for (const OutputFile &output : outputs)
    if (Failure problem = files.add(output.path, toArray(output.parameter, output.tensor)))
      return fail(*problem);
  if (Failure problem = files.commit())
    return fail(*problem);
  return success();
}

Tensor interpreter::makeRandomTensor(const Parameter &parameter, uint64_t seed, size_t index) {
  Tensor tensor = Tensor::get(parameter.type);
  std::vector<int64_t> shape(parameter.type.getShape().begin(), parameter.type.getShape().end());
  runtime::Array array = runtime::Array::make(getElementType(tensor.elementType), shape);
  runtime::fillRandom(array, seed, index);
  std::memcpy(tensor.bytes.data(), array.data(), tensor.bytes.size());
  return tensor;
}

LogicalResult interpreter::compareTensor(const std::string &path, const Parameter &parameter,
                                         const Tensor &tensor, double rtol, double atol) {
  std::string problem;
  std::optional<runtime::Array> want = readArray(path, parameter, problem);
  if (!want)
    return fail(problem);
  runtime::Comparison comparison =
      runtime::compare(toArray(parameter, tensor), *want, {rtol, atol});
  if (comparison.passed)
    return success();
  return fail(path + " (" + parameter.name + "): " + comparison.message);
}

FailureOr<std::vector<double>> interpreter::readTolerances(const std::string &path,
                                                           size_t numResults) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail(path + ": " + buffer.getError().message());
  llvm::Expected<llvm::json::Value> json = llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return fail(path + ": " + llvm::toString(json.takeError()));
  const llvm::json::Object *object = json->getAsObject();
  const llvm::json::Array *results = object ? object->getArray("results") : nullptr;
  if (!results || results->size() != numResults)
    return fail(path + ": expected " + Twine(numResults) + " results, found " +
                Twine(results ? results->size() : 0));
  std::vector<double> tolerances;
  for (const llvm::json::Value &result : *results) {
    const llvm::json::Object *entry = result.getAsObject();
    std::optional<double> atol = entry ? entry->getNumber("atol") : std::nullopt;
    if (!atol)
      return fail(path + ": expected a number \"atol\" in each result");
    tolerances.push_back(*atol);
  }
  return tolerances;
}
