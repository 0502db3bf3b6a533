//===- WholeStores.cpp - Stores of whole vectors --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CPU/WholeStores.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

void dmc::codegen::storeWholeVectors(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!store || !isa<VectorType>(store->getValueOperand()->getType()))
      continue;
    auto *select = dyn_cast<SelectInst>(store->getValueOperand());
    if (!select)
      continue;
    // The generator looks for a selection between a value and what the same place held. A frozen
    // value is no longer what was loaded, and costs nothing.
    for (unsigned arm : {1, 2})
      if (isa<LoadInst>(select->getOperand(arm)))
        select->setOperand(arm, IRBuilder<>(select).CreateFreeze(select->getOperand(arm)));
  }
}
