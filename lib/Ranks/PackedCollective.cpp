//===- PackedCollective.cpp - Several collectives as one ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each member's tensor becomes a matrix with a row for each rank that gets or
// sends one; matrices stand side by side.
//
//===----------------------------------------------------------------------===//
#include "PackedCollective.h"

#include "dmc/Ranks/LocalTensors.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dmc;

static bool isElementwise(Operation *op) {
  return isa<comm::AllReduceOp, comm::PermuteOp, comm::BroadcastOp>(op);
}

bool dmc::canBePacked(comm::CollectiveOpInterface op) {
  if (!isElementwise(op) && !isa<comm::AllGatherOp, comm::ReduceScatterOp, comm::AllToAllOp>(op))
    return false;
  auto type = dyn_cast<RankedTensorType>(op.getOperandValue().getType());
  return type && type.getNumElements() > 0 && op->getNumResults() == 1 && op.getGroupSize() > 0 &&
         !op->getResult(0).use_empty();
}

Attribute dmc::getPackingKey(comm::CollectiveOpInterface op) {
  MLIRContext *context = op.getContext();
  SmallVector<Attribute> key{StringAttr::get(context, op->getName().getStringRef()),
                             TypeAttr::get(typeOf(op.getOperandValue()).getElementType())};
  for (NamedAttribute attribute : op->getAttrs())
    if (attribute.getName() != "dim" && attribute.getName() != "split_dim" &&
        attribute.getName() != "concat_dim")
      key.push_back(DictionaryAttr::get(context, attribute));
  return ArrayAttr::get(context, key);
}

int64_t dmc::getPackedBytes(comm::CollectiveOpInterface op) {
  auto bytes = [](Value value) {
    return typeOf(value).getNumElements() *
           static_cast<int64_t>(llvm::divideCeil(typeOf(value).getElementTypeBitWidth(), 8));
  };
  return std::max(bytes(op.getOperandValue()), bytes(op->getResult(0)));
}

namespace {
/// Packs and unpacks the members of one collective.
class Packer {
public:
  Packer(OpBuilder &builder, ArrayRef<comm::CollectiveOpInterface> members)
      : b(builder), members(members), first(members.front()), loc(builder.getUnknownLoc()),
        groupSize(first.getGroupSize()) {
    SmallVector<Location> locs;
    for (comm::CollectiveOpInterface member : members)
      locs.push_back(member.getLoc());
    loc = b.getFusedLoc(locs);
  }

  Operation *run() {
    SmallVector<Value> packed;
    for (comm::CollectiveOpInterface member : members)
      packed.push_back(pack(member));
    Value operand = tensor::ConcatOp::create(b, loc, /*dim=*/1, packed);
    int64_t width = typeOf(operand).getDimSize(1);
    int64_t rows = isa<comm::AllGatherOp, comm::AllToAllOp>(first) ? groupSize : 1;
    Value empty = makeEmpty(loc, {rows, width});
    Operation *all = b.clone(*first);
    all->setLoc(loc);
    all->setOperand(0, operand);
    all->setOperand(1, empty);
    all->getResult(0).setType(empty.getType());
    auto zero = b.getI64IntegerAttr(0);
    for (StringRef name : {"dim", "split_dim", "concat_dim"})
      if (all->hasAttr(name))
        all->setAttr(name, zero);
    int64_t offset = 0;
    for (auto [i, part] : llvm::enumerate(packed)) {
      comm::CollectiveOpInterface member = members[i];
      int64_t size = typeOf(part).getDimSize(1);
      Value slice = tensor::ExtractSliceOp::create(
          b, member.getLoc(), RankedTensorType::get({rows, size}, typeOf(operand).getElementType()),
          all->getResult(0), ArrayRef<OpFoldResult>{b.getIndexAttr(0), b.getIndexAttr(offset)},
          ArrayRef<OpFoldResult>{b.getIndexAttr(rows), b.getIndexAttr(size)},
          ArrayRef<OpFoldResult>{b.getIndexAttr(1), b.getIndexAttr(1)});
      offset += size;
      member->getResult(0).replaceAllUsesWith(unpack(member, slice));
    }
    for (comm::CollectiveOpInterface member : members)
      member->erase();
    return all;
  }

private:
  Value makeEmpty(Location at, ArrayRef<int64_t> shape) {
    return tensor::EmptyOp::create(b, at, shape, typeOf(first.getOperandValue()).getElementType());
  }

  Value reshape(Location at, Value value, ArrayRef<int64_t> shape) {
    RankedTensorType type = typeOf(value);
    if (type.getShape() == shape)
      return value;
    auto all = [](int64_t rank) {
      SmallVector<ReassociationIndices> groups;
      if (rank > 0)
        groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)));
      return groups;
    };
    auto flat = RankedTensorType::get({type.getNumElements()}, type.getElementType());
    if (type.getRank() == 0)
      value = tensor::ExpandShapeOp::create(b, at, flat, value, all(0));
    else if (type.getRank() > 1)
      value = tensor::CollapseShapeOp::create(b, at, flat, value, all(type.getRank()));
    auto result = RankedTensorType::get(shape, type.getElementType());
    if (shape.empty())
      return tensor::CollapseShapeOp::create(b, at, result, value, all(0));
    if (shape.size() == 1)
      return value;
    return tensor::ExpandShapeOp::create(b, at, result, value, all(shape.size()));
  }

  /// Moves dimension `from` to `to`.
  Value move(Location at, Value value, int64_t from, int64_t to) {
    RankedTensorType type = typeOf(value);
    // Dimensions of one element between them do not matter.
    bool isTrivial = true;
    for (int64_t dim = std::min(from, to), end = std::max(from, to); dim <= end; ++dim)
      isTrivial &= dim == from || type.getDimSize(dim) == 1;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    order.erase(order.begin() + from);
    order.insert(order.begin() + to, from);
    SmallVector<int64_t> shape;
    for (int64_t dim : order)
      shape.push_back(type.getDimSize(dim));
    if (isTrivial)
      return reshape(at, value, shape);
    return linalg::TransposeOp::create(b, at, value, makeEmpty(at, shape), order)->getResult(0);
  }

  /// The tensor with dimension `dim` cut into one block for each rank, those in front.
  Value splitToFront(Location at, Value value, int64_t dim) {
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape[dim] /= groupSize;
    shape.insert(shape.begin() + dim, groupSize);
    return move(at, reshape(at, value, shape), dim, 0);
  }

  Value pack(comm::CollectiveOpInterface member) {
    Value value = member.getOperandValue();
    Location at = member.getLoc();
    int64_t size = typeOf(value).getNumElements();
    if (isElementwise(member) || isa<comm::AllGatherOp>(member))
      return reshape(at, value, {1, size});
    auto scatter = dyn_cast<comm::ReduceScatterOp>(member.getOperation());
    int64_t dim =
        scatter ? scatter.getDim() : cast<comm::AllToAllOp>(member.getOperation()).getSplitDim();
    return reshape(at, splitToFront(at, value, dim), {groupSize, size / groupSize});
  }

  Value unpack(comm::CollectiveOpInterface member, Value slice) {
    Location at = member.getLoc();
    RankedTensorType result = typeOf(member->getResult(0));
    if (isElementwise(member) || isa<comm::ReduceScatterOp>(member))
      return reshape(at, slice, result.getShape());
    auto gather = dyn_cast<comm::AllGatherOp>(member.getOperation());
    int64_t dim =
        gather ? gather.getDim() : cast<comm::AllToAllOp>(member.getOperation()).getConcatDim();
    SmallVector<int64_t> blocks(result.getShape());
    blocks[dim] /= groupSize;
    blocks.insert(blocks.begin(), groupSize);
    Value rows = move(at, reshape(at, slice, blocks), 0, dim);
    return reshape(at, rows, result.getShape());
  }

  OpBuilder &b;
  ArrayRef<comm::CollectiveOpInterface> members;
  comm::CollectiveOpInterface first;
  Location loc;
  int64_t groupSize;
};
} // namespace

Operation *dmc::buildPacked(OpBuilder &builder, ArrayRef<comm::CollectiveOpInterface> members) {
  return Packer(builder, members).run();
}
