//===- RecomputePads.cpp - dmc-recompute-pads -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A padded tensor is larger than what it is made of, and is often kept from the forward
// convolution to the gradient's: it is recomputed there if the arena is smaller then.
//
//===----------------------------------------------------------------------===//
#include "BufferPlan.h"

#include "dmc/Schedule/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-recompute-pads"

namespace dmc {
#define GEN_PASS_DEF_RECOMPUTEPADS
#include "dmc/Schedule/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// What recomputing a tensor must free, as a share of the tensors recomputed.
static constexpr double kMinFreed = 0.5;
/// How often a program is planned for this.
static constexpr unsigned kMaxPlans = 32;

/// True if the kernel pads what few operations an element make.
static bool isPad(func::FuncOp kernel) {
  // Some kernels are defined elsewhere.
  if (kernel.isExternal())
    return false;
  Operation *results = kernel.getBody().front().getTerminator();
  if (results->getNumOperands() != 1 || !results->getOperand(0).getDefiningOp<tensor::PadOp>())
    return false;
  return !kernel
              .walk([](Operation *op) {
                auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
                bool isDear = isa<math::MathDialect>(op->getDialect()) ||
                              (linalgOp && linalgOp.getNumReductionLoops() > 0);
                return isDear ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {
/// A launch, and the users that take another one's result.
struct Recomputed {
  LaunchOp launch;
  /// In the order of the block.
  SmallVector<Operation *> lateUsers;
  int64_t bytes = 0;
};

/// Of one function.
class Recomputation {
public:
  Recomputation(func::FuncOp function, ProgramAttr program, const SymbolTable &kernels)
      : function(function), program(program), kernels(kernels) {}
  LogicalResult run();

private:
  bool makesPad(LaunchOp launch) const;
  std::optional<Recomputed> getRecomputed(LaunchOp launch);
  llvm::MapVector<Value, SmallVector<Recomputed>> getGroups();
  LogicalResult makeAgain(MutableArrayRef<Recomputed> group);

  func::FuncOp function;
  ProgramAttr program;
  const SymbolTable &kernels;
  BufferPlan plan;
  llvm::SmallPtrSet<Operation *, 16> tried;
};

struct RecomputePads : dmc::impl::RecomputePadsBase<RecomputePads> {
  using RecomputePadsBase::RecomputePadsBase;

  void runOnOperation() override {
    ProgramAttr program = ProgramAttr::of(getOperation());
    SymbolTable kernels(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && function.getBody().hasOneBlock() &&
          failed(Recomputation(function, program, kernels).run()))
        return signalPassFailure();
  }
};
} // namespace

/// True if a launch makes a padded tensor, and nothing else, from others.
bool Recomputation::makesPad(LaunchOp launch) const {
  if (launch.getInputs().empty() || launch->getNumResults() != 1 ||
      !launch.getInits()[0].getDefiningOp<tensor::EmptyOp>())
    return false;
  auto kernel = kernels.lookup<func::FuncOp>(launch.getCallee());
  return kernel && isPad(kernel);
}

/// What can be recomputed after the program's fullest moment, for the users after it.
std::optional<Recomputed> Recomputation::getRecomputed(LaunchOp launch) {
  if (!makesPad(launch))
    return std::nullopt;
  int64_t made = plan.steps.lookup(launch);
  if (made >= plan.peakStep)
    return std::nullopt;
  Recomputed result;
  result.launch = launch;
  result.bytes = getBufferBytes(cast<ShapedType>(launch->getResult(0).getType()));
  bool isReadBefore = false;
  for (Operation *user : llvm::SetVector<Operation *>(launch->user_begin(), launch->user_end())) {
    // A loop would make it in each iteration.
    if (user->getBlock() != launch->getBlock() || getViewSource(user))
      return std::nullopt;
    if (plan.steps.lookup(user) > plan.peakStep)
      result.lateUsers.push_back(user);
    else
      isReadBefore |= plan.steps.lookup(user) < plan.peakStep;
  }
  if (result.lateUsers.empty() || !isReadBefore)
    return std::nullopt;
  llvm::sort(result.lateUsers, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return result;
}

/// What is made of the same tensor goes together: only then that one, too, is kept for all.
llvm::MapVector<Value, SmallVector<Recomputed>> Recomputation::getGroups() {
  llvm::MapVector<Value, SmallVector<Recomputed>> groups;
  auto bytesOf = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? getBufferBytes(type) : 0;
  };
  function.walk([&](LaunchOp launch) {
    if (tried.contains(launch))
      return;
    if (std::optional<Recomputed> entry = getRecomputed(launch))
      groups[*llvm::max_element(launch.getInputs(), [&](Value a, Value b) {
        return bytesOf(a) < bytesOf(b);
      })].push_back(*entry);
  });
  return groups;
}

/// Keeps what is recomputed if it frees enough.
LogicalResult Recomputation::makeAgain(MutableArrayRef<Recomputed> group) {
  int64_t bytes = 0;
  SmallVector<LaunchOp> copies;
  for (Recomputed &entry : group) {
    tried.insert(entry.launch);
    OpBuilder builder(entry.lateUsers.front());
    Operation *init = builder.clone(*entry.launch.getInits()[0].getDefiningOp());
    auto copy = cast<LaunchOp>(builder.clone(*entry.launch));
    copy.getInitsMutable().assign(init->getResults());
    for (Operation *user : entry.lateUsers)
      user->replaceUsesOfWith(entry.launch->getResult(0), copy->getResult(0));
    copies.push_back(copy);
    bytes += entry.bytes;
  }
  FailureOr<BufferPlan> planned = BufferPlan::compute(function, program);
  if (failed(planned))
    return failure();
  if (static_cast<double>(plan.arenaBytes - planned->arenaBytes) >=
      kMinFreed * static_cast<double>(bytes)) {
    plan = std::move(*planned);
    return success();
  }
  for (auto [entry, copy] : llvm::zip_equal(group, copies)) {
    Operation *init = copy.getInits()[0].getDefiningOp();
    copy->replaceAllUsesWith(entry.launch);
    copy->erase();
    init->erase();
  }
  return success();
}

LogicalResult Recomputation::run() {
  // A plan takes time.
  auto isFound = [&](LaunchOp launch) {
    return makesPad(launch) ? WalkResult::interrupt() : WalkResult::advance();
  };
  if (!function.walk(isFound).wasInterrupted())
    return success();
  FailureOr<BufferPlan> planned = BufferPlan::compute(function, program);
  if (failed(planned))
    return failure();
  plan = std::move(*planned);
  for (unsigned numPlans = 0; numPlans < kMaxPlans; ++numPlans) {
    // After a change another moment may be the fullest.
    auto groups = getGroups();
    if (groups.empty())
      break;
    LDBG() << groups.front().second.size() << " pads of one tensor may be recomputed; arena of "
           << plan.arenaBytes << " bytes";
    if (failed(makeAgain(groups.front().second)))
      return failure();
  }
  return success();
}
