// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- CompilerFromC.h - Test cases that are written in C -------------------===*/
#ifndef DMC_TEST_COMPILERFROMC_H
#define DMC_TEST_COMPILERFROMC_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *name;
  void (*run)(void);
} CompilerCase;

extern const CompilerCase compilerCases[];
extern const unsigned numCompilerCases;

/* Runs one case, which writes its files to the folder; returns how many of its checks failed. */
int runCompilerCase(unsigned index, const char *folder);

#ifdef __cplusplus
}
#endif

#endif
