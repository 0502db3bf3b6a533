//===- KernelsAvx512.cpp - Matrix multiplication with AVX-512 -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// 32 registers: twelve rows of two vectors of sums, two of the right operand, one of the left one.
#define DMC_VECTOR_BYTES 64
#define DMC_ROWS 12
#include "Matmul/KernelsImpl.h"

const Kernels *dmc::runtime::matmul::avx512Kernels(uint32_t type) { return kernelsOf(type); }
