// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- CustomKernel.h - Kernels that users write ---------------------*- C -*-===*
 *
 * A program may call kernels that it does not define: operations that the user has
 * named when it was compiled (dmc-compile --custom-call). A session is given a
 * function for each name. Each rank calls it, on its own thread, on its blocks of the
 * operands and results, whose layouts the kernel's sharding rule allowed.
 *
 *===----------------------------------------------------------------------===*/
#ifndef DMC_C_CUSTOMKERNEL_H
#define DMC_C_CUSTOMKERNEL_H

#include "dmc-c/Program.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The block of an operand or a result on the rank that calls: contiguous, row-major, aligned to 16
 * bytes at least; without padding, since blocks of a split dimension have one size. */
typedef struct dmc_custom_array {
  void *data;
  uint32_t element_type; /* dmc_element_type, signedness as in the source */
  uint32_t rank;
  const int64_t *shape;
} dmc_custom_array;

typedef struct dmc_custom_call {
  uint32_t struct_size; /* of the runtime; members are added at the end */
  uint32_t num_operands;
  uint32_t num_results;
  uint32_t reserved;
  const char *name;
  /* What the program says to the kernel: the text of the call's backend_config, or its attributes
   * as JSON; empty: nothing. */
  const char *config;
  const dmc_custom_array *operands; /* are only read */
  const dmc_custom_array *results;  /* every element is to be written; they overlap no operand */
  int64_t rank;                     /* that calls, from 0 */
  /* Where a kernel that fails may say why, as a text with a final zero. */
  char *error;
  size_t error_bytes;
} dmc_custom_call;

/* Computes the results. Several ranks call it at once. `data` is what the session was given with
 * the function. Returns 0, or nonzero: then the step fails. */
typedef int32_t (*dmc_custom_kernel_fn)(const dmc_custom_call *, void *data);

typedef struct dmc_custom_kernel {
  const char *name; /* of the operation in the program */
  dmc_custom_kernel_fn function;
  void *data;
} dmc_custom_kernel;

#ifdef __cplusplus
}
#endif

#endif /* DMC_C_CUSTOMKERNEL_H */
