//===- ProgramTables.h - What a program says about itself -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constant tables behind `dmc_program_query`.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_HOST_PROGRAMTABLES_H
#define DMC_LIB_CODEGEN_HOST_PROGRAMTABLES_H

#include "Host/TableBuilder.h"
#include "Kernel/Buffers.h"

#include "dmc-c/Program.h"
#include "dmc/Dialect/Comm/Comm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace dmc::codegen {

/// What lowering the rank function finds out about it.
struct ProgramFacts {
  struct Collective {
    comm::CollectiveOpInterface op;
    int64_t count; // executions; -1: not known
    int64_t stream;
  };
  /// A loop nest: the function that runs a range of it, or how a device runs it, and its cost.
  struct Nest {
    std::string function;
    int64_t iterations, bytes, flops;
    mlir::DictionaryAttr device; // `dmc.device_nest`, or null
    /// Of an argument of the kernel, by its number: how many bytes of it.
    struct Access {
      unsigned argument;
      int64_t bytes;
      bool isWrite;
    };
    llvm::SmallVector<Access> accesses = {};
  };
  struct Kernel {
    std::string name;
    int64_t count; // launches; -1: not known
    mlir::Location loc;
    unsigned numArguments;
    llvm::SmallVector<Nest, 1> nests;
  };
  llvm::SmallVector<Collective, 0> collectives;
  /// A call of a library: the function that stands for it.
  struct Call {
    std::string name; // of the kernel
    mlir::func::FuncOp callee;
    int64_t count; // executions; -1: not known
    mlir::Location loc;
  };
  llvm::SmallVector<Kernel, 0> kernels;
  llvm::SmallVector<Call, 0> calls;
  /// What the step does, in order: a kernel, a call or a collective by its number, and the buffers
  /// that it is given; of calls and kernels by the number of the argument, of collectives operand
  /// and result. Those of scalars, and others that are not known, have no bytes.
  struct Execution {
    enum Kind { kernel, call, collective } kind;
    unsigned number;
    int64_t executions; // -1: not known
    llvm::SmallVector<Buffer> buffers;
  };
  std::vector<Execution> trace;
  /// By kernels, calls and collectives; empty: not predicted.
  llvm::SmallVector<int64_t> predictedPicoseconds;
  /// Constants that the step function passes to kernels of a device, by the globals that hold them.
  llvm::SmallVector<std::pair<std::string, int64_t>> constants; // with their bytes
  bool isForDevice = false;
  int64_t streams = 1, events = 0;
  /// The first operation for which the host waits for a value of a device, and where; empty: none.
  std::string hostWait;
  int64_t flops = 0;
  uint64_t hash[2] = {0, 0};
  /// Of the machine.
  int64_t threadBytesPerSecond = 0, threadFlopsPerSecond = 0, leastDividedFlops = 0;
};

/// Emits the tables and the query function. `step` is the step function's name.
void emitProgramTables(mlir::ModuleOp module, TableBuilder &tables, ProgramAttr program,
                       const ProgramFacts &facts, llvm::StringRef step);

/// Code of a device for one chip.
struct ImageRow {
  llvm::StringRef chip;
  dmc_image_kind kind;
  llvm::StringRef data;
};
/// Puts code into the tables of a program for a device, at most `imagesPerChip` for each chip of
/// its target.
void fillImages(mlir::ModuleOp module, llvm::ArrayRef<ImageRow> images);
inline constexpr unsigned imagesPerChip = 2; // text and binary

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_HOST_PROGRAMTABLES_H
