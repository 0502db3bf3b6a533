//===- PlanFixture.h - A program with its graph and plan --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses a program at level 0, lets dmc-propagate-layouts decide without improving
// anything, and builds the graph of what was decided.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_TEST_UNIT_PARALLELIZE_PLANFIXTURE_H
#define DMC_TEST_UNIT_PARALLELIZE_PLANFIXTURE_H

// The headers of the library are made for its precompiled header.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "LayoutRecorder.h"
#include "MemoryEstimate.h"
#include "ProgramCost.h"

#include "dmc/Parallelize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

namespace dmc {

/// What all programs of these tests begin with: layouts on two ranks.
inline constexpr const char *kLayouts = R"mlir(
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}, {}]>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#columns = #dmc.layout<#mesh, [{}, {"x"}]>
#vector = #dmc.layout<#mesh, [{}]>
)mlir";

class Plan {
public:
  explicit Plan(const std::string &text, const RankRates &rates = RankRates())
      : context(getRegistry()), module(mlir::parseSourceString<mlir::ModuleOp>(
                                    kLayouts + text, mlir::ParserConfig(&context))) {
    if (!module)
      return;
    mlir::PassManager pm(&context);
    PropagateLayoutsOptions options;
    options.improve = false;
    pm.addPass(createPropagateLayouts(options));
    if (failed(pm.run(*module)))
      return;
    entry = *getEntryFunction(*module);
    ProgramAttr program = ProgramAttr::of(*module);
    cache = std::make_unique<LayoutCache>(program.getMesh());
    plans = std::make_unique<ReshardPlans>(cache->getMesh(), rates);
    graph = std::make_unique<Propagation>(*plans);
    if (failed(graph->build(entry)) || failed(graph->keep(*cache)))
      return;
    LayoutRecorder(*graph, record).adopt(entry, program, *cache);
    isDecided = true;
  }

  /// The graph's number of the result of the n-th operation of a name.
  unsigned find(llvm::StringRef name, unsigned n = 0) const {
    return graph->getNumber(findOp(name, n)->getResult(0));
  }
  mlir::Operation *findOp(llvm::StringRef name, unsigned n = 0) const {
    mlir::Operation *found = nullptr;
    mlir::func::FuncOp(entry).walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (op->getName().getStringRef() == name && n-- == 0)
        found = op;
      return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
    });
    return found;
  }
  double getBytes() { return ProgramCost(*graph).getTotal().bytes; }

  static mlir::DialectRegistry getRegistry() {
    mlir::DialectRegistry registry;
    registry.insert<DMCDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                    mlir::math::MathDialect, mlir::linalg::LinalgDialect, mlir::scf::SCFDialect,
                    mlir::tensor::TensorDialect>();
    return registry;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp entry;
  std::unique_ptr<LayoutCache> cache;
  std::unique_ptr<ReshardPlans> plans;
  std::unique_ptr<Propagation> graph;
  LayoutRecord record;
  bool isDecided = false;
};

/// A program of one loop of four iterations that carries one tensor<4x8xf32>.
inline std::string makeLoop(const std::string &boundary, const std::string &arguments,
                            const std::string &init, const std::string &body) {
  return "module attributes {dmc.program = #dmc.program<tensor \"p\" on #mesh, " + boundary +
         ">} {\n  func.func @main(" + arguments + R"mlir() -> tensor<4x8xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<4x8xf32>
    %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = )mlir" +
         init + ") -> (tensor<4x8xf32>) {\n" + body + R"mlir(
    }
    return %s : tensor<4x8xf32>
  }
})mlir";
}

} // namespace dmc

#endif // DMC_TEST_UNIT_PARALLELIZE_PLANFIXTURE_H
