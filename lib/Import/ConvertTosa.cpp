//===- ConvertTosa.cpp - Convert TOSA to linalg on tensors ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmc-convert-tosa: upstream's passes in their order; what they leave is refused.
//
//===----------------------------------------------------------------------===//
#include "dmc/Import/Import.h"
#include "dmc/Import/Passes.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dmc {
#define GEN_PASS_DEF_CONVERTTOSA
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

/// As upstream's pipeline, which lacks the steps after linalg.
static void buildPipeline(OpPassManager &pm) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(tosa::createTosaConvertIntegerTypeToSignless());
  function.addPass(createTosaToSCFPass());
  function.addPass(tosa::createTosaOptionalDecompositionsPass());
  function.addPass(tosa::createTosaInferShapesPass());
  function.addPass(tosa::createTosaMakeBroadcastablePass());
  function.addPass(tosa::createTosaToLinalgNamed());
  function.addPass(createCanonicalizerPass());
  function.addPass(tosa::createTosaLayerwiseConstantFoldPass());
  function.addPass(tosa::createTosaMakeBroadcastablePass());
  function.addPass(tosa::createTosaToLinalg());
  function.addPass(createTosaToTensorPass());
  TosaToArithPassOptions arith;
  arith.includeApplyRescale = true;
  function.addPass(createTosaToArithPass(arith));
  function.addPass(createCanonicalizerPass());
}

static bool isTosa(Operation *op) { return isa_and_nonnull<tosa::TosaDialect>(op->getDialect()); }

static WalkResult refuse(Operation *op) {
  return WalkResult(op->emitError()
                    << "unsupported: '" << op->getName()
                    << "' cannot be converted to a tensor program; expected operations of TOSA "
                       "without state, on static shapes, that upstream lowers to linalg, tensor, "
                       "arith and scf");
}

static Value createEmpty(OpBuilder &b, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
}

/// Upstream would read elements from the body of a linalg operation.
static void convertGather(tosa::GatherOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  auto values = dyn_cast<RankedTensorType>(op.getValues().getType());
  if (!type || !values || !type.hasStaticShape() || !values.hasStaticShape())
    return;
  OpBuilder b(op);
  auto gather = dmc::GatherOp::create(
      b, op.getLoc(), type, op.getValues(), op.getIndices(), createEmpty(b, op.getLoc(), type),
      /*offset_dims=*/ArrayRef<int64_t>{2}, /*collapsed_slice_dims=*/ArrayRef<int64_t>{1},
      /*operand_batching_dims=*/ArrayRef<int64_t>{0},
      /*start_indices_batching_dims=*/ArrayRef<int64_t>{0},
      /*start_index_map=*/ArrayRef<int64_t>{1}, /*index_vector_dim=*/2,
      /*slice_sizes=*/ArrayRef<int64_t>{1, 1, values.getDimSize(2)},
      /*indices_are_unsigned=*/false);
  op.replaceAllUsesWith(gather.getResult());
  op.erase();
}

/// Upstream would loop over single elements.
static void convertScatter(tosa::ScatterOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !type.hasStaticShape())
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  OperationState state(loc, dmc::ScatterOp::getOperationName());
  state.addOperands({op.getIndices(), op.getInput(), op.getValuesIn()});
  state.addTypes(type);
  state.addAttribute("update_window_dims", b.getDenseI64ArrayAttr({2}));
  state.addAttribute("inserted_window_dims", b.getDenseI64ArrayAttr({1}));
  state.addAttribute("input_batching_dims", b.getDenseI64ArrayAttr({0}));
  state.addAttribute("scatter_indices_batching_dims", b.getDenseI64ArrayAttr({0}));
  state.addAttribute("scatter_dims_to_operand_dims", b.getDenseI64ArrayAttr({1}));
  state.addAttribute("index_vector_dim", b.getI64IntegerAttr(2));
  Type element = type.getElementType();
  Block *body = b.createBlock(state.addRegion(), {}, {element, element}, {loc, loc});
  dmc::YieldOp::create(b, loc, body->getArgument(1));
  b.setInsertionPoint(op);
  op.replaceAllUsesWith(b.create(state)->getResult(0));
  op.erase();
}

namespace {
struct ConvertTosa : dmc::impl::ConvertTosaBase<ConvertTosa> {
  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertTosaBase::getDependentDialects(registry);
    OpPassManager pm(ModuleOp::getOperationName());
    buildPipeline(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    WalkResult found = module.walk(
        [](Operation *op) { return isTosa(op) ? WalkResult::interrupt() : WalkResult::advance(); });
    if (!found.wasInterrupted())
      return markAllAnalysesPreserved();
    // Upstream would leave them, or keep their state in globals.
    found = module.walk([](Operation *op) {
      return isa<tosa::VariableOp, tosa::VariableReadOp, tosa::VariableWriteOp, tosa::CustomOp>(op)
                 ? refuse(op)
                 : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return signalPassFailure();

    module.walk([](tosa::GatherOp op) { convertGather(op); });
    module.walk([](tosa::ScatterOp op) { convertScatter(op); });
    OpPassManager pm(ModuleOp::getOperationName());
    buildPipeline(pm);
    if (failed(runPipeline(pm, module)))
      return signalPassFailure();
    found =
        module.walk([](Operation *op) { return isTosa(op) ? refuse(op) : WalkResult(success()); });
    if (found.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
