//===- LayoutRecorder.cpp - Fills a layout record -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "LayoutRecorder.h"

#include "Trial.h"

using namespace mlir;
using namespace dmc;

Location dmc::withTag(Location loc, StringRef key, int64_t number) {
  MLIRContext *context = loc.getContext();
  auto tag = IntegerAttr::get(IntegerType::get(context, 64), number);
  return FusedLoc::get(context, {loc}, DictionaryAttr::get(context, {NamedAttribute(key, tag)}));
}

static IntegerAttr getTag(FusedLoc loc, StringRef key) {
  auto tags = dyn_cast_or_null<DictionaryAttr>(loc.getMetadata());
  return tags ? tags.getAs<IntegerAttr>(key) : IntegerAttr();
}

SmallVector<int64_t, 1> dmc::getTags(Location loc, StringRef key) {
  SmallVector<int64_t, 1> numbers;
  loc->walk([&](Location inner) {
    if (auto fused = dyn_cast<FusedLoc>(inner))
      if (IntegerAttr tag = getTag(fused, key); tag && !llvm::is_contained(numbers, tag.getInt()))
        numbers.push_back(tag.getInt());
    return WalkResult::advance();
  });
  return numbers;
}

Location dmc::withoutTags(Location loc) {
  while (auto fused = dyn_cast<FusedLoc>(loc)) {
    if (!isa_and_nonnull<DictionaryAttr>(fused.getMetadata()) || fused.getLocations().size() != 1)
      break;
    loc = fused.getLocations().front();
  }
  return loc;
}

LayoutRecorder::LayoutRecorder(Propagation &graph, LayoutRecord &record)
    : graph(graph), record(record) {
  if (!record.nodes.empty())
    return;
  for (const Node &node : graph.nodes)
    record.nodes.emplace_back(node.op->getName(), node.op->getLoc());
  record.values.resize(graph.values.size());
}

void LayoutRecorder::onAssigned(unsigned node, unsigned factor, unsigned i, unsigned dim) {
  std::vector<FactorCause> &causes = record.nodes[node].causes;
  for (const AxisRef &axis : graph.nodes[node].assignment[factor])
    if (llvm::none_of(causes, [&](const FactorCause &cause) {
          return cause.factor == factor && cause.axis == axis;
        }))
      causes.push_back({axis, factor, i, dim});
}

void LayoutRecorder::place(unsigned value, unsigned dim, AxisCause cause) {
  std::vector<AxisCause> &causes = record.values[value].causes;
  for (const AxisRef &axis : graph.values[value].sharding[dim]) {
    if (llvm::any_of(
            causes, [&](const AxisCause &other) { return other.dim == dim && other.axis == axis; }))
      continue;
    cause.axis = axis;
    cause.dim = dim;
    causes.push_back(cause);
  }
}

void LayoutRecorder::onPlaced(unsigned value, unsigned dim, unsigned node) {
  AxisCause cause;
  cause.node = node;
  place(value, dim, cause);
}

void LayoutRecorder::onGranted(unsigned value, unsigned dim, std::optional<unsigned> node,
                               int64_t priority) {
  AxisCause cause;
  cause.kind = node ? AxisCause::Constraint : AxisCause::Argument;
  cause.node = node.value_or(0);
  cause.priority = priority;
  place(value, dim, cause);
}

void LayoutRecorder::onProposed(unsigned value) {
  AxisCause cause;
  cause.kind = AxisCause::Result;
  for (unsigned dim = 0; dim < graph.values[value].sharding.size(); ++dim)
    place(value, dim, cause);
}

void LayoutRecorder::onChosen(unsigned node, int64_t numShardsBefore, double bytesBefore,
                              int64_t numShards, double bytes) {
  record.nodes[node].choice = RecordedNode::Choice{numShardsBefore, numShards, bytesBefore, bytes};
}

void LayoutRecorder::onRefined(ArrayRef<unsigned> nodes, ArrayRef<unsigned> values, double seconds,
                               double bytes) {
  unsigned number = record.changes.size();
  record.changes.push_back(
      {seconds, bytes, static_cast<unsigned>(nodes.size()), static_cast<unsigned>(values.size())});
  for (unsigned node : nodes)
    record.nodes[node].changes.push_back(number);
  for (unsigned value : values)
    record.values[value].changes.push_back(number);
}

void LayoutRecorder::adopt(func::FuncOp entry, ProgramAttr program, LayoutCache &cache) {
  for (TensorInfo &value : graph.values) {
    value.base = Layout::replicated(value.shape.size());
    value.base.dims = value.sharding;
    value.produced = value.base;
  }
  auto grantAll = [&](unsigned number, std::optional<unsigned> node) {
    for (unsigned dim = 0; dim < graph.values[number].sharding.size(); ++dim)
      onGranted(number, dim, node, /*priority=*/0);
  };
  for (auto [argument, value] : llvm::zip_equal(entry.getArguments(), program.getArguments())) {
    TensorInfo &info = graph.values[graph.getNumber(argument)];
    info.base = info.produced = cache.get(value.getLayout());
    info.sharding = info.base.dims;
    grantAll(graph.getNumber(argument), std::nullopt);
  }
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    graph.setLayouts(node);
    auto decided = node.op->getAttrOfType<OpLayoutsAttr>("dmc.layouts");
    if (!decided)
      continue;
    if (node.forwarded) {
      node.operandLayouts.assign(1, cache.get(decided.getOperands()[*node.forwarded]));
      continue;
    }
    for (auto [i, layout] : llvm::enumerate(decided.getOperands())) {
      node.operandLayouts[i] = cache.get(layout);
      if (!node.isFixed && layout.isPartial())
        node.carried[i] = node.operandLayouts[i].partial;
    }
    for (auto [i, result, layout] : llvm::enumerate(node.results, decided.getResults())) {
      const Layout &made = node.resultLayouts[i] = cache.get(layout);
      TensorInfo &value = graph.values[result];
      value.produced = made;
      if (node.isFixed)
        value.sharding = made.dims;
      value.base = made.partial.empty() ? made : graph.getTarget(value, made);
      if (node.isFixed)
        grantAll(result, number);
    }
  }
  graph.setBoundary(entry, program, cache);
}

/// Nobody listened to what was decided before. It is carried on along the loops that are split,
/// from where the causes are known.
void LayoutRecorder::followKept() {
  auto isKnown = [](ArrayRef<AxisCause> causes, unsigned dim, const AxisRef &axis) {
    return llvm::any_of(causes, [&](const AxisCause &cause) {
      return cause.dim == dim && overlaps(cause.axis, axis);
    });
  };
  SmallVector<unsigned> work = llvm::to_vector(llvm::seq<unsigned>(0, graph.values.size()));
  // Puts what a split factor says into all other values of the node.
  auto carry = [&](unsigned number, unsigned factor, const AxisRef &axis) {
    const Node &node = graph.nodes[number];
    for (unsigned i = 0; i < node.getNumValues(); ++i) {
      unsigned value = node.getValue(i);
      if (value == Node::kLayoutAgnostic)
        continue;
      for (auto [dim, factors] : llvm::enumerate(node.getFactors(i))) {
        const TensorInfo &info = graph.values[value];
        bool isThere =
            llvm::is_contained(factors, factor) &&
            (overlapsAny(axis, info.sharding[dim]) || overlapsAny(axis, info.base.dims[dim]));
        if (!isThere || isKnown(record.values[value].causes, dim, axis))
          continue;
        AxisCause cause;
        cause.axis = axis;
        cause.dim = dim;
        cause.node = number;
        record.values[value].causes.push_back(cause);
        work.push_back(value);
      }
    }
  };
  for (size_t next = 0; next < work.size(); ++next) {
    unsigned value = work[next];
    for (unsigned number : graph.values[value].nodes) {
      const Node &node = graph.nodes[number];
      std::vector<FactorCause> &causes = record.nodes[number].causes;
      if (node.kept.empty() || !record.nodes[number].changes.empty())
        continue;
      for (unsigned i = 0; i < node.getNumValues(); ++i) {
        if (node.getValue(i) != value)
          continue;
        for (auto [dim, factors] : llvm::enumerate(node.getFactors(i)))
          for (unsigned factor : factors)
            for (const AxisRef &axis : node.kept[factor]) {
              bool isNew = llvm::none_of(causes, [&](const FactorCause &cause) {
                return cause.factor == factor && cause.axis == axis;
              });
              if (!isNew || !isKnown(record.values[value].causes, dim, axis))
                continue;
              causes.push_back({axis, factor, i, static_cast<unsigned>(dim)});
              carry(number, factor, axis);
            }
      }
    }
  }
}

void LayoutRecorder::recordValues(func::FuncOp entry) {
  for (auto [value, info] : llvm::zip_equal(record.values, graph.values)) {
    value.shape.assign(info.shape.begin(), info.shape.end());
    value.elementBytes = info.elementBytes;
    value.produced = info.produced;
    value.base = info.base;
  }
  for (auto [value, node] : graph.producers)
    record.values[value].producer = node;
  auto numberOf = [&](Value value) {
    return graph.has(value) ? std::optional(graph.getNumber(value)) : std::nullopt;
  };
  if (ProgramAttr program = ProgramAttr::of(entry->getParentOp())) {
    for (ValueAttr argument : program.getArguments())
      record.isArgumentGiven.push_back(bool(argument.getLayout()));
    for (ValueAttr result : program.getResults())
      record.isResultGiven.push_back(bool(result.getLayout()));
  }
  for (BlockArgument argument : entry.getArguments())
    record.arguments.push_back(numberOf(argument));
  for (Value result : entry.getBody().front().getTerminator()->getOperands())
    record.results.push_back(numberOf(result));
}

bool dmc::hasNoRule(const Node &node) {
  auto needsReplication = [](const Factor &factor) {
    return factor.kind == FactorKind::NeedsReplication;
  };
  return !node.forwarded && !isa<ConstrainOp, ManualOp>(node.op) && !node.operands.empty() &&
         llvm::any_of(node.rule.factors, [](const Factor &factor) { return factor.size > 1; }) &&
         llvm::all_of(node.rule.factors, needsReplication);
}

void LayoutRecorder::recordNodes() {
  for (auto [recorded, node] : llvm::zip_equal(record.nodes, graph.nodes)) {
    recorded.isFixed = node.isFixed;
    recorded.isForwarded = node.forwarded.has_value();
    recorded.hasNoRule = hasNoRule(node);
    recorded.rule = node.rule;
    recorded.assignment = node.assignment;
    recorded.numOperands = node.operands.size();
    for (unsigned i = 0; i < node.getNumValues(); ++i)
      recorded.values.push_back(node.getValue(i) == Node::kLayoutAgnostic
                                    ? std::nullopt
                                    : std::optional(node.getValue(i)));
    recorded.operandLayouts.assign(node.operandLayouts.begin(), node.operandLayouts.end());
    recorded.resultLayouts.assign(node.resultLayouts.begin(), node.resultLayouts.end());
  }
}

void LayoutRecorder::tagOperations(func::FuncOp entry) {
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (auto [number, node] : llvm::enumerate(graph.nodes))
    numbers.try_emplace(node.op, number);
  for (auto [op, number] : numbers) {
    for (auto [i, result] : llvm::enumerate(getTensorResults(op)))
      if (graph.has(result))
        record.made[{number, static_cast<unsigned>(i)}] = graph.getNumber(result);
    if (isa<RegionBranchOpInterface>(op))
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (graph.has(argument))
              record.handed[{number, region.getRegionNumber(), argument.getArgNumber()}] =
                  graph.getNumber(argument);
    op->setLoc(withTag(op->getLoc(), kNodeTag, number));
  }
}

void LayoutRecorder::finish(func::FuncOp entry, ReshardPlans &plans) {
  record.mesh = plans.getMesh();
  record.rates = plans.getRates();
  followKept();
  recordValues(entry);
  recordNodes();
  record.uses = findAlternatives(graph, plans, record.results);
  tagOperations(entry);
}

LogicalResult dmc::recordDecided(func::FuncOp entry, ProgramAttr program, const RankRates &rates,
                                 LayoutRecord &record) {
  LayoutCache cache(program.getMesh());
  ReshardPlans plans(cache.getMesh(), rates);
  Propagation graph(plans);
  if (failed(graph.build(entry)) || failed(graph.keep(cache)))
    return failure();
  LayoutRecorder recorder(graph, record);
  recorder.adopt(entry, program, cache);
  recorder.finish(entry, plans);
  return success();
}
