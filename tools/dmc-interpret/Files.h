//===- Files.h - Inputs, outputs and expectations as files ------*- C++ -*-===//
#ifndef DMC_TOOLS_DMC_INTERPRET_FILES_H
#define DMC_TOOLS_DMC_INTERPRET_FILES_H

#include "dmc/Interpreter/Interpreter.h"

#include <string>

namespace dmc::interpreter {

/// Reads a .npy file that must hold the parameter's type and shape. Says what is
/// wrong on stderr.
mlir::FailureOr<Tensor> readTensor(const std::string &path, const Parameter &parameter);

/// Writes results to the paths: all of them or none.
mlir::LogicalResult writeTensors(llvm::ArrayRef<std::string> paths,
                                 llvm::ArrayRef<Parameter> parameters,
                                 llvm::ArrayRef<Tensor> tensors);

/// Floats in [-1, 1), integers in [0, 4), the same for a seed on every machine.
Tensor makeRandomTensor(const Parameter &parameter, uint64_t seed);

/// Compares with the array in a file: |got - want| <= atol + rtol * |want|; says
/// on stderr what differs.
mlir::LogicalResult compareTensor(const std::string &path, const Parameter &parameter,
                                  const Tensor &tensor, double rtol, double atol);

/// The results' absolute tolerances from a model's meta.json.
mlir::FailureOr<std::vector<double>> readTolerances(const std::string &path, size_t numResults);

} // namespace dmc::interpreter

#endif // DMC_TOOLS_DMC_INTERPRET_FILES_H
