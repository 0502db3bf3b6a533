//===- FusionProblem.cpp - Which operations may form kernels --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies the operations of a block and records what they read, and how.
//
//===----------------------------------------------------------------------===//
#include "dmc/Fusion/FusionProblem.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Dialect/DMC/CustomCall.h"
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Dialect/DMC/ScalarWork.h"
#include "dmc/Dialect/DMC/SplitReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;

/// Work that may be repeated rather than stored: a few additions.
static constexpr unsigned maxRepeatedWork = 4;
/// Elements of a constant that every kernel may have a copy of.
static constexpr int64_t maxCopiedElements = 1024;

static int64_t getNumElements(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : 1;
}

static FusionKind classifyLinalg(linalg::LinalgOp op) {
  if (isa<linalg::FillOp>(op))
    return FusionKind::Fill;
  if (op.getNumReductionLoops() == 0)
    return FusionKind::Elementwise;
  if (linalg::isaContractionOpInterface(op))
    return FusionKind::Contraction;
  if (linalg::isaConvolutionOpInterface(op))
    return FusionKind::Convolution;
  return FusionKind::Reduction;
}

/// No operation needs to wait for it; an empty tensor has no value to read.
static bool isFree(Operation *op) {
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return !isa<ShapedType>(constant.getType());
  return isa_and_nonnull<tensor::EmptyOp>(op);
}

static FusionKind classify(Operation *op) {
  if (isFree(op))
    return FusionKind::Free;
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (op->getNumResults() == 0 || !llvm::all_of(op->getResultTypes(), isTensor))
    return FusionKind::Outside;
  if (isa<comm::CommDialect, scf::SCFDialect>(op->getDialect()) ||
      isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, KernelOp, LaunchOp>(op))
    return FusionKind::Outside;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue()) ? FusionKind::Fill : FusionKind::Elementwise;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureTensorSemantics() ? classifyLinalg(linalgOp) : FusionKind::Opaque;
  if (isa<tensor::ExtractSliceOp, tensor::PadOp, tensor::ConcatOp, GatherOp, DynamicSliceOp>(op))
    return FusionKind::Elementwise;
  if (isa<ScatterOp>(op))
    return FusionKind::Scatter;
  if (isa<DynamicUpdateSliceOp, tensor::InsertSliceOp>(op))
    return FusionKind::Update;
  if (op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0)
    return FusionKind::Elementwise;
  return isMemoryEffectFree(op) ? FusionKind::Opaque : FusionKind::Outside;
}

static unsigned getWork(Operation *op) {
  return isa<GatherOp, DynamicSliceOp>(op) ? 2 : getElementWork(op);
}

namespace {
/// Records what one operation reads.
class ReadCollector {
public:
  ReadCollector(FusionNode &node) : node(node), op(node.op) {}

  void collect() {
    if (node.kind == FusionKind::Free)
      return;
    TypeSwitch<Operation *>(op)
        .Case([&](linalg::LinalgOp linalgOp) { collectLinalg(linalgOp); })
        .Case([&](ScatterOp scatter) {
          addElsewhere(scatter.getIndices(), scatter.getUpdateType().getNumElements());
          for (Value update : scatter.getUpdates())
            add(update, {}, 1);
          for (Value target : scatter.getTargets())
            addInit(target);
        })
        .Case([&](SortOp sort) {
          // Each comparison reads two elements.
          double comparisons = llvm::Log2_64_Ceil(
              std::max<int64_t>(2, sort.getInputType().getDimSize(sort.getDimension())));
          for (Value input : sort.getInputs())
            add(input, {op, nextOperand++}, 2 * comparisons);
        })
        .Case([&](DynamicUpdateSliceOp update) {
          add(update.getUpdate(), {}, 1);
          for (Value start : update.getStarts())
            addElsewhere(start, getNumElements(update.getUpdate()));
          addInit(update.getOperand());
        })
        .Case([&](tensor::InsertSliceOp insert) {
          add(insert.getSource(), {}, 1);
          addInit(insert.getDest());
          for (Value index : op->getOperands().drop_front(2))
            addElsewhere(index, 1);
        })
        .Case([&](CustomCallOp call) {
          for (Value input : call.getInputs())
            addElsewhere(input, getNumElements(input));
        })
        .Case([&](GatherOp gather) { collectGather(gather); })
        .Case([&](DynamicSliceOp slice) {
          for (Value input : op->getOperands().drop_back())
            addElsewhere(input, getNumElements(slice.getResult()));
        })
        .Default([&](Operation *) {
          bool isIdentity = op->hasTrait<OpTrait::Elementwise>();
          for (Value operand : op->getOperands())
            isIdentity ? add(operand, {}, 1, /*isInit=*/false, identityOf(operand))
                       : addElsewhere(operand, 1);
        });
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      addElsewhere(value, op->getNumResults() ? getNumElements(op->getResult(0)) : 1);
  }

private:
  void add(Value value, FusionAccess access, double reuse, bool isInit = false,
           AffineMap map = AffineMap()) {
    if (isFree(value.getDefiningOp()))
      return;
    FusionRead read;
    read.value = value;
    read.access = access;
    read.reuse = reuse;
    read.isInit = isInit;
    read.map = map;
    node.reads.push_back(read);
  }

  AffineMap identityOf(Value value) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext()) : AffineMap();
  }

  void addInit(Value value) { add(value, {}, 1, /*isInit=*/true); }

  /// A read at a position that only this operation knows, but for what the map says.
  void addElsewhere(Value value, int64_t numReads, AffineMap map = AffineMap()) {
    double reuse = static_cast<double>(numReads) / std::max<int64_t>(1, getNumElements(value));
    add(value, {op, nextOperand++}, std::max(1.0, reuse), /*isInit=*/false, map);
  }

  /// The batches of a gather are known; where it reads in each is computed.
  void collectGather(GatherOp gather) {
    MLIRContext *context = op->getContext();
    SmallVector<AffineExpr> batch, offsets, from, at;
    unsigned rank = cast<RankedTensorType>(gather.getResult().getType()).getRank(), computed = 0;
    for (unsigned dim = 0; dim < rank; ++dim)
      (llvm::is_contained(gather.getOffsetDims(), dim) ? offsets : batch)
          .push_back(getAffineDimExpr(dim, context));
    auto shape = cast<RankedTensorType>(gather.getIndices().getType()).getShape();
    int64_t vector = gather.getIndexVectorDim();
    from = batch;
    if (vector < static_cast<int64_t>(shape.size()))
      from.insert(from.begin() + vector, shape[vector] == 1 ? getAffineConstantExpr(0, context)
                                                            : getAffineSymbolExpr(0, context));
    bool readsSeveral = vector < static_cast<int64_t>(shape.size()) && shape[vector] != 1;
    const auto *nextOffset = offsets.begin();
    int64_t operandRank = cast<RankedTensorType>(gather.getOperand().getType()).getRank();
    for (int64_t dim = 0; dim < operandRank; ++dim) {
      const auto *found = llvm::find(gather.getOperandBatchingDims(), dim);
      bool isStart = llvm::is_contained(gather.getStartIndexMap(), dim);
      if (found != gather.getOperandBatchingDims().end()) {
        int64_t other =
            gather.getStartIndicesBatchingDims()[found - gather.getOperandBatchingDims().begin()];
        at.push_back(batch[other - (other > vector)]);
        continue;
      }
      bool isOffset = !llvm::is_contained(gather.getCollapsedSliceDims(), dim);
      AffineExpr inside = isOffset ? *nextOffset++ : getAffineConstantExpr(0, context);
      at.push_back(isStart ? getAffineSymbolExpr(computed++, context) : inside);
    }
    int64_t numReads = getNumElements(gather.getResult());
    addElsewhere(gather.getOperand(), numReads, AffineMap::get(rank, computed, at, context));
    addElsewhere(gather.getIndices(), numReads, AffineMap::get(rank, readsSeveral, from, context));
  }

  void collectLinalg(linalg::LinalgOp linalgOp) {
    // Positions are those of the result's element, or of the loops where
    // there is a reduction.
    bool byLoops = linalgOp.getNumReductionLoops() > 0;
    AffineMap position;
    bool hasOnePosition = true;
    if (byLoops) {
      position = AffineMap::getMultiDimIdentityMap(linalgOp.getNumLoops(), op->getContext());
    } else {
      position = linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
      for (OpOperand &init : linalgOp.getDpsInitsMutable())
        hasOnePosition &= linalgOp.getMatchingIndexingMap(&init) == position;
      hasOnePosition &= position.isPermutation();
    }
    double iterations = 1;
    for (int64_t range : linalgOp.getStaticLoopRanges())
      iterations *= range;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (!isa<RankedTensorType>(value.getType())) {
        add(value, {op, nextOperand++}, 1);
        continue;
      }
      bool isInit = linalgOp.isDpsInit(&operand);
      if (isInit && !linalgOp.payloadUsesValueFromOperand(&operand))
        continue;
      if (isInit && (byLoops || hasOnePosition)) {
        addInit(value);
        continue;
      }
      AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
      FusionAccess access{op, nextOperand++};
      AffineMap known;
      if (hasOnePosition && map == position) {
        access = {};
        known = identityOf(value);
      } else if (hasOnePosition && position.isIdentity()) {
        access = {map.getAsOpaquePointer(), 0};
        known = map;
      }
      add(value, access, std::max(1.0, iterations / std::max<int64_t>(1, getNumElements(value))),
          isInit, known);
    }
  }

  FusionNode &node;
  Operation *op;
  unsigned nextOperand = 0;
};
} // namespace

/// Decides what is copied instead of stored. `leafWork` holds, of each node so
/// far that reads at most single elements from memory, its total work.
static bool isDuplicable(const FusionNode &node, llvm::DenseMap<unsigned, unsigned> &leafWork,
                         unsigned index) {
  if (node.kind == FusionKind::Fill) {
    leafWork[index] = 0;
    return true;
  }
  if (node.kind != FusionKind::Elementwise)
    return false;
  if (isa<arith::ConstantOp>(node.op))
    return getNumElements(node.op->getResult(0)) <= maxCopiedElements;
  bool isLeaf = true, isBroadcast = !node.reads.empty();
  unsigned total = node.work;
  for (const FusionRead &read : node.reads) {
    auto producer = read.producer < 0 ? leafWork.end() : leafWork.find(read.producer);
    if (producer != leafWork.end())
      total += producer->second;
    else
      isLeaf &= getNumElements(read.value) == 1;
    isBroadcast &= getNumElements(read.value) < getNumElements(node.op->getResult(0));
  }
  if (isLeaf && total <= maxRepeatedWork) {
    leafWork[index] = total;
    return getNumElements(node.op->getResult(0)) > 1;
  }
  // Reading the source instead costs no more.
  return isa<tensor::ExtractSliceOp>(node.op) || (node.work == 0 && isBroadcast);
}

namespace {
/// Finds values that follow, by little work, from one tensor that takes no more
/// memory, and from small ones.
class RecomputeSources {
public:
  bool isRecomputable(const FusionNode &node, unsigned index) {
    if (node.kind != FusionKind::Elementwise || node.work > 4 ||
        !(isa<linalg::MapOp>(node.op) || node.op->hasTrait<OpTrait::Elementwise>()))
      return false;
    auto type = cast<RankedTensorType>(node.op->getResult(0).getType());
    Chain chain;
    chain.work = node.work;
    for (const FusionRead &read : node.reads) {
      auto operand = dyn_cast<RankedTensorType>(read.value.getType());
      auto known = read.producer < 0 ? chains.end() : chains.find(read.producer);
      Value source = read.value;
      if (known != chains.end()) {
        chain.work += known->second.work;
        source = known->second.source;
      }
      // Copied into the kernel anyway, or small.
      bool isCheap = read.producer >= 0 && duplicable.contains(read.producer);
      if (isCheap || !source || !operand)
        continue;
      if (chain.source && chain.source != source)
        return false;
      chain.source = source;
    }
    if (!chain.source || chain.work > maxRecomputedWork)
      return false;
    auto source = cast<RankedTensorType>(chain.source.getType());
    if (source.getNumElements() != type.getNumElements() ||
        source.getElementTypeBitWidth() > type.getElementTypeBitWidth())
      return false;
    chains[index] = chain;
    return true;
  }

  void noteDuplicable(unsigned index) { duplicable.insert(index); }

private:
  static constexpr unsigned maxRecomputedWork = 12;
  struct Chain {
    Value source;
    unsigned work = 0;
  };
  llvm::DenseMap<unsigned, Chain> chains;
  llvm::DenseSet<unsigned> duplicable;
};
} // namespace

static bool isStridedView(Operation *op) {
  if (isa<linalg::TransposeOp>(op))
    return true;
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  return slice && slice.hasUnitStride() && !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
         !slice.getDroppedDims().any();
}

/// Of a reduction that can be computed inside of other loops; see FusionNode::resultMap.
static AffineMap getResultMap(const FusionProblem &problem, const FusionNode &node) {
  auto op = dyn_cast<linalg::LinalgOp>(node.op);
  if (node.kind != FusionKind::Reduction || !op || op->getNumResults() != 1)
    return {};
  for (const FusionRead &read : node.reads)
    if (read.isInit && (read.producer < 0 || problem.nodes[read.producer].kind != FusionKind::Fill))
      return {};
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return map.isProjectedPermutation() ? map : AffineMap();
}

FusionProblem::FusionProblem(Block &block) : target(TargetAttr::of(block.getParentOp())) {
  for (Operation &op : block) {
    index[&op] = nodes.size();
    FusionNode node;
    node.op = &op;
    node.kind = classify(&op);
    node.work = node.isFusible() ? getWork(&op) : 0;
    nodes.push_back(std::move(node));
  }
  llvm::DenseMap<unsigned, unsigned> leafWork;
  RecomputeSources sources;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    FusionNode &node = nodes[i];
    ReadCollector(node).collect();
    for (FusionRead &read : node.reads) {
      Operation *producer = read.value.getDefiningOp();
      auto found = producer ? index.find(producer) : index.end();
      if (found == index.end())
        continue;
      read.producer = found->second;
      FusionNode &source = nodes[found->second];
      if (source.users.empty() || source.users.back() != i)
        source.users.push_back(i);
    }
    node.resultMap = getResultMap(*this, node);
    node.isDuplicable = isDuplicable(node, leafWork, i);
    if (node.isDuplicable)
      sources.noteDuplicable(i);
    else
      node.isRecomputable = sources.isRecomputable(node, i);
    node.isStridedView = isStridedView(node.op);
    if (node.resultMap)
      node.numReducedLeading = countReducedLeadingLoops(cast<linalg::LinalgOp>(node.op));
  }
}

ArrayRef<int64_t> FusionProblem::getResultShape(unsigned node) const {
  return cast<RankedTensorType>(nodes[node].op->getResult(0).getType()).getShape();
}

StringRef dmc::stringify(KernelKind kind) {
  switch (kind) {
  case KernelKind::Loop:
    return "loop";
  case KernelKind::Row:
    return "row";
  case KernelKind::Reduction:
    return "reduction";
  case KernelKind::Contraction:
    return "contraction";
  case KernelKind::Convolution:
    return "convolution";
  case KernelKind::Scatter:
    return "scatter";
  case KernelKind::Update:
    return "update";
  case KernelKind::Opaque:
    return "opaque";
  }
  llvm_unreachable("unknown kind of kernel");
}
