//===- Buffers.cpp - Where the buffers of the rank function lie -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/Buffers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

int64_t codegen::elementBytes(Type type) {
  if (type.isIndex())
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

int64_t codegen::bufferBytes(MemRefType type) {
  return type.hasStaticShape() ? type.getNumElements() * elementBytes(type.getElementType()) : 0;
}

bool codegen::isShared(MemRefType type) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Workgroup;
}

bool codegen::isOnlyRead(Value buffer) {
  return llvm::all_of(buffer.getUsers(), [](Operation *user) {
    if (isa<memref::ReinterpretCastOp, UnrealizedConversionCastOp>(user))
      return isOnlyRead(user->getResult(0));
    return isa<memref::LoadOp, vector::LoadOp>(user);
  });
}

func::FuncOp codegen::findEntry(ModuleOp module) {
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isDeclaration() && !entry)
      entry = function;
  return entry;
}

BufferMap::BufferMap(ModuleOp module) {
  func::FuncOp entry = findEntry(module);
  ProgramAttr program = ProgramAttr::of(module);
  if (!entry || !program)
    return;
  size_t numArguments = program.getArguments().size();
  for (size_t i = 0; i < numArguments; ++i) {
    int64_t result = program.getResultInBufferOf(i);
    if (result >= 0 && numArguments + result < entry.getNumArguments())
      aliases[entry.getArgument(numArguments + result)] = entry.getArgument(i);
  }
}

std::optional<Buffer> BufferMap::find(Value value) const {
  Buffer buffer;
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  buffer.size = bufferBytes(type);
  while (Operation *op = value.getDefiningOp()) {
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      std::optional<int64_t> shift = getConstantIntValue(view.getByteShift());
      if (!shift || !view.getSizes().empty())
        return std::nullopt;
      buffer.offset += *shift;
      value = view.getSource();
    } else if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
      value = collapse.getSrc();
    } else if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
      value = expand.getSrc();
    } else if (auto cast = dyn_cast<memref::CastOp>(op)) {
      value = cast.getSource();
    } else if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
      buffer.global = global.getName();
      return buffer;
    } else {
      return std::nullopt;
    }
  }
  auto alias = aliases.find(value);
  buffer.base = alias == aliases.end() ? value : alias->second;
  return buffer;
}
