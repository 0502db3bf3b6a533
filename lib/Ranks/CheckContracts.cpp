//===- CheckContracts.cpp - dmc-check-contracts ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what ranks send and need with what tactics promise.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/Comm/Volume.h"
#include "dmc/Layout/Layout.h"
#include "dmc/Ranks/Passes.h"

#include <cmath>

namespace dmc {
#define GEN_PASS_DEF_CHECKCONTRACTS
#include "dmc/Ranks/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

namespace {
struct Collective {
  Operation *op;
  StringRef kind;
  double bytes = 0;  // that leave a rank in one execution
  int64_t count = 1; // executions in a step; 1 where that is not known
  double getTotal() const { return bytes * static_cast<double>(count); }
};

struct CheckContracts : dmc::impl::CheckContractsBase<CheckContracts> {
  using CheckContractsBase::CheckContractsBase;

  void runOnOperation() override;
  std::vector<Collective> collect();
  LogicalResult checkSent(DictionaryAttr contract, ArrayRef<Collective> collectives);
  LogicalResult checkPeak(DictionaryAttr contract, int64_t bytes);
};
} // namespace

std::vector<Collective> CheckContracts::collect() {
  std::vector<Collective> collectives;
  getOperation().walk([&](comm::CollectiveOpInterface op) {
    // A group of one rank sends nothing, but a permute may list pairs of its own.
    if (op.getGroupSize() <= 1 && op.getKind() != CollectiveKind::Permute)
      return;
    collectives.push_back({op, op->getName().stripDialect(), comm::getWireBytes(op),
                           comm::countExecutions(op).value_or(1)});
  });
  return collectives;
}

/// Notes at the collectives that send most, where they come from in the source.
static void noteLargest(InFlightDiagnostic &error, ArrayRef<Collective> collectives,
                        llvm::function_ref<bool(const Collective &)> isMeant) {
  SmallVector<const Collective *> largest;
  for (const Collective &collective : collectives)
    if (isMeant(collective))
      largest.push_back(&collective);
  llvm::stable_sort(largest, [](const Collective *a, const Collective *b) {
    return a->getTotal() > b->getTotal();
  });
  constexpr size_t shown = 3;
  for (const Collective *collective : ArrayRef(largest).take_front(shown)) {
    Diagnostic &note = error.attachNote(collective->op->getLoc());
    note << collective->kind << " of "
         << cast<comm::CollectiveOpInterface>(collective->op).getOperandValue().getType()
         << " sends " << static_cast<int64_t>(std::ceil(collective->bytes)) << " bytes";
    if (collective->count != 1)
      note << ", " << collective->count << " times";
  }
  if (largest.size() > shown)
    error.attachNote() << "and " << largest.size() - shown << " more";
}

static InFlightDiagnostic emitBroken(DictionaryAttr contract) {
  auto loc = contract.getAs<LocationAttr>("loc");
  return emitError(loc ? Location(loc) : UnknownLoc::get(contract.getContext()),
                   "contract broken: ");
}

LogicalResult CheckContracts::checkSent(DictionaryAttr contract, ArrayRef<Collective> collectives) {
  LogicalResult result = success();
  auto always = [](const Collective &) { return true; };
  if (auto limit = contract.getAs<IntegerAttr>("wire_bytes")) {
    double sum = 0;
    for (const Collective &collective : collectives)
      sum += collective.getTotal();
    if (sum > static_cast<double>(limit.getInt())) {
      InFlightDiagnostic error = emitBroken(contract);
      error << "expected at most " << limit.getInt() << " bytes to leave a rank, found "
            << static_cast<int64_t>(std::ceil(sum));
      noteLargest(error, collectives, always);
      result = failure();
    }
  }
  if (auto only = contract.getAs<ArrayAttr>("only")) {
    auto isOther = [&](const Collective &collective) {
      return !llvm::is_contained(only.getAsValueRange<StringAttr>(), collective.kind);
    };
    if (llvm::any_of(collectives, isOther)) {
      InFlightDiagnostic error = emitBroken(contract);
      error << "expected no collectives" << (only.empty() ? "" : " but ");
      llvm::interleave(
          only.getAsValueRange<StringAttr>(), [&](StringRef kind) { error << kind; },
          [&]() { error << ", "; });
      noteLargest(error, collectives, isOther);
      result = failure();
    }
  }
  if (auto counts = contract.getAs<DictionaryAttr>("counts"))
    for (NamedAttribute expected : counts) {
      StringRef kind = expected.getName();
      int64_t found = 0;
      for (const Collective &collective : collectives)
        if (collective.kind == kind)
          found += collective.count;
      auto number = dyn_cast<IntegerAttr>(expected.getValue());
      int64_t count = number ? number.getInt() : 0;
      if (found == count)
        continue;
      InFlightDiagnostic error = emitBroken(contract);
      error << "expected " << kind << " " << count << " times in a step, found " << found;
      noteLargest(error, collectives,
                  [&](const Collective &collective) { return collective.kind == kind; });
      result = failure();
    }
  return result;
}

LogicalResult CheckContracts::checkPeak(DictionaryAttr contract, int64_t bytes) {
  auto limit = contract.getAs<IntegerAttr>("peak_bytes");
  if (!limit || bytes <= limit.getInt())
    return success();
  return emitBroken(contract) << "expected a rank to need at most " << limit.getInt()
                              << " bytes, found " << bytes;
}

/// Arguments, results that take over none of them, and the arena.
static int64_t getPeak(ModuleOp module, ProgramAttr program) {
  auto getLocalBytes = [](ValueAttr value) {
    RankedTensorType type = value.getType();
    int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
    for (int64_t size : value.getLayout() ? value.getLayout().getLocalShape(type.getShape())
                                          : SmallVector<int64_t>(type.getShape()))
      bytes *= size;
    return bytes;
  };
  auto arena = module->getAttrOfType<IntegerAttr>("dmc.arena_bytes");
  int64_t bytes = arena ? arena.getInt() : 0;
  llvm::BitVector takesOver(program.getResults().size());
  for (auto [number, argument] : llvm::enumerate(program.getArguments())) {
    bytes += getLocalBytes(argument);
    if (int64_t result = program.getResultInBufferOf(number); result >= 0)
      takesOver.set(result);
  }
  for (auto [number, result] : llvm::enumerate(program.getResults()))
    if (!takesOver[number])
      bytes += getLocalBytes(result);
  return bytes;
}

void CheckContracts::runOnOperation() {
  ModuleOp module = getOperation();
  ProgramAttr program = ProgramAttr::of(module);
  auto contracts = module->getAttrOfType<ArrayAttr>("dmc.contracts");
  if (!program || !contracts)
    return;
  bool isScheduled = program.getLevel() == Level::scheduled;
  if (program.getLevel() != Level::ranks && !isScheduled)
    return;
  std::vector<Collective> collectives;
  if (!isScheduled)
    collectives = collect();
  bool isBroken = false;
  for (DictionaryAttr contract : contracts.getAsRange<DictionaryAttr>())
    isBroken |= failed(isScheduled ? checkPeak(contract, getPeak(module, program))
                                   : checkSent(contract, collectives));
  if (isBroken)
    signalPassFailure();
}
