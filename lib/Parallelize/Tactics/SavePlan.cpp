//===- SavePlan.cpp - dmc-save-plan ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decisions of propagation as a tactic that replays them.
//
//===----------------------------------------------------------------------===//
#include "Plan.h"

#include "dmc/Parallelize/Tactics/Passes.h"

#include "../Factors.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace dmc {
#define GEN_PASS_DEF_SAVEPLAN
#include "dmc/Parallelize/Tactics/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

static ArrayAttr toArray(MLIRContext *context, ArrayRef<LayoutAttr> layouts) {
  return ArrayAttr::get(context, SmallVector<Attribute>(layouts.begin(), layouts.end()));
}

static SmallVector<Attribute> collectDecisions(ProgramAttr program, func::FuncOp entry) {
  Builder builder(program.getContext());
  SmallVector<Attribute> decisions;
  auto addBoundary = [&](StringRef keyword, ArrayRef<ValueAttr> values) {
    for (ValueAttr value : values)
      decisions.push_back(builder.getArrayAttr(
          {builder.getStringAttr(keyword), value.getName(), value.getLayout()}));
  };
  addBoundary("argument", program.getArguments());
  addBoundary("result", program.getResults());
  std::vector<Operation *> operations = numberOperations(entry);
  DenseMap<Operation *, int64_t> numbers;
  for (auto [number, op] : llvm::enumerate(operations)) {
    numbers[op] = number;
    auto layouts = op->getAttrOfType<OpLayoutsAttr>("dmc.layouts");
    if (!layouts)
      continue;
    SmallVector<Attribute> parts = {builder.getI64IntegerAttr(number),
                                    builder.getStringAttr(op->getName().getStringRef()),
                                    toArray(builder.getContext(), layouts.getOperands()),
                                    toArray(builder.getContext(), layouts.getResults())};
    if (op->hasAttr("dmc.tactic")) {
      Value source = op->getOperand(0);
      int64_t of[] = {-1, 0};
      if (auto argument = dyn_cast<BlockArgument>(source)) {
        of[1] = argument.getArgNumber();
      } else {
        of[0] = numbers.lookup(source.getDefiningOp());
        of[1] = cast<OpResult>(source).getResultNumber();
      }
      parts.push_back(builder.getDenseI64ArrayAttr(of));
    }
    decisions.push_back(builder.getArrayAttr(parts));
  }
  return decisions;
}

/// A module with one sequence, which applies the plan.
static OwningOpRef<ModuleOp> createScript(ModuleOp module, ProgramAttr program,
                                          func::FuncOp entry) {
  MLIRContext *context = module.getContext();
  Location loc = UnknownLoc::get(context);
  OwningOpRef<ModuleOp> script = ModuleOp::create(loc);
  script->getOperation()->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                                  UnitAttr::get(context));
  OpBuilder builder = OpBuilder::atBlockBegin(script->getBody());
  Type any = transform::AnyOpType::get(context);
  auto sequence = transform::NamedSequenceOp::create(
      builder, loc, transform::TransformDialect::kTransformEntryPointSymbolName, any, TypeRange(),
      [&](OpBuilder &nested, Location loc, BlockArgument root) {
        PlanOp::create(nested, loc, root, nested.getStringAttr(getFingerprint(program, entry)),
                       program.getMesh(),
                       module->hasAttr("dmc.plain") ? nested.getUnitAttr() : UnitAttr(),
                       nested.getArrayAttr(collectDecisions(program, entry)));
        transform::YieldOp::create(nested, loc);
      });
  (void)sequence;
  return script;
}

namespace {
struct SavePlan : dmc::impl::SavePlanBase<SavePlan> {
  using SavePlanBase::SavePlanBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ProgramAttr program = ProgramAttr::of(module);
    if (!program || program.getLevel() != Level::tensor || !program.getMesh() ||
        llvm::any_of(program.getArguments(), [](ValueAttr v) { return !v.getLayout(); })) {
      module.emitError("expected a program at level 'tensor' with decided layouts");
      return signalPassFailure();
    }
    FailureOr<func::FuncOp> entry = getEntryFunction(module);
    if (failed(entry))
      return signalPassFailure();
    OwningOpRef<ModuleOp> script = createScript(module, program, *entry);
    std::string text = "// Layouts of " + program.getName().str() + " on " +
                       toString(program.getMesh().toMesh()) + ", for dmc-compile --tactics.\n";
    llvm::raw_string_ostream os(text);
    script->print(os, OpPrintingFlags().useLocalScope(false));
    os << '\n';
    if (file == "-") {
      llvm::outs() << text;
      return;
    }
    // Whole or not at all.
    if (llvm::Error error = llvm::writeToOutput(file, [&](llvm::raw_ostream &out) {
          out << text;
          return llvm::Error::success();
        })) {
      module.emitError("cannot write '") << file << "': " << llvm::toString(std::move(error));
      return signalPassFailure();
    }
  }
};
} // namespace
