//===- KernelOps.cpp - Verifiers of kernels and launches ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmc.kernel, dmc.launch and dmc.yield.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dmc;

#define GET_OP_CLASSES
#include "dmc/Dialect/DMC/KernelOps.cpp.inc"

/// C3 of kernels; launches on tensors share it.
static LogicalResult verifyInPlace(Operation *op, std::optional<ArrayRef<int64_t>> inPlace,
                                   ValueRange inputs, ValueRange inits) {
  if (!inPlace)
    return success();
  if (inPlace->size() != inits.size())
    return op->emitOpError("expected one 'in_place' entry per destination, found ")
           << inPlace->size() << " for " << inits.size();
  for (auto [i, input] : llvm::enumerate(*inPlace)) {
    if (input == -1)
      continue;
    if (input < 0 || input >= static_cast<int64_t>(inputs.size()))
      return op->emitOpError("'in_place' entry ")
             << i << " names input " << input << ", which does not exist";
    if (inputs[input].getType() != inits[i].getType())
      return op->emitOpError("'in_place' entry ")
             << i << " pairs " << inputs[input].getType() << " with " << inits[i].getType();
  }
  return success();
}

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  SmallVector<Type> expected(getInputs().getTypes());
  llvm::append_range(expected, getInits().getTypes());
  if (block.getArgumentTypes() != TypeRange(expected)) // kernel_c1
    return emitOpError("expected region arguments of the types of inputs and destinations");
  if (getInits().getTypes() != getResultTypes()) // kernel_c2
    return emitOpError("expected results of the destinations' types");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().getTypes() != getResultTypes())
    return emitOpError("expected the region to yield values of the results' types");
  return verifyInPlace(*this, getInPlace(), getInputs(), getInits()); // kernel_c3
}

LogicalResult LaunchOp::verify() {
  bool hasMemrefs = false, hasTensors = false;
  for (Type type : getOperandTypes()) {
    hasMemrefs |= isa<BaseMemRefType>(type);
    hasTensors |= isa<RankedTensorType>(type);
  }
  if (hasMemrefs && hasTensors) // launch_c3
    return emitOpError("expected operands that are all tensors or all memrefs");
  if (hasMemrefs ? !getResults().empty() : getResultTypes() != getInits().getTypes()) // launch_c2
    return emitOpError(hasMemrefs ? "expected no results on memrefs"
                                  : "expected results of the destinations' types");
  return verifyInPlace(*this, getInPlace(), getInputs(), getInits());
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr()); // launch_c1
  if (!callee)
    return emitOpError("kernel function ") << getCalleeAttr() << " does not exist";
  // A launch on memrefs may still call a kernel function on tensors, until
  // dmc-bufferize-kernels.
  auto matches = [](Type argument, Type operand) {
    auto tensor = dyn_cast<RankedTensorType>(argument);
    auto memref = dyn_cast<MemRefType>(operand);
    return argument == operand || (tensor && memref && tensor.getShape() == memref.getShape() &&
                                   tensor.getElementType() == memref.getElementType());
  };
  if (callee.getNumArguments() != getNumOperands() ||
      !llvm::all_of(llvm::zip(callee.getArgumentTypes(), getOperandTypes()),
                    [&](auto pair) { return matches(std::get<0>(pair), std::get<1>(pair)); })) {
    InFlightDiagnostic diag = emitOpError("operands do not match the arguments of ")
                              << getCalleeAttr();
    diag.attachNote(callee.getLoc()) << "the kernel function is " << callee.getFunctionType();
    return diag;
  }
  return success();
}

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : getInputsMutable())
    if (isa<BaseMemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpOperand &operand : getInitsMutable())
    if (isa<BaseMemRefType>(operand.get().getType())) {
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    }
}
