//===- ProgramOfRanks.cpp - Programs that are written for each rank -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module with collectives outside of manual computations is a program of ranks.
//
//===----------------------------------------------------------------------===//
#include "Collectives.h"

#include "dmc/Import/StableHLO/Dialect.h"
#include "dmc/Import/StableHLO/Sdy.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;

bool dmc::isCollective(Operation *op) {
  return isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp,
             stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp,
             stablehlo::ReduceScatterOp, stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op);
}

DenseIntElementsAttr dmc::getProcesses(Operation *op) {
  Attribute attr = op->getAttr(isa<stablehlo::CollectivePermuteOp>(op) ? "source_target_pairs"
                                                                       : "replica_groups");
  return dyn_cast_or_null<DenseIntElementsAttr>(attr);
}

ProcessMode dmc::getProcessMode(Operation *op) {
  auto channel = op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle");
  if (!channel || channel.getHandle() <= 0)
    return ProcessMode::CrossReplica;
  if (isa<stablehlo::AllToAllOp, stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp>(
          op))
    return ProcessMode::CrossPartition;
  return op->hasAttr("use_global_device_ids") ? ProcessMode::Flattened
                                              : ProcessMode::CrossReplicaAndPartition;
}

/// Of replicas, of partitions, and so of what they multiply to.
static constexpr int64_t maxProcesses = int64_t(1) << 30;

FailureOr<MeshAttr> dmc::getMeshOfRanks(ModuleOp module, func::FuncOp entry, int64_t numRanks) {
  auto readCount = [&](StringRef name) -> int64_t {
    auto attr = module->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : 0;
  };
  int64_t replicas = readCount("mhlo.num_replicas");
  int64_t partitions = readCount("mhlo.num_partitions");
  // The least that the groups need.
  int64_t leastReplicas = 1, leastPartitions = 1, leastRanks = 1;
  bool hasCollectives = false;
  WalkResult result = entry.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (isa<sdy::ManualComputationOp>(op))
      return WalkResult::skip();
    if (!isCollective(op))
      return WalkResult::advance();
    hasCollectives = true;
    DenseIntElementsAttr processes = getProcesses(op);
    if (!processes || processes.empty())
      return WalkResult::advance();
    int64_t count = 1;
    for (int64_t process : processes.getValues<int64_t>()) {
      if (process >= maxProcesses)
        return op->emitOpError("is unsupported: process ")
               << process << "; expected one below " << maxProcesses;
      count = std::max(count, process + 1);
    }
    ProcessMode mode = getProcessMode(op);
    int64_t &least = mode == ProcessMode::Flattened        ? leastRanks
                     : mode == ProcessMode::CrossPartition ? leastPartitions
                                                           : leastReplicas;
    least = std::max(least, count);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (replicas > maxProcesses || partitions > maxProcesses)
    return module.emitError("unsupported: ")
           << replicas << " replicas of " << partitions << " partitions; expected at most "
           << maxProcesses << " of each";
  // Partitions of one replica alone are devices of a program on global tensors.
  if (!hasCollectives && replicas <= 1)
    return MeshAttr();
  if (!replicas && !partitions) {
    partitions = leastPartitions;
    replicas = std::max(leastReplicas, (leastRanks + partitions - 1) / partitions);
    if (numRanks > 0 && numRanks % partitions == 0)
      replicas = std::max(replicas, numRanks / partitions);
  }
  replicas = std::max<int64_t>(replicas, 1);
  partitions = std::max<int64_t>(partitions, 1);
  if (leastReplicas > replicas || leastPartitions > partitions ||
      leastRanks > replicas * partitions)
    return module.emitError("collectives name more processes than the ")
           << replicas << " replicas of " << partitions << " partitions that the module has";
  return MeshAttr::get(module.getContext(),
                       {std::pair<std::string, int64_t>("replica", replicas),
                        std::pair<std::string, int64_t>("partition", partitions)});
}
