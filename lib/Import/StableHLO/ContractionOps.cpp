// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of tensors.
#include "Assembly.h"
#include "Verify.h"

using namespace mlir;
using namespace dmc::stablehlo;

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/ContractionOps.cpp.inc"

void StableHLODialect::addContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/ContractionOps.cpp.inc"
      >();
}

/// Operands share an element type; the result's is of the same kind.
static LogicalResult verifyProductTypes(Operation *op, Value lhs, Value rhs, Value result) {
  if (failed(verifySameElementType(op, "lhs", lhs.getType(), "rhs", rhs.getType())))
    return failure();
  Type operand = tensorOf(lhs).getElementType(), product = tensorOf(result).getElementType();
  auto isFloat = [](Type type) { return getElementKind(type) == kFloat; };
  auto isBool = [](Type type) { return getElementKind(type) == kBool; };
  if (isFloat(operand) != isFloat(product) || (isBool(product) && !isBool(operand)) ||
      isa<ComplexType>(operand) != isa<ComplexType>(product))
    return op->emitOpError() << "expected a result that products of " << operand
                             << " can be summed in, but got " << product;
  return success();
}

// (C4) of products, (C5) of convolutions.
static LogicalResult verifyPrecisions(Operation *op, std::optional<ArrayAttr> precisions) {
  if (!precisions || precisions->empty())
    return success();
  return verifyCount(op, "precision_config", precisions->size(), 2);
}

//===--- dot_general
//---------------------------------------------------------------------------===//

namespace {

/// Batching and contracting dimensions of one side, checked, and the others in order.
struct DotSide {
  RankedTensorType type;
  ArrayRef<int64_t> batching, contracting;

  LogicalResult verify(Operation *op, StringRef side) const { // (C1)
    std::string batchingName = (side + " batching dimensions").str();
    std::string contractingName = (side + " contracting dimensions").str();
    return failure(
        failed(verifyDims(op, batchingName, batching, type.getRank())) ||
        failed(verifyDims(op, contractingName, contracting, type.getRank())) ||
        failed(verifyDisjoint(op, batchingName, batching, contractingName, contracting)));
  }

  void appendFree(SmallVectorImpl<int64_t> &shape) const {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(batching, dim) && !llvm::is_contained(contracting, dim))
        shape.push_back(type.getDimSize(dim));
  }
};

LogicalResult verifyPairs(Operation *op, StringRef name, const DotSide &lhs, const DotSide &rhs,
                          ArrayRef<int64_t> lhsDims, ArrayRef<int64_t> rhsDims) { // (C2)
  if (lhsDims.size() != rhsDims.size())
    return op->emitOpError() << "expected as many " << name
                             << " dimensions of lhs as of rhs, but got " << str(lhsDims) << " and "
                             << str(rhsDims);
  for (auto [l, r] : llvm::zip(lhsDims, rhsDims))
    if (lhs.type.getDimSize(l) != rhs.type.getDimSize(r))
      return op->emitOpError() << "expected " << name << " dimension " << l << " of lhs and " << r
                               << " of rhs to have the same size, but got "
                               << lhs.type.getDimSize(l) << " and " << rhs.type.getDimSize(r);
  return success();
}

} // namespace

LogicalResult DotGeneralOp::verify() {
  DotDimensionNumbersAttr dims = getDotDimensionNumbers();
  DotSide lhs{tensorOf(getLhs()), dims.getLhsBatchingDimensions(),
              dims.getLhsContractingDimensions()};
  DotSide rhs{tensorOf(getRhs()), dims.getRhsBatchingDimensions(),
              dims.getRhsContractingDimensions()};
  if (failed(verifyProductTypes(*this, getLhs(), getRhs(), getResult())) ||
      failed(lhs.verify(*this, "lhs")) || failed(rhs.verify(*this, "rhs")) ||
      failed(verifyPairs(*this, "batching", lhs, rhs, lhs.batching, rhs.batching)) ||
      failed(verifyPairs(*this, "contracting", lhs, rhs, lhs.contracting, rhs.contracting)) ||
      failed(verifyPrecisions(*this, getPrecisionConfig()))) // (C4)
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : lhs.batching)
    shape.push_back(lhs.type.getDimSize(dim));
  lhs.appendFree(shape);
  rhs.appendFree(shape);
  return verifyShape(*this, "result", tensorOf(getResult()), shape); // (C3)
}

//===--- convolution
//---------------------------------------------------------------------------===//

int64_t ConvolutionOp::getStride(unsigned i) { return valueOr(getWindowStrides(), i, 1); }
int64_t ConvolutionOp::getPaddingLow(unsigned i) { return paddingOf(getPadding(), i, 0); }
int64_t ConvolutionOp::getPaddingHigh(unsigned i) { return paddingOf(getPadding(), i, 1); }
int64_t ConvolutionOp::getLhsDilationOf(unsigned i) { return valueOr(getLhsDilation(), i, 1); }
int64_t ConvolutionOp::getRhsDilationOf(unsigned i) { return valueOr(getRhsDilation(), i, 1); }
bool ConvolutionOp::isReversed(unsigned i) {
  return getWindowReversal() && (*getWindowReversal())[i];
}

static LogicalResult verifyConvRoles(ConvolutionOp op) { // (C1)
  ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  auto verifyRoles = [&](StringRef name, Value value, int64_t first, int64_t second,
                         ArrayRef<int64_t> spatial) -> LogicalResult {
    SmallVector<int64_t> all{first, second};
    llvm::append_range(all, spatial);
    int64_t rank = tensorOf(value).getRank();
    if (static_cast<int64_t>(all.size()) != rank)
      return op.emitOpError() << "expected " << name << " of rank " << all.size()
                              << ", as its dimension numbers say, but got rank " << rank;
    return verifyDims(op, (name + " dimension numbers").str(), all, rank);
  };
  if (failed(verifyRoles("lhs", op.getLhs(), dims.getInputBatchDimension(),
                         dims.getInputFeatureDimension(), dims.getInputSpatialDimensions())) ||
      failed(verifyRoles("rhs", op.getRhs(), dims.getKernelInputFeatureDimension(),
                         dims.getKernelOutputFeatureDimension(),
                         dims.getKernelSpatialDimensions())) ||
      failed(verifyRoles("result", op.getResult(), dims.getOutputBatchDimension(),
                         dims.getOutputFeatureDimension(), dims.getOutputSpatialDimensions())))
    return failure();
  int64_t rank = tensorOf(op.getLhs()).getRank();
  if (tensorOf(op.getRhs()).getRank() != rank || tensorOf(op.getResult()).getRank() != rank)
    return op.emitOpError() << "expected operands and result of the same rank, but got " << rank
                            << ", " << tensorOf(op.getRhs()).getRank() << " and "
                            << tensorOf(op.getResult()).getRank();
  return success();
}

static LogicalResult verifyConvGroups(ConvolutionOp op) { // (C3)
  ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  RankedTensorType lhs = tensorOf(op.getLhs()), rhs = tensorOf(op.getRhs());
  int64_t featureGroups = static_cast<int64_t>(op.getFeatureGroupCount());
  int64_t batchGroups = static_cast<int64_t>(op.getBatchGroupCount());
  if (featureGroups <= 0 || batchGroups <= 0)
    return op.emitOpError() << "expected positive group counts, but got " << featureGroups
                            << " groups of features and " << batchGroups << " of batches";
  if (featureGroups > 1 && batchGroups > 1)
    return op.emitOpError() << "expected groups of features or of batches, but got both: "
                            << featureGroups << " and " << batchGroups;
  int64_t batch = lhs.getDimSize(dims.getInputBatchDimension());
  int64_t features = lhs.getDimSize(dims.getInputFeatureDimension());
  int64_t kernelIn = rhs.getDimSize(dims.getKernelInputFeatureDimension());
  int64_t kernelOut = rhs.getDimSize(dims.getKernelOutputFeatureDimension());
  if (batch % batchGroups != 0)
    return op.emitOpError() << "expected batch_group_count to divide the batch " << batch
                            << ", but got " << batchGroups;
  if (features % featureGroups != 0)
    return op.emitOpError() << "expected feature_group_count to divide the " << features
                            << " input features, but got " << featureGroups;
  if (kernelIn != features / featureGroups)
    return op.emitOpError() << "expected a kernel of " << features / featureGroups
                            << " input features, but got " << kernelIn;
  if (kernelOut % batchGroups != 0 || kernelOut % featureGroups != 0)
    return op.emitOpError() << "expected group counts that divide the kernel's " << kernelOut
                            << " output features, but got " << featureGroups << " and "
                            << batchGroups;
  return success();
}

LogicalResult ConvolutionOp::verify() {
  if (failed(verifyProductTypes(*this, getLhs(), getRhs(), getResult())) ||
      failed(verifyConvRoles(*this)))
    return failure();
  RankedTensorType lhs = tensorOf(getLhs()), rhs = tensorOf(getRhs());
  int64_t spatial = lhs.getRank() - 2;
  if (failed(verifyPositive(*this, "window_strides", getWindowStrides(), spatial)) || // (C2)
      failed(verifyPositive(*this, "lhs_dilation", getLhsDilation(), spatial)) ||
      failed(verifyPositive(*this, "rhs_dilation", getRhsDilation(), spatial)) ||
      failed(verifyPadding(*this, getPadding(), spatial)))
    return failure();
  if (getWindowReversal() &&
      failed(verifyCount(*this, "window_reversal", getWindowReversal()->size(), spatial)))
    return failure();
  if (failed(verifyConvGroups(*this)) || failed(verifyPrecisions(*this, getPrecisionConfig())))
    return failure();

  ConvDimensionNumbersAttr dims = getDimensionNumbers(); // (C4)
  SmallVector<Wide> shape(lhs.getRank());
  shape[dims.getOutputBatchDimension()] =
      lhs.getDimSize(dims.getInputBatchDimension()) / static_cast<int64_t>(getBatchGroupCount());
  shape[dims.getOutputFeatureDimension()] = rhs.getDimSize(dims.getKernelOutputFeatureDimension());
  for (int64_t i = 0; i < spatial; ++i) {
    WindowDim window{rhs.getDimSize(dims.getKernelSpatialDimensions()[i]),
                     getStride(i),
                     getPaddingLow(i),
                     getPaddingHigh(i),
                     getLhsDilationOf(i),
                     getRhsDilationOf(i)};
    shape[dims.getOutputSpatialDimensions()[i]] =
        window.countIn(lhs.getDimSize(dims.getInputSpatialDimensions()[i]));
  }
  return verifyShape(*this, "result", tensorOf(getResult()), shape);
}
