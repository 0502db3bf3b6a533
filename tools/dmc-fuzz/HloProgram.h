//===- HloProgram.h - Random StableHLO programs -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_FUZZ_HLOPROGRAM_H
#define DMC_TOOLS_DMC_FUZZ_HLOPROGRAM_H

#include "Builder.h"

namespace dmc::fuzz {

class HloBuilder : public Builder {
public:
  using Builder::addSplat;
  using Builder::Builder;
  std::string addSplat(const Shape &shape, Element element, const std::string &number) override;

  /// Writes `    %n = `; the caller goes on with the operation.
  llvm::raw_ostream &begin(const std::string &name) { return os << "    " << name << " = "; }
  /// `({ ^bb0(...): ... })` that applies an operation to two scalars.
  std::string getReducer(const std::string &op, Element element);
  /// The same for two pairs of scalars: the sum of one, the greater of the other.
  std::string getPairReducer(Element element);
  /// Operations on what is in scope, and what they make out of scope again.
  void addSome(int64_t most);

  /// How deep in regions.
  int64_t depth = 0;
  /// The ranks of a program of ranks; 1: a program on global tensors.
  int64_t numReplicas = 1, numPartitions = 1;
  bool isOfRanks() const { return numReplicas * numPartitions > 1; }
};

/// Of operands of which one may differ from path to path.
bool isExact(const Value &value);
inline bool isNumber(const Value &value) { return value.element != Element::I1; }

/// The neutral element of a reduction as a literal.
std::string getNeutral(const std::string &op, Element element);

/// A combination of `addends` values of `a`'s kind, in any order; nothing if it would
/// depend on the order by more than rounding.
struct Combination {
  std::string op;
  double bound, error;
};
bool pickCombination(HloBuilder &g, const Value &a, int64_t addends, Combination &combination);

using HloForm = bool (*)(HloBuilder &);
extern const std::vector<HloForm> hloElementwise, hloConversions, hloShapes, hloReductions,
    hloWindows, hloContractions, hloIndexing, hloControl, hloRequests, hloCollectives;

/// A program on global tensors with shardings.
Program makeHloProgram(uint64_t seed);
/// A program of ranks: collectives at the top.
Program makeRanksProgram(uint64_t seed);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_HLOPROGRAM_H
