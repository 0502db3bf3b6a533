//===- ScalarProgram.cpp - Scalar code as a list of instructions ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the bodies of linalg operations and single scalar operations.
//
//===----------------------------------------------------------------------===//
#include "ScalarProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

namespace {
class Compiler {
public:
  explicit Compiler(ScalarProgram &program) : program(program) {}

  uint32_t addSlot() { return program.numSlots++; }
  void map(Value value, uint32_t slot) { slots[value] = slot; }
  uint32_t getSlot(Value value);
  LogicalResult compile(Operation *op);

private:
  FailureOr<Kind> getElementKind(Operation *op, Type type);
  LogicalResult compileExtract(tensor::ExtractOp op);

  ScalarProgram &program;
  DenseMap<Value, uint32_t> slots;
};
} // namespace

uint32_t Compiler::getSlot(Value value) {
  auto [it, inserted] = slots.try_emplace(value, 0);
  if (inserted) {
    it->second = addSlot();
    program.scalars.push_back({it->second, value});
  }
  return it->second;
}

FailureOr<Kind> Compiler::getElementKind(Operation *op, Type type) {
  if (std::optional<Kind> kind = getKind(getElementTypeOrSelf(type)))
    return *kind;
  return op->emitError("element type ") << type << " is unsupported by the interpreter";
}

static void runLoopIndex(Frame &frame, const Instruction &i) {
  frame.slots[i.result] = frame.loops[i.immediate];
}

static void runExtract(Frame &frame, const Instruction &i) {
  const Shard &shard = frame.tensors[i.immediate];
  Index index;
  for (uint32_t slot : frame.lists.slice(i.extra, shard.extent->begin.size()))
    index.push_back(static_cast<int64_t>(frame.slots[slot]));
  std::optional<Word> element = shard.get(index);
  if (!element)
    frame.error = "extracts an element that the rank does not hold";
  frame.slots[i.result] = element.value_or(getPoison(shard.kind));
}

LogicalResult Compiler::compileExtract(tensor::ExtractOp op) {
  Instruction instruction;
  instruction.run = runExtract;
  instruction.immediate = program.tensors.size();
  instruction.extra = program.lists.size();
  program.tensors.push_back(op.getTensor());
  for (Value index : op.getIndices())
    program.lists.push_back(getSlot(index));
  map(op.getResult(), instruction.result = addSlot());
  program.code.push_back(instruction);
  return success();
}

LogicalResult Compiler::compile(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (!isa<FloatAttr, IntegerAttr>(constant.getValue()))
      return op->emitError("non-scalar constant in a body is unsupported by the interpreter");
    uint32_t slot = addSlot();
    map(constant.getResult(), slot);
    program.constants.push_back({slot, getWord(constant.getValue())});
    return success();
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    Instruction instruction;
    instruction.run = runLoopIndex;
    instruction.immediate = index.getDim();
    map(index.getResult(), instruction.result = addSlot());
    program.code.push_back(instruction);
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return compileExtract(extract);

  if (op->getNumOperands() == 0 || op->getNumOperands() > 3 || op->getNumResults() == 0 ||
      op->getNumResults() > 2)
    return op->emitOpError("is unsupported by the interpreter");
  Instruction instruction;
  // A select's first operand is its predicate: the others say what it works on.
  Type operandType = op->getOperand(op->getNumOperands() - 1).getType();
  FailureOr<Kind> kind = getElementKind(op, operandType);
  FailureOr<Kind> resultKind = getElementKind(op, op->getResult(0).getType());
  if (failed(kind) || failed(resultKind))
    return failure();
  if (op->getName().getStringRef() == "math.fpowi")
    kind = resultKind;
  instruction.run = getFunction(op, *kind, *resultKind);
  if (!instruction.run)
    return op->emitOpError("is unsupported by the interpreter");
  instruction.kind = *kind;
  instruction.resultKind = *resultKind;
  instruction.width = getWidth(*kind);
  instruction.resultWidth = getWidth(*resultKind);
  uint32_t *operands[] = {&instruction.a, &instruction.b, &instruction.c};
  for (auto [operand, slot] : llvm::zip_first(op->getOperands(), operands))
    *slot = getSlot(operand);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    instruction.immediate = static_cast<Word>(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    instruction.immediate = static_cast<Word>(compare.getPredicate());
  map(op->getResult(0), instruction.result = addSlot());
  if (op->getNumResults() == 2)
    map(op->getResult(1), instruction.extra = addSlot());
  program.code.push_back(instruction);
  return success();
}

FailureOr<ScalarProgram> ScalarProgram::compile(Block &block) {
  ScalarProgram program;
  Compiler compiler(program);
  for (Value argument : block.getArguments())
    compiler.map(argument, compiler.addSlot());
  for (Operation &op : block.without_terminator())
    if (failed(compiler.compile(&op)))
      return failure();
  for (Value value : block.getTerminator()->getOperands())
    program.yields.push_back(compiler.getSlot(value));
  return program;
}

FailureOr<ScalarProgram> ScalarProgram::compile(Operation *op) {
  ScalarProgram program;
  Compiler compiler(program);
  program.numSlots = op->getNumOperands();
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    compiler.map(operand, i);
  if (failed(compiler.compile(op)))
    return failure();
  for (Value result : op->getResults())
    program.yields.push_back(compiler.getSlot(result));
  return program;
}
