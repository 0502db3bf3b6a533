//===- VerifyTensor.cpp - dmc-verify-tensor -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditions stand, numbered, in the pass's description.
//
//===----------------------------------------------------------------------===//
#include "LevelZero.h"
#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Dialect/DMC/CustomCall.h"
#include "dmc/Import/Import.h"
#include "dmc/Import/Passes.h"
#include "dmc/Import/StableHLO/Types.h"
#include "dmc/Import/Verify.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dmc {
#define GEN_PASS_DEF_VERIFYTENSOR
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

LogicalResult dmc::checkType(Operation *op, Type type) {
  Type element = type;
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return op->emitError() << "unsupported: '" << op->getName() << "' makes a value of type "
                             << type << "; expected ranked tensors of static shape";
    element = tensor.getElementType();
  }
  bool isScalar = !isa<ShapedType>(type);
  if (!(isScalar && element.isIndex()) && !(stablehlo::getElementKind(element) & stablehlo::kReal))
    return op->emitError() << "unsupported: '" << op->getName() << "' makes a value of type "
                           << type
                           << "; expected elements of type i1, i8 to i64, f16, bf16, f32 or f64";
  return success();
}

LogicalResult dmc::checkHasForm(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  bool isControl = isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp, scf::YieldOp,
                       scf::ConditionOp, func::ReturnOp>(op);
  if (isControl || dialect == "linalg" || dialect == "tensor" || dialect == "arith" ||
      dialect == "math")
    return success();
  return op->emitError() << "unsupported: '" << op->getName()
                         << "' in a tensor program; expected operations of linalg, tensor, "
                            "arith and math, and 'scf.for', 'while', 'if' and 'index_switch'";
}

/// A table of ranks, which a rank program looks up, may be of indices.
static bool isTableOfRanks(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getElementType().isIndex() &&
         op->getParentOfType<ManualOp>();
}

static LogicalResult verifyType(Operation *op, Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getEncoding())
    return op->emitOpError("expects types without layout in a tensor program, found ") << type;
  return isTableOfRanks(op, type) ? success() : checkType(op, type);
}

/// True for what computes at level 0, asks for layouts, or says what one rank does.
static bool isOfTensors(Operation *op) {
  return isa<GatherOp, ScatterOp, SortOp, CustomCallOp, DynamicSliceOp, DynamicUpdateSliceOp,
             ManualOp, HaloOp, ConstrainOp, OptimizationBarrierOp, YieldOp>(op);
}

static LogicalResult verifyOp(Operation *op) {
  // (C2) Arguments of blocks have types of results, or parts of them.
  for (Type type : op->getResultTypes())
    if (failed(verifyType(op, type)))
      return failure();
  // (C3)
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "comm") {
    if (op->getParentOfType<ManualOp>())
      return success();
    return op->emitOpError("belongs in a rank program or in dmc.manual, found in a tensor program");
  }
  if (dialect != "dmc")
    return checkHasForm(op);
  if (isOfTensors(op))
    return success();
  return op->emitOpError("is not an operation of a tensor program");
}

/// (C4)
static LogicalResult verifySignature(func::FuncOp entry, TypeRange types,
                                     ArrayRef<ValueAttr> values, StringRef what) {
  if (types.size() != values.size())
    return entry.emitOpError("expects ")
           << values.size() << " " << what << "s, as the program has, found " << types.size();
  for (auto [i, type, value] : llvm::enumerate(types, values)) {
    RankedTensorType global = dmc::withLayout(value.getType(), {});
    Type element = global.getElementType();
    if (element.isInteger())
      element = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
    if (type != global.clone(element))
      return entry.emitOpError("expects ") << what << " " << i << " to be " << global.clone(element)
                                           << ", as the program has, found " << type;
  }
  return success();
}

/// (C5)
static LogicalResult verifyRequests(func::FuncOp entry, DictionaryAttr attrs, ValueAttr value) {
  for (StringRef name : {"dmc.open", "dmc.priorities", "dmc.replicated"})
    if (attrs && attrs.contains(name) && !value.getLayout())
      return entry.emitOpError("expects '")
             << name << "' on values whose layout the program says, found it on \""
             << value.getName().getValue() << '"';
  return success();
}

LogicalResult dmc::verifyTensor(ModuleOp module) {
  ProgramAttr program = ProgramAttr::of(module);
  if (!program || program.getLevel() != Level::tensor)
    return success();
  // (C1)
  FailureOr<func::FuncOp> entry = getEntry(module);
  if (failed(entry))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (function != *entry)
      return function.emitOpError("stands beside the entry of a tensor program; expected it to be "
                                  "inlined");
  FunctionType type = entry->getFunctionType();
  if (failed(verifySignature(*entry, type.getInputs(), program.getArguments(), "argument")) ||
      failed(verifySignature(*entry, type.getResults(), program.getResults(), "result")))
    return failure();
  for (auto [i, value] : llvm::enumerate(program.getArguments()))
    if (failed(verifyRequests(*entry, entry->getArgAttrDict(i), value)))
      return failure();
  for (auto [i, value] : llvm::enumerate(program.getResults()))
    if (failed(verifyRequests(*entry, entry->getResultAttrDict(i), value)))
      return failure();
  return failure(entry
                     ->walk<WalkOrder::PreOrder>([&](Operation *op) {
                       return op == *entry ? WalkResult::advance() : WalkResult(verifyOp(op));
                     })
                     .wasInterrupted());
}

bool dmc::isWithinImport(StringRef pass) {
  return llvm::is_contained({"dmc-apply-rules", "dmc-import-program", "dmc-apply-layouts",
                             "dmc-convert-tosa", "dmc-inline-functions", "dmc-normalize-tensors",
                             "dmc-tensorize-boundary"},
                            pass);
}

namespace {
struct VerifyTensorPass : public dmc::impl::VerifyTensorBase<VerifyTensorPass> {
  void runOnOperation() override {
    if (failed(verifyTensor(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
