//===- RuleCheck.cpp - Sharding rules against the interpreter -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which combinations of layouts are tried, and what is found.
//
//===----------------------------------------------------------------------===//
#include "dmc/RuleCheck/RuleCheck.h"

#include "Candidates.h"
#include "Evaluator.h"

#include "dmc/Dialect/DMC/CustomCall.h"
#include "dmc/Parallelize/Verify.h"
#include "dmc/Pipelines/Pipelines.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

#include <random>

using namespace mlir;
using namespace dmc;
using namespace dmc::rulecheck;

namespace {
/// One function on one mesh.
class Checker {
public:
  Checker(const Instance &instance, const Mesh &mesh, const Options &options, Report &report)
      : instance(instance), mesh(mesh), meshAttr(MeshAttr::get(instance.op->getContext(), mesh)),
        options(options), report(report),
        evaluator(instance, meshAttr, options.seed, options.interpreter) {}
  LogicalResult run();

private:
  struct Tried {
    std::vector<Layouts> accepted;
    std::vector<std::pair<Layouts, std::string>> rejected; // and what the verifier says
  };

  std::vector<std::vector<Layout>> getLists(ArrayRef<AxisRef> atoms) const;
  /// What the verifier says; empty if it accepts.
  std::string verify(const Layouts &layouts);
  void tryLayouts(Layouts layouts, Tried &tried);
  /// All combinations, or those that single axes' combinations give together.
  Tried tryAll(ArrayRef<AxisRef> atoms, bool &isComplete);
  void tryMerged(ArrayRef<AxisRef> atoms, Tried &tried);
  LogicalResult checkAccepted(const Layouts &layouts, bool lowers);
  void checkRejected(Tried &tried);
  bool isExplained(const Layouts &layouts, const std::vector<Layouts> &accepted) const;
  bool hasConstantPartials(const Layouts &layouts) const;
  void add(Finding::Kind kind, const Layouts &layouts, std::string detail);

  const Instance &instance;
  const Mesh &mesh;
  MeshAttr meshAttr;
  const Options &options;
  Report &report;
  Evaluator evaluator;
};
} // namespace

std::vector<std::vector<Layout>> Checker::getLists(ArrayRef<AxisRef> atoms) const {
  std::vector<std::vector<Layout>> lists;
  for (const Group &group : instance.groups)
    lists.push_back(getLayouts(group.type, atoms));
  return lists;
}

std::string Checker::verify(const Layouts &layouts) {
  OwningOpRef<ModuleOp> module = makeProgram(instance, meshAttr, layouts);
  FirstError error(module->getContext());
  return succeeded(verifyParallel(*module)) ? std::string() : error.text;
}

void Checker::tryLayouts(Layouts layouts, Tried &tried) {
  ++report.tried;
  std::string refusal = verify(layouts);
  if (refusal.empty())
    tried.accepted.push_back(std::move(layouts));
  else
    tried.rejected.emplace_back(std::move(layouts), std::move(refusal));
}

void Checker::tryMerged(ArrayRef<AxisRef> atoms, Tried &tried) {
  std::vector<std::vector<Layouts>> byAtom;
  size_t count = 1;
  for (const AxisRef &atom : atoms) {
    std::vector<Layouts> &accepted = byAtom.emplace_back();
    auto tryOne = [&](Layouts layouts) {
      ++report.tried;
      if (verify(layouts).empty())
        accepted.push_back(std::move(layouts));
    };
    if (!forEachCombination(getLists(atom), options.maxTried, options.seed, tryOne))
      llvm::for_each(getLayoutsOfRule(instance, atom), tryOne);
    count = count > options.maxTried ? count : count * accepted.size();
  }
  std::mt19937_64 random(options.seed);
  for (size_t i = 0; i < std::min(count, options.maxTried); ++i) {
    size_t rest = i;
    std::optional<Layouts> inOrder, reversed;
    for (const std::vector<Layouts> &accepted : byAtom) {
      size_t digit =
          count > options.maxTried ? (random() >> 8) % accepted.size() : rest % accepted.size();
      rest /= accepted.size();
      const Layouts &next = accepted[digit];
      if (!inOrder) {
        inOrder = reversed = next;
        continue;
      }
      for (size_t group = 0; group < next.size() && inOrder; ++group) {
        std::optional<Layout> a = merge((*inOrder)[group], next[group]);
        std::optional<Layout> b = merge(next[group], (*reversed)[group]);
        if (!a) {
          inOrder.reset();
          break;
        }
        (*inOrder)[group] = *a;
        (*reversed)[group] = *b;
      }
      if (!inOrder)
        break;
    }
    if (!inOrder)
      continue;
    bool isSame = *inOrder == *reversed;
    tryLayouts(std::move(*inOrder), tried);
    if (!isSame)
      tryLayouts(std::move(*reversed), tried);
  }
}

Checker::Tried Checker::tryAll(ArrayRef<AxisRef> atoms, bool &isComplete) {
  Tried tried;
  std::vector<std::vector<Layout>> lists = getLists(atoms);
  size_t count = 1;
  for (const std::vector<Layout> &list : lists)
    count = count > options.maxTried ? count : count * list.size();
  isComplete = count <= options.maxTried;
  if (!isComplete && atoms.size() > 1)
    tryMerged(atoms, tried);
  if (!isComplete && atoms.size() == 1)
    for (Layouts &layouts : getLayoutsOfRule(instance, atoms.front()))
      tryLayouts(std::move(layouts), tried);
  // The verifier may accept what no combination of single axes gives.
  size_t limit = isComplete || atoms.size() == 1 ? options.maxTried : options.maxTried / 10;
  forEachCombination(lists, limit, options.seed,
                     [&](Layouts layouts) { tryLayouts(std::move(layouts), tried); });
  return tried;
}

/// Without digits and names of axes: what findings are told apart by.
static std::string generalize(StringRef text) {
  std::string result;
  bool isQuoted = false;
  for (char c : text.take_until([](char c) { return c == '\n'; })) {
    if (c == '"')
      isQuoted = !isQuoted;
    if (!isQuoted && !llvm::isDigit(c))
      result += c;
  }
  return result;
}

void Checker::add(Finding::Kind kind, const Layouts &layouts, std::string detail) {
  std::string text, axes = toString(mesh);
  llvm::raw_string_ostream os(text);
  for (auto [i, group, layout] : llvm::enumerate(instance.groups, layouts))
    os << (i ? "; " : "") << group.name << ": " << toString(mesh, layout);
  std::string general = generalize(detail);
  for (Finding &finding : report.findings)
    if (finding.kind == kind && finding.mesh == axes && generalize(finding.detail) == general) {
      ++finding.count;
      return;
    }
  report.findings.push_back({kind, axes, std::move(text), std::move(detail), 1});
}

LogicalResult Checker::checkAccepted(const Layouts &layouts, bool lowers) {
  OwningOpRef<ModuleOp> module = makeProgram(instance, meshAttr, layouts);
  std::string why;
  {
    FirstError error(module->getContext());
    if (failed(mlir::verify(*module))) {
      add(Finding::Kind::Wrong, layouts, "not valid: " + error.text);
      return success();
    }
  }
  bool hasPartials = llvm::any_of(layouts, [](const Layout &l) { return !l.partial.empty(); });
  unsigned rounds = hasPartials ? 4 : 1;
  Verdict verdict = evaluator.judge(*module, layouts, rounds, why);
  if (verdict == Verdict::NoReference) {
    // Partial values may be outside of the domain of the function; unsharded arguments are not.
    if (hasPartials)
      return success();
    return instance.op->emitError(why);
  }
  if (verdict == Verdict::Wrong)
    add(Finding::Kind::Wrong, layouts, why);
  if (verdict == Verdict::Wrong || !lowers)
    return success();
  ++report.lowered;
  PassManager pm(module->getContext());
  buildToRanksPipeline(pm);
  {
    FirstError error(module->getContext());
    if (failed(pm.run(*module))) {
      add(Finding::Kind::Refused, layouts, error.text);
      return success();
    }
  }
  if (evaluator.judge(*module, layouts, rounds, why) == Verdict::Wrong)
    add(Finding::Kind::WrongRank, layouts, why);
  return success();
}

/// True if accepted layouts are reached by moves of no traffic: arguments before the
/// operation, results after it.
bool Checker::isExplained(const Layouts &layouts, const std::vector<Layouts> &accepted) const {
  return llvm::any_of(accepted, [&](const Layouts &other) {
    for (auto [group, wanted, has] : llvm::zip_equal(instance.groups, layouts, other)) {
      // A constant has any layout.
      if (!group.isArgument && !group.isProduced)
        continue;
      if (group.isArgument && !becomesLocally(wanted, has))
        return false;
      if (group.isProduced && !becomesLocally(has, wanted))
        return false;
    }
    return true;
  });
}

/// True if a constant is partial: what is right then tells about its value.
bool Checker::hasConstantPartials(const Layouts &layouts) const {
  for (auto [group, layout] : llvm::zip_equal(instance.groups, layouts))
    if (!group.isArgument && !group.isProduced &&
        !(layout.partial.empty() && layout.placed.empty()))
      return true;
  return false;
}

/// How many axes have a state other than replicated.
static size_t getNumStates(const Layouts &layouts) {
  size_t count = 0;
  for (const Layout &layout : layouts) {
    count += layout.partial.size() + layout.placed.size();
    for (const auto &axes : layout.dims)
      count += axes.size();
  }
  return count;
}

void Checker::checkRejected(Tried &tried) {
  // The simplest first: what is right with more axes follows from it.
  llvm::stable_sort(tried.rejected, [](const auto &a, const auto &b) {
    return getNumStates(a.first) < getNumStates(b.first);
  });
  std::vector<Layouts> explaining = tried.accepted;
  for (const auto &[layouts, refusal] : tried.rejected) {
    if (hasConstantPartials(layouts) || isExplained(layouts, explaining))
      continue;
    OwningOpRef<ModuleOp> module = makeProgram(instance, meshAttr, layouts);
    std::string why;
    // Many inputs: few tell an infinite partial value from a finite one.
    if (evaluator.judge(*module, layouts, /*rounds=*/200, why) != Verdict::Right)
      continue;
    add(Finding::Kind::Missing, layouts, refusal);
    explaining.push_back(layouts);
  }
}

LogicalResult Checker::run() {
  // A kernel is called only as its rule says.
  mlir::func::FuncOp function = instance.function;
  bool hasKernel = !function.getBody().getOps<CustomCallOp>().empty();
  for (const std::vector<AxisRef> &atoms : getAtoms(mesh)) {
    bool isComplete = false;
    Tried tried = tryAll(atoms, isComplete);
    report.accepted += tried.accepted.size();
    std::mt19937_64 random(options.seed);
    std::shuffle(tried.accepted.begin(), tried.accepted.end(), random);
    bool isSingle = atoms.size() == 1;
    size_t limit =
        isSingle ? tried.accepted.size() : std::min(tried.accepted.size(), options.maxEvaluated);
    for (size_t i = 0; i < limit; ++i)
      if (failed(checkAccepted(tried.accepted[i], /*lowers=*/i < options.maxLowered)))
        return failure();
    if (options.findMissing && isComplete && !hasKernel)
      checkRejected(tried);
  }
  return success();
}

LogicalResult rulecheck::checkInstance(func::FuncOp function, const Mesh &mesh,
                                       const Options &options, Report &report) {
  FailureOr<Instance> instance = getInstance(function);
  if (failed(instance))
    return failure();
  report.op = getCheckedOp(function);
  return Checker(*instance, mesh, options, report).run();
}
