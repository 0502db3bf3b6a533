//===- ContractionPlan.cpp - How a contraction is computed ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vendor's product takes one m, one n and one k loop, each buffer with stride
// 1 in one of its two dimensions. Loops that do not merge become batch loops;
// where that is impossible, the vendor cannot help.
//
//===----------------------------------------------------------------------===//

#include "dmc/Runtime/ContractionPlan.h"

#include <algorithm>

using namespace dmc;
using namespace dmc::runtime;

using Loops = std::vector<ContractionLoop>;

ContractionLoops runtime::loopsOf(const dmc_contraction &contraction) {
  ContractionLoops loops;
  uint32_t next = 0;
  auto take = [&](Loops &role, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i, ++next)
      role.push_back({contraction.sizes[next], contraction.a_strides[next],
                      contraction.b_strides[next], contraction.c_strides[next]});
  };
  take(loops.batch, contraction.num_batch);
  take(loops.m, contraction.num_m);
  take(loops.n, contraction.num_n);
  take(loops.k, contraction.num_k);
  return loops;
}

static bool collapse(const ContractionLoop &outer, const ContractionLoop &inner) {
  return outer.a == inner.a * inner.size && outer.b == inner.b * inner.size &&
         outer.c == inner.c * inner.size;
}

static void simplifyRole(Loops &loops) {
  loops.erase(std::remove_if(loops.begin(), loops.end(),
                             [](const ContractionLoop &loop) { return loop.size == 1; }),
              loops.end());
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < loops.size() && !changed; ++i)
      for (size_t j = 0; j < loops.size() && !changed; ++j)
        if (i != j && collapse(loops[i], loops[j])) {
          loops[j].size *= loops[i].size;
          loops.erase(loops.begin() + static_cast<ptrdiff_t>(i));
          changed = true;
        }
  }
}

ContractionLoops runtime::simplify(ContractionLoops loops) {
  simplifyRole(loops.batch);
  simplifyRole(loops.m);
  simplifyRole(loops.n);
  simplifyRole(loops.k);
  return loops;
}

namespace {
/// A matrix in one buffer of a product.
struct Matrix {
  int64_t rows, columns, rowStride, columnStride;

  /// Strides of single rows and columns carry no meaning: make them fit.
  void canonicalize() {
    if (columns == 1)
      columnStride = 1;
    if (rows == 1)
      rowStride = columnStride == 1 ? columns : 1;
    if (columns == 1 && rowStride == 0)
      rowStride = 1;
  }
  bool isRowMajor() const { return columnStride == 1 && (rows == 1 || rowStride >= columns); }
  bool isColumnMajor() const { return rowStride == 1 && (columns == 1 || columnStride >= rows); }
};
} // namespace

static double roundUp(int64_t value, int64_t multiple) {
  int64_t rounded = (value + multiple - 1) / multiple * multiple;
  return static_cast<double>(rounded);
}

/// Nanoseconds, roughly: only to choose between methods to compute the same.
static double estimate(const dmc_matmul &matmul, double batches) {
  return 2000 +
         batches * (300 + roundUp(matmul.m, 8) * roundUp(matmul.n, 16) * roundUp(matmul.k, 4) / 50);
}

/// Completes a plan with the chosen m and n loop; false if the vendor cannot
/// take it.
static bool complete(ContractionPlan &plan, const Loops &batch, ContractionLoop m,
                     ContractionLoop n, ContractionLoop k) {
  dmc_matmul &matmul = plan.matmul;
  Matrix a{m.size, k.size, m.a, k.a}, b{k.size, n.size, k.b, n.b}, c{m.size, n.size, m.c, n.c};
  for (Matrix *matrix : {&a, &b, &c})
    matrix->canonicalize();
  if (!c.isRowMajor()) {
    if (!c.isColumnMajor())
      return false;
    plan.isSwapped = true;
    std::swap(a, b);
    for (Matrix *matrix : {&a, &b, &c}) {
      std::swap(matrix->rows, matrix->columns);
      std::swap(matrix->rowStride, matrix->columnStride);
    }
  }
  if ((!a.isRowMajor() && !a.isColumnMajor()) || (!b.isRowMajor() && !b.isColumnMajor()))
    return false;
  matmul.m = c.rows;
  matmul.n = c.columns;
  matmul.k = k.size;
  matmul.a_m = a.rowStride;
  matmul.a_k = a.columnStride;
  matmul.b_k = b.rowStride;
  matmul.b_n = b.columnStride;
  matmul.c_m = c.rowStride;
  matmul.c_n = c.columnStride;
  if (plan.isSwapped)
    std::swap(matmul.a_type, matmul.b_type);
  double batches = 1;
  size_t numOuter = batch.size() > DMC_VENDOR_MAX_BATCH ? batch.size() - DMC_VENDOR_MAX_BATCH : 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    batches *= static_cast<double>(batch[i].size);
    if (batch[i].c == 0)
      return false;
    if (i < numOuter) {
      plan.outer.push_back(batch[i]);
      continue;
    }
    size_t at = i - numOuter;
    matmul.batch[at] = batch[i].size;
    matmul.a_batch[at] = plan.isSwapped ? batch[i].b : batch[i].a;
    matmul.b_batch[at] = plan.isSwapped ? batch[i].a : batch[i].b;
    matmul.c_batch[at] = batch[i].c;
  }
  matmul.num_batch = static_cast<uint32_t>(batch.size() - numOuter);
  plan.cost = estimate(plan.matmul, batches);
  return true;
}

std::vector<ContractionPlan> runtime::planContraction(const dmc_contraction &contraction) {
  std::vector<ContractionPlan> plans;
  ContractionLoops loops = simplify(loopsOf(contraction));
  for (Loops *role : {&loops.batch, &loops.m, &loops.n})
    sortDescending(*role, [](const auto &loop) { return loop.c; });
  if (loops.k.size() > 1)
    return plans;
  ContractionPlan plan;
  plan.matmul.accumulate = contraction.accumulate;
  plan.matmul.a_type = contraction.a_type;
  plan.matmul.b_type = contraction.b_type;
  plan.matmul.c_type = contraction.c_type;
  ContractionLoop k = loops.k.empty() ? ContractionLoop{} : loops.k[0];
  if (loops.m.empty())
    loops.m.emplace_back();
  if (loops.n.empty())
    loops.n.emplace_back();
  for (size_t i = 0; i < loops.m.size(); ++i)
    for (size_t j = 0; j < loops.n.size(); ++j) {
      Loops batch = loops.batch;
      for (size_t other = 0; other < loops.m.size(); ++other)
        if (other != i)
          batch.push_back(loops.m[other]);
      for (size_t other = 0; other < loops.n.size(); ++other)
        if (other != j)
          batch.push_back(loops.n[other]);
      ContractionPlan candidate = plan;
      if (complete(candidate, batch, loops.m[i], loops.n[j], k))
        plans.insert(std::upper_bound(plans.begin(), plans.end(), candidate,
                                      [](const auto &x, const auto &y) { return x.cost < y.cost; }),
                     candidate);
    }
  return plans;
}
