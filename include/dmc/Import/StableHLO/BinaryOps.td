// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations of two and three operands.
#ifndef DMC_IMPORT_STABLEHLO_BINARYOPS_TD
#define DMC_IMPORT_STABLEHLO_BINARYOPS_TD

include "dmc/Import/StableHLO/Attributes.td"

class StableHLO_BinaryOp<string mnemonic, Type tensor, string text, list<Trait> traits = []>
    : StableHLO_PureOp<mnemonic,
                       !listconcat([SameOperandsAndResultType, Elementwise], traits)> {
  let summary = text;
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<SameType>(type($lhs), type($rhs), type($result))
  }];
}

def StableHLO_AddOp : StableHLO_BinaryOp<"add", StableHLO_Tensor,
    "Sum; logical or of booleans", [Commutative]>;
def StableHLO_AndOp : StableHLO_BinaryOp<"and", StableHLO_LogicTensor,
    "Logical and of booleans, bitwise and of integers", [Commutative]>;
def StableHLO_Atan2Op : StableHLO_BinaryOp<"atan2", StableHLO_FloatTensor,
    "Angle of the point (rhs, lhs)">;
def StableHLO_DivOp : StableHLO_BinaryOp<"divide", StableHLO_NumberTensor,
    "Quotient, truncated for integers">;
def StableHLO_MaxOp : StableHLO_BinaryOp<"maximum", StableHLO_Tensor,
    "Maximum, NaN if an operand is NaN", [Commutative]>;
def StableHLO_MinOp : StableHLO_BinaryOp<"minimum", StableHLO_Tensor,
    "Minimum, NaN if an operand is NaN", [Commutative]>;
def StableHLO_MulOp : StableHLO_BinaryOp<"multiply", StableHLO_Tensor,
    "Product; logical and of booleans", [Commutative]>;
def StableHLO_OrOp : StableHLO_BinaryOp<"or", StableHLO_LogicTensor,
    "Logical or of booleans, bitwise or of integers", [Commutative]>;
def StableHLO_PowOp : StableHLO_BinaryOp<"power", StableHLO_NumberTensor,
    "lhs to the power of rhs">;
def StableHLO_RemOp : StableHLO_BinaryOp<"remainder", StableHLO_NumberTensor,
    "Remainder of the truncated division, of the dividend's sign">;
def StableHLO_ShiftLeftOp : StableHLO_BinaryOp<"shift_left", StableHLO_IntTensor,
    "Shifts bits to the left">;
def StableHLO_ShiftRightArithmeticOp : StableHLO_BinaryOp<"shift_right_arithmetic",
    StableHLO_IntTensor, "Shifts bits to the right, repeating the highest">;
def StableHLO_ShiftRightLogicalOp : StableHLO_BinaryOp<"shift_right_logical", StableHLO_IntTensor,
    "Shifts bits to the right, bringing in zeros">;
def StableHLO_SubtractOp : StableHLO_BinaryOp<"subtract", StableHLO_NumberTensor, "Difference">;
def StableHLO_XorOp : StableHLO_BinaryOp<"xor", StableHLO_LogicTensor,
    "Logical or bitwise exclusive or", [Commutative]>;

def StableHLO_ComplexOp : StableHLO_PureOp<"complex", [
    Elementwise, SameTypeOperands, SameOperandsAndResultShape]> {
  let summary = "The complex number of a real and an imaginary part";
  let description = [{
    Constraints:
    - (C1) the result's elements have the operands' as parts.
  }];
  let arguments = (ins StableHLO_RealTensor:$lhs, StableHLO_RealTensor:$rhs);
  let results = (outs StableHLO_ComplexTensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexTypes>(type($lhs), type($rhs), type($result))";
  let hasVerifier = 1;
}

def StableHLO_CompareOp : StableHLO_PureOp<"compare", [
    Elementwise, SameTypeOperands, SameOperandsAndResultShape]> {
  let summary = "Compares elementwise in a direction";
  let description = [{
    Constraints:
    - (C1) `compare_type`, where given, is SIGNED for signed integers, UNSIGNED for unsigned
      integers and booleans, FLOAT or TOTALORDER for floats, FLOAT for complex numbers.
  }];
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       StableHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs StableHLO_BoolTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_SelectOp : StableHLO_PureOp<"select", [
    AllTypesMatch<["on_true", "on_false", "result"]>]> {
  let summary = "Takes an element of the one or the other operand, as a predicate says";
  let description = [{
    Constraints:
    - (C1) the predicate has rank 0 or the shape of the result.
  }];
  let arguments = (ins StableHLO_BoolTensor:$pred, StableHLO_Tensor:$on_true,
                       StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<SelectTypes>(type($pred), type($on_true), type($on_false), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_ClampOp : StableHLO_PureOp<"clamp", [
    AllTypesMatch<["operand", "result"]>]> {
  let summary = "minimum(maximum(operand, min), max)";
  let description = [{
    Constraints:
    - (C1) a bound has the operand's element type;
    - (C2) and rank 0 or the operand's shape.
  }];
  let arguments = (ins StableHLO_Tensor:$min, StableHLO_Tensor:$operand, StableHLO_Tensor:$max);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameType>(type($min), type($operand), type($max), type($result))
  }];
  let hasVerifier = 1;
}

#endif
