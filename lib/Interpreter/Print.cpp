//===- Print.cpp - Tensors as text ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Shards.h"
#include "dmc/Interpreter/Interpreter.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

static void printElement(raw_ostream &os, Kind kind, Word word) {
  if (!isFloat(kind)) {
    if (kind == Kind::I1)
      os << (word ? "true" : "false");
    else
      os << signExtend(word, getWidth(kind));
    return;
  }
  double value = getDouble(kind, word);
  if (std::isnan(value))
    os << "nan";
  else if (std::isinf(value))
    os << (value < 0 ? "-inf" : "inf");
  else
    os << llvm::format(kind == Kind::F64 ? "%.17g" : kind == Kind::F32 ? "%.9g" : "%.5g", value);
}

static void printDims(raw_ostream &os, const Tensor &tensor, Kind kind, size_t dim,
                      int64_t &linear) {
  const unsigned bytes = getNumBytes(kind);
  if (dim == tensor.shape.size()) {
    printElement(os, kind, loadWord(&tensor.bytes[linear++ * bytes], bytes));
    return;
  }
  os << '[';
  for (int64_t i = 0; i < tensor.shape[dim]; ++i) {
    if (i)
      os << ", ";
    printDims(os, tensor, kind, dim + 1, linear);
  }
  os << ']';
}

void interpreter::print(raw_ostream &os, const Tensor &tensor) {
  os << RankedTensorType::get(tensor.shape, tensor.elementType) << " = ";
  int64_t linear = 0;
  printDims(os, tensor, *getKind(tensor.elementType), 0, linear);
}
