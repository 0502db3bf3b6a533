//===- Scalarizer.cpp - Elements of structured operations -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/Scalarizer.h"

#include "Kernel/Buffers.h"
#include "Kernel/ReductionOrder.h"
#include "Kernel/Slots.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

//===--- Constants --------------------------------------------------------===//

ConstantPool::ConstantPool(ModuleOp module) : module(module) {}

std::pair<StringRef, MemRefType> ConstantPool::get(DenseElementsAttr value, Location loc) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType().isInteger(1)) {
    type = RankedTensorType::get(type.getShape(), IntegerType::get(type.getContext(), 8));
    value = value.mapValues(type.getElementType(), [](const APInt &bit) { return bit.zext(8); });
  }
  if (type.getElementType().isBF16()) {
    type = RankedTensorType::get(type.getShape(), IntegerType::get(type.getContext(), 16));
    value = value.mapValues(type.getElementType(),
                            [](const APFloat &number) { return number.bitcastToAPInt(); });
  }
  auto memref = MemRefType::get(type.getShape(), type.getElementType());
  Operation *&global = known[value];
  if (!global) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    std::string name = "dmc_constant_" + std::to_string(known.size() - 1);
    global = memref::GlobalOp::create(builder, loc, name, builder.getStringAttr("private"), memref,
                                      value, /*constant=*/true, builder.getI64IntegerAttr(64));
  }
  return {cast<memref::GlobalOp>(global).getSymName(), memref};
}

InFlightDiagnostic Scalarizer::unsupported(Operation *op) {
  hasFailed = true;
  return op->emitError("code generation does not support ");
}

Value Scalarizer::zero(Type type) {
  return arith::ConstantOp::create(here(), loc, cast<TypedAttr>(builder.getZeroAttr(type)));
}

//===--- Scalars ----------------------------------------------------------===//

Value Scalarizer::scalar(Value value) {
  if (Value known = arguments.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions()) {
    unsupported(op ? op : value.getParentBlock()->getParentOp()) << "this scalar";
    return zero(value.getType());
  }
  Value result;
  {
    Within outermost(*this, root);
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      Indices indices;
      for (Value index : extract.getIndices())
        indices.push_back(variable(scalar(index), root, -(int64_t(1) << 60), int64_t(1) << 60));
      result = element(extract.getTensor(), indices);
    } else {
      IRMapping mapping;
      for (Value operand : op->getOperands())
        mapping.map(operand, scalar(operand));
      if (op->hasTrait<OpTrait::ConstantLike>())
        result = start().clone(*op)->getResult(0);
      else
        result = emitScalar(*op, mapping);
    }
  }
  arguments.map(value, result);
  return result;
}

static bool isNarrowFloat(Type type) { return type.isBF16() || type.isF16(); }

/// Clones a scalar operation. Arithmetic of narrow floats is done in f32 and
/// rounded after each operation: no target's library is asked for it.
Value Scalarizer::emitScalar(Operation &op, IRMapping &mapping) {
  OpBuilder &b = here();
  Type f32 = b.getF32Type();
  bool isArith = isa<arith::ArithDialect, math::MathDialect>(op.getDialect());
  bool isNarrow = llvm::any_of(op.getOperandTypes(), isNarrowFloat) ||
                  llvm::any_of(op.getResultTypes(), isNarrowFloat);
  bool isMove = isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
  if (!isArith || !isNarrow || isMove)
    return b.clone(op, mapping)->getResult(0);
  if (auto ext = dyn_cast<arith::ExtFOp>(op)) {
    Value value = mapping.lookup(ext.getIn());
    if (isNarrowFloat(value.getType()))
      value = arith::ExtFOp::create(b, loc, f32, value);
    if (!ext.getType().isF32())
      value = arith::ExtFOp::create(b, loc, ext.getType(), value);
    return value;
  }
  if (auto trunc = dyn_cast<arith::TruncFOp>(op)) {
    Value value = mapping.lookup(trunc.getIn());
    if (!value.getType().isF32())
      value = arith::TruncFOp::create(b, loc, f32, value);
    return arith::TruncFOp::create(b, loc, trunc.getType(), value);
  }
  OperationState state(op.getLoc(), op.getName());
  for (Value operand : op.getOperands()) {
    Value value = mapping.lookup(operand);
    if (isNarrowFloat(value.getType()))
      value = arith::ExtFOp::create(b, loc, f32, value);
    state.operands.push_back(value);
  }
  Type type = op.getResult(0).getType();
  state.addTypes(isNarrowFloat(type) ? f32 : type);
  state.addAttributes(op.getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op.getPropertiesAsAttribute();
  Value result = b.create(state)->getResult(0);
  return isNarrowFloat(type) ? arith::TruncFOp::create(b, loc, type, result) : result;
}

Value Scalarizer::combine(Operation *combiner, Value a, Value b) {
  IRMapping mapping;
  mapping.map(combiner->getOperands(), ValueRange{a, b});
  return emitScalar(*combiner, mapping);
}

SmallVector<Value> Scalarizer::inlineBody(Block *body, ArrayRef<Index> dims,
                                          function_ref<Value(unsigned)> argument,
                                          bool reassociate) {
  IRMapping mapping;
  // Only what the yielded values need.
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Operation *> work = {body->getTerminator()};
  auto need = [&](Value value) {
    if (auto blockArgument = dyn_cast<BlockArgument>(value)) {
      if (blockArgument.getOwner() == body && !mapping.contains(value))
        mapping.map(value, argument(blockArgument.getArgNumber()));
      else if (!mapping.contains(value))
        mapping.map(value, scalar(value));
    } else if (value.getParentBlock() == body) {
      if (needed.insert(value.getDefiningOp()).second)
        work.push_back(value.getDefiningOp());
    } else if (isa<TensorType>(value.getType())) {
      return; // read by tensor.extract
    } else if (!mapping.contains(value)) {
      mapping.map(value, scalar(value));
    }
  };
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    for (Value operand : op->getOperands())
      need(operand);
    op->walk([&](Operation *inner) {
      if (inner != op)
        for (Value operand : inner->getOperands())
          if (!op->isProperAncestor(operand.getParentBlock()->getParentOp()) &&
              operand.getParentBlock()->getParentOp() != op)
            need(operand);
    });
  }
  for (Operation &op : body->without_terminator()) {
    if (!needed.contains(&op))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(index.getResult(), materialize(dims[index.getDim()]));
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      Indices indices;
      for (Value operand : extract.getIndices()) {
        Value value = mapping.lookup(operand);
        auto index = operand.getDefiningOp<linalg::IndexOp>();
        indices.push_back(index ? dims[index.getDim()]
                                : variable(value, scope, 0, int64_t(1) << 60));
      }
      mapping.map(extract.getResult(), element(extract.getTensor(), indices));
    } else if (op.getNumResults() == 1) {
      mapping.map(op.getResult(0), emitScalar(op, mapping));
      Operation *made = mapping.lookup(op.getResult(0)).getDefiningOp();
      bool accumulates =
          reassociate && llvm::any_of(op.getOperands(), [&](Value operand) {
            return llvm::is_contained(body->getTerminator()->getOperands(), op.getResult(0)) &&
                   isa<FloatType>(operand.getType());
          });
      if (accumulates)
        if (auto fast = dyn_cast_or_null<arith::ArithFastMathInterface>(made))
          made->setAttr(
              fast.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op.getContext(), arith::FastMathFlags::reassoc |
                                                                 arith::FastMathFlags::contract));
    } else {
      here().clone(op, mapping);
    }
  }
  return llvm::map_to_vector(body->getTerminator()->getOperands(), [&](Value value) {
    need(value);
    return mapping.lookup(value);
  });
}

//===--- Structured operations --------------------------------------------===//

SmallVector<Value> Scalarizer::inlineStructured(linalg::LinalgOp op, ArrayRef<Index> dims,
                                                ValueRange accumulators) {
  return inlineBody(
      op.getBlock(), dims,
      [&](unsigned number) -> Value {
        OpOperand &operand = op->getOpOperand(number);
        if (op.isDpsInit(&operand) && !accumulators.empty())
          return accumulators[number - op.getNumDpsInputs()];
        if (!isa<RankedTensorType>(operand.get().getType()))
          return scalar(operand.get());
        return element(operand.get(), apply(op.getMatchingIndexingMap(&operand), dims));
      },
      !accumulators.empty() && mayReorder(op));
}

SmallVector<Value> Scalarizer::reduce(linalg::LinalgOp op, Indices dims, ArrayRef<unsigned> order) {
  SmallVector<Value> initial;
  for (OpOperand &init : op.getDpsInitsMutable())
    initial.push_back(element(init.get(), apply(op.getMatchingIndexingMap(&init), dims)));
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t words = 0, elements = 1;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      words += countWords(input->get());
  for (unsigned loop : order)
    elements *= sizes[loop];
  // A thread of a device waits for the elements of a short reduction together.
  bool areTogether = target.isDevice() && elements <= countHeldElements(target, words);
  if (areTogether)
    recordCopies({{LoopExecutor::unrolled, elements}});
  std::function<SmallVector<Value>(size_t, ValueRange)> descend =
      [&](size_t level, ValueRange carried) -> SmallVector<Value> {
    if (level == order.size())
      return inlineStructured(op, dims, carried);
    if (areTogether) {
      SmallVector<Value> values(carried);
      for (int64_t index = 0; index < sizes[order[level]]; ++index) {
        dims[order[level]] = constant(index);
        values = descend(level + 1, values);
      }
      return values;
    }
    return loop(sizes[order[level]], carried, [&](const Index &index, ValueRange inner) {
      dims[order[level]] = index;
      return descend(level + 1, inner);
    });
  };
  return descend(0, initial);
}

Value Scalarizer::structured(linalg::LinalgOp op, unsigned result, ArrayRef<Index> indices) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  Indices dims(op.getNumLoops());
  llvm::BitVector known(op.getNumLoops());
  for (auto [expr, index] : llvm::zip_equal(map.getResults(), indices)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && isa<AffineConstantExpr>(expr))
      continue;
    if (!dim) {
      unsupported(op) << "a result indexed by more than a loop";
      return zero(getElementTypeOrSelf(op->getResult(result)));
    }
    dims[dim.getPosition()] = index;
    known.set(dim.getPosition());
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<unsigned> reductions;
  for (auto [loop, iterator] : llvm::enumerate(iterators)) {
    if (known.test(loop))
      continue;
    if (iterator == utils::IteratorType::parallel && op.getStaticLoopRanges()[loop] != 1) {
      unsupported(op) << "a parallel loop that does not index the result";
      return zero(getElementTypeOrSelf(op->getResult(result)));
    }
    if (iterator == utils::IteratorType::reduction)
      reductions.push_back(loop);
  }
  SmallVector<Value> values =
      reductions.empty() ? inlineStructured(op, dims, {}) : reduce(op, dims, reductions);
  return values[result];
}

Value Scalarizer::constantElement(DenseElementsAttr value, ArrayRef<Index> indices) {
  if (value.isSplat())
    return arith::ConstantOp::create(here(), loc,
                                     cast<TypedAttr>(value.getSplatValue<Attribute>()));
  auto [name, type] = constants.get(value, loc);
  SmallVector<int64_t, 8> key = {KeyGlobal, reinterpret_cast<int64_t>(name.data())};
  Value &buffer = root->values[key];
  if (!buffer) {
    OpBuilder b = start();
    buffer = memref::GetGlobalOp::create(b, loc, type, name);
  }
  Value loaded = load(buffer, indices);
  if (value.getElementType().isInteger(1))
    return arith::TruncIOp::create(here(), loc, builder.getI1Type(), loaded);
  if (value.getElementType().isBF16())
    return arith::BitcastOp::create(here(), loc, value.getElementType(), loaded);
  return loaded;
}

//===--- One element ------------------------------------------------------===//

static SmallVector<int64_t, 8> keyOf(Value tensor, ArrayRef<Index> indices) {
  SmallVector<int64_t, 8> key = {reinterpret_cast<int64_t>(tensor.getAsOpaquePointer())};
  for (const Index &index : indices) {
    key.push_back(index.constant);
    key.push_back(index.addends.size());
    for (auto [id, factor] : index.addends) {
      key.push_back(id);
      key.push_back(factor);
    }
  }
  return key;
}

Value Scalarizer::element(Value tensor, ArrayRef<Index> indices) {
  Scope *place = scopeOf(indices);
  if (scope->guard && scope->guard->depth > place->depth)
    place = scope->guard;
  SmallVector<int64_t, 8> key = keyOf(tensor, indices);
  if (predicate.condition) {
    if (predicate.scope->depth > place->depth)
      place = predicate.scope;
    key.append({KeyPredicate, reinterpret_cast<int64_t>(predicate.condition.getAsOpaquePointer())});
  }
  if (Value known = findValue(place, key))
    return known;
  Within outer(*this, place);
  Value value = compute(tensor, indices);
  place->values[key] = value;
  return value;
}

void Scalarizer::remember(Value tensor, ArrayRef<Index> indices, Value value) {
  scope->values[keyOf(tensor, indices)] = value;
}

void Scalarizer::keep(Value tensor, ArrayRef<Index> origin, ArrayRef<unsigned> dims, Value buffer) {
  kept[tensor] = Kept{Indices(origin), SmallVector<unsigned>(dims), buffer};
}

std::optional<Indices> Scalarizer::find(Value tensor, const Kept &part, ArrayRef<Index> indices) {
  auto type = cast<MemRefType>(part.buffer.getType());
  Indices at(type.getRank());
  for (auto [dim, index, first] : llvm::enumerate(indices, part.origin)) {
    Index distance = add(index, first, -1);
    const auto *found = llvm::find(part.dims, dim);
    if (found == part.dims.end() && distance == constant(0))
      continue;
    if (found == part.dims.end())
      return std::nullopt;
    auto [lo, hi] = range(distance);
    size_t position = found - part.dims.begin();
    // A dimension of full length is all there is.
    bool isFull =
        first == constant(0) &&
        type.getDimSize(position) == cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
    if (!isFull && (lo < 0 || hi >= type.getDimSize(position)))
      return std::nullopt;
    at[position] = distance;
  }
  return at;
}

Value Scalarizer::scratch(ArrayRef<int64_t> shape, Type type) {
  // As every buffer of the arena, so that vectors of any width are aligned.
  constexpr int64_t alignment = 64;
  OpBuilder b = start();
  return memref::AllocaOp::create(b, loc, MemRefType::get(shape, type),
                                  b.getI64IntegerAttr(alignment));
}

Value Scalarizer::shared(ArrayRef<int64_t> shape, Type type) {
  OpBuilder b = start();
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto buffer = MemRefType::get(shape, type, MemRefLayoutAttrInterface(), space);
  return memref::AllocaOp::create(b, loc, buffer, b.getI64IntegerAttr(target.getVectorBytes()));
}

Value Scalarizer::compute(Value tensor, ArrayRef<Index> indices) {
  Type type = getElementTypeOrSelf(tensor);
  Operation *op = tensor.getDefiningOp();
  if (!op) {
    unsupported(tensor.getParentBlock()->getParentOp()) << "a tensor argument";
    return zero(type);
  }
  // Shared values that are read at many distances multiply; end instead of
  // growing without bound.
  if (!hasFailed && ++computed > 100000)
    unsupported(op) << "kernels that compute more than 100000 distinct elements in an iteration";
  if (hasFailed)
    return zero(type);
  if (auto part = kept.find(tensor); part != kept.end())
    if (std::optional<Indices> at = find(tensor, part->second, indices))
      return load(part->second.buffer, *at);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](bufferization::ToTensorOp read) {
        return load(arguments.lookup(read.getBuffer()), indices);
      })
      .Case([&](arith::ConstantOp constant) -> Value {
        if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
          return constantElement(dense, indices);
        unsupported(op) << "this form of constant";
        return zero(type);
      })
      .Case([&](linalg::FillOp fill) { return scalar(fill.getInputs().front()); })
      .Case([&](tensor::SplatOp splat) { return scalar(splat.getInput()); })
      .Case([&](tensor::EmptyOp) { return zero(type); })
      .Case([&](tensor::CastOp cast) { return element(cast.getSource(), indices); })
      .Case([&](tensor::ExpandShapeOp view) {
        auto to = view.getResultType();
        Indices source;
        for (auto &group : view.getReassociationIndices()) {
          Index linear;
          for (int64_t dim : group)
            linear = add(indices[dim], linear, to.getDimSize(dim));
          source.push_back(linear);
        }
        return element(view.getSrc(), source);
      })
      .Case([&](tensor::CollapseShapeOp view) {
        auto from = view.getSrcType();
        Indices source(from.getRank());
        if (view.getReassociationIndices().empty())
          std::fill(source.begin(), source.end(), constant(0));
        for (auto [index, group] : llvm::zip(indices, view.getReassociationIndices())) {
          SmallVector<int64_t> sizes;
          for (int64_t dim : group)
            sizes.push_back(from.getDimSize(dim));
          for (auto [dim, part] : llvm::zip_equal(group, delinearize(index, sizes)))
            source[dim] = part;
        }
        return element(view.getSrc(), source);
      })
      .Case([&](tensor::FromElementsOp from) -> Value {
        if (from.getElements().size() == 1)
          return scalar(from.getElements().front());
        Index at = linearize(indices, from.getType().getShape());
        Value chosen = scalar(from.getElements().back());
        for (size_t i = from.getElements().size() - 1; i-- > 0;) {
          Value test;
          std::optional<bool> known = within(at, i, i + 1, test);
          if (known && *known)
            chosen = scalar(from.getElements()[i]);
          else if (!known)
            chosen =
                arith::SelectOp::create(here(), loc, test, scalar(from.getElements()[i]), chosen);
        }
        return chosen;
      })
      .Case([&](tensor::ExtractSliceOp slice) { return this->slice(slice, indices); })
      .Case([&](tensor::InsertSliceOp insert) { return insertSlice(insert, indices); })
      .Case([&](tensor::PadOp pad) { return this->pad(pad, indices); })
      .Case([&](tensor::ConcatOp concat) { return this->concat(concat, indices); })
      .Case([&](GatherOp gather) {
        return element(gather.getOperand(), findGathered(gather, indices));
      })
      .Case([&](DynamicSliceOp slice) {
        auto sizes = cast<RankedTensorType>(slice.getResult().getType()).getShape();
        auto shape = cast<RankedTensorType>(slice.getOperand().getType()).getShape();
        Indices at =
            readScalarStarts(slice.getStarts(), shape, sizes, slice.getStartsAreUnsigned());
        for (auto [start, index] : llvm::zip_equal(at, indices))
          start = add(start, index);
        return element(slice.getOperand(), at);
      })
      .Case([&](DynamicUpdateSliceOp update) { return updateSlice(update, indices); })
      .Case([&](linalg::LinalgOp structuredOp) {
        return structured(structuredOp, cast<OpResult>(tensor).getResultNumber(), indices);
      })
      .Default([&](Operation *) -> Value {
        if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1) {
          IRMapping mapping;
          OperationState state(op->getLoc(), op->getName());
          for (Value operand : op->getOperands())
            state.operands.push_back(isa<RankedTensorType>(operand.getType())
                                         ? element(operand, indices)
                                         : scalar(operand));
          state.addTypes(type);
          state.addAttributes(op->getDiscardableAttrDictionary().getValue());
          state.propertiesAttr = op->getPropertiesAsAttribute();
          return here().create(state)->getResult(0);
        }
        unsupported(op) << "'" << op->getName() << "' inside a kernel";
        return zero(type);
      });
}
