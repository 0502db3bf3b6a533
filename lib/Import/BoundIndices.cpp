//===- BoundIndices.cpp - dmc-bound-indices -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many values the elements of arguments have that index others.
//
//===----------------------------------------------------------------------===//
#include "dmc/Import/IndexBounds.h"
#include "dmc/Import/Passes.h"

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dmc {
#define GEN_PASS_DEF_BOUNDINDICES
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// The operands of an operation of which elements of its result may be elements: it moves them,
/// chooses between them, keeps them within limits or changes their type.
static void listSources(Operation *op, SmallVectorImpl<Value> &sources) {
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::CastOp>(
          op))
    return sources.push_back(op->getOperand(0));
  if (isa<tensor::ConcatOp>(op))
    return llvm::append_range(sources, op->getOperands());
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return sources.push_back(transpose.getInput());
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op))
    return sources.push_back(broadcast.getInput());
  auto map = dyn_cast<linalg::MapOp>(op);
  if (!map || map.getMapper().front().getOperations().size() != 2)
    return;
  Operation &inner = map.getMapper().front().front();
  if (!isa<arith::SelectOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp,
           arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(inner))
    return;
  Block &body = map.getMapper().front();
  for (Value operand : inner.getOperands().drop_front(isa<arith::SelectOp>(inner)))
    if (auto argument = dyn_cast<BlockArgument>(operand);
        argument && argument.getOwner() == &body &&
        argument.getArgNumber() < map.getInputs().size())
      sources.push_back(map.getInputs()[argument.getArgNumber()]);
}

/// Elements of an update along a dimension of the target.
static int64_t getWindowSize(ScatterOp scatter, int64_t dim) {
  auto isDropped = [&](int64_t other) {
    return llvm::is_contained(scatter.getInsertedWindowDims(), other) ||
           llvm::is_contained(scatter.getInputBatchingDims(), other);
  };
  if (isDropped(dim))
    return 1;
  int64_t position =
      llvm::count_if(llvm::seq<int64_t>(0, dim), [&](int64_t other) { return !isDropped(other); });
  return scatter.getUpdateType().getDimSize(scatter.getUpdateWindowDims()[position]);
}

/// How many values lie within all dimensions of a tensor that an index vector has, of which slices
/// of some size are taken; 0: none.
static int64_t getLeast(ArrayRef<int64_t> dims, Value tensor,
                        llvm::function_ref<int64_t(int64_t)> getSliceSize) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  int64_t least = dims.empty() ? 0 : std::numeric_limits<int64_t>::max();
  for (int64_t dim : dims)
    least = std::min(least, shape[dim] - getSliceSize(dim) + 1);
  return std::max<int64_t>(least, 0);
}

SmallVector<int64_t> dmc::findIndexBounds(func::FuncOp entry) {
  SmallVector<int64_t> bounds(entry.getNumArguments(), 0);
  Block *body = &entry.getBody().front();
  auto bound = [&](Value indices, int64_t least) {
    if (least == 0)
      return;
    SmallVector<Value> left = {indices};
    llvm::DenseSet<Value> seen;
    while (!left.empty()) {
      Value value = left.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument) {
        listSources(value.getDefiningOp(), left);
        continue;
      }
      if (argument.getOwner() != body || !isa<IntegerType>(getElementTypeOrSelf(value)))
        continue;
      int64_t &known = bounds[argument.getArgNumber()];
      known = known ? std::min(known, least) : least;
    }
  };
  entry.walk([&](Operation *op) {
    if (auto gather = dyn_cast<GatherOp>(op))
      bound(gather.getIndices(),
            getLeast(gather.getStartIndexMap(), gather.getOperand(),
                     [&](int64_t dim) { return gather.getSliceSizes()[dim]; }));
    if (auto scatter = dyn_cast<ScatterOp>(op))
      bound(scatter.getIndices(),
            getLeast(scatter.getScatterDimsToOperandDims(), scatter.getTargets().front(),
                     [&](int64_t dim) { return getWindowSize(scatter, dim); }));
  });
  return bounds;
}

namespace {
struct BoundIndices : dmc::impl::BoundIndicesBase<BoundIndices> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    ProgramAttr program = ProgramAttr::of(module);
    func::FuncOp entry;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isDeclaration())
        entry = function;
    if (!program || !entry || entry.getNumArguments() != program.getArguments().size())
      return;
    SmallVector<ValueAttr> arguments(program.getArguments());
    for (auto [argument, below] : llvm::zip_equal(arguments, findIndexBounds(entry)))
      argument = argument.withBound(below);
    module->setAttr("dmc.program",
                    ProgramAttr::get(&getContext(), program.getLevel(), program.getName(),
                                     program.getMesh(), arguments, program.getResults()));
  }
};
} // namespace
