//===- RowMemory.cpp - Rows in the memory of a block ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/RowMemory.h"

#include "Kernel/Buffers.h"
#include "Kernel/TeamRows.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// Whether a pass reads a tensor: for what it computes, or reduces.
static bool isReadIn(Value tensor, const RowPass &pass) {
  return llvm::any_of(tensor.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    bool isOfPass = llvm::any_of(user->getResults(), [&](Value v) { return pass.contains(v); }) ||
                    (pass.contains(tensor) && isReduction(dyn_cast<linalg::LinalgOp>(user)));
    return isOfPass && isRead(use);
  });
}

/// What is read of memory, of a shape, in at least so many passes, in the order of the kernel.
/// Booleans are bytes in memory, and not worth it.
static SmallVector<Value> findRead(Block *block, ArrayRef<int64_t> shape, const RowPasses &passes,
                                   int64_t atLeast) {
  SmallVector<Value> tensors;
  for (auto read : block->getOps<bufferization::ToTensorOp>()) {
    Value tensor = read.getResult();
    auto reads = [&](const RowPass &pass) { return isReadIn(tensor, pass); };
    if (shapeOf(tensor) == shape && !getElementTypeOrSelf(tensor).isInteger(1) &&
        llvm::count_if(passes.passes, reads) >= atLeast)
      tensors.push_back(tensor);
  }
  return tensors;
}

std::optional<RowMemory> RowMemory::choose(Scalarizer &s, Block *block, ArrayRef<int64_t> shape,
                                           size_t rank, const RowPasses &passes, const Slots &slots,
                                           int64_t team, int64_t reserved, bool hasRows) {
  SmallVector<Value> again = findRead(block, shape, passes, 2), byAll;
  if (rank > 0)
    byAll = findRead(block, shape.drop_front(rank), passes, hasRows ? 1 : 2);
  auto countBytes = [&](ArrayRef<Value> tensors) {
    int64_t bytes = 0;
    for (Value tensor : tensors)
      bytes += elementBytes(getElementTypeOrSelf(tensor));
    return bytes * slots.getCount() * slots.getLanes() * team;
  };
  if (again.empty() || slots.getGroups() < 2)
    return std::nullopt;
  // What all rows read is in the caches: the rows go first, and that has the rest. A team with
  // several rows keeps both of the same groups.
  int64_t room = s.target.getSharedBytes() - reserved, ofRow = countBytes(again);
  int64_t ofAll = countBytes(byAll), all = slots.getGroups();
  int64_t groups = std::min(room / (hasRows ? ofRow + ofAll : ofRow), all);
  if (groups < 1)
    return std::nullopt;
  int64_t shared = hasRows || !ofAll ? groups : std::min((room - groups * ofRow) / ofAll, groups);
  if (shared < 1)
    byAll.clear();
  RowMemory memory(s, slots.getLanes(), groups, byAll.empty() ? groups : shared, hasRows);
  // Neighbouring threads have neighbouring elements, in different banks.
  auto add = [&](Value tensor, bool isOfAllRows) {
    int64_t kept[] = {(isOfAllRows ? shared : groups) * slots.getCount(), slots.getLanes(), team};
    memory.all.push_back({tensor, s.shared(kept, getElementTypeOrSelf(tensor)), isOfAllRows});
  };
  for (Value tensor : again)
    add(tensor, false);
  for (Value tensor : byAll)
    add(tensor, true);
  return memory;
}

void RowMemory::begin() {
  for (Kept &kept : all)
    kept.isFilled = kept.isOfAllRows && hasRows;
}

void RowMemory::fill(ArrayRef<Chunk> chunks, const Index &first, const Team &team) {
  for (auto [slot, chunk] : llvm::enumerate(chunks))
    for (const Kept &kept : all)
      for (int64_t lane = 0; kept.isOfAllRows && lane < lanes; ++lane) {
        Value value = s.element(kept.tensor, codegen::getElement(chunk, lane));
        s.store(value, kept.buffer, locate(s.add(first, LoopBuilder::constant(slot)), lane, team));
      }
}

void RowMemory::visit(const RowPass &pass, ArrayRef<Index> row, ArrayRef<Chunk> chunks,
                      const Index &first, const Team &team, bool hasShared) {
  for (auto [slot, chunk] : llvm::enumerate(chunks)) {
    Index number = s.add(first, LoopBuilder::constant(slot));
    for (const Kept &kept : all)
      for (int64_t lane = 0;
           lane < lanes && (hasShared || !kept.isOfAllRows) && isReadIn(kept.tensor, pass);
           ++lane) {
        Indices element = codegen::getElement(chunk, lane), at = locate(number, lane, team);
        if (!kept.isOfAllRows)
          element = concatenate(row, element);
        if (kept.isFilled) {
          Value value = s.load(kept.buffer, at);
          s.remember(kept.tensor, element, value);
        } else {
          Value value = s.element(kept.tensor, element);
          s.store(value, kept.buffer, at);
        }
      }
  }
}

void RowMemory::end(const RowPass &pass) {
  for (Kept &kept : all)
    kept.isFilled |= isReadIn(kept.tensor, pass);
}
