//===- SetTarget.cpp - The target that kernels are made for ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CPU/TargetCpu.h"
#include "GPU/CudaTarget.h"

#include "dmc/Codegen/Passes.h"

namespace dmc {
#define GEN_PASS_DEF_SETTARGET
#include "dmc/Codegen/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {
struct SetTarget : dmc::impl::SetTargetBase<SetTarget> {
  using SetTargetBase::SetTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto given = module->getAttrOfType<TargetAttr>("dmc.target");
    if (given && cpu.empty() && target.empty())
      return;
    std::string error;
    TargetAttr target = find(error);
    if (!target) {
      module.emitError("in the option ")
          << (this->target.empty() ? "cpu" : "target") << " of " << getArgument() << ": " << error;
      return signalPassFailure();
    }
    if (given && given != target) {
      module.emitError("the program's kernels are made for ")
          << given << " already, not for " << target;
      return signalPassFailure();
    }
    module->setAttr("dmc.target", target);
  }

  TargetAttr find(std::string &error) {
    if (!target.empty() && !cpu.empty()) {
      error = "expected a device or a processor, found '" + target + "' and '" + cpu + "'";
      return {};
    }
    if (!target.empty())
      return findCudaTarget(&getContext(), target, error);
    std::optional<TargetCpu> found = findTargetCpu(cpu, error);
    if (!found)
      return {};
    return TargetAttr::getHost(&getContext(), found->name, found->recorded, found->vectorBytes,
                               found->vectorRegisters);
  }
};
} // namespace
