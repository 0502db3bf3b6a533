//===- Simulator.h - Runs kernels that are PTX text -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses PTX as compilers write it and runs its kernels, warps in lockstep, on memory that knows
// what each access may see: what a GPU does quietly and wrongly at times is a report here, at every
// time. Names and semantics are those of NVIDIA's PTX ISA.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PTX_SIMULATOR_H
#define DMC_PTX_SIMULATOR_H

#include "dmc/PTX/Memory.h"

#include <array>

namespace dmc::ptx {

/// A parameter of a kernel: where it lies in the bytes that a launch is given.
struct Parameter {
  std::string name;
  uint64_t offset = 0, size = 0;
};

/// What a kernel takes, and what its text says of the blocks that it is launched with (0: nothing).
struct KernelNeeds {
  uint64_t parameterBytes = 0, sharedBytes = 0, localBytes = 0;
  uint64_t mostThreads = 0;
  std::array<uint32_t, 3> requiredThreads = {};
};

/// The kernels of one PTX text.
class Module {
public:
  /// Null and what is wrong, with its line, if the text is not PTX or has an instruction that the
  /// simulator does not know: none is skipped.
  static std::unique_ptr<Module> parse(const std::string &text, std::string &error);
  ~Module();

  std::vector<std::string> kernels() const;
  bool hasKernel(const std::string &kernel) const;
  std::vector<Parameter> parameters(const std::string &kernel) const;
  KernelNeeds needs(const std::string &kernel) const;
  /// Whether the text has such a variable in global or constant memory; Memory::variable says
  /// where.
  bool hasVariable(const std::string &name, uint64_t &bytes) const;
  const Program &program() const { return *program_; }

private:
  Module();
  std::unique_ptr<Program> program_;
};

enum class ReportKind {
  Race,
  Unordered, // a race with another operation
  OutOfBounds,
  UseAfterFree,
  Misaligned,
  Uninitialized,
  DivergentBarrier,
  MissedBarrier,
  Deadlock,
  WrongMask,
  InvalidLaunch,
  InvalidInstruction,
  EndlessLoop
};
const char *name(ReportKind kind);

struct Report {
  ReportKind kind = ReportKind::Race;
  int line = 0; // of the PTX text
  std::array<uint32_t, 3> block = {}, thread = {};
  std::string message; // without the place
  /// "race: line 12, block 0 thread 3: ..."
  std::string text() const;
};

/// What a launch did, summed over its warps.
struct Counts {
  uint64_t instructions = 0;     // of warps
  uint64_t laneInstructions = 0; // of threads
  uint64_t globalRequests = 0;   // of warps: loads, stores and atomics
  uint64_t globalSectors = 0;    // of 32 bytes that these touch
  uint64_t globalBytes = 0;      // that threads asked for
  uint64_t sharedRequests = 0;
  uint64_t bankConflicts = 0; // further cycles of shared requests
  uint64_t barriers = 0;      // that a block passed
};

/// What a launch reads, or writes, of one allocation in global memory; atomics count as writes.
struct Traffic {
  std::string allocation;
  bool isWrite = false;
  uint64_t sectors = 0;          // of 32 bytes, that requests of warps touch
  uint64_t differentSectors = 0; // each counted once: the least for the bytes that are accessed
  uint64_t bytes = 0;            // that threads ask for
  uint64_t differentBytes = 0;   // each counted once
};

struct Launch : Accessor {
  Launch() { operation = 1; }

  std::string kernel;
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  uint64_t dynamicShared = 0;
  std::vector<uint8_t> arguments; // as Parameter says
  /// Chooses the order of blocks and warps, and the errors of approximations if there are any.
  uint64_t seed = 0;
  /// Approximate instructions (`.approx`) are rounded correctly; if set, then wrong by up to what
  /// is documented of them.
  bool approximates = false;
  /// Whether the outcome has the traffic of each allocation: takes several times as long.
  bool countsTraffic = false;
  /// What reports call an operation; its number if unset.
  std::function<std::string(uint32_t operation)> describe;
  /// A thread that runs so many instructions is taken to never end.
  uint64_t mostInstructions = uint64_t(1) << 32;
};

struct Outcome {
  std::vector<Report> reports; // at most one of a kind, a line and a place of another access
  Counts counts;
  std::vector<Traffic> traffic; // by address, reads before writes; if the launch counts it
};

/// Runs a launch to its end. A kernel that reports goes on, with what the memory holds; one that
/// cannot is ended.
Outcome run(const Module &module, const Launch &launch, Memory &memory);

} // namespace dmc::ptx

#endif // DMC_PTX_SIMULATOR_H
