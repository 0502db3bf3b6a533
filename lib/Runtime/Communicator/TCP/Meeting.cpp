//===- Meeting.cpp - All processes of a job find each other ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Meeting.h"
#include "Socket.h"

#include <cstdio>
#include <cstring>

#include <unistd.h>

using namespace dmc::tcp;

namespace {

/// What a process says first on a connection that it makes; the version of all messages.
struct Hello {
  char magic[16] = "dmc job 1";
  int64_t rank = 0, size = 0, port = 0;
  char host[64] = "";
};

/// What the first process answers for each rank.
struct Entry {
  char address[64] = "", host[64] = "";
  int64_t port = 0;
};

class Meeting {
public:
  Meeting(const Launch &launch, Connections &connections)
      : launch_(launch), connections_(connections),
        deadline_(Clock::now() +
                  std::chrono::milliseconds(static_cast<int64_t>(1000 * launch.connectSeconds))),
        entries_(static_cast<size_t>(launch.size)) {
    connections.sockets.assign(entries_.size(), -1);
    connections.hosts.resize(entries_.size());
  }
  ~Meeting() {
    if (listener_ >= 0)
      close(listener_);
  }
  std::string run();

private:
  std::string gather();
  std::string ask();
  std::string connectToLower();
  std::string acceptHigher(int64_t first, int64_t count);
  std::string self() const { return "rank " + std::to_string(launch_.rank); }
  std::string within() const {
    char text[32];
    std::snprintf(text, sizeof text, " within %.3g s", launch_.connectSeconds);
    return text;
  }

  const Launch &launch_;
  Connections &connections_;
  Deadline deadline_;
  std::vector<Entry> entries_;
  int listener_ = -1;
  int64_t port_ = 0;
};

} // namespace

/// Takes connections until so many ranks from `first` on have come.
std::string Meeting::acceptHigher(int64_t first, int64_t count) {
  while (count > 0) {
    int made = acceptFrom(listener_, deadline_);
    if (made < 0) {
      std::string missing;
      for (int64_t rank = first; rank < launch_.size; ++rank)
        if (connections_.sockets[static_cast<size_t>(rank)] < 0)
          missing += (missing.empty() ? "rank " : ", ") + std::to_string(rank);
      return missing + " did not connect to " + self() + " at port " + std::to_string(port_) +
             within();
    }
    Hello hello;
    if (!receiveAll(made, &hello, sizeof hello, deadline_) ||
        std::strncmp(hello.magic, Hello().magic, sizeof hello.magic) != 0) {
      close(made); // not a process of a job
      continue;
    }
    std::string who = "rank " + std::to_string(hello.rank) + " on " + hello.host;
    if (hello.size != launch_.size)
      return who + " expects " + std::to_string(hello.size) + " processes, " + self() +
             " expects " + std::to_string(launch_.size);
    if (hello.rank < first || hello.rank >= launch_.size ||
        connections_.sockets[static_cast<size_t>(hello.rank)] >= 0)
      return "two processes are " + who;
    Entry &entry = entries_[static_cast<size_t>(hello.rank)];
    std::snprintf(entry.address, sizeof entry.address, "%s", addressOfPeer(made).c_str());
    std::snprintf(entry.host, sizeof entry.host, "%s", hello.host);
    entry.port = hello.port;
    connections_.sockets[static_cast<size_t>(hello.rank)] = made;
    --count;
  }
  return "";
}

/// The first process: waits for all others, and tells each where they are or what is wrong.
std::string Meeting::gather() {
  gethostname(entries_[0].host, sizeof entries_[0].host - 1);
  std::string why = acceptHigher(1, launch_.size - 1);
  char answer[256] = "";
  std::snprintf(answer, sizeof answer, "%s", why.c_str());
  for (int socket : connections_.sockets)
    if (socket >= 0 &&
        (!sendAll(socket, answer, sizeof answer, deadline_) ||
         !sendAll(socket, entries_.data(), entries_.size() * sizeof(Entry), deadline_)) &&
        why.empty())
      why = "a process has ended while others connect";
  return why;
}

/// Another one.
std::string Meeting::ask() {
  std::string why, first = launch_.host + ":" + std::to_string(launch_.port);
  int made = connectTo(launch_.host, launch_.port, deadline_, why);
  if (made < 0)
    return self() + " cannot reach rank 0 at " + first + within() + ": " + why;
  connections_.sockets[0] = made;
  Hello hello;
  hello.rank = launch_.rank;
  hello.size = launch_.size;
  hello.port = port_;
  gethostname(hello.host, sizeof hello.host - 1);
  char answer[256] = "";
  // The first process waits for the others for as long.
  Deadline later = deadline_ + (deadline_ - Clock::now()) + std::chrono::seconds(1);
  if (!sendAll(made, &hello, sizeof hello, deadline_) ||
      !receiveAll(made, answer, sizeof answer, later) ||
      !receiveAll(made, entries_.data(), entries_.size() * sizeof(Entry), later))
    return self() + " has no answer from rank 0 at " + first +
           ": it has ended, or what listens "
           "there is not a job of dmc";
  answer[sizeof answer - 1] = '\0';
  return answer;
}

std::string Meeting::connectToLower() {
  for (int64_t rank = 1; rank < launch_.rank; ++rank) {
    const Entry &entry = entries_[static_cast<size_t>(rank)];
    // Processes beside the first one have an address that only they can use.
    std::string host = isLoopback(entry.address) ? launch_.host : entry.address, why;
    int made = connectTo(host, entry.port, deadline_, why);
    if (made < 0)
      return self() + " cannot reach rank " + std::to_string(rank) + " at " + host + ":" +
             std::to_string(entry.port) + within() + ": " + why;
    connections_.sockets[static_cast<size_t>(rank)] = made;
    Hello hello;
    hello.rank = launch_.rank;
    hello.size = launch_.size;
    if (!sendAll(made, &hello, sizeof hello, deadline_))
      return self() + " has lost rank " + std::to_string(rank) + " at " + host;
  }
  return "";
}

std::string Meeting::run() {
  bool isFirst = launch_.rank == 0;
  std::string why;
  port_ = isFirst ? launch_.port : 0;
  listener_ = listenAt(port_, static_cast<int>(launch_.size), why);
  if (listener_ < 0)
    return self() + " cannot listen at port " + std::to_string(port_) + ": " + why +
           (isFirst ? "; MASTER_PORT names another one" : "");
  std::vector<Entry> known;
  why = isFirst ? gather() : ask();
  if (why.empty() && !isFirst) {
    known = entries_;
    why = connectToLower();
    if (why.empty())
      why = acceptHigher(launch_.rank + 1, launch_.size - 1 - launch_.rank);
    entries_ = known;
  }
  for (size_t rank = 0; rank < entries_.size(); ++rank)
    connections_.hosts[rank] = entries_[rank].host;
  return why;
}

std::string dmc::tcp::meet(const Launch &launch, Connections &connections) {
  return Meeting(launch, connections).run();
}
