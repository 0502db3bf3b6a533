//===- RunTiles.cpp - Tiles that are one run of memory --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "Kernel/RunTiles.h"

#include "Kernel/BankedMemory.h"
#include "Kernel/Buffers.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

std::optional<int64_t> codegen::chooseRunColumns(int64_t size, int64_t warp,
                                                 int64_t bytesPerColumn) {
  int64_t columns = std::min<int64_t>(Launch::looseThreads, llvm::alignTo(size, warp));
  while (columns > warp && bytesPerColumn * columns > Launch::mostShared)
    columns = llvm::alignTo(columns / 2, warp);
  return bytesPerColumn * columns <= Launch::mostShared ? std::optional(columns) : std::nullopt;
}

void codegen::forTileElements(Scalarizer &s, Team &team, int64_t count, size_t operands,
                              function_ref<void(const Index &, Value)> body) {
  int64_t slots = llvm::divideCeil(count, team.getSize());
  int64_t together = std::min<int64_t>(slots, countHeldElements(s.target, operands));
  s.loop(llvm::divideCeil(slots, together), {}, [&](const Index &group, ValueRange) {
    s.recordCopies({{LoopExecutor::unrolled, together}});
    for (int64_t slot = 0; slot < together; ++slot) {
      Index number = s.add(team.getLane(), group, team.getSize() * together);
      number = s.add(number, LoopBuilder::constant(slot * team.getSize()));
      Value condition;
      if (s.within(number, 0, count, condition) != std::optional(false))
        body(number, condition);
    }
    return SmallVector<Value>();
  });
}

int64_t codegen::getResultSector(const Scalarizer &s, const Task &task) {
  int64_t sector = 1, widest = 0;
  for (const Root &root : task.roots) {
    Type type = getElementTypeOrSelf(root.dest);
    if (elementBytes(type) > widest) {
      widest = elementBytes(type);
      sector = s.target.getLineElements(type);
    }
  }
  return sector;
}

void codegen::rememberRead(Scalarizer &s, const LocalRead &read, const Indices &indices,
                           Value value) {
  Indices at;
  for (int64_t dim : read.dims)
    at.push_back(indices[dim]);
  s.remember(read.tensor, at, value);
}
