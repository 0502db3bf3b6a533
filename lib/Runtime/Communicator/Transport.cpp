//===- Transport.cpp - The job that this process is a part of -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Transport.h"
#include "Libraries/Plugins.h"

#include <cstdlib>
#include <cstring>
#include <thread>

#include <sched.h>
#include <unistd.h>

using namespace dmc;
using namespace dmc::runtime;

std::unique_ptr<Transport> Transport::join(const std::string &engine, std::string &error) {
  std::string file = "libdmc_" + engine + ".so";
  PluginPlace place = findPlugin(file.c_str());
  if (place.path.empty()) {
    error = "the engine \"" + engine + "\" was not built: its plugin " + file +
            " is in none of: " + place.searched + "; DMC_PLUGIN_DIR names another folder";
    return nullptr;
  }
  // Global: message-passing libraries load parts that need their symbols.
  auto query = reinterpret_cast<dmc_transport_query_fn>(
      loadPlugin(place.path, DMC_TRANSPORT_SYMBOL, /*isGlobal=*/true, error));
  if (!query)
    return nullptr;
  const dmc_transport *plugin = query(DMC_TRANSPORT_ABI_VERSION);
  if (!plugin) {
    error = place.path + ": is not a plugin for this runtime";
    return nullptr;
  }
  char why[512] = "";
  int64_t rank = 0, size = 1, localRank = 0, localSize = 1;
  if (plugin->start(&rank, &size, &localRank, &localSize, why, sizeof why)) {
    error = why;
    return nullptr;
  }
  std::unique_ptr<Transport> transport(new Transport(*plugin, engine));
  transport->rank_ = rank;
  transport->size_ = size;
  transport->localRank_ = localRank;
  transport->localSize_ = localSize;
  return transport;
}

Transport::~Transport() { plugin_.finish(); }

/// Spins where every process has a core of its own; else gives way at once.
Failure Transport::wait(void *request, const Watch &watch) {
  char why[512] = "";
  bool isCrowded = localSize_ > static_cast<int64_t>(sysconf(_SC_NPROCESSORS_ONLN));
  int spins = isCrowded ? 0 : 2000, yields = isCrowded ? 20 : 4000;
  for (int64_t attempt = 0;; ++attempt) {
    int32_t done = 0;
    if (plugin_.test(request, &done, why, sizeof why))
      return std::string(why);
    if (done)
      return std::nullopt;
    if (attempt < spins)
      continue;
    if (attempt < spins + yields)
      sched_yield();
    else
      usleep(50);
    if (watch && (attempt & 15) == 15 && !watch())
      return std::string();
  }
}

Failure Transport::makeGroup(const std::vector<int64_t> &ranks, void *&group) {
  char why[512] = "";
  if (plugin_.make_group(ranks.data(), static_cast<int64_t>(ranks.size()), &group, why, sizeof why))
    return std::string(why);
  return std::nullopt;
}

Failure Transport::exchange(void *group, const std::vector<dmc_message> &sends,
                            const std::vector<dmc_message> &receives, const Watch &watch) {
  if (sends.empty() && receives.empty())
    return std::nullopt;
  char why[512] = "";
  void *request = nullptr;
  if (plugin_.exchange(group, sends.data(), static_cast<int64_t>(sends.size()), receives.data(),
                       static_cast<int64_t>(receives.size()), &request, why, sizeof why))
    return std::string(why);
  return wait(request, watch);
}

Failure Transport::broadcast(void *group, int64_t root, void *data, int64_t bytes,
                             const Watch &watch) {
  char why[512] = "";
  void *request = nullptr;
  if (bytes == 0)
    return std::nullopt;
  if (plugin_.broadcast(group, root, data, bytes, &request, why, sizeof why))
    return std::string(why);
  return wait(request, watch);
}

Failure Transport::allGather(const void *mine, int64_t bytes, std::vector<uint8_t> &all) {
  all.resize(static_cast<size_t>(size_ * bytes));
  if (bytes == 0)
    return std::nullopt;
  std::memcpy(all.data() + rank_ * bytes, mine, static_cast<size_t>(bytes));
  // Around a ring: each process talks to two others, however many there are.
  for (int64_t step = 0; step + 1 < size_; ++step) {
    int64_t sent = (rank_ - step + size_) % size_, received = (sent - 1 + size_) % size_;
    dmc_message send{all.data() + sent * bytes, bytes, (rank_ + 1) % size_};
    dmc_message receive{all.data() + received * bytes, bytes, (rank_ - 1 + size_) % size_};
    if (auto why = exchange(nullptr, {send}, {receive}))
      return why;
  }
  return std::nullopt;
}

void Transport::sendNote(int64_t rank, const void *data, int64_t bytes) const {
  plugin_.send_note(rank, data, bytes);
}

bool Transport::receiveNote(int64_t &rank, void *data, int64_t bytes) const {
  return plugin_.receive_note(&rank, data, bytes) != 0;
}

Failure Transport::checkProcesses() const {
  char why[512] = "";
  return plugin_.check(why, sizeof why) ? Failure(why) : std::nullopt;
}

Failure Transport::agree(const Failure &mine) {
  // 0: no failure, 1: one that another process explains, 2: one with a text.
  uint8_t state = !mine ? 0 : mine->empty() ? 1 : 2;
  std::vector<uint8_t> states;
  if (auto why = allGather(&state, 1, states))
    return why;
  bool hasFailed = false;
  for (int64_t r = 0; r < size_; ++r) {
    hasFailed |= states[r] != 0;
    if (states[r] == 2)
      return r == rank_ ? mine : Failure(std::string());
  }
  return hasFailed ? Failure(std::string()) : std::nullopt;
}

void Transport::abort(int code) const {
  plugin_.abort(code);
  std::_Exit(code); // it does not come back, but nothing says so
}
