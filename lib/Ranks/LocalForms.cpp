//===- LocalForms.cpp - The table of local forms --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built-in forms by name, those of loaded dialects, then those of interfaces.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace dmc;

LocalForms::LocalForms(MLIRContext *context) {
  populateControlForms(*this);
  populateDynamicSliceForms(*this);
  populateGatherForms(*this);
  populateHaloForm(*this);
  populateMoveForms(*this);
  populatePermuteForm(*this);
  populateScatterForms(*this);
  populateTensorForms(*this);
  populateValueForms(*this);
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *interface = dialect->getRegisteredInterface<LocalFormDialectInterface>())
      interface->populateLocalForms(*this);
}

static bool isScalar(Operation *op) {
  auto isTensor = [](Type type) { return isa<ShapedType>(type); };
  return op->getNumRegions() == 0 && llvm::none_of(op->getOperandTypes(), isTensor) &&
         llvm::none_of(op->getResultTypes(), isTensor);
}

LocalForm LocalForms::lookup(Operation *op) const {
  if (auto it = table.find(op->getName().getStringRef()); it != table.end())
    return it->second;
  if (isa<linalg::LinalgOp>(op))
    return lowerLinalg;
  if (isScalar(op) || op->hasTrait<OpTrait::Elementwise>())
    return lowerElementwise;
  return nullptr;
}

std::string dmc::toText(AxesAttr axes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '{';
  llvm::interleaveComma(axes, os, [&](AxisAttr axis) {
    os << '"' << axis.getName() << '"';
    if (!axis.isFullAxis())
      os << ":(" << axis.getPreSize() << ')' << axis.getSubSize();
  });
  os << '}';
  return text;
}

InFlightDiagnostic dmc::unsupported(Operation *op, int64_t dim, AxesAttr axes) {
  return op->emitOpError("is unsupported: dimension ") << dim << " is split over " << toText(axes);
}
