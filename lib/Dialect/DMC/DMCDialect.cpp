//===- DMCDialect.cpp - Registration and aliases --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect: what it registers, and short names for its attributes in text.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/CustomCall.h"

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
#include "dmc/Dialect/DMC/CustomCallOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dmc/Dialect/DMC/KernelOps.cpp.inc"
      >();
  addInterfaces<DMCAsmInterface>();
}

#define GET_ATTRDEF_CLASSES
#include "dmc/Dialect/DMC/DMCAttrs.cpp.inc"
