//===- InterpretTest.cpp - The library's interface ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Interpreter/Interpreter.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace mlir;
using namespace dmc;

namespace {

constexpr const char *doubled = R"(
#m = #dmc.mesh<"a" = 4>
#a = #dmc.layout<#m, [{"a"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #m,
    arguments ["x" : tensor<5xui8, #a>], results ["y" : tensor<5xui8, #a>]>} {
  func.func @main(%x: tensor<5xi8, #a>) -> tensor<5xi8, #a> {
    %y = arith.addi %x, %x : tensor<5xi8, #a>
    return %y : tensor<5xi8, #a>
  }
})";

class InterpretTest : public ::testing::Test {
protected:
  InterpretTest() {
    context.loadDialect<DMCDialect, comm::CommDialect, arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, tensor::TensorDialect>();
    context.getDiagEngine().registerHandler(
        [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
    module = parseSourceString<ModuleOp>(doubled, &context);
  }

  MLIRContext context;
  std::string message;
  OwningOpRef<ModuleOp> module;
};

TEST_F(InterpretTest, ScattersAndGathers) {
  FailureOr<interpreter::Signature> signature = interpreter::getSignature(*module);
  ASSERT_TRUE(succeeded(signature));
  EXPECT_EQ(signature->arguments.front().name, "x");
  EXPECT_TRUE(signature->arguments.front().type.getElementType().isUnsignedInteger(8));
  interpreter::Tensor input = interpreter::Tensor::get(signature->arguments.front().type);
  const char values[] = {1, 2, 3, 100, -1};
  std::memcpy(input.bytes.data(), values, 5);
  auto results = interpreter::interpret(*module, {input});
  ASSERT_TRUE(succeeded(results));
  const char expected[] = {2, 4, 6, static_cast<char>(200), -2};
  EXPECT_EQ(std::memcmp(results->front().bytes.data(), expected, 5), 0);
  std::string text;
  llvm::raw_string_ostream os(text);
  interpreter::print(os, results->front());
  EXPECT_EQ(text, "tensor<5xi8> = [2, 4, 6, -56, -2]");
}

TEST_F(InterpretTest, RefusesWrongInputs) {
  EXPECT_TRUE(failed(interpreter::interpret(*module, {})));
  EXPECT_EQ(message, "expected 1 inputs, found 0");
  interpreter::Tensor input =
      interpreter::Tensor::get(RankedTensorType::get({4}, IntegerType::get(&context, 8)));
  EXPECT_TRUE(failed(interpreter::interpret(*module, {input})));
  EXPECT_EQ(message, "input 0 is not a 'tensor<5xui8>'");
}

} // namespace
