//===- Parse.h - Operations for tests of sharding rules ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_UNIT_SHARDING_PARSE_H
#define DMC_TEST_UNIT_SHARDING_PARSE_H

#include "dmc/Sharding/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

class ShardingTest : public ::testing::Test {
protected:
  ShardingTest() {
    context.loadDialect<dmc::DMCDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                        mlir::tensor::TensorDialect>();
  }

  /// Parses a function; operations with the attribute `test` are those to ask.
  void parse(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ops.clear();
    if (module)
      module->walk([&](mlir::Operation *op) {
        if (op->hasAttr("test"))
          ops.push_back(op);
      });
    ASSERT_FALSE(ops.empty()) << text;
  }

  /// Partial results as text, of the operands in `partial`: `sum -`, or `refused`.
  static std::string partials(mlir::Operation *op, std::initializer_list<unsigned> partial,
                              dmc::CombinerKind combiner) {
    llvm::BitVector operands(dmc::getTensorOperands(op).size());
    for (unsigned number : partial)
      operands.set(number);
    std::optional<dmc::PartialResults> results = dmc::getPartialResults(op, operands, combiner);
    if (!results)
      return "refused";
    std::string text;
    for (std::optional<dmc::CombinerKind> result : *results)
      text += (text.empty() ? "" : " ") +
              (result ? dmc::stringifyCombinerKind(*result).str() : std::string("-"));
    return text;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<mlir::Operation *> ops;
};

#endif // DMC_TEST_UNIT_SHARDING_PARSE_H
