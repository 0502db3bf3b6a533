//===- InitAll.cpp - Registration of everything ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/InitAll.h"

#include "dmc/Codegen/Passes.h"
#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Fusion/Passes.h"
#include "dmc/Import/Passes.h"
#include "dmc/Import/StableHLO/Dialect.h"
#include "dmc/Parallelize/Passes.h"
#include "dmc/Parallelize/Tactics/Passes.h"
#include "dmc/Parallelize/Tactics/Tactics.h"
#include "dmc/Pipelines/Pipelines.h"
#include "dmc/Ranks/Passes.h"
#include "dmc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Transform/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void dmc::registerAllDialects(DialectRegistry &registry, DialectOptions options) {
  registry.insert<DMCDialect, comm::CommDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect, func::FuncDialect,
                  gpu::GPUDialect, index::IndexDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                  tensor::TensorDialect, tosa::TosaDialect>();
  if (options.frontEnd)
    stablehlo::registerDialects(registry);
  func::registerInlinerExtension(registry);
  registerTactics(registry);
}

void dmc::registerAllPasses() {
  registerImportPasses();
  registerParallelizePasses();
  registerTacticsPasses();
  transform::registerTransformPasses();
  registerRanksPasses();
  registerFusionPasses();
  registerSchedulePasses();
  registerCodegenPasses();
  registerPipelines();
  registerCanonicalizerPass();
  registerCSEPass();
  registerInlinerPass();
  registerSymbolDCEPass();
}
