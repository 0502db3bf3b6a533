//===- CublasLt.cpp - cuBLASLt, real or simulated -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/CublasLt.h"
#include "CUDA/SharedLibrary.h"

using namespace dmc;
using namespace dmc::cuda;
using namespace dmc::cuda::blas;

static void fill(CublasLt &functions, SharedLibrary &library) {
// NOLINTBEGIN(bugprone-macro-parentheses): a type and a list of parameters cannot have any
#define DMC_CUBLASLT_FUNCTION(result, exported, name, parameters)                                  \
  functions.name = reinterpret_cast<result(*) parameters>(library.find(#exported));
// NOLINTEND(bugprone-macro-parentheses)
#include "CUDA/CublasLt.def"
}

const CublasLt *CublasLt::load(bool simulated, std::string &error) {
  static const LibraryNames names = {
      "cuBLASLt library", {"libcublasLt.so.13", "libcublasLt.so.12"}, "libcublasLt.so.13"};
  return loadFunctions<CublasLt>(names, simulated, fill, error);
}
