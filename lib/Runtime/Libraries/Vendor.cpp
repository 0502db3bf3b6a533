//===- Vendor.cpp - Finding the vendor's matrix library -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Libraries/Vendor.h"
#include "Libraries/Plugins.h"

#include <cstdlib>

using namespace dmc;
using namespace dmc::runtime;

static constexpr const char *pluginName = "libdmc_onednn.so";

namespace {
struct Loaded {
  const dmc_vendor *vendor = nullptr;
  std::string error;
};
} // namespace

static Loaded load() {
  Loaded loaded;
  PluginPlace place = findPlugin(pluginName);
  if (place.path.empty()) {
    loaded.error = std::string("contractions need the plugin ") + pluginName +
                   ", which is in none of: " + place.searched +
                   "; DMC_PLUGIN_DIR names another folder";
    return loaded;
  }
  // Read when its OpenMP library is loaded. By default waiting threads spin for
  // milliseconds, which takes the cores from other ranks and processes.
  if (!std::getenv("OMP_WAIT_POLICY"))
    setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0);
  auto query = reinterpret_cast<dmc_vendor_query_fn>(
      loadPlugin(place.path, DMC_VENDOR_SYMBOL, /*isGlobal=*/false, loaded.error));
  if (!query)
    return loaded;
  loaded.vendor = query(DMC_VENDOR_ABI_VERSION);
  if (!loaded.vendor)
    loaded.error = place.path + ": is not a plugin for this runtime";
  return loaded;
}

const dmc_vendor *runtime::loadVendor(std::string &error) {
  static const Loaded loaded = load();
  error = loaded.error;
  return loaded.vendor;
}
