//===- Files.h - Inputs, outputs and expectations as files ------*- C++ -*-===//
#ifndef DMC_TOOLS_DMC_INTERPRET_FILES_H
#define DMC_TOOLS_DMC_INTERPRET_FILES_H

#include "dmc/Interpreter/Interpreter.h"
#include "dmc/Runtime/Array.h"

#include <string>

namespace dmc::interpreter {

/// The runtime's number of an element type, signedness included.
uint32_t getElementType(mlir::Type type);

/// A result as the runtime has it, to be compared or written.
runtime::Array toArray(const Parameter &parameter, const Tensor &tensor);

/// Reads a .npy file that must hold the parameter's type and shape. Says what is
/// wrong on stderr.
mlir::FailureOr<Tensor> readTensor(const std::string &path, const Parameter &parameter);

/// Writes results to the paths: all of them or none.
mlir::LogicalResult writeTensors(llvm::ArrayRef<std::string> paths,
                                 llvm::ArrayRef<Parameter> parameters,
                                 llvm::ArrayRef<Tensor> tensors);

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
