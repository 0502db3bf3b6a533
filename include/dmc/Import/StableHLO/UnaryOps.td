// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations of one operand.
#ifndef DMC_IMPORT_STABLEHLO_UNARYOPS_TD
#define DMC_IMPORT_STABLEHLO_UNARYOPS_TD

include "dmc/Import/StableHLO/Attributes.td"

class StableHLO_UnaryOp<string mnemonic, Type tensor, string text>
    : StableHLO_PureOp<mnemonic, [SameOperandsAndResultType, Elementwise]> {
  let summary = text;
  let arguments = (ins tensor:$operand);
  let results = (outs tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameType>(type($operand), type($result))
  }];
}

// A transcendental function, whose accuracy a program may ask for.
class StableHLO_FunctionOp<string mnemonic, string text>
    : StableHLO_UnaryOp<mnemonic, StableHLO_FloatTensor, text> {
  let arguments = (ins StableHLO_FloatTensor:$operand,
                       OptionalAttr<StableHLO_ResultAccuracyAttr>:$result_accuracy);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand), [{
    build($_builder, $_state, operand, ResultAccuracyAttr());
  }]>];
}

def StableHLO_AbsOp : StableHLO_PureOp<"abs", [SameOperandsAndResultShape, Elementwise]> {
  let summary = "Absolute value";
  let description = [{
    Constraints:
    - (C1) the result has the operand's type; of complex numbers, that of their parts.
  }];
  let arguments = (ins StableHLO_NumberTensor:$operand);
  let results = (outs StableHLO_NumberTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}
def StableHLO_CbrtOp : StableHLO_FunctionOp<"cbrt", "Cubic root">;
def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil", StableHLO_FloatTensor, "Rounds up to an integer">;
def StableHLO_CosineOp : StableHLO_FunctionOp<"cosine", "Cosine">;
def StableHLO_CountLeadingZerosOp : StableHLO_UnaryOp<"count_leading_zeros", StableHLO_IntTensor,
    "Number of zero bits above the highest set bit">;
def StableHLO_ExpOp : StableHLO_FunctionOp<"exponential", "e to the power of the operand">;
def StableHLO_Expm1Op : StableHLO_FunctionOp<"exponential_minus_one",
    "e to the power of the operand, minus one, exact near zero">;
def StableHLO_FloorOp : StableHLO_UnaryOp<"floor", StableHLO_FloatTensor,
    "Rounds down to an integer">;
def StableHLO_LogOp : StableHLO_FunctionOp<"log", "Natural logarithm">;
def StableHLO_Log1pOp : StableHLO_FunctionOp<"log_plus_one",
    "Natural logarithm of one plus the operand, exact near zero">;
def StableHLO_LogisticOp : StableHLO_FunctionOp<"logistic", "1 / (1 + exp(-x))">;
def StableHLO_NegOp : StableHLO_UnaryOp<"negate", StableHLO_NumberTensor, "Negation">;
def StableHLO_NotOp : StableHLO_UnaryOp<"not", StableHLO_LogicTensor,
    "Logical not of booleans, bitwise not of integers">;
def StableHLO_PopcntOp : StableHLO_UnaryOp<"popcnt", StableHLO_IntTensor, "Number of set bits">;
def StableHLO_RoundOp : StableHLO_UnaryOp<"round_nearest_afz", StableHLO_FloatTensor,
    "Rounds to the nearest integer, ties away from zero">;
def StableHLO_RoundNearestEvenOp : StableHLO_UnaryOp<"round_nearest_even", StableHLO_FloatTensor,
    "Rounds to the nearest integer, ties to even">;
def StableHLO_RsqrtOp : StableHLO_FunctionOp<"rsqrt", "One over the square root">;
def StableHLO_SignOp : StableHLO_UnaryOp<"sign", StableHLO_NumberTensor,
    "-1, 0 or 1; keeps -0 and NaN">;
def StableHLO_SineOp : StableHLO_FunctionOp<"sine", "Sine">;
def StableHLO_SqrtOp : StableHLO_FunctionOp<"sqrt", "Square root">;
def StableHLO_TanOp : StableHLO_FunctionOp<"tan", "Tangent">;
def StableHLO_TanhOp : StableHLO_FunctionOp<"tanh", "Hyperbolic tangent">;

//===--- Complex numbers and their parts ------------------------------------------------------===//

class StableHLO_PartOp<string mnemonic, string text>
    : StableHLO_PureOp<mnemonic, [SameOperandsAndResultShape, Elementwise]> {
  let summary = text;
  let arguments = (ins StableHLO_FloatTensor:$operand);
  let results = (outs StableHLO_RealTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}
def StableHLO_RealOp : StableHLO_PartOp<"real", "The real part"> {
  let description = [{
    Constraints:
    - (C1) the result has the operand's type; of complex numbers, that of their parts.
  }];
}
def StableHLO_ImagOp : StableHLO_PartOp<"imag", "The imaginary part; zero of real numbers"> {
  let description = [{
    Constraints:
    - (C1) the result has the operand's type; of complex numbers, that of their parts.
  }];
}

def StableHLO_IsFiniteOp
    : StableHLO_PureOp<"is_finite", [SameOperandsAndResultShape, Elementwise]> {
  let summary = "Whether an element is neither infinite nor NaN";
  let arguments = (ins StableHLO_FloatTensor:$x);
  let results = (outs StableHLO_BoolTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def StableHLO_ConvertOp : StableHLO_PureOp<"convert", [SameOperandsAndResultShape, Elementwise]> {
  let summary = "Converts the element type by value";
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameType>(type($operand), type($result))
  }];
}

def StableHLO_ReducePrecisionOp
    : StableHLO_PureOp<"reduce_precision", [SameOperandsAndResultType, Elementwise]> {
  let summary = "Rounds to the values of a float format of fewer bits";
  let description = [{
    Constraints:
    - (C1) the format has at least one bit of exponent;
    - (C2) and not a negative number of bits of mantissa.
  }];
  let arguments = (ins StableHLO_FloatTensor:$operand, I32Attr:$exponent_bits,
                       I32Attr:$mantissa_bits);
  let results = (outs StableHLO_FloatTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<FloatFormat>($exponent_bits, $mantissa_bits) attr-dict `:`
    custom<SameType>(type($operand), type($output))
  }];
  let hasVerifier = 1;
}

#endif
