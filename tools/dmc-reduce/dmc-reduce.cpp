//===- dmc-reduce.cpp - Shrinks a program that shows a fault --------------===//
//
// Upstream's reducer with dmc's dialects: keeps what a script finds interesting.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/InitAll.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  dmc::registerAllDialects(registry);
  dmc::registerAllPasses();
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(argc, argv, context));
}
