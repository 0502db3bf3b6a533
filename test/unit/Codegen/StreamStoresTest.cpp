//===- StreamStoresTest.cpp - Which stores go past the caches -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CPU/StreamStores.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace dmc;

namespace {

struct Counts {
  unsigned streamed = 0, fences = 0;
};

/// Of a function with this body and these listed arguments.
Counts stream(const std::string &body, const std::string &listed) {
  LLVMContext context;
  SMDiagnostic error;
  std::string text = "define void @f(ptr align 64 %a, ptr align 64 %b, <8 x float> %v) #0 {\n" +
                     body + "  ret void\n}\nattributes #0 = { \"dmc-stream\"=\"" + listed +
                     "\" }\n";
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  Function &function = *module->getFunction("f");
  codegen::streamStores(function);
  Counts counts;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block) {
      counts.streamed += instruction.hasMetadata(LLVMContext::MD_nontemporal);
      counts.fences += isa<FenceInst>(instruction);
    }
  return counts;
}

TEST(StreamStores, StreamsAlignedVectorsOfListedArguments) {
  Counts counts = stream("  %p = getelementptr i8, ptr %a, i64 32\n"
                         "  store <8 x float> %v, ptr %p, align 32\n"
                         "  store <8 x float> %v, ptr %b, align 32\n",
                         "0");
  EXPECT_EQ(counts.streamed, 1u);
  EXPECT_EQ(counts.fences, 1u);
}

TEST(StreamStores, LeavesUnalignedAndScalarStores) {
  Counts counts = stream("  %p = getelementptr i8, ptr %a, i64 4\n"
                         "  store <8 x float> %v, ptr %p, align 4\n"
                         "  store float 0.0, ptr %a, align 64\n"
                         "  store volatile <8 x float> %v, ptr %a, align 64\n",
                         "0,1");
  EXPECT_EQ(counts.streamed, 0u);
  EXPECT_EQ(counts.fences, 0u); // nothing to order
}

} // namespace
