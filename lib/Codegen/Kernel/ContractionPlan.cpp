//===- ContractionPlan.cpp - What computes a contraction ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/ContractionPlan.h"

#include "dmc/Runtime/ContractionPlan.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// Whether the value is zero everywhere.
static bool isZero(Value init) {
  auto isZeroScalar = [](Attribute value) {
    return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
  };
  Attribute scalar;
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs().front(), m_Constant(&scalar)) && isZeroScalar(scalar);
  DenseElementsAttr dense;
  return matchPattern(init, m_Constant(&dense)) && dense.isSplat() &&
         isZeroScalar(dense.getSplatValue<Attribute>());
}

/// Whether a device's library computes it: matrix products of operands of one type, whose sums are
/// of that type or f32.
bool ContractionPlan::isForDeviceLibrary() const {
  SmallVector<Type> types;
  for (const StridedView *view : {&*a, &*b, &*c})
    types.push_back(getElementTypeOrSelf(view->buffer.getType()));
  if (!isa<FloatType>(types[2]) || types[0] != types[1] ||
      (types[2] != types[0] && !types[2].isF32()) || (types[0].isF64() && !types[2].isF64()))
    return false;
  DictionaryAttr description = describe(op, loops, *a, *b, *c, false);
  auto list = [&](StringRef name) {
    return description.getAs<DenseI64ArrayAttr>(name).asArrayRef();
  };
  dmc_contraction contraction = {};
  auto count = [&](unsigned role) { return static_cast<uint32_t>(list("loops")[role]); };
  contraction.num_batch = count(0);
  contraction.num_m = count(1);
  contraction.num_n = count(2);
  contraction.num_k = count(3);
  contraction.sizes = list("sizes").data();
  contraction.a_strides = list("strides_a").data();
  contraction.b_strides = list("strides_b").data();
  contraction.c_strides = list("strides_c").data();
  bool isEmpty = llvm::is_contained(list("sizes"), 0);
  return !isEmpty && !runtime::planContraction(contraction).empty();
}

ContractionPlan ContractionPlan::of(const Task &task, TargetAttr target) {
  ContractionPlan plan;
  plan.op = cast<linalg::LinalgOp>(task.op);
  plan.loops = *matchContraction(plan.op);
  const Root &root = task.roots.front();
  bool isReshaped = reshapedFrom(root.value) == task.op;
  plan.a = viewOf(plan.op.getDpsInputOperand(0)->get());
  plan.b = viewOf(plan.op.getDpsInputOperand(1)->get());
  plan.c = viewOfProducer(root.value, root.dest, task.op);
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(plan.op->getResult(0)));
  if (isFloat && isTinyContraction(plan.op, plan.loops) && isReshaped) {
    plan.kind = Tiny;
    return plan;
  }
  if (!plan.a || !plan.b || !plan.c) {
    // Computed operands: loops, which compute them in place.
    plan.kind = isReshaped ? Reduction : Elements;
    return plan;
  }
  plan.startsFromZero = isZero(plan.op.getDpsInitOperand(0)->get());
  Type element = getElementTypeOrSelf(plan.c->buffer.getType());
  bool hasOneType = llvm::all_of(ArrayRef{&*plan.a, &*plan.b}, [&](const StridedView *view) {
    return getElementTypeOrSelf(view->buffer.getType()) == element;
  });
  if (target.isDevice() && !plan.isForDeviceLibrary()) {
    plan.kind = isReshaped ? Reduction : Elements;
    return plan;
  }
  // Loops over vectors of neighbouring results.
  if (isFloat && plan.startsFromZero && hasOneType && !target.isDevice())
    plan.grouped = GroupedContraction::plan(
        describe(plan.op, plan.loops, *plan.a, *plan.b, *plan.c, false), element, target);
  if (plan.grouped)
    plan.kind = Grouped;
  return plan;
}

void ContractionPlan::emit(Scalarizer &s, const Task &task) const {
  switch (kind) {
  case Tiny:
    return emitTinyContraction(s, task);
  case Reduction:
    return emitReduction(s, task);
  case Elements:
    return emitElements(s, task);
  case Grouped:
    return emitGroupedContraction(
        s, *grouped, s.arguments.lookup((grouped->isSwapped ? b : a)->buffer),
        s.arguments.lookup((grouped->isSwapped ? a : b)->buffer), s.arguments.lookup(c->buffer));
  case Library:
    break;
  }
  llvm_unreachable("a library computes it");
}

bool ContractionPlan::fillsResult(const Task &task, const IRMapping &buffers) const {
  if (startsFromZero)
    return false;
  const Root &root = task.roots.front();
  linalg::LinalgOp contraction = op;
  auto read = contraction.getDpsInitOperand(0)->get().getDefiningOp<bufferization::ToTensorOp>();
  bool isThere = read && root.value.getDefiningOp() == contraction.getOperation() &&
                 buffers.lookup(read.getBuffer()) == buffers.lookup(root.dest);
  return !isThere;
}

void ContractionPlan::emitInitial(Scalarizer &s, const Task &task) const {
  // In whatever form the result is written.
  linalg::LinalgOp contraction = op;
  Value init = contraction.getDpsInitOperand(0)->get();
  Value line = s.flat(s.arguments.lookup(task.roots.front().dest));
  ArrayRef<int64_t> strides = c->strides;
  bool isContiguous = !strides.empty() && strides.back() == 1;
  s.divide(cast<RankedTensorType>(init.getType()).getShape(), 1, isContiguous,
           [&](ArrayRef<Index> indices) {
             Index at = LoopBuilder::constant(c->offset);
             for (auto [index, stride] : llvm::zip_equal(indices, strides))
               at = s.add(at, index, stride);
             s.store(s.element(init, indices), line, at);
           });
}

std::pair<func::FuncOp, SmallVector<unsigned>>
ContractionPlan::getCall(LibraryCalls &calls, const IRMapping &buffers) const {
  SmallVector<unsigned> numbers;
  SmallVector<Type> types;
  for (const StridedView *view : {&*a, &*b, &*c}) {
    auto argument = cast<BlockArgument>(buffers.lookup(view->buffer));
    numbers.push_back(argument.getArgNumber());
    types.push_back(argument.getType());
  }
  linalg::LinalgOp contraction = op;
  auto type = FunctionType::get(contraction->getContext(), types, {});
  DictionaryAttr description = describe(op, loops, *a, *b, *c, !startsFromZero);
  return {calls.get(description, type, contraction->getLoc()), numbers};
}
