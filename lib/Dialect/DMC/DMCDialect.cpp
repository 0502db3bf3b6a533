//===- DMCDialect.cpp - Registration and attribute placement --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect: what it registers, short names for its attributes in text, and
// where its discardable attributes may stand.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;

#include "dmc/Dialect/DMC/DMCDialect.cpp.inc"
#include "dmc/Dialect/DMC/MoveOpInterface.cpp.inc"
#include "dmc/Dialect/DMC/ShardingRuleInterface.cpp.inc"

namespace {
/// Aliases derive from the content, so that they are stable between passes:
/// `#mesh_data4_model2`, `#layout_data_r` (per dimension its axes).
struct DMCAsmInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (auto mesh = dyn_cast<MeshAttr>(attr)) {
      os << "mesh_" << mesh.getShortName();
      return AliasResult::FinalAlias;
    }
    if (auto layout = dyn_cast<LayoutAttr>(attr)) {
      os << "layout";
      auto append = [&](AxesAttr axes) {
        for (AxisAttr axis : axes) {
          for (char c : axis.getName())
            if (llvm::isAlnum(c) || c == '_')
              os << c;
          if (!axis.isFullAxis())
            os << axis.getPreSize() << "x" << axis.getSubSize();
        }
      };
      for (AxesAttr axes : layout.getDims()) {
        os << '_';
        if (axes.empty())
          os << 'r';
        append(axes);
      }
      if (layout.isPartial()) {
        os << "_p" << stringifyCombinerKind(layout.getCombiner());
        append(layout.getPartial());
      }
      for (PlacedAttr placed : layout.getPlaced())
        os << "_at" << placed.getCoordinate();
      return AliasResult::OverridableAlias;
    }
    return AliasResult::NoAlias;
  }
};
} // namespace

void DMCDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dmc/Dialect/DMC/DMCAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dmc/Dialect/DMC/MovementOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dmc/Dialect/DMC/ComputeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dmc/Dialect/DMC/KernelOps.cpp.inc"
      >();
  addInterfaces<DMCAsmInterface>();
}

#define GET_ATTRDEF_CLASSES
#include "dmc/Dialect/DMC/DMCAttrs.cpp.inc"

LogicalResult DMCDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == "dmc.program") {
    if (!isa<ModuleOp>(op))
      return op->emitOpError("'dmc.program' belongs on a module");
    if (!isa<ProgramAttr>(attr.getValue()))
      return op->emitOpError("expected 'dmc.program' to be a #dmc.program attribute, found ")
             << attr.getValue();
  } else if (name == "dmc.layouts") {
    auto layouts = dyn_cast<OpLayoutsAttr>(attr.getValue());
    if (!layouts)
      return op->emitOpError("expected 'dmc.layouts' to be a #dmc.op_layouts attribute, found ")
             << attr.getValue();
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    size_t operands = llvm::count_if(op->getOperandTypes(), isTensor);
    size_t results = llvm::count_if(op->getResultTypes(), isTensor);
    if (layouts.getOperands().size() != operands || layouts.getResults().size() != results)
      return op->emitOpError("expected 'dmc.layouts' to have ")
             << operands << " operand and " << results << " result layouts, found "
             << layouts.getOperands().size() << " and " << layouts.getResults().size();
  }
  return success();
}
