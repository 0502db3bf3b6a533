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

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

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
// By name
//===----------------------------------------------------------------------===//

Expansion dmc::getCustomCallExpansion(stablehlo::CustomCallOp call) {
  StringRef target = call.getCallTargetName();
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
    return diag << ", a function of LAPACK; expected potrf, trsm, getrf, geqrf or orgqr, as JAX "
                   "calls them (lapack_spotrf_ffi)";
  return diag << "; expected operations whose meaning is in the program";
}
