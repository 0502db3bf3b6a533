//===- Collectives.cpp - The comm dialect on local tensors ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks of a group in lock step; reductions in group order.
//
//===----------------------------------------------------------------------===//
#include "Loops.h"
#include "Machine.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

namespace {
/// A result's elements by index, each from an element of one operand.
void receiveEach(const Shard &result, function_ref<Word(ArrayRef<int64_t>)> element) {
  forEachIndex(result.extent->begin, result.extent->end, [&](ArrayRef<int64_t> index) {
    storeWord(result.find(index), element(index), getNumBytes(result.kind));
    return true;
  });
}

/// Folds partial values; unsigned ones order as signed ones do with the other sign bit.
Word fold(Operation *op, CombinerKind combiner, Kind kind, MutableArrayRef<Word> partials) {
  bool isOrder = combiner == CombinerKind::max || combiner == CombinerKind::min;
  Word flip = isOrder && op->hasAttr("unsigned") ? Word(1) << (getWidth(kind) - 1) : 0;
  for (Word &partial : partials)
    partial ^= flip;
  return foldPartials(combiner, kind, partials) ^ flip;
}

void receiveAllReduce(comm::AllReduceOp op, const Shard &result, ArrayRef<Shard> sent) {
  SmallVector<Word> words(sent.size());
  receiveEach(result, [&](ArrayRef<int64_t> index) {
    for (auto [word, shard] : llvm::zip_equal(words, sent))
      word = *shard.get(index);
    return fold(op, op.getCombiner(), result.kind, words);
  });
}

void receiveAllGather(int64_t dim, const Shard &result, ArrayRef<Shard> sent) {
  int64_t size = sent.front().extent->local[dim];
  Index at;
  receiveEach(result, [&](ArrayRef<int64_t> index) {
    at.assign(index.begin(), index.end());
    at[dim] %= size;
    return *sent[index[dim] / size].get(at);
  });
}

void receiveReduceScatter(comm::ReduceScatterOp op, const Shard &result, ArrayRef<Shard> sent,
                          int64_t position) {
  const int64_t dim = op.getDim();
  SmallVector<Word> words(sent.size());
  Index at;
  receiveEach(result, [&](ArrayRef<int64_t> index) {
    at.assign(index.begin(), index.end());
    at[dim] += position * result.extent->local[dim];
    for (auto [word, shard] : llvm::zip_equal(words, sent))
      word = *shard.get(at);
    return fold(op, op.getCombiner(), result.kind, words);
  });
}

void receiveAllToAll(int64_t splitDim, int64_t concatDim, const Shard &result, ArrayRef<Shard> sent,
                     int64_t position) {
  // The block that every member sends: the operand cut in the split dimension.
  Index block(sent.front().extent->local);
  block[splitDim] /= static_cast<int64_t>(sent.size());
  Index at;
  receiveEach(result, [&](ArrayRef<int64_t> index) {
    at.assign(index.begin(), index.end());
    int64_t source = index[concatDim] / block[concatDim];
    at[concatDim] %= block[concatDim];
    at[splitDim] += position * block[splitDim];
    return *sent[source].get(at);
  });
}

/// The listed group of a rank; empty if it is in none.
SmallVector<unsigned> getListedGroup(DenseIntElementsAttr groups, unsigned rank) {
  int64_t size = groups.getType().getDimSize(1);
  SmallVector<unsigned> group;
  for (auto [i, member] : llvm::enumerate(groups.getValues<int64_t>())) {
    if (static_cast<int64_t>(i) % size == 0) {
      if (llvm::is_contained(group, rank))
        return group;
      group.clear();
    }
    group.push_back(static_cast<unsigned>(member));
  }
  return llvm::is_contained(group, rank) ? group : SmallVector<unsigned>();
}

void receivePermute(ArrayRef<int64_t> pairs, const Shard &result, ArrayRef<Shard> sent,
                    int64_t position) {
  const Shard *source = nullptr;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    if (pairs[i + 1] == position)
      source = &sent[pairs[i]];
  receiveEach(result, [&](ArrayRef<int64_t> index) { return source ? *source->get(index) : 0; });
}
} // namespace

LogicalResult Machine::executeCollective(Operation *op, Ranks ranks) {
  if (level != Level::ranks && !op->getParentOfType<ManualOp>())
    return op->emitOpError("communicates, which level ") << stringifyLevel(level) << " does not";
  if (auto index = dyn_cast<comm::AxisIndexOp>(op)) {
    if (index.getMesh() != mesh)
      return op->emitOpError("expected the program's mesh, found ") << index.getMesh();
    Digits digits = getDigits(mesh, index.getAxes());
    for (unsigned rank : ranks)
      setScalar(index.getResult(), rank, getPosition(digits, rank));
    return success();
  }
  auto collective = dyn_cast<comm::CollectiveOpInterface>(op);
  if (!collective || op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return unsupported(op);
  if (collective.getGroupMesh() != mesh)
    return op->emitOpError("expected the program's mesh, found ") << collective.getGroupMesh();

  Value operand = collective.getOperandValue();
  Digits digits = getDigits(mesh, collective.getGroupAxes());
  DenseIntElementsAttr listed = collective.getListedGroups();
  // What all members receive alike is computed once.
  const bool isSame = isa<comm::AllReduceOp, comm::AllGatherOp, comm::BroadcastOp>(op);
  for (unsigned rank : ranks) {
    SmallVector<unsigned> group = listed ? getListedGroup(listed, rank) : getGroup(digits, rank);
    if (group.empty()) {
      Shard result = makeShard(op->getResult(0), rank);
      receiveEach(result, [](ArrayRef<int64_t>) { return Word(0); });
      continue;
    }
    if (failed(checkGroup(op, group, ranks)))
      return failure();
    if (unsigned first = *llvm::min_element(group); isSame && first != rank) {
      MutableArrayRef<Cell> cells = define(op->getResult(0));
      cells[rank] = cells[first];
      continue;
    }
    SmallVector<Shard> sent;
    for (unsigned member : group)
      sent.push_back(getShard(operand, member));
    const int64_t position = llvm::find(group, rank) - group.begin();
    Shard result = makeShard(op->getResult(0), rank);
    if (result.extent->numLocal == 0)
      continue;
    bool known = TypeSwitch<Operation *, bool>(op)
                     .Case([&](comm::AllReduceOp o) {
                       receiveAllReduce(o, result, sent);
                       return true;
                     })
                     .Case([&](comm::AllGatherOp o) {
                       receiveAllGather(o.getDim(), result, sent);
                       return true;
                     })
                     .Case([&](comm::ReduceScatterOp o) {
                       receiveReduceScatter(o, result, sent, position);
                       return true;
                     })
                     .Case([&](comm::AllToAllOp o) {
                       receiveAllToAll(o.getSplitDim(), o.getConcatDim(), result, sent, position);
                       return true;
                     })
                     .Case([&](comm::PermuteOp o) {
                       receivePermute(o.getPairs(), result, sent, position);
                       return true;
                     })
                     .Case([&](comm::BroadcastOp o) {
                       receiveEach(result, [&](ArrayRef<int64_t> index) {
                         return *sent[o.getRoot()].get(index);
                       });
                       return true;
                     })
                     .Default([](Operation *) { return false; });
    if (!known)
      return unsupported(op);
  }
  return success();
}
