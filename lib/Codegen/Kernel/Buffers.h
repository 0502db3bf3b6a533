//===- Buffers.h - Where the buffers of the rank function lie ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows views to the argument, or global, that they are part of.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_BUFFERS_H
#define DMC_LIB_CODEGEN_KERNEL_BUFFERS_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace dmc::codegen {

/// A range of bytes at a constant offset from a base, which is a block argument
/// or the result of an operation that is not a view.
struct Buffer {
  mlir::Value base;
  llvm::StringRef global; // base of constants
  int64_t offset = 0, size = 0;
  bool operator==(const Buffer &o) const {
    return base == o.base && global == o.global && offset == o.offset && size == o.size;
  }
  bool overlaps(const Buffer &o) const {
    return base == o.base && global == o.global && offset < o.offset + o.size &&
           o.offset < offset + size;
  }
};

/// Bytes of an element in memory; booleans take one.
int64_t elementBytes(mlir::Type type);
int64_t bufferBytes(mlir::MemRefType type);
/// Whether a buffer is memory of a block of threads.
bool isShared(mlir::MemRefType type);
/// Whether the buffer and its views have no other uses than loads.
bool isOnlyRead(mlir::Value buffer);

/// The entry function: the one that is public.
mlir::func::FuncOp findEntry(mlir::ModuleOp module);

/// The buffers of a module's entry function. A result that takes over an
/// argument's buffer counts as that argument.
class BufferMap {
public:
  explicit BufferMap(mlir::ModuleOp module);
  /// Nothing if the value is not a view at a constant offset.
  std::optional<Buffer> find(mlir::Value value) const;

private:
  llvm::DenseMap<mlir::Value, mlir::Value> aliases;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_BUFFERS_H
