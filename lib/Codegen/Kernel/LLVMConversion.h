//===- LLVMConversion.h - Nests in the LLVM dialect -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the conversions for processors and for devices share.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_LLVMCONVERSION_H
#define DMC_LIB_CODEGEN_KERNEL_LLVMCONVERSION_H

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"

namespace dmc::codegen {

/// Arguments without elements have no type in LLVM, and are never read.
void dropEmptyArguments(mlir::ModuleOp module);

/// Replaces operations that have no conversion by such that do.
void expandArithmetic(mlir::ModuleOp module);

/// The conversion of all dialects of nests, where memrefs are bare pointers and bf16 is moved as 16
/// bits. Functions of math that LLVM has none of are left.
class NestConversion {
public:
  /// 0: indices of as many bits as pointers.
  NestConversion(mlir::MLIRContext *context, unsigned indexBits);
  mlir::LLVMTypeConverter converter;
  mlir::RewritePatternSet patterns;
  mlir::LLVMConversionTarget target;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_LLVMCONVERSION_H
