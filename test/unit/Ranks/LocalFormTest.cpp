//===- LocalFormTest.cpp - Local forms of other dialects ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dialect contributes local forms through its interface.
//
//===----------------------------------------------------------------------===//
#include "dmc/Ranks/LocalForm.h"
#include "dmc/Ranks/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace dmc;

namespace {

constexpr const char *program = R"mlir(
#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<5xf32, #x>], results ["y" : tensor<5xf32, #x>]>} {
  func.func @main(%a: tensor<5xf32, #x>) -> tensor<5xf32, #x> {
    %y = bufferization.alloc_tensor() copy(%a) : tensor<5xf32, #x>
    return %y : tensor<5xf32, #x>
  }
}
)mlir";

LogicalResult lowerAlloc(bufferization::AllocTensorOp op, RankBuilder &b) {
  b.cloneLocal(op);
  return success();
}

struct BufferizationForms : public LocalFormDialectInterface {
  using LocalFormDialectInterface::LocalFormDialectInterface;
  void populateLocalForms(LocalForms &forms) const override {
    forms.insert<bufferization::AllocTensorOp, lowerAlloc>();
  }
};

/// The program's text at level ranks; empty if the pass fails.
std::string lower(bool withInterface) {
  DialectRegistry registry;
  registry.insert<DMCDialect, comm::CommDialect, func::FuncDialect,
                  bufferization::BufferizationDialect>();
  if (withInterface)
    registry.addExtension(+[](MLIRContext *, bufferization::BufferizationDialect *dialect) {
      dialect->addInterfaces<BufferizationForms>();
    });
  MLIRContext context(registry);
  ScopedDiagnosticHandler ignore(&context, [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  if (!module)
    return "";
  PassManager pm(&context);
  pm.addPass(createToRanks());
  pm.addPass(createVerifyRanks());
  if (failed(pm.run(*module)))
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

TEST(LocalForm, OfAnotherDialect) {
  EXPECT_EQ(lower(/*withInterface=*/false), "");
  EXPECT_NE(lower(/*withInterface=*/true).find("alloc_tensor() copy(%arg0) : tensor<3xf32>"),
            std::string::npos);
}

TEST(LocalForm, BlockSizesAreNested) {
  MLIRContext context;
  context.loadDialect<DMCDialect, comm::CommDialect, func::FuncDialect, arith::ArithDialect>();
  OpBuilder builder(&context);
  auto module = OwningOpRef<ModuleOp>(ModuleOp::create(builder.getUnknownLoc()));
  auto function =
      func::FuncOp::create(builder.getUnknownLoc(), "f", builder.getFunctionType({}, {}));
  module->push_back(function);
  Block *entry = function.addEntryBlock();
  auto mesh = MeshAttr::get(&context, Mesh({{"x", 2}, {"y", 3}}));
  auto axes = AxesAttr::get(&context, ArrayRef<StringRef>{"x", "y"});
  LocalForms forms(&context);
  RankBuilder b(builder.getUnknownLoc(), mesh, entry, forms);

  EXPECT_EQ(b.getBlockSizes(13, axes), (SmallVector<int64_t>{7, 3}));
  EXPECT_FALSE(b.isEven(13, axes));
  EXPECT_TRUE(b.isEven(12, axes));
  // Scalars of the rank are made once.
  EXPECT_EQ(b.getBlockOffset(13, axes), b.getBlockOffset(13, axes));
  EXPECT_EQ(b.getBlockValid(13, axes), b.getBlockValid(13, axes));
  EXPECT_NE(b.getBlockOffset(13, axes), b.getBlockOffset(12, axes));
}

} // namespace
