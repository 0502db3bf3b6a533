//===- Launcher.cpp - What a launcher says of the job ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Launcher.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

using namespace dmc::tcp;

/// Empty, or what is wrong with the text of a variable.
static std::string parse(const char *name, const char *text, int64_t least, int64_t most,
                         int64_t &number) {
  const char *end = text + std::strlen(text);
  auto [stop, code] = std::from_chars(text, end, number);
  if (code == std::errc() && stop == end && number >= least && number <= most)
    return "";
  return std::string("malformed ") + name + " \"" + text + "\", expected a number from " +
         std::to_string(least) + " to " + std::to_string(most);
}

std::string dmc::tcp::firstHost(const std::string &list) {
  size_t bracket = list.find_first_of("[,");
  if (bracket == std::string::npos || list[bracket] == ',')
    return list.substr(0, bracket);
  size_t begin = bracket + 1, end = list.find_first_of("-,]", begin);
  size_t close = list.find(']', begin);
  if (end == std::string::npos || close == std::string::npos)
    return "";
  size_t after = list.find(',', close);
  return list.substr(0, bracket) + list.substr(begin, end - begin) +
         list.substr(close + 1, after == std::string::npos ? after : after - close - 1);
}

static constexpr int64_t mostRanks = int64_t(1) << 20, mostPorts = 65535;

static std::string readTorchrun(const char *rank, const char *size, Launch &launch) {
  const char *host = std::getenv("MASTER_ADDR"), *port = std::getenv("MASTER_PORT");
  if (!host || !*host || !port)
    return "RANK and WORLD_SIZE are set, but not MASTER_ADDR and MASTER_PORT";
  launch.host = host;
  if (auto why = parse("WORLD_SIZE", size, 1, mostRanks, launch.size); !why.empty())
    return why;
  if (auto why = parse("RANK", rank, 0, launch.size - 1, launch.rank); !why.empty())
    return why;
  if (auto why = parse("MASTER_PORT", port, 1, mostPorts - 1, launch.port); !why.empty())
    return why;
  // torchrun itself listens at that port for its own store.
  const char *ownStore = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  if (ownStore && !std::strcmp(ownStore, "True"))
    ++launch.port;
  return "";
}

static std::string readSlurm(const char *rank, const char *size, Launch &launch) {
  if (auto why = parse("SLURM_NTASKS", size, 1, mostRanks, launch.size); !why.empty())
    return why;
  if (auto why = parse("SLURM_PROCID", rank, 0, launch.size - 1, launch.rank); !why.empty())
    return why;
  const char *host = std::getenv("MASTER_ADDR"), *port = std::getenv("MASTER_PORT");
  const char *list = std::getenv("SLURM_STEP_NODELIST"), *job = std::getenv("SLURM_JOB_ID");
  launch.host = host && *host ? host : firstHost(list ? list : "");
  if (launch.host.empty())
    return "SLURM_PROCID is set, but neither MASTER_ADDR nor SLURM_STEP_NODELIST say where rank 0 "
           "is";
  if (port)
    return parse("MASTER_PORT", port, 1, mostPorts, launch.port);
  if (!job)
    return "SLURM_PROCID is set, but neither MASTER_PORT nor SLURM_JOB_ID";
  // The ports that nobody is assigned: jobs that share a machine have different ones.
  constexpr int64_t firstDynamic = 49152;
  if (auto why = parse("SLURM_JOB_ID", job, 0, INT64_MAX, launch.port); !why.empty())
    return why;
  launch.port = firstDynamic + launch.port % (mostPorts - firstDynamic);
  return "";
}

std::string dmc::tcp::readLaunch(Launch &launch) {
  if (const char *text = std::getenv("DMC_CONNECT_SECONDS")) {
    char *end = nullptr;
    launch.connectSeconds = std::strtod(text, &end);
    if (end == text || *end || !(launch.connectSeconds > 0))
      return std::string("malformed DMC_CONNECT_SECONDS \"") + text +
             "\", expected a number of seconds above 0";
  }
  const char *rank = std::getenv("RANK"), *size = std::getenv("WORLD_SIZE");
  if (rank && size)
    return readTorchrun(rank, size, launch);
  const char *task = std::getenv("SLURM_PROCID"), *tasks = std::getenv("SLURM_NTASKS");
  if (task && tasks)
    return readSlurm(task, tasks, launch);
  return "nothing says which rank this is: expected RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, "
         "as torchrun sets them, or SLURM_PROCID and SLURM_NTASKS, as srun does";
}
