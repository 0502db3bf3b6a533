//===- CustomCall.h - Calls of kernels by name ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmc.custom_call, beside the other operations of the dialect, since few look at it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_CUSTOMCALL_H
#define DMC_DIALECT_DMC_CUSTOMCALL_H

#include "dmc/Dialect/DMC/DMC.h"

#define GET_OP_CLASSES
#include "dmc/Dialect/DMC/CustomCallOps.h.inc"

#endif // DMC_DIALECT_DMC_CUSTOMCALL_H
