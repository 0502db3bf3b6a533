//===- embed.cpp - dmc as a library ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses a program with layouts, runs a pipeline of dmc's, checks the result.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Pipelines/InitAll.h"
#include "dmc/Pipelines/Pipelines.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cstdio>

static const char *program = R"(
#mesh = #dmc.mesh<"x" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#cols = #dmc.layout<#mesh, [{}, {"x"}]>
#all = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<tensor "product" on #mesh,
    arguments ["a" : tensor<8x4xf32, #cols>, "b" : tensor<4x6xf32, #rows>],
    results ["c" : tensor<8x6xf32, #all>]>} {
  func.func @main(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>) -> tensor<8x6xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x6xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
    %c = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>)
                       outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
})";

int main() {
  mlir::DialectRegistry registry;
  dmc::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  if (!module)
    return 1;
  mlir::PassManager pm(&context);
  dmc::buildParallelizePipeline(pm);
  dmc::buildToRanksPipeline(pm);
  if (mlir::failed(pm.run(*module)))
    return 1;
  int reductions = 0;
  module->walk([&](dmc::comm::AllReduceOp) { ++reductions; });
  std::printf("all-reduces: %d\n", reductions);
  return reductions == 1 ? 0 : 1;
}
