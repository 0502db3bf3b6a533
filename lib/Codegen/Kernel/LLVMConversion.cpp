//===- LLVMConversion.cpp - Nests in the LLVM dialect ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/LLVMConversion.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {
/// bf16 values are moved as 16 bits: LLVM would ask a library to round them
/// wherever the processor has no instruction for it. Arithmetic on them is gone.
struct ConstantAsBits : public OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto value = dyn_cast<FloatAttr>(op.getValue());
    if (!value || !value.getType().isBF16())
      return failure();
    Type bits = rewriter.getI16Type();
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(
        op, bits, rewriter.getIntegerAttr(bits, value.getValue().bitcastToAPInt()));
    return success();
  }
};
} // namespace

void codegen::dropEmptyArguments(ModuleOp module) {
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration())
      continue;
    for (BlockArgument argument : function.getArguments())
      if (auto type = dyn_cast<MemRefType>(argument.getType());
          type && type.hasStaticShape() && type.getNumElements() == 0 && argument.use_empty())
        argument.setType(pointer);
    function.setFunctionType(FunctionType::get(
        module.getContext(), function.getBody().getArgumentTypes(), function.getResultTypes()));
  }
}

void codegen::expandArithmetic(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  arith::populateExpandBFloat16Patterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  walkAndApplyPatterns(module, FrozenRewritePatternSet(std::move(patterns)));
}

static LowerToLLVMOptions optionsOf(MLIRContext *context, unsigned indexBits) {
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  if (indexBits)
    options.overrideIndexBitwidth(indexBits);
  return options;
}

NestConversion::NestConversion(MLIRContext *context, unsigned indexBits)
    : converter(context, optionsOf(context, indexBits)), patterns(context), target(*context) {
  converter.addConversion(
      [](BFloat16Type type) { return IntegerType::get(type.getContext(), 16); });
  converter.addTypeAttributeConversion([](BaseMemRefType, gpu::AddressSpaceAttr space) {
    assert(space.getValue() == gpu::AddressSpace::Workgroup && "the only one that nests have");
    constexpr unsigned shared = 3; // of NVPTX
    return IntegerAttr::get(IntegerType::get(space.getContext(), 64), shared);
  });
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  patterns.add<ConstantAsBits>(converter, context, /*benefit=*/10);
  target.addIllegalDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                           memref::MemRefDialect, scf::SCFDialect, cf::ControlFlowDialect,
                           vector::VectorDialect>();
  target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
}
