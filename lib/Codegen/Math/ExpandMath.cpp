//===- ExpandMath.cpp - Mathematical functions that vectorize -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of f32 as arithmetic within two units in the last place (docs/numerics.md); library
// functions would keep their loops scalar. The functions themselves are in the folder Math.
//
//===----------------------------------------------------------------------===//

#include "Math/ExpandMath.h"

#include "Math/EmittedMath.h"
#include "Math/ErrorFunction.h"
#include "Math/Exponential.h"
#include "Math/Logarithm.h"
#include "Math/Power.h"
#include "Math/Trigonometric.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

using F32 = EmittedFloat<32>;
using F64 = EmittedFloat<64>;

EmittedFloat<64> codegen::lookUpIn(ArrayRef<double> table, EmittedInteger<32> index) {
  ImplicitLocOpBuilder &b = *index.b;
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto type = MemRefType::get(table.size(), b.getF64Type());
  auto values = DenseElementsAttr::get(RankedTensorType::get(table.size(), b.getF64Type()), table);
  memref::GlobalOp global;
  std::string name;
  for (unsigned number = 0; !global; ++number) {
    name = "dmc_math_table_" + std::to_string(number);
    Operation *known = module.lookupSymbol(name);
    if (!known) {
      OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
      global = memref::GlobalOp::create(top, module.getLoc(), name, top.getStringAttr("private"),
                                        type, values, /*constant=*/true,
                                        /*alignment=*/top.getI64IntegerAttr(64));
    } else if (auto other = dyn_cast<memref::GlobalOp>(known);
               other && other.getInitialValue() == values) {
      global = other;
    }
  }
  Value memory = memref::GetGlobalOp::create(b, type, name);
  Value at = arith::IndexCastUIOp::create(b, b.getIndexType(), index.v);
  return {{&b, memref::LoadOp::create(b, memory, at)}};
}

namespace {
using Expansion = Value (*)(Operation *, ImplicitLocOpBuilder &);
} // namespace

template <auto function>
static Value expandUnary(Operation *op, ImplicitLocOpBuilder &b) {
  return function({{&b, op->getOperand(0)}}).v;
}

template <F32 (*function)(F32, F32)>
static Value expandBinary(Operation *op, ImplicitLocOpBuilder &b) {
  return function({{&b, op->getOperand(0)}}, {{&b, op->getOperand(1)}}).v;
}

static Value expandIntegerPower(Operation *op, ImplicitLocOpBuilder &b) {
  Value exponent = op->getOperand(1);
  if (!exponent.getType().isInteger(32))
    return {};
  // Integers beyond 2^24 round to even ones; odd ones among them tell apart only the signs of
  // results that are 0, 1 or infinite.
  Value y = arith::SIToFPOp::create(b, b.getF32Type(), exponent);
  return elementary::pow<F32>({{&b, op->getOperand(0)}}, {{&b, y}}).v;
}

static Expansion findExpansion(Operation *op) {
  using namespace elementary;
  return llvm::TypeSwitch<Operation *, Expansion>(op)
      .Case([](math::AcosOp) { return expandUnary<acos<F32>>; })
      .Case([](math::AcoshOp) { return expandUnary<acosh<F32>>; })
      .Case([](math::AsinOp) { return expandUnary<asin<F32>>; })
      .Case([](math::AsinhOp) { return expandUnary<asinh<F32>>; })
      .Case([](math::AtanOp) { return expandUnary<atan<F32>>; })
      .Case([](math::Atan2Op) { return expandBinary<atan2<F32>>; })
      .Case([](math::AtanhOp) { return expandUnary<atanh<F32>>; })
      .Case([](math::CbrtOp) { return expandUnary<cbrt<F32>>; })
      .Case([](math::CosOp) { return expandUnary<cos<F32>>; })
      .Case([](math::CoshOp) { return expandUnary<cosh<F32>>; })
      .Case([](math::ErfOp) { return expandUnary<erf<F32>>; })
      .Case([](math::ErfcOp) { return expandUnary<erfc<F32>>; })
      .Case([](math::ExpOp) { return expandUnary<exp<F32>>; })
      .Case([](math::Exp2Op) { return expandUnary<exp2<F32>>; })
      .Case([](math::ExpM1Op) { return expandUnary<expm1<F32>>; })
      .Case([](math::FPowIOp) { return expandIntegerPower; })
      .Case([](math::LogOp) { return expandUnary<log<F32>>; })
      .Case([](math::Log10Op) { return expandUnary<log10<F32>>; })
      .Case([](math::Log1pOp) { return expandUnary<log1p<F32>>; })
      .Case([](math::Log2Op) { return expandUnary<log2<F32>>; })
      .Case([](math::PowFOp) { return expandBinary<pow<F32>>; })
      .Case([](math::SinOp) { return expandUnary<sin<F32>>; })
      .Case([](math::SinhOp) { return expandUnary<sinh<F32>>; })
      .Case([](math::TanOp) { return expandUnary<tan<F32>>; })
      .Case([](math::TanhOp) { return expandUnary<tanh<F32>>; })
      .Default([](Operation *) { return Expansion(); });
}

/// Functions of f64, for devices, which have no library.
static Expansion findWideExpansion(Operation *op) {
  using namespace elementary;
  return llvm::TypeSwitch<Operation *, Expansion>(op)
      .Case([](math::ExpOp) { return expandUnary<exp<F64>>; })
      .Case([](math::Exp2Op) { return expandUnary<exp2<F64>>; })
      .Case([](math::ExpM1Op) { return expandUnary<expm1<F64>>; })
      .Case([](math::LogOp) { return expandUnary<log<F64>>; })
      .Case([](math::Log10Op) { return expandUnary<log10<F64>>; })
      .Case([](math::Log1pOp) { return expandUnary<log1p<F64>>; })
      .Case([](math::Log2Op) { return expandUnary<log2<F64>>; })
      .Case([](math::TanhOp) { return expandUnary<tanh<F64>>; })
      .Default([](Operation *) { return Expansion(); });
}

//===--- The logistic function --------------------------------------------===//

static bool isConstant(Value value, double number) {
  FloatAttr attr;
  return matchPattern(value, m_Constant(&attr)) && attr.getValueAsDouble() == number;
}

/// What `value` adds to or multiplies by a constant, if it does.
template <class Op>
static Value otherOperand(Value value, double number) {
  auto op = value.getDefiningOp<Op>();
  if (!op)
    return {};
  if (isConstant(op.getLhs(), number))
    return op.getRhs();
  return isConstant(op.getRhs(), number) ? op.getLhs() : Value();
}

/// 1 / (1 + exp(-2 x)). A constant that x is a multiple of takes the factor, which is then free.
static Value expandSigmoidOfTwice(Value x, ImplicitLocOpBuilder &b) {
  auto product = x.getDefiningOp<arith::MulFOp>();
  for (unsigned i = 0; product && i < 2; ++i) {
    FloatAttr attr;
    if (!matchPattern(product->getOperand(i), m_Constant(&attr)))
      continue;
    double twice = 2 * attr.getValueAsDouble();
    if (std::abs(twice) > std::numeric_limits<float>::max())
      break;
    F32 other{{&b, product->getOperand(1 - i)}};
    return elementary::sigmoid(other * twice).v;
  }
  return elementary::sigmoid<F32>({{&b, x}}, 2).v;
}

/// 1 / (1 + exp(-x)), in which three roundings add up, and 0.5 (1 + tanh(x)) = 1 / (1 + exp(-2 x)),
/// which is also accurate where the sum cancels.
static Value expandLogistic(Operation *op, ImplicitLocOpBuilder &b) {
  if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
    if (!isConstant(quotient.getLhs(), 1))
      return {};
    Value exponential = otherOperand<arith::AddFOp>(quotient.getRhs(), 1);
    auto exp = exponential ? exponential.getDefiningOp<math::ExpOp>() : math::ExpOp();
    auto negated = exp ? exp.getOperand().getDefiningOp<arith::NegFOp>() : arith::NegFOp();
    if (negated)
      return elementary::sigmoid<F32>({{&b, negated.getOperand()}}).v;
  } else if (auto product = dyn_cast<arith::MulFOp>(op)) {
    Value sum = otherOperand<arith::MulFOp>(product.getResult(), 0.5);
    Value tangent = sum && sum.hasOneUse() ? otherOperand<arith::AddFOp>(sum, 1) : Value();
    // With other uses the tangent has to be computed anyway.
    auto tanh =
        tangent && tangent.hasOneUse() ? tangent.getDefiningOp<math::TanhOp>() : math::TanhOp();
    if (tanh)
      return expandSigmoidOfTwice(tanh.getOperand(), b);
  }
  return {};
}

//===--- The pass over a module -------------------------------------------===//

/// Asks for several vectors in an iteration of an innermost loop around arithmetic that was a
/// function: a polynomial is one chain of dependent operations, long enough that the processor does
/// not reach the next iteration's while it waits. A multiply-add takes four or five cycles, so four
/// chains keep a unit busy; a chain holds up to four values (the argument, its integer part, the
/// power and the sum), so that they fit into 16 registers, the fewest of a processor. A vector of
/// f64 takes two registers, so two of these. LLVM's own estimate interleaves short loops alone.
static void interleave(scf::ForOp loop) {
  if (loop->hasAttr(loopAnnotation) || !loop.getBody()->getOps<scf::ForOp>().empty())
    return;
  bool isWide = llvm::any_of(loop.getBody()->getOperations(), [](Operation &op) {
    return llvm::any_of(op.getResultTypes(), [](Type type) { return type.isF64(); });
  });
  MLIRContext *context = loop->getContext();
  auto vectors = IntegerAttr::get(IntegerType::get(context, 32), isWide ? 2 : 4);
  auto count = LLVM::LoopInterleaveAttr::get(context, vectors);
  loop->setAttr(loopAnnotation, LLVM::LoopAnnotationAttr::get(context, {}, {}, count, {}, {}, {},
                                                              {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

template <class Expand>
static void expandEach(ModuleOp module, llvm::SetVector<Operation *> &loops, Type type,
                       Expand expand) {
  SmallVector<Operation *> work;
  module.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && op->getResult(0).getType() == type)
      work.push_back(op);
  });
  // From the last on, so that what only a replaced operation used is erased before it is looked at:
  // its place is then taken by nothing.
  for (Operation *op : llvm::reverse(work)) {
    if (isOpTriviallyDead(op)) {
      op->erase();
      continue;
    }
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value result = expand(op, b);
    if (!result)
      continue;
    if (auto loop = op->getParentOfType<scf::ForOp>())
      loops.insert(loop);
    op->replaceAllUsesWith(ValueRange(result));
    op->erase();
  }
}

static void expandFunctions(ModuleOp module, llvm::SetVector<Operation *> &loops, Type type,
                            Expansion (*find)(Operation *)) {
  expandEach(module, loops, type, [&](Operation *op, ImplicitLocOpBuilder &b) -> Value {
    Expansion expansion = find(op);
    return expansion ? expansion(op, b) : Value();
  });
}

void codegen::expandMath(ModuleOp module) {
  llvm::SetVector<Operation *> loops;
  Type type = Float32Type::get(module.getContext());
  expandEach(module, loops, type, expandLogistic);
  expandFunctions(module, loops, type, findExpansion);
  for (Operation *loop : loops)
    interleave(cast<scf::ForOp>(loop));
}

void codegen::expandWideMath(ModuleOp module) {
  llvm::SetVector<Operation *> loops;
  expandFunctions(module, loops, Float64Type::get(module.getContext()), findWideExpansion);
}
