//===- Harness.h - Runs small kernels ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_UNIT_PTX_HARNESS_H
#define DMC_TEST_UNIT_PTX_HARNESS_H

#include "dmc/PTX/Simulator.h"

#include <gtest/gtest.h>

#include <cstring>

namespace dmc::ptx::test {

/// A kernel `k` with these parameters and this body, of which %tid.x is in %t, its eightfold in %o.
inline std::string kernel(const std::string &parameters, const std::string &body) {
  return ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(" + parameters +
         ")\n{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.reg "
         ".f32 %f<9>;\n"
         ".reg .b32 %t;\n.reg .b64 %o;\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 8;\n" +
         body + "\nret;\n}\n";
}

struct Result {
  Outcome outcome;
  std::vector<uint64_t> values;
  std::string error;
};

/// Runs a body for each row of three operands, which it finds in %rd1 .. %rd3; what it leaves in
/// %rd0 comes back, a value a thread.
inline Result runLanes(const std::string &body,
                       const std::vector<std::array<uint64_t, 3>> &operands, uint64_t seed = 0,
                       bool approximates = false) {
  std::string text = kernel(
      ".param .u64 in, .param .u64 out",
      "ld.param.u64 %rd20, [in];\nmad.wide.u32 %rd20, %t, 24, %rd20;\nld.global.u64 %rd1, "
      "[%rd20];\n"
      "ld.global.u64 %rd2, [%rd20+8];\nld.global.u64 %rd3, [%rd20+16];\ncvt.u32.u64 %r1, %rd1;\n"
      "cvt.u32.u64 %r2, %rd2;\ncvt.u32.u64 %r3, %rd3;\ncvt.u16.u64 %h1, %rd1;\ncvt.u16.u64 %h2, "
      "%rd2;\n"
      "cvt.u16.u64 %h3, %rd3;\nmov.u64 %rd0, 0;\nmov.b32 %r0, 0;\nmov.b16 %h0, 0;\n" +
          body +
          "\nld.param.u64 %rd21, [out];\nadd.s64 %rd21, %rd21, %o;\nst.global.u64 [%rd21], %rd0;");
  Result result;
  auto module = Module::parse(text, result.error);
  if (!module)
    return result;
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  launch.block = {static_cast<uint32_t>(operands.size()), 1, 1};
  launch.seed = seed;
  launch.approximates = approximates;
  Address in = memory.allocate(operands.size() * 24), out = memory.allocate(operands.size() * 8);
  memory.write(in, operands.data(), operands.size() * 24);
  launch.arguments.resize(16);
  std::memcpy(launch.arguments.data(), &in, 8);
  std::memcpy(launch.arguments.data() + 8, &out, 8);
  result.outcome = run(*module, launch, memory);
  result.values.resize(operands.size());
  memory.read(out, result.values.data(), operands.size() * 8);
  return result;
}

inline std::string text(const Outcome &outcome) {
  std::string all;
  for (const Report &report : outcome.reports)
    all += report.text() + "\n";
  return all;
}

template <typename T>
uint64_t bitsOf(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <typename T>
T valueOf(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

} // namespace dmc::ptx::test

#endif // DMC_TEST_UNIT_PTX_HARNESS_H
