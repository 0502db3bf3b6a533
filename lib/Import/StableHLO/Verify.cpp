// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operations' verifiers share.
#include "Verify.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace dmc::stablehlo {

std::string str(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(values, os);
  os << "]";
  return text;
}

static std::string str(Wide value) {
  constexpr Wide limit = std::numeric_limits<int64_t>::max();
  if (value > limit)
    return "more than " + std::to_string(std::numeric_limits<int64_t>::max());
  if (value < -limit)
    return "less than " + std::to_string(-std::numeric_limits<int64_t>::max());
  return std::to_string(static_cast<int64_t>(value));
}

LogicalResult verifyDims(Operation *op, StringRef name, ArrayRef<int64_t> dims, int64_t rank) {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return op->emitOpError() << "expected " << name << " to be dimensions below " << rank
                               << ", but got " << str(dims);
    if (!seen.insert(dim).second)
      return op->emitOpError() << "expected " << name << " to be distinct, but got " << str(dims);
  }
  return success();
}

LogicalResult verifySortedDims(Operation *op, StringRef name, ArrayRef<int64_t> dims,
                               int64_t rank) {
  if (failed(verifyDims(op, name, dims, rank)))
    return failure();
  if (!llvm::is_sorted(dims))
    return op->emitOpError() << "expected " << name << " to be sorted, but got " << str(dims);
  return success();
}

LogicalResult verifyDisjoint(Operation *op, StringRef firstName, ArrayRef<int64_t> first,
                             StringRef secondName, ArrayRef<int64_t> second) {
  for (int64_t dim : first)
    if (llvm::is_contained(second, dim))
      return op->emitOpError() << "dimension " << dim << " is both in " << firstName << " "
                               << str(first) << " and in " << secondName << " " << str(second);
  return success();
}

LogicalResult verifyCount(Operation *op, StringRef name, int64_t found, int64_t count) {
  if (found == count)
    return success();
  return op->emitOpError() << "expected " << name << " to have " << count
                           << (count == 1 ? " entry" : " entries") << ", but got " << found;
}

LogicalResult verifySameElementType(Operation *op, StringRef firstName, Type first,
                                    StringRef secondName, Type second) {
  if (getElementTypeOrSelf(first) == getElementTypeOrSelf(second))
    return success();
  return op->emitOpError() << "expected " << firstName << " and " << secondName
                           << " to have the same element type, but got "
                           << getElementTypeOrSelf(first) << " and "
                           << getElementTypeOrSelf(second);
}

LogicalResult verifyShape(Operation *op, StringRef name, RankedTensorType type,
                          ArrayRef<Wide> expected) {
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() == expected.size() && llvm::all_of(llvm::zip(shape, expected), [](auto pair) {
        return Wide(std::get<0>(pair)) == std::get<1>(pair);
      }))
    return success();
  InFlightDiagnostic diag = op->emitOpError() << "expected " << name << " of shape [";
  llvm::interleave(expected, [&](Wide size) { diag << str(size); }, [&] { diag << ", "; });
  return diag << "], but got " << str(shape);
}

LogicalResult verifyShape(Operation *op, StringRef name, RankedTensorType type,
                          ArrayRef<int64_t> expected) {
  return verifyShape(op, name, type, SmallVector<Wide>(expected));
}

LogicalResult verifyBody(Operation *op, StringRef name, Region &region, TypeRange arguments,
                         TypeRange results) {
  Block &block = region.front();
  if (block.getArgumentTypes() != arguments)
    return op->emitOpError() << "expected " << name << " to take (" << arguments << "), but got ("
                             << block.getArgumentTypes() << ")";
  auto terminator = dyn_cast<ReturnOp>(block.back());
  if (!terminator)
    return op->emitOpError() << "expected " << name << " to end with stablehlo.return, but got "
                             << block.back().getName().getStringRef();
  if (terminator.getOperandTypes() != results)
    return op->emitOpError() << "expected " << name << " to return (" << results << "), but got ("
                             << terminator.getOperandTypes() << ")";
  return success();
}

LogicalResult verifyCombiner(Operation *op, StringRef name, Region &region, TypeRange tensors) {
  SmallVector<Type> scalars;
  for (Type type : tensors)
    scalars.push_back(scalarLike(type));
  SmallVector<Type> arguments(scalars);
  arguments.append(scalars);
  return verifyBody(op, name, region, arguments, scalars);
}

Wide WindowDim::countIn(int64_t extent) const {
  Wide base = extent == 0 ? 0 : Wide(extent - 1) * baseDilation + 1;
  Wide padded = Wide(paddingLow) + base + paddingHigh;
  Wide window = size == 0 ? 0 : Wide(size - 1) * windowDilation + 1;
  if (padded <= 0 || window > padded)
    return 0;
  return (padded - window) / stride + 1;
}

int64_t paddingOf(std::optional<DenseIntElementsAttr> padding, unsigned dim, unsigned side) {
  return padding ? padding->getValues<int64_t>()[2 * dim + side] : 0;
}

LogicalResult verifyPositive(Operation *op, StringRef name, std::optional<ArrayRef<int64_t>> list,
                             int64_t rank) {
  if (!list)
    return success();
  if (failed(verifyCount(op, name, list->size(), rank)))
    return failure();
  if (llvm::any_of(*list, [](int64_t value) { return value <= 0; }))
    return op->emitOpError() << "expected " << name << " to be positive, but got " << str(*list);
  return success();
}

LogicalResult verifyPadding(Operation *op, std::optional<DenseIntElementsAttr> padding,
                            int64_t rank) {
  if (padding && padding->getType().getShape() != ArrayRef<int64_t>{rank, 2})
    return op->emitOpError() << "expected padding of shape [" << rank << ", 2], but got "
                             << str(padding->getType().getShape());
  return success();
}

} // namespace dmc::stablehlo
