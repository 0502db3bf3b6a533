//===- AdoptTables.cpp - Tables of older programs -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AdoptTables.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <vector>

using namespace dmc;
using namespace dmc::runtime;

namespace {

/// A program and the tables that were rewritten for it.
class Adopted {
public:
  dmc_program program = {};
  std::string error;

  bool adopt(const dmc_program &original) {
    auto bytes = original.struct_size;
    // Of all that the first version of this interface has.
    if (bytes < offsetof(dmc_program, least_divided_flops) + sizeof(int64_t) ||
        !fits("program", bytes, sizeof(dmc_program)))
      return error.empty() ? fail("has a table of " + std::to_string(bytes) + " bytes, expected " +
                                  std::to_string(sizeof(dmc_program)))
                           : false;
    std::memcpy(&program, &original, bytes);
    program.struct_size = sizeof program;
    dmc_struct_sizes sizes = original.sizes;
    return widen("value", program.arguments, program.num_arguments, sizes.value) &&
           widen("value", program.results, program.num_results, sizes.value) &&
           widen("collective", program.collectives, program.num_collectives, sizes.collective) &&
           widen("arena", program.arenas, program.num_arenas, sizes.arena) &&
           widen("constant", program.constants, program.num_constants, sizes.constant) &&
           widen("image", program.images, program.num_images, sizes.image) && adoptKernels(sizes) &&
           adoptCalls(sizes);
  }

private:
  bool fail(const std::string &why) {
    error = why;
    return false;
  }

  bool fits(const char *what, size_t bytes, size_t known) {
    return bytes <= known ||
           fail("is of a newer dmc: it describes a " + std::string(what) + " in " +
                std::to_string(bytes) + " bytes, this runtime knows " + std::to_string(known));
  }

  /// Rows of `bytes` each become rows of the struct.
  template <typename T>
  bool widen(const char *what, const T *&rows, size_t count, size_t bytes) {
    if (!rows || !count || bytes == sizeof(T))
      return true;
    if (!fits(what, bytes, sizeof(T)))
      return false;
    if (!bytes)
      return fail("does not say how long its tables are");
    std::vector<uint64_t> &memory = tables_.emplace_back((count * sizeof(T) + 7) / 8, 0);
    auto *to = reinterpret_cast<uint8_t *>(memory.data());
    const auto *from = reinterpret_cast<const uint8_t *>(rows);
    for (size_t i = 0; i < count; ++i)
      std::memcpy(to + i * sizeof(T), from + i * bytes, bytes);
    rows = reinterpret_cast<const T *>(to);
    return true;
  }

  /// The rows, to be changed, if tables that they refer to have other lengths.
  template <typename T>
  T *own(const T *&rows, size_t count) {
    std::vector<uint64_t> &memory = tables_.emplace_back((count * sizeof(T) + 7) / 8, 0);
    std::memcpy(memory.data(), rows, count * sizeof(T));
    auto *mine = reinterpret_cast<T *>(memory.data());
    rows = mine;
    return mine;
  }

  bool adoptKernels(const dmc_struct_sizes &sizes) {
    if (!widen("kernel", program.kernels, program.num_kernels, sizes.kernel))
      return false;
    bool areSame =
        sizes.nest == sizeof(dmc_nest) && sizes.device_launch == sizeof(dmc_device_launch);
    if (!program.kernels || areSame)
      return true;
    dmc_kernel *kernels = own(program.kernels, program.num_kernels);
    for (uint32_t k = 0; k < program.num_kernels; ++k) {
      if (!widen("nest", kernels[k].nests, kernels[k].num_nests, sizes.nest))
        return false;
      if (!kernels[k].nests)
        continue;
      dmc_nest *nests = own(kernels[k].nests, kernels[k].num_nests);
      for (uint32_t n = 0; n < kernels[k].num_nests; ++n)
        if (!widen("launch", nests[n].device, 1, sizes.device_launch))
          return false;
    }
    return true;
  }

  bool adoptCalls(const dmc_struct_sizes &sizes) {
    if (!widen("call", program.calls, program.num_calls, sizes.call))
      return false;
    if (!program.calls || sizes.contraction == sizeof(dmc_contraction))
      return true;
    dmc_call *calls = own(program.calls, program.num_calls);
    for (uint32_t i = 0; i < program.num_calls; ++i)
      if (!widen("contraction", calls[i].contraction, 1, sizes.contraction))
        return false;
    return true;
  }

  std::deque<std::vector<uint64_t>> tables_; // aligned as all structs
};

} // namespace

std::shared_ptr<const dmc_program> runtime::adoptTables(const dmc_program &program,
                                                        std::string &error) {
  auto adopted = std::make_shared<Adopted>();
  if (!adopted->adopt(program)) {
    error = adopted->error;
    return nullptr;
  }
  return {adopted, &adopted->program};
}
