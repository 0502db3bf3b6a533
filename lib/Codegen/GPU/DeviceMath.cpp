//===- DeviceMath.cpp - Arithmetic that devices have no instruction for ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/DeviceMath.h"

#include "Math/ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

/// The remainder of a division whose quotient is rounded towards zero, as C's fmod: exact. LLVM's
/// form for devices, x - trunc(x / y) * y, is not. It is a long division of the mantissas, a step
/// for each power of two that lies between the operands.
class Remainder {
public:
  Remainder(arith::RemFOp op)
      : b(op.getLoc(), op), x(op.getLhs()), y(op.getRhs()), type(cast<FloatType>(x.getType())),
        bits(b.getIntegerType(type.getWidth())), fraction(type.getFPMantissaWidth() - 1) {}

  Value emit() {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    Value ax = magnitude(x), ay = magnitude(y), zero = number(0);
    Value infinity = number(APFloat::getInf(semantics).bitcastToAPInt().getZExtValue());
    using P = arith::CmpIPredicate;
    Value isNaN = either(either(compare(P::eq, ay, zero), compare(P::uge, ax, infinity)),
                         compare(P::ugt, ay, infinity));
    Value isBelow = compare(P::ult, ax, ay);

    auto [ex, mx] = split(ax);
    auto [ey, my] = split(ay);
    Value steps = select(either(isNaN, isBelow), zero, emit<arith::SubIOp>(ex, ey));
    auto loop = scf::ForOp::create(b, zero, steps, number(1), ValueRange(mx));
    {
      OpBuilder::InsertionGuard guard(b);
      Block *body = loop.getBody();
      if (body->mightHaveTerminator())
        b.setInsertionPoint(body->getTerminator());
      else
        b.setInsertionPointToEnd(body);
      Value next =
          emit<arith::ShLIOp>(subtractOnce(loop.getRegionIterArgs().front(), my), number(1));
      if (body->mightHaveTerminator())
        body->getTerminator()->setOperands(next);
      else
        scf::YieldOp::create(b, next);
    }
    Value rest = subtractOnce(loop.getResult(0), my);

    // The rest, of the power of y, becomes a float again.
    Value shift = shiftOf(rest), power = emit<arith::SubIOp>(ey, shift);
    Value mantissa = emit<arith::ShLIOp>(rest, shift);
    Value normal =
        emit<arith::OrIOp>(emit<arith::AndIOp>(mantissa, number((uint64_t(1) << fraction) - 1)),
                           emit<arith::ShLIOp>(power, number(fraction)));
    Value isNormal = compare(P::sgt, power, zero);
    Value down = select(isNormal, zero, emit<arith::SubIOp>(number(1), power));
    Value result = select(isNormal, normal, emit<arith::ShRUIOp>(mantissa, down));
    result = select(compare(P::eq, rest, zero), zero, result);
    result = select(isBelow, ax, result);
    result =
        select(isNaN, number(APFloat::getQNaN(semantics).bitcastToAPInt().getZExtValue()), result);
    Value value = arith::BitcastOp::create(b, type, result);
    return math::CopySignOp::create(b, value, x);
  }

private:
  template <class Op>
  Value emit(Value p, Value q) {
    return Op::create(b, p, q);
  }
  Value number(uint64_t value) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(bits, APInt(bits.getIntOrFloatBitWidth(), value, /*isSigned=*/false)));
  }
  Value compare(arith::CmpIPredicate predicate, Value p, Value q) {
    return arith::CmpIOp::create(b, predicate, p, q);
  }
  Value either(Value p, Value q) { return emit<arith::OrIOp>(p, q); }
  Value select(Value condition, Value p, Value q) {
    return arith::SelectOp::create(b, condition, p, q);
  }
  Value magnitude(Value value) {
    APInt mask = APInt::getSignedMaxValue(type.getWidth());
    return emit<arith::AndIOp>(arith::BitcastOp::create(b, bits, value),
                               number(mask.getZExtValue()));
  }
  /// By how much a mantissa has to be shifted for its highest bit to be in its place.
  Value shiftOf(Value mantissa) {
    // A zero, of which nothing follows, would be shifted by too much.
    Value least = emit<arith::OrIOp>(mantissa, number(1));
    Value zeros = math::CountLeadingZerosOp::create(b, least);
    return emit<arith::SubIOp>(zeros, number(type.getWidth() - 1 - fraction));
  }
  /// The exponent and the mantissa, as if subnormal numbers had smaller exponents.
  std::pair<Value, Value> split(Value value) {
    Value exponent = emit<arith::ShRUIOp>(value, number(fraction));
    Value mantissa = emit<arith::AndIOp>(value, number((uint64_t(1) << fraction) - 1));
    Value isSubnormal = compare(arith::CmpIPredicate::eq, exponent, number(0));
    Value shift = shiftOf(mantissa);
    return {select(isSubnormal, emit<arith::SubIOp>(number(1), shift), exponent),
            select(isSubnormal, emit<arith::ShLIOp>(mantissa, shift),
                   emit<arith::OrIOp>(mantissa, number(uint64_t(1) << fraction)))};
  }
  Value subtractOnce(Value p, Value q) {
    return select(compare(arith::CmpIPredicate::uge, p, q), emit<arith::SubIOp>(p, q), p);
  }

  ImplicitLocOpBuilder b;
  Value x, y;
  FloatType type;
  IntegerType bits;
  unsigned fraction;
};

} // namespace

/// What LLVM makes instructions of, for all types that nests compute with.
static bool isInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
             math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::RoundOp, math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

/// Shift amounts of 64 bits: LLVM's target takes their low 32 bits, which are others where it finds
/// that a larger one gives zero. Those beyond 63 have no defined result here.
static void clampShifts(ModuleOp module) {
  module.walk([](Operation *op) {
    if (!isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op))
      return;
    Value amount = op->getOperand(1);
    if (!amount.getType().isInteger(64) || matchPattern(amount, m_Constant()))
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value most = arith::ConstantOp::create(b, b.getI64IntegerAttr(63));
    op->setOperand(1, arith::MinUIOp::create(b, amount, most));
  });
}

LogicalResult codegen::expandDeviceMath(ModuleOp module) {
  expandMath(module);
  expandWideMath(module);
  clampShifts(module);
  SmallVector<arith::RemFOp> remainders;
  module.walk([&](arith::RemFOp op) { remainders.push_back(op); });
  for (arith::RemFOp op : remainders) {
    op.replaceAllUsesWith(Remainder(op).emit());
    op.erase();
  }
  bool isSupported = true;
  module.walk([&](Operation *op) {
    if (!isa<math::MathDialect>(op->getDialect()) || isInstruction(op))
      return;
    isSupported = false;
    op->emitError("unsupported on devices: '")
        << op->getName() << "' of " << op->getOperand(0).getType();
  });
  return success(isSupported);
}
