//===- RunWriter.cpp - Writes rows of results -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/RunWriter.h"

#include "Kernel/Buffers.h"
#include "Kernel/Locality.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// Whether a root is written past the caches. Rows that a gather copies from anywhere are not,
/// unless they are fetched ahead: the C library's copy, which their loops become, fetches them,
/// too, and is faster then (12.4 ms against 15.9 for 64 MB in rows of 4 KB on two cores of an
/// EPYC).
static bool isStreamed(Scalarizer &s, const Task &task, const Root &root, bool isFetched) {
  if (s.target.isDevice())
    return false;
  auto type = cast<MemRefType>(root.dest.getType());
  Value dest = s.arguments.lookup(root.dest);
  bool isInPlace =
      llvm::any_of(task.reads, [&](Value read) { return s.arguments.lookupOrNull(read) == dest; });
  return bufferBytes(type) > s.caches.last && !isInPlace &&
         (isFetched || !root.value.getDefiningOp<GatherOp>()) &&
         type.getShape().back() % s.target.getLineElements(type.getElementType()) == 0;
}

RunWriter::RunWriter(Scalarizer &s, const Task &task, ArrayRef<const Root *> roots)
    : s(s), gathered(s, roots), roots(roots) {
  SmallVector<Value> values;
  for (const Root *root : roots) {
    values.push_back(root->value);
    if (isStreamed(s, task, *root, !gathered.isEmpty()))
      s.stream(s.arguments.lookup(root->dest));
  }
  bounds = {0};
  if (!s.target.isDevice()) // whose iterations are single elements
    bounds.append(findCuts(values).back());
  bounds.push_back(cast<RankedTensorType>(values.front().getType()).getShape().back());
}

void RunWriter::write(ArrayRef<Index> outer, const Run &run,
                      function_ref<void(ArrayRef<Index>)> beside) {
  Indices indices(outer);
  auto element = [&](const Index &index) {
    indices.push_back(index);
    SmallVector<Value> values;
    for (const Root *root : roots)
      values.push_back(s.element(root->value, indices));
    if (beside)
      beside(indices);
    for (auto [root, value] : llvm::zip_equal(roots, values))
      s.store(value, s.arguments.lookup(root->dest), indices);
    indices.pop_back();
  };
  bool isRow = run.first == LoopBuilder::constant(0) && run.length == run.size && !run.end;
  if (bounds.size() == 2 && isRow && !gathered.isEmpty())
    return gathered.overParts(outer, [&](const Run &part) { s.overRun(part, element); });
  if (bounds.size() == 2)
    return s.overRun(run, element);
  for (auto [begin, end] : llvm::zip(ArrayRef(bounds), ArrayRef(bounds).drop_front()))
    s.overPart(run, begin, end, element);
}
