//===- CollectiveInterface.td - What collectives share -----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One view of every collective, for cost, schedule and code generation.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_COMM_COLLECTIVE_INTERFACE_TD
#define DMC_DIALECT_COMM_COLLECTIVE_INTERFACE_TD

include "mlir/IR/OpBase.td"

def CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::dmc::comm";
  let description = [{
    A collective: one operand, one destination, the mesh axes whose positions
    form the group, or the groups as a list.
  }];
  let methods = [
    InterfaceMethod<"The kind, as the layout library prices it.",
      "::dmc::CollectiveKind", "getKind">,
    InterfaceMethod<"The value sent.", "::mlir::Value", "getOperandValue", (ins),
      [{ return $_op.getOperand(); }]>,
    InterfaceMethod<"The destination.", "::mlir::Value", "getDestination", (ins),
      [{ return $_op.getInit(); }]>,
    InterfaceMethod<"The axes of the group, major to minor.", "::dmc::AxesAttr", "getGroupAxes", (ins),
      [{ return $_op.getAxes(); }]>,
    InterfaceMethod<"The mesh.", "::dmc::MeshAttr", "getGroupMesh", (ins),
      [{ return $_op.getMesh(); }]>,
    InterfaceMethod<"The groups where they are listed: a row of ranks for each; or null.",
      "::mlir::DenseIntElementsAttr", "getListedGroups", (ins),
      [{ return $_op.getGroupsAttr(); }]>,
    InterfaceMethod<"The number of ranks in a group.", "int64_t", "getGroupSize", (ins), [{
      if (auto groups = $_op.getGroupsAttr())
        return groups.getType().getDimSize(1);
      return $_op.getAxes().getGroupSize($_op.getMesh());
    }]>
  ];
}

#endif // DMC_DIALECT_COMM_COLLECTIVE_INTERFACE_TD
