//===- BorrowResults.cpp - Results' memory before results are there -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result's memory is the caller's and idle until the result is computed.
//
//===----------------------------------------------------------------------===//
#include "BufferPlan.h"

#include "dmc/Schedule/Arena.h"

using namespace mlir;
using namespace dmc;

static bool overlap(const PlannedBuffer &a, const PlannedBuffer &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// The largest buffer that is in the arena at this step and can be in the idle
/// memory of a result; -1 if there is none.
static int findBorrower(const std::vector<PlannedBuffer> &buffers,
                        const std::vector<std::vector<unsigned>> &users, int64_t step,
                        unsigned &result) {
  int best = -1;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    if (buffer.location != PlannedBuffer::Arena || !buffer.type || step < buffer.first ||
        buffer.last < step || (best >= 0 && buffer.bytes <= buffers[best].bytes))
      continue;
    for (auto [r, others] : llvm::enumerate(users)) {
      // The first is the result itself.
      if (others.empty() || buffers[others.front()].first <= buffer.last ||
          buffers[others.front()].type.getElementType() != buffer.type.getElementType() ||
          buffers[others.front()].type.getNumElements() != buffer.type.getNumElements() ||
          llvm::any_of(others, [&, &planned = buffer](unsigned other) {
            return overlap(buffers[other], planned);
          }))
        continue;
      best = i;
      result = r;
      break;
    }
  }
  return best;
}

void BufferPlan::borrowResults() {
  std::vector<std::vector<unsigned>> users(donor.size());
  for (auto [i, buffer] : llvm::enumerate(buffers))
    if (buffer.location == PlannedBuffer::Result && buffer.type && buffer.bytes > 0)
      users[buffer.index].push_back(i);
  // Two values in one result, one after the other: there is a copy between.
  for (std::vector<unsigned> &others : users)
    if (others.size() > 1)
      others.clear();
  while (true) {
    ArenaProblem problem;
    for (const PlannedBuffer &buffer : buffers)
      if (buffer.location == PlannedBuffer::Arena)
        problem.buffers.push_back({buffer.first, buffer.last, buffer.bytes});
    int64_t step = 0;
    if (problem.getLowerBound(&step) == 0)
      return;
    unsigned result = 0;
    int borrower = findBorrower(buffers, users, step, result);
    if (borrower < 0)
      return;
    buffers[borrower].location = PlannedBuffer::Result;
    buffers[borrower].index = result;
    users[result].push_back(borrower);
  }
}
