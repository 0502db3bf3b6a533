//===- Report.cpp - What a compiled program moves, needs and takes --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace dmc;
using namespace dmc::runtime;

const char *runtime::collectiveName(uint32_t kind) {
  static const char *const names[] = {"all_reduce", "all_gather", "reduce_scatter",
                                      "all_to_all", "permute",    "broadcast"};
  return kind < 6 ? names[kind] : "?";
}

Mesh runtime::meshOf(const dmc_program &program) {
  std::vector<MeshAxis> axes;
  axes.reserve(program.num_axes);
  for (uint32_t i = 0; i < program.num_axes; ++i)
    axes.push_back({program.axes[i].name, program.axes[i].size});
  return Mesh(std::move(axes));
}

AxisRef runtime::axisRefOf(const dmc_axis_ref &ref) { return {ref.axis, ref.pre_size, ref.size}; }

int64_t runtime::groupSizeOf(const dmc_collective &collective) {
  int64_t size = 1;
  for (uint32_t a = 0; a < collective.num_axes; ++a)
    size *= collective.axes[a].size;
  return collective.num_groups ? collective.group_size : size;
}

std::string runtime::groupsText(const dmc_collective &collective) {
  std::string text;
  for (int64_t i = 0; i < int64_t(collective.num_groups) * collective.group_size; ++i)
    text += (i % collective.group_size ? " "
             : i                       ? "]["
                                       : "[") +
            std::to_string(collective.groups[i]);
  return text + "]";
}

Layout runtime::layoutOf(const dmc_value &value) {
  Layout layout = Layout::replicated(value.rank);
  for (uint32_t d = 0; d < value.rank; ++d)
    for (uint32_t i = value.split_begin[d]; i < value.split_begin[d + 1]; ++i)
      layout.dims[d].push_back(axisRefOf(value.split_axes[i]));
  for (uint32_t i = 0; i < value.num_placed; ++i)
    layout.placed.push_back({axisRefOf(value.placed_axes[i]), value.placed_coordinates[i]});
  return layout;
}

int64_t runtime::localBytes(const dmc_value &value) {
  std::vector<int64_t> shape(value.local_shape, value.local_shape + value.rank);
  size_t bytes = elementBytes(value.element_type);
  return checkedElements(shape, bytes) * static_cast<int64_t>(bytes);
}

static CollectiveKind kindOf(uint32_t kind) {
  static const CollectiveKind kinds[] = {CollectiveKind::AllReduce,     CollectiveKind::AllGather,
                                         CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
                                         CollectiveKind::Permute,       CollectiveKind::Broadcast};
  return kinds[kind];
}

/// A permute in which nobody sends to another moves nothing.
static bool moves(const dmc_collective &collective) {
  if (collective.kind != DMC_PERMUTE)
    return true;
  for (uint32_t i = 0; i < collective.num_pairs; ++i)
    if (collective.pairs[size_t(2) * i] != collective.pairs[size_t(2) * i + 1])
      return true;
  return false;
}

uint32_t runtime::dataSpaceOf(const dmc_program &program) {
  return program.device == DMC_DEVICE_HOST ? DMC_MEMORY_HOST : DMC_MEMORY_DEVICE;
}

dmc_arena runtime::arenaOf(const dmc_program &program, uint32_t space) {
  for (uint32_t i = 0; i < program.num_arenas; ++i)
    if (program.arenas[i].space == space)
      return program.arenas[i];
  return {space, 0, 0, 1};
}

ContractionScratch runtime::callScratchOf(const dmc_program &program) {
  ContractionScratch most;
  for (uint32_t i = 0; i < program.num_calls; ++i) {
    most.shared = std::max(most.shared, program.calls[i].scratch_bytes);
    most.perThread = std::max(most.perThread, program.calls[i].thread_scratch_bytes);
  }
  return most;
}

static DeviceReport describeDevice(const dmc_program &program) {
  DeviceReport report;
  report.memory.arena = arenaOf(program, DMC_MEMORY_DEVICE).bytes;
  report.memory.hostArena = arenaOf(program, DMC_MEMORY_HOST).bytes;
  for (uint32_t i = 0; i < program.num_constants; ++i)
    report.memory.constants += program.constants[i].bytes;
  if (program.num_calls)
    report.memory.workspace = deviceWorkspaceBytes;
  for (uint32_t i = 0; i < program.num_kernels; ++i) {
    const dmc_kernel &kernel = program.kernels[i];
    for (uint32_t n = 0; n < kernel.num_nests; ++n) {
      const dmc_device_launch *launch = kernel.nests[n].device;
      if (!launch)
        continue;
      DeviceKernel &row = report.kernels.emplace_back();
      row.name = launch->entry;
      row.location = kernel.location ? kernel.location : "";
      row.count = kernel.count;
      std::copy_n(launch->grid, 3, row.grid);
      std::copy_n(launch->block, 3, row.block);
      row.dynamicShared = launch->shared_bytes;
    }
  }
  return report;
}

/// The sum of what is predicted of a step's parts. Those whose executions are not known count once.
static double predictStepMs(const dmc_program &program, const std::vector<int64_t> *executions) {
  const int64_t *each = program.predicted_ps;
  double sum = 0;
  auto add = [&](int64_t count) {
    sum += static_cast<double>(count < 0 ? 1 : count) * static_cast<double>(*each++);
  };
  for (uint32_t i = 0; i < program.num_kernels; ++i)
    add(program.kernels[i].count);
  for (uint32_t i = 0; i < program.num_calls; ++i)
    add(program.calls[i].count);
  for (uint32_t i = 0; i < program.num_collectives; ++i)
    add(program.collectives[i].count < 0 && executions ? (*executions)[i]
                                                       : program.collectives[i].count);
  return 1e-9 * sum;
}

Report runtime::makeReport(const dmc_program &program, int threads,
                           const std::vector<int64_t> *executions) {
  Report report;
  report.mesh = meshOf(program);
  report.flops = program.flops;
  for (uint32_t i = 0; i < program.num_arguments; ++i)
    report.memory.arguments += localBytes(program.arguments[i]);
  report.memory.arena = arenaOf(program, dataSpaceOf(program)).bytes;
  if (program.device == DMC_DEVICE_HOST)
    report.memory.scratch = callScratchOf(program).bytes(threads);
  report.memory.peak = report.memory.arguments + report.memory.arena;
  for (uint32_t i = 0; i < program.num_results; ++i)
    if (program.results[i].alias < 0)
      report.memory.peak += localBytes(program.results[i]);

  if (program.device != DMC_DEVICE_HOST)
    report.device = describeDevice(program);
  if (program.predicted_ps)
    report.predictedStepMs = predictStepMs(program, executions);
  for (uint32_t i = 0; i < program.num_collectives; ++i) {
    const dmc_collective &collective = program.collectives[i];
    std::vector<std::string> axes;
    axes.reserve(collective.num_axes + 1);
    for (uint32_t a = 0; a < collective.num_axes; ++a)
      axes.push_back(toString(report.mesh, axisRefOf(collective.axes[a])));
    if (collective.num_groups)
      axes.push_back(groupsText(collective));
    int64_t p = groupSizeOf(collective);
    int64_t count = collective.count;
    if (count < 0)
      count = executions ? (*executions)[i] : 1;
    auto row = std::find_if(
        report.collectives.begin(), report.collectives.end(), [&](const CollectiveRow &other) {
          return other.kind == collectiveName(collective.kind) && other.axes == axes;
        });
    if (row == report.collectives.end()) {
      report.collectives.push_back({collectiveName(collective.kind), axes});
      row = report.collectives.end() - 1;
    }
    int64_t bytes =
        collective.kind == DMC_ALL_GATHER ? collective.result_bytes : collective.operand_bytes;
    row->count += count;
    row->bytes += count * bytes;
    if (moves(collective))
      row->wireBytes += static_cast<double>(count) * wireBytes(kindOf(collective.kind), bytes, p);
  }
  return report;
}

StepTimes runtime::summarize(std::vector<double> milliseconds) {
  StepTimes times;
  if (milliseconds.empty())
    return times;
  std::sort(milliseconds.begin(), milliseconds.end());
  size_t n = milliseconds.size();
  times.min = milliseconds.front();
  times.max = milliseconds.back();
  times.median = (milliseconds[(n - 1) / 2] + milliseconds[n / 2]) / 2;
  times.runs = static_cast<int64_t>(n);
  return times;
}

static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += static_cast<char>(c);
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      result += escape;
    } else {
      result += static_cast<char>(c);
    }
  }
  return result + "\"";
}

/// JSON has no infinity; a number beyond every tolerance stands for it.
static std::string number(double value) {
  if (!std::isfinite(value))
    return "1e308";
  char text[40];
  if (value == std::floor(value) && std::fabs(value) < 1e15)
    std::snprintf(text, sizeof text, "%.0f", value);
  else
    std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

template <typename Range, typename Print>
static std::string list(const Range &range, const char *separator, Print print) {
  std::string text;
  for (const auto &item : range)
    text += (text.empty() ? "" : separator) + print(item);
  return text;
}

std::string runtime::toJson(const KernelUse &use) {
  const Occupancy &occupancy = use.occupancy;
  return "{\"chip\": " + quoted(use.chip) + ", \"registers\": " + std::to_string(use.registers) +
         ", \"spill_stores\": " + std::to_string(use.spillStores) +
         ", \"spill_loads\": " + std::to_string(use.spillLoads) +
         ", \"stack\": " + std::to_string(use.stack) +
         ", \"shared\": " + std::to_string(use.shared) +
         ", \"occupancy\": {\"blocks\": " + std::to_string(occupancy.blocks) +
         ", \"warps\": " + std::to_string(occupancy.warps) +
         ", \"most_warps\": " + std::to_string(occupancy.mostWarps) +
         ", \"limit\": " + quoted(occupancy.limit) + "}}";
}

static std::string toJson(const DeviceKernel &kernel) {
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string text =
      "{\"name\": " + quoted(kernel.name) + ", \"location\": " + quoted(kernel.location) +
      ", \"count\": " + (kernel.count < 0 ? "null" : number(kernel.count)) + ", \"grid\": [" +
      list(kernel.grid, ", ", number) + "], \"block\": [" + list(kernel.block, ", ", number) +
      "], \"dynamic_shared\": " + number(kernel.dynamicShared) + ", \"uses\": ";
  if (kernel.uses.empty())
    return text + "null}";
  return text + "[" +
         list(kernel.uses, ", ", [](const KernelUse &use) { return runtime::toJson(use); }) + "]}";
}

static std::string toJson(const DeviceReport &device) {
  const DeviceMemory &memory = device.memory;
  std::string text =
      std::string("{\n    ") + (device.isShared ? "\"shared\": true,\n    " : "") +
      "\"memory\": {\"arena\": " + std::to_string(memory.arena) +
      ", \"constants\": " + std::to_string(memory.constants) +
      ", \"globals\": " + (memory.globals ? std::to_string(*memory.globals) : "null") +
      ", \"workspace\": " + std::to_string(memory.workspace) +
      ", \"host_arena\": " + std::to_string(memory.hostArena) + "},\n    \"kernels\": [" +
      list(device.kernels, ",",
           [](const DeviceKernel &kernel) { return "\n      " + ::toJson(kernel); });
  return text + (device.kernels.empty() ? "]}" : "\n    ]}");
}

static std::string toJson(const PlanReport &plan) {
  return "{\"predicted_ms\": " + number(plan.predictedMs) +
         ", \"bound_ms\": " + number(plan.boundMs) +
         ", \"proved_bound_ms\": " + number(plan.provedBoundMs) + ", \"gap\": " + number(plan.gap) +
         ", \"seconds\": " + number(plan.seconds) +
         ", \"certified\": " + (plan.isCertified ? "true" : "false") +
         ", \"interrupted\": " + (plan.wasInterrupted ? "true" : "false") +
         ", \"fingerprint\": " + quoted(plan.fingerprint) + ", \"axes_together\": [" +
         list(plan.axesTogether, ", ",
              [](const std::vector<std::string> &axes) {
                return "[" + list(axes, ", ", quoted) + "]";
              }) +
         "], \"peak\": " + std::to_string(plan.peak) + ", \"flops\": " + number(plan.flops) +
         ", \"collectives\": [" +
         list(plan.collectives, ", ",
              [](const PredictedRow &row) {
                return "{\"kind\": " + quoted(row.kind) + ", \"axes\": [" +
                       list(row.axes, ", ", quoted) + "], \"messages\": " + number(row.messages) +
                       ", \"wire_bytes\": " + number(row.wireBytes) + "}";
              }) +
         "]}";
}

/// What the program moves, computes and needs.
static std::string programToJson(const Report &report) {
  std::string text = ",\n  \"engine\": " + quoted(report.engine);
  text += ",\n  \"collectives\": [" + list(report.collectives, ",", [](const CollectiveRow &row) {
            return "\n    {\"kind\": " + quoted(row.kind) + ", \"axes\": [" +
                   list(row.axes, ", ", quoted) + "], \"count\": " + std::to_string(row.count) +
                   ", \"bytes\": " + std::to_string(row.bytes) +
                   ", \"wire_bytes\": " + number(row.wireBytes) + "}";
          });
  text += report.collectives.empty() ? "]" : "\n  ]";
  if (report.partials) {
    double bytes = 0;
    for (const CollectiveRow &row : report.collectives)
      bytes += row.wireBytes;
    text += std::string(",\n  \"narrow_partials\": {\"permitted\": ") +
            (report.partials->isPermitted ? "true" : "false") +
            ", \"wire_bytes\": " + number(bytes) +
            ", \"wire_bytes_otherwise\": " + number(report.partials->wireBytesOtherwise) + "}";
  }
  text += ",\n  \"flops\": " + std::to_string(report.flops);
  text += ",\n  \"memory\": {\"arguments\": " + std::to_string(report.memory.arguments) +
          ", \"arena\": " + std::to_string(report.memory.arena) +
          ", \"peak\": " + std::to_string(report.memory.peak) +
          ", \"scratch\": " + std::to_string(report.memory.scratch) + "}";
  if (report.device)
    text += ",\n  \"device\": " + ::toJson(*report.device);
  return text;
}

std::string runtime::toJson(const Report &report) {
  std::string text = "{\n  \"mesh\": {" + list(report.mesh.axes(), ", ", [](const MeshAxis &axis) {
                       return quoted(axis.name) + ": " + std::to_string(axis.size);
                     });
  text += "},\n  \"ranks\": " + std::to_string(report.mesh.numRanks());
  if (report.isOfProgram)
    text += programToJson(report);
  if (report.plan)
    text += ",\n  \"plan\": " + ::toJson(*report.plan);
  text += ",\n  \"compile_ms\": {\"import\": " + number(report.compile.import) +
          ", \"parallelize\": " + number(report.compile.parallelize) +
          ", \"ranks\": " + number(report.compile.ranks) +
          ", \"schedule\": " + number(report.compile.schedule) +
          ", \"codegen\": " + number(report.compile.codegen) + "}";
  if (!report.isOfProgram)
    return text + "\n}\n";
  text += ",\n  \"step_ms\": {\"min\": " + number(report.step.min) +
          ", \"median\": " + number(report.step.median) + ", \"max\": " + number(report.step.max) +
          ", \"runs\": " + std::to_string(report.step.runs) + "}";
  if (report.predictedStepMs)
    text += ",\n  \"predicted_step_ms\": " + number(*report.predictedStepMs);
  if (report.check) {
    text += std::string(",\n  \"check\": {\"passed\": ") +
            (report.check->passed ? "true" : "false") + ", \"results\": [" +
            list(report.check->results, ",", [](const CheckedResult &result) {
              return "\n    {\"name\": " + quoted(result.name) +
                     ", \"max_abs_err\": " + number(result.maxAbsError) + "}";
            });
    text += report.check->results.empty() ? "]}" : "\n  ]}";
  }
  return text + "\n}\n";
}

static std::string humanBytes(double bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 10000 && unit + 1 < std::size(units); ++unit)
    bytes /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
  return text;
}

template <typename... Ts>
static std::string format(const char *pattern, Ts... values) {
  char text[256];
  int length = std::snprintf(text, sizeof text, pattern, values...);
  return std::string(text, std::min<size_t>(length, sizeof text - 1));
}

std::string runtime::toTables(const Report &report) {
  std::string mesh = toString(report.mesh);
  std::string text = "mesh " + (mesh.empty() ? std::string("of one device") : mesh) + ", " +
                     std::to_string(report.mesh.numRanks()) + " rank" +
                     (report.mesh.numRanks() == 1 ? "" : "s") + ", engine " + report.engine + "\n";
  text += format("memory per rank: arguments %s, arena %s, peak %s\n",
                 humanBytes(report.memory.arguments).c_str(),
                 humanBytes(report.memory.arena).c_str(), humanBytes(report.memory.peak).c_str());
  if (report.memory.scratch)
    text += format("scratch of library calls: %s\n", humanBytes(report.memory.scratch).c_str());
  if (report.device) {
    const DeviceMemory &memory = report.device->memory;
    text += format("beside these on the device: constants %s, workspace of library calls %s\n",
                   humanBytes(memory.constants).c_str(), humanBytes(memory.workspace).c_str());
    if (report.device->isShared)
      text += "ranks share devices: collectives go through the memory of the host\n";
  }
  text += format("contractions per rank: %.6g Mflop\n", static_cast<double>(report.flops) / 1e6);
  if (!report.collectives.empty()) {
    text += format("%-16s%-24s%8s%14s%14s\n", "collective", "axes", "count", "bytes", "wire bytes");
    for (const CollectiveRow &row : report.collectives)
      text += format("%-16s%-24s%8lld%14s%14s\n", row.kind.c_str(),
                     list(row.axes, ",", [](const std::string &axis) { return axis; }).c_str(),
                     static_cast<long long>(row.count), humanBytes(row.bytes).c_str(),
                     humanBytes(row.wireBytes).c_str());
  }
  const CompileTimes &compile = report.compile;
  if (compile.import + compile.parallelize + compile.ranks + compile.schedule + compile.codegen > 0)
    text += format("compile ms: import %.1f, parallelize %.1f, ranks %.1f, schedule %.1f, "
                   "codegen %.1f\n",
                   compile.import, compile.parallelize, compile.ranks, compile.schedule,
                   compile.codegen);
  if (report.step.runs)
    text += format("step ms: min %.3f, median %.3f, max %.3f (%lld run%s)\n", report.step.min,
                   report.step.median, report.step.max, static_cast<long long>(report.step.runs),
                   report.step.runs == 1 ? "" : "s");
  if (report.check) {
    text += format("%-48s%14s\n", "result", "max abs error");
    for (const CheckedResult &result : report.check->results)
      text += format("%-48s%14.4g  %s\n", result.name.c_str(), result.maxAbsError,
                     result.passed ? "ok" : "DIFFERS");
    text += report.check->passed ? "check passed\n" : "check FAILED\n";
  }
  return text;
}
