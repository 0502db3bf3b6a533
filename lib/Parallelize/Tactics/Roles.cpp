//===- Roles.cpp - What arguments are for ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step updates parameters and state, which it donates; only what the loss
// depends on is a parameter.
//
//===----------------------------------------------------------------------===//
#include "Roles.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

/// Which results take over no buffer.
static llvm::BitVector findNew(ProgramAttr program) {
  llvm::BitVector isNew(program.getResults().size(), true);
  for (ValueAttr argument : program.getArguments())
    if (argument.isDonated())
      isNew.reset(argument.getDonates());
  return isNew;
}

/// The arguments on which the results depend that take over no buffer.
static llvm::BitVector findRead(const Subject &subject) {
  llvm::BitVector isNew = findNew(subject.program);
  func::FuncOp entry = subject.entry;
  llvm::BitVector read(entry.getNumArguments());
  DenseSet<Operation *> seen;
  SmallVector<Value> work;
  for (auto [number, value] : llvm::enumerate(subject.getReturn().getOperands()))
    if (isNew[number])
      work.push_back(value);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == &entry.getBody().front()) {
      read.set(argument.getArgNumber());
      continue;
    }
    // What is within control flow counts with all that enters it.
    Operation *op = entry.getBody().front().findAncestorOpInBlock(
        value.getDefiningOp() ? *value.getDefiningOp() : *value.getParentBlock()->getParentOp());
    if (!op || !seen.insert(op).second)
      continue;
    llvm::append_range(work, op->getOperands());
    for (Region &region : op->getRegions())
      visitUsedValuesDefinedAbove(region, [&](OpOperand *use) { work.push_back(use->get()); });
  }
  return read;
}

bool tactics::hasLoss(const Subject &subject) {
  return !getArgumentsOf("parameter", subject).empty();
}

SmallVector<unsigned> tactics::getArgumentsOf(StringRef role, const Subject &subject) {
  llvm::BitVector read;
  if (role == "parameter" || role == "state") {
    // A program that only infers may donate too: its caches are neither.
    auto isLoss = [&](unsigned result) {
      return subject.program.getResults()[result].getType().getRank() == 0;
    };
    if (llvm::none_of(findNew(subject.program).set_bits(), isLoss))
      return {};
    read = findRead(subject);
  }
  SmallVector<unsigned> numbers;
  for (auto [number, argument] : llvm::enumerate(subject.program.getArguments())) {
    bool hasDims = argument.getType().getRank() > 0;
    bool fits = role == "any" || (role == "batch" && !argument.isDonated() && hasDims) ||
                (role == "image" && !argument.isDonated() && argument.getType().getRank() >= 4) ||
                (role == "parameter" && argument.isDonated() && hasDims && read[number]) ||
                (role == "state" && argument.isDonated() && hasDims && !read[number]);
    if (fits)
      numbers.push_back(number);
  }
  return numbers;
}
