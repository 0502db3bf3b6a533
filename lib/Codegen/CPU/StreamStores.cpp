//===- StreamStores.cpp - Stores past the caches --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CPU/StreamStores.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

void dmc::codegen::streamStores(Function &function) {
  Attribute listed = function.getFnAttribute(streamFunctionAttr);
  if (!listed.isValid() || function.isDeclaration())
    return;
  SmallPtrSet<Value *, 4> streamed;
  SmallVector<StringRef> numbers;
  listed.getValueAsString().split(numbers, ',');
  for (StringRef text : numbers)
    if (unsigned number; !text.getAsInteger(10, number) && number < function.arg_size())
      streamed.insert(function.getArg(number));

  LLVMContext &context = function.getContext();
  const DataLayout &layout = function.getDataLayout();
  MDNode *one =
      MDNode::get(context, ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1)));
  bool isAny = false;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      if (!store || !store->isSimple() ||
          !isa<FixedVectorType>(store->getValueOperand()->getType()))
        continue;
      TypeSize size = layout.getTypeStoreSize(store->getValueOperand()->getType());
      // Parts of 16 bytes are the least that every processor has such a store for.
      if (size.getFixedValue() % 16 == 0 && store->getAlign() >= size.getFixedValue() &&
          streamed.contains(getUnderlyingObject(store->getPointerOperand()))) {
        store->setMetadata(LLVMContext::MD_nontemporal, one);
        isAny = true;
      }
    }
  if (!isAny)
    return;
  // Such stores are not ordered with others, and so not with the one that tells of the end.
  for (BasicBlock &block : function)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
      IRBuilder<>(end).CreateFence(AtomicOrdering::SequentiallyConsistent);
}
