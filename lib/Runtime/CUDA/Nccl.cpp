//===- Nccl.cpp - NCCL, real or simulated ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/Nccl.h"
#include "CUDA/SharedLibrary.h"

using namespace dmc;
using namespace dmc::cuda;
using namespace dmc::cuda::nccl;

static constexpr int oldest = 21800;

static std::string nameOf(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

static void fill(Nccl &functions, SharedLibrary &library) {
  using GetVersion = Result (*)(int *);
  auto getVersion = reinterpret_cast<GetVersion>(library.find("ncclGetVersion"));
  if (!getVersion)
    return;
  getVersion(&functions.version);
  if (functions.version < oldest)
    return library.fail("has version " + nameOf(functions.version) + ", but dmc needs " +
                        nameOf(oldest) + " or newer");
  // A library may export what its version does not have yet: a symbol alone promises nothing.
// NOLINTBEGIN(bugprone-macro-parentheses): a type and a list of parameters cannot have any
#define DMC_NCCL_FUNCTION(since, result, exported, name, parameters)                               \
  functions.name = reinterpret_cast<result(*) parameters>(                                         \
      (since) <= oldest              ? library.find(#exported)                                     \
      : functions.version >= (since) ? library.findOptional(#exported)                             \
                                     : nullptr);
// NOLINTEND(bugprone-macro-parentheses)
#include "CUDA/Nccl.def"
}

const Nccl *Nccl::load(bool simulated, std::string &error) {
  static const LibraryNames names = {"NCCL library", {"libnccl.so.2"}, "libnccl.so.2"};
  return loadFunctions<Nccl>(names, simulated, fill, error);
}
