//===- ToRanks.cpp - What each rank does ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the rank program beside the parallel one, operation by operation, and
// replaces it.
//
//===----------------------------------------------------------------------===//
#include "dmc/Ranks/LocalForm.h"
#include "dmc/Ranks/Passes.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-to-ranks"

namespace dmc {
#define GEN_PASS_DEF_TORANKS
#include "dmc/Ranks/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// The module's only function, which must be public and have a body.
static FailureOr<func::FuncOp> getEntry(ModuleOp module) {
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (entry)
      return function.emitOpError("is unsupported: expected one function in a parallel program");
    entry = function;
  }
  if (!entry || entry.isPrivate() || entry.isExternal() || !entry.getBody().hasOneBlock())
    return module.emitOpError("expects one public function with a body of one block");
  return entry;
}

/// Checks that the function has the program's types, up to signedness.
static LogicalResult checkTypes(func::FuncOp function, ArrayRef<Type> types,
                                ArrayRef<ValueAttr> values, StringRef what) {
  if (types.size() != values.size())
    return function.emitOpError("expects ")
           << values.size() << " " << what << "s, as the program has, found " << types.size();
  for (auto [i, type, value] : llvm::enumerate(types, values)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.getShape() == value.getType().getShape() &&
        LayoutAttr::of(tensor) == value.getLayout())
      continue;
    return function.emitOpError("expects ") << what << " " << i << " to be as the program says, "
                                            << value.getType() << ", found " << type;
  }
  return success();
}

/// Fills the rank program's function.
static LogicalResult lowerFunction(func::FuncOp parallel, func::FuncOp ranks, MeshAttr mesh) {
  auto localTypes = [](TypeRange types) {
    return llvm::map_to_vector(types, [](Type type) { return RankBuilder::getLocalType(type); });
  };
  FunctionType type = parallel.getFunctionType();
  ranks.setFunctionType(FunctionType::get(parallel.getContext(), localTypes(type.getInputs()),
                                          localTypes(type.getResults())));
  Block &source = parallel.getBody().front();
  auto *entry = new Block();
  ranks.getBody().push_back(entry);
  for (BlockArgument argument : source.getArguments())
    entry->addArgument(RankBuilder::getLocalType(argument.getType()), argument.getLoc());

  LocalForms forms(parallel.getContext());
  RankBuilder builder(parallel.getLoc(), mesh, entry, forms);
  for (auto [from, to] : llvm::zip_equal(source.getArguments(), entry->getArguments()))
    builder.setLocal(from, to);
  return builder.lower(source);
}

namespace {
struct ToRanksPass : public dmc::impl::ToRanksBase<ToRanksPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    ProgramAttr program = ProgramAttr::of(module);
    if (!program || program.getLevel() != Level::parallel || !program.getMesh()) {
      module.emitOpError("expects a dmc.program of level parallel with a mesh");
      return signalPassFailure();
    }
    FailureOr<func::FuncOp> parallel = getEntry(module);
    if (failed(parallel))
      return signalPassFailure();
    FunctionType type = parallel->getFunctionType();
    if (failed(checkTypes(*parallel, type.getInputs(), program.getArguments(), "argument")) ||
        failed(checkTypes(*parallel, type.getResults(), program.getResults(), "result")))
      return signalPassFailure();

    func::FuncOp ranks = cast<func::FuncOp>(parallel->getOperation()->cloneWithoutRegions());
    OpBuilder(*parallel).insert(ranks);
    if (failed(lowerFunction(*parallel, ranks, program.getMesh()))) {
      ranks.erase();
      return signalPassFailure();
    }
    LDBG() << "lowered " << ranks.getName() << " to " << ranks.getFunctionType();
    parallel->erase();
    module->setAttr("dmc.program", program.withLevel(Level::ranks));
  }
};
} // namespace
