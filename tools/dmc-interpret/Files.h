//===- Files.h - Inputs, outputs and expectations as files ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_INTERPRET_FILES_H
#define DMC_TOOLS_DMC_INTERPRET_FILES_H

#include "dmc/Interpreter/Interpreter.h"
#include "dmc/Runtime/Session.h"

#include <string>

namespace dmc::interpreter {

/// The runtime's number of an element type, signedness included.
uint32_t getElementType(mlir::Type type);

/// A result as the runtime has it, to be compared or written.
runtime::Array toArray(const Parameter &parameter, const Tensor &tensor);

/// Reads a .npy file that must hold the parameter's type and shape. Returns what
/// is wrong, or nothing.
runtime::Failure readTensor(const std::string &path, const Parameter &parameter, Tensor &tensor);

/// PREFIX.in3.npy, or of one rank PREFIX.r2.in3.npy.
std::string getPrefixed(const std::string &prefix, const char *direction, size_t index,
                        int64_t rank = -1);

/// Reads PREFIX.in0.npy, ...; a file that lacks, does not fit or is one too many
/// is what is wrong.
runtime::Failure readInputs(const std::string &prefix, llvm::ArrayRef<Parameter> parameters,
                            llvm::SmallVector<Tensor> &inputs);

/// Reads PREFIX.r0.in0.npy, ...: each rank's arguments, of the local signature.
runtime::Failure readRankInputs(const std::string &prefix, const Signature &signature,
                                RankTensors &inputs);

/// A result and where it goes.
struct OutputFile {
  std::string path;
  const Parameter &parameter;
  const Tensor &tensor;
};

/// Writes results: all of them or none.
mlir::LogicalResult writeTensors(llvm::ArrayRef<OutputFile> outputs);

/// What dmc-run makes up for argument `index` from that seed.
Tensor makeRandomTensor(const Parameter &parameter, uint64_t seed, size_t index);

/// Compares with the array in a file: |got - want| <= atol + rtol * |want|; says
/// on stderr what differs.
mlir::LogicalResult compareTensor(const std::string &path, const Parameter &parameter,
                                  const Tensor &tensor, double rtol, double atol);

/// The results' absolute tolerances from a model's meta.json.
mlir::FailureOr<std::vector<double>> readTolerances(const std::string &path, size_t numResults);

} // namespace dmc::interpreter

#endif // DMC_TOOLS_DMC_INTERPRET_FILES_H
