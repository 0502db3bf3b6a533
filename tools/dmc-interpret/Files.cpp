//===- Files.cpp - Inputs, outputs and expectations as files --------------===//
//
// Between .npy files and the interpreter's tensors.
//
//===----------------------------------------------------------------------===//
#include "Files.h"

#include "dmc/Runtime/Compare.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Npy.h"
#include "dmc/Runtime/Random.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

#include <cstring>

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

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

/// The array in a file, of the parameter's type.
static std::optional<runtime::Array> readArray(const std::string &path,
                                               const Parameter &parameter) {
  std::string error;
  std::optional<runtime::Array> array = runtime::readNpy(path, error);
  if (!array) {
    (void)fail(path + ": " + error);
    return std::nullopt;
  }
  std::vector<int64_t> shape(parameter.type.getShape().begin(), parameter.type.getShape().end());
  std::optional<std::string> mismatch =
      runtime::matchArray(*array, getElementType(parameter.type.getElementType()), shape);
  if (!mismatch)
    return array;
  (void)fail(path + ": " + *mismatch);
  return std::nullopt;
}

FailureOr<Tensor> interpreter::readTensor(const std::string &path, const Parameter &parameter) {
  std::optional<runtime::Array> array = readArray(path, parameter);
  if (!array)
    return failure();
  Tensor tensor = Tensor::get(parameter.type);
  std::memcpy(tensor.bytes.data(), array->data(), tensor.bytes.size());
  return tensor;
}

LogicalResult interpreter::writeTensors(ArrayRef<std::string> paths, ArrayRef<Parameter> parameters,
                                        ArrayRef<Tensor> tensors) {
  runtime::FileSet files;
  for (auto [path, parameter, tensor] : llvm::zip_equal(paths, parameters, tensors))
    if (std::optional<std::string> error = files.add(path, toArray(parameter, tensor)))
      return fail(*error);
  if (std::optional<std::string> error = files.commit())
    return fail(*error);
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
  std::optional<runtime::Array> want = readArray(path, parameter);
  if (!want)
    return failure();
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
