//===- HoistLoads.cpp - Loads before threads wait for each other ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/HoistLoads.h"

#include "Kernel/Buffers.h"

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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
      : nest(nest), wordsLeft(TargetAttr::of(nest).getVectorRegisters() / 4) {
    for (BlockArgument argument : nest.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (type && type.hasStaticShape() && type.getNumElements() >= threads &&
          isOnlyRead(argument) &&
          nest.getArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getNoAliasAttrName()))
        constant.insert(argument);
    }
  }

  void run() {
    nest.walk([&](Block *block) { hoistIn(*block); });
  }

private:
  static bool isExchange(Operation &op) { return isa<gpu::BarrierOp, gpu::ShuffleOp>(op); }

  void hoistIn(Block &block) {
    auto exchange = llvm::find_if(block, isExchange);
    if (exchange == block.end())
      return;
    for (Operation &op :
         llvm::make_early_inc_range(llvm::make_range(std::next(exchange), block.end()))) {
      int64_t words = countLoadedWords(op);
      llvm::SetVector<Operation *> needed;
      if (words == 0 || words > wordsLeft || !collect(&op, &*exchange, needed))
        continue;
      wordsLeft -= words;
      for (Operation *each : needed)
        each->moveBefore(&*exchange);
    }
  }

  /// The registers of 32 bits that it gives, if it loads what the nest only reads, under a
  /// condition maybe; else 0.
  int64_t countLoadedWords(Operation &op) const {
    if (!isa<memref::LoadOp, vector::LoadOp, scf::IfOp>(op) || !canMove(&op))
      return 0;
    int64_t bits = 0;
    for (Type type : op.getResultTypes()) {
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

  /// What is between the exchange and `op` of all that it needs, in order; false if some of that
  /// has to stay.
  bool collect(Operation *op, Operation *exchange, llvm::SetVector<Operation *> &needed) const {
    if (needed.contains(op))
      return true;
    if (!canMove(op))
      return false;
    bool canAll = true;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (canAll && source && source->getBlock() == exchange->getBlock() &&
            exchange->isBeforeInBlock(source))
          canAll = collect(source, exchange, needed);
        // The result of the exchange itself.
        canAll &= source != exchange;
      }
    });
    needed.insert(op);
    return canAll;
  }

  func::FuncOp nest;
  int64_t wordsLeft;
  DenseSet<Value> constant;
};

} // namespace

void codegen::hoistLoads(func::FuncOp nest, int64_t threads) { Hoist(nest, threads).run(); }
