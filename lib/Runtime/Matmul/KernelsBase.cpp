//===- KernelsBase.cpp - Matrix multiplication on any processor -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// 16 registers of 16 bytes: six rows of two vectors of sums, two of the right operand, one of the
// left one and one to spare.
#define DMC_VECTOR_BYTES 16
#define DMC_ROWS 6
#include "Matmul/KernelsImpl.h"

const Kernels *dmc::runtime::matmul::baseKernels(uint32_t type) { return kernelsOf(type); }
