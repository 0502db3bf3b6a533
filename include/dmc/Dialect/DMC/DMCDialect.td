//===- DMCDialect.td - The dmc dialect ---------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts and data movement as first-class IR: the dialect itself.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_DIALECT_TD
#define DMC_DIALECT_DMC_DIALECT_TD

include "mlir/IR/OpBase.td"

def DMC_Dialect : Dialect {
  let name = "dmc";
  let cppNamespace = "::dmc";
  let summary = "Where every tensor lives, and every move between devices";
  let description = [{
    Meshes, layouts (tensor encodings) and the movement operators, the few
    compute operators that `linalg` lacks, and kernels. A movement operator is
    the identity on the global value and changes only the layout.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 0;
  let hasOperationAttrVerify = 1;
}

#endif // DMC_DIALECT_DMC_DIALECT_TD
