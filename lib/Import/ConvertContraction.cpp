//===- ConvertContraction.cpp - Products of tensors -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dot_general: a named operation where the dimensions are in its order, otherwise
// linalg.generic over batch, free dimensions of both sides and contracted ones.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dmc;

Type dmc::getAccumulatorType(Type result, Type lhs, Type rhs) {
  if (!isa<FloatType>(result))
    return result;
  unsigned bits = 32;
  for (Type type : {result, lhs, rhs})
    if (isa<FloatType>(type))
      bits = std::max(bits, type.getIntOrFloatBitWidth());
  return bits == 64 ? Type(Float64Type::get(result.getContext()))
                    : Type(Float32Type::get(result.getContext()));
}

/// True for [batch, m, k] x [batch, k, n] with at most one batch dimension: what
/// linalg.matmul and linalg.batch_matmul say.
static bool isNamedProduct(ArrayRef<AffineMap> maps, unsigned numParallel) {
  MLIRContext *context = maps[0].getContext();
  unsigned rank = maps[0].getNumDims();
  if (rank != numParallel + 1 || (numParallel != 2 && numParallel != 3))
    return false;
  unsigned batch = numParallel - 2, m = batch, n = batch + 1, k = batch + 2;
  auto makeMap = [&](ArrayRef<unsigned> dims) {
    SmallVector<unsigned> all;
    if (batch)
      all.push_back(0);
    all.append(dims.begin(), dims.end());
    return AffineMap::getMultiDimMapWithTargets(rank, all, context);
  };
  return maps[0] == makeMap({m, k}) && maps[1] == makeMap({k, n}) && maps[2] == makeMap({m, n});
}

Value Converter::contract(Location loc, Value lhs, Value rhs, ArrayRef<AffineMap> maps,
                          unsigned numParallel, RankedTensorType type, bool lhsUnsigned,
                          bool rhsUnsigned, bool mayNarrow) {
  Type accumulator = getAccumulatorType(type.getElementType(), getElementTypeOrSelf(lhs),
                                        getElementTypeOrSelf(rhs));
  RankedTensorType sumType = type.clone(accumulator);
  Value init = zeros(loc, sumType);
  Value sum;
  bool isBoolean = accumulator.isInteger(1);
  if (isNamedProduct(maps, numParallel) && lhsUnsigned == rhsUnsigned && !isBoolean) {
    SmallVector<NamedAttribute> attrs;
    if (lhsUnsigned)
      attrs.push_back(b.getNamedAttr(
          "cast", linalg::TypeFnAttr::get(b.getContext(), linalg::TypeFn::cast_unsigned)));
    if (numParallel == 2)
      sum = linalg::MatmulOp::create(b, loc, TypeRange(sumType), ValueRange({lhs, rhs}),
                                     ValueRange(init), attrs)
                .getResult(0);
    // The batched form has no cast; signed and float operands are as it expects.
    else if (!lhsUnsigned)
      sum = linalg::BatchMatmulOp::create(b, loc, TypeRange(sumType), ValueRange({lhs, rhs}),
                                          ValueRange(init))
                .getResult(0);
  }
  if (!sum) {
    SmallVector<utils::IteratorType> iterators(numParallel, utils::IteratorType::parallel);
    iterators.append(maps[0].getNumDims() - numParallel, utils::IteratorType::reduction);
    auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
      Value x = castScalar(b, loc, elements[0], accumulator, lhsUnsigned);
      Value y = castScalar(b, loc, elements[1], accumulator, rhsUnsigned);
      Value result;
      if (isBoolean) {
        Value both = arith::AndIOp::create(b, loc, x, y);
        result = arith::OrIOp::create(b, loc, elements[2], both);
      } else if (isa<FloatType>(accumulator)) {
        Value product = arith::MulFOp::create(b, loc, x, y);
        result = arith::AddFOp::create(b, loc, elements[2], product);
      } else {
        Value product = arith::MulIOp::create(b, loc, x, y);
        result = arith::AddIOp::create(b, loc, elements[2], product);
      }
      linalg::YieldOp::create(b, loc, result);
    };
    sum = linalg::GenericOp::create(b, loc, sumType, ValueRange({lhs, rhs}), init, maps, iterators,
                                    body)
              .getResult(0);
  }
  Value result = castElements(loc, sum, type.getElementType());
  if (mayNarrow && result != sum)
    result.getDefiningOp()->setAttr("dmc.narrow_partials", b.getUnitAttr());
  else if (mayNarrow)
    wideSums.push_back(sum);
  return result;
}

/// Whether an operation converts one tensor of floats to a narrower type.
static bool narrows(Operation *op) {
  auto map = dyn_cast<linalg::MapOp>(op);
  return map && map.getInputs().size() == 1 &&
         isa<arith::TruncFOp>(map.getMapper().front().front());
}

void Converter::permitNarrowing() {
  for (Value value : wideSums)
    while (value && value.hasOneUse()) {
      Operation *user = *value.getUsers().begin();
      bool moves = isa<linalg::TransposeOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user) &&
                   user->getOperand(0) == value;
      if (narrows(user))
        user->setAttr("dmc.narrow_partials", b.getUnitAttr());
      value = moves ? user->getResult(0) : Value();
    }
}

static LogicalResult convertDotGeneral(Converter &c, Operation *op) {
  auto source = cast<stablehlo::DotGeneralOp>(op);
  RankedTensorType type = c.typeOf(source.getResult());
  if (auto algorithm = source.getAlgorithm()) {
    Type accumulator =
        getAccumulatorType(type.getElementType(), getElementTypeOrSelf(source.getLhs()),
                           getElementTypeOrSelf(source.getRhs()));
    if (algorithm->getAccumulationType() != accumulator ||
        algorithm->getLhsPrecisionType() != getElementTypeOrSelf(source.getLhs()) ||
        algorithm->getRhsPrecisionType() != getElementTypeOrSelf(source.getRhs()))
      return unsupported(op) << "with an algorithm other than products of the operands' types "
                                "accumulated in "
                             << accumulator;
  }
  stablehlo::DotDimensionNumbersAttr numbers = source.getDotDimensionNumbers();
  int64_t lhsRank = c.typeOf(source.getLhs()).getRank();
  int64_t rhsRank = c.typeOf(source.getRhs()).getRank();
  unsigned numBatch = numbers.getLhsBatchingDimensions().size();
  unsigned numContracted = numbers.getLhsContractingDimensions().size();
  unsigned numParallel = type.getRank();

  // An algorithm names the precision of the sum, which the user's permission does not change.
  bool mayNarrow = c.permitsNarrowPartials();
  if (auto algorithm = source.getAlgorithm())
    mayNarrow = algorithm->getAllowImpreciseAccumulation();

  // Loops: batch, free dimensions of lhs, of rhs, contracted.
  SmallVector<unsigned> lhsLoops(lhsRank), rhsLoops(rhsRank);
  unsigned loop = numBatch;
  auto assign = [&](SmallVectorImpl<unsigned> &loops, ArrayRef<int64_t> batch,
                    ArrayRef<int64_t> contracted) {
    for (unsigned dim = 0; dim < loops.size(); ++dim) {
      if (const auto *it = llvm::find(batch, dim); it != batch.end())
        loops[dim] = it - batch.begin();
      else if (const auto *it = llvm::find(contracted, dim); it != contracted.end())
        loops[dim] = numParallel + (it - contracted.begin());
      else
        loops[dim] = loop++;
    }
  };
  assign(lhsLoops, numbers.getLhsBatchingDimensions(), numbers.getLhsContractingDimensions());
  assign(rhsLoops, numbers.getRhsBatchingDimensions(), numbers.getRhsContractingDimensions());
  unsigned numLoops = numParallel + numContracted;
  MLIRContext *context = op->getContext();
  AffineMap maps[] = {AffineMap::getMultiDimMapWithTargets(numLoops, lhsLoops, context),
                      AffineMap::getMultiDimMapWithTargets(numLoops, rhsLoops, context),
                      getLeadingLoops(numLoops, numParallel, context)};
  Value result = c.contract(op->getLoc(), c[source.getLhs()], c[source.getRhs()], maps, numParallel,
                            type, isUnsigned(source.getLhs().getType()),
                            isUnsigned(source.getRhs().getType()), mayNarrow);
  c.map(source.getResult(), result);
  return success();
}

void dmc::registerContractionConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.dot_general"] = convertDotGeneral;
}
