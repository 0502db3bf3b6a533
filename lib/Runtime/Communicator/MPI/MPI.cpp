//===- MPI.cpp - Processes of an MPI job ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin that carries bytes between ranks by MPI: messages between two
// processes and broadcasts. What is computed on the way is the runtime's.
//
//===----------------------------------------------------------------------===//

#include "dmc/Runtime/TransportPlugin.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <list>
#include <memory>
#include <vector>

#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

namespace {

/// Counts are `int`: longer messages go in pieces, in order.
constexpr int64_t maxPiece = int64_t(1) << 30;

struct Request {
  std::vector<MPI_Request> pieces;
};

struct Note {
  std::vector<char> data;
  MPI_Request request = MPI_REQUEST_NULL;
};

struct Job {
  MPI_Comm data = MPI_COMM_NULL, notes = MPI_COMM_NULL;
  std::list<MPI_Comm> groups;
  std::list<Note> sent;
};

Job &job() {
  static Job theJob;
  return theJob;
}

int32_t check(int code, const char *what, char *error, int64_t errorSize) {
  if (code == MPI_SUCCESS)
    return 0;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::snprintf(error, static_cast<size_t>(errorSize), "MPI: %s: %s", what, text);
  return 1;
}

MPI_Comm communicator(void *group) { return group ? *static_cast<MPI_Comm *>(group) : job().data; }

const char *name() {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING] = "MPI";
  int length = 0;
  MPI_Get_library_version(text, &length);
  text[std::strcspn(text, ",\n")] = '\0';
  return text;
}

int32_t start(int64_t *rank, int64_t *size, int64_t *localRank, int64_t *localSize, char *error,
              int64_t errorSize) {
  int provided = 0, number = 0;
  if (check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "cannot start",
            error, errorSize))
    return 1;
  if (provided < MPI_THREAD_FUNNELED) {
    std::snprintf(error, static_cast<size_t>(errorSize), "MPI: does not support threads");
    return 1;
  }
  // Inherited by the communicators made from it.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  *rank = number;
  MPI_Comm_size(MPI_COMM_WORLD, &number);
  *size = number;
  MPI_Comm local;
  if (check(MPI_Comm_dup(MPI_COMM_WORLD, &job().data), "no communicator", error, errorSize) ||
      check(MPI_Comm_dup(MPI_COMM_WORLD, &job().notes), "no communicator", error, errorSize) ||
      check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local),
            "no communicator", error, errorSize))
    return 1;
  MPI_Comm_rank(local, &number);
  *localRank = number;
  MPI_Comm_size(local, &number);
  *localSize = number;
  MPI_Comm_free(&local);
  return 0;
}

void finish() {
  for (Note &note : job().sent) {
    // Nobody waits for notes: what has not gone by now need not.
    int done = 0;
    MPI_Test(&note.request, &done, MPI_STATUS_IGNORE);
    if (!done) {
      MPI_Cancel(&note.request);
      MPI_Request_free(&note.request);
    }
  }
  MPI_Finalize();
}

void abortJob(int32_t code) { MPI_Abort(MPI_COMM_WORLD, code); }

int32_t makeGroup(const int64_t *ranks, int64_t size, void **group, char *error,
                  int64_t errorSize) {
  std::vector<int> members(ranks, ranks + size);
  MPI_Group world, part;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(job().data, &world);
  int code = MPI_Group_incl(world, static_cast<int>(size), members.data(), &part);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_create_group(job().data, part, /*tag=*/0, &made);
  if (check(code, "cannot make a communicator", error, errorSize))
    return 1;
  MPI_Group_free(&part);
  MPI_Group_free(&world);
  job().groups.push_back(made);
  *group = static_cast<void *>(&job().groups.back());
  return 0;
}

/// Calls `post(data, count, request)` for every piece.
template <typename Post>
int inPieces(Request &request, void *data, int64_t bytes, Post post) {
  auto *at = static_cast<char *>(data);
  while (bytes > 0) {
    int count = static_cast<int>(std::min(bytes, maxPiece));
    request.pieces.push_back(MPI_REQUEST_NULL);
    if (int code = post(at, count, &request.pieces.back()))
      return code;
    at += count;
    bytes -= count;
  }
  return MPI_SUCCESS;
}

int32_t exchange(void *group, const dmc_message *sends, int64_t numSends,
                 const dmc_message *receives, int64_t numReceives, void **result, char *error,
                 int64_t errorSize) {
  MPI_Comm comm = communicator(group);
  auto request = std::make_unique<Request>();
  for (int64_t i = 0; i < numReceives; ++i) {
    auto post = [&](void *data, int count, MPI_Request *piece) {
      return MPI_Irecv(data, count, MPI_BYTE, static_cast<int>(receives[i].peer), 0, comm, piece);
    };
    if (check(inPieces(*request, receives[i].data, receives[i].bytes, post), "cannot receive",
              error, errorSize))
      return 1;
  }
  for (int64_t i = 0; i < numSends; ++i) {
    auto post = [&](void *data, int count, MPI_Request *piece) {
      return MPI_Isend(data, count, MPI_BYTE, static_cast<int>(sends[i].peer), 0, comm, piece);
    };
    if (check(inPieces(*request, sends[i].data, sends[i].bytes, post), "cannot send", error,
              errorSize))
      return 1;
  }
  *result = request.release();
  return 0;
}

int32_t broadcast(void *group, int64_t root, void *data, int64_t bytes, void **result, char *error,
                  int64_t errorSize) {
  MPI_Comm comm = communicator(group);
  auto request = std::make_unique<Request>();
  auto post = [&](void *at, int count, MPI_Request *piece) {
    return MPI_Ibcast(at, count, MPI_BYTE, static_cast<int>(root), comm, piece);
  };
  if (check(inPieces(*request, data, bytes, post), "cannot broadcast", error, errorSize))
    return 1;
  *result = request.release();
  return 0;
}

int32_t test(void *opaque, int32_t *done, char *error, int64_t errorSize) {
  auto *request = static_cast<Request *>(opaque);
  int flag = 0;
  int code = MPI_Testall(static_cast<int>(request->pieces.size()), request->pieces.data(), &flag,
                         MPI_STATUSES_IGNORE);
  *done = flag;
  if (flag || code != MPI_SUCCESS)
    delete request;
  return check(code, "a transfer failed", error, errorSize);
}

void sendNote(int64_t rank, const void *data, int64_t bytes) {
  std::list<Note> &sent = job().sent;
  sent.remove_if([](Note &note) {
    int done = 0;
    MPI_Test(&note.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  const auto *begin = static_cast<const char *>(data);
  sent.push_back({{begin, begin + bytes}});
  MPI_Isend(sent.back().data.data(), static_cast<int>(bytes), MPI_BYTE, static_cast<int>(rank), 0,
            job().notes, &sent.back().request);
}

int32_t receiveNote(int64_t *rank, void *data, int64_t bytes) {
  int found = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, 0, job().notes, &found, &status) != MPI_SUCCESS || !found)
    return 0;
  *rank = status.MPI_SOURCE;
  return MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, status.MPI_SOURCE, 0, job().notes,
                  MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

/// What starts the processes ends them with the first that is killed.
int32_t checkProcesses(char *, int64_t) { return 0; }

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
                                      checkProcesses};
  return version == DMC_TRANSPORT_ABI_VERSION ? &table : nullptr;
}
