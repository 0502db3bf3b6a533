//===- dmc-solve-layouts.cpp - Solves textual layout problems -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a problem of docs/planner-problem.md and prints a plan with a lower bound, or checks a plan
// that was saved.
//
//===----------------------------------------------------------------------===//
#include "Report.h"

#include "dmc/Runtime/Report.h"
#include "dmc/Solver/Solver.h"
#include "dmc/Support/Files.h"
#include "dmc/Support/Progress.h"
#include "dmc/Support/VersionPrinter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <csignal>
#include <cstdio>

using namespace dmc;
using namespace dmc::planner;
namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-solve-layouts: solves the choice of layouts, stated as a problem

Reads a problem in the form of docs/planner-problem.md and prints the best plan that it finds, a lower bound of
all plans and the gap between the two. The certificate that --certificate writes has the plan and what proves the
bound; --check recomputes both from it, without the solver. Ctrl-C ends the search with the best plan so far, a
second one ends the tool. For instance:

  dmc-solve-layouts step.layouts --gap=0.01 --certificate=step.plan
  dmc-solve-layouts step.layouts --check=step.plan
  dmc-solve-layouts step.layouts --start=step.plan --seconds=60 --json

Exit codes: 0 with a plan, 1 for wrong input, 2 if there is no plan or none was found.
)";

static cl::OptionCategory category("dmc-solve-layouts options");
static cl::opt<std::string> input(cl::Positional, cl::value_desc("file"),
                                  cl::desc("PROBLEM, or - for the standard input"),
                                  cl::cat(category));
static cl::opt<std::string>
    gap("gap", cl::value_desc("share"), cl::cat(category),
        cl::desc("End once (cost - bound) / cost is no more than this, 0.01 "
                 "for instance (default: 0)"));
static cl::opt<std::string> limitSeconds("seconds", cl::value_desc("S"), cl::cat(category),
                                         cl::desc("End after this time (default: none)"));
static cl::opt<std::string>
    iterations("iterations", cl::value_desc("N"), cl::cat(category),
               cl::desc("Passes of messages over all variables, at most (default: 1000)"));
static cl::opt<std::string> solverName(
    "solver", cl::init("best"), cl::value_desc("best|highs|cbc|own|none"), cl::cat(category),
    cl::desc("Of integer programs, for what messages and elimination leave, at most a minute "
             "(default: best, the first that is installed)"));
static cl::opt<std::string> certificate("certificate", cl::value_desc("file"), cl::cat(category),
                                        cl::desc("Write the plan and what proves the bound"));
static cl::opt<std::string> startFile("start", cl::value_desc("file"), cl::cat(category),
                                      cl::desc("Start from the plan of a certificate"));
static cl::opt<std::string>
    checkFile("check", cl::value_desc("file"), cl::cat(category),
              cl::desc("Recompute cost and bound of a certificate, and solve nothing"));
static cl::opt<bool> asJson("json", cl::cat(category), cl::desc("Print JSON"));

static volatile std::sig_atomic_t isInterrupted = 0;

static int fail(const std::string &why) {
  std::fprintf(stderr, "dmc-solve-layouts: error: %s\n", why.c_str());
  return 1;
}

static std::string describe(llvm::StringRef file, const TextError &error) {
  return (file == "-" ? "standard input" : file.str()) + ":" + std::to_string(error.line) + ":" +
         std::to_string(error.column) + ": " + error.message;
}

static std::unique_ptr<llvm::MemoryBuffer> read(const std::string &file, std::string &error) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file, /*IsText=*/true);
  if (!buffer) {
    error = "cannot read '" + file + "': " + buffer.getError().message();
    return nullptr;
  }
  return std::move(*buffer);
}

static std::optional<LayoutProblem> readProblem(std::string &error) {
  auto text = read(input, error);
  if (!text)
    return std::nullopt;
  std::vector<TextError> errors;
  auto problem = parseProblem(text->getBuffer(), errors);
  if (!problem)
    error = describe(input, errors[0]);
  if (errors.size() > 1)
    error += " (and " + std::to_string(errors.size() - 1) + " more)";
  return problem;
}

static std::optional<SavedPlan> readPlan(const LayoutProblem &problem, const std::string &file,
                                         std::string &error) {
  auto text = read(file, error);
  if (!text)
    return std::nullopt;
  TextError wrong;
  auto plan = parsePlan(problem, text->getBuffer(), wrong);
  if (!plan)
    error = describe(file, wrong);
  return plan;
}

/// What is wrong with the options, or nothing.
static std::string readOptions(SolveOptions &options) {
  if (input.empty())
    return "expected the file of a problem";
  if (!checkFile.empty())
    for (const auto *other : {&certificate, &startFile, &gap, &limitSeconds, &iterations})
      if (!other->empty())
        return "--check solves nothing: --" + other->ArgStr.str() + " has no meaning with it";
  if (!gap.empty() && (!llvm::to_float(gap.getValue(), options.gap) || !(options.gap >= 0)))
    return "--gap expects a share of at least 0, found '" + gap + "'";
  if (!limitSeconds.empty() &&
      (!llvm::to_float(limitSeconds.getValue(), options.seconds) || !(options.seconds >= 0)))
    return "--seconds expects a time of at least 0, found '" + limitSeconds + "'";
  if (!iterations.empty() &&
      (!llvm::to_integer(iterations.getValue(), options.iterations) || options.iterations < 0))
    return "--iterations expects a number of at least 0, found '" + iterations + "'";
  options.solver = solverName;
  std::string error;
  if (options.solver != "none" && !solver::makeSolver(options.solver, error))
    return "in --solver: " + error;
  if (!certificate.empty())
    return support::checkWritable(certificate);
  options.keepCertificate = true;
  return "";
}

static int check(const LayoutProblem &problem) {
  std::string error;
  auto plan = readPlan(problem, checkFile, error);
  if (!plan)
    return fail(error);
  support::Progress progress("dmc-solve-layouts", "checking " + checkFile);
  CheckedCertificate checked = checkCertificate(problem, plan->certificate, plan->assignment);
  if (checked.error.empty())
    checked.error = checkStated(*plan, checked);
  if (!checked.error.empty())
    return fail(checkFile + ": " + checked.error);
  asJson ? printJson(problem, checked, llvm::outs()) : printText(problem, checked, llvm::outs());
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerVersionPrinter();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  for (int number : {SIGHUP, SIGINT, SIGTERM})
    std::signal(number, [](int again) {
      isInterrupted = 1;
      std::signal(again, SIG_DFL);
    });
  SolveOptions options;
  if (std::string wrong = readOptions(options); !wrong.empty())
    return fail(wrong);
  std::string error;
  auto problem = readProblem(error);
  if (!problem)
    return fail(error);
  if (!checkFile.empty())
    return check(*problem);
  if (!startFile.empty()) {
    auto plan = readPlan(*problem, startFile, error);
    if (!plan)
      return fail(error);
    if (std::string wrong = problem->check(plan->assignment); !wrong.empty())
      return fail(startFile + ": " + wrong);
    options.start = plan->assignment;
  }
  support::ProgressLine line("dmc-solve-layouts");
  std::string progress = "solving " + problem->parts().name;
  options.onProgress = [&](const SolveProgress &now) {
    if (line.isDue())
      progress = "solving " + problem->parts().name + ": iteration " +
                 std::to_string(now.iterations) +
                 (now.cost == infeasible ? ", no plan yet" : ", gap " + percentText(now.gap));
    line.show(progress);
  };
  options.isInterrupted = [&] {
    line.show(progress);
    return isInterrupted != 0;
  };
  Solution solution = solve(*problem, options);
  line.clear();
  if (!solution.solverError.empty())
    std::fprintf(stderr, "dmc-solve-layouts: warning: solved without an integer program: %s\n",
                 solution.solverError.c_str());
  if (!certificate.empty()) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    SavedPlan plan{solution.assignment, solution.certificate};
    plan.setStated(solution.cost, solution.certifiedBound);
    printPlan(*problem, plan, stream);
    if (auto why = runtime::writeFileAtomically(certificate, text))
      return fail(*why);
  }
  asJson ? printJson(*problem, solution, llvm::outs())
         : printText(*problem, solution, llvm::outs());
  return solution.assignment.empty() && problem->getNumVariables() > 0 ? 2 : 0;
}
