//===- Vendor.h - Finding the vendor's matrix library -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_LIBRARIES_VENDOR_H
#define DMC_LIB_RUNTIME_LIBRARIES_VENDOR_H

#include "dmc/Runtime/VendorPlugin.h"

#include <string>

namespace dmc::runtime {

/// The plugin, loaded at the first call; null, and why, if there is none.
const dmc_vendor *loadVendor(std::string &error);

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_LIBRARIES_VENDOR_H
