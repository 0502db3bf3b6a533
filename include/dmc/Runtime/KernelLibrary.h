//===- KernelLibrary.h - Kernels in a shared library ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of dmc-c/CustomKernel.h by the names of the operations that they compute.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_KERNELLIBRARY_H
#define DMC_RUNTIME_KERNELLIBRARY_H

#include "dmc/Runtime/Session.h"

namespace dmc::runtime {

/// A library that stays loaded.
class KernelLibrary {
public:
  static std::optional<KernelLibrary> open(const std::string &path, std::string &error);
  /// The function of the operation's name, with _ for what is neither a letter nor a digit; null
  /// if there is none.
  dmc_custom_kernel_fn find(const std::string &name) const;
  /// Adds what a program calls and the library has.
  void addKernels(const dmc_program &program, std::vector<CustomKernel> &kernels) const;

private:
  explicit KernelLibrary(void *handle) : handle_(handle) {}
  void *handle_;
};

} // namespace dmc::runtime

#endif // DMC_RUNTIME_KERNELLIBRARY_H
