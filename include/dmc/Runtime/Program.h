// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- Program.h - What a compiled program and the runtime share --*- C -*-===*
 *
 * The ABI between a program that dmc-compile wrote (a shared library) and the
 * runtime that executes it. Plain C, versioned: a runtime refuses a program of
 * another version. Sizes are in bytes and shapes in elements unless said.
 *
 *===----------------------------------------------------------------------===*/
#ifndef DMC_RUNTIME_PROGRAM_H
#define DMC_RUNTIME_PROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every change of anything in this file. */
#define DMC_ABI_VERSION 5

/* The symbol that every program exports: dmc_program_query_fn. */
#define DMC_PROGRAM_SYMBOL "dmc_program_query"

typedef enum dmc_element_type {
  DMC_I1 = 1, /* one byte an element, 0 or 1 */
  DMC_I8,
  DMC_I16,
  DMC_I32,
  DMC_I64,
  DMC_UI8,
  DMC_UI16,
  DMC_UI32,
  DMC_UI64,
  DMC_F16,
  DMC_BF16,
  DMC_F32,
  DMC_F64
} dmc_element_type;

typedef enum dmc_combiner { DMC_SUM = 0, DMC_PROD = 1, DMC_MAX = 2, DMC_MIN = 3 } dmc_combiner;

typedef struct dmc_mesh_axis {
  const char *name;
  int64_t size;
} dmc_mesh_axis;

/* A mesh axis or a part of it, as dmc::AxisRef. */
typedef struct dmc_axis_ref {
  uint32_t axis; /* index into the program's axes */
  uint32_t reserved;
  int64_t pre_size;
  int64_t size;
} dmc_axis_ref;

/* An argument or a result. Split dimension d is cut by
 * split_axes[split_begin[d]] .. split_axes[split_begin[d + 1] - 1], major to
 * minor; axes that are not mentioned are replicated. Boundary layouts are never
 * partial. */
typedef struct dmc_value {
  const char *name;
  uint32_t element_type; /* dmc_element_type, signedness as in the source */
  uint32_t rank;
  const int64_t *global_shape;
  const int64_t *local_shape;  /* padded, the same on every rank */
  const uint32_t *split_begin; /* rank + 1 entries */
  const dmc_axis_ref *split_axes;
  uint32_t num_placed;
  uint32_t reserved;
  const dmc_axis_ref *placed_axes;
  const int64_t *placed_coordinates;
  /* Argument: the result that takes over its buffer; result: the argument whose
   * buffer it is; -1: none. The caller passes the same pointer for both. */
  int64_t alias;
} dmc_value;

typedef enum dmc_collective_kind {
  DMC_ALL_REDUCE = 0,
  DMC_ALL_GATHER = 1,
  DMC_REDUCE_SCATTER = 2,
  DMC_ALL_TO_ALL = 3,
  DMC_PERMUTE = 4,
  DMC_BROADCAST = 5
} dmc_collective_kind;

/* One collective as written in the program. Buffers are contiguous, row-major.
 *   all_reduce      operand and result [shape]
 *   all_gather      operand [shape]; result: `dim` is p times as long, blocks in
 *                   group order
 *   reduce_scatter  operand [shape]; result: `dim` is p times shorter
 *   all_to_all      operand [shape]; `dim` is cut into p blocks, block i goes to
 *                   position i; received blocks are laid one after another, in
 *                   group order, along `concat_dim`
 *   permute         operand and result [shape]; pairs of group positions, source
 *                   then target; who receives nothing gets zeros
 *   broadcast       operand and result [shape]; group position `root` sends
 * Reductions run in group order, element by element: x0 (+) x1 (+) ... ; bf16
 * and f16 accumulate in f32 and round once. */
typedef struct dmc_collective {
  uint32_t kind;
  uint32_t combiner;
  uint32_t element_type;
  uint32_t rank;
  const int64_t *shape;
  uint32_t dim;
  uint32_t concat_dim;
  uint32_t num_axes;
  uint32_t num_pairs;
  const dmc_axis_ref *axes; /* the group: its order is row-major over these */
  const int64_t *pairs;
  int64_t root;
  int64_t count;         /* executions in one step; -1: not known */
  int64_t operand_bytes; /* per execution and rank */
  int64_t result_bytes;
  const char *location; /* source location, for people */
  /* Groups that no axes describe: num_groups times group_size ranks, each group
   * in its order; then num_axes is 0. A rank in no group gets zeros. */
  uint32_t num_groups; /* 0: the groups are those of the axes */
  uint32_t group_size;
  const int64_t *groups;
} dmc_collective;

/* A contraction (generalised matrix product) for the vendor library:
 *   C[batch.., m.., n..] = sum over k.. of A[...] * B[...]   (+ C if accumulate)
 * Loops are listed batch first, then m, n, k; strides are in elements of the
 * respective buffer and 0 where a buffer is not indexed by the loop. */
typedef struct dmc_contraction {
  uint32_t a_type, b_type, c_type; /* f32, f64, bf16, f16; C at least as wide */
  uint32_t num_batch, num_m, num_n, num_k;
  uint32_t accumulate;
  const int64_t *sizes;
  const int64_t *a_strides;
  const int64_t *b_strides;
  const int64_t *c_strides;
  const char *location;
} dmc_contraction;

/* Opaque to the program; one per rank. */
typedef struct dmc_rank_context dmc_rank_context;
typedef struct dmc_runtime_api dmc_runtime_api;

/* Runs the iterations begin .. end - 1 of a loop nest on the calling thread. `arguments` has 8
 * bytes for each argument of the kernel: the address of a buffer, or a scalar in its low bytes. */
typedef int32_t (*dmc_nest_fn)(dmc_rank_context *, const dmc_runtime_api *, const void *arguments,
                               int64_t begin, int64_t end);

/* A loop nest. Its iterations are independent of each other, write different elements and
 * compute the same values however they are divided: the runtime may run them in any order and
 * on any threads. */
typedef struct dmc_nest {
  dmc_nest_fn function;
  int64_t iterations; /* at least 1 */
  int64_t bytes;      /* that all iterations read and write, each element of a buffer once */
  int64_t flops;      /* floating-point operations of all iterations, library calls included */
} dmc_nest;

/* A function of the schedule: nests that run one after the other. */
typedef struct dmc_kernel {
  const char *name;
  int64_t count; /* launches in one step; -1: not known */
  const char *location;
  uint32_t num_nests;
  uint32_t num_arguments;
  const dmc_nest *nests;
} dmc_kernel;

/* What the runtime offers to a program. Functions return 0, or nonzero after
 * having recorded an error: the program then returns that value at once. */
struct dmc_runtime_api {
  uint32_t version;
  uint32_t reserved;
  int32_t (*collective)(dmc_rank_context *, int64_t index, const void *operand, void *result);
  int32_t (*collective_start)(dmc_rank_context *, int64_t index, const void *operand, void *result);
  int32_t (*collective_wait)(dmc_rank_context *, int64_t index);
  int32_t (*contract)(dmc_rank_context *, const dmc_contraction *, const void *a, const void *b,
                      void *c);
  int32_t (*launch)(dmc_rank_context *, int64_t kernel, const void *arguments);
};

/* Runs one step on one rank. `coordinates` has the rank's coordinate on every
 * mesh axis. Arguments and results are local, contiguous, 64-byte aligned. */
typedef int32_t (*dmc_step_fn)(dmc_rank_context *, const dmc_runtime_api *,
                               const int64_t *coordinates, void *const *arguments,
                               void *const *results, void *arena);

typedef struct dmc_program {
  uint32_t abi_version; /* first member in every version */
  uint32_t struct_size;
  const char *name;
  const char *compiler;  /* for people: "dmc 0.1.0 (LLVM 22.1.8)" */
  uint64_t plan_hash[2]; /* of the whole plan: the same on all ranks of a job */
  uint32_t num_axes, num_arguments, num_results, num_collectives, num_kernels;
  uint32_t num_contractions; /* different ones; 0: the program never calls `contract` */
  const dmc_mesh_axis *axes;
  const dmc_value *arguments;
  const dmc_value *results;
  const dmc_collective *collectives;
  const dmc_kernel *kernels;
  int64_t arena_bytes;
  int64_t arena_alignment;
  int64_t flops; /* of contractions and convolutions, per rank */
  dmc_step_fn step;
  /* The processor that the code is for, and which extensions of the instruction set
   * (names of CpuFeatures.def, separated by commas) it may use: a processor without
   * one of them cannot execute it. */
  const char *target_cpu;
  const char *target_features;
  /* What one thread is taken to read and write and to compute in nests in a second: a nest that
   * takes less time than waking other threads is left to one. 0: not known. */
  int64_t thread_bytes_per_s;
  int64_t thread_flops_per_s;
  /* A contraction of fewer floating-point operations is left to one thread: its last bits may
   * depend on their number, which no measurement of the moment may decide. */
  int64_t least_divided_flops;
} dmc_program;

/* The program, or null if it cannot serve that ABI version. */
typedef const dmc_program *(*dmc_program_query_fn)(uint32_t abi_version);

#ifdef __cplusplus
}
#endif

#endif /* DMC_RUNTIME_PROGRAM_H */
