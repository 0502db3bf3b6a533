// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sdy dialect: device meshes and shardings over them.
#ifndef DMC_IMPORT_STABLEHLO_SDYATTRIBUTES_TD
#define DMC_IMPORT_STABLEHLO_SDYATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::dmc::sdy";
  let summary = "Meshes and shardings as sharded programs hold them";
  let description = [{
    An independent definition of what programs with shardings hold of the Shardy dialect: meshes,
    shardings as attributes of arguments and results, sharding constraints, manual computations.
  }];
  let useDefaultAttributePrinterParser = 0;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    // An attribute of an unknown kind is kept as it stands.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

class Sdy_Attr<string name, string attrMnemonic> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Sdy_ReductionOp : I32EnumAttr<"ReductionOp", "how the partial values of a tensor combine", [
    I32EnumAttrCase<"SUM", 0, "sum">, I32EnumAttrCase<"MAX", 1, "max">,
    I32EnumAttrCase<"MIN", 2, "min">]> {
  let cppNamespace = "::dmc::sdy";
}

def Sdy_PropagationDirection : I32EnumAttr<"PropagationDirection",
    "the directions in which shardings propagate through a barrier", [
    I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
    I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>]> {
  let cppNamespace = "::dmc::sdy";
}

def Sdy_MeshAxisAttr : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "An axis of a mesh: `\"data\"=4`";
  let parameters = (ins StringRefParameter<"">:$name, "int64_t":$size);
  let genVerifyDecl = 1;
}

def Sdy_MeshAttr : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "Named axes with sizes, and the order of devices where it is not row-major";
  let description = [{
    `<["data"=4, "model"=2]>`, `<["x"=2], device_ids=[1, 0]>`. Axes have different names, and the
    devices, where given, are a permutation of 0 to their number - 1 (without axes: one device).
  }];
  let parameters = (ins ArrayRefParameter<"MeshAxisAttr">:$axes,
                        ArrayRefParameter<"int64_t">:$deviceIds);
  let extraClassDeclaration = [{
    /// The size of an axis, or nothing if the mesh has no such axis.
    std::optional<int64_t> getAxisSize(::llvm::StringRef name) const;
    bool hasAxis(::llvm::StringRef name) const { return getAxisSize(name).has_value(); }
    /// The number of devices.
    int64_t getTotalSize() const;
    /// The device at a position, row-major over the axes.
    int64_t getDevice(int64_t position) const {
      return getDeviceIds().empty() ? position : getDeviceIds()[position];
    }
    /// A mesh without axes that names a device: values over it are on that device alone.
    bool isOneDevice() const { return getAxes().empty() && !getDeviceIds().empty(); }
  }];
  let genVerifyDecl = 1;
}

def Sdy_AxisRefAttr : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "An axis `\"x\"` or a part of it: `\"x\":(2)4` is 4 after the major 2";
  let description = [{
    `preSize` and `size` are 0 for a whole axis.
  }];
  let parameters = (ins StringRefParameter<"">:$name, "int64_t":$preSize, "int64_t":$size);
  let extraClassDeclaration = [{
    bool isSubAxis() const { return getSize() != 0; }
  }];
}

def Sdy_DimensionShardingAttr : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "The axes that split a dimension, major first: `{\"a\", \"b\"}`, `{\"a\", ?}p1`";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes, "bool":$isClosed,
                        "std::optional<int64_t>":$priority);
}

def Sdy_TensorShardingAttr : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "How a tensor is split over a mesh";
  let description = [{
    In `<@mesh, [{"data"}, {?} ], replicated={"model"}, unreduced={"x"}>` dimension 0 is split over
    "data", dimension 1 is open, "model" splits no dimension, and the partial values along "x" are not
    added yet (`unreduced=max{"x"}`: of partial values of which the greatest counts). The mesh is a symbol or given in place (`<mesh<["a"=2]>, [...]>`).
  }];
  let parameters = (ins "::mlir::Attribute":$meshOrRef,
                        ArrayRefParameter<"DimensionShardingAttr">:$dimShardings,
                        ArrayRefParameter<"AxisRefAttr">:$replicatedAxes,
                        ArrayRefParameter<"AxisRefAttr">:$unreducedAxes,
                        "::dmc::sdy::ReductionOp":$reduction);
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimShardings().size(); }
    /// The mesh's symbol, null if the mesh is given in place.
    ::mlir::FlatSymbolRefAttr getMeshSymbol() const;
    /// The mesh, looked up from `op` where it is a symbol; null if there is none of that name.
    MeshAttr getMesh(::mlir::Operation *op) const;
    /// Checks the sharding against a mesh and the type it is for (null: any).
    ::llvm::LogicalResult
    verifyFor(MeshAttr mesh, ::mlir::Type type,
              ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
  }];
}

def Sdy_TensorShardingPerValueAttr : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "A sharding for each operand or each result";
  let parameters = (ins ArrayRefParameter<"TensorShardingAttr">:$shardings);
}

def Sdy_ManualAxesAttr : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "The axes a manual computation's body works on one part of";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes);
}

def Sdy_AxisRefListAttr : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "Axes: `{\"a\", \"b\"}`";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes);
}

def Sdy_ListOfAxisRefListsAttr : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "Axes for each dimension: `[{\"a\"}, {} ]`";
  let parameters = (ins ArrayRefParameter<"AxisRefListAttr">:$lists);
}

def Sdy_AllToAllParamAttr : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "Axes that leave a dimension for another: `{\"a\"}: 0->2`";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes, "int64_t":$sourceDim,
                        "int64_t":$targetDim);
}

def Sdy_AllToAllParamListAttr : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "All that an all-to-all moves";
  let parameters = (ins ArrayRefParameter<"AllToAllParamAttr">:$params);
}

#endif
