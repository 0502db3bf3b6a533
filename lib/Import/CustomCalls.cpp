//===- CustomCalls.cpp - Calls of functions by name -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. A framework writes operations of other dialects as calls
// `mhlo.NAME`, of which those that chlo has are known.
//
//===----------------------------------------------------------------------===//
#include "CustomCalls.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace dmc;

Attribute dmc::getCallAttribute(stablehlo::CustomCallOp call, StringRef name) {
  for (StringRef dictionary : {"mhlo.attributes", "mhlo.backend_config", "backend_config"})
    if (auto attrs = call->getAttrOfType<DictionaryAttr>(dictionary))
      if (Attribute attr = attrs.get(name))
        return attr;
  return {};
}

/// Refuses operands and results that the function of this name does not have.
static LogicalResult checkSignature(Operation *op, bool isRight, StringRef expected) {
  if (isRight)
    return success();
  auto call = cast<stablehlo::CustomCallOp>(op);
  return unsupported(op) << "of the target '" << call.getCallTargetName() << "' on ("
                         << op->getOperandTypes() << ") -> (" << op->getResultTypes()
                         << "); expected " << expected;
}

//===----------------------------------------------------------------------===//
// mhlo
//===----------------------------------------------------------------------===//

static bool isElementwiseOfChlo(StringRef target) {
  if (!target.consume_front("mhlo."))
    return false;
  return llvm::StringSwitch<bool>(target)
      .Cases({"acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "cosh", "digamma",
              "erf", "erf_inv", "erfc", "lgamma", "sinh", "tan"},
             true)
      .Default(false);
}

static FailureOr<Values> expandFunction(Expander &e, Operation *op) {
  bool isRight =
      op->getNumOperands() == 1 && op->getNumResults() == 1 &&
      op->getOperand(0).getType() == op->getResult(0).getType() &&
      stablehlo::isTensorOf(op->getOperand(0).getType(), stablehlo::kFloat | stablehlo::kComplex);
  if (failed(checkSignature(op, isRight, "floats, and a result of the operand's type")))
    return failure();
  StringRef name = cast<stablehlo::CustomCallOp>(op).getCallTargetName();
  name.consume_front("mhlo.");
  OperationState state(op->getLoc(), ("chlo." + name).str());
  state.addOperands(op->getOperand(0));
  state.addTypes(op->getResult(0).getType());
  return Values{e.b.create(state)->getResult(0)};
}

/// The k largest elements, or the smallest: these are the largest in the reverse order.
static FailureOr<Values> expandTopK(Expander &e, Operation *op) {
  auto call = cast<stablehlo::CustomCallOp>(op);
  auto k = dyn_cast_or_null<IntegerAttr>(getCallAttribute(call, "k"));
  auto largest = dyn_cast_or_null<BoolAttr>(getCallAttribute(call, "largest"));
  constexpr unsigned numbers = stablehlo::kSigned | stablehlo::kUnsigned | stablehlo::kFloat;
  bool isRight = k && op->getNumOperands() == 1 && op->getNumResults() == 2 &&
                 stablehlo::isTensorOf(op->getOperand(0).getType(), numbers) &&
                 stablehlo::isTensorOf(op->getResult(0).getType(), numbers) &&
                 stablehlo::isTensorOf(op->getResult(1).getType(), numbers);
  if (failed(checkSignature(op, isRight,
                            "an integer 'k', numbers, and their values and indices as results")))
    return failure();
  Value operand = op->getOperand(0);
  bool isReversed = largest && !largest.getValue();
  auto reverse = [&](Value value) -> Value {
    StringRef name =
        isa<FloatType>(typeOf(value).getElementType()) ? "stablehlo.negate" : "stablehlo.not";
    OperationState state(op->getLoc(), name);
    state.addOperands(value);
    state.addTypes(value.getType());
    return e.b.create(state)->getResult(0);
  };
  if (isReversed)
    operand = reverse(operand);
  auto top = chlo::TopKOp::create(e.b, op->getLoc(), op->getResultTypes(), operand,
                                  e.b.getI64IntegerAttr(k.getInt()));
  Value values = top.getValues();
  return Values{isReversed ? reverse(values) : values, top.getIndices()};
}

//===----------------------------------------------------------------------===//
// Approximate top-k
//===----------------------------------------------------------------------===//

FlatSymbolRefAttr dmc::getTopKComparator(stablehlo::CustomCallOp call) {
  ArrayAttr called = call.getCalledComputationsAttr();
  if (call.getCallTargetName() != "ApproxTopK" || !called || called.size() != 1)
    return {};
  return dyn_cast<FlatSymbolRefAttr>(called[0]);
}

void dmc::expandApproxTopK(stablehlo::CustomCallOp call, func::FuncOp comparator) {
  auto k = dyn_cast_or_null<IntegerAttr>(getCallAttribute(call, "top_k"));
  auto dim = dyn_cast_or_null<IntegerAttr>(getCallAttribute(call, "reduction_dim"));
  // Values and indices, and what either is where there is none, which an exact result does not
  // need.
  if (!k || !dim || call->getNumOperands() != 4 || call->getNumResults() != 2 ||
      !comparator.getBody().hasOneBlock())
    return;
  SmallVector<Value> inputs = {call->getOperand(0), call->getOperand(1)};
  SmallVector<Type> arguments;
  for (auto [input, result] : llvm::zip_equal(inputs, call->getResults())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type || dim.getInt() < 0 || dim.getInt() >= type.getRank() ||
        k.getInt() > type.getDimSize(dim.getInt()))
      return;
    SmallVector<int64_t> shape(type.getShape());
    shape[dim.getInt()] = k.getInt();
    if (result.getType() != type.clone(shape))
      return;
    arguments.append(2, RankedTensorType::get({}, type.getElementType()));
  }
  if (comparator.getArgumentTypes() != ArrayRef<Type>(arguments))
    return;
  OpBuilder b(call);
  Location loc = call.getLoc();
  auto sort = stablehlo::SortOp::create(b, loc, ValueRange(inputs).getTypes(), inputs,
                                        b.getI64IntegerAttr(dim.getInt()), b.getBoolAttr(true));
  IRMapping mapping;
  comparator.getBody().cloneInto(&sort.getComparator(), mapping);
  Operation *end = sort.getComparator().front().getTerminator();
  b.setInsertionPoint(end);
  stablehlo::ReturnOp::create(b, end->getLoc(), end->getOperands());
  end->erase();
  b.setInsertionPoint(call);
  for (auto [sorted, result] : llvm::zip_equal(sort->getResults(), call->getResults())) {
    ArrayRef<int64_t> limits = cast<RankedTensorType>(result.getType()).getShape();
    SmallVector<int64_t> starts(limits.size(), 0), strides(limits.size(), 1);
    result.replaceAllUsesWith(
        stablehlo::SliceOp::create(b, loc, result.getType(), sorted, starts, limits, strides));
  }
  call.erase();
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

Expansion dmc::getCustomCallExpansion(stablehlo::CustomCallOp call) {
  StringRef target = call.getCallTargetName();
  if (call->hasAttr(kRuleAttrName))
    return nullptr; // a kernel, by whichever name
  if (target == "mhlo.topk")
    return expandTopK;
  if (isElementwiseOfChlo(target))
    return expandFunction;
  return getLapackExpansion(target);
}

LogicalResult dmc::refuseCustomCall(stablehlo::CustomCallOp call) {
  StringRef target = call.getCallTargetName();
  InFlightDiagnostic diag = unsupported(call) << "of the target '" << target << "'";
  if (target == "Sharding" || target.starts_with("SPMD") || target.starts_with("xla.sdy."))
    return diag << ", a sharding for another partitioner; expected operations of the dialect sdy "
                   "(in JAX: jax_use_shardy_partitioner)";
  if (target.contains("callback"))
    return diag << ", a function of the Python process (in JAX: debug.print, pure_callback, "
                   "io_callback); expected operations whose meaning is in the program";
  StringRef lapack = target;
  if (lapack.consume_front("lapack_"))
    return diag << ", a function of LAPACK; expected potrf, trsm, getrf, geqrf, orgqr, ormqr, "
                   "syevd, gesdd, gesvd or gtsv, as JAX calls them (lapack_spotrf_ffi)";
  return diag << "; expected operations whose meaning is in the program, or a kernel of this name "
                 "(--custom-call="
              << target << ")";
}
