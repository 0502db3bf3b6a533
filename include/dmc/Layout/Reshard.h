//===- Reshard.h - The cheapest moves between two layouts -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The moves of the layout algebra (docs/algebra.md, sections 3 and 5), their prices,
// and an exact search for the cheapest sequence from any layout to any other.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LAYOUT_RESHARD_H
#define DMC_LAYOUT_RESHARD_H

#include "dmc/Layout/Layout.h"

#include <functional>
#include <limits>
#include <memory>

namespace dmc {

/// What sending costs. The defaults are those of ranks that are threads of one
/// machine; only the ratio decides a plan (100 bytes take as long as a message).
struct LinkRates {
  /// Bytes a second that leave a rank.
  double bytesPerSecond = 1e9;
  /// Seconds for each message that has to wait for the one before.
  double secondsPerMessage = 1e-7;
};

enum class MoveKind : uint8_t {
  Partition,
  Combine,
  Reduce,
  Replicate,
  Spread,
  Place,
  Exchange,
  Permute,
  Redistribute
};
const char *stringify(MoveKind kind);

/// Messages of a collective over p ranks that wait for each other: ceil(log2 p), twice
/// that of an all-reduce, one of a permute.
int64_t messageCount(CollectiveKind kind, int64_t p);

/// True if a reduce and the partition along the same p positions are one reduce-scatter:
/// where padding makes the blocks of the result (`result` bytes) so large that it would send
/// more than an all-reduce of the operand does, they are an all-reduce and a slice.
bool isReduceScatter(int64_t operand, int64_t result, int64_t p);

/// True if an all-gather over p positions and the next one of the same dimension are one that sends
/// no more: the blocks between them (`between` elements) hold no less than the p blocks of
/// `operand` elements. Where padding is cut off in between, one all-gather would send it on.
bool isOneGather(int64_t operand, int64_t between, int64_t p);

/// Bytes that leave a rank (the most over all ranks, padding included) and messages
/// one after another.
struct Traffic {
  double bytes = 0;
  int64_t messages = 0;
  Traffic &operator+=(const Traffic &o) {
    bytes += o.bytes;
    messages += o.messages;
    return *this;
  }
  double seconds(const LinkRates &rates) const {
    return bytes / rates.bytesPerSecond + static_cast<double>(messages) * rates.secondsPerMessage;
  }
};

/// One movement operation and the layout that it leaves.
struct Move {
  MoveKind kind;
  /// Of all but permute and redistribute.
  std::vector<AxisRef> axes;
  /// Of partition and combine; the source of an exchange.
  int64_t dim = 0;
  int64_t targetDim = 0;
  Layout layout;
  /// What the move sends; of a reduce-scatter, with the reduce.
  Traffic traffic;
  /// What sends it; nothing: no rank does, or it goes with the move before. Rounds of transfers are
  /// permutes.
  std::optional<CollectiveKind> collective = {};
};

/// True if a move is the inverse of the one before it, if it also leads back to the same layout.
bool undoes(const Move &move, const Move &previous);

/// True if two moves of tensors of one layout are one operation: it has the same kind, axes and
/// result, and the same dimensions if moves of its kind have any.
bool isSameMove(const Move &a, const Move &b);

/// Sets what each of some moves sends and returns the sum. A reduce that the next move
/// partitions along the same axes is a reduce-scatter.
Traffic setTraffic(const Mesh &mesh, const Layout &from, std::vector<Move> &moves,
                   const std::vector<int64_t> &shape, int64_t elementBytes);
/// The most bytes that operand and result of one of the moves take on a rank.
int64_t peakBytes(const Layout &from, const std::vector<Move> &moves,
                  const std::vector<int64_t> &shape, int64_t elementBytes);
/// Bytes of a rank's part.
int64_t localBytes(const Layout &layout, const std::vector<int64_t> &shape, int64_t elementBytes);

/// The most bytes that a rank needs and does not hold: what no sequence of moves can
/// beat. Of layouts without partial axes; looks at every position of the axes in use.
int64_t missingBytes(const Mesh &mesh, const Layout &from, const Layout &to,
                     const std::vector<int64_t> &shape, int64_t elementBytes);

/// Where axes cut a dimension: the begins of the first non-empty blocks, `most` of them.
std::vector<int64_t> cutPlaces(int64_t n, const std::vector<AxisRef> &axes, size_t most);
/// True if two lists of axes cut a dimension at the same places.
bool cutAlike(int64_t n, const std::vector<AxisRef> &a, const std::vector<AxisRef> &b);
/// True if a permute leads from one layout to the other: the same partial axes, every block
/// that is wanted is one that is held, by at least as many ranks as want it.
bool isPermutation(const Mesh &mesh, const Layout &from, const Layout &to,
                   const std::vector<int64_t> &shape);
/// True if every rank holds its block already: two spellings of one split, at places that the
/// source has. Splits that differ on ranks where the target is not placed count as different.
bool isSameSplit(const Mesh &mesh, const Layout &from, const Layout &to,
                 const std::vector<int64_t> &shape);

/// A box of elements that one position of a group sends to another.
struct Transfer {
  int64_t source = 0, target = 0;
  /// Where the box begins in the sender's and in the receiver's local array.
  std::vector<int64_t> sourceOffset, targetOffset;
  std::vector<int64_t> size;
};

/// Transfers of which every position sends and receives one at most.
struct TransferRound {
  /// The least box that all transfers of the round fit into: what is sent.
  std::vector<int64_t> shape;
  std::vector<Transfer> transfers;
};

/// A direct redistribution: every rank gets, from ranks that hold it, what it needs
/// and does not hold. It is the same in every group over `axes`.
struct Redistribution {
  std::vector<AxisRef> axes;
  /// What positions keep (source and target are one).
  std::vector<Transfer> kept;
  /// As few rounds as the busiest position has transfers.
  std::vector<TransferRound> rounds;

  Traffic traffic(int64_t elementBytes) const;
};

/// The positions of a group up to which planners list transfers: with more of them the time
/// of planning would grow with the ranks.
constexpr int64_t maxRedistributedPositions = 256;

/// Nothing if the layouts have different partial axes, or the group more than `maxPositions`.
std::optional<Redistribution> planRedistribution(const Mesh &mesh, const Layout &from,
                                                 const Layout &to,
                                                 const std::vector<int64_t> &shape,
                                                 int64_t maxPositions = maxRedistributedPositions);

struct ReshardOptions {
  /// Of the slowest link between any ranks.
  LinkRates rates;
  /// Of the slowest link that a collective along some axes uses, which is not empty, and of the
  /// fastest link; null: all links are alike.
  std::function<LinkRates(const std::vector<AxisRef> &)> ratesAlong = nullptr;
  LinkRates fastest = {};
  /// Bytes that operand and result of a move may take on a rank. Where no sequence
  /// stays below, the cheapest of those that need least is taken.
  int64_t memoryBytes = std::numeric_limits<int64_t>::max();
  /// States after which the search gives up and takes the best plan it knows.
  int64_t maxStates = 20000;
};

/// Seconds of moves whose traffic is known, one after the other.
double getSeconds(const std::vector<Move> &moves, const ReshardOptions &options);

/// Merges neighbours that one collective can do: reductions, all-gathers of one dimension where
/// that sends no more, slices of one dimension. A reduction along more axes than the next move
/// partitions becomes a reduce-scatter and the reduction of the rest. Along links that are not
/// alike, collectives are merged only where that is not slower: one collective along axes of two
/// levels sends all at the rate of the slower link. Sets no traffic; returns whether moves changed.
bool mergeMoves(const Mesh &mesh, const Layout &from, std::vector<Move> &moves,
                const std::vector<int64_t> &shape, int64_t elementBytes,
                const ReshardOptions &options);

struct ReshardPlan {
  std::vector<Move> moves;
  Traffic traffic;
  int64_t peakBytes = 0;
  /// No sequence of moves is cheaper, over layouts that cut the mesh's axes only where
  /// `from` or `to` cut them. A redistribution, if any, ends the traffic. A permute costs a block
  /// unless the splits are the same on all ranks, also on those where it is not placed.
  bool isCheapest = false;
};

/// Plans and remembers reshards on one mesh. The work depends on the number of axes and
/// dimensions and not on that of ranks.
class ReshardPlanner {
public:
  explicit ReshardPlanner(Mesh mesh, ReshardOptions options = {});
  ~ReshardPlanner();
  ReshardPlanner(ReshardPlanner &&) noexcept;
  ReshardPlanner &operator=(ReshardPlanner &&) noexcept;

  /// Valid until `forget`. Both layouts are well formed on the mesh.
  const ReshardPlan &plan(const Layout &from, const Layout &to, const std::vector<int64_t> &shape,
                          int64_t elementBytes);
  void forget();
  /// Those that are remembered.
  size_t getNumPlans() const;
  const Mesh &mesh() const;
  const ReshardOptions &options() const;

private:
  struct Memory;
  std::unique_ptr<Memory> memory;
};

} // namespace dmc

#endif // DMC_LAYOUT_RESHARD_H
