//===- CustomKernels.cpp - Kernels that a session is given ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Libraries/CustomKernels.h"

#include <algorithm>
#include <set>

using namespace dmc;
using namespace dmc::runtime;

/// The names of kernels that calls need, each once.
static std::set<std::string> namesOf(const dmc_program &program) {
  std::set<std::string> names;
  for (uint32_t i = 0; i < program.num_calls; ++i)
    if (const dmc_custom_target *target = program.calls[i].custom)
      names.insert(target->name);
  return names;
}

static std::string list(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "\"" : ", \"") + name + '"';
  return text;
}

Failure CustomKernels::resolve(const dmc_program &program, const std::vector<CustomKernel> &given) {
  kernels_ = given;
  std::vector<std::string> missing, known;
  for (const CustomKernel &kernel : kernels_) {
    if (!kernel.function)
      return "kernel \"" + kernel.name + "\" has no function";
    known.push_back(kernel.name);
  }
  for (const std::string &name : namesOf(program))
    if (std::find(known.begin(), known.end(), name) == known.end())
      missing.push_back(name);
  if (!missing.empty())
    return "the program calls the kernel" + std::string(missing.size() > 1 ? "s " : " ") +
           list(missing) + ", which the session was not given; it was given " +
           (known.empty() ? "none" : list(known));
  calls_.assign(program.num_calls, nullptr);
  for (uint32_t i = 0; i < program.num_calls; ++i)
    if (const dmc_custom_target *target = program.calls[i].custom)
      // A later one of the same name takes the place of an earlier one.
      calls_[i] = &*std::find_if(kernels_.rbegin(), kernels_.rend(),
                                 [&](const CustomKernel &k) { return k.name == target->name; });
  return std::nullopt;
}

Failure CustomKernels::run(const dmc_call &call, int64_t index, int64_t rank,
                           void *const *operands) const {
  const dmc_custom_target &target = *call.custom;
  const CustomKernel &kernel = *calls_[static_cast<size_t>(index)];
  std::vector<dmc_custom_array> arrays(target.num_operands + target.num_results);
  for (size_t i = 0; i < arrays.size(); ++i)
    arrays[i] = {operands[i], target.values[i].element_type, target.values[i].rank,
                 target.values[i].shape};
  char error[1024] = {};
  dmc_custom_call given = {sizeof given,
                           target.num_operands,
                           target.num_results,
                           0,
                           target.name,
                           target.config,
                           arrays.data(),
                           arrays.data() + target.num_operands,
                           rank,
                           error,
                           sizeof error};
  int32_t code = kernel.function(&given, kernel.data);
  if (code == 0)
    return std::nullopt;
  error[sizeof error - 1] = 0;
  return "kernel \"" + kernel.name + "\" failed on rank " + std::to_string(rank) +
         (error[0] ? ": " + std::string(error) : ", with code " + std::to_string(code));
}
