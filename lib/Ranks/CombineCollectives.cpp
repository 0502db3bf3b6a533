//===- CombineCollectives.cpp - dmc-combine-collectives -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which small collectives can be one, and where it stands. PackedCollective.cpp
// writes it.
//
//===----------------------------------------------------------------------===//
#include "PackedCollective.h"

#include "dmc/Ranks/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-combine-collectives"

namespace dmc {
#define GEN_PASS_DEF_COMBINECOLLECTIVES
#include "dmc/Ranks/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

static bool isView(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

namespace {
/// The collectives of one block.
class Combiner {
public:
  Combiner(Block &block, int64_t bucketBytes) : block(block), bucketBytes(bucketBytes) {
    for (Operation &op : block)
      if (auto collective = dyn_cast<comm::CollectiveOpInterface>(op))
        if (canBePacked(collective) && getPackedBytes(collective) <= bucketBytes)
          candidates.insert({&op, getPackingKey(collective)});
  }

  void run() {
    // Each bucket is built, or its first candidate left alone, before the next.
    while (!candidates.empty()) {
      Operation *first = candidates.begin()->first;
      SmallVector<Operation *> bucket =
          isa<comm::AllGatherOp>(first) ? collectGathers(first) : collectFrom(first);
      if (bucket.size() > 1)
        isa<comm::AllGatherOp>(first) ? buildGathers(bucket) : build(bucket);
      candidates.remove_if([&](auto &entry) { return llvm::is_contained(bucket, entry.first); });
    }
  }

private:
  /// The values of the block that an operation needs.
  llvm::SetVector<Value> getOperands(Operation &op) const {
    llvm::SetVector<Value> values(op.operand_begin(), op.operand_end());
    getUsedValuesDefinedAbove(op.getRegions(), values);
    values.remove_if([&](Value value) {
      return !value.getDefiningOp() || value.getDefiningOp()->getBlock() != &block;
    });
    return values;
  }

  /// Those of the first one's key that follow and depend on none before them,
  /// as long as what has to wait for the bucket keeps few bytes alive.
  SmallVector<Operation *> collectFrom(Operation *first) {
    Attribute key = candidates.lookup(first);
    SmallVector<Operation *> bucket{first};
    int64_t bytes = getPackedBytes(cast<comm::CollectiveOpInterface>(first)), waiting = 0;
    dependents = {first};
    llvm::DenseSet<Value> counted;
    for (Operation &op : llvm::make_range(std::next(first->getIterator()), block.end())) {
      llvm::SetVector<Value> operands = getOperands(op);
      auto waits = [&](Value value) { return dependents.contains(value.getDefiningOp()); };
      if (llvm::any_of(operands, waits)) {
        dependents.insert(&op);
        for (Value value : operands)
          if (!waits(value) && !isa<tensor::EmptyOp>(value.getDefiningOp()) &&
              counted.insert(value).second)
            waiting += getBytes(value);
        if (waiting > bucketBytes)
          break;
        continue;
      }
      auto candidate = candidates.find(&op);
      if (candidate == candidates.end() || candidate->second != key)
        continue;
      int64_t size = getPackedBytes(cast<comm::CollectiveOpInterface>(op));
      if (bytes + size > bucketBytes)
        continue;
      bytes += size;
      bucket.push_back(&op);
      dependents.insert(&op);
    }
    return bucket;
  }

  static int64_t getBytes(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getNumElements() *
                      static_cast<int64_t>(llvm::divideCeil(type.getElementTypeBitWidth(), 8))
                : 0;
  }

  /// Stands at the last member; what depends on the others follows.
  void build(ArrayRef<Operation *> bucket) {
    Operation *last = bucket.back(), *next = last->getNextNode();
    SmallVector<Operation *> waiting;
    for (Operation &op : llvm::make_range(bucket.front()->getIterator(), last->getIterator()))
      if (dependents.contains(&op) && !llvm::is_contained(bucket, &op))
        waiting.push_back(&op);
    buildAt(last, bucket);
    for (Operation *op : waiting)
      op->moveBefore(next);
  }

  /// Gathers whose operands are there already, in the order of their first use.
  SmallVector<Operation *> collectGathers(Operation *first) {
    Attribute key = candidates.lookup(first);
    // Reshapes should not decide when a result is used.
    for (auto &[op, other] : candidates)
      if (other == key)
        sinkViews(op->getResult(0));
    Operation *place = getFirstUser(first->getResult(0));
    SmallVector<std::pair<Operation *, Operation *>> gathers; // with its first user
    for (auto &[op, other] : candidates) {
      Operation *user = getFirstUser(op->getResult(0));
      Operation *producer = op->getOperand(0).getDefiningOp();
      bool isReady =
          !producer || producer->getBlock() != &block || producer->isBeforeInBlock(place);
      if (other == key && isReady && !user->isBeforeInBlock(place))
        gathers.push_back({op, user});
    }
    llvm::stable_sort(gathers, [](auto &a, auto &b) {
      return a.second != b.second && a.second->isBeforeInBlock(b.second);
    });
    SmallVector<Operation *> bucket{first};
    int64_t bytes = getPackedBytes(cast<comm::CollectiveOpInterface>(first));
    for (auto &[op, user] : gathers) {
      int64_t size = getPackedBytes(cast<comm::CollectiveOpInterface>(op));
      if (op == first || bytes + size > bucketBytes)
        continue;
      bytes += size;
      bucket.push_back(op);
    }
    return bucket;
  }

  void buildGathers(ArrayRef<Operation *> bucket) {
    buildAt(getFirstUser(bucket.front()->getResult(0)), bucket);
  }

  Operation *getFirstUser(Value value) {
    Operation *first = nullptr;
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      if (!first || ancestor->isBeforeInBlock(first))
        first = ancestor;
    }
    return first;
  }

  void sinkViews(Value value) {
    for (Operation *view : llvm::make_early_inc_range(value.getUsers())) {
      if (!isView(view) || view->getBlock() != &block || view->use_empty())
        continue;
      sinkViews(view->getResult(0));
      view->moveBefore(getFirstUser(view->getResult(0)));
    }
  }

  void buildAt(Operation *place, ArrayRef<Operation *> bucket) {
    LDBG() << "combined " << bucket.size() << " " << bucket.front()->getName();
    OpBuilder builder(place);
    buildPacked(builder, llvm::map_to_vector(bucket, [](Operation *op) {
                  return cast<comm::CollectiveOpInterface>(op);
                }));
  }

  Block &block;
  int64_t bucketBytes;
  llvm::MapVector<Operation *, Attribute> candidates;
  /// Members of the bucket, and what depends on them.
  llvm::DenseSet<Operation *> dependents;
};

struct CombineCollectives : dmc::impl::CombineCollectivesBase<CombineCollectives> {
  using CombineCollectivesBase::CombineCollectivesBase;

  void runOnOperation() override {
    if (bucketBytes <= 0)
      return;
    ProgramAttr program = ProgramAttr::of(getOperation());
    if (!program || program.getLevel() != Level::ranks)
      return;
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      Operation *parent = block->getParentOp();
      if (isa<func::FuncOp>(parent) || isa<scf::SCFDialect>(parent->getDialect()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      Combiner(*block, bucketBytes).run();
  }
};
} // namespace
