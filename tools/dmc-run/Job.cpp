//===- Job.cpp - The processes that run a program together ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Run.h"

#include "llvm/ADT/StringRef.h"

#include <cstdio>
#include <cstdlib>

using namespace dmc::run;

bool Job::isQuietProcess() {
  // What launchers tell their processes, before anything is loaded.
  for (const char *name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "RANK"})
    if (const char *rank = std::getenv(name))
      return llvm::StringRef(rank) != "0";
  return false;
}

int Job::countProcesses() {
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE"})
    if (const char *size = std::getenv(name))
      return static_cast<int>(std::strtol(size, nullptr, 10));
  return 1;
}

const char *Job::engineOfLauncher() { return std::getenv("WORLD_SIZE") ? "tcp" : "mpi"; }

bool Job::join(const std::string &engine) {
  std::string error;
  transport_ = runtime::Transport::join(engine, error);
  // Without connections, each process knows what it lacks.
  if (!transport_ && (engine == "tcp" || !isQuietProcess()))
    say(error);
  return transport_ != nullptr;
}

void Job::say(const std::string &why) {
  if (!why.empty())
    std::fprintf(stderr, "dmc-run: error: %s\n", why.c_str());
}

bool Job::failed(const Failure &mine) {
  Failure why = transport_ ? transport_->agree(mine) : mine;
  if (why)
    say(*why);
  return why.has_value();
}

void Job::abort(const std::string &why) {
  say(why);
  std::fflush(nullptr);
  if (transport_)
    transport_->abort(1);
  std::_Exit(1);
}
