// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chlo dialect: functions that frameworks leave undecomposed.
#ifndef DMC_IMPORT_STABLEHLO_CHLOOPS_TD
#define DMC_IMPORT_STABLEHLO_CHLOOPS_TD

include "dmc/Import/StableHLO/Attributes.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::dmc::chlo";
  let summary = "Functions above StableHLO that frameworks leave in their programs";
  let dependentDialects = ["::dmc::stablehlo::StableHLODialect"];
  let useDefaultAttributePrinterParser = 0;
  let extraClassDeclaration = [{
    // Comparison directions are those of stablehlo; what else there is is refused by name.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

class Chlo_Op<string mnemonic, list<Trait> traits = []>
    : Op<Chlo_Dialect, mnemonic, !listconcat([StableHLO_SupportedTypes, Pure], traits)>;

class Chlo_UnaryOp<string mnemonic, string text>
    : Chlo_Op<mnemonic, [SameOperandsAndResultType, Elementwise]> {
  let summary = text;
  let arguments = (ins StableHLO_FloatTensor:$operand);
  let results = (outs StableHLO_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

class Chlo_BinaryOp<string mnemonic, string text>
    : Chlo_Op<mnemonic, [SameOperandsAndResultType, Elementwise]> {
  let summary = text;
  let arguments = (ins StableHLO_FloatTensor:$lhs, StableHLO_FloatTensor:$rhs);
  let results = (outs StableHLO_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

class Chlo_PredicateOp<string mnemonic, string text>
    : Chlo_Op<mnemonic, [SameOperandsAndResultShape, Elementwise]> {
  let summary = text;
  let arguments = (ins StableHLO_FloatTensor:$operand);
  let results = (outs StableHLO_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def Chlo_AcosOp : Chlo_UnaryOp<"acos", "Inverse cosine">;
def Chlo_AcoshOp : Chlo_UnaryOp<"acosh", "Inverse hyperbolic cosine">;
def Chlo_AsinOp : Chlo_UnaryOp<"asin", "Inverse sine">;
def Chlo_AsinhOp : Chlo_UnaryOp<"asinh", "Inverse hyperbolic sine">;
def Chlo_AtanOp : Chlo_UnaryOp<"atan", "Inverse tangent">;
def Chlo_AtanhOp : Chlo_UnaryOp<"atanh", "Inverse hyperbolic tangent">;
def Chlo_BesselI1eOp : Chlo_UnaryOp<"bessel_i1e", 
    "Exponentially scaled Bessel function of order 1">;
def Chlo_CoshOp : Chlo_UnaryOp<"cosh", "Hyperbolic cosine">;
def Chlo_DigammaOp : Chlo_UnaryOp<"digamma", "Derivative of the logarithm of the gamma function">;
def Chlo_ErfOp : Chlo_UnaryOp<"erf", "Error function">;
def Chlo_ErfInvOp : Chlo_UnaryOp<"erf_inv", "Inverse of the error function">;
def Chlo_ErfcOp : Chlo_UnaryOp<"erfc", "One minus the error function">;
def Chlo_LgammaOp : Chlo_UnaryOp<"lgamma", "Logarithm of the absolute gamma function">;
def Chlo_SinhOp : Chlo_UnaryOp<"sinh", "Hyperbolic sine">;
def Chlo_TanOp : Chlo_UnaryOp<"tan", "Tangent">;

def Chlo_SquareOp : Chlo_Op<"square", [SameOperandsAndResultType, Elementwise]> {
  let summary = "The operand times itself";
  let arguments = (ins StableHLO_NumberTensor:$operand);
  let results = (outs StableHLO_NumberTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def Chlo_NextAfterOp : Chlo_BinaryOp<"next_after", "The next number after lhs toward rhs">;
def Chlo_PolygammaOp : Chlo_BinaryOp<"polygamma", "Derivative of digamma of an order">;
def Chlo_ZetaOp : Chlo_BinaryOp<"zeta", "Hurwitz zeta function">;

def Chlo_ConjOp : Chlo_UnaryOp<"conj", "Complex conjugate: of real numbers themselves">;

def Chlo_MulhiOp : Chlo_Op<"mulhi", [SameOperandsAndResultType, Elementwise]> {
  let summary = "The upper half of a product";
  let arguments = (ins StableHLO_IntTensor:$lhs, StableHLO_IntTensor:$rhs);
  let results = (outs StableHLO_IntTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def Chlo_ConstantOp : Chlo_Op<"constant"> {
  let summary = "A constant";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_Tensor:$result);
}

def Chlo_ConstantLikeOp : Chlo_Op<"constant_like"> {
  let summary = "A tensor of one number in the operand's shape";
  let arguments = (ins StableHLO_Tensor:$operand, AnyAttr:$value);
  let results = (outs StableHLO_Tensor:$result);
}

// Operands are broadcast to the result: the one of lower rank by the dimensions given, or
// aligned at the last one.
class Chlo_BroadcastOp<string mnemonic> : Chlo_Op<"broadcast_" # mnemonic> {
  let summary = "stablehlo's operation on broadcast operands";
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
}

def Chlo_BroadcastAddOp : Chlo_BroadcastOp<"add">;
def Chlo_BroadcastAndOp : Chlo_BroadcastOp<"and">;
def Chlo_BroadcastAtan2Op : Chlo_BroadcastOp<"atan2">;
def Chlo_BroadcastDivOp : Chlo_BroadcastOp<"divide">;
def Chlo_BroadcastMaxOp : Chlo_BroadcastOp<"maximum">;
def Chlo_BroadcastMinOp : Chlo_BroadcastOp<"minimum">;
def Chlo_BroadcastMulOp : Chlo_BroadcastOp<"multiply">;
def Chlo_BroadcastNextAfterOp : Chlo_BroadcastOp<"next_after">;
def Chlo_BroadcastOrOp : Chlo_BroadcastOp<"or">;
def Chlo_BroadcastPolygammaOp : Chlo_BroadcastOp<"polygamma">;
def Chlo_BroadcastPowOp : Chlo_BroadcastOp<"power">;
def Chlo_BroadcastRemOp : Chlo_BroadcastOp<"remainder">;
def Chlo_BroadcastShiftLeftOp : Chlo_BroadcastOp<"shift_left">;
def Chlo_BroadcastShiftRightArithmeticOp : Chlo_BroadcastOp<"shift_right_arithmetic">;
def Chlo_BroadcastShiftRightLogicalOp : Chlo_BroadcastOp<"shift_right_logical">;
def Chlo_BroadcastSubOp : Chlo_BroadcastOp<"subtract">;
def Chlo_BroadcastXorOp : Chlo_BroadcastOp<"xor">;
def Chlo_BroadcastZetaOp : Chlo_BroadcastOp<"zeta">;

def Chlo_BroadcastCompareOp : Chlo_BroadcastOp<"compare"> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       StableHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
}

def Chlo_BroadcastSelectOp : Chlo_Op<"broadcast_select"> {
  let summary = "Select on operands that are broadcast, aligned at their last dimension";
  let arguments = (ins StableHLO_BoolTensor:$pred, StableHLO_Tensor:$on_true,
                       StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)
  }];
}

def Chlo_IsInfOp : Chlo_PredicateOp<"is_inf", "Whether an element is infinite">;
def Chlo_IsNegInfOp : Chlo_PredicateOp<"is_neg_inf", "Whether an element is minus infinity">;
def Chlo_IsPosInfOp : Chlo_PredicateOp<"is_pos_inf", "Whether an element is plus infinity">;

def Chlo_TopKOp : Chlo_Op<"top_k"> {
  let summary = "The k largest elements along the last dimension, and their indices";
  let description = [{
    Constraints:
    - (C1) the operand has a last dimension of at least k elements, k is not negative;
    - (C2) the results have the operand's shape with k in its place, the indices are i32.
  }];
  let arguments = (ins StableHLO_NumberTensor:$operand, I64Attr:$k);
  let results = (outs StableHLO_NumberTensor:$values, StableHLO_IntTensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:` type($operand) `->`
    `(` type($values) `,` type($indices) `)`
  }];
  let hasVerifier = 1;
}

#endif
