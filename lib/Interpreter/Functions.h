//===- Functions.h - Scalar operations for every float kind -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_INTERPRETER_FUNCTIONS_H
#define DMC_LIB_INTERPRETER_FUNCTIONS_H

#include "ScalarProgram.h"

#include <cmath>

namespace dmc::interpreter {

Function getArithFunction(mlir::Operation *op, Kind kind);
Function getMathFunction(mlir::Operation *op, Kind kind);

/// `F::apply` on floats of kind N.
template <class N, class F>
struct Unary {
  static void run(Frame &f, const Instruction &i) {
    f.slots[i.result] = N::put(F::apply(N::get(f.slots[i.a])));
  }
};
template <class N, class F>
struct Binary {
  static void run(Frame &f, const Instruction &i) {
    f.slots[i.result] = N::put(F::apply(N::get(f.slots[i.a]), N::get(f.slots[i.b])));
  }
};
template <class N, class F>
struct Ternary {
  static void run(Frame &f, const Instruction &i) {
    f.slots[i.result] =
        N::put(F::apply(N::get(f.slots[i.a]), N::get(f.slots[i.b]), N::get(f.slots[i.c])));
  }
};
/// A predicate of one float.
template <class N, class F>
struct Classify {
  static void run(Frame &f, const Instruction &i) {
    f.slots[i.result] = F::apply(N::get(f.slots[i.a]));
  }
};

template <template <class, class> class Form, class F>
Function forFloats(Kind kind) {
  switch (kind) {
  case Kind::F16:
    return Form<F16Number, F>::run;
  case Kind::BF16:
    return Form<BF16Number, F>::run;
  case Kind::F32:
    return Form<F32Number, F>::run;
  case Kind::F64:
    return Form<F64Number, F>::run;
  default:
    return nullptr;
  }
}

} // namespace dmc::interpreter

#endif // DMC_LIB_INTERPRETER_FUNCTIONS_H
