//===- WrittenBytes.h - Which buffer each byte holds ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_SCHEDULE_WRITTENBYTES_H
#define DMC_LIB_SCHEDULE_WRITTENBYTES_H

#include "mlir/IR/Operation.h"

#include <map>

namespace dmc {

/// For each byte of one memory the buffer that was written last.
class WrittenBytes {
public:
  void write(int64_t offset, int64_t bytes, mlir::Value buffer, mlir::Operation *writer);

  struct Found {
    bool isWritten = true;
    /// Who wrote over the buffer, or null.
    mlir::Operation *other = nullptr;
  };

  /// Whether all bytes were last written through the buffer, or, if it is not
  /// null, by `initial`.
  Found find(int64_t offset, int64_t bytes, mlir::Value buffer,
             mlir::Operation *initial = nullptr) const;

  /// Keeps what holds in both cases: where the buffers differ, none is valid,
  /// except that what is there from the start, by `initial`, is valid as well in
  /// the buffer of the result that the argument is donated to.
  void meet(const WrittenBytes &other, mlir::Operation *initial);

private:
  struct Range {
    int64_t end;
    mlir::Value buffer;
    mlir::Operation *writer;
  };

  void split(int64_t at);

  std::map<int64_t, Range> ranges;
};

} // namespace dmc

#endif // DMC_LIB_SCHEDULE_WRITTENBYTES_H
