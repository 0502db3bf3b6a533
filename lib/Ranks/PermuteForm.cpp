//===- PermuteForm.cpp - Permutes to point-to-point pairs -----------------===//
//
// Finds, for every position of the axes that a permute touches, a position that
// holds the same block.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Ranks/LocalTensors.h"

#include <map>

using namespace mlir;
using namespace dmc;

/// The mesh axes that have a different role in both layouts.
static SmallVector<uint32_t> touchedAxes(const Mesh &mesh, const Layout &from, const Layout &to) {
  SmallVector<bool> touched(mesh.size(), false);
  for (auto [a, c] : llvm::zip_equal(from.dims, to.dims)) {
    if (a == c)
      continue;
    for (const AxisRef &ref : a)
      touched[ref.axis] = true;
    for (const AxisRef &ref : c)
      touched[ref.axis] = true;
  }
  if (from.placed != to.placed) {
    for (const PlacedAxis &entry : from.placed)
      touched[entry.axis.axis] = true;
    for (const PlacedAxis &entry : to.placed)
      touched[entry.axis.axis] = true;
  }
  SmallVector<uint32_t> result;
  for (uint32_t i = 0; i < touched.size(); ++i)
    if (touched[i])
      result.push_back(i);
  return result;
}

using BlockKey = std::vector<std::pair<int64_t, int64_t>>;

/// The block of every dimension; nothing where there is no element.
static std::optional<BlockKey> keyOf(const Mesh &mesh, const Layout &layout,
                                     const std::vector<int64_t> &shape, int64_t rank) {
  BlockKey key;
  if (!holds(mesh, layout, rank))
    return std::nullopt;
  for (const DimBlock &block : blocks(mesh, layout, shape, rank)) {
    if (block.valid() == 0)
      return std::nullopt;
    key.push_back({block.begin, block.end});
  }
  return key;
}

static LogicalResult lowerPermute(PermuteOp op, RankBuilder &b) {
  Value x = b.getLocal(op.getOperand());
  Mesh mesh = b.getMesh().toMesh();
  Layout from = layoutOf(op.getOperand()).toLayout(), to = layoutOf(op.getResult()).toLayout();
  std::vector<int64_t> shape = tensorType(op.getOperand()).getShape().vec();

  // Where both are placed alike the placed axes do not matter.
  if (from.placed == to.placed) {
    from.placed.clear();
    to.placed.clear();
  }

  std::vector<AxisRef> refs;
  SmallVector<AxisAttr> axes;
  for (uint32_t i : touchedAxes(mesh, from, to)) {
    refs.push_back({i, 1, mesh.axis(i).size});
    axes.push_back(AxisAttr::get(b.getContext(), mesh.axis(i).name));
  }
  std::vector<int64_t> ranks = group(mesh, refs, 0);

  // Who already holds its block keeps it; the others take from whoever is free.
  std::map<BlockKey, SmallVector<int64_t>> holders;
  SmallVector<bool> isServed(ranks.size(), false);
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  bool isIdentity = true;
  for (auto [position, rank] : llvm::enumerate(ranks)) {
    auto held = keyOf(mesh, from, shape, rank), wanted = keyOf(mesh, to, shape, rank);
    if (held && held == wanted) {
      pairs.push_back({position, position});
      isServed[position] = true;
    } else if (held) {
      holders[*held].push_back(position);
    }
  }
  for (auto [position, rank] : llvm::enumerate(ranks)) {
    auto wanted = keyOf(mesh, to, shape, rank);
    if (!wanted || isServed[position])
      continue;
    isIdentity = false;
    SmallVector<int64_t> &candidates = holders[*wanted];
    if (candidates.empty())
      return op.emitOpError("expects that each rank sends its shard to one rank at most, found "
                            "no free source for rank ")
             << rank;
    pairs.push_back({candidates.front(), position});
    candidates.erase(candidates.begin());
  }
  if (isIdentity) {
    b.setLocal(op.getResult(), x);
    return success();
  }

  llvm::sort(pairs);
  SmallVector<int64_t> flat;
  for (auto [source, target] : pairs)
    flat.append({source, target});
  Value init = createEmpty(b, tensorType(x));
  b.setLocal(op.getResult(),
             comm::PermuteOp::create(b, x.getType(), x, init, b.getDenseI64ArrayAttr(flat),
                                     AxesAttr::get(b.getContext(), axes), b.getMesh(),
                                     /*groups=*/nullptr)
                 .getResult());
  return success();
}

void dmc::populatePermuteForm(LocalForms &forms) { forms.insert<PermuteOp, lowerPermute>(); }
