//===- MoveOpInterface.td - What moves a tensor ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes ask of a movement operator without naming it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_MOVE_OP_INTERFACE_TD
#define DMC_DIALECT_DMC_MOVE_OP_INTERFACE_TD

include "mlir/IR/OpBase.td"

def MoveOpInterface : OpInterface<"MoveOpInterface"> {
  let cppNamespace = "::dmc";
  let description = [{
    An operation of one tensor operand and one tensor result that decides where elements
    are stored and computes none of them. Its verifier checks both layouts, so it has no
    sharding rule; after `dmc-to-ranks` none remains.
  }];
  let methods = [
    InterfaceMethod<[{
        False if every rank takes its result from what it holds of the operand; true if
        ranks may send elements to each other.
      }],
      "bool", "isCommunication", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return true;">,
    InterfaceMethod<[{
        True if the result is the operand's global value in another layout. False for a
        halo, whose result is windows of the operand.
      }],
      "bool", "isIdentity", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return true;">
  ];
}

#endif // DMC_DIALECT_DMC_MOVE_OP_INTERFACE_TD
