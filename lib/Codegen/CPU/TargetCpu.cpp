//===- TargetCpu.cpp - The processor that code is made for ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime refuses a program whose instructions the processor lacks. So that it can
// check all of them, code may use nothing but the extensions that the runtime knows.
//
//===----------------------------------------------------------------------===//

#include "CPU/TargetCpu.h"

#include "dmc/Codegen/SharedLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <memory>
#include <mutex>

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// What the runtime can ask the processor for.
static const StringRef checkedFeatures[] = {
#define DMC_X86_FEATURE(NAME, LEAF, SUBLEAF, REGISTER, BIT, STATE) NAME,
#include "dmc/Runtime/CpuFeatures.def"
};

/// What every x86-64 processor has.
static const StringRef baselineFeatures[] = {"64bit", "cmov", "cx8",  "fxsr",
                                             "mmx",   "sse",  "sse2", "x87"};

/// Switches off what the runtime cannot check.
static void disableUnchecked(llvm::SubtargetFeatures &features, ArrayRef<StringRef> enabled) {
  for (StringRef feature : enabled)
    if (!llvm::is_contained(checkedFeatures, feature) &&
        !llvm::is_contained(baselineFeatures, feature))
      features.AddFeature(feature, false);
}

static std::string featuresOf(const llvm::Triple &triple, StringRef name, bool isHost) {
  llvm::SubtargetFeatures features;
  llvm::StringMap<bool> host;
  SmallVector<StringRef> enabled;
  if (isHost) {
    host = llvm::sys::getHostCPUFeatures();
    for (auto &feature : host) {
      features.AddFeature(feature.first(), feature.second);
      if (feature.second)
        enabled.push_back(feature.first());
    }
  } else if (triple.isX86()) {
    llvm::X86::getFeaturesForCPU(name, enabled);
  }
  if (triple.isX86())
    disableUnchecked(features, enabled);
  return features.getString();
}

static SmallVector<StringRef> getKnownCpus(const llvm::Triple &triple,
                                           const llvm::MCSubtargetInfo &subtarget) {
  SmallVector<StringRef> names;
  if (triple.isX86())
    llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
  else
    for (const llvm::SubtargetSubTypeKV &cpu : subtarget.getAllProcessorDescriptions())
      names.push_back(cpu.Key);
  llvm::erase_if(names, [&](StringRef name) { return !subtarget.isCPUStringValid(name); });
  return names;
}

/// Fills in what follows from the name and the features.
static void describe(TargetCpu &cpu, const llvm::Target &target) {
  // Other processors that LLVM knows have 32 registers of 16 bytes at least.
  cpu.vectorRegisters = 32;
  if (!cpu.triple.isX86())
    return;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target.createMCSubtargetInfo(cpu.triple, cpu.name, cpu.features));
  auto has = [&](StringRef feature) { return subtarget->checkFeatures(("+" + feature).str()); };
  cpu.recorded = llvm::join(llvm::make_filter_range(checkedFeatures, has), ",");
  bool isWide = has("avx512f");
  cpu.vectorRegisters = isWide ? 32 : 16;
  cpu.vectorBytes = isWide && !has("prefer-256-bit") ? 64 : has("avx") ? 32 : 16;
}

static std::optional<TargetCpu> findTargetCpu(StringRef name, const llvm::Target *&target,
                                              std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  TargetCpu cpu;
  cpu.triple = llvm::Triple(llvm::sys::getProcessTriple());
  target = llvm::TargetRegistry::lookupTarget(cpu.triple, error);
  if (!target)
    return std::nullopt;
  bool isHost = name.empty() || name == "host";
  cpu.name = isHost ? llvm::sys::getHostCPUName().str() : name.str();
  if (!isHost) {
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
        target->createMCSubtargetInfo(cpu.triple, "", ""));
    SmallVector<StringRef> known = getKnownCpus(cpu.triple, *subtarget);
    if (!llvm::is_contained(known, name)) {
      error = "expected host or one of " + llvm::join(known, ", ") + "; found '" + name.str() + "'";
      return std::nullopt;
    }
  }
  cpu.features = featuresOf(cpu.triple, cpu.name, isHost);
  describe(cpu, *target);
  return cpu;
}

std::optional<TargetCpu> codegen::findTargetCpu(StringRef name, std::string &error) {
  const llvm::Target *target;
  return ::findTargetCpu(name, target, error);
}

std::optional<TargetCpu> codegen::findBaselineCpu(std::string &error) {
  bool isX86 = llvm::Triple(llvm::sys::getProcessTriple()).isX86();
  return findTargetCpu(isX86 ? "x86-64" : "generic", error);
}

std::optional<TargetCpu> codegen::findTargetCpu(TargetAttr attr, std::string &error) {
  const llvm::Target *target;
  // This machine's name may be one that stands for no processor in particular.
  bool isHost = attr.getProcessor() == llvm::sys::getHostCPUName();
  std::optional<TargetCpu> cpu =
      ::findTargetCpu(isHost ? "host" : attr.getProcessor(), target, error);
  if (!cpu || !cpu->triple.isX86())
    return cpu;
  for (StringRef feature : llvm::split(attr.getFeatures(), ','))
    if (!feature.empty() && !llvm::is_contained(checkedFeatures, feature)) {
      error = "unknown feature '" + feature.str() + "' in dmc.target";
      return std::nullopt;
    }
  // Without an extension the processor also lacks those that need it.
  llvm::SubtargetFeatures features(cpu->features);
  for (bool isEnabled : {false, true})
    for (StringRef feature : checkedFeatures)
      if (attr.hasFeature(feature) == isEnabled)
        features.AddFeature(feature, isEnabled);
  cpu->features = features.getString();
  describe(*cpu, *target);
  return cpu;
}

std::string dmc::checkTargetCpu(StringRef name) {
  std::string error;
  return findTargetCpu(name, error) ? "" : error;
}
