//===- BreakPasses.cpp - Passes that are wrong on purpose -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin for dmc-opt: each pass makes the first operation that it suits wrong,
// for the test of --verify-numeric.
//
//===----------------------------------------------------------------------===//
#include "DeleteEvents.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"

using namespace mlir;

namespace {
template <typename Derived>
class BreakPass : public PassWrapper<Derived, OperationPass<ModuleOp>> {
public:
  StringRef getDescription() const final { return "wrong on purpose"; }
  void runOnOperation() final {
    WalkResult result = this->getOperation().walk([&](Operation *op) {
      return Derived::breakOperation(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return;
    this->getOperation().emitError("expected an operation to break");
    this->signalPassFailure();
  }
};

/// Each rank goes on with its own partial value.
class BreakAllReduce : public BreakPass<BreakAllReduce> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakAllReduce)
  StringRef getArgument() const final { return "dmc-test-break-all-reduce"; }
  static bool breakOperation(Operation *op) {
    if (op->getName().getStringRef() != "comm.all_reduce")
      return false;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
    return true;
  }
};

class BreakCombiner : public BreakPass<BreakCombiner> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakCombiner)
  StringRef getArgument() const final { return "dmc-test-break-combiner"; }
  static bool breakOperation(Operation *op) {
    auto add = dyn_cast<arith::AddFOp>(op);
    if (!add || !isa<linalg::ReduceOp>(op->getParentOp()))
      return false;
    OpBuilder builder(op);
    Value maximum = arith::MaximumFOp::create(builder, op->getLoc(), add.getLhs(), add.getRhs());
    op->getResult(0).replaceAllUsesWith(maximum);
    op->erase();
    return true;
  }
};

class BreakSlice : public BreakPass<BreakSlice> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakSlice)
  StringRef getArgument() const final { return "dmc-test-break-slice"; }
  static bool breakOperation(Operation *op) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
    if (!slice || slice.getStaticOffsets().empty() || slice.getStaticOffsets()[0] <= 0)
      return false;
    SmallVector<int64_t> offsets(slice.getStaticOffsets());
    --offsets[0];
    slice.setStaticOffsets(offsets);
    return true;
  }
};

class BreakMask : public BreakPass<BreakMask> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakMask)
  StringRef getArgument() const final { return "dmc-test-break-mask"; }
  static bool breakOperation(Operation *op) {
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!select || !isa<linalg::LinalgOp>(op->getParentOp()))
      return false;
    Value value = select.getTrueValue();
    select.getTrueValueMutable().assign(select.getFalseValue());
    select.getFalseValueMutable().assign(value);
    return true;
  }
};

class BreakSubtraction : public BreakPass<BreakSubtraction> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakSubtraction)
  StringRef getArgument() const final { return "dmc-test-break-subtraction"; }
  static bool breakOperation(Operation *op) {
    if (!isa<arith::SubFOp>(op))
      return false;
    op->setOperands({op->getOperand(1), op->getOperand(0)});
    return true;
  }
};
/// Other ranks than those listed form the groups.
class BreakGroup : public BreakPass<BreakGroup> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakGroup)
  StringRef getArgument() const final { return "dmc-test-break-group"; }
  static bool breakOperation(Operation *op) {
    auto groups = op->getAttrOfType<DenseIntElementsAttr>("groups");
    if (!groups)
      return false;
    SmallVector<int64_t> ranks(groups.getValues<int64_t>());
    std::reverse(ranks.begin(), ranks.end());
    op->setAttr("groups", DenseIntElementsAttr::get(groups.getType(), ranks));
    return true;
  }
};

/// The maximum of a number and NaN becomes the number.
class BreakNaN : public BreakPass<BreakNaN> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakNaN)
  StringRef getArgument() const final { return "dmc-test-break-nan"; }
  static bool breakOperation(Operation *op) {
    if (!isa<arith::MaximumFOp>(op))
      return false;
    OpBuilder builder(op);
    op->replaceAllUsesWith(
        arith::MaxNumFOp::create(builder, op->getLoc(), op->getOperand(0), op->getOperand(1)));
    op->erase();
    return true;
  }
};

/// Large unsigned numbers become negative.
class BreakUnsigned : public BreakPass<BreakUnsigned> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakUnsigned)
  StringRef getArgument() const final { return "dmc-test-break-unsigned"; }
  static bool breakOperation(Operation *op) {
    if (!isa<arith::MaxUIOp>(op))
      return false;
    OpBuilder builder(op);
    op->replaceAllUsesWith(
        arith::MaxSIOp::create(builder, op->getLoc(), op->getOperand(0), op->getOperand(1)));
    op->erase();
    return true;
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "DMCTestPasses", LLVM_VERSION_STRING, [] {
            PassRegistration<BreakAllReduce>();
            PassRegistration<BreakCombiner>();
            PassRegistration<BreakSlice>();
            PassRegistration<BreakGroup>();
            PassRegistration<BreakMask>();
            PassRegistration<BreakNaN>();
            PassRegistration<BreakSubtraction>();
            PassRegistration<BreakUnsigned>();
            dmc::test::registerDeleteEvents();
          }};
}
