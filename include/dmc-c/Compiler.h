// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- Compiler.h - Compiling programs from C and other languages ---*- C -*-===*
 *
 * What libdmc_compiler.so exports. A compilation takes a text in memory and makes
 * a library or the text of a level, in a file or in memory, as dmc-compile does.
 * No function ends the process or prints: what is wrong is a list of diagnostics.
 *
 * Ownership: what a function creates is destroyed by the function of the same
 * name with _destroy; texts and structs that an object returns are its own and
 * live as long as it. A compilation copies what it needs of its request.
 *
 * Threads: any number of compilations run at once, each on the thread that calls
 * dmc_compile, which needs a stack of 8 MiB, and on threads of its own that end
 * with it. A finished compilation may be read by many threads at once. Nothing
 * here may be called in a forked child while another thread of the parent
 * compiled.
 *
 *===----------------------------------------------------------------------===*/
#ifndef DMC_C_COMPILER_H
#define DMC_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DMC_EXPORT
#define DMC_EXPORT __attribute__((visibility("default")))
#endif

/* Raised when functions, options' structs or outputs are added; nothing that is here changes. */
#define DMC_COMPILER_API_VERSION 1

/* The interface's version of the library that is loaded, and dmc's, for instance "0.2.0". */
DMC_EXPORT uint32_t dmc_compiler_version(void);
DMC_EXPORT const char *dmc_compiler_release(void);

/*===--- Options ----------------------------------------------------------===*/

/* An option of dmc-compile: its name there without dashes, "mesh" for instance,
 * and its value there, "data=4". A flag's value is "true" (as null or "" are)
 * or "false". What the command line refuses is refused here, with the same text.
 * "o", "report" and "save-plan" name files; "-" is standard output. */
typedef struct dmc_compile_option {
  const char *name;
  const char *value;
} dmc_compile_option;

typedef struct dmc_compile_option_info {
  uint32_t struct_size; /* of the library */
  uint32_t is_list;     /* nonzero: may be given several times */
  const char *name;
  const char *value; /* what it looks like, as "data=4,model=2"; empty: a flag */
  const char *description;
} dmc_compile_option_info;

/* The options that there are, from index 0; null beyond the last. */
DMC_EXPORT const dmc_compile_option_info *dmc_compile_option_at(uint32_t index);

/*===--- Interrupts -------------------------------------------------------===*/

/* Ends compilations early. */
typedef struct dmc_interrupt dmc_interrupt;

DMC_EXPORT dmc_interrupt *dmc_interrupt_create(void);
/* Ends all compilations that were given this interrupt, and those that will be: each as soon as
 * the pass or the part of the object code that runs is done. May be called at any time, by any
 * thread, by the progress function and by a handler of a signal. */
DMC_EXPORT void dmc_interrupt_request(dmc_interrupt *);
/* When no compilation uses it any more. Null is ignored. */
DMC_EXPORT void dmc_interrupt_destroy(dmc_interrupt *);

/*===--- Compilation ------------------------------------------------------===*/

/* What a compilation makes; a request names a set of them. */
typedef enum dmc_compile_output {
  /* The library's bytes, or the text of the level that "emit" names: always made, and kept in
   * memory unless "o" names a file. */
  DMC_OUTPUT_PROGRAM = 1,
  DMC_OUTPUT_REPORT = 2, /* as the option "report" writes it: JSON */
  /* As dmc-explain writes it, the JSON with the loops of kernels where the compilation makes them.
     Costs a second compilation as far as kernels. */
  DMC_OUTPUT_EXPLANATION_JSON = 4,
  DMC_OUTPUT_EXPLANATION_HTML = 8,
  DMC_OUTPUT_EXPLANATION_TEXT = 16
} dmc_compile_output;

typedef struct dmc_compile_progress {
  uint32_t struct_size; /* of the library */
  uint32_t stage;       /* from 1; a program that enters at a later level skips some */
  uint32_t num_stages;
  uint32_t reserved;
  const char *name; /* of the stage that begins, as "parallelize" */
} dmc_compile_progress;

/* Called when a stage begins, by the thread that compiles. */
typedef void (*dmc_compile_progress_fn)(const dmc_compile_progress *, void *data);

typedef struct dmc_compile_request {
  uint32_t struct_size; /* sizeof(dmc_compile_request), set by the caller; the rest may be 0 */
  uint32_t outputs;     /* a set of dmc_compile_output */
  /* A program at any level: StableHLO, TOSA or linalg text, what "emit" wrote, or MLIR's
   * bytecode. No null character needs to end it. */
  const char *source;
  size_t source_bytes;
  const char *source_name; /* stands for the file in diagnostics; null: "<memory>" */
  const dmc_compile_option *options;
  size_t num_options;
  dmc_compile_progress_fn progress; /* or null */
  void *progress_data;
  dmc_interrupt *interrupt; /* or null; outlives the compilation */
} dmc_compile_request;

typedef struct dmc_compilation dmc_compilation;

typedef enum dmc_compile_status {
  DMC_COMPILE_SUCCEEDED = 0,
  DMC_COMPILE_FAILED = 1,     /* a diagnostic of severity DMC_ERROR says why */
  DMC_COMPILE_INTERRUPTED = 2 /* so says the last diagnostic */
} dmc_compile_status;

/* Compiles; never null. A file appears whole or not at all. */
DMC_EXPORT dmc_compilation *dmc_compile(const dmc_compile_request *);
/* Null is ignored. */
DMC_EXPORT void dmc_compilation_destroy(dmc_compilation *);

/* The functions below take a null compilation for a failed one without diagnostics and outputs. */

/* A dmc_compile_status. */
DMC_EXPORT uint32_t dmc_compilation_status(const dmc_compilation *);

/* One output, with a null character behind it, and its bytes if `bytes` is not null. Null if it was
 * not asked for, was written to a file, or the compilation failed. */
DMC_EXPORT const char *dmc_compilation_output(const dmc_compilation *, dmc_compile_output output,
                                              size_t *bytes);

typedef enum dmc_severity {
  DMC_ERROR = 0,
  DMC_WARNING = 1,
  DMC_REMARK = 2,
  DMC_NOTE = 3
} dmc_severity;

typedef struct dmc_diagnostic {
  uint32_t struct_size;  /* of the library */
  uint32_t severity;     /* dmc_severity */
  const char *message;   /* a phrase: lower-case start, no full stop */
  const char *file;      /* as the program's locations name it; empty: none is known */
  uint32_t line, column; /* from 1; 0: not known */
  uint32_t num_notes;
  uint32_t reserved;
} dmc_diagnostic;

/* In the order in which they were emitted; null beyond the last. Of notes, which have none of their
 * own, "called from" follows for each call that the program's locations record. */
DMC_EXPORT uint32_t dmc_compilation_num_diagnostics(const dmc_compilation *);
DMC_EXPORT const dmc_diagnostic *dmc_compilation_diagnostic(const dmc_compilation *,
                                                            uint32_t index);
DMC_EXPORT const dmc_diagnostic *dmc_compilation_note(const dmc_compilation *, uint32_t index,
                                                      uint32_t note);

#ifdef __cplusplus
}
#endif

#endif /* DMC_C_COMPILER_H */
