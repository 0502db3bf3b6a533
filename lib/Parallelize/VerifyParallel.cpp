//===- VerifyParallel.cpp - dmc-verify-parallel ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every tensor has a layout that fits, and one assignment of axes to factors
// explains the layouts of each operation's operands and results.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/CustomCall.h"
#include "dmc/Dialect/DMC/RuleText.h"
#include "dmc/Parallelize/Passes.h"
#include "dmc/Parallelize/Verify.h"

#include "Factors.h"

#include "dmc/Sharding/Windows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/RegionUtils.h"

namespace dmc {
#define GEN_PASS_DEF_VERIFYPARALLEL
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// Operations that say the layouts of their values, and verify them.
static bool hasOwnLayouts(Operation *op) { return isa<ManualOp, MoveOpInterface>(op); }

namespace {
/// An operand or result and what stands in its type.
struct TensorValue {
  Value value;
  bool isResult;
  unsigned number;
  const Layout *layout;
  const ValueFactors *factors;
};

/// Checks one operation.
class OpChecker {
public:
  OpChecker(Operation *op, LayoutCache &cache, ShardingRule rule);
  LogicalResult run();

private:
  std::string name(const TensorValue &value) const {
    return (value.isResult ? "result " : "operand ") + std::to_string(value.number);
  }
  std::string quote(ArrayRef<AxisRef> axes) const;
  InFlightDiagnostic error() const { return op->emitOpError(); }
  InFlightDiagnostic withOrigin(InFlightDiagnostic diagnostic, unsigned factor) const;

  LogicalResult assignFactors();
  LogicalResult checkRoles();
  LogicalResult checkReductions();
  LogicalResult checkPartial();
  LogicalResult checkPlaced();
  LogicalResult checkCaptures();
  SmallVector<AxisRef, 2> getParts(const AxisRef &axis) const;
  bool isDestination(unsigned operand) const;
  bool isUnreadDestination(unsigned operand) const;

  Operation *op;
  LayoutCache &cache;
  ShardingRule rule;
  SmallVector<TensorValue, 4> values;
  unsigned numOperands = 0;
  SmallVector<std::optional<unsigned>> destinations;
  Assignment assignment;
  /// Per factor the value and dimension that said so first.
  SmallVector<std::optional<std::pair<unsigned, unsigned>>> origins;
};
} // namespace

OpChecker::OpChecker(Operation *op, LayoutCache &cache, ShardingRule ruleOfOp)
    : op(op), cache(cache), rule(std::move(ruleOfOp)), destinations(getDestinations(op)),
      assignment(rule.factors.size()), origins(rule.factors.size()) {
  for (auto [number, operand] : llvm::enumerate(getTensorOperands(op)))
    values.push_back({operand->get(), false, static_cast<unsigned>(number),
                      &cache.get(LayoutAttr::of(operand->get().getType())),
                      &rule.operands[number]});
  numOperands = values.size();
  for (auto [number, result] : llvm::enumerate(getTensorResults(op)))
    values.push_back({result, true, static_cast<unsigned>(number),
                      &cache.get(LayoutAttr::of(result.getType())), &rule.results[number]});
}

std::string OpChecker::quote(ArrayRef<AxisRef> axes) const {
  if (axes.size() == 1)
    return '"' + toString(cache.getMesh(), axes.front()) + '"';
  std::string text = "{";
  for (auto [i, axis] : llvm::enumerate(axes))
    text += (i ? ", \"" : "\"") + toString(cache.getMesh(), axis) + '"';
  return text + "}";
}

InFlightDiagnostic OpChecker::withOrigin(InFlightDiagnostic diagnostic, unsigned factor) const {
  if (origins[factor]) {
    const TensorValue &value = values[origins[factor]->first];
    diagnostic.attachNote(value.value.getLoc())
        << "loop " << factor << " is dimension " << origins[factor]->second << " of " << name(value)
        << ", made here";
  }
  return diagnostic;
}

LogicalResult OpChecker::assignFactors() {
  for (auto [index, value] : llvm::enumerate(values)) {
    for (auto [dim, axes] : llvm::enumerate(value.layout->dims)) {
      std::optional<std::pair<unsigned, AxisList>> mismatch;
      auto take = [&, index = index, dim = dim](unsigned factor, ArrayRef<AxisRef> mine) {
        if (!origins[factor]) {
          origins[factor] = {index, dim};
          assignment[factor].assign(mine.begin(), mine.end());
        } else if (ArrayRef<AxisRef>(assignment[factor]) != mine && !mismatch) {
          mismatch = {factor, mine.vec()};
        }
      };
      if (!divideAmongFactors(rule, (*value.factors)[dim], axes, take))
        return error() << "dimension " << dim << " of " << name(value) << " is split over "
                       << quote(axes) << ", which no split of the operation's loops gives";
      if (mismatch) {
        auto [factor, mine] = *mismatch;
        InFlightDiagnostic diagnostic = error();
        diagnostic << "dimension " << dim << " of " << name(value);
        if (mine.empty())
          diagnostic << " is not split";
        else
          diagnostic << " is split over " << quote(mine);
        diagnostic << ", but loop " << factor;
        if (assignment[factor].empty())
          diagnostic << " is not split";
        else
          diagnostic << " is split over " << quote(assignment[factor]);
        return withOrigin(std::move(diagnostic), factor);
      }
    }
  }
  return success();
}

LogicalResult OpChecker::checkRoles() {
  for (auto [f, axes] : llvm::enumerate(assignment)) {
    if (axes.empty())
      continue;
    FactorKind kind = rule.factors[f].kind;
    auto [index, dim] = *origins[f];
    if (kind == FactorKind::Window || kind == FactorKind::NeedsReplication)
      return error() << "dimension " << dim << " of " << name(values[index]) << " is split over "
                     << quote(axes) << ", but the operation needs it whole";
    std::vector<int64_t> sizes;
    for (const AxisRef &axis : axes)
      sizes.push_back(axis.size);
    if (llvm::is_contained(rule.factors[f].alikeSizes, kOneSize) &&
        !maySplit(rule.factors[f], sizes))
      return error() << "dimension " << dim << " of " << name(values[index]) << " is split over "
                     << quote(axes) << ", but " << rule.factors[f].size
                     << " elements are not cut into blocks of one size";
    if (!maySplit(rule.factors[f], sizes))
      return error() << "dimension " << dim << " of " << name(values[index]) << " is split over "
                     << quote(axes) << ", but blocks of " << rule.factors[f].size << " and "
                     << rule.factors[f].alikeSizes.front() << " elements differ in size";
    for (size_t g = 0; g < f; ++g)
      for (const AxisRef &axis : axes)
        if (overlapsAny(axis, assignment[g]))
          return withOrigin(
              error() << "axis " << quote(axis) << " splits loop " << f << " and loop " << g, g);
    if (kind != FactorKind::Parallel)
      continue;
    for (const TensorValue &value : ArrayRef(values).drop_front(numOperands))
      if (llvm::none_of(*value.factors,
                        [f = f](const DimFactors &d) { return llvm::is_contained(d, f); }))
        return error() << "loop " << f << " is split over " << quote(axes) << ", but "
                       << name(value) << " does not have it";
  }
  return success();
}

bool OpChecker::isDestination(unsigned operand) const {
  return llvm::is_contained(destinations, std::optional(operand));
}

bool OpChecker::isUnreadDestination(unsigned operand) const {
  if (!isDestination(operand))
    return false;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.getMatchingBlockArgument(getTensorOperands(op)[operand]).use_empty();
  return isa<CustomCallOp, GatherOp, DynamicSliceOp>(op);
}

/// True if all axes are partial in the layout.
static bool arePartial(const Layout &layout, ArrayRef<AxisRef> axes) {
  // Partial axes are stored merged: compare what they cover.
  for (const AxisRef &axis : axes) {
    bool isCovered = llvm::any_of(layout.partial, [&](const AxisRef &p) {
      return p.axis == axis.axis && p.preSize <= axis.preSize && axis.preSize % p.preSize == 0 &&
             axis.preSize * axis.size <= p.preSize * p.size;
    });
    if (!isCovered)
      return false;
  }
  return true;
}

LogicalResult OpChecker::checkReductions() {
  for (auto [f, axes] : llvm::enumerate(assignment)) {
    if (axes.empty())
      continue;
    const Factor &factor = rule.factors[f];
    for (const TensorValue &value : values) {
      bool gathersPartials =
          factor.kind == FactorKind::Reduction && (value.isResult || isDestination(value.number));
      if (!gathersPartials) {
        for (const AxisRef &axis : axes)
          if (overlapsAny(axis, value.layout->partial))
            return withOrigin(error() << name(value) << " is partial over " << quote(axis)
                                      << ", but loop " << f << " is split over it",
                              f);
        continue;
      }
      if (!arePartial(*value.layout, axes) ||
          value.layout->combiner != toCombiner(*factor.combiner))
        return withOrigin(error() << "loop " << f << " is split over " << quote(axes) << ", but "
                                  << name(value) << " is not a partial "
                                  << stringifyCombinerKind(*factor.combiner) << " over it",
                          f);
    }
  }
  return success();
}

/// An axis cut wherever a layout of the operation cuts it: partial axes are stored
/// merged, and each part has a reason of its own.
SmallVector<AxisRef, 2> OpChecker::getParts(const AxisRef &axis) const {
  SmallVector<int64_t> cuts;
  auto addCuts = [&](ArrayRef<AxisRef> axes) {
    for (const AxisRef &other : axes)
      if (other.axis == axis.axis)
        cuts.append({other.preSize, other.preSize * other.size});
  };
  for (const TensorValue &value : values) {
    addCuts(value.layout->partial);
    for (ArrayRef<AxisRef> axes : value.layout->dims)
      addCuts(axes);
  }
  llvm::sort(cuts);
  SmallVector<AxisRef, 2> parts;
  int64_t begin = axis.preSize, end = axis.preSize * axis.size;
  for (int64_t cut : cuts)
    if (cut > begin && cut < end && cut % begin == 0 && end % cut == 0) {
      parts.push_back({axis.axis, begin, cut / begin});
      begin = cut;
    }
  parts.push_back({axis.axis, begin, end / begin});
  return parts;
}

LogicalResult OpChecker::checkPartial() {
  // Axes that no split reduction explains, each with the operands that have it.
  SmallVector<std::pair<AxisRef, llvm::BitVector>, 2> queries;
  auto isReduced = [&](const AxisRef &axis) {
    return llvm::any_of(assignment, [&](const AxisList &axes) {
      return llvm::any_of(axes, [&](const AxisRef &other) {
        return other.axis == axis.axis && other.preSize <= axis.preSize &&
               axis.preSize * axis.size <= other.preSize * other.size;
      });
    });
  };
  auto getPartsOfAll = [&](ArrayRef<AxisRef> axes) {
    SmallVector<AxisRef, 2> parts;
    for (const AxisRef &axis : axes)
      llvm::append_range(parts, getParts(axis));
    return parts;
  };
  // A destination that is not read has the result's combiner, the others share one.
  std::optional<Combiner> combiner;
  for (const TensorValue &value : ArrayRef(values).take_front(numOperands)) {
    if (value.layout->partial.empty() || isUnreadDestination(value.number))
      continue;
    for (const AxisRef &axis : getPartsOfAll(value.layout->partial)) {
      if (isReduced(axis))
        continue;
      if (combiner && combiner != value.layout->combiner)
        return error() << name(value) << " is a partial " << stringify(*value.layout->combiner)
                       << ", another operand a partial " << stringify(*combiner);
      combiner = value.layout->combiner;
      auto it = llvm::find_if(queries, [&](const auto &q) { return q.first == axis; });
      if (it == queries.end()) {
        queries.push_back({axis, llvm::BitVector(numOperands)});
        it = std::prev(queries.end());
      }
      it->second.set(value.number);
    }
  }
  for (auto &[axis, operands] : queries) {
    std::optional<PartialResults> results =
        getPartialResults(op, operands, toCombinerKind(*combiner));
    if (!results) {
      unsigned first = operands.find_first();
      InFlightDiagnostic diagnostic = error();
      diagnostic << "operand " << first << " is a partial " << stringify(*combiner) << " over "
                 << quote(axis) << ", which the operation does not carry over";
      diagnostic.attachNote(values[first].value.getLoc()) << "the operand is made here";
      return diagnostic;
    }
    for (auto [number, expected] : llvm::enumerate(*results)) {
      const TensorValue &value = values[numOperands + number];
      bool isPartial = overlapsAny(axis, value.layout->partial);
      if (isPartial != expected.has_value() ||
          (isPartial && value.layout->combiner != toCombiner(*expected)))
        return error() << name(value) << " must "
                       << (expected ? "be a partial " + stringifyCombinerKind(*expected).str()
                                    : std::string("not be partial"))
                       << " over " << quote(axis) << ", as its operands are";
    }
  }
  // What is left has no reason to be partial.
  for (const TensorValue &value : ArrayRef(values).drop_front(numOperands))
    for (const AxisRef &axis : getPartsOfAll(value.layout->partial))
      if (!isReduced(axis) &&
          llvm::none_of(queries, [&](const auto &q) { return overlaps(q.first, axis); }))
        return error() << name(value) << " is partial over " << quote(axis)
                       << ", but no operand is and no loop is split over it";
  return success();
}

LogicalResult OpChecker::checkPlaced() {
  // A scalar is on every position.
  if (op->getNumResults() != getTensorResults(op).size())
    for (const TensorValue &value : values)
      if (!value.layout->placed.empty())
        return error() << "makes a scalar of " << name(value)
                       << ", which is placed where not every position has it";
  for (const TensorValue &value : ArrayRef(values).drop_front())
    if (value.layout->placed != values.front().layout->placed)
      return error() << name(value) << " is not placed where " << name(values.front()) << " is";
  return success();
}

/// No factor says what of a tensor a body reads by itself.
LogicalResult OpChecker::checkCaptures() {
  bool isGood = true;
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(region, [&](OpOperand *use) {
      LayoutAttr layout = LayoutAttr::of(use->get().getType());
      if (!isGood || !layout)
        return;
      // Where an operand is not held, neither is what tells where to read.
      for (const TensorValue &value : values)
        if (isGood && !value.layout->placed.empty()) {
          isGood = false;
          error() << "reads a tensor in its region, but " << name(value) << " is placed";
        }
      if (!isGood || layout.isReplicated())
        return;
      isGood = false;
      error() << "reads a tensor of layout " << toString(cache.getMesh(), cache.get(layout))
              << " in its region, expected a replicated one";
    });
  return success(isGood);
}

LogicalResult OpChecker::run() {
  if (failed(checkCaptures()))
    return failure();
  if (values.empty())
    return success();
  // A value made from no tensor denotes the global value in any layout.
  if (isLayoutAgnostic(op))
    return success();
  if (failed(assignFactors()) || failed(checkRoles()) || failed(checkReductions()) ||
      failed(checkPartial()))
    return failure();
  return checkPlaced();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static LogicalResult verifyType(Type type, MeshAttr mesh,
                                llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  LayoutAttr layout = LayoutAttr::of(tensor);
  if (!layout)
    return emitError() << "expected a layout of every tensor of a parallel program, found "
                       << tensor;
  if (layout.getMesh() != mesh)
    return emitError() << "expected a layout on the program's mesh " << mesh << ", found "
                       << layout.getMesh();
  return layout.verifyEncoding(tensor.getShape(), tensor.getElementType(), emitError);
}

static LogicalResult verifySignature(func::FuncOp entry, ProgramAttr program) {
  auto check = [&](ArrayRef<Type> types, ArrayRef<ValueAttr> values, StringRef what) {
    if (types.size() != values.size())
      return LogicalResult(entry.emitError("expected ")
                           << values.size() << " " << what << "s as dmc.program says, found "
                           << types.size());
    for (auto [number, type, value] : llvm::enumerate(types, values))
      if (LayoutAttr::of(type) != value.getLayout())
        return LogicalResult(entry.emitError(what) << " " << number << " (" << value.getName()
                                                   << ") has another layout than dmc.program says: "
                                                   << type << " and " << value.getType());
    return success();
  };
  return success(succeeded(check(entry.getArgumentTypes(), program.getArguments(), "argument")) &&
                 succeeded(check(entry.getResultTypes(), program.getResults(), "result")));
}

/// A parallel program says what happens to global tensors: what one rank does, or knows of
/// itself, stands in manual computations.
static LogicalResult verifyGlobal(func::FuncOp entry) {
  return failure(entry
                     ->walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
                       if (isa<ManualOp>(op))
                         return WalkResult::skip();
                       if (op->getName().getDialectNamespace() != "comm")
                         return WalkResult::advance();
                       return op->emitOpError("belongs in a rank program or in dmc.manual, found "
                                              "in a parallel program");
                     })
                     .wasInterrupted());
}

LogicalResult dmc::verifyParallel(ModuleOp module) {
  ProgramAttr program = ProgramAttr::of(module);
  if (!program || program.getLevel() != Level::parallel)
    return success();
  if (!program.getMesh())
    return module.emitError("expected a mesh in the dmc.program of a parallel program");
  FailureOr<func::FuncOp> entry = getEntryFunction(module);
  if (failed(entry) || failed(verifySignature(*entry, program)) || failed(verifyGlobal(*entry)))
    return failure();

  LayoutCache cache(program.getMesh());
  llvm::DenseSet<Type> goodTypes;
  bool isGood = true;
  auto checkType = [&](Type type, llvm::function_ref<InFlightDiagnostic()> emitError) {
    if (goodTypes.contains(type))
      return true;
    if (failed(verifyType(type, program.getMesh(), emitError)))
      return isGood = false;
    goodTypes.insert(type);
    return true;
  };

  entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<func::FuncOp>(op))
      return WalkResult::advance();
    bool hasTypes = true;
    auto error = [&]() { return op->emitOpError(); };
    for (Type type : op->getOperandTypes())
      hasTypes = hasTypes && checkType(type, error);
    for (Type type : op->getResultTypes())
      hasTypes = hasTypes && checkType(type, error);
    bool isControlFlow = isa<RegionBranchOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>();
    if (isControlFlow)
      for (Region &region : op->getRegions())
        for (Type type : region.getArgumentTypes())
          checkType(type, error);
    // Moves have verifiers; control flow hands values on in their types.
    if (auto halo = dyn_cast<HaloOp>(op)) {
      // What layouts it may have is its own affair; types may have changed since.
      isGood &= succeeded(halo.verify());
    } else if (hasTypes && !hasOwnLayouts(op) && !isControlFlow) {
      if (isa<ConstrainOp>(op) || op->hasAttr("dmc.layouts")) {
        error() << "must not remain in a parallel program";
        isGood = false;
      } else if (FailureOr<ShardingRule> rule = getShardingRule(op); failed(rule)) {
        error() << "expected tensors of static shape";
        isGood = false;
      } else if (failed(OpChecker(op, cache, std::move(*rule)).run())) {
        isGood = false;
      }
    }
    return isControlFlow ? WalkResult::advance() : WalkResult::skip();
  });
  return success(isGood);
}

namespace {
struct VerifyParallel : dmc::impl::VerifyParallelBase<VerifyParallel> {
  using VerifyParallelBase::VerifyParallelBase;

  void runOnOperation() override {
    if (failed(verifyParallel(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
