//===- SpatialOps.cpp - Rows of images ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dimensions of an argument are spatial: those over which the windows of
// convolutions and pooling slide, whatever their order is.
//
//===----------------------------------------------------------------------===//
#include "Names.h"
#include "RequestBook.h"

#include "../Propagation.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

/// Of which dimension of the argument each dimension of a value is the only image.
using Origins = SmallVector<std::optional<unsigned>, 4>;

/// The dimensions of a result that are those of an operand, element by element or window by
/// window. Of a dimension that several factors index the first counts: the others are within.
static Origins follow(const Node &node, unsigned operand, unsigned result, const Origins &origins) {
  const ValueFactors &from = node.rule.operands[operand], &to = node.rule.results[result];
  Origins followed(to.size());
  for (auto [dim, factors] : llvm::enumerate(to))
    for (auto [source, others] : llvm::enumerate(from))
      if (!factors.empty() && !others.empty() && factors.front() == others.front() &&
          origins[source])
        followed[dim] = origins[source];
  return followed;
}

/// The dimensions of an argument over which windows slide, in order.
static SmallVector<unsigned> findSpatialDims(Propagation &graph, Value argument) {
  unsigned number = graph.getNumber(argument);
  llvm::DenseMap<unsigned, Origins> origins;
  for (unsigned dim = 0; dim < graph.getValue(number).shape.size(); ++dim)
    origins[number].push_back(dim);
  llvm::BitVector isSpatial(graph.getValue(number).shape.size());
  for (const Node &node : graph.getNodes()) {
    // Pads and slices have windows too, and say nothing of what they pad.
    if (!node.forwarded && isa<linalg::LinalgOp>(node.op))
      for (const WindowAccess &access : node.windows)
        if (auto known = origins.find(node.operands[access.operand]); known != origins.end())
          if (std::optional<unsigned> dim = known->second[access.dim])
            isSpatial.set(*dim);
    for (auto [i, operand] : llvm::enumerate(node.operands)) {
      auto known = origins.find(operand);
      if (operand == Node::kLayoutAgnostic || known == origins.end())
        continue;
      for (auto [r, result] : llvm::enumerate(node.results))
        if (!origins.contains(result))
          origins.insert({result, follow(node, i, r, Origins(known->second))});
    }
  }
  return llvm::to_vector(llvm::map_range(isSpatial.set_bits(), [](int n) { return unsigned(n); }));
}

DiagnosedSilenceableFailure ShardSpatialOp::apply(transform::TransformRewriter &,
                                                  transform::TransformResults &,
                                                  transform::TransformState &state) {
  auto failed = [] { return DiagnosedSilenceableFailure::definiteFailure(); };
  FailureOr<SubjectOnAxes> subject = getSubjectOnAxes(*this, getAxesAttr(), getAxesParam(), state);
  if (mlir::failed(subject))
    return failed();
  // Only the structure is read: no move is priced.
  ReshardPlans plans(subject->mesh.toMesh(), RankRates());
  Propagation graph(plans);
  if (mlir::failed(graph.build(subject->entry)))
    return failed();
  RequestBook book(*this, *subject);
  FailureOr<SmallVector<Target>> targets = book.getTargets(getTarget(), state);
  if (mlir::failed(targets))
    return failed();

  int64_t numShards = subject->axes.getGroupSize(subject->mesh);
  SmallVector<std::pair<Target, unsigned>> split;
  SmallVector<std::string> small;
  for (const Target &target : *targets) {
    if (target.kind != Target::argument) {
      emitError("expected arguments, found ") << book.describe(target);
      return failed();
    }
    SmallVector<unsigned> dims = findSpatialDims(graph, target.value);
    auto dim = llvm::find_if(
        dims, [&](unsigned dim) { return book.getType(target).getDimSize(dim) >= numShards; });
    if (dim != dims.end())
      split.emplace_back(target, *dim);
    else if (!dims.empty())
      small.push_back(book.describe(target));
  }
  if (split.empty()) {
    InFlightDiagnostic error = emitError("found no rows to split along ") << toText(subject->axes);
    if (small.empty())
      error << ": expected a convolution or pooling whose windows slide over a dimension of the "
               "images";
    else
      error << ": expected a spatial dimension of at least " << numShards << " elements in "
            << small.front();
    return failed();
  }
  InFlightDiagnostic remark = emitRemark("images split along ") << toText(subject->axes) << ": ";
  llvm::interleaveComma(split, remark, [&](const auto &entry) {
    StringAttr name = subject->program.getArguments()[entry.first.number].getName();
    remark << '"' << toPath(name.getValue()) << "\" in dimension " << entry.second;
  });
  remark.report();
  for (const auto &[target, dim] : split)
    if (mlir::failed(book.add(target, {RequestKind::shard, getLoc(), dim, subject->axes, {}})))
      return failed();
  book.finish();
  return DiagnosedSilenceableFailure::success();
}
