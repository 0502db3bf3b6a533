// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Communication between processes.
#include "Assembly.h"
#include "Verify.h"
#include <set>

using namespace mlir;
using namespace dmc::stablehlo;

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/CollectiveOps.cpp.inc"

void StableHLODialect::addCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/CollectiveOps.cpp.inc"
      >();
}

/// A matrix of distinct processes, counted from 0 where all take part. Where groups may be of
/// different size, -1 fills the shorter ones.
static LogicalResult verifyGroups(Operation *op, DenseIntElementsAttr groups, bool mayFill = false,
                                  bool needsAll = true) { // (C1)
  if (groups.getType().getRank() != 2)
    return op->emitOpError() << "expected replica_groups of rank 2, but got " << groups.getType();
  SmallVector<int64_t> processes;
  for (int64_t process : groups.getValues<int64_t>()) {
    if (mayFill && process == -1)
      continue;
    if (process < 0)
      return op->emitOpError() << "expected processes in replica_groups, but got " << process;
    processes.push_back(process);
  }
  int64_t columns = groups.getType().getDimSize(1);
  for (int64_t row = 0; columns && row < groups.getType().getDimSize(0); ++row)
    if (mayFill && *(groups.value_begin<int64_t>() + row * columns) == -1)
      return op->emitOpError() << "expected a process at the start of group " << row
                               << " in replica_groups, but got -1";
  llvm::sort(processes);
  for (auto [i, process] : llvm::enumerate(processes)) {
    if (i > 0 && processes[i - 1] == process)
      return op->emitOpError() << "expected each process once in replica_groups, but got "
                               << process << " again";
    if (needsAll && process != static_cast<int64_t>(i))
      return op->emitOpError() << "expected processes 0 to " << processes.size() - 1
                               << " in replica_groups, but got no " << i;
  }
  return success();
}

template <typename OpTy>
static LogicalResult verifyGlobalIds(OpTy op) { // (C2)
  if (op.getUseGlobalDeviceIds() &&
      !(op.getChannelHandle() && op.getChannelHandle()->getHandle() > 0))
    return op.emitOpError() << "expected a channel_handle above 0 with use_global_device_ids";
  return success();
}

static LogicalResult verifyMatching(Operation *op) {
  if (op->getNumOperands() == 0)
    return op->emitOpError() << "expected at least one operand";
  if (failed(verifyCount(op, "results", op->getNumResults(), op->getNumOperands())))
    return failure();
  for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults()))
    if (failed(verifySameElementType(op, "operand", operand.getType(), "result", result.getType())))
      return failure();
  return success();
}

/// `whole` is a multiple of `part` along a dimension and equal along the others. The multiple is
/// the size of the groups, unless they are flattened over an unknown number of partitions.
static LogicalResult verifyMultiple(Operation *op, int64_t dim, RankedTensorType part,
                                    RankedTensorType whole, StringRef wholeName,
                                    std::optional<int64_t> factor) {
  if (part.getRank() != whole.getRank())
    return op->emitOpError() << "expected operand and result of the same rank, but got "
                             << part.getRank() << " and " << whole.getRank();
  for (int64_t d = 0; d < part.getRank(); ++d) {
    int64_t small = part.getDimSize(d), large = whole.getDimSize(d);
    bool fits = d != dim ? small == large
                : factor ? Wide(small) * *factor == large
                : !small ? !large
                         : large % small == 0;
    if (fits)
      continue;
    InFlightDiagnostic diag = op->emitOpError() << "expected the " << wholeName << "'s size "
                                                << large << " along dimension " << d << " to be ";
    if (d == dim && factor)
      diag << *factor << " times ";
    else if (d == dim)
      diag << "a multiple of ";
    return diag << small;
  }
  return success();
}

/// The size of each group where it is that of the rows of `groups`: without a channel processes are
/// replicas, with global identifiers all devices. Otherwise each replica stands for its partitions.
template <typename OpTy>
static std::optional<int64_t> groupSize(OpTy op) {
  auto groups = op.getReplicaGroups();
  bool hasChannel = op.getChannelHandle() && op.getChannelHandle()->getHandle() > 0;
  if (groups.empty() || (hasChannel && !op.getUseGlobalDeviceIds()))
    return std::nullopt;
  return groups.getType().getShape()[1];
}

LogicalResult AllGatherOp::verify() {
  if (failed(verifyMatching(*this)) || failed(verifyGroups(*this, getReplicaGroups())) ||
      failed(verifyGlobalIds(*this)))
    return failure();
  int64_t dim = static_cast<int64_t>(getAllGatherDim());
  for (auto [operand, result] : llvm::zip(getOperands(), getResults())) // (C3), (C4)
    if (failed(verifyDims(*this, "all_gather_dim", {dim}, tensorOf(operand).getRank())) ||
        failed(verifyMultiple(*this, dim, tensorOf(operand), tensorOf(result), "result",
                              groupSize(*this))))
      return failure();
  return success();
}

LogicalResult AllReduceOp::verify() {
  if (failed(verifyMatching(*this)) ||
      failed(verifyGroups(*this, getReplicaGroups(), /*mayFill=*/true)) ||
      failed(verifyGlobalIds(*this)))
    return failure();
  for (auto [operand, result] : llvm::zip(getOperands(), getResults())) // (C3)
    if (failed(verifyShape(*this, "result", tensorOf(result), tensorOf(operand).getShape())))
      return failure();
  return success();
}

LogicalResult AllReduceOp::verifyRegions() { // (C4)
  // Operands of several types need a computation for all of them, which only one type can have.
  for (Type type : getOperands().getTypes())
    if (failed(verifyCombiner(*this, "the computation", getComputation(), type)))
      return failure();
  return success();
}

LogicalResult AllToAllOp::verify() {
  if (failed(verifyMatching(*this)) || failed(verifyGroups(*this, getReplicaGroups())))
    return failure();
  int64_t split = static_cast<int64_t>(getSplitDimension());
  int64_t concat = static_cast<int64_t>(getConcatDimension());
  int64_t count = static_cast<int64_t>(getSplitCount());
  if (count <= 0)
    return emitOpError() << "expected a positive split_count, but got " << count;
  ArrayRef<int64_t> groups = getReplicaGroups().getType().getShape();
  if (groups[0] != 0 && groups[1] != count)
    return emitOpError() << "expected replica_groups of " << count
                         << " columns, as split_count says, but got " << groups[1];
  for (auto [operand, result] : llvm::zip(getOperands(), getResults())) {
    RankedTensorType type = tensorOf(operand);
    if (failed(verifyDims(*this, "split_dimension", {split}, type.getRank())) || // (C2)
        failed(verifyDims(*this, "concat_dimension", {concat}, type.getRank())))
      return failure();
    if (type.getDimSize(split) % count != 0)
      return emitOpError() << "expected split_count to divide " << type.getDimSize(split)
                           << ", but got " << count;
    SmallVector<Wide> shape(type.getShape()); // (C3)
    shape[split] /= count;
    shape[concat] *= count;
    if (failed(verifyShape(*this, "result", tensorOf(result), shape)))
      return failure();
  }
  return success();
}

LogicalResult CollectiveBroadcastOp::verify() {
  return verifyGroups(*this, getReplicaGroups(), /*mayFill=*/false, /*needsAll=*/false);
}

LogicalResult CollectivePermuteOp::verify() { // (C1)
  DenseIntElementsAttr pairs = getSourceTargetPairs();
  ShapedType type = pairs.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return emitOpError() << "expected source_target_pairs of two columns, but got " << type;
  std::set<std::pair<bool, int64_t>> seen;
  for (auto [i, process] : llvm::enumerate(pairs.getValues<int64_t>())) {
    if (process < 0)
      return emitOpError() << "expected processes in source_target_pairs, but got " << process;
    if (!seen.emplace(i % 2 == 1, process).second)
      return emitOpError() << "expected distinct " << (i % 2 ? "targets" : "sources")
                           << " in source_target_pairs, but got " << process << " again";
  }
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyMatching(*this)) || failed(verifyGroups(*this, getReplicaGroups())) ||
      failed(verifyGlobalIds(*this)))
    return failure();
  int64_t dim = static_cast<int64_t>(getScatterDimension());
  RankedTensorType whole = tensorOf(getOperand());
  if (failed(verifyDims(*this, "scatter_dimension", {dim}, whole.getRank()))) // (C3), (C4)
    return failure();
  return verifyMultiple(*this, dim, tensorOf(getResult()), whole, "operand", groupSize(*this));
}

LogicalResult ReduceScatterOp::verifyRegions() { // (C5)
  return verifyCombiner(*this, "the computation", getComputation(), getOperand().getType());
}

static LogicalResult verifyId(Operation *op) {
  if (!cast<RankedTensorType>(op->getResult(0).getType()).getElementType().isInteger(32))
    return op->emitOpError() << "expected a result of type tensor<ui32>, but got "
                             << op->getResult(0).getType();
  return success();
}
LogicalResult PartitionIdOp::verify() { return verifyId(*this); }
LogicalResult ReplicaIdOp::verify() { return verifyId(*this); }
