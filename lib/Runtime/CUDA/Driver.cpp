//===- Driver.cpp - The CUDA driver, real or simulated --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/Driver.h"
#include "CUDA/SharedLibrary.h"

using namespace dmc;
using namespace dmc::cuda;

/// A driver older than CUDA 13 has the function without the suffix that this version added. The
/// signature is the same; other suffixes name other signatures.
static const char *olderName(const std::string &name) {
  return name == "cuEventElapsedTime_v2" ? "cuEventElapsedTime" : nullptr;
}

static void *find(SharedLibrary &library, const char *name) {
  if (const char *older = olderName(name))
    if (!library.findOptional(name))
      return library.find(older);
  return library.find(name);
}

static void fill(Driver &driver, SharedLibrary &library) {
// NOLINTBEGIN(bugprone-macro-parentheses): lists
#define DMC_CUDA_FUNCTION(exported, name, parameters)                                              \
  driver.name = reinterpret_cast<Result(*) parameters>(find(library, #exported));
#include "CUDA/Driver.def"
  // NOLINTEND(bugprone-macro-parentheses)
  driver.executed = reinterpret_cast<uint64_t (*)()>(library.findOptional("dmcFakeExecuted"));
}

const Driver *Driver::load(bool simulated, std::string &error) {
  static const LibraryNames names = {"CUDA driver", {"libcuda.so.1"}, "libcuda.so.1"};
  return loadFunctions<Driver>(names, simulated, fill, error);
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
