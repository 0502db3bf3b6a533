//===- EmittedMath.h - Elementary functions as operations -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types by which the templates of this folder emit operations of arith, math and memref. A
// fused multiply-add is LLVM's fmuladd: one instruction wherever the processor has it, in vectors
// and in their scalar tails alike, else a product and a sum.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_MATH_EMITTEDMATH_H
#define DMC_LIB_CODEGEN_MATH_EMITTEDMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dmc::codegen {

/// What all emitted values are: a value, and where operations on it go.
struct EmittedValue {
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value v;
};

struct EmittedCondition : EmittedValue {
  EmittedCondition operator&(EmittedCondition other) const {
    return {{b, mlir::arith::AndIOp::create(*b, v, other.v)}};
  }
  EmittedCondition operator|(EmittedCondition other) const {
    return {{b, mlir::arith::OrIOp::create(*b, v, other.v)}};
  }
  EmittedCondition operator!() const {
    mlir::Value yes = mlir::arith::ConstantOp::create(*b, b->getBoolAttr(true));
    return {{b, mlir::arith::XOrIOp::create(*b, v, yes)}};
  }
};

template <unsigned width>
struct EmittedInteger : EmittedValue {
  EmittedInteger of(int64_t x) const {
    return {
        {b, mlir::arith::ConstantOp::create(*b, b->getIntegerAttr(b->getIntegerType(width), x))}};
  }
  template <class Op>
  EmittedInteger emit(EmittedInteger other) const {
    return {{b, Op::create(*b, v, other.v)}};
  }
  EmittedCondition compare(mlir::arith::CmpIPredicate predicate, int64_t y) const {
    return {{b, mlir::arith::CmpIOp::create(*b, predicate, v, of(y).v)}};
  }
  friend EmittedInteger operator+(EmittedInteger x, EmittedInteger y) {
    return x.template emit<mlir::arith::AddIOp>(y);
  }
  friend EmittedInteger operator-(EmittedInteger x, EmittedInteger y) {
    return x.template emit<mlir::arith::SubIOp>(y);
  }
  friend EmittedInteger operator&(EmittedInteger x, EmittedInteger y) {
    return x.template emit<mlir::arith::AndIOp>(y);
  }
  friend EmittedInteger operator^(EmittedInteger x, EmittedInteger y) {
    return x.template emit<mlir::arith::XOrIOp>(y);
  }
  friend EmittedInteger operator+(EmittedInteger x, int64_t y) { return x + x.of(y); }
  friend EmittedInteger operator-(EmittedInteger x, int64_t y) { return x - x.of(y); }
  friend EmittedInteger operator-(int64_t x, EmittedInteger y) { return y.of(x) - y; }
  friend EmittedInteger operator&(EmittedInteger x, int64_t y) { return x & x.of(y); }
  EmittedInteger operator<<(int n) const { return emit<mlir::arith::ShLIOp>(of(n)); }
  EmittedInteger operator>>(int n) const { return emit<mlir::arith::ShRSIOp>(of(n)); }
  EmittedCondition operator<(int64_t y) const {
    return compare(mlir::arith::CmpIPredicate::slt, y);
  }
  EmittedCondition operator==(int64_t y) const {
    return compare(mlir::arith::CmpIPredicate::eq, y);
  }
  EmittedCondition operator!=(int64_t y) const {
    return compare(mlir::arith::CmpIPredicate::ne, y);
  }
};

template <unsigned width>
struct EmittedFloat : EmittedValue {
  using Integer = EmittedInteger<width>;
  using Wide = EmittedFloat<64>;

  static mlir::FloatType type(mlir::Builder &b) {
    return width == 32 ? mlir::FloatType(b.getF32Type()) : b.getF64Type();
  }
  EmittedFloat of(double x) const {
    if (width == 32)
      x = static_cast<float>(x);
    return {{b, mlir::arith::ConstantOp::create(*b, b->getFloatAttr(type(*b), x))}};
  }
  EmittedFloat of(EmittedFloat x) const { return x; }
  template <class Op>
  EmittedFloat emit(EmittedFloat other) const {
    return {{b, Op::create(*b, v, other.v)}};
  }
  EmittedCondition compare(mlir::arith::CmpFPredicate predicate, EmittedFloat y) const {
    return {{b, mlir::arith::CmpFOp::create(*b, predicate, v, y.v)}};
  }
  EmittedFloat operator-() const { return {{b, mlir::arith::NegFOp::create(*b, v)}}; }
  friend EmittedFloat operator+(EmittedFloat x, EmittedFloat y) {
    return x.template emit<mlir::arith::AddFOp>(y);
  }
  friend EmittedFloat operator-(EmittedFloat x, EmittedFloat y) {
    return x.template emit<mlir::arith::SubFOp>(y);
  }
  friend EmittedFloat operator*(EmittedFloat x, EmittedFloat y) {
    return x.template emit<mlir::arith::MulFOp>(y);
  }
  friend EmittedFloat operator/(EmittedFloat x, EmittedFloat y) {
    return x.template emit<mlir::arith::DivFOp>(y);
  }
  friend EmittedFloat operator+(EmittedFloat x, double y) { return x + x.of(y); }
  friend EmittedFloat operator-(EmittedFloat x, double y) { return x - x.of(y); }
  friend EmittedFloat operator*(EmittedFloat x, double y) { return x * x.of(y); }
  EmittedCondition operator<(EmittedFloat y) const {
    return compare(mlir::arith::CmpFPredicate::OLT, y);
  }
  EmittedCondition operator>(EmittedFloat y) const {
    return compare(mlir::arith::CmpFPredicate::OGT, y);
  }
  EmittedCondition operator==(EmittedFloat y) const {
    return compare(mlir::arith::CmpFPredicate::OEQ, y);
  }
  EmittedCondition operator<(double y) const { return *this < of(y); }
  EmittedCondition operator>(double y) const { return *this > of(y); }
  EmittedCondition operator==(double y) const { return *this == of(y); }
};

template <class T>
T emitSelect(EmittedCondition c, T x, T y) {
  return {{c.b, mlir::arith::SelectOp::create(*c.b, c.v, x.v, y.v)}};
}
template <unsigned width>
EmittedInteger<width> select(EmittedCondition c, EmittedInteger<width> x, EmittedInteger<width> y) {
  return emitSelect(c, x, y);
}
template <unsigned width, class X>
EmittedFloat<width> select(EmittedCondition c, X x, EmittedFloat<width> y) {
  return emitSelect(c, y.of(x), y);
}
template <unsigned width, class Y, class Z>
EmittedFloat<width> multiplyAdd(EmittedFloat<width> x, Y y, Z z) {
  return {{x.b, mlir::LLVM::FMulAddOp::create(*x.b, x.v, x.of(y).v, x.of(z).v)}};
}

template <unsigned width>
EmittedInteger<width> shiftRightLogical(EmittedInteger<width> x, int n) {
  return x.template emit<mlir::arith::ShRUIOp>(x.of(n));
}
template <unsigned width>
EmittedInteger<width> bits(EmittedFloat<width> x) {
  return {{x.b, mlir::arith::BitcastOp::create(*x.b, x.b->getIntegerType(width), x.v)}};
}
template <unsigned width>
EmittedFloat<width> asFloat(EmittedInteger<width> x) {
  return {{x.b, mlir::arith::BitcastOp::create(*x.b, EmittedFloat<width>::type(*x.b), x.v)}};
}
inline EmittedFloat<32> toFloat(EmittedInteger<32> x) {
  return {{x.b, mlir::arith::SIToFPOp::create(*x.b, x.b->getF32Type(), x.v)}};
}
inline EmittedFloat<64> toFloat(EmittedInteger<64> x) {
  return {{x.b, mlir::arith::SIToFPOp::create(*x.b, x.b->getF64Type(), x.v)}};
}
inline EmittedInteger<32> toInteger(EmittedFloat<32> x) {
  return {{x.b, mlir::arith::FPToSIOp::create(*x.b, x.b->getI32Type(), x.v)}};
}
inline EmittedFloat<64> widen(EmittedFloat<32> x) {
  return {{x.b, mlir::arith::ExtFOp::create(*x.b, x.b->getF64Type(), x.v)}};
}
inline EmittedFloat<32> narrow(EmittedFloat<64> x) {
  return {{x.b, mlir::arith::TruncFOp::create(*x.b, x.b->getF32Type(), x.v)}};
}
inline EmittedInteger<64> extend(EmittedInteger<32> x) {
  return {{x.b, mlir::arith::ExtSIOp::create(*x.b, x.b->getI64Type(), x.v)}};
}
inline EmittedInteger<32> truncate(EmittedInteger<64> x) {
  return {{x.b, mlir::arith::TruncIOp::create(*x.b, x.b->getI32Type(), x.v)}};
}
template <unsigned width>
EmittedFloat<width> abs(EmittedFloat<width> x) {
  return {{x.b, mlir::math::AbsFOp::create(*x.b, x.v)}};
}
template <unsigned width>
EmittedFloat<width> sqrt(EmittedFloat<width> x) {
  return {{x.b, mlir::math::SqrtOp::create(*x.b, x.v)}};
}
template <unsigned width>
EmittedFloat<width> copySign(EmittedFloat<width> x, EmittedFloat<width> sign) {
  return {{x.b, mlir::math::CopySignOp::create(*x.b, x.v, sign.v)}};
}

/// An element of a table, which becomes a constant of the module.
EmittedFloat<64> lookUpIn(mlir::ArrayRef<double> table, EmittedInteger<32> index);
template <std::size_t count>
EmittedFloat<64> lookUp(const double (&table)[count], EmittedInteger<32> index) {
  return lookUpIn(table, index);
}

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_MATH_EMITTEDMATH_H
