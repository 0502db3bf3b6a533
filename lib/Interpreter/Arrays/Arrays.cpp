//===- Arrays.cpp - Tensors as the runtime's arrays and files -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Interpreter/Arrays.h"

#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Npy.h"
#include "dmc/Runtime/Random.h"

#include "llvm/Support/FileSystem.h"

#include <cstring>

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;
using runtime::Failure;
using support::ArrayFiles;

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
  llvm::copy(tensor.bytes, array.data()); // which may be null where there are no elements
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
  std::copy_n(array->data(), tensor.bytes.size(), tensor.bytes.begin());
  return std::nullopt;
}

/// The arguments of one rank, or of all of them together.
static Failure readInputs(const ArrayFiles &files, ArrayRef<Parameter> parameters, int64_t rank,
                          SmallVector<Tensor> &inputs) {
  inputs.resize(parameters.size());
  for (auto [i, parameter] : llvm::enumerate(parameters))
    if (Failure problem = readTensor(files.path(i, "in", rank), parameter, inputs[i]))
      return problem;
  if (files.kind == ArrayFiles::Kind::List)
    return std::nullopt;
  std::string surplus = files.path(parameters.size(), "in", rank);
  if (!llvm::sys::fs::exists(surplus))
    return std::nullopt;
  return surplus + ": expected " + std::to_string(parameters.size()) + " inputs" +
         (rank < 0 ? "" : " of each rank") + ", found one more";
}

Failure interpreter::readInputs(const ArrayFiles &files, ArrayRef<Parameter> parameters,
                                SmallVector<Tensor> &inputs) {
  return ::readInputs(files, parameters, -1, inputs);
}

Failure interpreter::readRankInputs(const ArrayFiles &files, const Signature &signature,
                                    RankTensors &inputs) {
  inputs.resize(signature.numRanks);
  for (int64_t rank = 0; rank < signature.numRanks; ++rank)
    if (Failure problem = ::readInputs(files, signature.arguments, rank, inputs[rank]))
      return problem;
  std::string surplus = files.path(0, "in", signature.numRanks);
  if (!llvm::sys::fs::exists(surplus))
    return std::nullopt;
  return surplus + ": expected inputs of " + std::to_string(signature.numRanks) +
         " ranks, found one more";
}

Tensor interpreter::makeRandomTensor(const Parameter &parameter, uint64_t seed, size_t index) {
  Tensor tensor = Tensor::get(parameter.type);
  std::vector<int64_t> shape(parameter.type.getShape().begin(), parameter.type.getShape().end());
  runtime::Array array = runtime::Array::make(getElementType(tensor.elementType), shape);
  runtime::fillRandom(array.type, seed, index, parameter.below, 0, array.numElements(),
                      array.data());
  std::memcpy(tensor.bytes.data(), array.data(), tensor.bytes.size());
  return tensor;
}
