//===- ArithFunctions.cpp - The arith operations on words -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers are zero-extended words; floats compute in their own type.
//
//===----------------------------------------------------------------------===//
#include "Functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

/// An integer operation: `expression` over a, b (words), sa, sb (sign-extended)
/// and the width w; wrapped to the result's width.
#define INTEGER(name, expression)                                                                  \
  static void name(Frame &f, const Instruction &i) {                                               \
    const unsigned w = i.width;                                                                    \
    const Word a = f.slots[i.a], b = f.slots[i.b];                                                 \
    const int64_t sa = signExtend(a, w), sb = signExtend(b, w);                                    \
    (void)w, (void)a, (void)b, (void)sa, (void)sb;                                                 \
    f.slots[i.result] = truncate(static_cast<Word>(expression), i.resultWidth);                    \
  }

/// The same for a division, which traps where it has no value.
#define DIVISION(name, isSigned, expression)                                                       \
  static void name(Frame &f, const Instruction &i) {                                               \
    const unsigned w = i.width;                                                                    \
    const Word a = f.slots[i.a], b = f.slots[i.b];                                                 \
    const int64_t sa = signExtend(a, w), sb = signExtend(b, w);                                    \
    (void)sa, (void)sb;                                                                            \
    if (b == 0 || (isSigned && sb == -1 && w > 1 && a == Word(1) << (w - 1))) {                    \
      f.error = b == 0 ? "divides an integer by zero" : "overflows in an integer division";        \
      f.slots[i.result] = getPoison(i.resultKind);                                                 \
      return;                                                                                      \
    }                                                                                              \
    f.slots[i.result] = truncate(static_cast<Word>(expression), i.resultWidth);                    \
  }

INTEGER(addi, a + b)
INTEGER(subi, a - b)
INTEGER(muli, a *b)
INTEGER(andi, a &b)
INTEGER(ori, a | b)
INTEGER(xori, a ^ b)
INTEGER(maxsi, sa > sb ? a : b)
INTEGER(minsi, sa < sb ? a : b)
INTEGER(maxui, a > b ? a : b)
INTEGER(minui, a < b ? a : b)
// A shift by the width or more is poison.
INTEGER(shli, b >= w ? getPoison(i.kind) : a << b)
INTEGER(shrui, b >= w ? getPoison(i.kind) : a >> b)
INTEGER(shrsi, b >= w ? getPoison(i.kind) : static_cast<Word>(sa >> b))
INTEGER(extui, a)
INTEGER(extsi, sa)
DIVISION(divui, false, a / b)
DIVISION(remui, false, a % b)
DIVISION(divsi, true, sa / sb)
DIVISION(remsi, true, sa % sb)
DIVISION(ceildivui, false, a / b + (a % b != 0))
DIVISION(ceildivsi, true, sa / sb + (sa % sb != 0 && (sa < 0) == (sb < 0)))
DIVISION(floordivsi, true, sa / sb - (sa % sb != 0 && (sa < 0) != (sb < 0)))

INTEGER(cmpEq, a == b)
INTEGER(cmpNe, a != b)
INTEGER(cmpSlt, sa < sb)
INTEGER(cmpSle, sa <= sb)
INTEGER(cmpSgt, sa > sb)
INTEGER(cmpSge, sa >= sb)
INTEGER(cmpUlt, a < b)
INTEGER(cmpUle, a <= b)
INTEGER(cmpUgt, a > b)
INTEGER(cmpUge, a >= b)

static void addUIExtended(Frame &f, const Instruction &i) {
  Word a = f.slots[i.a], sum = truncate(a + f.slots[i.b], i.width);
  f.slots[i.result] = sum;
  f.slots[i.extra] = sum < a;
}
static void mulUIExtended(Frame &f, const Instruction &i) {
  auto product = static_cast<unsigned __int128>(f.slots[i.a]) * f.slots[i.b];
  f.slots[i.result] = truncate(static_cast<Word>(product), i.width);
  f.slots[i.extra] = truncate(static_cast<Word>(product >> i.width), i.width);
}
static void mulSIExtended(Frame &f, const Instruction &i) {
  auto product =
      static_cast<__int128>(signExtend(f.slots[i.a], i.width)) * signExtend(f.slots[i.b], i.width);
  f.slots[i.result] = truncate(static_cast<Word>(product), i.width);
  f.slots[i.extra] = truncate(static_cast<Word>(product >> i.width), i.width);
}

static void select(Frame &f, const Instruction &i) {
  f.slots[i.result] = f.slots[f.slots[i.a] ? i.b : i.c];
}
static void copy(Frame &f, const Instruction &i) { f.slots[i.result] = f.slots[i.a]; }

namespace {
struct Add {
  template <class C>
  static C apply(C a, C b) {
    return a + b;
  }
};
struct Sub {
  template <class C>
  static C apply(C a, C b) {
    return a - b;
  }
};
struct Mul {
  template <class C>
  static C apply(C a, C b) {
    return a * b;
  }
};
struct Div {
  template <class C>
  static C apply(C a, C b) {
    return a / b;
  }
};
struct Rem {
  template <class C>
  static C apply(C a, C b) {
    return std::fmod(a, b);
  }
};
struct Maximum {
  template <class C>
  static C apply(C a, C b) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  }
};
struct Minimum {
  template <class C>
  static C apply(C a, C b) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
struct MaxNum {
  template <class C>
  static C apply(C a, C b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : Maximum::apply(a, b);
  }
};
struct MinNum {
  template <class C>
  static C apply(C a, C b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : Minimum::apply(a, b);
  }
};

/// Predicates are numbered as in arith::CmpFPredicate.
template <class N, unsigned predicate>
void compareFloats(Frame &f, const Instruction &i) {
  auto a = N::get(f.slots[i.a]);
  auto b = N::get(f.slots[i.b]);
  bool unordered = std::isnan(a) || std::isnan(b);
  bool value = false;
  switch (static_cast<arith::CmpFPredicate>(predicate)) {
  case arith::CmpFPredicate::AlwaysFalse:
    break;
  case arith::CmpFPredicate::OEQ:
    value = a == b;
    break;
  case arith::CmpFPredicate::OGT:
    value = a > b;
    break;
  case arith::CmpFPredicate::OGE:
    value = a >= b;
    break;
  case arith::CmpFPredicate::OLT:
    value = a < b;
    break;
  case arith::CmpFPredicate::OLE:
    value = a <= b;
    break;
  case arith::CmpFPredicate::ONE:
    value = !unordered && a != b;
    break;
  case arith::CmpFPredicate::ORD:
    value = !unordered;
    break;
  case arith::CmpFPredicate::UEQ:
    value = unordered || a == b;
    break;
  case arith::CmpFPredicate::UGT:
    value = unordered || a > b;
    break;
  case arith::CmpFPredicate::UGE:
    value = unordered || a >= b;
    break;
  case arith::CmpFPredicate::ULT:
    value = unordered || a < b;
    break;
  case arith::CmpFPredicate::ULE:
    value = unordered || a <= b;
    break;
  case arith::CmpFPredicate::UNE:
    value = a != b;
    break;
  case arith::CmpFPredicate::UNO:
    value = unordered;
    break;
  case arith::CmpFPredicate::AlwaysTrue:
    value = true;
    break;
  }
  f.slots[i.result] = value;
}

template <class N, unsigned... predicates>
Function compareFor(arith::CmpFPredicate predicate,
                    std::integer_sequence<unsigned, predicates...>) {
  static const Function table[] = {compareFloats<N, predicates>...};
  return table[static_cast<unsigned>(predicate)];
}
} // namespace

// A sign flip, not a subtraction: of NaN and zeros too.
static void negf(Frame &f, const Instruction &i) {
  f.slots[i.result] = f.slots[i.a] ^ (Word(1) << (i.width - 1));
}

static void convertFloat(Frame &f, const Instruction &i) {
  f.slots[i.result] = putDouble(i.resultKind, getDouble(i.kind, f.slots[i.a]));
}

/// An integer to a float, rounded once.
template <class T>
static Word fromInteger(Kind kind, T value) {
  if (kind == Kind::F64)
    return F64Number::put(static_cast<double>(value));
  if (kind == Kind::F32)
    return F32Number::put(static_cast<float>(value));
  // To 16 bits by way of a double: round to odd where it does not fit, so that
  // the second rounding sees on which side the value is.
  auto wide = static_cast<double>(value);
  if (wide < 9.2e18 && wide > -9.2e18 && static_cast<T>(wide) != value) {
    bool up = static_cast<T>(wide) > value;
    double low = up ? std::nextafter(wide, -INFINITY) : wide;
    Word bits = F64Number::put(low);
    wide = bits & 1 ? low : std::nextafter(low, INFINITY);
  }
  return putDouble(kind, wide);
}
static void sitofp(Frame &f, const Instruction &i) {
  f.slots[i.result] = fromInteger<int64_t>(i.resultKind, signExtend(f.slots[i.a], i.width));
}
static void uitofp(Frame &f, const Instruction &i) {
  f.slots[i.result] = fromInteger<uint64_t>(i.resultKind, f.slots[i.a]);
}

/// Towards zero; poison where the result does not fit.
static void toInteger(Frame &f, const Instruction &i, bool isSigned) {
  double value = std::trunc(getDouble(i.kind, f.slots[i.a]));
  int width = i.resultWidth;
  double low = isSigned ? -std::ldexp(1.0, width - 1) : 0;
  double high = std::ldexp(1.0, isSigned ? width - 1 : width); // exclusive
  if (!(value >= low && value < high))
    f.slots[i.result] = getPoison(i.resultKind);
  else
    f.slots[i.result] = truncate(isSigned ? static_cast<Word>(static_cast<int64_t>(value))
                                          : static_cast<Word>(value),
                                 width);
}
static void fptosi(Frame &f, const Instruction &i) { toInteger(f, i, true); }
static void fptoui(Frame &f, const Instruction &i) { toInteger(f, i, false); }

static Function getCompareInteger(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return cmpEq;
  case arith::CmpIPredicate::ne:
    return cmpNe;
  case arith::CmpIPredicate::slt:
    return cmpSlt;
  case arith::CmpIPredicate::sle:
    return cmpSle;
  case arith::CmpIPredicate::sgt:
    return cmpSgt;
  case arith::CmpIPredicate::sge:
    return cmpSge;
  case arith::CmpIPredicate::ult:
    return cmpUlt;
  case arith::CmpIPredicate::ule:
    return cmpUle;
  case arith::CmpIPredicate::ugt:
    return cmpUgt;
  case arith::CmpIPredicate::uge:
    return cmpUge;
  }
  return nullptr;
}

static Function getCompareFloat(arith::CmpFPredicate predicate, Kind kind) {
  auto all = std::make_integer_sequence<unsigned, 16>();
  switch (kind) {
  case Kind::F16:
    return compareFor<F16Number>(predicate, all);
  case Kind::BF16:
    return compareFor<BF16Number>(predicate, all);
  case Kind::F32:
    return compareFor<F32Number>(predicate, all);
  default:
    return compareFor<F64Number>(predicate, all);
  }
}

Function interpreter::getArithFunction(Operation *op, Kind kind) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return getCompareInteger(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return getCompareFloat(compare.getPredicate(), kind);
  return llvm::StringSwitch<Function>(op->getName().stripDialect())
      .Case("addf", forFloats<Binary, Add>(kind))
      .Case("addi", addi)
      .Case("addui_extended", addUIExtended)
      .Case("andi", andi)
      .Case("bitcast", copy)
      .Case("ceildivsi", ceildivsi)
      .Case("ceildivui", ceildivui)
      .Case("divf", forFloats<Binary, Div>(kind))
      .Case("divsi", divsi)
      .Case("divui", divui)
      .Case("extf", convertFloat)
      .Cases({"extsi", "index_cast"}, extsi)
      .Cases({"extui", "index_castui"}, extui)
      .Case("floordivsi", floordivsi)
      .Case("fptosi", fptosi)
      .Case("fptoui", fptoui)
      .Case("maximumf", forFloats<Binary, Maximum>(kind))
      .Case("maxnumf", forFloats<Binary, MaxNum>(kind))
      .Case("maxsi", maxsi)
      .Case("maxui", maxui)
      .Case("minimumf", forFloats<Binary, Minimum>(kind))
      .Case("minnumf", forFloats<Binary, MinNum>(kind))
      .Case("minsi", minsi)
      .Case("minui", minui)
      .Case("mulf", forFloats<Binary, Mul>(kind))
      .Case("muli", muli)
      .Case("mulsi_extended", mulSIExtended)
      .Case("mului_extended", mulUIExtended)
      .Case("negf", negf)
      .Case("ori", ori)
      .Case("remf", forFloats<Binary, Rem>(kind))
      .Case("remsi", remsi)
      .Case("remui", remui)
      .Case("select", select)
      .Case("shli", shli)
      .Case("shrsi", shrsi)
      .Case("shrui", shrui)
      .Case("sitofp", sitofp)
      .Case("subf", forFloats<Binary, Sub>(kind))
      .Case("subi", subi)
      .Case("truncf", convertFloat)
      .Case("trunci", extui)
      .Case("uitofp", uitofp)
      .Case("xori", xori)
      .Default(nullptr);
}
