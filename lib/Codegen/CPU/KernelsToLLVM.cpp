//===- KernelsToLLVM.cpp - Kernels in the LLVM dialect --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CPU/KernelsToLLVM.h"

#include "CPU/ReduceExtrema.h"
#include "CPU/UnrollLoops.h"
#include "Host/ProgramTables.h"
#include "Kernel/Buffers.h"
#include "Math/ExpandMath.h"

#include "dmc/Runtime/Program.h"

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

LLVM::LLVMFunctionType codegen::kernelType(func::FuncOp kernel, bool callsLibrary) {
  MLIRContext *context = kernel.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  SmallVector<Type> types;
  if (callsLibrary)
    types.append(2, pointer);
  for (Type type : kernel.getArgumentTypes()) {
    if (isa<MemRefType>(type))
      type = pointer;
    else if (type.isIndex())
      type = IntegerType::get(context, 64);
    types.push_back(type);
  }
  Type result =
      callsLibrary ? Type(IntegerType::get(context, 32)) : Type(LLVM::LLVMVoidType::get(context));
  return LLVM::LLVMFunctionType::get(result, types);
}

static func::FuncOp libraryCallee(func::CallOp call, const SymbolTable &symbols) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  return callee && callee->hasAttr("dmc.contraction") ? callee : func::FuncOp();
}

bool codegen::callsLibrary(func::FuncOp kernel) {
  return kernel
      .walk([](func::CallOp call) {
        return call.getCallee().starts_with("dmc_contract") ? WalkResult::interrupt()
                                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult codegen::connectLibraryCalls(func::FuncOp kernel, TableBuilder &tables) {
  SymbolTable symbols(kernel->getParentOfType<ModuleOp>());
  OpBuilder builder(kernel);
  Type pointer = tables.pointer, i32 = tables.i32, i64 = tables.i64;
  (void)kernel.insertArguments({0, 0}, {pointer, pointer}, {{}, {}},
                               {kernel.getLoc(), kernel.getLoc()});
  kernel.setFunctionType(builder.getFunctionType(kernel.getArgumentTypes(), i32));
  Value context = kernel.getArgument(0), api = kernel.getArgument(1);
  Location loc = kernel.getLoc();
  Block &body = kernel.getBody().front();
  builder.setInsertionPointToStart(&body);
  Value none = LLVM::ConstantOp::create(builder, loc, i32, builder.getI32IntegerAttr(0));
  Value status = none;
  for (auto call : llvm::make_early_inc_range(body.getOps<func::CallOp>())) {
    func::FuncOp callee = libraryCallee(call, symbols);
    if (!callee)
      return call.emitError("expected a call of the vendor library");
    Pointer description = emitContraction(tables, callee);
    builder.setInsertionPoint(call);
    loc = call.getLoc();
    auto offsets = callee->getAttrOfType<DictionaryAttr>("dmc.contraction")
                       .getAs<DenseI64ArrayAttr>("offsets");
    SmallVector<Value> operands = {
        context, LLVM::AddressOfOp::create(builder, loc, pointer, description.symbol)};
    for (auto [number, operand] : llvm::enumerate(call.getOperands())) {
      Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, operand);
      address = arith::IndexCastOp::create(builder, loc, i64, address);
      address = LLVM::IntToPtrOp::create(builder, loc, pointer, address);
      int64_t bytes = elementBytes(getElementTypeOrSelf(operand.getType()));
      if (offsets && offsets.size() == 3 && offsets[number]) {
        Value distance = LLVM::ConstantOp::create(
            builder, loc, i64, builder.getI64IntegerAttr(offsets[number] * bytes));
        address = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), address,
                                      ArrayRef<LLVM::GEPArg>{distance});
      }
      operands.push_back(address);
    }
    Value slot = LLVM::GEPOp::create(
        builder, loc, pointer, builder.getI8Type(), api,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offsetof(dmc_runtime_api, contract))});
    Value function = LLVM::LoadOp::create(builder, loc, pointer, slot);
    auto type = LLVM::LLVMFunctionType::get(i32, {pointer, pointer, pointer, pointer, pointer});
    operands.insert(operands.begin(), function);
    Value result = LLVM::CallOp::create(builder, loc, type, operands).getResult();
    if (status == none) {
      status = result;
    } else { // the first failure counts
      Value failed = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, status, none);
      status = LLVM::SelectOp::create(builder, loc, failed, status, result);
    }
    call.erase();
  }
  Operation *terminator = body.getTerminator();
  builder.setInsertionPoint(terminator);
  func::ReturnOp::create(builder, loc, status);
  terminator->erase();
  return success();
}

//===--- Conversion -------------------------------------------------------===//

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
