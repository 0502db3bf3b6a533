//===- Arrays.h - Tensors as the runtime's arrays and files -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_INTERPRETER_ARRAYS_H
#define DMC_INTERPRETER_ARRAYS_H

#include "dmc/Interpreter/Interpreter.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Support/ArrayFiles.h"

#include <string>

namespace dmc::interpreter {

/// The runtime's number of an element type, signedness included.
uint32_t getElementType(mlir::Type type);

/// A result as the runtime has it, to be compared or written.
runtime::Array toArray(const Parameter &parameter, const Tensor &tensor);

/// Reads a .npy file that must hold the parameter's type and shape. Returns what
/// is wrong, or nothing.
runtime::Failure readTensor(const std::string &path, const Parameter &parameter, Tensor &tensor);

/// Reads the arguments' files by their names; a file that is absent, does not fit or is
/// one too many is what is wrong.
runtime::Failure readInputs(const support::ArrayFiles &files, llvm::ArrayRef<Parameter> parameters,
                            llvm::SmallVector<Tensor> &inputs);

/// Reads each rank's arguments, of the local signature.
runtime::Failure readRankInputs(const support::ArrayFiles &files, const Signature &signature,
                                RankTensors &inputs);

/// The argument `index` that dmc-run makes from that seed.
Tensor makeRandomTensor(const Parameter &parameter, uint64_t seed, size_t index);

} // namespace dmc::interpreter

#endif // DMC_INTERPRETER_ARRAYS_H
