//===- PrintShardingRules.cpp - dmc-print-sharding-rules ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules as remarks, for tests and the curious.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Passes.h"
#include "dmc/Sharding/ShardingRule.h"

namespace dmc {
#define GEN_PASS_DEF_PRINTSHARDINGRULES
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

static std::string factorName(unsigned factor) {
  static constexpr StringLiteral letters = "ijklmnopqrstuvwxyz";
  if (factor < letters.size())
    return letters.substr(factor, 1).str();
  return "z" + std::to_string(factor);
}

static void print(raw_ostream &os, ArrayRef<ValueFactors> values) {
  os << '(';
  llvm::interleaveComma(values, os, [&](const ValueFactors &value) {
    os << '[';
    llvm::interleaveComma(value, os, [&](const DimFactors &dim) {
      llvm::interleave(dim, os, [&](unsigned factor) { os << factorName(factor); }, "*");
    });
    os << ']';
  });
  os << ')';
}

static std::string toString(const ShardingRule &rule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, rule.operands);
  os << " -> ";
  print(os, rule.results);
  os << " {";
  llvm::interleaveComma(llvm::enumerate(rule.factors), os, [&](const auto &entry) {
    const Factor &factor = entry.value();
    os << factorName(entry.index()) << '=' << factor.size;
    switch (factor.kind) {
    case FactorKind::Parallel:
      break;
    case FactorKind::Reduction:
      os << ' ' << stringifyCombinerKind(*factor.combiner);
      break;
    case FactorKind::Window:
      os << " window";
      break;
    case FactorKind::NeedsReplication:
      os << " whole";
      break;
    }
  });
  os << '}';
  return text;
}

/// For each combiner the sets of operands that may be partial jointly, a
/// destination only where it is read.
static std::string getPartialText(Operation *op) {
  unsigned count = getTensorOperands(op).size();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (count > 6)
    return "too many operands";
  unsigned destinations = 0;
  for (std::optional<unsigned> destination : getDestinations(op))
    if (destination)
      destinations |= 1u << *destination;
  for (CombinerKind combiner :
       {CombinerKind::sum, CombinerKind::prod, CombinerKind::max, CombinerKind::min}) {
    llvm::SmallDenseSet<unsigned> accepted;
    for (unsigned set = 1; set < (1u << count); ++set) {
      llvm::BitVector partial(count);
      for (unsigned i = 0; i < count; ++i)
        if (set >> i & 1)
          partial.set(i);
      std::optional<PartialResults> results = getPartialResults(op, partial, combiner);
      if (!results || llvm::none_of(*results, [](auto result) { return result.has_value(); }))
        continue;
      accepted.insert(set);
      if ((set & destinations) != 0 && accepted.contains(set & ~destinations))
        continue;
      os << (text.empty() ? "" : ", ") << stringifyCombinerKind(combiner) << " {";
      llvm::interleaveComma(partial.set_bits(), os);
      os << "} ->";
      for (std::optional<CombinerKind> result : *results)
        os << ' ' << (result ? stringifyCombinerKind(*result) : "replicated");
    }
  }
  return text.empty() ? "none" : text;
}

namespace {
struct PrintShardingRules : dmc::impl::PrintShardingRulesBase<PrintShardingRules> {
  using PrintShardingRulesBase::PrintShardingRulesBase;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (getTensorOperands(op).empty() && getTensorResults(op).empty())
        return;
      FailureOr<ShardingRule> rule = getShardingRule(op);
      if (failed(rule))
        op->emitRemark("no rule");
      else if (partial)
        op->emitRemark("partial: ") << getPartialText(op);
      else
        op->emitRemark(toString(*rule));
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
