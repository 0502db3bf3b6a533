//===- ReshardCuts.h - Lists of axes that split dimensions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists that states of a reshard split each dimension by, numbered, with all that is
// asked of them again and again.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_LAYOUT_RESHARDCUTS_H
#define DMC_LIB_LAYOUT_RESHARDCUTS_H

#include "ReshardTools.h"

#include <map>
#include <unordered_map>

namespace dmc {

/// A set of atoms, the finest parts of axes.
using AtomSet = uint64_t;
/// References, by their number.
using RefList = std::string;

struct Reference {
  AxisRef axis;
  AtomSet atoms = 0;
  /// Atoms that cannot be used beside it.
  AtomSet conflicts = 0;
  /// The distance along its axis.
  int64_t stride = 1;
  /// The coordinate along it of each rank that the space looks at.
  std::vector<int64_t> digits;
};

/// A list of references that splits one dimension.
struct Cut {
  /// The list without its last reference.
  uint32_t parent = 0;
  uint8_t last = 0;
  uint32_t length = 0;
  AtomSet atoms = 0, conflicts = 0;
  /// Of a block, and the number of blocks.
  int64_t size = 0, positions = 1;
  /// The same of lists that cut at the same places.
  uint32_t places = 0;
};

/// All lists of one dimension that a search meets, by number; 0 is the empty one.
class CutTable {
public:
  CutTable(const Mesh &mesh, const std::vector<Reference> &refs, size_t numRanks, int64_t size);

  const Cut &operator[](uint32_t cut) const { return cuts[cut]; }
  uint32_t append(uint32_t cut, size_t ref) {
    uint32_t child = children[cut * refs.size() + ref];
    return child ? child : add(cut, ref);
  }
  RefList listOf(uint32_t cut) const;
  /// The block of a rank, by its position in `Reference::digits`.
  const DimBlock &blockOf(uint32_t cut, size_t rank) const { return blocks[cut * numRanks + rank]; }
  /// True if two lists give every rank the same block.
  bool isSame(uint32_t a, uint32_t b);
  /// All lists that cut at the same places as one does.
  const std::vector<uint32_t> &likeOf(uint32_t cut);
  /// The same of lists that use none of some atoms, until `visit` returns false.
  template <typename Visit>
  bool forEachLike(uint32_t cut, AtomSet used, const Visit &visit, uint32_t prefix = 0) {
    if (cuts[prefix].places == cuts[cut].places && !visit(prefix))
      return false;
    for (size_t i = 0; i < refs.size(); ++i) {
      if (refs[i].conflicts & used)
        continue;
      if (ceilDiv(cuts[prefix].size, refs[i].axis.size) >= cuts[cut].size &&
          !forEachLike(cut, used | refs[i].atoms, visit, append(prefix, i)))
        return false;
    }
    return true;
  }

private:
  uint32_t add(uint32_t cut, size_t ref);
  std::vector<AxisRef> axesOf(uint32_t cut) const;
  uint32_t placesOf(uint32_t cut);

  const Mesh &mesh;
  const std::vector<Reference> &refs;
  const size_t numRanks;
  const int64_t size;
  std::vector<Cut> cuts;
  std::vector<uint32_t> children;
  std::vector<DimBlock> blocks;
  /// The number of the places, by the sizes of blocks.
  std::map<std::vector<int64_t>, uint32_t> places;
  std::unordered_map<uint64_t, bool> same;
  std::unordered_map<uint32_t, std::vector<uint32_t>> like;
};

/// A list for each dimension.
struct Split {
  AtomSet atoms = 0;
  /// The number of blocks.
  int64_t positions = 1;
  /// Elements of a block.
  int64_t elements = 1;
};

/// All splits of a tensor that a search meets, by number; 0 is none.
class SplitTable {
public:
  SplitTable(const Mesh &mesh, const std::vector<Reference> &refs, size_t numRanks,
             const std::vector<int64_t> &shape);

  size_t rank() const { return dims.size(); }
  CutTable &dim(size_t d) { return dims[d]; }
  const CutTable &dim(size_t d) const { return dims[d]; }
  const Split &operator[](uint32_t split) const { return splits[split]; }
  uint32_t cutOf(uint32_t split, size_t d) const { return cuts[split * dims.size() + d]; }
  const Cut &at(uint32_t split, size_t d) const { return dims[d][cutOf(split, d)]; }
  /// The split by these lists, one for each dimension.
  uint32_t find(const std::vector<uint32_t> &lists);

private:
  std::vector<CutTable> dims;
  std::vector<Split> splits;
  std::vector<uint32_t> cuts;
  NumberTable numbers;
};

} // namespace dmc

#endif // DMC_LIB_LAYOUT_RESHARDCUTS_H
