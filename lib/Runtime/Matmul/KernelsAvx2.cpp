//===- KernelsAvx2.cpp - Matrix multiplication with AVX2 and FMA ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// 16 registers: six rows of two vectors of sums, two of the right operand, one of the left one and
// one to spare.
#define DMC_VECTOR_BYTES 32
#define DMC_ROWS 6
#include "Matmul/KernelsImpl.h"

const Kernels *dmc::runtime::matmul::avx2Kernels(uint32_t type) { return kernelsOf(type); }
