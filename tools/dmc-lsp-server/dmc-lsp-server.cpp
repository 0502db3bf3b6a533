//===- dmc-lsp-server.cpp - Language server -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Editors' support for programs at any level.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/InitAll.h"
#include "dmc/Support/VersionPrinter.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  dmc::registerVersionPrinter();
  mlir::DialectRegistry registry;
  dmc::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
