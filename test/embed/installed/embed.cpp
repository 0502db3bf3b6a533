//===- embed.cpp - dmc as a library ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses a program with layouts, runs a pipeline of dmc's, checks the result: with
// dmc's front end, and beside a dialect that has the name of one of the front end.
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
    arguments ["a" : tensor<8x64xf32, #cols>, "b" : tensor<64x6xf32, #rows>],
    results ["c" : tensor<8x6xf32, #all>]>} {
  func.func @main(%a: tensor<8x64xf32>, %b: tensor<64x6xf32>) -> tensor<8x6xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x6xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
    %c = linalg.matmul ins(%a, %b : tensor<8x64xf32>, tensor<64x6xf32>)
                       outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
})";

namespace {
/// A dialect of the embedder's that has the name of one of dmc's front end.
class ForeignDialect : public mlir::Dialect {
public:
  explicit ForeignDialect(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context, mlir::TypeID::get<ForeignDialect>()) {
    allowUnknownOperations();
  }
  static llvm::StringRef getDialectNamespace() { return "stablehlo"; }
};
} // namespace

/// Parses and partitions a program; the number of all-reduces, -1 after an error.
static int countReductions(mlir::MLIRContext &context, llvm::StringRef text) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return -1;
  mlir::PassManager pm(&context);
  dmc::buildParallelizePipeline(pm);
  dmc::buildToRanksPipeline(pm);
  if (mlir::failed(pm.run(*module)))
    return -1;
  int reductions = 0;
  module->walk([&](dmc::comm::AllReduceOp) { ++reductions; });
  return reductions;
}

/// dmc with its front end.
static bool testAll() {
  mlir::DialectRegistry registry;
  dmc::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  int reductions = countReductions(context, program);
  std::printf("all-reduces: %d\n", reductions);
  return reductions == 1;
}

/// dmc beside other dialects of the names that its front end uses.
static bool testForeignDialect() {
  mlir::DialectRegistry registry;
  registry.insert<ForeignDialect>();
  dmc::registerAllDialects(registry, {/*frontEnd=*/false});
  mlir::MLIRContext context(registry);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>("\"stablehlo.anything\"() : () -> ()", &context);
  bool isForeign = module && mlir::isa<ForeignDialect>(module->getBody()->front().getDialect());
  int reductions = countReductions(context, program);
  std::printf("all-reduces beside a dialect 'stablehlo' of the embedder: %d\n", reductions);
  return isForeign && reductions == 1;
}

int main() { return testAll() && testForeignDialect() ? 0 : 1; }
