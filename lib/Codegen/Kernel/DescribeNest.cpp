//===- DescribeNest.cpp - What a nest came to be --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops and accesses are read off the function that was built, so that the plan cannot say
// anything else; who executes a loop is what LoopBuilder decided.
//
//===----------------------------------------------------------------------===//

#include "Kernel/DescribeNest.h"

#include "CPU/StreamStores.h"
#include "Kernel/Buffers.h"
#include "Kernel/LaneForms.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

//===--- Loops ------------------------------------------------------------===//

namespace {
class LoopLister {
public:
  LoopLister(func::FuncOp nest, const LoopBuilder &loops) : nest(nest), loops(loops) {}

  SmallVector<NestLoopAttr> list() {
    SmallVector<NestLoopAttr> all = listWithin(nest);
    int64_t iterations = loops.getDivided();
    if (TargetAttr::of(nest).isDevice()) {
      int64_t team = loops.plan.team;
      Launch launch = Launch::choose(iterations, team, TargetAttr::of(nest).getWarpThreads());
      int64_t last = iterations - (launch.blocks - 1) * launch.teams;
      if (team > 1)
        all = {make(LoopExecutor::team, team, -1, all)};
      auto thread = make(LoopExecutor::thread, launch.teams, last == launch.teams ? -1 : last, all);
      return {make(LoopExecutor::grid, launch.blocks, -1, thread)};
    }
    if (iterations > 1 && !loops.plan.dividedLoop)
      return {make(LoopExecutor::divided, iterations, -1, all)};
    return all;
  }

private:
  NestLoopAttr make(LoopExecutor executor, int64_t trips, int64_t least,
                    ArrayRef<NestLoopAttr> inner, int64_t step = 1, int64_t carried = 0) {
    return NestLoopAttr::get(nest.getContext(), executor, trips, least, step, carried, inner);
  }

  SmallVector<NestLoopAttr> listWithin(Operation *place) {
    SmallVector<NestLoopAttr> all;
    for (const Copies &copies : loops.plan.copies) {
      if (copies.place != place)
        continue;
      SmallVector<NestLoopAttr> innermost;
      for (auto [executor, count] : llvm::reverse(copies.factors))
        if (count > 1)
          innermost = {make(executor, count, -1, innermost)};
      if (!innermost.empty() && !llvm::is_contained(all, innermost.front()))
        all.append(innermost);
    }
    for (Region &region : place->getRegions())
      listIn(region, /*isConditional=*/false, all);
    return all;
  }

  void listIn(Region &region, bool isConditional, SmallVectorImpl<NestLoopAttr> &all) {
    for (Operation &op : region.getOps()) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        all.push_back(describe(loop, isConditional));
        continue;
      }
      for (Region &inner : op.getRegions())
        listIn(inner, /*isConditional=*/true, all);
    }
  }

  NestLoopAttr describe(scf::ForOp loop, bool isConditional) {
    SmallVector<NestLoopAttr> inner = listWithin(loop);
    int64_t step = getConstantIntValue(loop.getStep()).value_or(0);
    int64_t carried = loop.getNumRegionIterArgs(), trips = loops.getTrips(loop);
    if (loop == loops.plan.dividedLoop)
      return make(LoopExecutor::divided, trips, -1, inner, step, carried);
    int64_t least = std::min(loops.getFewestTrips(loop), trips);
    if (std::optional<APInt> count = loop.getStaticTripCount()) {
      trips = count->getSExtValue();
      least = -1;
    }
    return make(LoopExecutor::serial, trips, isConditional ? 0 : least, inner, step, carried);
  }

  func::FuncOp nest;
  const LoopBuilder &loops;
};
} // namespace

//===--- Accesses ---------------------------------------------------------===//

namespace {
/// The accesses of a buffer for one purpose: their bytes, and those of each form, stride and
/// vector.
struct Access {
  double bytes = 0;
  llvm::MapVector<std::pair<std::pair<LaneForm, int64_t>, int64_t>, double> forms;
};

class AccessLister {
public:
  AccessLister(func::FuncOp nest, const LoopBuilder &loops) : nest(nest), loops(loops) {}

  /// Adds an access that is executed so often.
  void add(Operation *op, double times) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      add(op, reads, load.getMemRef(), load.getIndices(), load.getType(), times);
    else if (auto load = dyn_cast<vector::LoadOp>(op))
      add(op, reads, load.getBase(), load.getIndices(), load.getVectorType(), times);
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      add(op, writes, store.getMemRef(), store.getIndices(), store.getValueToStore().getType(),
          times);
    else if (auto store = dyn_cast<vector::StoreOp>(op))
      add(op, writes, store.getBase(), store.getIndices(), store.getVectorType(), times);
  }

  SmallVector<NestAccessAttr> list() {
    SmallVector<NestAccessAttr> all;
    for (auto &[buffer, access] : reads)
      all.push_back(describe(AccessKind::read, buffer, access));
    for (auto &[buffer, access] : writes) {
      auto argument = dyn_cast<BlockArgument>(buffer);
      bool isStreamed = argument && nest.getArgAttr(argument.getArgNumber(), streamAttr);
      all.push_back(describe(isStreamed ? AccessKind::stream : AccessKind::write, buffer, access));
    }
    return all;
  }

private:
  using Accesses = llvm::MapVector<Value, Access>;

  /// Behind views, and where a loop that exchanges buffers begins.
  static Value findBuffer(Value buffer) {
    if (Operation *view = buffer.getDefiningOp())
      return isa<memref::ReinterpretCastOp, UnrealizedConversionCastOp>(view)
                 ? findBuffer(view->getOperand(0))
                 : buffer;
    auto argument = cast<BlockArgument>(buffer);
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop ? findBuffer(loop.getTiedLoopInit(argument)->get()) : buffer;
  }

  void add(Operation *op, Accesses &accesses, Value from, OperandRange indices, Type type,
           double times) {
    Value buffer = findBuffer(from);
    if (buffer.getDefiningOp<memref::AllocaOp>())
      return; // stays in the cache
    auto vectorType = dyn_cast<VectorType>(type);
    int64_t vector = vectorType ? vectorType.getNumElements() : 1;
    double bytes = times * static_cast<double>(vector * elementBytes(getElementTypeOrSelf(type)));
    Access &access = accesses[buffer];
    access.bytes += bytes;
    auto form = std::pair(LaneForm::uniform, int64_t(0));
    if (Slopes *slopes = slopesAround(op))
      form = slopes->getForm(cast<MemRefType>(from.getType()), indices, vector);
    access.forms[{form, vector}] += bytes;
  }

  /// Along what accesses run side by side; null if there is one alone.
  Slopes *slopesAround(Operation *op) {
    Value variable;
    if (loops.plan.lane)
      variable = loops.plan.lane;
    else if (loops.isFinelyDivided())
      variable = nest.getArgument(nest.getNumArguments() - 2);
    else if (auto loop = op->getParentOfType<scf::ForOp>())
      variable = loop.getInductionVar();
    return variable ? &slopes.try_emplace(variable, variable).first->second : nullptr;
  }

  NestAccessAttr describe(AccessKind kind, Value buffer, const Access &access) {
    auto argument = dyn_cast<BlockArgument>(buffer);
    int64_t bytes = static_cast<int64_t>(
        std::min<double>(access.bytes, bufferBytes(cast<MemRefType>(buffer.getType()))));
    const auto *most =
        llvm::max_element(access.forms, [](auto &a, auto &b) { return a.second < b.second; });
    auto [form, vector] = most->first;
    int64_t number = argument ? static_cast<int64_t>(argument.getArgNumber()) : -1;
    return NestAccessAttr::get(nest.getContext(), kind, number, bytes, form.first, form.second,
                               vector);
  }

  func::FuncOp nest;
  const LoopBuilder &loops;
  Accesses reads, writes;
  llvm::DenseMap<Value, Slopes> slopes;
};
} // namespace

//===--- The nest ---------------------------------------------------------===//

static double countFlops(Operation &op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) || op.getNumResults() != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType())) ||
      isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, arith::ExtFOp, arith::TruncFOp>(op))
    return 0;
  auto vector = dyn_cast<VectorType>(op.getResult(0).getType());
  return static_cast<double>(vector ? vector.getNumElements() : 1);
}

NestAttr codegen::describeNest(func::FuncOp nest, const LoopBuilder &loops) {
  double flops = 0;
  int64_t stack = 0, shared = 0;
  AccessLister accesses(nest, loops);
  nest.getBody().walk([&](Operation *op) {
    double times = loops.isFinelyDivided() ? double(loops.getDivided()) : 1;
    times *= static_cast<double>(loops.plan.team);
    for (Operation *parent = op->getParentOp(); parent != nest; parent = parent->getParentOp())
      if (isa<scf::ForOp>(parent))
        times *= static_cast<double>(std::max<int64_t>(loops.getTrips(parent), 1));
    flops += times * countFlops(*op);
    if (auto memory = dyn_cast<memref::AllocaOp>(op))
      (isShared(memory.getType()) ? shared : stack) += bufferBytes(memory.getType());
    else
      accesses.add(op, times);
  });
  constexpr double most = int64_t(1) << 62;
  return NestAttr::get(nest.getContext(), loops.plan.kind, loops.getDivided(),
                       static_cast<int64_t>(std::min(flops, most)), LoopLister(nest, loops).list(),
                       accesses.list(), stack, shared);
}
