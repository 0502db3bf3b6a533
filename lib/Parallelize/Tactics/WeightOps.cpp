//===- WeightOps.cpp - Weights of contractions by structure ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which weights make a pair of columns and rows: a split is followed along the
// factors of the operations on the way, in both directions.
//
//===----------------------------------------------------------------------===//
#include "Names.h"
#include "RequestBook.h"

#include "../Propagation.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

namespace {
/// A dimension of a value of the graph.
using Place = std::pair<unsigned, unsigned>;

/// How the first contraction with a weight uses its dimensions.
struct Weight {
  unsigned argument = 0;
  unsigned node = 0; // that contraction
  SmallVector<unsigned, 2> columns, rows, batch;
};

class WeightFinder {
public:
  WeightFinder(Propagation &graph, AxisList axes) : graph(graph), axes(std::move(axes)) {}

  /// The weights among the arguments, by their first contraction in program order.
  SmallVector<Weight> findWeights(ArrayRef<std::pair<unsigned, Value>> arguments);
  /// All places that a split of this one reaches, and the first node in which it is
  /// reduced: everything behind it sees reduced values.
  struct Reach {
    llvm::SetVector<Place> places;
    unsigned firstReduction = ~0u;
  };
  Reach follow(Place start);

private:
  std::optional<unsigned> getFactor(const Node &node, unsigned i, unsigned dim) const;

  Propagation &graph;
  AxisList axes;
};
} // namespace

/// The factor that takes the axes when they split a dimension of operand or result `i`.
std::optional<unsigned> WeightFinder::getFactor(const Node &node, unsigned i, unsigned dim) const {
  std::optional<unsigned> taker;
  divideAmongFactors(node.rule, node.getFactors(i)[dim], axes,
                     [&](unsigned factor, ArrayRef<AxisRef> mine) {
                       if (mine == ArrayRef<AxisRef>(axes))
                         taker = factor;
                     });
  if (!taker)
    return std::nullopt;
  // Too small, or needed whole: it cannot be split.
  Assignment assignment(node.rule.factors.size());
  if (!extendAssignment(node, assignment, *taker, axes) || assignment[*taker].size() != axes.size())
    return std::nullopt;
  return taker;
}

WeightFinder::Reach WeightFinder::follow(Place start) {
  Reach reach;
  llvm::SetVector<Place> &reached = reach.places;
  reached.insert(start);
  for (size_t next = 0; next < reached.size(); ++next) {
    auto [value, dim] = reached[next];
    for (unsigned number : graph.getValue(value).nodes) {
      Node &node = graph.getNodes()[number];
      for (unsigned i = 0; i < node.getNumValues(); ++i) {
        if (node.getValue(i) != value)
          continue;
        std::optional<unsigned> factor = getFactor(node, i, dim);
        if (!factor)
          continue;
        if (node.rule.factors[*factor].kind == FactorKind::Reduction)
          reach.firstReduction = std::min(reach.firstReduction, number);
        for (unsigned other = 0; other < node.getNumValues(); ++other) {
          unsigned target = node.getValue(other);
          if (target == Node::kLayoutAgnostic)
            continue;
          // The first factor of a dimension is what a split of it begins with.
          for (auto [d, factors] : llvm::enumerate(node.getFactors(other)))
            if (llvm::is_contained(factors, *factor) && getFactor(node, other, d) == factor)
              reached.insert({target, d});
        }
      }
    }
  }
  return reach;
}

static bool indexes(const ValueFactors &value, unsigned factor) {
  return llvm::any_of(value,
                      [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); });
}

/// True if the node multiplies and adds up: a factor is reduced that two operands index.
static bool isContraction(const Node &node) {
  if (node.forwarded || node.operands.size() < 2)
    return false;
  for (unsigned f = 0; f < node.rule.factors.size(); ++f) {
    const Factor &factor = node.rule.factors[f];
    if (factor.kind == FactorKind::Reduction && factor.combiner == CombinerKind::sum &&
        llvm::count_if(node.rule.operands,
                       [&](const ValueFactors &operand) { return indexes(operand, f); }) >= 2)
      return true;
  }
  return false;
}

namespace {
/// A weight behind views, casts and slices of a stack: which of the argument's dimensions
/// each dimension is.
struct Origin {
  unsigned weight;
  SmallVector<std::optional<unsigned>, 4> dims;
};
} // namespace

static bool isDestination(const Node &node, unsigned operand) {
  return llvm::is_contained(node.destinations, std::optional(operand));
}

/// The only operand that a node makes something of, if there is one: what is made of one
/// weight alone is still that weight.
static std::optional<unsigned> getOnlyOperand(Propagation &graph, const Node &node) {
  std::optional<unsigned> only;
  for (unsigned i = 0; i < node.operands.size(); ++i) {
    if (node.operands[i] == Node::kLayoutAgnostic || isDestination(node, i) ||
        graph.getValue(node.operands[i]).shape.empty())
      continue;
    if (only)
      return std::nullopt;
    only = i;
  }
  return only;
}

static Origin followView(const Node &node, unsigned operand, const Origin &from) {
  Origin to{from.weight, {}};
  for (const DimFactors &dim : node.rule.results[0]) {
    std::optional<unsigned> same;
    for (auto [d, factors] : llvm::enumerate(node.rule.operands[operand]))
      if (!dim.empty() && !factors.empty() && dim.front() == factors.front())
        same = from.dims[d];
    to.dims.push_back(same);
  }
  return to;
}

/// How a contraction uses the dimensions of a weight that is its operand `i`.
static Weight getUse(const Node &node, unsigned i, const Origin &origin) {
  Weight weight;
  for (auto [d, factors] : llvm::enumerate(node.rule.operands[i])) {
    std::optional<unsigned> dim = origin.dims[d];
    if (!dim || factors.empty())
      continue;
    unsigned factor = factors.front();
    bool isShared = false;
    for (unsigned other = 0; other < node.operands.size(); ++other)
      isShared |=
          other != i && !isDestination(node, other) && indexes(node.rule.operands[other], factor);
    if (node.rule.factors[factor].kind == FactorKind::Reduction)
      weight.rows.push_back(*dim);
    else if (isShared)
      weight.batch.push_back(*dim);
    else
      weight.columns.push_back(*dim);
  }
  return weight;
}

SmallVector<Weight> WeightFinder::findWeights(ArrayRef<std::pair<unsigned, Value>> arguments) {
  llvm::DenseMap<unsigned, Origin> origins;
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    Origin origin{static_cast<unsigned>(number), {}};
    for (int64_t dim = 0; dim < cast<RankedTensorType>(argument.second.getType()).getRank(); ++dim)
      origin.dims.push_back(dim);
    origins[graph.getNumber(argument.second)] = origin;
  }
  SmallVector<Weight> weights;
  llvm::BitVector isFound(arguments.size());
  for (auto [number, node] : llvm::enumerate(graph.getNodes())) {
    if (!isContraction(node)) {
      std::optional<unsigned> source = getOnlyOperand(graph, node);
      auto origin = source ? origins.find(node.operands[*source]) : origins.end();
      if (origin != origins.end() && node.results.size() == 1)
        origins.insert({node.results[0], followView(node, *source, Origin(origin->second))});
      continue;
    }
    for (unsigned i = 0; i < node.operands.size(); ++i) {
      auto origin = node.operands[i] == Node::kLayoutAgnostic || isDestination(node, i)
                        ? origins.end()
                        : origins.find(node.operands[i]);
      if (origin == origins.end() || isFound[origin->second.weight])
        continue;
      Weight weight = getUse(node, i, origin->second);
      weight.argument = arguments[origin->second.weight].first;
      weight.node = number;
      isFound.set(origin->second.weight);
      weights.push_back(std::move(weight));
    }
  }
  return weights;
}

DiagnosedSilenceableFailure ShardWeightsOp::apply(transform::TransformRewriter &,
                                                  transform::TransformResults &,
                                                  transform::TransformState &state) {
  FailureOr<SubjectOnAxes> subject = getSubjectOnAxes(*this, getAxesAttr(), getAxesParam(), state);
  if (failed(subject))
    return DiagnosedSilenceableFailure::definiteFailure();
  MeshAttr mesh = subject->mesh;
  AxesAttr axes = subject->axes;
  // Only the structure is read: no move is priced.
  ReshardPlans plans(mesh.toMesh(), RankRates());
  Propagation graph(plans);
  if (failed(graph.build(subject->entry)))
    return DiagnosedSilenceableFailure::definiteFailure();
  RequestBook book(*this, *subject);
  SmallVector<std::pair<unsigned, Value>> arguments;
  llvm::DenseMap<unsigned, unsigned> numbers; // arguments by value of the graph
  FailureOr<SmallVector<Target>> targets = book.getTargets(getTarget(), state);
  if (failed(targets))
    return DiagnosedSilenceableFailure::definiteFailure();
  for (const Target &target : *targets) {
    if (target.kind != Target::argument) {
      emitError("expected arguments, found ") << book.describe(target);
      return DiagnosedSilenceableFailure::definiteFailure();
    }
    arguments.emplace_back(target.number, target.value);
    numbers[graph.getNumber(target.value)] = target.number;
  }

  WeightFinder finder(graph, toAxisList(mesh, axes));
  SmallVector<Weight> weights = finder.findWeights(arguments);
  llvm::DenseMap<unsigned, const Weight *> byArgument;
  for (const Weight &weight : weights)
    byArgument[weight.argument] = &weight;

  SmallVector<std::pair<unsigned, unsigned>> split; // argument, dimension
  int64_t mostExperts = 0;
  llvm::DenseSet<unsigned> done;
  auto take = [&](ArrayRef<std::pair<unsigned, unsigned>> places) {
    for (auto place : places)
      if (done.insert(place.first).second)
        split.push_back(place);
  };
  for (const Weight &weight : weights) {
    if (done.contains(weight.argument))
      continue;
    bool isExpert = getHow() == "experts";
    for (unsigned dim : isExpert ? weight.batch : weight.columns) {
      Value value = subject->entry.getArgument(weight.argument);
      int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(dim);
      if (isExpert)
        mostExperts = std::max(mostExperts, size);
      if (isExpert && size < axes.getGroupSize(mesh))
        continue;
      SmallVector<std::pair<unsigned, unsigned>> places = {{weight.argument, dim}};
      bool hasRows = isExpert;
      WeightFinder::Reach reach;
      if (!isExpert) {
        reach = finder.follow({graph.getNumber(value), dim});
        for (auto [number, d] : reach.places) {
          auto argument = numbers.find(number);
          if (argument == numbers.end() || argument->second == weight.argument)
            continue;
          // What is split as a part of another pair is none of this one.
          if (done.contains(argument->second))
            continue;
          places.emplace_back(argument->second, d);
          const Weight *partner = byArgument.lookup(argument->second);
          // A norm in between would have to add up the columns' partial sums first.
          hasRows |= partner && llvm::is_contained(partner->rows, d) &&
                     partner->node <= reach.firstReduction;
        }
      }
      if (!hasRows)
        continue;
      take(places);
      break;
    }
  }

  if (split.empty()) {
    InFlightDiagnostic error = emitError("found no weights to split along ") << toText(axes);
    if (weights.empty())
      error << ": none of the values takes part in a contraction";
    else if (getHow() != "experts")
      error << ": no split of columns reaches the rows of another weight";
    else if (!mostExperts)
      error << ": none has a batch dimension, as experts are";
    else
      error << ": expected a batch dimension of at least " << axes.getGroupSize(mesh)
            << " elements, found " << mostExperts;
    return DiagnosedSilenceableFailure::definiteFailure();
  }
  InFlightDiagnostic remark = emitRemark("weights split along ") << toText(axes) << ": ";
  for (auto [i, place] : llvm::enumerate(split)) {
    if (i == 6 && split.size() > 7) {
      remark << " and " << split.size() - i << " more";
      break;
    }
    remark << (i ? ", \"" : "\"")
           << toPath(subject->program.getArguments()[place.first].getName().getValue())
           << "\" in dimension " << place.second;
  }
  remark.report();
  for (auto [argument, dim] : split) {
    Target target{Target::argument, argument, subject->entry.getArgument(argument)};
    if (failed(book.add(target, {RequestKind::shard, getLoc(), dim, axes, {}})))
      return DiagnosedSilenceableFailure::definiteFailure();
  }
  book.finish();
  return DiagnosedSilenceableFailure::success();
}
