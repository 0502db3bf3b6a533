//===- Accesses.cpp - Which bytes an operation accesses -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Accesses.h"

#include "dmc/Dialect/Comm/Comm.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;

int64_t dmc::getBytes(MemRefType type) {
  Type element = type.getElementType();
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return type.getNumElements() * ((bits + 7) / 8);
}

EntryMemory::EntryMemory(func::FuncOp entry, ProgramAttr program)
    : block(entry.getBody().front()), numArguments(program.getArguments().size()),
      arena(numArguments + program.getResults().size()), donors(program.getResults().size(), -1) {
  for (unsigned i = 0; i < numArguments; ++i)
    if (int64_t result = program.getResultInBufferOf(i); result >= 0)
      donors[result] = static_cast<int>(i);
}

Access EntryMemory::getArgument(unsigned index) const {
  Access access;
  access.memory = index;
  if (index >= numArguments && index < arena)
    if (int donor = donors[index - numArguments]; donor >= 0)
      access.memory = donor;
  access.buffer = block.getArgument(index);
  access.bytes = getBytes(cast<MemRefType>(access.buffer.getType()));
  return access;
}

std::optional<Access> EntryMemory::find(Value value) const {
  while (isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == &block && argument.getArgNumber() < arena)
      return getArgument(argument.getArgNumber());
    return std::nullopt;
  }
  auto view = value.getDefiningOp<memref::ViewOp>();
  APInt offset;
  if (!view || view.getSource() != block.getArgument(arena) ||
      !matchPattern(view.getByteShift(), m_ConstantInt(&offset)))
    return std::nullopt;
  return Access{arena, offset.getSExtValue(), getBytes(view.getType()), value};
}

static AccessedBuffers getBuffersOf(LaunchOp launch) {
  AccessedBuffers buffers;
  buffers.writes.assign(launch.getInits().begin(), launch.getInits().end());
  buffers.inPlace.assign(launch.getInits().size(), -1);
  for (auto [i, input] : llvm::enumerate(launch.getInputs())) {
    if (!isa<MemRefType>(input.getType()))
      continue;
    if (launch.getInPlace())
      for (auto [result, pair] : llvm::enumerate(*launch.getInPlace()))
        if (pair == static_cast<int64_t>(i))
          buffers.inPlace[result] = static_cast<int64_t>(buffers.reads.size());
    buffers.reads.push_back(input);
  }
  return buffers;
}

std::optional<AccessedBuffers> dmc::getAccessedBuffers(Operation *op) {
  using Found = std::optional<AccessedBuffers>;
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([](LaunchOp launch) { return Found(getBuffersOf(launch)); })
      .Case([](comm::CollectiveOpInterface collective) {
        int64_t inPlace = isa<comm::AllReduceOp>(collective) ? 0 : -1;
        return Found({{collective.getOperandValue()}, {collective.getDestination()}, {inPlace}});
      })
      .Case([](memref::CopyOp copy) { return Found({{copy.getSource()}, {copy.getTarget()}, {}}); })
      .Case([](memref::LoadOp load) { return Found({{load.getMemref()}, {}, {}}); })
      .Case([](memref::StoreOp store) { return Found({{}, {store.getMemref()}, {}}); })
      .Default([](Operation *) { return std::nullopt; });
}
