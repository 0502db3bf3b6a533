// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms, and decompositions of matrices.
#ifndef DMC_IMPORT_STABLEHLO_TRANSFORMOPS_TD
#define DMC_IMPORT_STABLEHLO_TRANSFORMOPS_TD

include "dmc/Import/StableHLO/Attributes.td"

def StableHLO_FftOp : StableHLO_PureOp<"fft"> {
  let summary = "Fourier transforms along the last dimensions";
  let description = [{
    `FFT` and `IFFT` transform complex numbers, `RFFT` real numbers, of which it gives the part of the
    spectrum that determines the rest; `IRFFT` is its inverse. The inverse transforms divide by the
    number of elements.

    Constraints:
    - (C1) `fft_length` has 1 to 3 entries, and no more than the operand dimensions;
    - (C2) it is the shape of the last dimensions of the operand (`IRFFT`: of the result);
    - (C3) the result has the operand's shape; its last dimension is n / 2 + 1 for `RFFT`, where n is
      the last length, as the operand's is for `IRFFT`;
    - (C4) operand and result are complex, but the operand of `RFFT` and the result of `IRFFT`, which
      are real.
  }];
  let arguments = (ins StableHLO_FloatTensor:$operand, StableHLO_FftTypeAttr:$fft_type,
                       DenseI64ArrayAttr:$fft_length);
  let results = (outs StableHLO_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_CholeskyOp : StableHLO_PureOp<"cholesky", [SameOperandsAndResultType]> {
  let summary = "The triangular factor L of matrices that are L times its adjoint";
  let description = [{
    The matrices are the last two dimensions. `lower` says which triangle is read and computed; the
    upper factor is the adjoint of the lower one. The result is zero beside its triangle, and NaN where
    a matrix is not positive definite.

    Constraints:
    - (C1) the last two dimensions are equal.
  }];
  let arguments = (ins StableHLO_FloatTensor:$a, DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs StableHLO_FloatTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameType>(type($a), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_TriangularSolveOp : StableHLO_PureOp<"triangular_solve"> {
  let summary = "Solves op(a) * x = b, or x * op(a) = b, of triangular matrices a";
  let description = [{
    The matrices are the last two dimensions; elements of `a` beside the triangle that `lower` names
    are not read, nor is the diagonal where `unit_diagonal` says that it holds ones.

    Constraints:
    - (C1) `a` and `b` have one element type, and the result has `b`'s type;
    - (C2) they have one rank, of at least 2, and equal batch dimensions;
    - (C3) the matrices of `a` are square, of the size of `b`'s rows, or columns where it is solved
      from the right;
    - (C4) `transpose_a` is not TRANSPOSE_INVALID.
  }];
  let arguments = (ins StableHLO_FloatTensor:$a, StableHLO_FloatTensor:$b, BoolAttr:$left_side,
                       BoolAttr:$lower, BoolAttr:$unit_diagonal,
                       StableHLO_TransposeKindAttr:$transpose_a);
  let results = (outs StableHLO_FloatTensor:$result);
  let hasVerifier = 1;
}

#endif
