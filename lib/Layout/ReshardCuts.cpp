//===- ReshardCuts.cpp - Lists of axes that split dimensions --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each list is known by the one without its last reference, and its blocks follow from
// that one's.
//
//===----------------------------------------------------------------------===//
#include "ReshardCuts.h"

using namespace dmc;

CutTable::CutTable(const Mesh &mesh, const std::vector<Reference> &refs, size_t numRanks,
                   int64_t size)
    : mesh(mesh), refs(refs), numRanks(numRanks), size(size), cuts(1), children(refs.size()),
      blocks(numRanks, {0, size, size}) {
  cuts.front().size = size;
  cuts.front().places = placesOf(0);
}

uint32_t CutTable::add(uint32_t parent, size_t number) {
  const Reference &ref = refs[number];
  const uint32_t child = static_cast<uint32_t>(cuts.size());
  Cut cut = cuts[parent];
  cut.parent = parent;
  cut.last = static_cast<uint8_t>(number);
  ++cut.length;
  cut.atoms |= ref.atoms;
  cut.conflicts |= ref.conflicts;
  cut.size = ceilDiv(cut.size, ref.axis.size);
  cut.positions *= ref.axis.size;
  cuts.push_back(cut);
  children[parent * refs.size() + number] = child;
  children.resize(cuts.size() * refs.size());
  for (size_t rank = 0; rank < numRanks; ++rank) {
    DimBlock block = blocks[parent * numRanks + rank];
    block.size = cut.size;
    block.begin = std::min(block.begin + ref.digits[rank] * cut.size, block.end);
    block.end = std::min(block.begin + cut.size, block.end);
    blocks.push_back(block);
  }
  cuts[child].places = placesOf(child);
  return child;
}

RefList CutTable::listOf(uint32_t cut) const {
  RefList list(cuts[cut].length, 0);
  for (size_t i = list.size(); i-- > 0; cut = cuts[cut].parent)
    list[i] = static_cast<char>(cuts[cut].last);
  return list;
}

std::vector<AxisRef> CutTable::axesOf(uint32_t cut) const {
  std::vector<AxisRef> axes;
  for (char ref : listOf(cut))
    axes.push_back(refs[static_cast<uint8_t>(ref)].axis);
  return axes;
}

uint32_t CutTable::placesOf(uint32_t cut) {
  uint32_t next = static_cast<uint32_t>(places.size());
  return places.try_emplace(blockSizes(size, axesOf(cut)), next).first->second;
}

bool CutTable::isSame(uint32_t a, uint32_t b) {
  if (a == b)
    return true;
  for (size_t rank = 0; rank < numRanks; ++rank)
    if (blockOf(b, rank).valid() > 0 && !(blockOf(a, rank) == blockOf(b, rank)))
      return false;
  auto [entry, isNew] = same.try_emplace(uint64_t(a) << 32 | b);
  if (isNew)
    entry->second =
        isSameSplit(mesh, Layout{{axesOf(a)}, {}, {}, {}}, Layout{{axesOf(b)}, {}, {}, {}}, {size});
  return entry->second;
}

const std::vector<uint32_t> &CutTable::likeOf(uint32_t cut) {
  auto [entry, isNew] = like.try_emplace(cut);
  if (isNew)
    forEachLike(cut, 0, [&list = entry->second](uint32_t other) {
      list.push_back(other);
      return true;
    });
  return entry->second;
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

SplitTable::SplitTable(const Mesh &mesh, const std::vector<Reference> &refs, size_t numRanks,
                       const std::vector<int64_t> &shape) {
  for (int64_t size : shape)
    dims.emplace_back(mesh, refs, numRanks, size);
  find(std::vector<uint32_t>(shape.size(), 0));
}

uint32_t SplitTable::find(const std::vector<uint32_t> &lists) {
  uint64_t hash = 0;
  for (uint32_t list : lists)
    hash = mixHash(hash, list + 1);
  uint32_t next = static_cast<uint32_t>(splits.size());
  uint32_t number = numbers.findOrAdd(hash, next, [&](uint32_t other) {
    return std::equal(lists.begin(), lists.end(), cuts.begin() + other * lists.size());
  });
  if (number == next) {
    Split split;
    for (size_t d = 0; d < lists.size(); ++d) {
      const Cut &cut = dims[d][lists[d]];
      split.atoms |= cut.atoms;
      split.positions *= cut.positions;
      split.elements *= cut.size;
    }
    splits.push_back(split);
    cuts.insert(cuts.end(), lists.begin(), lists.end());
  }
  return number;
}
