// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- VendorPlugin.h - What a matrix library offers to the runtime -*- C -*-===*
 *
 * The C ABI between the runtime and a plugin around a vendor's matrix library,
 * loaded at first use. It exports DMC_VENDOR_SYMBOL.
 *
 *===----------------------------------------------------------------------===*/
#ifndef DMC_RUNTIME_VENDORPLUGIN_H
#define DMC_RUNTIME_VENDORPLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DMC_VENDOR_ABI_VERSION 1
#define DMC_VENDOR_SYMBOL "dmc_vendor_query"
#define DMC_VENDOR_MAX_BATCH 6

/* C[batch, m, n] = A[batch, m, k] * B[batch, k, n] (+ C). Strides are in
 * elements; of each pair (m, k), (k, n), (m, n) one is 1. Types are
 * dmc_element_type. All sizes are positive. */
typedef struct dmc_matmul {
  uint32_t a_type, b_type, c_type;
  uint32_t accumulate;
  uint32_t num_batch;
  uint32_t reserved;
  int64_t batch[DMC_VENDOR_MAX_BATCH];
  int64_t a_batch[DMC_VENDOR_MAX_BATCH], b_batch[DMC_VENDOR_MAX_BATCH],
      c_batch[DMC_VENDOR_MAX_BATCH];
  int64_t m, n, k;
  int64_t a_m, a_k, b_k, b_n, c_m, c_n;
} dmc_matmul;

typedef enum dmc_vendor_status {
  DMC_VENDOR_OK = 0,
  DMC_VENDOR_UNSUPPORTED = 1,
  DMC_VENDOR_FAILED = 2
} dmc_vendor_status;

typedef struct dmc_vendor {
  uint32_t abi_version;
  uint32_t reserved;
  const char *name; /* "oneDNN 2.6.3" */
  /* Prepares a product. The handle belongs to one thread at a time. */
  int32_t (*create)(const dmc_matmul *, int32_t threads, void **handle, char *error,
                    int64_t error_size);
  int32_t (*execute)(void *handle, const void *a, const void *b, void *c, char *error,
                     int64_t error_size);
  void (*destroy)(void *handle);
} dmc_vendor;

typedef const dmc_vendor *(*dmc_vendor_query_fn)(uint32_t abi_version);

#ifdef __cplusplus
}
#endif

#endif /* DMC_RUNTIME_VENDORPLUGIN_H */
