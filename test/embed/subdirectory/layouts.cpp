//===- layouts.cpp - dmc's types in another project -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a layout and computes the shape of a shard.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Version.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdio>

int main() {
  mlir::MLIRContext context;
  context.loadDialect<dmc::DMCDialect>();
  auto layout = llvm::dyn_cast_or_null<dmc::LayoutAttr>(
      mlir::parseAttribute("#dmc.layout<#dmc.mesh<\"x\" = 4>, [{\"x\"}, {}]>", &context));
  if (!layout)
    return 1;
  llvm::SmallVector<int64_t> shard(layout.getLocalShape({8, 3}));
  std::printf("dmc %s: a shard of 8 x 3 is %d x %d\n", DMC_VERSION, int(shard[0]), int(shard[1]));
  return shard[0] == 2 && shard[1] == 3 ? 0 : 1;
}
