// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- Program.h - What a compiled program and the runtime share --*- C -*-===*
 *
 * The ABI between a program that dmc-compile wrote (a shared library) and the
 * runtime that executes it. Plain C, versioned: a runtime refuses a program of
 * another version. Sizes are in bytes and shapes in elements unless said.
 *
 *===----------------------------------------------------------------------===*/
#ifndef DMC_C_PROGRAM_H
#define DMC_C_PROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when something in this file changes its meaning. Structs grow at their end without a new
 * version: a program says how long its structs are, members that it does not have are 0, and a
 * runtime refuses structs that are longer than those it knows. */
#define DMC_ABI_VERSION 6

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

/* Where memory is. */
typedef enum dmc_memory_space { DMC_MEMORY_HOST = 0, DMC_MEMORY_DEVICE = 1 } dmc_memory_space;

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
  /* Integers that index others: how many values lie within all of them; 0: not known. */
  uint32_t below;
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
  uint32_t stream; /* that it runs on, between start and wait */
  uint32_t reserved;
} dmc_collective;

/* A contraction (generalised matrix product):
 *   C[batch.., m.., n..] = sum over k.. of A[...] * B[...]   (+ C if accumulate)
 * Loops are listed batch first, then m, n, k; strides are in elements of the
 * respective buffer and 0 where a buffer is not indexed by the loop. */
typedef struct dmc_contraction {
  /* f32, f64, bf16, f16, with C at least as wide; or on the host integers of 8 to 64 bits, each
   * extended by its own sign, with sums modulo 2 to the bits of C. */
  uint32_t a_type, b_type, c_type;
  uint32_t num_batch, num_m, num_n, num_k;
  uint32_t accumulate;
  const int64_t *sizes;
  const int64_t *a_strides;
  const int64_t *b_strides;
  const int64_t *c_strides;
  const char *location;
} dmc_contraction;

/* An operand or a result of a kernel that the program does not define, on each rank: contiguous,
 * row-major. */
typedef struct dmc_custom_value {
  uint32_t element_type; /* dmc_element_type */
  uint32_t rank;
  const int64_t *shape;
} dmc_custom_value;

/* The call of such a kernel, which the session is given by name (dmc-c/CustomKernel.h). */
typedef struct dmc_custom_target {
  uint32_t struct_size; /* of the program; structs grow at their end */
  uint32_t num_operands;
  uint32_t num_results;
  uint32_t reserved;
  const char *name;
  const char *config;             /* what the program says to the kernel; may be empty */
  const dmc_custom_value *values; /* operands, then results */
} dmc_custom_target;

typedef enum dmc_call_kind { DMC_CALL_CONTRACTION = 0, DMC_CALL_CUSTOM = 1 } dmc_call_kind;

/* A call of a library, or of a kernel by name. Everything about it is known before the first step,
 * when a library may prepare it. Operands of a contraction: A, B, C; of a kernel: its operands,
 * then its results. */
typedef struct dmc_call {
  uint32_t kind; /* dmc_call_kind */
  uint32_t num_operands;
  const char *name; /* for people: of the kernel that it is a part of */
  const dmc_contraction *contraction;
  int64_t count;         /* executions in one step; -1: not known */
  int64_t bytes;         /* that it reads and writes, each element of a buffer once */
  int64_t flops;         /* floating-point operations */
  int64_t scratch_bytes; /* memory that all threads share while it runs, at most; 0: none */
  const char *location;
  uint32_t stream;
  uint32_t reserved;
  int64_t thread_scratch_bytes;    /* memory of each thread while it runs, at most */
  const dmc_custom_target *custom; /* null: a library is called */
} dmc_call;

/* Opaque to the program; one per rank. */
typedef struct dmc_rank_context dmc_rank_context;
typedef struct dmc_runtime_api dmc_runtime_api;

/* How a device runs a loop nest: one function of its images, which has the arguments of the
 * kernel as its parameters. */
typedef struct dmc_device_launch {
  const char *entry;
  uint32_t grid[3], block[3]; /* blocks, and threads in each */
  uint32_t shared_bytes;      /* beside what the function declares itself */
  uint32_t reserved;
} dmc_device_launch;

/* Runs the iterations begin .. end - 1 of a loop nest on the calling thread. `arguments` has 8
 * bytes for each argument of the kernel: the address of a buffer, or a scalar in its low bytes. */
typedef int32_t (*dmc_nest_fn)(dmc_rank_context *, const dmc_runtime_api *, const void *arguments,
                               int64_t begin, int64_t end);

/* A loop nest. Its iterations are independent of each other, write different elements and
 * compute the same values however they are divided: the runtime may run them in any order and
 * on any threads. */
typedef struct dmc_nest {
  dmc_nest_fn function; /* null: a device runs it */
  int64_t iterations;   /* at least 1 */
  int64_t bytes;        /* that all iterations read and write, each element of a buffer once */
  int64_t flops;        /* floating-point operations of all iterations */
  const dmc_device_launch *device;
} dmc_nest;

/* A function of the schedule: nests that run one after the other. */
typedef struct dmc_kernel {
  const char *name;
  int64_t count; /* launches in one step; -1: not known */
  const char *location;
  uint32_t num_nests;
  uint32_t num_arguments;
  const dmc_nest *nests;
  uint32_t stream;
  uint32_t reserved;
} dmc_kernel;

/* Memory of a step in one space, of each rank. */
typedef struct dmc_arena {
  uint32_t space; /* dmc_memory_space */
  uint32_t reserved;
  int64_t bytes;
  int64_t alignment; /* a power of two */
} dmc_arena;

/* Values that a device needs in its memory, the same in all steps. */
typedef struct dmc_constant {
  const void *data;
  int64_t bytes;
} dmc_constant;

typedef enum dmc_image_kind { DMC_IMAGE_PTX = 0, DMC_IMAGE_CUBIN = 1 } dmc_image_kind;

/* Code of a device: text with a final zero, or binary. */
typedef struct dmc_image {
  uint32_t kind; /* dmc_image_kind */
  uint32_t reserved;
  const char *chip; /* "sm_90a" */
  const void *data;
  int64_t bytes;
} dmc_image;

typedef enum dmc_event_kind { DMC_EVENT_RECORD = 0, DMC_EVENT_WAIT = 1 } dmc_event_kind;

/* What the runtime offers to a program. Functions return 0, or nonzero after
 * having recorded an error: the program then returns that value at once.
 *
 * Launches, calls, collectives and copies run on streams, by the order in which they are given; a
 * stream that waits for an event begins what follows when all that preceded the record has ended.
 * A processor's streams end everything before the function returns. `arguments` and `operands`
 * have 8 bytes for each: the address of a buffer, or a scalar in its low bytes. */
struct dmc_runtime_api {
  uint32_t version;
  uint32_t struct_size;
  int32_t (*collective)(dmc_rank_context *, int64_t index, const void *operand, void *result);
  int32_t (*collective_start)(dmc_rank_context *, int64_t index, const void *operand, void *result);
  int32_t (*collective_wait)(dmc_rank_context *, int64_t index);
  int32_t (*launch)(dmc_rank_context *, int64_t kernel, const void *arguments);
  int32_t (*call)(dmc_rank_context *, int64_t call, const void *operands);
  int32_t (*event)(dmc_rank_context *, int64_t event, uint32_t kind, uint32_t stream);
  /* A copy to the host has ended when the function returns. Spaces are dmc_memory_space. */
  int32_t (*copy)(dmc_rank_context *, void *to, uint32_t to_space, const void *from,
                  uint32_t from_space, int64_t bytes, uint32_t stream);
};

/* The memory of a step. Arguments and results are local, contiguous, 64-byte aligned; arenas and
 * constants are those of the program's tables. */
typedef struct dmc_step_memory {
  uint32_t struct_size;
  uint32_t reserved;
  const int64_t *coordinates; /* of the rank, on every mesh axis */
  void *const *arguments;
  void *const *results;
  void *const *arenas;
  void *const *constants;
} dmc_step_memory;

/* Runs one step on one rank. */
typedef int32_t (*dmc_step_fn)(dmc_rank_context *, const dmc_runtime_api *,
                               const dmc_step_memory *);

/* What executes kernels. */
typedef enum dmc_device_kind { DMC_DEVICE_HOST = 0, DMC_DEVICE_CUDA = 1 } dmc_device_kind;

/* How long each struct of a program's tables is. */
typedef struct dmc_struct_sizes {
  uint32_t value, collective, kernel, nest, device_launch, call, contraction, arena, constant,
      image;
} dmc_struct_sizes;

/* Those of this file, to initialize a program's sizes. */
#define DMC_STRUCT_SIZES                                                                           \
  {sizeof(dmc_value),         sizeof(dmc_collective), sizeof(dmc_kernel),      sizeof(dmc_nest),   \
   sizeof(dmc_device_launch), sizeof(dmc_call),       sizeof(dmc_contraction), sizeof(dmc_arena),  \
   sizeof(dmc_constant),      sizeof(dmc_image)}

typedef struct dmc_program {
  uint32_t abi_version; /* first member in every version */
  uint32_t struct_size;
  dmc_struct_sizes sizes;
  const char *name;
  const char *compiler;  /* for people: "dmc 0.1.0 (LLVM 22.1.8)" */
  uint64_t plan_hash[2]; /* of the whole plan: the same on all ranks of a job */
  uint32_t num_axes, num_arguments, num_results, num_collectives, num_kernels, num_calls;
  uint32_t num_arenas, num_constants, num_images;
  uint32_t num_streams; /* at least 1 */
  uint32_t num_events;
  uint32_t device; /* dmc_device_kind */
  const dmc_mesh_axis *axes;
  const dmc_value *arguments;
  const dmc_value *results;
  const dmc_collective *collectives;
  const dmc_kernel *kernels;
  const dmc_call *calls;
  const dmc_arena *arenas; /* at most one of each space */
  const dmc_constant *constants;
  const dmc_image *images;
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
  /* The first operation of a step on a device for which the host waits for a value of the device,
   * and where it is: "'scf.while' at model.py:3:1". Null: none. */
  const char *host_wait;
  /* What an execution of each kernel, of each call and of each collective, in this order, is
   * predicted to take in picoseconds on the machine for which the program was compiled, each rank
   * on a device of it. Null: not predicted. */
  const int64_t *predicted_ps;
} dmc_program;

/* The program, or null if it cannot serve that ABI version. */
typedef const dmc_program *(*dmc_program_query_fn)(uint32_t abi_version);

#ifdef __cplusplus
}
#endif

#endif /* DMC_C_PROGRAM_H */
