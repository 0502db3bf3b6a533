// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- CompilerFromC.c - The compiler from C, and its callers' mistakes -----===*/
#include "CompilerFromC.h"

#include "dmc-c/Compiler.h"
#include "dmc-c/Runtime.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int numFailed;
static const char *folder;

#define CHECK(condition) check(condition, #condition, __LINE__)
static int check(int condition, const char *text, int line) {
  if (!condition) {
    fprintf(stderr, "CompilerFromC.c:%d: failed: %s\n", line, text);
    __atomic_add_fetch(&numFailed, 1, __ATOMIC_SEQ_CST);
  }
  return condition;
}

/* The product of a matrix that is split by rows and one that is split by columns: the partial
 * sums are reduced. */
static const char product[] =
    "func.func public @main(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]\n"
    "      : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>\n"
    "  return %0 : tensor<8x4xf32>\n"
    "}\n";

static dmc_compile_request makeRequest(const char *source) {
  dmc_compile_request request;
  memset(&request, 0, sizeof request);
  request.struct_size = sizeof request;
  request.source = source;
  request.source_bytes = strlen(source);
  request.source_name = "net.mlir";
  return request;
}

/* The compilation of a text with up to two options, which are null where there are fewer. */
static dmc_compilation *compile(const char *source, const char *name, const char *value,
                                const char *name2, const char *value2) {
  dmc_compile_option options[2] = {{name, value}, {name2, value2}};
  dmc_compile_request request = makeRequest(source);
  request.options = options;
  request.num_options = !!name + !!name2;
  return dmc_compile(&request);
}

static const char *outputOf(const dmc_compilation *compilation, dmc_compile_output output) {
  const char *text = dmc_compilation_output(compilation, output, NULL);
  return text ? text : "";
}

static void printDiagnostics(const dmc_compilation *compilation) {
  for (uint32_t i = 0; i < dmc_compilation_num_diagnostics(compilation); ++i) {
    const dmc_diagnostic *diagnostic = dmc_compilation_diagnostic(compilation, i);
    fprintf(stderr, "  %s:%u:%u: %s\n", diagnostic->file, diagnostic->line, diagnostic->column,
            diagnostic->message);
  }
}

#define EXPECT_SUCCESS(compilation) expectSuccess(compilation, __LINE__)
static int expectSuccess(const dmc_compilation *compilation, int line) {
  int isRight = check(dmc_compilation_status(compilation) == DMC_COMPILE_SUCCEEDED,
                      "the compilation succeeds", line);
  if (!isRight)
    printDiagnostics(compilation);
  return isRight;
}

/* The only diagnostic is an error with this text in it; destroys the compilation. */
#define EXPECT_ERROR(compilation, text) expectError(compilation, text, __LINE__)
static void expectError(dmc_compilation *compilation, const char *text, int line) {
  int isRight = check(dmc_compilation_status(compilation) == DMC_COMPILE_FAILED,
                      "the compilation fails", line);
  isRight &= check(dmc_compilation_num_diagnostics(compilation) == 1, "one diagnostic", line);
  const dmc_diagnostic *first = dmc_compilation_diagnostic(compilation, 0);
  isRight &=
      check(first && first->severity == DMC_ERROR && strstr(first->message, text), text, line);
  if (!isRight)
    printDiagnostics(compilation);
  check(!dmc_compilation_output(compilation, DMC_OUTPUT_PROGRAM, NULL), "no output", line);
  dmc_compilation_destroy(compilation);
}

/* Files in the folder with this in their name. */
static int countFiles(const char *part) {
  int count = 0;
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory && (entry = readdir(directory));)
    count += strstr(entry->d_name, part) != NULL;
  if (directory)
    closedir(directory);
  return count;
}

static void testText(void) {
  dmc_compilation *compilation = compile(product, "emit", "ranks", "mesh", "data=2");
  EXPECT_SUCCESS(compilation);
  CHECK(strstr(outputOf(compilation, DMC_OUTPUT_PROGRAM), "#dmc.program<ranks") != NULL);
  CHECK(!dmc_compilation_output(compilation, DMC_OUTPUT_REPORT, NULL));
  CHECK(dmc_compilation_num_diagnostics(compilation) == 0);
  /* The text of a level is a program too. */
  dmc_compilation *next =
      compile(outputOf(compilation, DMC_OUTPUT_PROGRAM), "emit", "scheduled", "verify-each", NULL);
  EXPECT_SUCCESS(next);
  CHECK(strstr(outputOf(next, DMC_OUTPUT_PROGRAM), "#dmc.program<scheduled") != NULL);
  dmc_compilation_destroy(next);
  dmc_compilation_destroy(compilation);
}

/* The library is an executable program, and the report and the explanation are about it. */
static void testLibrary(void) {
  dmc_compile_option options[] = {{"mesh", "data=2"}, {"verify-each", "true"}};
  dmc_compile_request request = makeRequest(product);
  request.options = options;
  request.num_options = 2;
  request.outputs = DMC_OUTPUT_REPORT | DMC_OUTPUT_EXPLANATION_JSON | DMC_OUTPUT_EXPLANATION_HTML |
                    DMC_OUTPUT_EXPLANATION_TEXT;
  dmc_compilation *compilation = dmc_compile(&request);
  EXPECT_SUCCESS(compilation);
  size_t bytes = 0;
  const char *library = dmc_compilation_output(compilation, DMC_OUTPUT_PROGRAM, &bytes);
  CHECK(library && bytes > 4 && !memcmp(library, "\177ELF", 4));
  CHECK(strstr(outputOf(compilation, DMC_OUTPUT_REPORT), "\"flops\"") != NULL);
  CHECK(outputOf(compilation, DMC_OUTPUT_EXPLANATION_JSON)[0] == '{');
  CHECK(strstr(outputOf(compilation, DMC_OUTPUT_EXPLANATION_JSON), "\"kernels\"") != NULL);
  CHECK(strstr(outputOf(compilation, DMC_OUTPUT_EXPLANATION_HTML), "<!DOCTYPE html>") != NULL);
  CHECK(strstr(outputOf(compilation, DMC_OUTPUT_EXPLANATION_TEXT), "data=2") != NULL);
  dmc_compilation_destroy(compilation);
}

/* Compiles again to a file of which this process runs the older program. */
static void testFile(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/program.so", folder);
  unlink(path);
  dmc_compilation *compilation = compile(product, "o", path, NULL, NULL);
  EXPECT_SUCCESS(compilation);
  CHECK(!dmc_compilation_output(compilation, DMC_OUTPUT_PROGRAM, NULL));
  dmc_compilation_destroy(compilation);
  dmc_session *session = dmc_session_create(path);
  CHECK(session && dmc_session_num_ranks(session) == 1);
  dmc_compile_option options[] = {{"o", path}, {"mesh", "data=2"}};
  dmc_compile_request request = makeRequest(product);
  request.options = options;
  request.num_options = 2;
  request.outputs = DMC_OUTPUT_REPORT;
  compilation = dmc_compile(&request);
  EXPECT_SUCCESS(compilation);
  CHECK(strstr(outputOf(compilation, DMC_OUTPUT_REPORT), "\"data\": 2") != NULL);
  dmc_compilation_destroy(compilation);
  dmc_session_destroy(session);
  CHECK(countFiles("program.so") == 1);
}

/* Each element times the number that the session gives the kernel. */
static int32_t scale(const dmc_custom_call *call, void *data) {
  const float *x = (const float *)call->operands[0].data;
  float *y = (float *)call->results[0].data;
  for (int64_t i = 0; i < call->operands[0].shape[0]; ++i)
    y[i] = *(const float *)data * x[i];
  return call->operands[0].shape[0] == 2 ? 0 : 1; /* half of it */
}

/* A sharding rule by name for the compiler, and a kernel by name for the session. */
static void testKernels(void) {
  static const char source[] =
      "func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = stablehlo.custom_call @scale(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  return %0 : tensor<4xf32>\n"
      "}\n";
  char path[4096], layouts[4096];
  snprintf(path, sizeof path, "%s/kernels.so", folder);
  snprintf(layouts, sizeof layouts, "%s/kernels.json", folder);
  FILE *file = fopen(layouts, "w");
  fputs("{\"c\": {\"mesh\": [[\"data\", 2]], \"arguments\": [[[\"data\"]]], "
        "\"results\": [[[\"data\"]]]}}",
        file);
  fclose(file);
  EXPECT_ERROR(compile(source, NULL, NULL, NULL, NULL), "or a kernel of this name");
  EXPECT_ERROR(compile(source, "custom-call", "scale=([i, j]) -> ([i, j])", NULL, NULL),
               "operand 0 has 2 dimensions in the rule, but 1 in the operation");
  EXPECT_ERROR(compile(source, "custom-call", "scale=([i]) -> (i)", NULL, NULL),
               "in --custom-call: the rule of 'scale': expected '[', found 'i)'");
  dmc_compile_option options[] = {{"o", path},
                                  {"custom-call", "scale=([i]) -> ([i])"},
                                  {"custom-call", "another"},
                                  {"layouts", layouts},
                                  {"case", "c"}};
  dmc_compile_request request = makeRequest(source);
  request.options = options;
  request.num_options = 5;
  dmc_compilation *compilation = dmc_compile(&request);
  EXPECT_SUCCESS(compilation);
  dmc_compilation_destroy(compilation);

  CHECK(!dmc_session_create(path));
  CHECK(strstr(dmc_last_error(), "the program calls the kernel \"scale\"") != NULL);
  float three = 3, x[4] = {1, 2, 3, 4}, y[4] = {0, 0, 0, 0};
  dmc_custom_kernel kernel = {"scale", scale, &three};
  dmc_session_options given;
  given.struct_size = sizeof given;
  CHECK(dmc_session_options_init(&given) == 0);
  given.kernels = &kernel;
  given.num_kernels = 1;
  dmc_session *session = dmc_session_create_with(path, &given);
  CHECK(session && dmc_session_num_ranks(session) == 2);
  CHECK(dmc_session_set_argument(session, 0, x, sizeof x) == 0);
  CHECK(dmc_session_step(session) == 0);
  CHECK(dmc_session_get_result(session, 0, y, sizeof y) == 0);
  CHECK(y[0] == 3 && y[1] == 6 && y[2] == 9 && y[3] == 12);
  dmc_session_destroy(session);
}

/* A failure leaves no file, not even a part of one. */
static void testNothingHalfWritten(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/unfinished.so", folder);
  EXPECT_ERROR(compile(product, "o", path, "linker", "no-such-linker"), "no-such-linker");
  CHECK(countFiles("unfinished") == 0);
  snprintf(path, sizeof path, "%s/nowhere/program.so", folder);
  EXPECT_ERROR(compile(product, "o", path, NULL, NULL), "cannot write '");
}

static void testDiagnostics(void) {
  dmc_compilation *compilation =
      compile("func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
              "  return %y : tensor<4xf32>\n}\n",
              NULL, NULL, NULL, NULL);
  const dmc_diagnostic *first = dmc_compilation_diagnostic(compilation, 0);
  CHECK(first && !strcmp(first->file, "net.mlir") && first->line == 2 && first->column == 10);
  CHECK(!dmc_compilation_diagnostic(compilation, 1));
  EXPECT_ERROR(compilation, "use of undeclared SSA value name");

  /* Where the program's own locations point to. */
  compilation = compile("func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                        "  %0 = stablehlo.custom_call @nobody_knows(%x)\n"
                        "      : (tensor<4xf32>) -> tensor<4xf32>\n"
                        "      loc(callsite(\"call\"(\"train.py\":7:3) at \"main.py\":9:1))\n"
                        "  return %0 : tensor<4xf32>\n}\n",
                        NULL, NULL, NULL, NULL);
  first = dmc_compilation_diagnostic(compilation, 0);
  CHECK(first && !strcmp(first->file, "train.py") && first->line == 7 && first->column == 3);
  const dmc_diagnostic *note = dmc_compilation_note(compilation, 0, 0);
  CHECK(note && note->severity == DMC_NOTE && !strcmp(note->message, "called from") &&
        !strcmp(note->file, "main.py") && note->line == 9);
  CHECK(first && first->num_notes >= 1 && !dmc_compilation_note(compilation, 0, first->num_notes));
  EXPECT_ERROR(compilation, "unsupported");
}

static void testOptions(void) {
  EXPECT_ERROR(compile(product, "mehs", "data=2", NULL, NULL),
               "unknown option 'mehs'; did you mean 'mesh'?");
  EXPECT_ERROR(compile(product, "no-such-option", "1", NULL, NULL),
               "unknown option 'no-such-option'; expected one of mesh, layouts");
  EXPECT_ERROR(compile(product, "mesh", "data=2", "mesh", "data=4"), "--mesh is given twice");
  EXPECT_ERROR(compile(product, "emit", "nothing", NULL, NULL),
               "in --emit: expected one of tensor, parallel");
  EXPECT_ERROR(compile(product, "verify-each", "perhaps", NULL, NULL),
               "in --verify-each: expected true or false, found 'perhaps'");
  EXPECT_ERROR(compile(product, "ranks", "-1", NULL, NULL), "--ranks expects how many, found -1");
  EXPECT_ERROR(compile(product, "bucket-bytes", "-1", NULL, NULL), "--bucket-bytes expects");
  EXPECT_ERROR(compile(product, "machine", "speed=1", NULL, NULL), "in --machine: expected");
  EXPECT_ERROR(compile(product, "case", "one", NULL, NULL), "--layouts and --case need each other");
  EXPECT_ERROR(compile(product, "target", "cuda:sm_90a", "target-cpu", "x86-64"),
               "expected one of them");
  EXPECT_ERROR(compile(product, "emit", "tensor", "strategy", "megatron"),
               "--emit=tensor stops before");
  EXPECT_ERROR(compile(product, "mesh", "data", "emit", "ranks"), "mesh");
  uint32_t count = 0;
  int hasMesh = 0;
  for (const dmc_compile_option_info *info; (info = dmc_compile_option_at(count)); ++count) {
    CHECK(info->struct_size == sizeof *info && info->description[0]);
    hasMesh |= !strcmp(info->name, "mesh") && !strcmp(info->value, "data=4,model=2|auto:64");
  }
  CHECK(count > 10 && hasMesh);
}

static void testRequests(void) {
  CHECK(dmc_compiler_version() == DMC_COMPILER_API_VERSION);
  CHECK(!strcmp(dmc_compiler_release(), dmc_version()));
  EXPECT_ERROR(dmc_compile(NULL), "the request is null");
  dmc_compile_request request = makeRequest(product);
  request.struct_size = 8;
  EXPECT_ERROR(dmc_compile(&request), "found a struct_size of 8");
  /* A caller of a later version, with a member at the end that is set, or not. */
  struct {
    dmc_compile_request known;
    uint64_t later;
  } longer = {makeRequest(product), 1};
  dmc_compile_option emit = {"emit", "tensor"};
  longer.known.struct_size = sizeof longer;
  longer.known.options = &emit;
  longer.known.num_options = 1;
  EXPECT_ERROR(dmc_compile(&longer.known), "of the interface does not know");
  longer.later = 0;
  dmc_compilation *compilation = dmc_compile(&longer.known);
  EXPECT_SUCCESS(compilation);
  dmc_compilation_destroy(compilation);
  request = makeRequest(product);
  request.source = NULL;
  EXPECT_ERROR(dmc_compile(&request), "the source is null");
  request = makeRequest(product);
  request.num_options = 1;
  EXPECT_ERROR(dmc_compile(&request), "the options are null");
  emit.name = NULL;
  request.options = &emit;
  EXPECT_ERROR(dmc_compile(&request), "the name of option 0 is null");
  request = makeRequest(product);
  request.outputs = 1u << 30;
  EXPECT_ERROR(dmc_compile(&request), "unknown outputs 1073741824");
  request.outputs = DMC_OUTPUT_REPORT;
  emit.name = "emit";
  request.options = &emit;
  request.num_options = 1;
  EXPECT_ERROR(dmc_compile(&request), "--report describes a plan or a program");
  dmc_compilation_destroy(NULL);
  CHECK(dmc_compilation_status(NULL) == DMC_COMPILE_FAILED);
  CHECK(!dmc_compilation_output(NULL, DMC_OUTPUT_PROGRAM, NULL));
}

typedef struct {
  uint32_t count, last, isWrong;
  const char *stopAt;
  dmc_interrupt *interrupt;
} Stages;

static void noteStage(const dmc_compile_progress *progress, void *data) {
  Stages *stages = data;
  stages->isWrong |= progress->stage <= stages->last || progress->stage > progress->num_stages;
  stages->last = progress->stage;
  ++stages->count;
  if (stages->stopAt && !strcmp(progress->name, stages->stopAt))
    dmc_interrupt_request(stages->interrupt);
}

static void testProgress(void) {
  Stages stages = {0};
  dmc_compile_request request = makeRequest(product);
  request.progress = noteStage;
  request.progress_data = &stages;
  dmc_compilation *compilation = dmc_compile(&request);
  EXPECT_SUCCESS(compilation);
  /* parse, import, parallelize, ranks, schedule, codegen */
  CHECK(stages.count == 6 && stages.last == 6 && !stages.isWrong);
  dmc_compilation_destroy(compilation);
}

/* An interrupt in any stage ends the compilation with one diagnostic and without a file. */
static void testInterrupt(void) {
  static const char *const names[] = {"parse",    "import",  "parallelize", "ranks",
                                      "schedule", "codegen", "explain"};
  char path[4096], expected[256];
  snprintf(path, sizeof path, "%s/interrupted.so", folder);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    Stages stages = {0};
    stages.stopAt = names[i];
    stages.interrupt = dmc_interrupt_create();
    dmc_compile_option options[] = {{"o", path}, {"mesh", "data=2"}};
    dmc_compile_request request = makeRequest(product);
    request.options = options;
    request.num_options = 2;
    request.outputs = DMC_OUTPUT_REPORT | DMC_OUTPUT_EXPLANATION_TEXT;
    request.progress = noteStage;
    request.progress_data = &stages;
    request.interrupt = stages.interrupt;
    dmc_compilation *compilation = dmc_compile(&request);
    CHECK(dmc_compilation_status(compilation) == DMC_COMPILE_INTERRUPTED);
    const dmc_diagnostic *first = dmc_compilation_diagnostic(compilation, 0);
    snprintf(expected, sizeof expected, "the compilation was interrupted in stage '%s'", names[i]);
    CHECK(first && !strcmp(first->message, expected) && first->severity == DMC_ERROR);
    CHECK(dmc_compilation_num_diagnostics(compilation) == 1);
    CHECK(!dmc_compilation_output(compilation, DMC_OUTPUT_REPORT, NULL));
    dmc_compilation_destroy(compilation);
    /* It stays requested. */
    compilation = dmc_compile(&request);
    first = dmc_compilation_diagnostic(compilation, 0);
    CHECK(first && !strcmp(first->message, "the compilation was interrupted"));
    dmc_compilation_destroy(compilation);
    dmc_interrupt_destroy(stages.interrupt);
  }
  CHECK(countFiles("interrupted") == 0);
}

static void *compileOften(void *data) {
  const char *mesh = data;
  for (int i = 0; i < 3; ++i) {
    dmc_compilation *compilation = compile(product, "mesh", mesh, NULL, NULL);
    EXPECT_SUCCESS(compilation);
    dmc_compilation_destroy(compilation);
    /* A text that kills MLIR's parser, or is refused, concerns no other thread. */
    EXPECT_ERROR(compile("module {", "mesh", mesh, NULL, NULL), "expected");
  }
  return NULL;
}

static void testThreads(void) {
  static char one[] = "data=2", other[] = "x=4";
  pthread_t threads[2];
  CHECK(!pthread_create(&threads[0], NULL, compileOften, one));
  CHECK(!pthread_create(&threads[1], NULL, compileOften, other));
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

const CompilerCase compilerCases[] = {
    {"Requests", testRequests},       {"Text", testText},
    {"Library", testLibrary},         {"File", testFile},
    {"Kernels", testKernels},         {"NothingHalfWritten", testNothingHalfWritten},
    {"Diagnostics", testDiagnostics}, {"Options", testOptions},
    {"Progress", testProgress},       {"Interrupt", testInterrupt},
    {"Threads", testThreads},
};
const unsigned numCompilerCases = sizeof compilerCases / sizeof *compilerCases;

int runCompilerCase(unsigned index, const char *where) {
  folder = where;
  numFailed = 0;
  compilerCases[index].run();
  return numFailed;
}
