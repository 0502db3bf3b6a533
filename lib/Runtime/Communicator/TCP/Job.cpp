//===- Job.cpp - Processes that send by TCP -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin that carries bytes between the processes of torchrun or srun: one connection for each
// two of them. Messages go on while somebody asks for something.
//
//===----------------------------------------------------------------------===//

#include "Meeting.h"
#include "Socket.h"
#include "dmc/Runtime/TransportPlugin.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <memory>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace dmc::tcp;

namespace {

enum class Kind : uint32_t { Data, Note, Leave, Abort };

/// In front of each message. The tag is that of a group.
struct Header {
  Kind kind = Kind::Data;
  int32_t code = 0;
  uint64_t tag = 0, bytes = 0;
};

struct Request {
  int64_t pending = 0;
};

/// On its way out. What a request sends stays where it is until the request is done.
struct Outgoing {
  Header header;
  const char *data = nullptr;
  std::vector<char> own;
  uint64_t sent = 0; // with the header
  Request *request = nullptr;
};

struct Posted {
  uint64_t tag = 0, bytes = 0;
  char *data = nullptr;
  Request *request = nullptr;
};

struct Arrived {
  Header header;
  std::vector<char> data;
};

struct Peer {
  int socket = -1;
  std::string host;
  bool hasLeft = false, isLost = false;
  std::deque<Outgoing> out;
  std::list<Posted> posted;
  std::list<Arrived> arrived; // before anybody asked for it
  // The message that comes in.
  Header header;
  uint64_t received = 0; // with the header
  Posted target;
  std::vector<char> buffer;
};

struct Group {
  std::vector<int64_t> ranks;
  uint64_t tag = 0;
};

struct Job {
  int64_t rank = 0, size = 1;
  std::vector<Peer> peers;
  std::list<Group> groups;
  Group all;
  std::deque<std::pair<int64_t, std::vector<char>>> notes;
};

Job &job() {
  static Job theJob;
  return theJob;
}

const Group &groupAt(const void *group) {
  return group ? *static_cast<const Group *>(group) : job().all;
}

int32_t fail(const std::string &why, char *error, int64_t errorSize) {
  std::snprintf(error, static_cast<size_t>(errorSize), "TCP: %s", why.c_str());
  return 1;
}

//===----------------------------------------------------------------------===//
// Sending and receiving
//===----------------------------------------------------------------------===//

/// False if there is no room for more, or the connection is lost.
bool sendSome(Peer &peer, const void *from, uint64_t bytes, uint64_t &sent) {
  ssize_t count = send(peer.socket, from, bytes, MSG_NOSIGNAL);
  if (count > 0) {
    sent += static_cast<uint64_t>(count);
    return true;
  }
  peer.isLost |= count < 0 && errno != EAGAIN && errno != EINTR;
  return false;
}

void sendMore(Peer &peer) {
  while (!peer.out.empty() && !peer.isLost) {
    Outgoing &first = peer.out.front();
    constexpr uint64_t head = sizeof(Header);
    if (first.sent < head) {
      const char *from = reinterpret_cast<const char *>(&first.header) + first.sent;
      if (!sendSome(peer, from, head - first.sent, first.sent))
        return;
      continue;
    }
    uint64_t done = first.sent - head;
    if (done < first.header.bytes) {
      const char *from = (first.data ? first.data : first.own.data()) + done;
      if (!sendSome(peer, from, first.header.bytes - done, first.sent))
        return;
      continue;
    }
    if (first.request)
      --first.request->pending;
    peer.out.pop_front();
  }
}

/// The header is there: says where the rest goes.
void beginMessage(Peer &peer) {
  peer.target = {};
  if (peer.header.kind == Kind::Data)
    for (auto posted = peer.posted.begin(); posted != peer.posted.end(); ++posted)
      if (posted->tag == peer.header.tag) {
        peer.target = *posted;
        peer.posted.erase(posted);
        break;
      }
  // Both sides know how much it is.
  if (peer.target.request && peer.target.bytes != peer.header.bytes)
    peer.isLost = true;
  else if (!peer.target.request)
    peer.buffer.resize(peer.header.bytes);
}

void endMessage(int64_t rank, Peer &peer) {
  switch (peer.header.kind) {
  case Kind::Data:
    if (peer.target.request)
      --peer.target.request->pending;
    else
      peer.arrived.push_back({peer.header, std::move(peer.buffer)});
    break;
  case Kind::Note:
    job().notes.emplace_back(rank, std::move(peer.buffer));
    break;
  case Kind::Leave:
    peer.hasLeft = true;
    break;
  case Kind::Abort:
    std::fflush(nullptr);
    _exit(peer.header.code);
  }
  peer.buffer.clear();
  peer.received = 0;
}

void receiveMore(int64_t rank, Peer &peer) {
  constexpr uint64_t head = sizeof(Header);
  while (!peer.isLost) {
    bool isHead = peer.received < head;
    uint64_t done = isHead ? peer.received : peer.received - head;
    uint64_t left = (isHead ? head : peer.header.bytes) - done;
    if (left) {
      char *to = isHead                ? reinterpret_cast<char *>(&peer.header)
                 : peer.target.request ? peer.target.data
                                       : peer.buffer.data();
      ssize_t count = recv(peer.socket, to + done, left, 0);
      if (count <= 0) {
        peer.isLost |= count == 0 || (errno != EAGAIN && errno != EINTR);
        return;
      }
      peer.received += static_cast<uint64_t>(count);
      if (isHead && peer.received == head)
        beginMessage(peer);
    }
    if (peer.received >= head && peer.received == head + peer.header.bytes)
      endMessage(rank, peer);
  }
}

/// Sends and receives what can be, after so many milliseconds at most.
void progress(int milliseconds = 0) {
  std::vector<pollfd> waiting;
  std::vector<int64_t> ranks;
  for (int64_t rank = 0; rank < job().size; ++rank) {
    const Peer &peer = job().peers[static_cast<size_t>(rank)];
    if (peer.socket < 0 || peer.isLost)
      continue;
    waiting.push_back(
        {peer.socket, static_cast<short>(POLLIN | (peer.out.empty() ? 0 : POLLOUT)), 0});
    ranks.push_back(rank);
  }
  if (poll(waiting.data(), waiting.size(), milliseconds) <= 0)
    return;
  for (size_t i = 0; i < waiting.size(); ++i) {
    Peer &peer = job().peers[static_cast<size_t>(ranks[i])];
    if (waiting[i].revents & POLLOUT)
      sendMore(peer);
    if (waiting[i].revents & (POLLIN | POLLHUP | POLLERR))
      receiveMore(ranks[i], peer);
  }
}

void post(int64_t rank, Outgoing message) {
  Peer &peer = job().peers[static_cast<size_t>(rank)];
  if (peer.socket < 0 || peer.isLost)
    return;
  peer.out.push_back(std::move(message));
  sendMore(peer);
}

/// Which process has ended without leaving.
std::string describeLost() {
  for (int64_t rank = 0; rank < job().size; ++rank)
    if (const Peer &peer = job().peers[static_cast<size_t>(rank)]; peer.isLost && !peer.hasLeft)
      return "the connection to rank " + std::to_string(rank) + " on " + peer.host +
             " is lost: its process has ended";
  return "";
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

const char *name() { return "TCP"; }

/// From now on urgent bytes, which only an abort sends, end this process.
void endWhenUrgent(int socket) {
  struct sigaction action = {};
  action.sa_handler = [](int) { _exit(1); };
  sigaction(SIGURG, &action, nullptr);
  fcntl(socket, F_SETOWN, getpid());
}

int32_t start(int64_t *rank, int64_t *size, int64_t *localRank, int64_t *localSize, char *error,
              int64_t errorSize) {
  Launch launch;
  Connections connections;
  std::string why = readLaunch(launch);
  if (why.empty())
    why = meet(launch, connections);
  if (!why.empty())
    return fail(why, error, errorSize);
  Job &all = job();
  *rank = all.rank = launch.rank;
  *size = all.size = launch.size;
  *localRank = *localSize = 0;
  all.peers.resize(static_cast<size_t>(launch.size));
  for (int64_t other = 0; other < launch.size; ++other) {
    Peer &peer = all.peers[static_cast<size_t>(other)];
    peer.socket = connections.sockets[static_cast<size_t>(other)];
    peer.host = connections.hosts[static_cast<size_t>(other)];
    all.all.ranks.push_back(other);
    if (peer.socket >= 0)
      endWhenUrgent(peer.socket);
    bool isHere = peer.host == connections.hosts[static_cast<size_t>(launch.rank)];
    *localSize += isHere;
    *localRank += isHere && other < launch.rank;
  }
  return 0;
}

/// Until all have left: who goes earlier would take what it has sent with it.
void finish() {
  constexpr auto patience = std::chrono::seconds(10);
  Deadline deadline = Clock::now() + patience;
  for (int64_t rank = 0; rank < job().size; ++rank) {
    Outgoing message;
    message.header.kind = Kind::Leave;
    post(rank, std::move(message));
  }
  auto isOpen = [](const Peer &peer) {
    return peer.socket >= 0 && !peer.isLost && !(peer.hasLeft && peer.out.empty());
  };
  while (std::any_of(job().peers.begin(), job().peers.end(), isOpen) && Clock::now() < deadline)
    progress(10);
  for (Peer &peer : job().peers)
    if (peer.socket >= 0)
      close(peer.socket);
  job().peers.clear();
  job().size = 0;
}

void abortJob(int32_t code) {
  constexpr auto patience = std::chrono::seconds(2);
  Deadline deadline = Clock::now() + patience;
  for (int64_t rank = 0; rank < job().size; ++rank) {
    Outgoing message;
    message.header.kind = Kind::Abort;
    message.header.code = code;
    post(rank, std::move(message));
  }
  auto isOpen = [](const Peer &peer) {
    return peer.socket >= 0 && !peer.isLost && !peer.out.empty();
  };
  while (std::any_of(job().peers.begin(), job().peers.end(), isOpen) && Clock::now() < deadline)
    progress(10);
  // A process that is stuck reads no messages, but this interrupts it.
  for (const Peer &peer : job().peers)
    if (peer.socket >= 0)
      (void)send(peer.socket, "!", 1, MSG_OOB | MSG_NOSIGNAL);
  _exit(code);
}

int32_t makeGroup(const int64_t *ranks, int64_t size, void **group, char *, int64_t) {
  Group made;
  made.ranks.assign(ranks, ranks + size);
  // The same for all members, and for no other list: FNV-1a.
  made.tag = 0xcbf29ce484222325;
  for (int64_t rank : made.ranks)
    made.tag = (made.tag ^ static_cast<uint64_t>(rank)) * 0x100000001b3;
  job().groups.push_back(std::move(made));
  *group = &job().groups.back();
  return 0;
}

void postReceive(const Group &group, const dmc_message &message, Request *request) {
  Peer &peer = job().peers[static_cast<size_t>(group.ranks[static_cast<size_t>(message.peer)])];
  auto bytes = static_cast<uint64_t>(message.bytes);
  for (auto arrived = peer.arrived.begin(); arrived != peer.arrived.end(); ++arrived)
    if (arrived->header.tag == group.tag) {
      if (arrived->header.bytes != bytes) {
        peer.isLost = true;
        return;
      }
      std::memcpy(message.data, arrived->data.data(), bytes);
      peer.arrived.erase(arrived);
      --request->pending;
      return;
    }
  // Perhaps it comes in just now.
  bool comesIn = peer.received >= sizeof(Header) && peer.header.kind == Kind::Data &&
                 peer.header.tag == group.tag && !peer.target.request;
  if (comesIn && peer.header.bytes == bytes) {
    peer.target = {group.tag, bytes, static_cast<char *>(message.data), request};
    std::memcpy(message.data, peer.buffer.data(), peer.received - sizeof(Header));
    return;
  }
  peer.posted.push_back({group.tag, bytes, static_cast<char *>(message.data), request});
}

int32_t exchange(void *handle, const dmc_message *sends, int64_t numSends,
                 const dmc_message *receives, int64_t numReceives, void **result, char *, int64_t) {
  const Group &group = groupAt(handle);
  auto *request = new Request();
  request->pending = numSends + numReceives;
  for (int64_t i = 0; i < numReceives; ++i)
    postReceive(group, receives[i], request);
  for (int64_t i = 0; i < numSends; ++i) {
    Outgoing message;
    message.header.tag = group.tag;
    message.header.bytes = static_cast<uint64_t>(sends[i].bytes);
    message.data = static_cast<const char *>(sends[i].data);
    message.request = request;
    post(group.ranks[static_cast<size_t>(sends[i].peer)], std::move(message));
  }
  *result = request;
  return 0;
}

int32_t broadcast(void *handle, int64_t root, void *data, int64_t bytes, void **result, char *error,
                  int64_t errorSize) {
  const Group &group = groupAt(handle);
  std::vector<dmc_message> sends, receives;
  if (group.ranks[static_cast<size_t>(root)] != job().rank)
    receives.push_back({data, bytes, root});
  else
    for (size_t member = 0; member < group.ranks.size(); ++member)
      if (static_cast<int64_t>(member) != root)
        sends.push_back({data, bytes, static_cast<int64_t>(member)});
  return exchange(handle, sends.data(), static_cast<int64_t>(sends.size()), receives.data(),
                  static_cast<int64_t>(receives.size()), result, error, errorSize);
}

int32_t check(char *error, int64_t errorSize) {
  progress();
  std::string lost = describeLost();
  return lost.empty() ? 0 : fail(lost, error, errorSize);
}

int32_t test(void *opaque, int32_t *done, char *error, int64_t errorSize) {
  auto *request = static_cast<Request *>(opaque);
  if (request->pending)
    progress();
  *done = request->pending == 0;
  if (*done)
    delete request;
  std::string lost = *done ? "" : describeLost();
  return lost.empty() ? 0 : fail(lost, error, errorSize);
}

void sendNote(int64_t rank, const void *data, int64_t bytes) {
  Outgoing message;
  message.header.kind = Kind::Note;
  message.header.bytes = static_cast<uint64_t>(bytes);
  const auto *begin = static_cast<const char *>(data);
  message.own.assign(begin, begin + bytes);
  post(rank, std::move(message));
}

int32_t receiveNote(int64_t *rank, void *data, int64_t bytes) {
  std::deque<std::pair<int64_t, std::vector<char>>> &notes = job().notes;
  if (notes.empty())
    progress();
  if (notes.empty() || notes.front().second.size() != static_cast<size_t>(bytes))
    return 0;
  *rank = notes.front().first;
  std::memcpy(data, notes.front().second.data(), static_cast<size_t>(bytes));
  notes.pop_front();
  return 1;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const dmc_transport *
dmc_transport_query(uint32_t version) {
  static const dmc_transport table = {DMC_TRANSPORT_ABI_VERSION,
                                      0,
                                      name,
                                      start,
                                      finish,
                                      abortJob,
                                      makeGroup,
                                      exchange,
                                      broadcast,
                                      test,
                                      sendNote,
                                      receiveNote,
                                      check};
  return version == DMC_TRANSPORT_ABI_VERSION ? &table : nullptr;
}
