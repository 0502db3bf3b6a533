//===- Slots.cpp - Elements that the threads of a team have ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/Slots.h"

#include "Kernel/Buffers.h"
#include "Kernel/Locality.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// Whether rows of a buffer are read again for each index that names them.
static bool isGathered(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    return isa<bufferization::ToTensorOp>(user) &&
           llvm::any_of(user->getUsers(), [&](Operation *reader) {
             auto gather = dyn_cast<GatherOp>(reader);
             return gather && gather.getOperand() == user->getResult(0);
           });
  });
}

int64_t codegen::countTeamLanes(const Scalarizer &s, const Task &task, int64_t row,
                                int64_t elements) {
  SmallVector<Value> all = llvm::to_vector(task.reads), passed;
  for (const Root &root : task.roots)
    all.push_back(root.dest);
  llvm::copy_if(all, std::back_inserter(passed), [&](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getNumElements() >= elements || isGathered(buffer);
  });
  int64_t widest = 1;
  for (Value buffer : passed.empty() ? all : passed)
    widest = std::max(widest, elementBytes(getElementTypeOrSelf(buffer)));
  int64_t lanes = std::max<int64_t>(1, s.target.getVectorBytes() / widest);
  while (row % lanes)
    lanes /= 2;
  for (const Root &root : task.roots)
    lanes = findRowAlignment(root.value, elements, lanes);
  return lanes;
}

int64_t codegen::countWords(Value value) { return dmc::countWords(value.getType()); }

Slots::Slots(ArrayRef<int64_t> sizes, int64_t lanes, int64_t team, int64_t most, bool isOrdered)
    : sizes(sizes), lanes(lanes), team(team), chunks(llvm::product_of(sizes) / lanes),
      held(std::max<int64_t>(1, most / lanes)), isOrdered(isOrdered) {
  divide();
}

void Slots::beginBefore(const Index &chunks, const Index &sameDistance, int64_t most) {
  shift = chunks;
  distance = sameDistance;
  before = most - 1;
  divide();
}

void Slots::divide() {
  int64_t all = llvm::divideCeil(chunks + before, team);
  groups = llvm::divideCeil(all, held);
  count = llvm::divideCeil(all, groups);
}

int64_t Slots::chooseTeam(int64_t elements, int64_t lanes, int64_t most, TargetAttr target) {
  int64_t chunks = llvm::divideCeil(elements, lanes), held = std::max<int64_t>(1, most / lanes);
  int64_t needed = llvm::bit_ceil<uint64_t>(llvm::divideCeil(chunks, held));
  int64_t atLeast = std::min<int64_t>(llvm::bit_ceil<uint64_t>(chunks), target.getWarpThreads());
  return std::clamp<int64_t>(needed, atLeast, getLargestTeam(target));
}

SmallVector<Chunk> Slots::getChunks(Scalarizer &s, const Team &running, const Index &group) const {
  s.recordCopies({{LoopExecutor::unrolled, count}, {LoopExecutor::lanes, lanes}});
  SmallVector<Chunk> list;
  for (int64_t slot = 0; slot < count; ++slot)
    list.push_back(getChunk(s, running, group, slot));
  return list;
}

Chunk Slots::getChunk(Scalarizer &s, const Team &running, const Index &group, int64_t slot) const {
  SmallVector<int64_t> shape(sizes);
  shape.back() /= lanes;
  int64_t together = isOrdered ? std::min(team, s.target.getWarpThreads()) : team;
  Index first = s.add(s.mod(running.getLane(), together), group, together * count);
  if (together < team)
    first = s.add(first, s.div(running.getLane(), together), together * count * groups);
  Index number = s.add(first, LoopBuilder::constant(slot * together));
  Index inRow = s.add(number, shift, -1);
  Chunk chunk;
  if (s.within(inRow, 0, chunks, chunk.isInside) == std::optional(false))
    chunk.isInside = arith::ConstantOp::create(s.here(), s.loc, s.here().getBoolAttr(false));
  Index clamped = s.clamp(inRow, 0, chunks - 1);
  // Neighbouring slots are then at constant distances in memory, too.
  if (clamped == inRow && shape.size() == 1)
    clamped = s.add(number, distance, -1);
  chunk.first = s.delinearize(clamped, shape);
  chunk.first.back() = s.scale(chunk.first.back(), lanes);
  return chunk;
}

SmallVector<Value> Slots::forGroups(Scalarizer &s, const Team &running, ValueRange carried,
                                    Body body) const {
  return s.loop(groups, carried, [&](const Index &group, ValueRange values) {
    return body(getChunks(s, running, group), values);
  });
}
