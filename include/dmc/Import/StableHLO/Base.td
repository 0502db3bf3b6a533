// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stablehlo dialect: its types and the base classes of its operations.
#ifndef DMC_IMPORT_STABLEHLO_BASE_TD
#define DMC_IMPORT_STABLEHLO_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::dmc::stablehlo";
  let summary = "The operations of StableHLO that programs of array frameworks hold";
  let description = [{
    An independent definition of the StableHLO operation set, from its public specification, in the
    generic and the pretty form. Tensors are ranked and static; quantized element types, tokens and
    tuples are not part of it. `dmc-import` converts it to linalg on tensors; plans for other
    compilers are written in it.
  }];
  let useDefaultAttributePrinterParser = 0;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    // An attribute of an unknown kind is kept as it stands: errors are for the operation that has it.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;

    // Types and operations that are not part of it are kept as they stand, so that import can refuse
    // them by name; in the pretty form, which only their definition could read, at once.
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;

    // One for each file of operations, so that they compile in parallel.
    void addUnaryOps();
    void addBinaryOps();
    void addCreationOps();
    void addDataMovementOps();
    void addContractionOps();
    void addTransformOps();
    void addReductionOps();
    void addControlOps();
    void addCollectiveOps();
    void addDerivedOps();
    void addAttributes_();
  }];
}

//===--- Types ------------------------------------------------------------------------------===//

class StableHLO_TensorOf<string kinds, string elements>
    : Type<CPred<"::dmc::stablehlo::isTensorOf($_self, " # kinds # ")">,
           "static tensor of " # elements, "::mlir::RankedTensorType">;
class StableHLO_ScalarOf<string kinds, string elements>
    : Type<CPred<"::dmc::stablehlo::isScalarOf($_self, " # kinds # ")">,
           "tensor of rank 0 of " # elements, "::mlir::RankedTensorType">;

defvar Bool = "::dmc::stablehlo::kBool";
defvar Int = "::dmc::stablehlo::kSigned | ::dmc::stablehlo::kUnsigned";
defvar Float = "::dmc::stablehlo::kFloat";
// Operations on floats may be on complex numbers, too: import refuses those that it does not know.
defvar Complex = "::dmc::stablehlo::kComplex";

def StableHLO_Tensor : StableHLO_TensorOf<"::dmc::stablehlo::kAny",
    "i1, i8 to i64, ui8 to ui64, f16, bf16, f32, f64 or complex numbers">;
def StableHLO_FloatTensor : StableHLO_TensorOf<!strconcat(Float, " | ", Complex),
    "f16, bf16, f32, f64 or complex numbers">;
def StableHLO_RealTensor : StableHLO_TensorOf<Float, "f16, bf16, f32 or f64">;
def StableHLO_ComplexTensor : StableHLO_TensorOf<Complex, "complex<f32> or complex<f64>">;
def StableHLO_IntTensor : StableHLO_TensorOf<Int, "i8 to i64 or ui8 to ui64">;
def StableHLO_NumberTensor : StableHLO_TensorOf<!strconcat(Int, " | ", Float, " | ", Complex),
    "i8 to i64, ui8 to ui64, f16, bf16, f32, f64 or complex numbers">;
def StableHLO_LogicTensor : StableHLO_TensorOf<!strconcat(Int, " | ", Bool),
    "i1, i8 to i64 or ui8 to ui64">;
def StableHLO_BoolTensor : StableHLO_TensorOf<Bool, "i1">;
def StableHLO_Scalar : StableHLO_ScalarOf<"::dmc::stablehlo::kAny", "any supported element type">;
def StableHLO_IntScalar : StableHLO_ScalarOf<Int, "i8 to i64 or ui8 to ui64">;
def StableHLO_BoolScalar : StableHLO_ScalarOf<Bool, "i1">;

//===--- Operations -------------------------------------------------------------------------===//

// Refuses what no operation supports (complex numbers, dynamic shapes) before other checks.
def StableHLO_SupportedTypes : NativeOpTrait<"SupportedTypes">, StructuralOpTrait {
  let cppNamespace = "::dmc::stablehlo";
}

// An operation that is not about tensors alone: of tuples, or of whatever a foreign function takes.
class StableHLO_AnyTypeOp<string mnemonic, list<Trait> traits = []>
    : Op<StableHLO_Dialect, mnemonic, traits>;

class StableHLO_Op<string mnemonic, list<Trait> traits = []>
    : StableHLO_AnyTypeOp<mnemonic, !listconcat([StableHLO_SupportedTypes], traits)>;

class StableHLO_PureOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, !listconcat([Pure], traits)>;

// An operation with a computation as its region: as pure as the computation.
class StableHLO_BodyOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic,
                   !listconcat([RecursiveMemoryEffects, RecursivelySpeculatable], traits)>;

#endif
