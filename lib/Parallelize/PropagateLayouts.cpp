//===- PropagateLayouts.cpp - dmc-propagate-layouts -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeds the propagation from the boundary and the constraints, and decides between what it, the
// solution of the layout problem and local search find.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Passes.h"

#include "LayoutRecorder.h"
#include "MachineOption.h"
#include "MemoryMeter.h"
#include "ProgramCost.h"
#include "SplitLiveRanges.h"
#include "SummarizePlan.h"

#include "dmc/Parallelize/PlanCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

#define DEBUG_TYPE "dmc-propagate-layouts"

namespace dmc {
#define GEN_PASS_DEF_PROPAGATELAYOUTS
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// A program that says nothing about devices runs on one.
static ProgramAttr withTrivialMesh(ProgramAttr program) {
  MLIRContext *context = program.getContext();
  auto mesh = MeshAttr::get(context, {std::pair<std::string, int64_t>("rank", 1)});
  auto replicate = [&](ArrayRef<ValueAttr> values) {
    SmallVector<ValueAttr> result;
    for (ValueAttr value : values)
      result.push_back(
          value.withLayout(LayoutAttr::getReplicated(mesh, value.getType().getRank())));
    return result;
  };
  return ProgramAttr::get(context, program.getLevel(), program.getName(), mesh,
                          replicate(program.getArguments()), replicate(program.getResults()));
}

static LogicalResult checkSignature(func::FuncOp entry, ProgramAttr program) {
  auto check = [&](ArrayRef<Type> types, ArrayRef<ValueAttr> values, StringRef what) {
    if (types.size() != values.size())
      return LogicalResult(entry.emitError("expected ")
                           << values.size() << " " << what << "s as dmc.program says, found "
                           << types.size());
    for (auto [number, type, value] : llvm::enumerate(types, values)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || tensor.getShape() != value.getType().getShape())
        return LogicalResult(entry.emitError("expected ")
                             << what << " " << number << " (" << value.getName()
                             << ") to have the shape of " << value.getType() << ", found " << type);
      if (tensor.getEncoding())
        return LogicalResult(entry.emitError("expected ")
                             << what << " " << number << " of a tensor program without layout, "
                             << "found " << type);
    }
    return success();
  };
  return success(succeeded(check(entry.getArgumentTypes(), program.getArguments(), "argument")) &&
                 succeeded(check(entry.getResultTypes(), program.getResults(), "result")));
}

namespace {
/// All layouts decided, with the notes on why if someone wants them.
struct Decision {
  std::unique_ptr<Propagation> graph;
  /// Operations were given layouts before.
  bool isFurther = false;
  /// Before it was refined, or after.
  bool splitsWindows = false;
  /// What was found where all layouts were chosen as one problem.
  std::optional<PlanSummary> summary;
  std::optional<SolvedProblem> solved;
  PlanTexts texts;
  /// What a rank needs of memory, once that is known; where nothing bounds it, it is not.
  std::optional<double> needed;
  std::unique_ptr<LayoutRecord> notes;
  std::unique_ptr<LayoutRecorder> recorder;

  /// Notes what is decided from now on.
  void observe() {
    if (!notes)
      notes = std::make_unique<LayoutRecord>();
    recorder = std::make_unique<LayoutRecorder>(*graph, *notes);
    graph->observer = recorder.get();
  }
  /// The same decisions so far, of which other ones may follow.
  Decision copy() const {
    Decision result;
    result.graph = std::make_unique<Propagation>(*graph);
    result.isFurther = isFurther;
    if (notes) {
      result.notes = std::make_unique<LayoutRecord>(*notes);
      result.observe();
    }
    return result;
  }
  /// What was stated and proved of the same program when other decisions were made.
  void takeProof(Decision &other) {
    summary = std::move(other.summary);
    solved = std::move(other.solved);
    texts = std::move(other.texts);
  }
  /// Decides so instead.
  void take(std::unique_ptr<Propagation> other, std::unique_ptr<LayoutRecord> otherNotes) {
    recorder.reset();
    graph = std::move(other);
    graph->observer = nullptr;
    notes = std::move(otherNotes);
    if (notes)
      observe();
  }
};

struct PropagateLayouts : dmc::impl::PropagateLayoutsBase<PropagateLayouts> {
  using PropagateLayoutsBase::PropagateLayoutsBase;
  PropagateLayouts(const PropagateLayoutsOptions &options, LayoutRecord *record,
                   const PlanSearch &search)
      : PropagateLayoutsBase(options), record(record), search(search) {}

  void runOnOperation() override;
  LogicalResult seed(Propagation &propagation, LayoutCache &cache, func::FuncOp entry,
                     ProgramAttr program);
  FailureOr<Decision> propagate(LayoutCache &cache, func::FuncOp entry, ProgramAttr program,
                                ReshardPlans &plans, bool withWindows);
  LogicalResult improvePlan(Decision &decision, func::FuncOp entry, ProgramAttr program,
                            ReshardPlans &plans, MemoryMeter &meter, MemorySearch &memory,
                            bool isSolved);
  LogicalResult solveAgain(Decision &decision, Decision again, func::FuncOp entry,
                           ProgramAttr program, ReshardPlans &plans, MemoryMeter &meter,
                           MemorySearch &memory);
  FailureOr<Decision> decideOnce(LayoutCache &cache, func::FuncOp entry, ProgramAttr program,
                                 ReshardPlans &plans, MemorySearch &memory);
  void refine(Decision &decision, OtherPlans &others, ReshardPlans &plans, MemoryMeter &meter,
              RefinementScope scope);
  FailureOr<Decision> decideAll(LayoutCache &cache, func::FuncOp entry, ProgramAttr program,
                                ReshardPlans &plans);

  /// Null unless decisions are to be explained.
  LayoutRecord *record = nullptr;
  PlanSearch search;
  /// What was decided may be changed where that is faster.
  bool improves = true;
  /// Of requests that disagree the first wins.
  bool isInOrder = false;
  /// All layouts are chosen as one problem, with those of the boundary that are not given.
  bool solves = false, choosesBoundary = false;
};
} // namespace

std::unique_ptr<Pass> dmc::createPropagateLayouts(const PropagateLayoutsOptions &options,
                                                  LayoutRecord *record, const PlanSearch &search) {
  return std::make_unique<PropagateLayouts>(options, record, search);
}

/// What tactics ask of the boundary may leave dimensions open, and keep axes away.
static void addOpenness(Request &request, DictionaryAttr attrs, MeshAttr mesh) {
  if (!attrs)
    return;
  if (auto open = attrs.getAs<DenseI64ArrayAttr>("dmc.open")) {
    request.open.resize(request.layout.dims.size());
    for (int64_t dim : open.asArrayRef())
      request.open.set(dim);
  }
  if (auto axes = attrs.getAs<AxesAttr>("dmc.replicated"))
    request.replicated = LayoutAttr::get(mesh, {axes}).toLayout().dims[0];
}

LogicalResult PropagateLayouts::seed(Propagation &propagation, LayoutCache &cache,
                                     func::FuncOp entry, ProgramAttr program) {
  // What is asked for is a contract; of one priority, one kind joins in after the other.
  SmallVector<SmallVector<Request>, 3> kinds = {propagation.getRequests(cache), {}, {}};
  SmallVector<Request> results;
  auto ask = [&](Value value, LayoutAttr layout, DictionaryAttr attrs) {
    Request request;
    request.value = propagation.getNumber(value);
    request.layout = cache.get(layout);
    if (auto given = attrs ? attrs.getAs<DenseI64ArrayAttr>("dmc.priorities") : DenseI64ArrayAttr())
      request.priorities = given.asArrayRef();
    addOpenness(request, attrs, cache.getMeshAttr());
    return request;
  };
  for (auto [argument, value] : llvm::zip_equal(entry.getArguments(), program.getArguments()))
    if (value.getLayout())
      kinds[value.isDonated() ? 2 : 1].push_back(
          ask(argument, value.getLayout(), entry.getArgAttrDict(argument.getArgNumber())));
  Operation *terminator = entry.getBody().front().getTerminator();
  for (auto [i, operand, value] : llvm::enumerate(terminator->getOperands(), program.getResults()))
    if (value.getLayout() && propagation.has(operand))
      results.push_back(ask(operand, value.getLayout(), entry.getResultAttrDict(i)));
  std::set<int64_t> priorities = {0};
  for (ArrayRef<Request> requests :
       {ArrayRef(kinds[0]), ArrayRef(kinds[1]), ArrayRef(kinds[2]), ArrayRef(results)})
    for (const Request &request : requests) {
      priorities.insert(request.priorities.begin(), request.priorities.end());
    }

  if (failed(propagation.checkGroups(kinds[0])))
    return failure();

  // Those that wait must not be given a sharding by their uses meanwhile.
  for (ArrayRef<Request> requests : kinds)
    for (const Request &request : requests)
      propagation.reserve(request);
  for (int64_t priority : priorities) {
    for (ArrayRef<Request> requests : kinds) {
      for (const Request &request : requests)
        propagation.grant(request, priority);
      propagation.propagate();
    }
    // A result's layout is a contract of what is returned, and a wish for its operand.
    for (const Request &request : results)
      if (priority == (request.priorities.empty() ? 0 : *llvm::min_element(request.priorities)))
        propagation.propose(request.value, request.layout);
    propagation.propagate();
  }
  return success();
}

/// Arguments without a layout lie where the result does that takes their buffer.
static ProgramAttr withDonatedLayouts(ProgramAttr program) {
  auto arguments = llvm::map_to_vector(program.getArguments(), [&](ValueAttr argument) {
    if (!argument.isDonated() || argument.getLayout())
      return argument;
    ValueAttr result = program.getResults()[argument.getDonates()];
    bool fits = result.getType().getShape() == argument.getType().getShape();
    return fits && result.getLayout() ? argument.withLayout(result.getLayout()) : argument;
  });
  return ProgramAttr::get(program.getContext(), program.getLevel(), program.getName(),
                          program.getMesh(), arguments, program.getResults());
}

/// What follows from the boundary and the constraints.
FailureOr<Decision> PropagateLayouts::propagate(LayoutCache &cache, func::FuncOp entry,
                                                ProgramAttr program, ReshardPlans &plans,
                                                bool withWindows) {
  Decision decision;
  decision.graph = std::make_unique<Propagation>(plans, withWindows);
  Propagation &propagation = *decision.graph;
  propagation.isInOrder = isInOrder;
  if (failed(propagation.build(entry)))
    return failure();
  FailureOr<bool> isFurther = propagation.keep(cache);
  if (failed(isFurther))
    return failure();
  decision.isFurther = *isFurther;
  if (record)
    decision.observe();
  if (failed(seed(propagation, cache, entry, program)))
    return failure();
  propagation.setBoundary(entry, program, cache);
  propagation.decide();
  return decision;
}

/// True if the first of two plans fits better into a rank's memory, or is faster. Of equally fast
/// plans the propagated one stays, whose reasons are known.
static bool isBetter(const Decision &plan, const Decision &other) {
  if (double capacity = plan.graph->getRates().capacity; capacity > 0) {
    if (std::max(*plan.needed, *other.needed) > capacity && *plan.needed != *other.needed)
      return *plan.needed < *other.needed;
  }
  return ProgramCost(*plan.graph).getTotal().seconds <
         (1 - kMinGain) * ProgramCost(*other.graph).getTotal().seconds;
}

/// True if it is proved, to the gap that is asked for, that no plan is faster: then others need not
/// be refined. Not where memory is limited: what plans need before refinement is not known. Nor
/// where axes are taken together: others may split them apart.
static bool isProvedBest(const Decision &plan) {
  return plan.summary && plan.summary->isCertified && plan.summary->axesTogether.empty() &&
         plan.graph->getRates().capacity == 0;
}

/// Effort limit: how often a plan that does not fit is refined.
static constexpr unsigned maxRefinements = 6;

/// Refinement estimates memory: it may need as much more by the estimate as the plan is below the
/// capacity, or must need as much less, which is found out again as long as that gains something.
/// Where the plan that it finds does not fit, the one that needs the least stays.
static void refineWithin(Decision &decision, ReshardPlans &plans, MemoryMeter &meter,
                         RefinementScope scope, const PlanSearch &search) {
  double capacity = plans.getRates().capacity;
  if (!decision.needed)
    decision.needed = meter.getBytes(*decision.graph);
  for (unsigned time = 0; time < maxRefinements && !search.isInterrupted(); ++time) {
    double before = *decision.needed;
    Propagation unrefined = *decision.graph;
    std::unique_ptr<LayoutRecord> notes;
    if (decision.notes)
      notes = std::make_unique<LayoutRecord>(*decision.notes);
    if (before > 0)
      plans.setCapacity(estimatePeakBytes(*decision.graph) * capacity / before);
    bool isChanged = decision.graph->refine(scope, search.interrupt);
    plans.setCapacity(capacity);
    if (!isChanged)
      return;
    decision.needed = meter.getBytes(*decision.graph);
    if (*decision.needed > std::max(capacity, before)) {
      decision.take(std::make_unique<Propagation>(unrefined), std::move(notes));
      decision.needed = before;
      return;
    }
    if (*decision.needed <= capacity || *decision.needed == before)
      return;
  }
}

/// Changes what was decided wherever that shortens the predicted time, or, where that does not fit
/// the memory, what was decided otherwise.
void PropagateLayouts::refine(Decision &decision, OtherPlans &others, ReshardPlans &plans,
                              MemoryMeter &meter, RefinementScope scope) {
  if (plans.getRates().capacity == 0) {
    decision.graph->refine(scope, search.interrupt);
    return;
  }
  std::vector<Decision> trials;
  for (OtherPlan &other : others) {
    Decision trial = decision.copy();
    trial.take(std::move(other.graph), std::move(trial.notes));
    trial.needed = other.bytes;
    trials.push_back(std::move(trial));
  }
  refineWithin(decision, plans, meter, scope, search);
  for (Decision &trial : trials) {
    refineWithin(trial, plans, meter, scope, search);
    if (isBetter(trial, decision)) {
      decision.take(std::move(trial.graph), std::move(trial.notes));
      decision.needed = trial.needed;
    }
  }
}

/// True if local search has made a plan that fits of one that does not, of a problem of which no
/// plan was found to fit.
static bool isFoundBeside(const Decision &decision, std::optional<double> neededAsSolved,
                          const MemorySearch &memory) {
  double capacity = decision.graph->getRates().capacity;
  return capacity > 0 && !memory.known && memory.mayRepeat && decision.summary && neededAsSolved &&
         *neededAsSolved > capacity && *decision.needed <= capacity;
}

/// Rows of memory hold what the plans hold that made them, and may exclude others that fit: one
/// that is known shows where, and the problem is solved once more from there.
LogicalResult PropagateLayouts::solveAgain(Decision &decision, Decision again, func::FuncOp entry,
                                           ProgramAttr program, ReshardPlans &plans,
                                           MemoryMeter &meter, MemorySearch &memory) {
  memory.known = decision.graph.get();
  LogicalResult result =
      improvePlan(again, entry, program, plans, meter, memory, /*isSolved=*/true);
  memory.known = nullptr;
  if (failed(result) || !again.summary || !again.needed)
    return result;
  if (!isBetter(decision, again)) {
    decision = std::move(again);
    return success();
  }
  decision.takeProof(again);
  return success();
}

/// Chooses layouts as one problem, or leaves those that were propagated, and improves on them.
LogicalResult PropagateLayouts::improvePlan(Decision &decision, func::FuncOp entry,
                                            ProgramAttr program, ReshardPlans &plans,
                                            MemoryMeter &meter, MemorySearch &memory,
                                            bool isSolved) {
  // What was decided before stays, but for what a tactic asks to be solved on top of it.
  bool solvesHere = isSolved && (!decision.isFurther || choosesBoundary);
  if (search.check)
    return solvesHere ? decision.graph->checkPlan(entry, program, choosesBoundary, meter,
                                                  memory.splitAround, *search.check)
                      : success();
  OtherPlans others;
  std::optional<double> neededAsSolved;
  std::optional<Decision> before;
  if (solvesHere) {
    if (plans.getRates().capacity > 0)
      before = decision.copy();
    FailureOr<std::optional<PlanSummary>> summary =
        decision.graph->solve(entry, program, choosesBoundary, search, meter, memory,
                              record ? &decision.solved : nullptr);
    if (failed(summary))
      return failure();
    decision.summary = *summary;
    decision.texts = std::exchange(memory.texts, {});
    others = std::exchange(memory.others, {});
    decision.needed = std::exchange(memory.needed, std::nullopt);
    neededAsSolved = decision.needed;
    // None that fits was found.
    if (!decision.summary && !memory.tooFull.empty())
      return success();
  }
  if (!decision.summary) {
    decision.graph->returnDonated(entry, program);
    decision.graph->deferReductions();
  }
  decision.splitsWindows = decision.graph->splitsWindows();
  // What was decided before stays. A strategy's textbook leaves open whether ranks send the sums
  // of a sparse gradient or its rows, and parameters before or after they are narrowed.
  if (!decision.isFurther && (improves || (improve && isInOrder)))
    refine(decision, others, plans, meter, improves ? RefinementScope::All : RefinementScope::Sent);
  else if (plans.getRates().capacity > 0)
    decision.needed = meter.getBytes(*decision.graph);
  decision.splitsWindows |= decision.graph->splitsWindows();
  if (solvesHere && isFoundBeside(decision, neededAsSolved, memory) &&
      failed(solveAgain(decision, std::move(*before), entry, program, plans, meter, memory)))
    return failure();
  LDBG() << "plan" << (isSolved ? ", solved" : "") << ": "
         << ProgramCost(*decision.graph).getTotal().seconds << " s, "
         << ProgramCost(*decision.graph).getTotal().bytes << " bytes, needs "
         << decision.needed.value_or(0);
  return success();
}

/// Propagates layouts, and chooses them as one problem; takes the faster plan. Where live ranges
/// are to be split first, it is the propagated one, or, of a boundary that is chosen, none.
FailureOr<Decision> PropagateLayouts::decideOnce(LayoutCache &cache, func::FuncOp entry,
                                                 ProgramAttr program, ReshardPlans &plans,
                                                 MemorySearch &memory) {
  FailureOr<Decision> propagated = propagate(cache, entry, program, plans, /*withWindows=*/true);
  if (failed(propagated))
    return failure();
  MemoryMeter meter(entry, program, cache, search);
  auto improve = [&](Decision &decision, bool isSolved) {
    return improvePlan(decision, entry, program, plans, meter, memory, isSolved);
  };
  double capacity = plans.getRates().capacity;
  // Without requests propagation leaves everything unsharded: there is nothing to compare with,
  // unless what was solved for does not fit.
  if (choosesBoundary || search.check) {
    std::optional<Decision> before;
    if (capacity > 0 && !search.check)
      before = propagated->copy();
    if (failed(improve(*propagated, /*isSolved=*/true)))
      return failure();
    if (!before || !propagated->needed || *propagated->needed <= capacity)
      return propagated;
    if (failed(improve(*before, /*isSolved=*/false)))
      return failure();
    return isBetter(*before, *propagated) ? std::move(*before) : std::move(propagated);
  }
  std::optional<Decision> solved;
  if (solves && improves)
    solved = propagated->copy();
  if (solved && failed(improve(*solved, /*isSolved=*/true)))
    return failure();
  if (solved && isProvedBest(*solved) && isBetter(*solved, *propagated))
    return std::move(*solved);
  if (failed(improve(*propagated, /*isSolved=*/false)))
    return failure();
  if (!improves)
    return propagated;
  // A problem beyond the limits of effort is decided as if it were not asked for.
  if (solved && solved->summary) {
    if (isBetter(*solved, *propagated))
      return std::move(*solved);
    propagated->takeProof(*solved);
    return propagated;
  }
  // Windows let a split of rows be carried on through the whole program, which one change after
  // the other hardly leaves.
  if (!propagated->splitsWindows)
    return propagated;
  FailureOr<Decision> without = propagate(cache, entry, program, plans, /*withWindows=*/false);
  if (failed(without) || failed(improve(*without, /*isSolved=*/false)))
    return failure();
  return isBetter(*without, *propagated) ? std::move(without) : std::move(propagated);
}

/// A tolerance of the search: tensors that together take this part of the capacity are not split.
static constexpr double ignoredPart = 1e-3;

/// Splits live ranges around operations; false: there are none to split.
static bool split(func::FuncOp entry, const OperationRanges &around, double capacity,
                  MemorySearch &memory) {
  unsigned count = splitLiveRanges(entry, around, ignoredPart * capacity);
  LDBG() << count << " live ranges split around " << around.toText();
  if (count == 0)
    return false;
  memory.splitAround = around.toText();
  return true;
}

/// Where the fastest plan does not fit the memory, tensors may be kept otherwise between their uses
/// than these take them.
FailureOr<Decision> PropagateLayouts::decideAll(LayoutCache &cache, func::FuncOp entry,
                                                ProgramAttr program, ReshardPlans &plans) {
  double capacity = plans.getRates().capacity;
  MemorySearch memory;
  if (search.check) {
    std::string around = getSplit(*search.check);
    std::optional<OperationRanges> ranges = OperationRanges::parse(around);
    if (!ranges) {
      search.check->isDone = true;
      search.check->refusal = "expected operations by number as \"3-17,20\" around which live "
                              "ranges are split, found \"" +
                              around + '"';
      return Decision();
    }
    split(entry, *ranges, capacity, memory);
    return decideOnce(cache, entry, program, plans, memory);
  }
  memory.maySplit = capacity > 0 && search.measure;
  FailureOr<Decision> whole = decideOnce(cache, entry, program, plans, memory);
  if (failed(whole) || memory.tooFull.empty())
    return whole;
  // Without a plan that fits it is as if nothing had been looked for.
  OperationRanges around(entry, std::exchange(memory.tooFull, {}));
  memory.maySplit = false;
  if (!split(entry, around, capacity, memory))
    return decideOnce(cache, entry, program, plans, memory);
  FailureOr<Decision> parts = decideOnce(cache, entry, program, plans, memory);
  if (failed(parts))
    return failure();
  if (!parts->summary) {
    // Beyond the limits of effort it is as if live ranges could not be split.
    joinLiveRanges(entry);
    memory.splitAround = "none";
    return decideOnce(cache, entry, program, plans, memory);
  }
  if (!whole->needed || isBetter(*parts, *whole))
    return parts;
  joinLiveRanges(entry);
  // A plan that splits no live range is one of the problem in which they may be split, if that
  // takes the same axes together. What was solved there is of another program.
  if (!whole->summary || (parts->summary->axesTogether == whole->summary->axesTogether &&
                          parts->summary->boundMs > whole->summary->boundMs)) {
    whole->summary = std::move(parts->summary);
    whole->texts = std::move(parts->texts);
  }
  return whole;
}

/// What is asked of the solution alone cannot be had without one.
static LogicalResult refuseUnsolved(ModuleOp module, const PlanSearch &search) {
  if (!search.check && search.problemFile.empty() && search.certificateFile.empty())
    return success();
  return module.emitError("expected layouts to be solved for, whose problem or certificate is "
                          "asked for; a strategy or a script decides them, or there is one rank");
}

static LogicalResult writeTo(StringRef path, const std::string &text, ModuleOp module) {
  if (path.empty() || text.empty())
    return success();
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &stream) {
    stream << text;
    return llvm::Error::success();
  });
  if (!error)
    return success();
  return module.emitError("cannot write '") << path << "': " << llvm::toString(std::move(error));
}

void PropagateLayouts::runOnOperation() {
  ModuleOp module = getOperation();
  ProgramAttr program = ProgramAttr::of(module);
  if (!program) {
    module.emitError("expected a module with a dmc.program");
    return signalPassFailure();
  }
  if (program.getLevel() != Level::tensor)
    return;
  FailureOr<func::FuncOp> entry = getEntryFunction(module);
  if (failed(entry) || failed(checkSignature(*entry, program)))
    return signalPassFailure();
  FailureOr<RankRates> rates = parseMachineOption(*this, module, machine);
  if (failed(rates))
    return signalPassFailure();
  // Tactics have left nothing to decide.
  if (module->removeAttr("dmc.decided")) {
    module->removeAttr("dmc.in_order");
    if (failed(refuseUnsolved(module, search)))
      return signalPassFailure();
    if (search.summary && failed(summarizeDecided(*entry, program, *rates, search)))
      return signalPassFailure();
    if (record && failed(recordDecided(*entry, program, *rates, *record)))
      return signalPassFailure();
    return removeBoundaryRequests(*entry);
  }
  if (!program.getMesh())
    program = withTrivialMesh(program);
  program = withDonatedLayouts(program);
  WalkResult foreign = entry->walk([&](ConstrainOp op) {
    if (op.getLayout().getMesh() == program.getMesh())
      return WalkResult::advance();
    op.emitOpError("expected a layout on the program's mesh ")
        << program.getMesh() << ", found " << op.getLayout();
    return WalkResult::interrupt();
  });
  if (foreign.wasInterrupted())
    return signalPassFailure();

  // A strategy means what its textbook says.
  improves = improve && !module->hasAttr("dmc.plain");
  isInOrder = bool(module->removeAttr("dmc.in_order"));
  choosesBoundary = bool(module->removeAttr("dmc.solve")) || solveBoundary;
  solves = solve || choosesBoundary;
  LayoutCache cache(program.getMesh());
  bool isSolvable = solves && improves && cache.getMesh().numRanks() > 1;
  if (!isSolvable && failed(refuseUnsolved(module, search)))
    return signalPassFailure();
  ReshardPlans plans(cache.getMesh(), *rates);
  FailureOr<Decision> decision = decideAll(cache, *entry, program, plans);
  if (failed(decision))
    return signalPassFailure();
  if (search.check)
    return;
  if (failed(writeTo(search.problemFile, decision->texts.problem, module)) ||
      failed(writeTo(search.certificateFile, decision->texts.certificate, module)))
    return signalPassFailure();
  Propagation &propagation = *decision->graph;
  if (search.summary && cache.getMesh().numRanks() > 1) {
    PlanSummary &summary = search.summary->emplace(decision->summary.value_or(PlanSummary()));
    summarize(propagation, summary);
    if (search.measure && decision->needed)
      summary.peakBytes = *decision->needed;
    summary.wasInterrupted = search.isInterrupted();
  }

  if (decision->summary && !decision->summary->axesTogether.empty()) {
    InFlightDiagnostic remark = entry->emitRemark("layouts are chosen in which axes split a "
                                                  "dimension together or not at all: ");
    llvm::interleaveComma(
        decision->summary->axesTogether, remark,
        [&](const std::vector<std::string> &axes) { remark << llvm::join(axes, " and "); });
    remark << "; with each alone the problem would exceed its limits";
  }
  if (remarks)
    for (const Node &node : propagation.getNodes())
      if (hasNoRule(node))
        node.op->emitRemark("'") << node.op->getName()
                                 << "' has no sharding rule: it needs its operands whole on "
                                    "every rank";
  if (double needed = decision->needed.value_or(0);
      rates->capacity > 0 && needed > rates->capacity) {
    InFlightDiagnostic warning =
        entry->emitWarning("expected a plan that needs at most the capacity of ")
        << static_cast<int64_t>(rates->capacity) << " bytes at once on a rank, found one that "
        << (search.measure ? "needs " : "is estimated to need ") << static_cast<int64_t>(needed);
    if (search.conflict && *search.conflict && (*search.conflict)->capacity >= rates->capacity)
      (*search.conflict)->attachTo(warning);
  }
  if (record) {
    decision->recorder->finish(*entry, plans);
    *record = std::move(*decision->notes);
    record->solved = std::move(decision->solved);
  }
  DecisionWriter(*entry, program, cache).write(propagation);
}
