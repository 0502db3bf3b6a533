//===- RankBuilder.cpp - Values and scalars of a rank program -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps values to their local form and makes, once each, the scalars that depend
// on the rank alone.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Ranks/LocalForm.h"

using namespace mlir;
using namespace dmc;

static int64_t ceilDiv(int64_t n, int64_t p) { return n / p + (n % p != 0); }

RankBuilder::RankBuilder(Location loc, MeshAttr mesh, Block *entry, const LocalForms &forms)
    : ImplicitLocOpBuilder(loc, entry, entry->end()), mesh(mesh), entry(entry), forms(forms) {}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

RankedTensorType RankBuilder::getLocalType(RankedTensorType type) {
  LayoutAttr layout = LayoutAttr::of(type);
  if (!layout)
    return type;
  return RankedTensorType::get(layout.getLocalShape(type.getShape()), type.getElementType());
}

Type RankBuilder::getLocalType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return getLocalType(tensor);
  return type;
}

SmallVector<Value> RankBuilder::getLocal(ValueRange globals) const {
  return llvm::map_to_vector(globals, [&](Value value) { return getLocal(value); });
}

Operation *RankBuilder::cloneLocal(Operation *op) {
  Operation *copy = insert(op->clone(mapping));
  for (OpResult result : copy->getResults())
    result.setType(getLocalType(result.getType()));
  return copy;
}

Operation *RankBuilder::cloneLocal(Operation *op, ValueRange operands) {
  Operation *copy = cloneLocal(op);
  copy->setOperands(operands);
  return copy;
}

FailureOr<Operation *> RankBuilder::cloneWithRegions(Operation *op) {
  Operation *copy = insert(op->cloneWithoutRegions(mapping));
  for (OpResult result : copy->getResults())
    result.setType(getLocalType(result.getType()));
  for (auto [source, target] : llvm::zip_equal(op->getRegions(), copy->getRegions())) {
    if (source.empty())
      continue;
    assert(source.hasOneBlock() && "what has a local form has regions of one block");
    OpBuilder::InsertionGuard guard(*this);
    Block *block = createBlock(&target);
    for (BlockArgument argument : source.getArguments())
      setLocal(argument, block->addArgument(getLocalType(argument.getType()), argument.getLoc()));
    if (failed(lower(source.front())))
      return failure();
  }
  return copy;
}

LogicalResult RankBuilder::lower(Operation *op) {
  for (OpResult result : op->getResults()) {
    if (!isa<TensorType>(result.getType()) || LayoutAttr::of(result.getType()))
      continue;
    return op->emitOpError("expects result ")
           << result.getResultNumber() << " to have a layout, found " << result.getType();
  }
  LocalForm form = forms.lookup(op);
  if (!form)
    return op->emitOpError("is unsupported in a parallel program: it has no local form");
  setLoc(op->getLoc());
  return form(op, *this);
}

LogicalResult RankBuilder::lower(Block &block) {
  for (Operation &op : block)
    if (failed(lower(&op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

OpBuilder RankBuilder::getPrologue() {
  OpBuilder prologue(getContext());
  if (lastOfPrologue)
    prologue.setInsertionPointAfter(lastOfPrologue);
  else
    prologue.setInsertionPointToStart(entry);
  return prologue;
}

Value RankBuilder::addToPrologue(Operation *op) {
  lastOfPrologue = op;
  return op->getResult(0);
}

Value RankBuilder::getConstant(TypedAttr value) {
  Value &result = constants[value];
  if (!result) {
    OpBuilder prologue = getPrologue();
    result =
        addToPrologue(arith::ConstantOp::create(prologue, entry->getParentOp()->getLoc(), value));
  }
  return result;
}

Value RankBuilder::getConstantIndex(int64_t value) { return getConstant(getIndexAttr(value)); }

Value RankBuilder::getAxisIndex(AxesAttr axes) {
  Value &result = axisIndices[axes];
  if (!result) {
    OpBuilder prologue = getPrologue();
    result = addToPrologue(
        comm::AxisIndexOp::create(prologue, entry->getParentOp()->getLoc(), axes, mesh));
  }
  return result;
}

/// Positions in a dimension: each axis contributes coordinate times block size. Where
/// inner cuts are even that is the joint coordinate times the last block's size.
Value RankBuilder::getBlockOffset(int64_t n, AxesAttr axes) {
  auto [entryIt, isNew] = offsets.try_emplace({n, axes});
  if (!isNew)
    return entryIt->second;
  Location where = entry->getParentOp()->getLoc();
  auto scaled = [&](AxesAttr part, int64_t size) -> Value {
    Value index = getAxisIndex(part), factor = getConstantIndex(size);
    OpBuilder prologue = getPrologue();
    return addToPrologue(arith::MulIOp::create(prologue, where, index, factor));
  };

  SmallVector<int64_t> blocks = getBlockSizes(n, axes), parts = getAxisSizes(axes);
  bool innerEven = true;
  for (size_t j = 1; j < parts.size(); ++j)
    innerEven &= blocks[j - 1] == blocks[j] * parts[j];
  Value result;
  if (innerEven) {
    result = scaled(axes, blocks.back());
  } else {
    for (auto [axis, block] : llvm::zip_equal(axes, blocks)) {
      Value addend = scaled(AxesAttr::get(getContext(), ArrayRef<AxisAttr>(axis)), block);
      if (result) {
        OpBuilder prologue = getPrologue();
        addend = addToPrologue(arith::AddIOp::create(prologue, where, result, addend));
      }
      result = addend;
    }
  }
  return offsets[{n, axes}] = result;
}

/// One axis after the other: v' = min(max(v - i * b, 0), b).
Value RankBuilder::getBlockValid(int64_t n, AxesAttr axes) {
  auto [entryIt, isNew] = valids.try_emplace({n, axes});
  if (!isNew)
    return entryIt->second;
  Location where = entry->getParentOp()->getLoc();
  Value result = getConstantIndex(n), zero = getConstantIndex(0);
  for (auto [axis, block] : llvm::zip_equal(axes, getBlockSizes(n, axes))) {
    Value index = getAxisIndex(AxesAttr::get(getContext(), ArrayRef<AxisAttr>(axis)));
    Value size = getConstantIndex(block);
    OpBuilder prologue = getPrologue();
    Value begin = arith::MulIOp::create(prologue, where, index, size);
    Value rest = arith::SubIOp::create(prologue, where, result, begin);
    Value some = arith::MaxSIOp::create(prologue, where, rest, zero);
    result = addToPrologue(arith::MinSIOp::create(prologue, where, some, size));
  }
  return valids[{n, axes}] = result;
}

//===----------------------------------------------------------------------===//
// Block arithmetic
//===----------------------------------------------------------------------===//

SmallVector<int64_t> RankBuilder::getAxisSizes(AxesAttr axes) const {
  return llvm::map_to_vector(axes, [&](AxisAttr axis) { return axis.getSize(mesh); });
}

bool RankBuilder::isEven(int64_t n, AxesAttr axes) const {
  for (int64_t p : getAxisSizes(axes)) {
    if (n % p != 0)
      return false;
    n /= p;
  }
  return true;
}

SmallVector<int64_t> RankBuilder::getBlockSizes(int64_t n, AxesAttr axes) const {
  SmallVector<int64_t> result;
  for (int64_t p : getAxisSizes(axes))
    result.push_back(n = ceilDiv(n, p));
  return result;
}
