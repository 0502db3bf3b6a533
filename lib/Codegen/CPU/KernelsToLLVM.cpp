//===- KernelsToLLVM.cpp - Kernels in the LLVM dialect --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CPU/KernelsToLLVM.h"

#include "CPU/ReduceExtrema.h"
#include "CPU/UnrollLoops.h"
#include "Kernel/LLVMConversion.h"
#include "Math/ExpandMath.h"

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"

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
  expandMath(module);
  callLibm(module);
  unrollShortLoops(module, TargetAttr::of(module).getVectorBytes());
  reduceExtrema(module);
  dropEmptyArguments(module);
  expandArithmetic(module);
  NestConversion conversion(module.getContext(), /*indexBits=*/0);
  populateMathToLibmConversionPatterns(conversion.patterns);
  if (failed(applyPartialConversion(module, conversion.target, std::move(conversion.patterns))))
    return failure();
  annotateBackBranches(module);
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  return success();
}
