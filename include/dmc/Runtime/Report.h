//===- Report.h - What a compiled program moves, needs and takes *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of dmc-compile and dmc-run, computed from a program's tables. C++
// standard library only. Figures are per rank.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_REPORT_H
#define DMC_RUNTIME_REPORT_H

#include "dmc-c/Program.h"
#include "dmc/Layout/Layout.h"
#include "dmc/Runtime/Contraction.h"
#include "dmc/Runtime/KernelUse.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dmc::runtime {

/// All executions in one step of the collectives of one kind over the same axes.
struct CollectiveRow {
  std::string kind;              // "all_reduce"
  std::vector<std::string> axes; // "data", or "data:(1)2" for a part of an axis
  int64_t count = 0;
  int64_t bytes = 0;    // operands; of all-gathers the results
  double wireBytes = 0; // what leaves a rank
};

struct MemoryReport {
  int64_t arguments = 0;
  int64_t arena = 0;
  int64_t peak = 0;    // arguments, results that take over none, arena
  int64_t scratch = 0; // beside these: of library calls, which run one after the other
};

/// Bytes that a rank has on its device, beside arguments and results.
struct DeviceMemory {
  int64_t arena = 0;
  int64_t constants = 0;
  /// Variables of the device code; nothing if no assembler told.
  std::optional<int64_t> globals;
  int64_t workspace = 0; // of library calls
  int64_t hostArena = 0; // on the host
};

/// A function that a device runs for a kernel of the schedule.
struct DeviceKernel {
  std::string name;
  std::string location;
  int64_t count = 0; // launches in a step; -1: not known
  int64_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  int64_t dynamicShared = 0;
  /// For each chip; none if no assembler told.
  std::vector<KernelUse> uses;
};

struct DeviceReport {
  /// Whether several ranks have one device: their collectives go through the memory of the host.
  bool isShared = false;
  DeviceMemory memory;
  std::vector<DeviceKernel> kernels;
};

/// Milliseconds per stage; zero where there was nothing to do.
struct CompileTimes {
  double import = 0, parallelize = 0, ranks = 0, schedule = 0, codegen = 0;
};

struct StepTimes {
  double min = 0, median = 0, max = 0;
  int64_t runs = 0;
};

struct CheckedResult {
  std::string name;
  bool passed = false;
  double maxAbsError = 0;
};

struct CheckReport {
  bool passed = true;
  std::vector<CheckedResult> results;
};

/// What rounding partial sums before they are added across ranks changes.
struct PartialsReport {
  bool isPermitted = false;
  double wireBytesOtherwise = 0; // what would leave a rank with the other setting
};

/// As CollectiveRow, of what the plan says.
struct PredictedRow {
  std::string kind;
  std::vector<std::string> axes;
  double messages = 0; // one after the other
  double wireBytes = 0;
};

/// How good the plan is, as the compiler predicts it; docs/planning.md.
struct PlanReport {
  double predictedMs = 0, boundMs = 0, provedBoundMs = 0, gap = 0, seconds = 0;
  int64_t peak = 0; // bytes of a rank, estimated
  double flops = 0; // of a rank's contractions
  std::vector<PredictedRow> collectives;
  bool isCertified = false;
  bool wasInterrupted = false;
  std::string fingerprint;
  std::vector<std::vector<std::string>> axesTogether; // names, by group of the problem's axes
};

struct Report {
  Mesh mesh;
  /// Whether there is a program already; else only the plan and the times are known.
  bool isOfProgram = true;
  std::string engine = "local";
  std::vector<CollectiveRow> collectives;
  int64_t flops = 0;
  MemoryReport memory;
  std::optional<DeviceReport> device; // only of a program for devices
  CompileTimes compile;
  StepTimes step;
  /// Of a step, on the machine for which the program was compiled, if it says so.
  std::optional<double> predictedStepMs;
  std::optional<PartialsReport> partials; // only if it is known and concerns the program
  std::optional<PlanReport> plan;         // only if the compiler chose among plans
  std::optional<CheckReport> check;       // only if something was compared
};

/// The memory space (dmc_memory_space) of arguments and results.
uint32_t dataSpaceOf(const dmc_program &program);
/// The arena in that space, of 0 bytes if there is none.
dmc_arena arenaOf(const dmc_program &program, uint32_t space);
/// Of the workspace that the library calls of a program share on a device: what NVIDIA recommends
/// for cuBLASLt on devices from compute capability 9.0 on; older ones need less.
inline constexpr int64_t deviceWorkspaceBytes = int64_t(32) << 20;
/// The memory in which any of the library calls of a program for the host can run.
ContractionScratch callScratchOf(const dmc_program &program);

/// What the tables of a program say: mesh, collectives, flops, memory with so many threads a rank.
/// Times and check are left for the caller. `executions`, if given, has per collective the
/// executions counted in a run, for those whose count is not known at compile time; without it
/// these count once.
Report makeReport(const dmc_program &program, int threads,
                  const std::vector<int64_t> *executions = nullptr);

/// As JSON text, with a newline at its end.
std::string toJson(const Report &report);
std::string toJson(const KernelUse &use);
/// As tables for people.
std::string toTables(const Report &report);

/// Writes the whole text or nothing: through a temporary file in the same
/// folder. Returns what went wrong, or nothing.
std::optional<std::string> writeFileAtomically(const std::string &path, const std::string &text);

StepTimes summarize(std::vector<double> milliseconds);

const char *collectiveName(uint32_t kind);
Mesh meshOf(const dmc_program &program);
/// The number of ranks in a group of a collective.
int64_t groupSizeOf(const dmc_collective &collective);
/// Listed groups as `[0 2][3 1]`.
std::string groupsText(const dmc_collective &collective);
AxisRef axisRefOf(const dmc_axis_ref &ref);
Layout layoutOf(const dmc_value &value);
int64_t localBytes(const dmc_value &value);

} // namespace dmc::runtime

#endif // DMC_RUNTIME_REPORT_H
