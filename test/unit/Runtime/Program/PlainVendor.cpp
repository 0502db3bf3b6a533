//===- PlainVendor.cpp - A vendor plugin that offers nothing --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under the name of the real plugin it leaves every contraction to the runtime's plain
// loops: no threads but dmc's own, all code of which a sanitizer sees.
//
//===----------------------------------------------------------------------===//

#include "dmc/Runtime/VendorPlugin.h"

#include <cstdio>

static int32_t create(const dmc_matmul *, int32_t, void **, char *error, int64_t errorSize) {
  std::snprintf(error, static_cast<size_t>(errorSize), "offers nothing");
  return DMC_VENDOR_UNSUPPORTED;
}

static int32_t execute(void *, const void *, const void *, void *, char *error, int64_t errorSize) {
  std::snprintf(error, static_cast<size_t>(errorSize), "offers nothing");
  return DMC_VENDOR_FAILED;
}

static void destroy(void *) {}

extern "C" __attribute__((visibility("default"))) const dmc_vendor *
dmc_vendor_query(uint32_t abiVersion) {
  static const dmc_vendor vendor = {DMC_VENDOR_ABI_VERSION, 0, "plain", create, execute, destroy};
  return abiVersion == DMC_VENDOR_ABI_VERSION ? &vendor : nullptr;
}
