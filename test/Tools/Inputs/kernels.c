// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Kernels for tests, of dmc-c/CustomKernel.h. */
#include "dmc-c/CustomKernel.h"

#include <stdio.h>
#include <string.h>

/* Each row of a matrix of f32 times a number of its own. */
int32_t my_scale_rows(const dmc_custom_call *call, void *data) {
  (void)data;
  if (call->num_operands != 2 || call->num_results != 1 ||
      call->operands[0].element_type != DMC_F32 || call->operands[0].rank != 2)
    return 7;
  const float *x = call->operands[0].data, *s = call->operands[1].data;
  float *y = call->results[0].data;
  int64_t rows = call->operands[0].shape[0], columns = call->operands[0].shape[1];
  if (call->operands[1].shape[0] != rows || call->results[0].shape[0] != rows) {
    snprintf(call->error, call->error_bytes, "%lld rows of %lld", (long long)rows,
             (long long)call->operands[1].shape[0]);
    return 1;
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      y[i * columns + j] = x[i * columns + j] * s[i];
  return 0;
}

/* The product of two matrices of f32. */
int32_t product(const dmc_custom_call *call, void *data) {
  (void)data;
  const float *a = call->operands[0].data, *b = call->operands[1].data;
  float *c = call->results[0].data;
  int64_t m = call->operands[0].shape[0], k = call->operands[0].shape[1];
  int64_t n = call->operands[1].shape[1];
  memset(c, 0, sizeof(float) * (size_t)(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return 0;
}

/* Adds up the rows before: a rank that has some rows only computes something else. */
int32_t running_sum(const dmc_custom_call *call, void *data) {
  (void)data;
  const float *x = call->operands[0].data;
  float *y = call->results[0].data, sum = 0;
  for (int64_t i = 0; i < call->operands[0].shape[0]; ++i)
    y[i] = sum += x[i];
  return 0;
}

/* Says its configuration. */
int32_t refuse(const dmc_custom_call *call, void *data) {
  (void)data;
  snprintf(call->error, call->error_bytes, "asked to by %s", call->config);
  return 1;
}

int32_t refuse_silently(const dmc_custom_call *call, void *data) {
  (void)call;
  (void)data;
  return 5;
}
