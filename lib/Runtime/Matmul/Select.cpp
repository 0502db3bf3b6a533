//===- Select.cpp - The kernels for this processor ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device/Cpu.h"
#include "Matmul/Kernels.h"

#include <algorithm>

using namespace dmc::runtime;
using namespace dmc::runtime::matmul;

using KernelsOf = const Kernels *(*)(uint32_t);

static KernelsOf select() {
#if defined(__x86_64__)
  std::vector<std::string> present = cpuFeatures();
  auto has = [&](const char *name) {
    return std::find(present.begin(), present.end(), name) != present.end();
  };
  if (has("avx2") && has("fma") && has("f16c"))
    return has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq") ? avx512Kernels
                                                                                   : avx2Kernels;
#endif
  return baseKernels;
}

const Kernels &matmul::kernelsFor(uint32_t type) {
  static const KernelsOf selected = select();
  return *selected(type);
}
