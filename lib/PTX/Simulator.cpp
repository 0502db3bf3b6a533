//===- Simulator.cpp - Modules and launches -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/PTX/Simulator.h"

#include "Builder.h"
#include "Execution.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace dmc::ptx;

Module::Module() : program_(std::make_unique<Program>()) {}
Module::~Module() = default;

std::unique_ptr<Module> Module::parse(const std::string &text, std::string &error) {
  syntax::Text parsed;
  std::unique_ptr<Module> module(new Module());
  auto why = syntax::parse(text, parsed);
  if (!why)
    why = build(parsed, *module->program_);
  if (!why)
    return module;
  error = *why;
  return nullptr;
}

std::vector<std::string> Module::kernels() const {
  std::vector<std::string> names;
  for (const auto &[name, kernel] : program_->kernels)
    names.push_back(name);
  return names;
}

bool Module::hasKernel(const std::string &kernel) const {
  return program_->kernels.count(kernel) > 0;
}

std::vector<Parameter> Module::parameters(const std::string &kernel) const {
  auto found = program_->kernels.find(kernel);
  return found == program_->kernels.end() ? std::vector<Parameter>() : found->second.parameters;
}

KernelNeeds Module::needs(const std::string &name) const {
  KernelNeeds needs;
  auto found = program_->kernels.find(name);
  if (found == program_->kernels.end())
    return needs;
  const Kernel &kernel = found->second;
  needs.parameterBytes = kernel.parameterBytes;
  needs.sharedBytes = kernel.sharedBytes;
  needs.localBytes = kernel.localBytes;
  needs.mostThreads =
      uint64_t(kernel.mostThreads[0]) * kernel.mostThreads[1] * kernel.mostThreads[2];
  needs.requiredThreads = kernel.requiredThreads;
  return needs;
}

bool Module::hasVariable(const std::string &name, uint64_t &bytes) const {
  for (const Variable &variable : program_->globals)
    if (variable.name == name) {
      bytes = variable.size;
      return true;
    }
  return false;
}

const char *dmc::ptx::name(ReportKind kind) {
  switch (kind) {
  case ReportKind::Race:
    return "race";
  case ReportKind::Unordered:
    return "unordered operations";
  case ReportKind::OutOfBounds:
    return "out of bounds";
  case ReportKind::UseAfterFree:
    return "use after free";
  case ReportKind::Misaligned:
    return "misaligned";
  case ReportKind::Uninitialized:
    return "uninitialized";
  case ReportKind::DivergentBarrier:
    return "divergent barrier";
  case ReportKind::MissedBarrier:
    return "missed barrier";
  case ReportKind::Deadlock:
    return "deadlock";
  case ReportKind::WrongMask:
    return "wrong mask";
  case ReportKind::InvalidLaunch:
    return "invalid launch";
  case ReportKind::InvalidInstruction:
    return "invalid instruction";
  case ReportKind::EndlessLoop:
    return "endless loop";
  }
  return "";
}

static std::string text(const std::array<uint32_t, 3> &index) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " +
         std::to_string(index[2]) + ")";
}

std::string Report::text() const {
  if (kind == ReportKind::InvalidLaunch)
    return std::string(name(kind)) + ": " + message;
  return std::string(name(kind)) + ": line " + std::to_string(line) + ", block " + ::text(block) +
         ", thread " + ::text(thread) + ": " + message;
}

/// What is wrong with the sizes of a launch, or nothing.
static std::string checkLaunch(const Kernel &kernel, const Launch &launch) {
  constexpr uint64_t mostThreads = 1024, mostShared = 227 << 10;
  uint64_t threads = 1;
  for (unsigned d = 0; d < 3; ++d) {
    threads *= launch.block[d];
    if (!launch.grid[d] || !launch.block[d])
      return "a grid or a block of no threads";
    if (kernel.requiredThreads[0] && kernel.requiredThreads[d] != launch.block[d])
      return "a block of " + text(launch.block) + " threads, the kernel requires " +
             text(kernel.requiredThreads);
  }
  uint64_t most = mostThreads;
  if (kernel.mostThreads[0])
    most = std::min<uint64_t>(most, uint64_t(kernel.mostThreads[0]) * kernel.mostThreads[1] *
                                        kernel.mostThreads[2]);
  if (threads > most)
    return "a block of " + std::to_string(threads) + " threads, at most " + std::to_string(most) +
           " are allowed";
  if (launch.grid[1] > 65535 || launch.grid[2] > 65535 || launch.block[2] > 64)
    return "a grid or a block that is too large in its second or third dimension";
  if (kernel.sharedBytes + launch.dynamicShared > mostShared)
    return std::to_string(kernel.sharedBytes + launch.dynamicShared) +
           " bytes of shared memory, at most " + std::to_string(mostShared) + " are allowed";
  if (launch.arguments.size() != kernel.parameterBytes)
    return std::to_string(launch.arguments.size()) + " bytes of arguments, the kernel has " +
           std::to_string(kernel.parameterBytes);
  return "";
}

/// The blocks one after the other, in the order of the seed. Where a block may wait for another, as
/// many as one multiprocessor holds run at once, a slice each; and while they do not end, one more
/// at a time, up to as many as a device holds.
static void runBlocks(Run &run) {
  const Launch &launch = run.launch;
  uint64_t numBlocks = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  std::vector<uint32_t> order(numBlocks);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(launch.seed);
  if (launch.seed)
    std::shuffle(order.begin(), order.end(), random);
  // An H100 has 132 multiprocessors of 2048 threads and 32 blocks each (CUDA C++ Programming Guide,
  // technical specifications of compute capability 9.0).
  uint64_t threads = uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  const uint64_t ofOne =
      std::min<uint64_t>(32, std::max<uint64_t>(1, 2048 / ((threads + 31) / 32 * 32)));
  const uint64_t mostResident = 132 * ofOne, atOnce = run.kernel.polls ? ofOne : 1;
  const uint64_t slice = run.kernel.polls ? 1 : uint64_t(1) << 20; // at least so many instructions
  std::vector<std::unique_ptr<Block>> resident, free;
  constexpr unsigned patience = 64; // rounds in which no block ends
  uint64_t most = atOnce;
  unsigned rounds = 0;
  size_t next = 0;
  while (!run.isEnded && (next < numBlocks || !resident.empty())) {
    if (++rounds > patience) {
      most = std::min(mostResident, resident.size() + uint64_t(1));
      rounds = 0;
    }
    while (next < numBlocks && resident.size() < most) {
      if (free.empty())
        free.push_back(std::make_unique<Block>(run));
      uint32_t number = order[next++];
      free.back()->start(number, {number % launch.grid[0], number / launch.grid[0] % launch.grid[1],
                                  number / launch.grid[0] / launch.grid[1]});
      resident.push_back(std::move(free.back()));
      free.pop_back();
    }
    for (size_t b = resident.size(); b-- > 0 && !run.isEnded;)
      if (resident[b]->execute(slice)) {
        free.push_back(std::move(resident[b]));
        resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(b));
        most = std::max<uint64_t>(atOnce, resident.size());
        rounds = 0;
      }
  }
}

Outcome dmc::ptx::run(const Module &module, const Launch &launch, Memory &memory) {
  Outcome outcome;
  auto invalid = [&](std::string why) {
    Report report;
    report.kind = ReportKind::InvalidLaunch;
    report.message = std::move(why);
    outcome.reports.push_back(std::move(report));
    return outcome;
  };
  auto found = module.program().kernels.find(launch.kernel);
  if (found == module.program().kernels.end())
    return invalid("there is no kernel '" + launch.kernel + "'");
  const Kernel &kernel = found->second;
  if (std::string why = checkLaunch(kernel, launch); !why.empty())
    return invalid(std::move(why));

  Run run{kernel, launch, memory, outcome, {}, {}, false, 0, {}, {}, {}, 0, false};
  run.firstStamp = memory.beginOperation(launch.operation);
  run.moments.push_back({~0U, 0, 0}); // that one, which no warp has
  for (const auto &[row, name] : kernel.globalRows)
    run.globalAddresses.push_back(memory.variable(module.program(), name));
  runBlocks(run);
  outcome.traffic = run.traffic.list();
  return outcome;
}

Address Memory::variable(const Program &program, const std::string &name) {
  auto [found, isNew] = variables_.try_emplace({&program, name}, 0);
  if (!isNew)
    return found->second;
  Address &address = found->second;
  for (const Variable &variable : program.globals)
    if (variable.name == name) {
      address = allocate(std::max<uint64_t>(variable.size, 1), name);
      write(address, variable.initial.data(), variable.size);
      for (const Reference &reference : variable.references) {
        uint64_t value =
            (this->variable(program, reference.name) + reference.addend) >> reference.shift;
        write(address + reference.at, &value, reference.bytes);
      }
    }
  return address;
}
