//===- SparseUpdate.cpp - Updates of what a scatter changes ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Dialect/DMC/SparseUpdate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dmc;

/// The element of a constant tensor of equal elements; else null.
static TypedAttr getSplat(Value tensor) {
  Attribute constant;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>()) {
    if (matchPattern(fill.getInputs().front(), m_Constant(&constant)))
      return dyn_cast<TypedAttr>(constant);
    return {};
  }
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<TypedAttr>();
  return {};
}

TypedAttr dmc::getInitialSplat(ScatterOp scatter) {
  return scatter.getTargets().size() == 1 ? getSplat(scatter.getTargets().front()) : TypedAttr();
}

namespace {
/// What elements are where the scatter changes nothing.
class UnscatteredElements {
public:
  explicit UnscatteredElements(ScatterOp scatter) {
    known[scatter->getResult(0)] = {getInitialSplat(scatter), {}};
  }

  /// A constant, or the element of the same position of a tensor.
  struct Element {
    TypedAttr constant;
    Value tensor;
  };

  Element of(Value tensor) {
    if (auto found = known.find(tensor); found != known.end())
      return found->second;
    Element element = compute(tensor);
    if (!element.constant && !element.tensor)
      element.tensor = tensor;
    known[tensor] = element;
    return element;
  }

private:
  /// Neither a constant nor a tensor where it is of no other.
  Element compute(Value tensor) {
    if (TypedAttr splat = getSplat(tensor))
      return {splat, {}};
    Operation *op = tensor.getDefiningOp();
    if (auto broadcast = dyn_cast_or_null<linalg::BroadcastOp>(op))
      return {of(broadcast.getInput()).constant, {}};
    auto structured = dyn_cast_or_null<linalg::LinalgOp>(op);
    if (!structured || !isa<linalg::MapOp, linalg::GenericOp>(op) ||
        structured.getNumReductionLoops() > 0 || structured.getNumDpsInits() != 1 ||
        !structured.getMatchingIndexingMap(structured.getDpsInitOperand(0)).isIdentity())
      return {};
    llvm::DenseMap<Value, Element> values;
    for (OpOperand *input : structured.getDpsInputOperands()) {
      Element element = of(input->get());
      bool isSame = structured.getMatchingIndexingMap(input).isIdentity();
      if (element.constant || (isSame && element.tensor))
        values[structured.getMatchingBlockArgument(input)] = element;
    }
    Block *body = structured.getBlock();
    for (Operation &inner : body->without_terminator()) {
      if (inner.getNumRegions() || inner.getNumResults() != 1)
        return {};
      if (Element element = fold(inner, values); element.constant || element.tensor)
        values[inner.getResult(0)] = element;
    }
    return values.lookup(body->getTerminator()->getOperand(0));
  }

  static Element fold(Operation &op, const llvm::DenseMap<Value, Element> &values) {
    // Folders may change the operation that they are asked about.
    Operation *copy = op.clone();
    Element element;
    constexpr int mostRounds = 4;
    for (int round = 0; round < mostRounds; ++round) {
      SmallVector<Attribute> constants;
      for (Value operand : copy->getOperands()) {
        Attribute constant = values.lookup(operand).constant;
        if (!constant)
          (void)matchPattern(operand, m_Constant(&constant));
        constants.push_back(constant);
      }
      SmallVector<OpFoldResult> results;
      if (failed(copy->fold(constants, results)))
        break;
      if (results.empty()) // changed in place
        continue;
      if (auto value = dyn_cast<Value>(results.front()))
        element = values.lookup(value);
      else
        element.constant = dyn_cast<TypedAttr>(cast<Attribute>(results.front()));
      break;
    }
    copy->destroy();
    return element;
  }

  llvm::DenseMap<Value, Element> known;
};
} // namespace

Value dmc::getUnscattered(Value value, ScatterOp scatter) {
  if (!getInitialSplat(scatter))
    return {};
  Value tensor = UnscatteredElements(scatter).of(value).tensor;
  return tensor && tensor != value && tensor.getType() == value.getType() ? tensor : Value();
}
