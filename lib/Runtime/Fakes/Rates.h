//===- Rates.h - What the modelled device reaches ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the data sheet of NVIDIA's H100 SXM, per second; sparsity is not counted.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_FAKES_RATES_H
#define DMC_LIB_RUNTIME_FAKES_RATES_H

namespace dmc::fakes {

constexpr double startSeconds = 2e-6;  // of a kernel or a copy
constexpr double memoryRate = 3.35e12; // bytes
constexpr double hostRate = 64e9;      // bytes: PCIe 5.0, 16 lanes
constexpr double linkRate = 450e9;     // bytes that leave: NVLink, half of 900 GB/s
constexpr double laneRate = 132.0 * 4.0 * 32.0 * 1.98e9; // processors, schedulers, lanes, clock
/// Floating-point operations of matrix products, by the type of their operands.
constexpr double halfRate = 989e12;  // f16, bf16, by tensor cores
constexpr double floatRate = 67e12;  // f32, without them
constexpr double doubleRate = 67e12; // f64, by tensor cores

} // namespace dmc::fakes

#endif // DMC_LIB_RUNTIME_FAKES_RATES_H
