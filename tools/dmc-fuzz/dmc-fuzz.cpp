//===- dmc-fuzz.cpp - Random programs, damaged texts ----------------------===//
//
// Compiles and runs random programs and compares with the interpreter; or damages
// texts and expects a diagnostic, never a crash.
//
//===----------------------------------------------------------------------===//
#include "Generator.h"
#include "Mutator.h"
#include "Workers.h"

#include "dmc/Codegen/SharedLibrary.h"
#include "dmc/Pipelines/InitAll.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

#include <cstdio>
#include <map>
#include <thread>

using namespace dmc;
using namespace dmc::fuzz;

namespace cl = llvm::cl;

static cl::OptionCategory category("dmc-fuzz");
static cl::opt<unsigned> programs("programs", cl::init(100), cl::cat(category),
                                  cl::desc("How many programs to make (100)"));
static cl::opt<uint64_t> seed("seed", cl::init(1), cl::cat(category),
                              cl::desc("Seed of the first; each has its own, one more (1)"));
static cl::opt<std::string> mutateFolder("mutate", cl::value_desc("folder"), cl::cat(category),
                                         cl::desc("Damage the .mlir files of a folder instead"));
static cl::opt<unsigned> mutations("count", cl::init(100), cl::cat(category),
                                   cl::desc("How many damaged texts to try (100)"));
static cl::opt<bool> print("print", cl::cat(category),
                           cl::desc("Print the text of --seed, and do nothing else"));
static cl::opt<bool> listRefused("list-refused", cl::cat(category),
                                 cl::desc("Print every refusal with its seed"));
static cl::opt<unsigned> jobs("jobs", cl::init(0), cl::cat(category),
                              cl::desc("Processes at a time (0: as many as cores)"));
static cl::opt<double> timeout("timeout", cl::init(60), cl::cat(category),
                               cl::value_desc("seconds"), cl::desc("Longest time for one (60)"));

static int fail(const std::string &why) {
  std::fprintf(stderr, "dmc-fuzz: error: %s\n", why.c_str());
  return 1;
}

/// A reason without names and numbers: what refusals are counted by.
static std::string generalize(const std::string &reason) {
  std::string result;
  for (size_t i = 0; i < reason.size(); ++i) {
    char quote = reason[i];
    size_t end = quote == '"' || quote == '\'' ? reason.find(quote, i + 1) : std::string::npos;
    if (end != std::string::npos) {
      result += "'...'";
      i = end;
    } else if (!llvm::isDigit(quote)) {
      result += quote;
    } else if (result.empty() || result.back() != '#') {
      result += '#';
    }
  }
  return result;
}

int main(int argc, char **argv) {
  // Without LLVM's handlers, which print stacks: a crash is told in one line.
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Tries dmc on random programs and damaged texts\n");

  if (!(timeout > 0))
    return fail("--timeout expects a positive number");
  bool isMutating = mutateFolder.getNumOccurrences() > 0;
  std::string error;
  std::vector<std::string> texts;
  if (isMutating && (texts = readTexts(mutateFolder, error)).empty())
    return fail(error);
  auto makeText = [&](uint64_t seed) {
    return isMutating ? mutate(texts, seed) : generateProgram(seed);
  };
  if (print) {
    std::fputs(makeText(seed).c_str(), stdout);
    return 0;
  }

  llvm::SmallString<128> folder;
  if (auto code = llvm::sys::fs::createUniqueDirectory("dmc-fuzz", folder))
    return fail("cannot create a temporary folder: " + code.message());
  // What a worker leaves when it is killed goes with the folder.
  setenv("TMPDIR", folder.c_str(), 1);

  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerCodegenTranslations(registry);
  // Threads would not be there in a fork.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);

  auto work = [&](size_t index) {
    uint64_t own = seed + index;
    if (isMutating)
      return tryText(context, makeText(own));
    Verdict verdict = tryProgram(context, makeText(own), own,
                                 std::string(folder) + "/" + std::to_string(own) + ".so");
    return verdict;
  };
  size_t counts[4] = {}, upstream = 0;
  std::map<std::string, std::pair<size_t, uint64_t>> refusals; // count, a seed
  auto done = [&](size_t index, Verdict verdict) {
    unsigned long long own = seed + index;
    // Upstream's parsers of linalg.reduce, transpose and broadcast go on with a
    // list of dimensions that they have refused.
    if (verdict.kind == Verdict::Kind::Crash &&
        verdict.reason.find(parserErrorMark) != std::string::npos) {
      verdict.kind = Verdict::Kind::Refused;
      ++upstream;
    }
    ++counts[static_cast<size_t>(verdict.kind)];
    if (verdict.kind == Verdict::Kind::Refused) {
      auto &entry = refusals.try_emplace(generalize(verdict.reason), 0, own).first->second;
      ++entry.first;
      if (listRefused)
        std::printf("refused seed %llu: %s\n", own, verdict.reason.c_str());
    } else if (verdict.kind != Verdict::Kind::Agree) {
      std::printf("FAILED seed %llu: %s\n", own, verdict.reason.c_str());
    }
    std::fflush(stdout);
  };
  error = runForked(isMutating ? mutations : programs,
                    jobs ? jobs : std::max(1u, std::thread::hardware_concurrency()), timeout, work,
                    done);
  llvm::sys::fs::remove_directories(folder);
  if (!error.empty())
    return fail(error);

  auto [agree, refused, differ, crash] = counts;
  std::printf("%zu agree, %zu refused, %zu differ, %zu crash\n", agree, refused, differ, crash);
  if (upstream)
    std::printf("%zu of the refused: upstream's parser died after its diagnostic\n", upstream);
  // What is made is valid; what is damaged must be refused.
  if (!isMutating)
    for (auto &[reason, entry] : refusals)
      std::printf("refused %zu times (seed %llu): %s\n", entry.first,
                  static_cast<unsigned long long>(entry.second), reason.c_str());
  size_t failed = differ + crash + (isMutating ? 0 : refused);
  std::printf("%zu passed, %zu failed\n", agree + (isMutating ? refused : 0), failed);
  return failed ? 1 : 0;
}
