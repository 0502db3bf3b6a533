//===- LinalgPartial.cpp - Bodies on partial operands ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Abstract interpretation of a linalg body: is it a joint homomorphism of the
// combiner in exactly the operands that are partial?
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace dmc;
using dmc::rules::isIdempotent;
using dmc::rules::isNeutral;

static bool isZero(TypedAttr value) {
  if (auto number = dyn_cast_or_null<FloatAttr>(value))
    return number.getValue().isZero();
  auto number = dyn_cast_or_null<IntegerAttr>(value);
  return number && number.getValue().isZero();
}

static bool isOne(TypedAttr value) {
  if (auto number = dyn_cast_or_null<FloatAttr>(value))
    return number.getValue().isExactlyValue(1.0);
  auto number = dyn_cast_or_null<IntegerAttr>(value);
  return number && number.getValue().isOne();
}

bool dmc::rules::isNeutral(TypedAttr constant, CombinerKind combiner) {
  switch (combiner) {
  case CombinerKind::sum:
    return isZero(constant);
  case CombinerKind::prod:
    return isOne(constant);
  default:
    return constant && constant == getNeutralElement(combiner, constant.getType());
  }
}

bool dmc::rules::isIdempotent(TypedAttr constant, CombinerKind combiner) {
  switch (combiner) {
  case CombinerKind::sum:
    return isZero(constant);
  case CombinerKind::prod:
    return isZero(constant) || isOne(constant);
  default:
    return constant != nullptr;
  }
}

namespace {
/// What is known of a scalar on the axis in question.
struct State {
  enum Kind { Constant, Replicated, Partial, No } kind = No;
  TypedAttr constant;
  CombinerKind combiner = CombinerKind::sum;

  static State replicated() { return {Replicated, {}, {}}; }
  static State no() { return {No, {}, {}}; }
  static State partial(CombinerKind combiner) { return {Partial, {}, combiner}; }
  bool isPartial() const { return kind == Partial; }
  bool isReplicated() const { return kind == Constant || kind == Replicated; }
  /// A finite non-zero float constant: its sign (1 or -1), else 0.
  int getFloatSign() const {
    auto number = dyn_cast_or_null<FloatAttr>(constant);
    if (!number || !number.getValue().isFiniteNonZero())
      return 0;
    return number.getValue().isNegative() ? -1 : 1;
  }
  bool isPositiveInteger() const {
    auto number = dyn_cast_or_null<IntegerAttr>(constant);
    return number && number.getValue().isStrictlyPositive();
  }
  bool isAllOnes() const {
    auto number = dyn_cast_or_null<IntegerAttr>(constant);
    return number && number.getValue().isAllOnes();
  }
  bool isFiniteFloat() const {
    auto number = dyn_cast_or_null<FloatAttr>(constant);
    return number && number.getValue().isFinite();
  }
};
} // namespace

static bool isOrder(CombinerKind c) { return c == CombinerKind::max || c == CombinerKind::min; }

/// A non-decreasing function keeps max and min, a non-increasing one swaps them.
static State swapped(CombinerKind c) {
  return State::partial(c == CombinerKind::max ? CombinerKind::min : CombinerKind::max);
}

static State keptIf(bool condition, CombinerKind c) {
  return condition ? State::partial(c) : State::no();
}

//===----------------------------------------------------------------------===//
// One partial operand
//===----------------------------------------------------------------------===//

static State evaluateUnary(Operation *op, CombinerKind c) {
  Type from = op->getOperand(0).getType();
  bool fromBool = from.isInteger(1);
  return llvm::TypeSwitch<Operation *, State>(op)
      .Case<arith::NegFOp>(
          [&](auto) { return isOrder(c) ? swapped(c) : keptIf(c == CombinerKind::sum, c); })
      .Case<math::ExpOp, math::ExpM1Op, math::TanhOp, math::SinhOp, math::AsinhOp, math::AtanOp,
            math::ErfOp, math::CbrtOp, math::FloorOp, math::CeilOp, math::RoundOp,
            math::RoundEvenOp, math::TruncOp>([&](auto) { return keptIf(isOrder(c), c); })
      .Case<math::ErfcOp>([&](auto) { return isOrder(c) ? swapped(c) : State::no(); })
      .Case<math::AbsFOp>([&](auto) { return keptIf(c == CombinerKind::prod, c); })
      // Narrowing moves across a max or min, but across a sum only by permission.
      .Case<arith::ExtFOp>([&](auto) { return keptIf(c != CombinerKind::prod, c); })
      .Case<arith::TruncFOp>([&](auto) {
        bool isPermitted = op->getParentOp()->hasAttr("dmc.narrow_partials");
        return keptIf(isOrder(c) || (c == CombinerKind::sum && isPermitted), c);
      })
      .Case<arith::TruncIOp>([&](auto) {
        bool isRing = c == CombinerKind::sum || c == CombinerKind::prod;
        return keptIf(isRing && !op->getResult(0).getType().isInteger(1), c);
      })
      .Case<arith::ExtSIOp, arith::SIToFPOp>(
          [&](auto) { return keptIf(isOrder(c) && !fromBool, c); })
      // Layouts order integers as signed, and false before true.
      .Case<arith::ExtUIOp, arith::UIToFPOp>(
          [&](auto) { return keptIf(isOrder(c) && fromBool, c); })
      .Default([](auto) { return State::no(); });
}

/// One of two operands is partial; `isLeft` says which, `other` is the other.
static State evaluateWithReplicated(Operation *op, CombinerKind c, bool isLeft,
                                    const State &other) {
  bool isBool = op->getResult(0).getType().isInteger(1);
  auto isShift = [&] { return isLeft; };
  return llvm::TypeSwitch<Operation *, State>(op)
      .Case<arith::AddFOp>([&](auto) {
        if (c == CombinerKind::sum)
          return keptIf(isZero(other.constant), c);
        return keptIf(isOrder(c) && other.isFiniteFloat(), c);
      })
      .Case<arith::SubFOp>([&](auto) {
        if (c == CombinerKind::sum)
          return keptIf(isZero(other.constant), c);
        if (!isOrder(c) || !other.isFiniteFloat())
          return State::no();
        return isLeft ? State::partial(c) : swapped(c);
      })
      .Case<arith::AddIOp, arith::SubIOp>([&](auto) {
        return keptIf(c == CombinerKind::sum && !isBool && isZero(other.constant), c);
      })
      .Case<arith::MulFOp>([&](auto) {
        if (c == CombinerKind::sum)
          return State::partial(c);
        if (c == CombinerKind::prod)
          return keptIf(isOne(other.constant), c);
        int sign = other.getFloatSign();
        return sign > 0 ? State::partial(c) : sign < 0 ? swapped(c) : State::no();
      })
      .Case<arith::MulIOp>([&](auto) {
        return keptIf((c == CombinerKind::sum && !isBool) ||
                          (c == CombinerKind::prod && isOne(other.constant)),
                      c);
      })
      .Case<arith::DivFOp>([&](auto) {
        if (c == CombinerKind::sum)
          return keptIf(isLeft, c);
        if (c == CombinerKind::prod)
          return keptIf(isOne(other.constant), c);
        int sign = isLeft ? other.getFloatSign() : 0;
        return sign > 0 ? State::partial(c) : sign < 0 ? swapped(c) : State::no();
      })
      .Case<arith::MaximumFOp, arith::MinimumFOp>([&](auto) { return keptIf(isOrder(c), c); })
      .Case<arith::MaxSIOp, arith::MinSIOp>([&](auto) { return keptIf(isOrder(c) && !isBool, c); })
      .Case<arith::MaxUIOp, arith::MinUIOp, arith::OrIOp, arith::AndIOp>(
          [&](auto) { return keptIf(isOrder(c) && isBool, c); })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>([&](auto) {
        return keptIf(isOrder(c) && isLeft && !isBool && other.isPositiveInteger(), c);
      })
      .Case<arith::XOrIOp>(
          [&](auto) { return isOrder(c) && other.isAllOnes() ? swapped(c) : State::no(); })
      .Case<arith::ShLIOp>([&](auto) { return keptIf(c == CombinerKind::sum && isShift(), c); })
      .Case<arith::ShRSIOp>([&](auto) { return keptIf(isOrder(c) && isShift(), c); })
      .Case<arith::CmpIOp>([&](arith::CmpIOp compare) {
        if (!isOrder(c) || compare.getLhs().getType().isInteger(1))
          return State::no();
        switch (compare.getPredicate()) {
        case arith::CmpIPredicate::sgt:
        case arith::CmpIPredicate::sge:
          return isLeft ? State::partial(c) : swapped(c);
        case arith::CmpIPredicate::slt:
        case arith::CmpIPredicate::sle:
          return isLeft ? swapped(c) : State::partial(c);
        default:
          return State::no();
        }
      })
      .Default([](auto) { return State::no(); });
}

//===----------------------------------------------------------------------===//
// Two partial operands
//===----------------------------------------------------------------------===//

static State evaluateJoint(Operation *op, CombinerKind a, CombinerKind b) {
  if (a != b)
    return State::no();
  bool isBool = op->getResult(0).getType().isInteger(1);
  using Kind = CombinerKind;
  return llvm::TypeSwitch<Operation *, State>(op)
      .Case<arith::AddFOp, arith::SubFOp>([&](auto) { return keptIf(a == Kind::sum, a); })
      .Case<arith::AddIOp, arith::SubIOp>(
          [&](auto) { return keptIf(a == Kind::sum && !isBool, a); })
      .Case<arith::MulFOp, arith::DivFOp>([&](auto) { return keptIf(a == Kind::prod, a); })
      .Case<arith::MulIOp>([&](auto) { return keptIf(a == Kind::prod && !isBool, a); })
      .Case<arith::MaximumFOp>([&](auto) { return keptIf(a == Kind::max, a); })
      .Case<arith::MinimumFOp>([&](auto) { return keptIf(a == Kind::min, a); })
      .Case<arith::MaxSIOp>([&](auto) { return keptIf(a == Kind::max && !isBool, a); })
      .Case<arith::MinSIOp>([&](auto) { return keptIf(a == Kind::min && !isBool, a); })
      .Case<arith::MaxUIOp, arith::OrIOp>([&](auto) { return keptIf(a == Kind::max && isBool, a); })
      .Case<arith::MinUIOp, arith::AndIOp>(
          [&](auto) { return keptIf(a == Kind::min && isBool, a); })
      .Default([](auto) { return State::no(); });
}

static State evaluateSelect(ArrayRef<State> operands) {
  const State &condition = operands[0], &a = operands[1], &b = operands[2];
  if (!condition.isReplicated())
    return State::no();
  if (a.isPartial() && b.isPartial())
    return keptIf(a.combiner == b.combiner, a.combiner);
  const State &partial = a.isPartial() ? a : b, &other = a.isPartial() ? b : a;
  return keptIf(isIdempotent(other.constant, partial.combiner), partial.combiner);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Folds a copy of the operation that stands alone, on values that nothing produces: folders may
/// change the operation in place and look at what produces its operands, and a query does
/// neither.
static State evaluateConstant(Operation *op, ArrayRef<State> operands) {
  SmallVector<Attribute> constants;
  Block alone;
  IRMapping mapping;
  for (auto [value, operand] : llvm::zip_equal(op->getOperands(), operands)) {
    constants.push_back(operand.constant);
    if (!mapping.contains(value))
      mapping.map(value, alone.addArgument(value.getType(), op->getLoc()));
  }
  Operation *copy = op->clone(mapping);
  alone.push_back(copy);
  SmallVector<OpFoldResult> folded;
  if (succeeded(copy->fold(constants, folded)) && folded.size() == 1)
    if (auto attribute = dyn_cast_if_present<Attribute>(folded.front()))
      if (auto typed = dyn_cast<TypedAttr>(attribute))
        return {State::Constant, typed, {}};
  return State::replicated();
}

static State evaluate(Operation *op, ArrayRef<State> operands) {
  unsigned numPartial = llvm::count_if(operands, [](const State &s) { return s.isPartial(); });
  if (llvm::any_of(operands, [](const State &s) { return s.kind == State::No; }))
    return State::no();
  if (numPartial == 0) {
    bool isConstant = op->getNumRegions() == 0 && !operands.empty() &&
                      llvm::all_of(operands, [](const State &s) { return s.constant; });
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return {State::Constant, constant.getValue(), {}};
    return isConstant ? evaluateConstant(op, operands) : State::replicated();
  }
  if (op->getNumRegions() != 0 || op->getNumResults() != 1)
    return State::no();
  if (isa<arith::SelectOp>(op))
    return evaluateSelect(operands);
  if (operands.size() == 1)
    return evaluateUnary(op, operands[0].combiner);
  if (operands.size() != 2)
    return State::no();
  if (numPartial == 2)
    return evaluateJoint(op, operands[0].combiner, operands[1].combiner);
  bool isLeft = operands[0].isPartial();
  return evaluateWithReplicated(op, operands[isLeft ? 0 : 1].combiner, isLeft,
                                operands[isLeft ? 1 : 0]);
}

std::optional<PartialResults> rules::getLinalgPartialResults(linalg::LinalgOp op,
                                                             const llvm::BitVector &partial,
                                                             CombinerKind combiner) {
  // A fill is a value of any layout.
  if (isa<linalg::FillOp>(op))
    return PartialResults{combiner};
  Block *body = op.getBlock();
  llvm::SmallDenseMap<Value, State, 16> states;
  unsigned number = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    State state = State::replicated();
    bool isTensor = isa<RankedTensorType>(operand.get().getType());
    if (isTensor && partial[number])
      state = State::partial(combiner);
    else if (TypedAttr constant = getSplatConstant(operand.get()))
      if (constant.getType() == argument.getType())
        state = {State::Constant, constant, {}};
    number += isTensor;
    states[argument] = state;
  }

  SmallVector<State> operands;
  for (Operation &nested : body->without_terminator()) {
    operands.clear();
    for (Value operand : nested.getOperands()) {
      auto it = states.find(operand);
      operands.push_back(it == states.end() ? State::replicated() : it->second);
    }
    State state = evaluate(&nested, operands);
    for (Value result : nested.getResults())
      states[result] = state;
  }

  PartialResults results;
  for (auto [value, accumulator] :
       llvm::zip_equal(body->getTerminator()->getOperands(), op.getRegionOutputArgs())) {
    auto it = states.find(value);
    State state = it == states.end() ? State::replicated() : it->second;
    if (state.kind == State::No)
      return std::nullopt;
    // The loop hands a result on as the next accumulator.
    State initial = states.lookup(accumulator);
    if (op.getNumReductionLoops() != 0 && !accumulator.use_empty() &&
        (state.isPartial() != initial.isPartial() ||
         (state.isPartial() && state.combiner != initial.combiner)))
      return std::nullopt;
    results.push_back(state.isPartial() ? std::optional(state.combiner) : std::nullopt);
  }
  return results;
}
