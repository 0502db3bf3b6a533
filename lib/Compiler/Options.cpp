//===- Options.cpp - What a compilation can be asked for ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Compiler/Options.h"

#include "dmc/Codegen/DeviceCode.h"
#include "dmc/Codegen/SharedLibrary.h"

#include "dmc/Dialect/DMC/RuleText.h"
#include "dmc/Machine/Machine.h"

#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace dmc;
using namespace dmc::compiler;

using llvm::StringRef;

namespace {
/// A level of `--emit`.
struct EmitLevel {
  StringRef name;
  Target target;
  TextForm form = TextForm::Level;
};
} // namespace

static constexpr EmitLevel levels[] = {{"tensor", Target::Tensor},
                                       {"parallel", Target::Parallel},
                                       {"sdy", Target::Parallel, TextForm::Shardings},
                                       {"ranks", Target::Ranks},
                                       {"stablehlo", Target::Ranks, TextForm::StableHLO},
                                       {"scheduled", Target::Scheduled},
                                       {"kernels", Target::Kernels},
                                       {"ptx", Target::Device},
                                       {"llvm", Target::LLVM},
                                       {"library", Target::Library}};

static std::string parseLevel(StringRef value, Options &options) {
  for (const EmitLevel &level : levels)
    if (level.name == value) {
      options.emit = level.target;
      options.form = level.form;
      return {};
    }
  std::string problem = "in --emit: expected one of ";
  for (const EmitLevel &level : levels)
    problem += level.name.str() + ", ";
  return problem + "found '" + value.str() + "'";
}

static std::string parseRanks(StringRef value, Options &options) {
  if (value.getAsInteger(10, options.import.ranks) || options.import.ranks < 0)
    return "--ranks expects how many, found " + value.str();
  return {};
}

static std::string parseBucketBytes(StringRef value, Options &options) {
  if (value.getAsInteger(10, options.bucketBytes) || options.bucketBytes < 0 ||
      options.bucketBytes > std::numeric_limits<uint32_t>::max())
    return "--bucket-bytes expects how many, at most 4294967295, found " + value.str();
  return {};
}

static std::string parsePlanSeconds(StringRef value, Options &options) {
  double seconds = 0;
  if (value.getAsDouble(seconds) || !std::isfinite(seconds) || seconds < 0)
    return "--plan-seconds expects a number of seconds, 0 or more, found " + value.str();
  options.parallelize.search.seconds = seconds;
  return {};
}

static std::string parseMachineOption(StringRef value, Options &options) {
  options.parallelize.machine = value.str();
  std::string error;
  return parseMachine(options.parallelize.machine, error) ? std::string()
                                                          : "in --machine: " + error;
}

static std::string parseCustomCall(StringRef value, Options &options) {
  auto [name, rule] = value.split('=');
  if (name.trim().empty())
    return "--custom-call expects the name of a kernel, found '" + value.str() + "'";
  if (std::string problem = rule.trim().empty() ? "" : checkRule(rule.trim()); !problem.empty())
    return "in --custom-call: the rule of '" + name.trim().str() + "': " + problem;
  options.import.kernels.push_back(value.str());
  return {};
}

/// As LLVM's command lines read a flag.
static std::string parseFlag(StringRef name, StringRef value, bool &flag) {
  bool isOn = value.empty() || value == "1" || value.equals_insensitive("true");
  if (!isOn && value != "0" && !value.equals_insensitive("false"))
    return ("in --" + name + ": expected true or false, found '" + value + "'").str();
  flag = isOn;
  return {};
}

// How a value is kept: the text as it is, one more text of a list, or a flag.
#define DMC_TEXT(MEMBER)                                                                           \
  [](StringRef value, Options &options) {                                                          \
    options.MEMBER = value.str();                                                                  \
    return std::string();                                                                          \
  }
#define DMC_LIST(MEMBER)                                                                           \
  [](StringRef value, Options &options) {                                                          \
    options.MEMBER.push_back(value.str());                                                         \
    return std::string();                                                                          \
  }
#define DMC_FLAG(NAME, MEMBER)                                                                     \
  [](StringRef value, Options &options) { return parseFlag(NAME, value, options.MEMBER); }

static constexpr OptionGroup program = OptionGroup::Program, output = OptionGroup::Output;

static constexpr OptionInfo infos[] = {
    {"mesh", "data=4,model=2|auto:64",
     "Axes and sizes of the mesh; with auto, so many ranks are divided into the mesh on which the "
     "plan that --strategy=auto finds takes least",
     program, false, DMC_TEXT(import.mesh)},
    {"layouts", "file", "JSON file of layouts by case", program, false,
     DMC_TEXT(import.layoutsFile)},
    {"case", "name", "The case to take of --layouts", program, false, DMC_TEXT(import.layoutsCase)},
    {"machine", "file|link=1e9,latency=1e-7,flops=8e9,memory=1e12,capacity=1e9",
     "The machine for which plans are made: a file of dmc-calibrate, or rates of a rank: bytes/s "
     "that leave it, seconds a message, flops/s, bytes/s of memory; and the bytes it has",
     program, false, parseMachineOption},
    {"entry", "name", "The public function to compile, where the module has several", program,
     false, DMC_TEXT(import.entry)},
    {"ranks", "int",
     "How many ranks run a program of ranks (with collectives of its own) that does not say it",
     program, false, parseRanks},
    {"custom-call", "name[=rule]",
     "A kernel that the program calls by name and the session is given at run time, and how it "
     "may be split, as '([i, k], [k, j]) -> ([i, j]) reduction={k}'; without a rule every rank "
     "computes all of it",
     program, true, parseCustomCall},
    {"tactics", "file",
     "Transform script that says how to parallelize, or a saved plan; several are run in turn",
     program, true, DMC_LIST(parallelize.tactics)},
    {"strategy", "name[:axis=data,...]",
     "Named strategy, or several: auto (the plan of least predicted time), data_parallel, "
     "megatron, zero1, zero2, zero3, fsdp, expert_parallel, sequence_parallel, spatial",
     program, true, DMC_LIST(parallelize.strategies)},
    {"plan-seconds", "seconds",
     "End the search for a plan after this time with the best one so far (default: none, so that "
     "the plan is the same on every machine)",
     program, false, parsePlanSeconds},
    {"bucket-bytes", "N",
     "Combine small collectives into such of at most so many bytes (default 0: none)", program,
     false, parseBucketBytes},
    {"narrow-partials", "",
     "Permit partial sums of contractions with a narrow result (as bfloat16) to be rounded before "
     "they are added across ranks: fewer bytes, less precision (default: no)",
     program, false, DMC_FLAG("narrow-partials", import.narrowPartials)},
    {"target-cpu", "name",
     "The processor to compile for, as LLVM names it (x86-64-v3 for a cluster; default: this "
     "machine's)",
     program, false, DMC_TEXT(targetCpu)},
    {"target", "cuda:sm_90a[+sm_80]",
     "The device to compile for instead of a processor, or several of one kind", program, false,
     DMC_TEXT(target)},
    {"o", "file", "Where to write the library, or the text", output, false, DMC_TEXT(output)},
    {"emit", "level",
     "Stop at a level and write its text: tensor (after import), parallel (layouts and moves), sdy "
     "(the same plan as shardings of Shardy on the StableHLO program), ranks (what each rank "
     "does), "
     "stablehlo (the same as a StableHLO program with collectives), scheduled (kernels and "
     "buffers), kernels (the loop nests of "
     "kernels and their plans), ptx (the kernels of a device, for each chip), llvm (the LLVM "
     "dialect); or library, a shared library (default)",
     output, false, parseLevel},
    {"report", "file",
     "Where to write what the program moves, needs and took to compile, as JSON; of a text "
     "(--emit), what the plan predicts",
     output, false, DMC_TEXT(report)},
    {"save-plan", "file", "Where to write the decided layouts, for --tactics", output, false,
     DMC_TEXT(parallelize.savePlan)},
    {"save-problem", "file", "Where to write the choice of layouts as a problem, as text", output,
     false, DMC_TEXT(parallelize.search.problemFile)},
    {"save-certificate", "file",
     "Where to write the plan with what proves its bound, which dmc-check-plan checks", output,
     false, DMC_TEXT(parallelize.search.certificateFile)},
    {"verify-each", "", "Verify after every pass, not only after every stage", output, false,
     DMC_FLAG("verify-each", verifyEach)},
    {"no-threads", "", "Compile on one thread", output, false, DMC_FLAG("no-threads", noThreads)},
    {"linker", "file", "The linker to call (ld.lld or ld)", output, false, DMC_TEXT(linker)},
    {"cache-dir", "folder",
     "Keep object code in this folder, and take what was compiled before from it (default: "
     "DMC_CACHE_DIR, else nothing is kept)",
     output, false, DMC_TEXT(cacheDir)},
};
#undef DMC_TEXT
#undef DMC_LIST
#undef DMC_FLAG

llvm::ArrayRef<OptionInfo> compiler::getOptionInfos() { return infos; }

/// The names in one sentence, and the one that was probably meant.
static std::string refuseName(StringRef name) {
  std::string problem = "unknown option '" + name.str() + "'";
  // More changes than half of the letters make any name of any other.
  unsigned least = name.size() / 2 + 1;
  StringRef nearest;
  for (const OptionInfo &info : infos)
    if (unsigned distance = name.edit_distance(info.name); distance < least) {
      least = distance;
      nearest = info.name;
    }
  if (!nearest.empty())
    return problem + "; did you mean '" + nearest.str() + "'?";
  problem += "; expected one of ";
  llvm::raw_string_ostream os(problem);
  llvm::interleaveComma(infos, os, [&](const OptionInfo &info) { os << info.name; });
  return problem;
}

std::string compiler::setOption(Options &options, StringRef name, StringRef value) {
  for (const OptionInfo &info : infos) {
    if (info.name != name)
      continue;
    if (!options.given.insert(name).second && !info.isList)
      return "--" + name.str() + " is given twice";
    return info.parse(value, options);
  }
  return refuseName(name);
}

std::string compiler::checkProgramOptions(const Options &options) {
  if (options.import.layoutsFile.empty() != options.import.layoutsCase.empty())
    return "--layouts and --case need each other";
  if (!options.target.empty() && !options.targetCpu.empty())
    return "--target names a device and --target-cpu a processor: expected one of them";
  if (!options.target.empty())
    if (std::string problem = checkDeviceTarget(options.target); !problem.empty())
      return "in --target: " + problem;
  if (std::string problem = checkTargetCpu(options.targetCpu); !problem.empty())
    return "in --target-cpu: " + problem;
  return {};
}
