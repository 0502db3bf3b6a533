//===- Driver.cpp - The CUDA driver, real or simulated --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/Driver.h"
#include "Libraries/Plugins.h"

#include <dlfcn.h>

using namespace dmc;
using namespace dmc::cuda;

namespace {
struct Loaded {
  Driver driver;
  std::string error;
};
} // namespace

/// A driver older than CUDA 13 has the function without the suffix that this version added. The
/// signature is the same; other suffixes name other signatures.
static const char *olderName(const std::string &name) {
  return name == "cuEventElapsedTime_v2" ? "cuEventElapsedTime" : nullptr;
}

static Loaded loadFrom(const std::string &path, const std::string &called) {
  Loaded loaded;
  // Never closed: threads of the driver would lose their code.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    loaded.error = called + " cannot be loaded: " + (why ? why : "unknown reason");
    return loaded;
  }
  auto find = [&](const char *name) {
    void *found = dlsym(library, name);
    if (const char *older = found ? nullptr : olderName(name))
      found = dlsym(library, older);
    if (!found && loaded.error.empty())
      loaded.error = called + " has no function " + name + ": dmc needs a newer one";
    return found;
  };
#define DMC_CUDA_FUNCTION(exported, name, parameters)                                              \
  loaded.driver.name = reinterpret_cast<Result(*) parameters>(find(#exported));
#include "CUDA/Driver.def"
  return loaded;
}

static Loaded loadReal() { return loadFrom("libcuda.so.1", "the CUDA driver libcuda.so.1"); }

static Loaded loadSimulated() {
  runtime::PluginPlace place = runtime::findPlugin("fakes/libcuda.so.1");
  if (!place.path.empty())
    return loadFrom(place.path, "the simulated CUDA driver libcuda.so.1");
  Loaded loaded;
  loaded.error = "the simulated CUDA driver fakes/libcuda.so.1 is in none of: " + place.searched +
                 "; DMC_PLUGIN_DIR names another folder";
  return loaded;
}

const Driver *Driver::load(bool simulated, std::string &error) {
  auto answer = [&](const Loaded &loaded) {
    error = loaded.error;
    return error.empty() ? &loaded.driver : nullptr;
  };
  if (simulated) {
    static const Loaded loaded = loadSimulated();
    return answer(loaded);
  }
  static const Loaded loaded = loadReal();
  return answer(loaded);
}

std::string cuda::describe(Result result) {
  switch (result) {
#define DMC_CUDA_RESULT(name, number, exported, text)                                              \
  case Result::name:                                                                               \
    return #exported " (" #number "): " text;
#include "CUDA/Results.def"
  }
  return "CUDA error " + std::to_string(static_cast<int>(result));
}
