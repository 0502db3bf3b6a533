// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The interface is C: this file compiles as such, and calls it. */
#include "dmc-c/Runtime.h"

uint32_t versionFromC(void);

uint32_t versionFromC(void) {
  dmc_session_options options = {0};
  options.struct_size = sizeof(options);
  return dmc_session_options_init(&options) == 0 ? dmc_runtime_version() : 0;
}
