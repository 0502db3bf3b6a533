//===- HoistLoads.cpp - Loads before threads wait for each other ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/HoistLoads.h"

#include "Kernel/Buffers.h"

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

class Hoist {
public:
  Hoist(func::FuncOp nest, int64_t threads)
      : nest(nest), mostWords(TargetAttr::of(nest).getVectorRegisters() / 4) {
    for (BlockArgument argument : nest.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (type && type.hasStaticShape() && type.getNumElements() >= threads &&
          isOnlyRead(argument) &&
          nest.getArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getNoAliasAttrName()))
        constant.insert(argument);
    }
  }

  bool run() {
    nest.walk([&](Block *block) { hoistIn(*block); });
    SmallVector<scf::ForOp> loops;
    nest.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    bool loadsAhead = false;
    for (scf::ForOp loop : loops)
      loadsAhead |= loadAhead(loop);
    return loadsAhead;
  }

private:
  static bool isExchange(Operation &op) { return isa<gpu::BarrierOp, gpu::ShuffleOp>(op); }

  /// Loads what an iteration reads before its threads wait for each other while the one before it
  /// computes.
  bool loadAhead(scf::ForOp loop) {
    Block &body = *loop.getBody();
    auto exchange = llvm::find_if(body, isExchange);
    if (exchange == body.end())
      return false;
    auto isMoved = [&](Operation *op) { return op->getBlock() == &body; };
    auto isKnown = [&](BlockArgument argument) {
      return argument.getOwner() != &body || argument == loop.getInductionVar();
    };
    SmallVector<Operation *> loads;
    llvm::SetVector<Operation *> needed;
    int64_t allWords = 0;
    for (Operation &op : llvm::make_range(body.begin(), exchange)) {
      int64_t words = countLoadedWords(op);
      if (words == 0)
        continue;
      allWords += words;
      loads.push_back(&op);
      // One that is not loaded ahead would be waited for as long as all.
      if (!collect(&op, isMoved, isKnown, needed))
        return false;
    }
    // Beside what the loop carries, and what this iteration has loaded.
    if (loads.empty() || countWords(loop.getResultTypes()) + 2 * allWords > mostWords)
      return false;
    IRRewriter rewriter(loop.getContext());
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> first =
        loadIteration(rewriter, loop, loop.getLowerBound(), needed.getArrayRef(), loads);
    Location loc = loop.getLoc();
    auto next = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &builder, Location, ArrayRef<BlockArgument>) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(&*exchange); // the body is moved afterwards
          Value following =
              arith::AddIOp::create(builder, loc, loop.getInductionVar(), loop.getStep());
          return loadIteration(builder, loop, following, needed.getArrayRef(), loads);
        }));
    auto loaded = next.getRegionIterArgs().take_back(first.size()).begin();
    for (Operation *load : loads) {
      for (Value result : load->getResults())
        result.replaceAllUsesWith(*loaded++);
      load->erase();
    }
    return true;
  }

  /// What the loads of an iteration give; zeros if there is none.
  SmallVector<Value> loadIteration(OpBuilder &builder, scf::ForOp loop, Value number,
                                   ArrayRef<Operation *> needed, ArrayRef<Operation *> loads) {
    Location loc = loop.getLoc();
    SmallVector<Type> types;
    for (Operation *load : loads)
      llvm::append_range(types, load->getResultTypes());
    Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, number,
                                        loop.getUpperBound());
    auto guard = scf::IfOp::create(builder, loc, types, isOne, /*withElseRegion=*/true);
    IRMapping map;
    map.map(loop.getInductionVar(), number);
    OpBuilder inside = guard.getThenBodyBuilder();
    for (Operation *op : needed)
      inside.clone(*op, map);
    SmallVector<Value> values, zeros;
    for (Operation *load : loads)
      for (Value result : load->getResults())
        values.push_back(map.lookup(result));
    scf::YieldOp::create(inside, loc, values);
    OpBuilder outside = guard.getElseBodyBuilder();
    for (Type type : types)
      zeros.push_back(arith::ConstantOp::create(outside, loc, outside.getZeroAttr(type)));
    scf::YieldOp::create(outside, loc, zeros);
    return llvm::to_vector(ValueRange(guard.getResults()));
  }

  void hoistIn(Block &block) {
    auto exchange = llvm::find_if(block, isExchange);
    if (exchange == block.end())
      return;
    auto isMoved = [&](Operation *op) {
      return op->getBlock() == &block && !op->isBeforeInBlock(&*exchange);
    };
    auto isKnown = [](BlockArgument) { return true; };
    int64_t left = mostWords;
    for (Operation &op :
         llvm::make_early_inc_range(llvm::make_range(std::next(exchange), block.end()))) {
      int64_t words = countLoadedWords(op);
      llvm::SetVector<Operation *> needed;
      if (words == 0 || words > left || !collect(&op, isMoved, isKnown, needed))
        continue;
      left -= words;
      for (Operation *each : needed)
        each->moveBefore(&*exchange);
    }
  }

  /// The registers of 32 bits that it gives, if it loads what the nest only reads, under a
  /// condition maybe; else 0.
  int64_t countLoadedWords(Operation &op) const {
    bool isLoad = isa<memref::LoadOp, vector::LoadOp, scf::IfOp>(op) && canMove(&op);
    return isLoad ? countWords(op.getResultTypes()) : 0;
  }

  static int64_t countWords(TypeRange types) {
    int64_t bits = 0;
    for (Type type : types) {
      Type element = getElementTypeOrSelf(type);
      auto vector = dyn_cast<VectorType>(type);
      bits += (vector ? vector.getNumElements() : 1) *
              (element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64);
    }
    return llvm::divideCeil(bits, 32);
  }

  bool isConstant(Value buffer) const {
    while (Operation *view = buffer.getDefiningOp()) {
      if (!isa<memref::ReinterpretCastOp, UnrealizedConversionCastOp>(view))
        return false;
      buffer = view->getOperand(0);
    }
    return constant.contains(buffer);
  }

  /// Whether it computes the same wherever its operands are known: also an address that nothing is
  /// loaded from otherwise is within the buffer then.
  bool canMove(Operation *op) const {
    if (isExchange(*op))
      return false;
    if (isa<memref::LoadOp, vector::LoadOp>(op))
      return isConstant(op->getOperand(0));
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return llvm::all_of(branch->getRegions(), [&](Region &region) {
        return llvm::all_of(region.getOps(), [&](Operation &inner) {
          return inner.hasTrait<OpTrait::IsTerminator>() || canMove(&inner);
        });
      });
    return op->getNumRegions() == 0 && isMemoryEffectFree(op);
  }

  /// What `op` needs of a block, in order: of the operations that are to be moved with it. False if
  /// one of them has to stay, or if it needs an argument of the block that is not known there.
  bool collect(Operation *op, function_ref<bool(Operation *)> isMoved,
               function_ref<bool(BlockArgument)> isKnown,
               llvm::SetVector<Operation *> &needed) const {
    if (needed.contains(op))
      return true;
    if (!canMove(op))
      return false;
    bool canAll = true;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (source && isMoved(source))
          canAll = canAll && collect(source, isMoved, isKnown, needed);
        else if (auto argument = dyn_cast<BlockArgument>(operand))
          canAll &= isKnown(argument);
      }
    });
    needed.insert(op);
    return canAll;
  }

  func::FuncOp nest;
  int64_t mostWords; // what a thread has loaded and waits for, or keeps
  DenseSet<Value> constant;
};

} // namespace

bool codegen::hoistLoads(func::FuncOp nest, int64_t threads) { return Hoist(nest, threads).run(); }
