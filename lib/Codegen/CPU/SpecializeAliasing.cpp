//===- SpecializeAliasing.cpp - Kernels that know shared buffers ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each way in which the launches of a kernel share memory.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Buffers.h"

#include "dmc/Codegen/Passes.h"
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc {
#define GEN_PASS_DEF_SPECIALIZEALIASING
#include "dmc/Codegen/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

/// What a launch's operands have in common: per input the operand that is the
/// same memory, and per operand whether it overlaps another in any other way.
struct Sharing {
  SmallVector<int64_t> same; // operand number of a destination, or -1
  llvm::SmallBitVector overlaps;
  llvm::SmallBitVector aligned; // begins at a line, as arguments and the arena do

  std::string key() const {
    std::string text;
    for (auto [i, other] : llvm::enumerate(same))
      text += std::to_string(other) + (overlaps.test(i) ? "!" : " ");
    return text;
  }
};

Sharing sharingOf(LaunchOp launch, const BufferMap &buffers) {
  unsigned count = launch->getNumOperands(), firstInit = launch.getInputs().size();
  Sharing sharing{SmallVector<int64_t>(count, -1), llvm::SmallBitVector(count),
                  llvm::SmallBitVector(count)};
  SmallVector<std::optional<Buffer>> ranges;
  for (Value operand : launch->getOperands())
    ranges.push_back(isa<MemRefType>(operand.getType()) ? buffers.find(operand) : std::nullopt);
  int64_t alignment = TargetAttr::of(launch).getAlignment();
  for (auto [i, range] : llvm::enumerate(ranges))
    sharing.aligned[i] = range && range->offset % alignment == 0;
  auto isMemory = [&](unsigned i) { return isa<MemRefType>(launch->getOperand(i).getType()); };
  for (unsigned j = firstInit; j < count; ++j) {
    for (unsigned i = 0; i < j; ++i) {
      if (!isMemory(i))
        continue;
      bool isSame = ranges[i] && ranges[j] && *ranges[i] == *ranges[j] &&
                    launch->getOperand(i).getType() == launch->getOperand(j).getType();
      if (isSame && i < firstInit && sharing.same[i] < 0) {
        sharing.same[i] = j;
      } else if (!ranges[i] || !ranges[j] || ranges[i]->overlaps(*ranges[j])) {
        sharing.overlaps.set(i);
        sharing.overlaps.set(j);
      }
    }
  }
  return sharing;
}

struct SpecializeAliasing : public dmc::impl::SpecializeAliasingBase<SpecializeAliasing> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    BufferMap buffers(module);
    SymbolTable symbols(module);
    llvm::StringMap<size_t> variants; // by kernel and sharing
    llvm::DenseSet<Operation *> taken;
    SmallVector<std::pair<func::FuncOp, Sharing>> marks;
    module.walk([&](LaunchOp launch) {
      auto kernel = symbols.lookup<func::FuncOp>(launch.getCallee());
      if (!kernel || kernel.isDeclaration() || launch.getResults().size())
        return;
      Sharing sharing = sharingOf(launch, buffers);
      auto [known, isNew] =
          variants.try_emplace((launch.getCallee() + "/" + sharing.key()).str(), marks.size());
      if (isNew) {
        func::FuncOp variant = kernel;
        if (!taken.insert(kernel).second) {
          variant = kernel.clone();
          symbols.insert(variant, std::next(Block::iterator(kernel)));
        }
        marks.push_back({variant, sharing});
      }
      auto &[variant, all] = marks[known->second];
      all.aligned &= sharing.aligned;
      launch.setCallee(variant.getSymName());
    });
    int64_t alignment = TargetAttr::of(getOperation()).getAlignment();
    auto number = Builder(&getContext()).getI64Type();
    for (auto &[kernel, sharing] : marks) {
      for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i) {
        if (!isa<MemRefType>(kernel.getArgument(i).getType()))
          continue;
        if (sharing.aligned.test(i))
          kernel.setArgAttr(i, "llvm.align", IntegerAttr::get(number, alignment));
        if (sharing.same[i] >= 0)
          kernel.setArgAttr(i, "dmc.shares", IntegerAttr::get(number, sharing.same[i]));
        else if (!sharing.overlaps.test(i))
          kernel.setArgAttr(i, "llvm.noalias", UnitAttr::get(&getContext()));
      }
    }
  }
};

} // namespace
