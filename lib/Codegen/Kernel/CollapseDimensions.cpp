//===- CollapseDimensions.cpp - Dimensions that a kernel walks as one -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between each two neighbouring dimensions of a value, and between each two loops of an operation,
// is a boundary. Operations relate the boundaries of their operands and results, and make those
// permanent whose dimensions they tell apart. The others are removed.
//
//===----------------------------------------------------------------------===//

#include "Kernel/CollapseDimensions.h"

#include "dmc/Dialect/DMC/SplitReduction.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

/// The boundaries of a list of dimensions or loops: those behind all but the last.
class Boundaries {
public:
  Boundaries() = default;
  Boundaries(unsigned first, int64_t rank) : first(first), rank(rank) {}
  unsigned after(int64_t dim) const { return first + static_cast<unsigned>(dim); }
  int64_t getRank() const { return rank; }
  auto all() const { return llvm::seq<unsigned>(first, first + std::max<int64_t>(rank - 1, 0)); }

private:
  unsigned first = 0;
  int64_t rank = 0;
};

class Collapser {
public:
  explicit Collapser(func::FuncOp kernel) : body(kernel.getBody().front()) {}

  void run() {
    for (Operation &op : body) {
      auto isDynamic = [](Type type) {
        auto shaped = dyn_cast<ShapedType>(type);
        return shaped && !(shaped.hasRank() && shaped.hasStaticShape());
      };
      if (llvm::any_of(op.getOperandTypes(), isDynamic) ||
          llvm::any_of(op.getResultTypes(), isDynamic))
        return;
      if (op.hasAttr(partialsAttr))
        return; // blocks of rows, and a buffer with one for each
    }
    for (Operation &op : body)
      relate(&op);
    relateRoots();
    permanent.resize(numBoundaries);
    for (unsigned boundary : kept)
      permanent.set(classes.findLeader(boundary));
    if (llvm::all_of(llvm::seq(0u, numBoundaries), [&](unsigned b) { return isPermanent(b); }))
      return;
    for (auto &[value, boundaries] : values)
      value.setType(collapsed(value.getType(), boundaries));
    for (Operation &op : llvm::make_early_inc_range(body))
      rewrite(&op);
  }

private:
  //===--- Relations --------------------------------------------------------===//

  Boundaries make(int64_t rank) {
    Boundaries made(numBoundaries, rank);
    numBoundaries += made.all().size();
    classes.grow(numBoundaries);
    return made;
  }

  static bool isShaped(Value value) { return isa<RankedTensorType, MemRefType>(value.getType()); }

  Boundaries of(Value value) {
    auto [known, isNew] = values.try_emplace(value);
    if (isNew)
      known->second = make(cast<ShapedType>(value.getType()).getRank());
    return known->second;
  }

  void keep(unsigned boundary) { kept.push_back(boundary); }
  void keep(const Boundaries &boundaries) { llvm::append_range(kept, boundaries.all()); }
  void relate(const Boundaries &a, const Boundaries &b) {
    for (auto [one, other] : llvm::zip_equal(a.all(), b.all()))
      classes.join(one, other);
  }

  /// An operation that may tell all dimensions apart.
  void keepAll(Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value value : inner->getOperands())
        if (isShaped(value))
          keep(of(value));
      for (Value value : inner->getResults())
        if (isShaped(value))
          keep(of(value));
    });
  }

  void relate(Operation *op) {
    if (isa<tensor::EmptyOp>(op))
      return; // each use has its own
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (isShaped(constant) && !isa<DenseElementsAttr>(constant.getValue()))
        keep(of(constant));
    } else if (auto read = dyn_cast<bufferization::ToTensorOp>(op)) {
      relateBuffer(read.getBuffer(), read.getResult());
    } else if (auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
      relateBuffer(write.getDest(), write.getSource());
    } else if (auto reshape = dyn_cast<tensor::CollapseShapeOp>(op)) {
      relateGroups(of(reshape.getSrc()), of(reshape.getResult()),
                   reshape.getReassociationIndices());
    } else if (auto reshape = dyn_cast<tensor::ExpandShapeOp>(op)) {
      relateGroups(of(reshape.getResult()), of(reshape.getSrc()),
                   reshape.getReassociationIndices());
    } else if (op->hasTrait<OpTrait::Elementwise>() && !op->getNumRegions()) {
      relateElements(op);
    } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      relateLoops(structured);
    } else {
      keepAll(op);
    }
  }

  void relateBuffer(Value buffer, Value tensor) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    bool isArgument = isa<BlockArgument>(buffer) && type && type.getLayout().isIdentity() &&
                      type.getShape() == cast<RankedTensorType>(tensor.getType()).getShape();
    if (isArgument)
      return relate(of(buffer), of(tensor));
    keep(of(tensor));
    if (type)
      keep(of(buffer));
  }

  /// Each dimension of one is a group of the other's.
  void relateGroups(const Boundaries &fine, const Boundaries &coarse,
                    ArrayRef<ReassociationIndices> groups) {
    for (auto [i, group] : llvm::enumerate(groups.drop_back(groups.empty() ? 0 : 1)))
      classes.join(coarse.after(i), fine.after(group.back()));
  }

  void relateElements(Operation *op) {
    std::optional<Boundaries> first;
    auto add = [&](Value value) {
      if (!isShaped(value))
        return;
      if (first)
        relate(*first, of(value));
      else
        first = of(value);
    };
    llvm::for_each(op->getOperands(), add);
    llvm::for_each(op->getResults(), add);
  }

  /// Operations whose maps follow from their attributes, or from the rank alone.
  static bool canRewrite(linalg::LinalgOp op) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    if (isa<linalg::GenericOp, linalg::BroadcastOp, linalg::ReduceOp>(op.getOperation()))
      return llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); });
    return !isa<linalg::ElementwiseOp, linalg::TransposeOp>(op.getOperation()) &&
           llvm::all_of(maps,
                        [](AffineMap map) { return map.isIdentity() || map.getNumResults() == 0; });
  }

  /// Loops are one if each operand has both, next to each other, or none of them. So both are
  /// parallel or both are reduced.
  void relateLoops(linalg::LinalgOp op) {
    if (!canRewrite(op) || op.hasIndexSemantics() || !op.hasPureTensorSemantics())
      return keepAll(op);
    Boundaries loops = make(op.getNumLoops());
    auto add = [&](AffineMap map, std::optional<Boundaries> operand) {
      SmallVector<int64_t> position(op.getNumLoops(), -1);
      for (auto [i, expr] : llvm::enumerate(map.getResults()))
        position[cast<AffineDimExpr>(expr).getPosition()] = i;
      for (int64_t loop = 0; loop + 1 < loops.getRank(); ++loop) {
        bool areNeighbours = position[loop] >= 0 && position[loop + 1] == position[loop] + 1;
        if (areNeighbours && operand)
          classes.join(loops.after(loop), operand->after(position[loop]));
        else if (!areNeighbours && (position[loop] >= 0 || position[loop + 1] >= 0))
          keep(loops.after(loop));
      }
      for (int64_t i = 0; operand && i + 1 < operand->getRank(); ++i)
        if (map.getDimPosition(i + 1) != map.getDimPosition(i) + 1)
          keep(operand->after(i));
    };
    for (OpOperand &operand : op->getOpOperands()) {
      bool hasBoundaries =
          isShaped(operand.get()) && !operand.get().getDefiningOp<tensor::EmptyOp>();
      add(op.getMatchingIndexingMap(&operand),
          hasBoundaries ? std::optional(of(operand.get())) : std::nullopt);
    }
    for (OpResult result : op->getResults())
      add(op.getMatchingIndexingMap(op.getDpsInitOperand(result.getResultNumber())), of(result));
    loopsOf[op] = loops;
  }

  /// Results of one shape, which share their loops, keep one shape; and those of rows the leading
  /// dimensions of the others.
  void relateRoots() {
    SmallVector<std::pair<ArrayRef<int64_t>, Boundaries>> roots;
    for (auto write : body.getOps<bufferization::MaterializeInDestinationOp>())
      if (isShaped(write.getDest()))
        roots.push_back(
            {cast<ShapedType>(write.getDest().getType()).getShape(), of(write.getDest())});
    llvm::stable_sort(roots, [](auto &a, auto &b) { return a.first.size() > b.first.size(); });
    for (auto [number, larger] : llvm::enumerate(roots))
      for (const auto &[shape, own] : ArrayRef(roots).drop_front(number + 1))
        if (!shape.empty() && larger.first.take_front(shape.size()) == shape)
          relatePrefix(larger.second, own);
  }

  void relatePrefix(const Boundaries &of, const Boundaries &prefix) {
    for (int64_t dim = 0; dim + 1 < prefix.getRank(); ++dim)
      classes.join(of.after(dim), prefix.after(dim));
    if (prefix.getRank() < of.getRank())
      keep(of.after(prefix.getRank() - 1));
  }

  //===--- Results ----------------------------------------------------------===//

  bool isPermanent(unsigned boundary) const { return permanent.test(classes.findLeader(boundary)); }

  /// For each dimension, that of which it becomes a part.
  SmallVector<int64_t> numbersOf(const Boundaries &boundaries) const {
    SmallVector<int64_t> numbers;
    for (int64_t dim = 0; dim < boundaries.getRank(); ++dim)
      numbers.push_back(dim ? numbers.back() + isPermanent(boundaries.after(dim - 1)) : 0);
    return numbers;
  }

  Type collapsed(Type type, const Boundaries &boundaries) const {
    auto shaped = cast<ShapedType>(type);
    SmallVector<int64_t> shape;
    for (auto [number, size] : llvm::zip_equal(numbersOf(boundaries), shaped.getShape())) {
      if (number == static_cast<int64_t>(shape.size()))
        shape.push_back(size);
      else
        shape.back() *= size;
    }
    if (shape.size() == shaped.getShape().size())
      return type;
    if (auto memref = dyn_cast<MemRefType>(type))
      return MemRefType::get(shape, memref.getElementType(), MemRefLayoutAttrInterface(),
                             memref.getMemorySpace());
    return shaped.clone(shape);
  }

  void rewrite(Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto type = dyn_cast<RankedTensorType>(constant.getType()))
        if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
          constant.setValueAttr(elements.reshape(type));
    } else if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
      rewriteReshape(op);
    } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      rewriteLoops(structured);
    }
  }

  static void rewriteReshape(Operation *op) {
    Value from = op->getOperand(0), to = op->getResult(0);
    auto fromType = cast<RankedTensorType>(from.getType());
    auto toType = cast<RankedTensorType>(to.getType());
    OpBuilder b(op);
    Value made = from;
    if (fromType.getRank() > toType.getRank())
      made = tensor::CollapseShapeOp::create(b, op->getLoc(), toType, from,
                                             *getReassociationIndicesForReshape(fromType, toType));
    else if (fromType.getRank() < toType.getRank())
      made = tensor::ExpandShapeOp::create(b, op->getLoc(), toType, from,
                                           *getReassociationIndicesForReshape(fromType, toType));
    to.replaceAllUsesWith(made);
    op->erase();
  }

  void rewriteLoops(linalg::LinalgOp op) {
    auto known = loopsOf.find(op);
    if (known == loopsOf.end())
      return;
    OpBuilder b(op);
    for (auto [result, init] : llvm::zip_equal(op->getResults(), op.getDpsInitsMutable()))
      if (auto empty = init.get().getDefiningOp<tensor::EmptyOp>();
          empty && empty.getType() != result.getType())
        init.set(tensor::EmptyOp::create(b, empty.getLoc(), result.getType(), ValueRange()));
    SmallVector<int64_t> numbers = numbersOf(known->second);
    int64_t count = numbers.empty() ? 0 : numbers.back() + 1;
    if (count == known->second.getRank())
      return;
    auto collapse = [&](ArrayRef<int64_t> dimensions) {
      llvm::SmallSetVector<int64_t, 4> dims;
      for (int64_t dim : dimensions)
        dims.insert(numbers[dim]);
      return dims.takeVector();
    };
    if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op.getOperation())) {
      broadcast.setDimensions(collapse(broadcast.getDimensions()));
    } else if (auto reduce = dyn_cast<linalg::ReduceOp>(op.getOperation())) {
      reduce.setDimensions(collapse(reduce.getDimensions()));
    } else if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation())) {
      SmallVector<AffineMap> maps;
      for (AffineMap map : generic.getIndexingMapsArray()) {
        llvm::SmallSetVector<unsigned, 4> dims;
        for (AffineExpr expr : map.getResults())
          dims.insert(numbers[cast<AffineDimExpr>(expr).getPosition()]);
        maps.push_back(
            AffineMap::getMultiDimMapWithTargets(count, dims.getArrayRef(), op.getContext()));
      }
      SmallVector<Attribute> iterators(count);
      for (auto [number, iterator] : llvm::zip_equal(numbers, generic.getIteratorTypes()))
        iterators[number] = iterator;
      generic.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
      generic.setIteratorTypesAttr(b.getArrayAttr(iterators));
    }
  }

  Block &body;
  unsigned numBoundaries = 0;
  llvm::IntEqClasses classes;
  SmallVector<unsigned> kept;
  llvm::BitVector permanent; // by the leaders of classes
  llvm::MapVector<Value, Boundaries> values;
  llvm::DenseMap<Operation *, Boundaries> loopsOf;
};

} // namespace

void codegen::collapseDimensions(func::FuncOp kernel) {
  auto kind = kernel->getAttrOfType<StringAttr>("dmc.kernel_kind");
  bool isWalked = !kind || llvm::is_contained({"loop", "row", "reduction"}, kind.getValue());
  if (llvm::hasSingleElement(kernel.getBody()) && isWalked)
    Collapser(kernel).run();
}
