//===- StepFunction.h - The rank function as C ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From level 3's entry function to dmc_step_fn.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_HOST_STEPFUNCTION_H
#define DMC_LIB_CODEGEN_HOST_STEPFUNCTION_H

#include "Host/ProgramTables.h"
#include "Kernel/Buffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace dmc::codegen {

/// Adds `@dmc_step` to the module and records what it launches.
class StepBuilder {
public:
  StepBuilder(mlir::ModuleOp module, mlir::func::FuncOp entry, ProgramAttr program,
              TableBuilder &tables, ProgramFacts &facts)
      : module(module), entry(entry), program(program), tables(tables), facts(facts),
        symbols(module), buffers(module), builder(module.getContext()), loc(entry.getLoc()) {}

  mlir::LogicalResult build();

private:
  mlir::LogicalResult lower(mlir::Operation &op);
  mlir::LogicalResult lower(mlir::Block &block); // without its terminator
  mlir::LogicalResult launch(LaunchOp op);
  mlir::LogicalResult collective(comm::CollectiveOpInterface op);
  mlir::LogicalResult copy(mlir::memref::CopyOp op);
  void axisIndex(comm::AxisIndexOp op);
  mlir::LogicalResult arithmetic(mlir::Operation &op);

  // Control flow: blocks of the step function.
  mlir::LogicalResult control(mlir::Operation &op);
  mlir::LogicalResult lower(mlir::scf::WhileOp op);
  mlir::LogicalResult lower(mlir::scf::ForOp op);
  mlir::LogicalResult lower(mlir::scf::IfOp op);
  mlir::LogicalResult lower(mlir::scf::IndexSwitchOp op);
  mlir::LogicalResult load(mlir::memref::LoadOp op);
  mlir::LogicalResult store(mlir::memref::StoreOp op);
  mlir::Value element(mlir::Value memref, mlir::ValueRange indices, mlir::Operation *user);
  /// A new block with arguments for values of these types.
  mlir::Block *newBlock(mlir::TypeRange types);
  void bind(mlir::ValueRange values, mlir::Block *block);
  /// The operands for a jump; fails on what is not a scalar of the rank function.
  llvm::FailureOr<llvm::SmallVector<mlir::Value>> passed(mlir::ValueRange values,
                                                         mlir::Operation *user);

  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value byteOffset(mlir::Value base, int64_t bytes);
  mlir::Value loadAt(mlir::Type type, mlir::Value base, int64_t bytes);
  mlir::Value address(mlir::Value memref, mlir::Operation *user);
  /// The address on the device of a constant of the program.
  mlir::Value constantAddress(mlir::memref::GlobalOp global);
  //===--- Of programs for devices ---===//
  void copyBytes(mlir::Value to, dmc_memory_space toSpace, mlir::Value from,
                 dmc_memory_space fromSpace, int64_t bytes, int64_t stream = 0);
  void event(int64_t number, dmc_event_kind kind, int64_t stream);
  void eventOf(mlir::Operation &op);
  /// The stream of an operation; 0 on processors, which follow the order of the program.
  int64_t streamOf(mlir::Operation *op);
  mlir::Value callRuntime(size_t member, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::Type> types);
  void returnOnFailure(mlir::Value status);

  mlir::ModuleOp module;
  mlir::func::FuncOp entry;
  ProgramAttr program;
  TableBuilder &tables;
  ProgramFacts &facts;
  mlir::SymbolTable symbols;
  BufferMap buffers;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::LLVM::LLVMFuncOp step;
  mlir::Block *failed = nullptr; // returns its argument
  llvm::DenseMap<mlir::Value, mlir::Value> bases;
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, int64_t> tokens; // of which collective
  llvm::DenseMap<mlir::Value, int64_t> events; // by their numbers
  /// What the step function does for a launch, in this order: launches of nests that follow each
  /// other, and calls of libraries with some of the kernel's arguments.
  struct Part {
    bool isCall;
    unsigned number; // in the table of kernels or of calls
    llvm::SmallVector<unsigned> arguments;
  };
  /// Describes the parts of a kernel, once.
  llvm::FailureOr<llvm::ArrayRef<Part>> partsOf(mlir::func::FuncOp kernel, mlir::Location loc);
  /// The function by which the runtime calls a nest, made from that which is called in the kernel.
  std::string makeEntry(mlir::func::FuncOp nest);
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Part>> kernels;
  mlir::Value arguments, results, coordinates; // of the step
  mlir::Value constants;
  mlir::Value slots; // for the arguments of a launch or of a library call
  /// The most slots that one of them needs. A call may pass an argument of its kernel twice.
  int64_t numSlots = 1;
  mlir::Value scalar; // 8 bytes for one that comes from a device or goes there
  llvm::StringMap<unsigned> constantNumbers;
  int64_t executions = 1; // of what is lowered now; -1: not known
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_HOST_STEPFUNCTION_H
