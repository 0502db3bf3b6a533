//===- KernelLibrary.cpp - Kernels in a shared library --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/KernelLibrary.h"

#include <cctype>
#include <set>

#include <dlfcn.h>

using namespace dmc;
using namespace dmc::runtime;

std::optional<KernelLibrary> KernelLibrary::open(const std::string &path, std::string &error) {
  // A name without a slash would be searched for in the system's folders.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  if (void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
    return KernelLibrary(handle);
  const char *why = dlerror();
  error = "cannot load the kernels of '" + path + "': " + (why ? why : "for no known reason");
  return std::nullopt;
}

dmc_custom_kernel_fn KernelLibrary::find(const std::string &name) const {
  std::string symbol = name; // `my.op::scale` is `my_op__scale`
  for (char &c : symbol)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return reinterpret_cast<dmc_custom_kernel_fn>(dlsym(handle_, symbol.c_str()));
}

void KernelLibrary::addKernels(const dmc_program &program,
                               std::vector<CustomKernel> &kernels) const {
  std::set<std::string> names;
  for (uint32_t i = 0; i < program.num_calls; ++i)
    if (const dmc_custom_target *target = program.calls[i].custom; target && target->name)
      names.insert(target->name);
  for (const std::string &name : names)
    if (dmc_custom_kernel_fn function = find(name))
      kernels.push_back({name, function, nullptr});
}
