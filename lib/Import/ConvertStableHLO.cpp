//===- ConvertStableHLO.cpp - Convert the entry to linalg on tensors ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmc-convert-stablehlo: the forward walk, and the conversions that are the same
// for all elementwise operations and constants.
//
//===----------------------------------------------------------------------===//
#include "ComplexMath.h"
#include "Conversion.h"
#include "Derived.h"
#include "Normalize.h"
#include "dmc/Import/Import.h"
#include "dmc/Import/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace dmc;

namespace dmc {
#define GEN_PASS_DEF_CONVERTSTABLEHLO
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

static const llvm::StringMap<OpConversion> &getConversions() {
  static const llvm::StringMap<OpConversion> conversions = [] {
    llvm::StringMap<OpConversion> map;
    registerShapeConversions(map);
    registerContractionConversions(map);
    registerConvolutionConversions(map);
    registerReductionConversions(map);
    registerWindowConversions(map);
    registerSelectAndScatterConversions(map);
    registerIndexingConversions(map);
    registerSortConversions(map);
    registerCustomCallConversions(map);
    registerBitConversions(map);
    registerRandomConversions(map);
    registerControlConversions(map);
    registerCollectiveConversions(map);
    return map;
  }();
  return conversions;
}

static bool isForeign(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "stablehlo" || dialect == "chlo" || dialect == "sdy";
}

/// Elementwise operations of arith and math on tensors.
static bool isUpstreamElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType()) && !isForeign(op);
}

static bool hasSignedness(Type type) { return type != toSignless(type); }

/// True if an operation is not of level 0 yet.
static bool needsConversion(Operation *op) {
  return isForeign(op) || isUpstreamElementwise(op) ||
         (isa<arith::ConstantOp>(op) && isa<RankedTensorType>(op->getResult(0).getType()) &&
          Converter::getSplat(op->getResult(0)));
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Erases what nothing uses, in one backward sweep: destinations and constants that
/// conversions did not need, and dead code of the program.
static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    if (!isa<linalg::LinalgOp>(op))
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          eraseDead(nested);
  }
}

LogicalResult Converter::convertFunction(func::FuncOp function) {
  Block &source = function.getBody().front();
  Region body;
  Block *block = b.createBlock(&body);
  for (BlockArgument argument : source.getArguments())
    map(argument, block->addArgument(toSignless(argument.getType()), argument.getLoc()));
  b.setInsertionPointToEnd(block);
  if (failed(convertBlock(source)))
    return failure();
  eraseDead(*block);
  function.getBody().takeBody(body);
  auto toSignlessTypes = [](TypeRange types) {
    return llvm::map_to_vector(types, [](Type type) { return toSignless(type); });
  };
  function.setFunctionType(b.getFunctionType(toSignlessTypes(function.getArgumentTypes()),
                                             toSignlessTypes(function.getResultTypes())));
  return success();
}

LogicalResult Converter::convertBlock(Block &block) {
  for (Operation &op : block)
    if (failed(convertOp(&op)))
      return failure();
  return success();
}

/// True if all results are tensors without elements: nothing is to be computed.
static bool hasEmptyResults(Operation *op) {
  return op->getNumResults() != 0 && llvm::all_of(op->getResultTypes(), [](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
         });
}

LogicalResult Converter::convertOp(Operation *op) {
  // dmc-split-complex has gone before, or the pass runs on its own.
  if (isForeign(op) && failed(checkNoComplex(op)))
    return failure();
  if (isForeign(op) && isMemoryEffectFree(op) && hasEmptyResults(op)) {
    for (Value result : op->getResults())
      map(result, empty(op->getLoc(), typeOf(result)));
    return success();
  }
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    return convertConstant(op, constant.getValue());
  if (OpConversion conversion = getConversions().lookup(op->getName().getStringRef()))
    return conversion(*this, op);
  if (isElementwise(op))
    return convertElementwise(op);
  if (isForeign(op) && !op->isRegistered())
    return unsupported(op) << stablehlo::explainUnsupported(op->getName().getStringRef());
  if (isForeign(op))
    return unsupported(op) << "cannot be converted to a tensor program; expected elementwise, "
                              "shape, product, reduction, window and indexing operations";
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto value = dyn_cast<ElementsAttr>(constant.getValue()))
      return convertConstant(op, value);
    return copy(op);
  }
  if (isUpstreamElementwise(op))
    return convertUpstreamElementwise(op);
  return copy(op);
}

LogicalResult Converter::copy(Operation *op) {
  bool isConstraint = isa<ConstrainOp>(op);
  if (!isConstraint && llvm::any_of(op->getResultTypes(), hasSignedness))
    return op->emitError() << "unsupported: '" << op->getName()
                           << "' with an integer of explicit signedness";
  Operation *result = b.insert(op->cloneWithoutRegions(values));
  if (isConstraint)
    result->getResult(0).setType(toSignless(op->getResult(0).getType()));
  bool hasScalarBody = isa<linalg::LinalgOp>(op);
  for (auto [from, to] : llvm::zip(op->getRegions(), result->getRegions())) {
    if (hasScalarBody) {
      from.cloneInto(&to, values);
      continue;
    }
    for (Block &block : from) {
      OpBuilder::InsertionGuard guard(b);
      Block *copied = b.createBlock(&to, to.end());
      for (BlockArgument argument : block.getArguments())
        map(argument, copied->addArgument(toSignless(argument.getType()), argument.getLoc()));
      if (!op->hasTrait<OpTrait::SingleBlock>() && from.hasOneBlock() == false)
        return op->emitError() << "unsupported: '" << op->getName()
                               << "' with a region of several blocks";
      if (failed(convertBlock(block)))
        return failure();
    }
  }
  map(op, result->getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Constants and elementwise operations
//===----------------------------------------------------------------------===//

LogicalResult Converter::convertConstant(Operation *op, ElementsAttr value) {
  // Programs of ranks have not been normalized.
  if (isa<DenseResourceElementsAttr>(value)) {
    if (failed(readResource(op)))
      return failure();
    value = op->getAttrOfType<ElementsAttr>("value");
  }
  RankedTensorType type = typeOf(op->getResult(0));
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (elements && elements.isSplat()) {
    Attribute element = elements.getSplatValue<Attribute>();
    if (auto integer = dyn_cast<IntegerAttr>(element))
      element = b.getIntegerAttr(type.getElementType(), integer.getValue());
    map(op->getResult(0), fill(op->getLoc(), cast<TypedAttr>(element), type));
    return success();
  }
  if (!elements)
    return unsupported(op) << "has a value that is neither dense nor a resource";
  if (type != value.getType())
    value = DenseElementsAttr::getFromRawBuffer(type, elements.getRawData());
  map(op->getResult(0), arith::ConstantOp::create(b, op->getLoc(), cast<TypedAttr>(value)));
  return success();
}

/// The value of a map's body for constant elements; null where it does not fold.
static TypedAttr foldBody(linalg::MapOp map, ArrayRef<TypedAttr> elements) {
  Block &body = *map.getBody();
  llvm::SmallDenseMap<Value, Attribute> values;
  for (auto [argument, element] : llvm::zip(body.getArguments(), elements))
    values[argument] = element;
  for (Operation &op : body.without_terminator()) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    SmallVector<OpFoldResult> results;
    if (failed(op.fold(operands, results)) || results.size() != 1)
      return {};
    auto value = dyn_cast<Value>(results.front());
    values[op.getResult(0)] = value ? values.lookup(value) : cast<Attribute>(results.front());
  }
  return dyn_cast_or_null<TypedAttr>(values.lookup(body.getTerminator()->getOperand(0)));
}

LogicalResult Converter::convertElementwise(Operation *op) {
  RankedTensorType type = typeOf(op->getResult(0));
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value value = (*this)[operand];
    // Predicates of select and bounds of clamp may be of rank 0.
    auto operandType = cast<RankedTensorType>(value.getType());
    if (operandType.getRank() == 0 && type.getRank() != 0)
      value = splat(loc, value, type.clone(operandType.getElementType()));
    operands.push_back(value);
  }
  Value same;
  bool failed = false;
  Value result = elementwise(loc, operands, type, [&](OpBuilder &body, ValueRange elements) {
    Value element = buildScalar({body, loc, op, elements, type.getElementType()});
    if (!element) {
      failed = true;
      return elements.front();
    }
    // Conversions to the same signless type do nothing.
    if (element == elements.front() && op->getNumOperands() == 1)
      same = operands.front();
    return element;
  });
  if (failed)
    return failure();
  auto elementwiseMap = result.getDefiningOp<linalg::MapOp>();
  if (same) {
    elementwiseMap.erase();
    result = same;
  } else {
    // Programs compute constants of constants; as kernels these would be costly.
    SmallVector<TypedAttr> elements = llvm::map_to_vector(operands, getSplat);
    if (TypedAttr folded = llvm::all_of(elements, [](TypedAttr element) { return !!element; })
                               ? foldBody(elementwiseMap, elements)
                               : TypedAttr()) {
      elementwiseMap.erase();
      result = fill(loc, folded, type);
    }
  }
  map(op->getResult(0), result);
  return success();
}

LogicalResult Converter::convertUpstreamElementwise(Operation *op) {
  RankedTensorType type = typeOf(op->getResult(0));
  SmallVector<Value> inputs, scalars;
  // Scalar operands, as select's predicate may be, are captured by the body.
  for (Value operand : op->getOperands())
    if (Value value = (*this)[operand]; isa<RankedTensorType>(value.getType()))
      inputs.push_back(value);
  Value result = elementwise(op->getLoc(), inputs, type, [&](OpBuilder &body, ValueRange elements) {
    const Value *element = nullptr;
    SmallVector<Value> remaining(elements);
    element = remaining.begin();
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands()) {
      Value value = (*this)[operand];
      state.addOperands(isa<RankedTensorType>(value.getType()) ? *element++ : value);
    }
    state.addTypes(type.getElementType());
    state.addAttributes(op->getAttrDictionary().getValue());
    return body.create(state)->getResult(0);
  });
  map(op->getResult(0), result);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertStableHLO : dmc::impl::ConvertStableHLOBase<ConvertStableHLO> {
  using ConvertStableHLOBase::ConvertStableHLOBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ProgramAttr program = ProgramAttr::of(module);
    bool isOfRanks = program && program.getLevel() == Level::ranks;
    if (program && program.getLevel() != Level::tensor && !isOfRanks)
      return markAllAnalysesPreserved();
    FailureOr<func::FuncOp> entry = getEntry(module);
    if (failed(entry))
      return signalPassFailure();
    bool isConverted = !llvm::any_of(entry->getArgumentTypes(), hasSignedness) &&
                       !entry
                            ->walk([&](Operation *op) {
                              return (isOfRanks ? isForeign(op) : needsConversion(op))
                                         ? WalkResult::interrupt()
                                         : WalkResult::advance();
                            })
                            .wasInterrupted();
    if (isConverted)
      return;
    Converter converter(&getContext(), narrowPartials);
    if (failed(expandDerivedOps(*entry)) || failed(converter.convertFunction(*entry)))
      return signalPassFailure();
    converter.permitNarrowing();
  }
};
} // namespace
