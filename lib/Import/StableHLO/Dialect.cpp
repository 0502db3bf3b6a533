// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect stablehlo.
#include "dmc/Import/StableHLO/Dialect.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::stablehlo;

#include "dmc/Import/StableHLO/Dialect.cpp.inc"

void StableHLODialect::initialize() {
  addAttributes_();
  addUnaryOps();
  addBinaryOps();
  addCreationOps();
  addDataMovementOps();
  addContractionOps();
  addTransformOps();
  addReductionOps();
  addControlOps();
  addCollectiveOps();
  addDerivedOps();
}

Operation *StableHLODialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                                 Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

void stablehlo::registerDialects(DialectRegistry &registry) {
  // Quantized types are read in order to be refused.
  registry.insert<StableHLODialect, chlo::ChloDialect, sdy::SdyDialect, quant::QuantDialect>();
}
