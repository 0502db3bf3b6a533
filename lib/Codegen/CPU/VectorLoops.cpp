//===- VectorLoops.cpp - Loops of which LLVM makes vectors ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the remarks of LLVM's vectorizer.
//
//===----------------------------------------------------------------------===//

#include "dmc/Codegen/VectorLoops.h"

#include "CPU/OptimizeKernels.h"
#include "CPU/ProgramParts.h"

#include "mlir/IR/Threading.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"

#include <mutex>

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

using VectorLoops = std::map<std::string, std::vector<VectorLoop>>;

namespace {
class RemarkReader : public llvm::DiagnosticHandler {
public:
  explicit RemarkReader(VectorLoops &loops) : loops(loops) {}

  bool isAnalysisRemarkEnabled(StringRef) const override { return false; }
  bool isMissedOptRemarkEnabled(StringRef pass) const override { return isRead(pass); }
  bool isPassedOptRemarkEnabled(StringRef pass) const override { return isRead(pass); }
  bool isAnyRemarkEnabled() const override { return true; }

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    const auto *remark = dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info);
    if (!remark)
      return false; // which the context prints
    if (!isRead(remark->getPassName()))
      return true;
    VectorLoop loop;
    for (const auto &argument : remark->getArgs()) {
      if (argument.Key == "VectorizationFactor")
        StringRef(argument.Val).getAsInteger(10, loop.width);
      if (argument.Key == "InterleaveCount")
        StringRef(argument.Val).getAsInteger(10, loop.interleave);
    }
    loops[remark->getFunction().getName().str()].push_back(loop);
    return true;
  }

private:
  static bool isRead(StringRef pass) { return pass == "loop-vectorize"; }

  VectorLoops &loops;
};
} // namespace

FailureOr<VectorLoops> dmc::findVectorLoops(ModuleOp module) {
  std::string problem;
  std::optional<TargetCpu> cpu = findTargetCpu(TargetAttr::of(module), problem);
  if (!cpu)
    return module.emitError("cannot compile for this processor: ") << problem;
  std::vector<Part> parts = split(module);
  VectorLoops all;
  std::mutex mutex;
  parallelForEach(module.getContext(), parts, [&](Part &part) {
    llvm::LLVMContext context;
    VectorLoops loops;
    context.setDiagnosticHandler(std::make_unique<RemarkReader>(loops), /*RespectFilters=*/true);
    auto [translated, machine] = translate(part, *cpu, context);
    if (!translated || !part.optimize)
      return;
    optimizeKernels(*translated, *machine, cpu->vectorRegisters);
    std::lock_guard<std::mutex> lock(mutex);
    all.merge(loops);
  });
  for (const Part &part : parts)
    if (!part.error.empty())
      return module.emitError("code generation failed: ") << part.error;
  return all;
}
