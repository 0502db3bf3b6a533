//===- dmc-check-plan.cpp - Checks what is stated of a plan ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a program, and the certificate, the plan and the report that dmc-compile wrote of it, and
// recomputes what they state. Nothing is searched.
//
//===----------------------------------------------------------------------===//
#include "Stated.h"

#include "dmc/Compiler/CommandLine.h"
#include "dmc/Compiler/Compiler.h"
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Machine/Machine.h"
#include "dmc/Pipelines/Driver.h"
#include "dmc/Support/VersionPrinter.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace dmc;
namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-check-plan: checks the certificate of a plan against its program

States the choice of layouts of a program as a problem again, with the options with which it was compiled, and
recomputes from the certificate what the plan costs, the bound below which no plan is, what memory it needs, and
the problem's fingerprint, with none of the code that found the plan. What is not as it is stated is refused with
one message. Options that do not concern the plan are accepted and change nothing. For instance:

  dmc-compile step.mlir --mesh data=4 --strategy auto -o step.so --save-certificate=step.certificate \
      --save-plan=plan.mlir --report=report.json
  dmc-check-plan step.mlir --mesh data=4 --strategy auto --certificate=step.certificate
  dmc-check-plan step.mlir --mesh data=4 --strategy auto --certificate=step.certificate \
      --plan=plan.mlir --report=report.json

Exit codes: 0 if all is as stated, else 1.
)";

static cl::OptionCategory programCategory("The program, as dmc-compile was given it");
static cl::OptionCategory category("What is checked, and how it is said");
static cl::opt<std::string> input(cl::Positional, cl::init("-"), cl::cat(programCategory),
                                  cl::desc("<program at level 0 or before, - for standard input>"));
static compiler::CommandLine commandLine({{compiler::OptionGroup::Program, programCategory}});
static cl::opt<std::string>
    certificateFile("certificate", cl::value_desc("file"), cl::cat(category),
                    cl::desc("What --save-certificate of dmc-compile wrote (required)"));
static cl::opt<std::string>
    planFile("plan", cl::value_desc("file"), cl::cat(category),
             cl::desc("What --save-plan wrote: its time, memory and collectives are predicted "
                      "again, and with a capacity its buffers are placed"));
static cl::opt<std::string>
    reportFile("report", cl::value_desc("file"), cl::cat(category),
               cl::desc("What --report wrote: its \"plan\" is compared; what it says of the plan "
                        "that was taken needs --plan"));
static cl::opt<bool> asJson("json", cl::cat(category), cl::desc("Print JSON"));

static int fail(const Twine &message) {
  llvm::errs() << "dmc-check-plan: error: " << message << "\n";
  return EXIT_FAILURE;
}

static std::string read(const std::string &file, std::string &text) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return "cannot read '" + file + "': " + buffer.getError().message();
  text = (*buffer)->getBuffer().str();
  return {};
}

/// What is wrong with the options, or nothing.
static std::string checkArguments(compiler::Options &options) {
  if (std::string problem = commandLine.apply(options); !problem.empty())
    return problem;
  if (certificateFile.empty())
    return "expected --certificate with the file that dmc-compile --save-certificate wrote";
  return compiler::checkProgramOptions(options);
}

namespace {
/// All that was found out.
struct Findings {
  PlanCheck certificate;
  /// Of the saved plan.
  std::optional<PlanSummary> saved;
  bool hasReport = false;
};
} // namespace

/// Prices the saved plan, which says all layouts, and where memory is bounded places its buffers.
static LogicalResult checkSavedPlan(const compiler::Options &options, ModuleOp module,
                                    StageObserver &observer, Findings &findings) {
  std::string error;
  std::optional<Machine> machine = parseMachine(options.parallelize.machine, error);
  ParallelizeOptions parallelize;
  parallelize.machine = options.parallelize.machine;
  parallelize.tactics = {planFile};
  parallelize.search.solves = false;
  parallelize.search.summary = &findings.saved;
  bool isBounded = machine && machine->device.capacityBytes > 0;
  Stages stages(isBounded ? Target::Scheduled : Target::Parallel, options.import, &observer,
                parallelize);
  stages.bucketBytes = options.bucketBytes;
  stages.targetCpu = options.targetCpu;
  stages.targetDevice = options.target;
  return stages.run(module);
}

/// Those with the least room.
static void printFullestRows(std::vector<PlanCheck::Row> rows) {
  constexpr size_t maxRows = 5;
  llvm::stable_sort(rows, [](const PlanCheck::Row &a, const PlanCheck::Row &b) {
    return a.capacity - a.bytes < b.capacity - b.bytes;
  });
  for (const PlanCheck::Row &row : llvm::ArrayRef(rows).take_front(maxRows))
    llvm::outs() << "row         " << row.name << ": " << row.bytes << " of " << row.capacity
                 << " bytes\n";
  if (rows.size() > maxRows)
    llvm::outs() << "            and " << rows.size() - maxRows << " with more room\n";
}

/// Lists of thousands of operations around which live ranges are split are for `--json`.
static std::string shorten(llvm::StringRef list) {
  constexpr size_t most = 100;
  if (list.size() <= most)
    return list.str();
  llvm::StringRef head = list.take_front(most).rsplit(',').first;
  return (head + ", and " + llvm::Twine(list.drop_front(head.size()).count(',')) + " more").str();
}

static void printText(const Findings &findings) {
  llvm::raw_ostream &os = llvm::outs();
  const PlanCheck &certificate = findings.certificate;
  double costMs = 1e3 * certificate.costSeconds, boundMs = 1e3 * certificate.boundSeconds;
  auto percent = [](double share) { return llvm::format("%.3g %%", share * 100); };
  for (const auto &[name, value] : certificate.about)
    if (name != "problem")
      os << llvm::format("%-12s", name.c_str()) << (name == "split" ? shorten(value) : value)
         << "\n";
  os << "problem     " << certificate.numVariables << " variables, " << certificate.numStates
     << " states, " << certificate.numPairs << " pairs, " << certificate.rows.size()
     << " rows of memory; fingerprint " << certificate.fingerprint << "\n";
  os << "certificate plan of " << llvm::format("%.6g", costMs) << " ms, no plan below "
     << llvm::format("%.6g", boundMs) << " ms, gap " << percent(getGap(costMs, boundMs)) << "\n";
  os << "peak        " << certificate.peakBytes << " bytes";
  if (certificate.limitBytes)
    os << " by the buffers, of " << certificate.limitBytes << "\n";
  else
    os << " by the estimate\n";
  printFullestRows(certificate.rows);
  if (findings.saved)
    os << "saved plan  " << llvm::format("%.6g", findings.saved->predictedMs) << " ms, "
       << static_cast<int64_t>(findings.saved->peakBytes) << " bytes by the "
       << (certificate.limitBytes ? "buffers" : "estimate") << ", gap "
       << percent(getGap(findings.saved->predictedMs, boundMs)) << "\n";
  if (findings.hasReport)
    os << (findings.saved ? "report      as stated\n"
                          : "report      as stated; what it says of the plan's time and memory is "
                            "checked with --plan\n");
}

static void printJson(const Findings &findings) {
  const PlanCheck &certificate = findings.certificate;
  llvm::json::OStream os(llvm::outs(), /*IndentSize=*/2);
  os.object([&] {
    for (const auto &[name, value] : certificate.about)
      if (name != "problem")
        os.attribute(name, llvm::json::fixUTF8(value));
    os.attribute("fingerprint", certificate.fingerprint);
    os.attribute("variables", certificate.numVariables);
    os.attribute("states", certificate.numStates);
    os.attribute("pairs", certificate.numPairs);
    os.attribute("cost_ps", 1e12 * certificate.costSeconds);
    os.attribute("bound_ps", 1e12 * certificate.boundSeconds);
    os.attribute("gap", getGap(certificate.costSeconds, certificate.boundSeconds));
    os.attribute("peak_bytes", certificate.peakBytes);
    os.attribute("limit_bytes", certificate.limitBytes);
    os.attributeArray("rows", [&] {
      for (const PlanCheck::Row &row : certificate.rows)
        os.object([&] {
          os.attribute("name", row.name);
          os.attribute("bytes", row.bytes);
          os.attribute("capacity_bytes", row.capacity);
        });
    });
    if (findings.saved)
      os.attributeObject("saved_plan", [&] {
        os.attribute("predicted_ms", findings.saved->predictedMs);
        os.attribute("peak_bytes", static_cast<int64_t>(findings.saved->peakBytes));
        os.attribute("gap", getGap(findings.saved->predictedMs, 1e3 * certificate.boundSeconds));
      });
    os.attribute("report_checked", findings.hasReport);
  });
  llvm::outs() << "\n";
}

/// Refuses a report that says something else.
static std::string checkReportFile(const std::string &text, Findings &findings) {
  llvm::Expected<llvm::json::Value> report = llvm::json::parse(text);
  if (!report)
    return llvm::toString(report.takeError());
  std::string problem;
  const llvm::json::Object *plan = getPlan(*report, problem);
  findings.hasReport = true;
  return plan ? checkReport(*plan, findings.certificate, findings.saved) : problem;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  registerVersionPrinter();
  cl::HideUnrelatedOptions({&programCategory, &category});
  cl::ParseCommandLineOptions(argc, argv, overview);
  compiler::Options options;
  if (std::string problem = checkArguments(options); !problem.empty())
    return fail(problem);
  Findings findings;
  std::string report;
  if (std::string problem = read(certificateFile, findings.certificate.certificate);
      !problem.empty())
    return fail(problem);
  if (!reportFile.empty())
    if (std::string problem = read(reportFile, report); !problem.empty())
      return fail(problem);

  DialectRegistry registry;
  compiler::registerEverything(registry);
  MLIRContext context(registry);
  ProgramText text;
  if (std::string problem = text.open(input, context); !problem.empty())
    return fail(problem);
  Speaker speaker("dmc-check-plan");
  ParallelizeOptions parallelize = options.parallelize;
  parallelize.search.check = &findings.certificate;
  Stages stages(Target::Parallel, options.import, &speaker, parallelize);
  OwningOpRef<ModuleOp> module = stages.parse(text.getSources(), context);
  if (!module)
    return EXIT_FAILURE;
  if (ProgramAttr program = ProgramAttr::of(*module);
      program && program.getLevel() != Level::tensor)
    return fail("the program is at level '" + stringifyLevel(program.getLevel()) +
                "' already: expected one whose layouts are still to be chosen");
  OwningOpRef<ModuleOp> copy = planFile.empty() ? OwningOpRef<ModuleOp>() : module->clone();
  if (failed(stages.run(*module)))
    return EXIT_FAILURE;
  if (!findings.certificate.isDone)
    return fail("the program has no layouts to choose: expected one without ranks of its own or "
                "decisions, on several ranks");
  if (!findings.certificate.refusal.empty())
    return fail(certificateFile + ": " + findings.certificate.refusal);
  if (copy && failed(checkSavedPlan(options, *copy, speaker, findings)))
    return EXIT_FAILURE;
  if (copy && !findings.saved)
    return fail(planFile + ": expected a plan that decides all layouts, as --save-plan writes it");
  if (!reportFile.empty())
    if (std::string problem = checkReportFile(report, findings); !problem.empty())
      return fail(reportFile + ": " + problem);
  asJson ? printJson(findings) : printText(findings);
  return EXIT_SUCCESS;
}
