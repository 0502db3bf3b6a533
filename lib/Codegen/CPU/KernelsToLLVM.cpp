//===- KernelsToLLVM.cpp - Kernels in the LLVM dialect --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CPU/KernelsToLLVM.h"

#include "CPU/ReduceExtrema.h"
#include "CPU/UnrollLoops.h"
#include "Math/ExpandMath.h"

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

LLVM::LLVMFunctionType codegen::kernelType(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes()) {
    if (isa<MemRefType>(type))
      type = LLVM::LLVMPointerType::get(context);
    else if (type.isIndex())
      type = IntegerType::get(context, 64);
    types.push_back(type);
  }
  return LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
}

/// Functions of libm whose LLVM form would lose accuracy near zero.
static void callLibm(ModuleOp module) {
  SymbolTable symbols(module);
  module.walk([&](Operation *op) {
    StringRef name;
    if (isa<math::ExpM1Op>(op))
      name = "expm1";
    else if (isa<math::Log1pOp>(op))
      name = "log1p";
    else
      return;
    Type type = op->getResult(0).getType();
    if (!type.isF32() && !type.isF64())
      return;
    std::string full = name.str() + (type.isF32() ? "f" : "");
    OpBuilder builder(op);
    auto callee = symbols.lookup<func::FuncOp>(full);
    if (!callee) {
      OpBuilder top = OpBuilder::atBlockEnd(module.getBody());
      callee =
          func::FuncOp::create(top, module.getLoc(), full, builder.getFunctionType({type}, {type}));
      callee.setPrivate();
      callee->setAttr("llvm.readnone", builder.getUnitAttr());
      symbols.insert(callee);
    }
    op->replaceAllUsesWith(
        func::CallOp::create(builder, op->getLoc(), callee, op->getOperands()).getResults());
    op->erase();
  });
}

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

/// Arguments without elements have no type in LLVM, and are never read.
static void dropEmptyArguments(ModuleOp module) {
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

/// The branch back to a loop's head keeps the loop's attribute under its name, which translation
/// does not read.
static void annotateBackBranches(ModuleOp module) {
  module.walk([](LLVM::BrOp back) {
    if (auto annotation =
            dyn_cast_or_null<LLVM::LoopAnnotationAttr>(back->removeDiscardableAttr(loopAnnotation)))
      back.setLoopAnnotationAttr(annotation);
  });
}

LogicalResult codegen::convertToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  expandMath(module);
  callLibm(module);
  unrollShortLoops(module, TargetAttr::of(module).getVectorBytes());
  reduceExtrema(module);
  dropEmptyArguments(module);
  {
    RewritePatternSet patterns(context);
    arith::populateExpandBFloat16Patterns(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    walkAndApplyPatterns(module, FrozenRewritePatternSet(std::move(patterns)));
  }
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(context, options);
  converter.addConversion(
      [](BFloat16Type type) { return IntegerType::get(type.getContext(), 16); });
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  populateMathToLibmConversionPatterns(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  patterns.add<ConstantAsBits>(converter, context, /*benefit=*/10);
  LLVMConversionTarget target(*context);
  target.addIllegalDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                           memref::MemRefDialect, scf::SCFDialect, cf::ControlFlowDialect,
                           vector::VectorDialect>();
  target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();
  annotateBackBranches(module);
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  return success();
}
