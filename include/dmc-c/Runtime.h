// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- Runtime.h - Running programs from C and other languages -------*- C -*-===*
 *
 * What libdmc_runtime.so exports. Functions that fail return null or nonzero;
 * dmc_last_error then says why (per thread). A mistake of the caller (a null or
 * destroyed session, a wrong index or size, missing arguments, use by two threads
 * at once or in a forked process) is such a failure.
 *
 *===----------------------------------------------------------------------===*/
#ifndef DMC_C_RUNTIME_H
#define DMC_C_RUNTIME_H

#include "dmc-c/CustomKernel.h"
#include "dmc-c/Program.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DMC_EXPORT __attribute__((visibility("default")))

/* Raised when functions or options are added; nothing that is here changes.
 *   1  create, destroy, program, set_argument, get_result, step, last_error
 *   2  the functions on arguments, locals, tables and reports, and options
 *   3  blocks, bind, deterministic
 *   4  kernels
 *   5  bind of many */
#define DMC_RUNTIME_API_VERSION 5

/* The interface's version of the library that is loaded, and dmc's, for instance "0.2.0". */
DMC_EXPORT uint32_t dmc_runtime_version(void);
DMC_EXPORT const char *dmc_version(void);

/* Why the last call of this thread that failed did so; never null. */
DMC_EXPORT const char *dmc_last_error(void);

/* A program on its ranks, which are threads of this process. A handle is not an
 * address, and is never used twice. */
typedef struct dmc_session dmc_session;

typedef struct dmc_session_options {
  uint32_t struct_size;     /* sizeof(dmc_session_options), set by the caller */
  uint32_t poison;          /* nonzero: padding, results and arena start as NaN */
  uint32_t check_copies;    /* nonzero: compare replicated results of collectives */
  int32_t threads_per_rank; /* of kernels and library calls; 0: cores / ranks */
  double watchdog_seconds;  /* without progress until a hang is reported; 0: never */
  const char *fault;        /* as DMC_FAULT (docs/running.md), or null */
  /* Since version 3. */
  uint32_t deterministic; /* nonzero: the same bits for any number of threads */
  uint32_t reserved;
  /* Since version 4. Those that the program calls by name are to be among them; of several with
   * one name the last. Copied; functions and data are used until the session is destroyed. */
  const dmc_custom_kernel *kernels;
  size_t num_kernels;
} dmc_session_options;

/* Fills options with the defaults and what DMC_POISON, DMC_CHECK_COPIES,
 * DMC_WATCHDOG_SECONDS and DMC_FAULT change. */
DMC_EXPORT int32_t dmc_session_options_init(dmc_session_options *);

/* Loads a compiled program and makes its ranks. */
DMC_EXPORT dmc_session *dmc_session_create(const char *path);
DMC_EXPORT dmc_session *dmc_session_create_with(const char *path, const dmc_session_options *);
/* Waits for a call of another thread to end. Null and destroyed handles are
 * ignored. */
DMC_EXPORT void dmc_session_destroy(dmc_session *);

/* The tables of the program; what these functions return lives as long as the
 * session. Null if there is no such session, argument or result. A layout reads
 * "[{"data"}, {}]": the axes that split each dimension. */
DMC_EXPORT const dmc_program *dmc_session_program(const dmc_session *);
DMC_EXPORT const dmc_value *dmc_session_argument(const dmc_session *, uint32_t index);
DMC_EXPORT const dmc_value *dmc_session_result(const dmc_session *, uint32_t index);
DMC_EXPORT const char *dmc_session_argument_layout(const dmc_session *, uint32_t index);
DMC_EXPORT const char *dmc_session_result_layout(const dmc_session *, uint32_t index);
/* -1 if there is no such session. */
DMC_EXPORT int64_t dmc_session_num_ranks(const dmc_session *);
DMC_EXPORT int64_t dmc_session_num_arguments(const dmc_session *);
DMC_EXPORT int64_t dmc_session_num_results(const dmc_session *);

/* Global arrays, row-major; `bytes` must be the size of the value. The argument
 * that is got is the one given, or, if donated, what the last step left in it. */
DMC_EXPORT int32_t dmc_session_set_argument(dmc_session *, uint32_t index, const void *data,
                                            size_t bytes);
DMC_EXPORT int32_t dmc_session_get_argument(dmc_session *, uint32_t index, void *data,
                                            size_t bytes);
DMC_EXPORT int32_t dmc_session_get_result(dmc_session *, uint32_t index, void *data, size_t bytes);

/* The arrays of one rank, in the value's local shape, padding included. */
DMC_EXPORT int32_t dmc_session_set_local(dmc_session *, int64_t rank, uint32_t index,
                                         const void *data, size_t bytes);
DMC_EXPORT int32_t dmc_session_get_local(dmc_session *, int64_t rank, uint32_t index, void *data,
                                         size_t bytes);

/* The same, to and from memory in a space (dmc_memory_space). */
DMC_EXPORT int32_t dmc_session_set_block(dmc_session *, int64_t rank, uint32_t index,
                                         uint32_t space, const void *data, size_t bytes);
DMC_EXPORT int32_t dmc_session_get_block(dmc_session *, int64_t rank, uint32_t index,
                                         uint32_t space, void *data, size_t bytes);
/* Memory of the caller for an argument, or a result, of a rank: as many bytes as its local shape
 * has. */
typedef struct dmc_binding {
  int64_t rank;
  uint32_t index;
  uint32_t is_result; /* 0: of an argument */
  void *data;
  size_t bytes;
} dmc_binding;

/* For the next step alone, without a copy: the ranks read arguments from the caller's memory,
 * in the value's local shape, and leave there what replaces them if they are donated, or write
 * results there. The memory is aligned to 64 bytes, stays until the step has ended, and nothing
 * else that is bound shares what the step writes. Then the ranks have neither values of donated
 * arguments nor of the results. After a failure nothing is bound. */
DMC_EXPORT int32_t dmc_session_bind(dmc_session *, uint32_t space, const dmc_binding *bindings,
                                    size_t count);
/* The same of one value. */
DMC_EXPORT int32_t dmc_session_bind_argument(dmc_session *, int64_t rank, uint32_t index,
                                             uint32_t space, void *data, size_t bytes);
DMC_EXPORT int32_t dmc_session_bind_result(dmc_session *, int64_t rank, uint32_t index,
                                           uint32_t space, void *data, size_t bytes);

/* Runs one step; every argument must have been set. Results that alias an argument
 * replace it: the next step starts from them. After a failure these arguments must
 * be set again. */
DMC_EXPORT int32_t dmc_session_step(dmc_session *);

/* What the program moves and needs, as the JSON text of `dmc-run --report`; valid
 * until the next call of this function. */
DMC_EXPORT const char *dmc_session_report_json(dmc_session *);

#ifdef __cplusplus
}
#endif

#endif /* DMC_C_RUNTIME_H */
