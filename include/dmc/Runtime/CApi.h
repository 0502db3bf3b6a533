// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- CApi.h - Running programs from C and other languages -------*- C -*-===*
 *
 * What libdmc_runtime.so exports. Functions that fail return null or nonzero;
 * dmc_last_error then says why (per thread).
 *
 *===----------------------------------------------------------------------===*/
#ifndef DMC_RUNTIME_CAPI_H
#define DMC_RUNTIME_CAPI_H

#include "dmc/Runtime/Program.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DMC_EXPORT __attribute__((visibility("default")))

typedef struct dmc_session dmc_session;

DMC_EXPORT const char *dmc_last_error(void);

/* Loads a compiled program and makes its ranks. */
DMC_EXPORT dmc_session *dmc_session_create(const char *path);
DMC_EXPORT void dmc_session_destroy(dmc_session *);
DMC_EXPORT const dmc_program *dmc_session_program(const dmc_session *);

/* Global arrays, row-major; `bytes` must be the size of the value. */
DMC_EXPORT int32_t dmc_session_set_argument(dmc_session *, uint32_t index, const void *data,
                                            size_t bytes);
DMC_EXPORT int32_t dmc_session_get_result(dmc_session *, uint32_t index, void *data, size_t bytes);

/* Runs one step. Results that alias an argument replace it: the next step starts
 * from them. */
DMC_EXPORT int32_t dmc_session_step(dmc_session *);

#ifdef __cplusplus
}
#endif

#endif /* DMC_RUNTIME_CAPI_H */
