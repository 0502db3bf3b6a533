//===- TargetCpu.h - The processor that code is made for --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_CPU_TARGETCPU_H
#define DMC_LIB_CODEGEN_CPU_TARGETCPU_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Support/LLVM.h"
#include "llvm/TargetParser/Triple.h"

#include <optional>
#include <string>

namespace dmc::codegen {

/// Constants of the program's tables: the lowered program declares them empty, and
/// writeSharedLibrary sets them.
inline constexpr llvm::StringLiteral targetCpuSymbol = "dmc_target_cpu";
inline constexpr llvm::StringLiteral targetFeaturesSymbol = "dmc_target_features";

struct TargetCpu {
  llvm::Triple triple;
  std::string name;
  std::string features; // as LLVM's target machine takes them
  /// Which of the runtime's CpuFeatures.def the code may use, separated by commas. On
  /// other processors than x86-64, nothing: the runtime has no list of them.
  std::string recorded;
  /// Of a vector register, and how many there are.
  int64_t vectorBytes = 16, vectorRegisters = 16;
};

/// This machine's processor for "host" or an empty name, or one that LLVM knows.
/// Nothing, and why.
std::optional<TargetCpu> findTargetCpu(llvm::StringRef name, std::string &error);

/// What every processor of this one's architecture can do: for the host of a program whose kernels
/// run on devices, which computes little and may be another than compiles it.
std::optional<TargetCpu> findBaselineCpu(std::string &error);
/// The processor of a program: code may use the extensions that its target lists, and of those
/// that the runtime knows no other.
std::optional<TargetCpu> findTargetCpu(TargetAttr target, std::string &error);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_CPU_TARGETCPU_H
