//===- VerifyRanks.cpp - Checks of rank programs --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditions stand, numbered, in the pass's description.
//
//===----------------------------------------------------------------------===//
#include "dmc/Ranks/Passes.h"
#include "dmc/Ranks/Verify.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dmc {
#define GEN_PASS_DEF_VERIFYRANKS
#include "dmc/Ranks/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

static LogicalResult verifyType(Operation *op, Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return success();
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || !ranked.hasStaticShape())
    return op->emitOpError("expects static tensors in a rank program, found ") << type;
  if (ranked.getEncoding())
    return op->emitOpError("expects types without layout in a rank program, found ") << type;
  return success();
}

static LogicalResult verifyMesh(Operation *op, MeshAttr mesh, MeshAttr expected) {
  if (mesh == expected)
    return success();
  return op->emitOpError("expects the program's mesh ") << expected << ", found " << mesh;
}

static LogicalResult verifyOp(Operation *op, MeshAttr mesh) {
  // (C2)
  for (Type type : op->getResultTypes())
    if (failed(verifyType(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(verifyType(op, type)))
          return failure();
  // (C3)
  if (isa<MoveOpInterface, ConstrainOp>(op))
    return op->emitOpError("is a move between layouts; expected none in a rank program");
  // (C5)
  if (auto index = dyn_cast<comm::AxisIndexOp>(op))
    return verifyMesh(op, index.getMesh(), mesh);
  auto collective = dyn_cast<comm::CollectiveOpInterface>(op);
  if (!collective)
    return success();
  if (failed(verifyMesh(op, collective.getGroupMesh(), mesh)))
    return failure();
  // (C6)
  Operation *parent = op->getParentOp();
  while (isa_and_nonnull<scf::SCFDialect>(parent->getDialect()))
    parent = parent->getParentOp();
  if (!isa<func::FuncOp>(parent))
    return op->emitOpError("expects to stand in the function's body or in scf regions, found in ")
           << parent->getName();
  return success();
}

/// (C4)
static LogicalResult verifySignature(func::FuncOp function, ArrayRef<Type> types,
                                     ArrayRef<ValueAttr> values, StringRef what) {
  if (types.size() != values.size())
    return function.emitOpError("expects ")
           << values.size() << " " << what << "s, as the program has, found " << types.size();
  for (auto [i, type, value] : llvm::enumerate(types, values)) {
    LayoutAttr layout = value.getLayout();
    if (!layout)
      return function.emitOpError("expects a layout of the program's ")
             << what << " " << i << ", found " << value.getType();
    // A program that is just imported has signedness in its types.
    Type element = value.getType().getElementType();
    SmallVector<int64_t> shape = layout.getLocalShape(value.getType().getShape());
    bool isSame = type == RankedTensorType::get(shape, element);
    if (element.isInteger())
      element = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
    auto local = RankedTensorType::get(shape, element);
    if (!isSame && type != local)
      return function.emitOpError("expects ")
             << what << " " << i << " to be " << local << ", the local part of the program's "
             << value.getType() << ", found " << type;
  }
  return success();
}

LogicalResult dmc::verifyRanks(ModuleOp module) {
  // (C1)
  ProgramAttr program = ProgramAttr::of(module);
  if (!program || program.getLevel() != Level::ranks || !program.getMesh())
    return module.emitOpError("expects a dmc.program of level ranks with a mesh");
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    if (entry)
      return function.emitOpError("expects to be the only public function");
    entry = function;
  }
  if (!entry || entry.isExternal())
    return module.emitOpError("expects one public function with a body");

  WalkResult result = module.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { return WalkResult(verifyOp(op, program.getMesh())); });
  if (result.wasInterrupted())
    return failure();
  FunctionType type = entry.getFunctionType();
  return failure(
      failed(verifySignature(entry, type.getInputs(), program.getArguments(), "argument")) ||
      failed(verifySignature(entry, type.getResults(), program.getResults(), "result")));
}

namespace {
struct VerifyRanksPass : public dmc::impl::VerifyRanksBase<VerifyRanksPass> {
  void runOnOperation() override {
    if (failed(verifyRanks(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
