//===- Socket.cpp - Connections with a time limit -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All sockets do not block.
//
//===----------------------------------------------------------------------===//

#include "Socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace dmc::tcp;

static int makeSocket(int family) {
  int made = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int on = 1;
  if (made >= 0) {
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(made, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  }
  return made;
}

/// Whether something happens at the socket by the deadline.
static bool awaitEvent(int socket, short events, Deadline deadline) {
  pollfd waiting = {socket, events, 0};
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    int found = poll(&waiting, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (found > 0)
      return true;
    if (found == 0 || errno != EINTR)
      return false;
  }
}

int dmc::tcp::listenAt(int64_t &port, int backlog, std::string &why) {
  // Both kinds of addresses, or those of version 4 where there are no others.
  for (int family : {AF_INET6, AF_INET}) {
    int made = makeSocket(family);
    if (made < 0)
      continue;
    int on = 1, off = 0;
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in6 address6 = {};
    sockaddr_in address4 = {};
    if (family == AF_INET6)
      setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    address6.sin6_family = AF_INET6;
    address4.sin_family = AF_INET;
    address6.sin6_port = address4.sin_port = htons(static_cast<uint16_t>(port));
    auto *address = family == AF_INET6 ? reinterpret_cast<sockaddr *>(&address6)
                                       : reinterpret_cast<sockaddr *>(&address4);
    socklen_t length = family == AF_INET6 ? sizeof address6 : sizeof address4;
    if (!bind(made, address, length) && !listen(made, backlog) &&
        !getsockname(made, address, &length)) {
      port = ntohs(family == AF_INET6 ? address6.sin6_port : address4.sin_port);
      return made;
    }
    why = std::strerror(errno);
    close(made);
  }
  return -1;
}

/// One attempt.
static int connectOnce(const addrinfo &to, Deadline deadline, std::string &why) {
  int made = makeSocket(to.ai_family);
  int error = 0;
  socklen_t length = sizeof error;
  if (made < 0 || (connect(made, to.ai_addr, to.ai_addrlen) && errno != EINPROGRESS))
    error = errno;
  else if (!awaitEvent(made, POLLOUT, deadline))
    error = ETIMEDOUT;
  else
    getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &length);
  if (!error)
    return made;
  why = std::strerror(error);
  if (made >= 0)
    close(made);
  return -1;
}

int dmc::tcp::connectTo(const std::string &host, int64_t port, Deadline deadline,
                        std::string &why) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  while (true) {
    addrinfo *found = nullptr;
    if (int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found)) {
      why = gai_strerror(code);
      if (code != EAI_AGAIN)
        return -1; // no such host
    }
    int made = -1;
    for (addrinfo *to = found; to && made < 0; to = to->ai_next)
      made = connectOnce(*to, deadline, why);
    if (found)
      freeaddrinfo(found);
    if (made >= 0 || Clock::now() >= deadline)
      return made;
    usleep(20000); // the other process may not have started yet
  }
}

int dmc::tcp::acceptFrom(int listener, Deadline deadline) {
  while (awaitEvent(listener, POLLIN, deadline)) {
    int made = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (made < 0)
      continue;
    int on = 1;
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(made, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return made;
  }
  return -1;
}

bool dmc::tcp::sendAll(int socket, const void *data, size_t bytes, Deadline deadline) {
  const auto *at = static_cast<const char *>(data);
  while (bytes) {
    ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      return false;
    if (sent <= 0) {
      if (!awaitEvent(socket, POLLOUT, deadline))
        return false;
      continue;
    }
    at += sent;
    bytes -= static_cast<size_t>(sent);
  }
  return true;
}

bool dmc::tcp::receiveAll(int socket, void *data, size_t bytes, Deadline deadline) {
  auto *at = static_cast<char *>(data);
  while (bytes) {
    ssize_t received = recv(socket, at, bytes, 0);
    if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR))
      return false;
    if (received < 0) {
      if (!awaitEvent(socket, POLLIN, deadline))
        return false;
      continue;
    }
    at += received;
    bytes -= static_cast<size_t>(received);
  }
  return true;
}

std::string dmc::tcp::addressOfPeer(int socket) {
  sockaddr_storage address = {};
  socklen_t length = sizeof address;
  char text[NI_MAXHOST] = "";
  getpeername(socket, reinterpret_cast<sockaddr *>(&address), &length);
  getnameinfo(reinterpret_cast<sockaddr *>(&address), length, text, sizeof text, nullptr, 0,
              NI_NUMERICHOST);
  std::string found = text;
  const std::string mapped = "::ffff:"; // an address of version 4
  return found.compare(0, mapped.size(), mapped) ? found : found.substr(mapped.size());
}

bool dmc::tcp::isLoopback(const std::string &address) {
  return address.compare(0, 4, "127.") == 0 || address == "::1";
}
