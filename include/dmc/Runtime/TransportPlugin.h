// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- TransportPlugin.h - How processes of one job talk ---------*- C -*-===*
 *
 * The C ABI between the runtime and a plugin around a message-passing library,
 * loaded where ranks are processes. It exports DMC_TRANSPORT_SYMBOL.
 *
 *===----------------------------------------------------------------------===*/
#ifndef DMC_RUNTIME_TRANSPORTPLUGIN_H
#define DMC_RUNTIME_TRANSPORTPLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DMC_TRANSPORT_ABI_VERSION 2
#define DMC_TRANSPORT_SYMBOL "dmc_transport_query"

/* One message of an exchange; the peer is a position in the group. Bytes may
 * exceed what the library takes at once. */
typedef struct dmc_message {
  void *data; /* only read where it is sent */
  int64_t bytes;
  int64_t peer;
} dmc_message;

/* One thread calls all of it. Functions return 0, or nonzero after having written
 * why into `error`. A null group is that of all processes. */
typedef struct dmc_transport {
  uint32_t abi_version;
  uint32_t reserved;
  const char *(*name)(void); /* "Open MPI v4.1.4" */
  /* Joins the job. `local_rank` and `local_size`: among its processes on this machine. */
  int32_t (*start)(int64_t *rank, int64_t *size, int64_t *local_rank, int64_t *local_size,
                   char *error, int64_t error_size);
  /* Leaves the job; all processes call it, after all requests have ended. */
  void (*finish)(void);
  /* Ends all processes of the job. */
  void (*abort)(int32_t code);
  /* Called by the members, who list the same ranks in the same order; two groups
   * with common members are made in the same order by both. Never freed. */
  int32_t (*make_group)(const int64_t *ranks, int64_t size, void **group, char *error,
                        int64_t error_size);
  /* Starts to send and to receive. At most one message from one member to another;
   * both sides agree on its bytes, of which there are more than 0. */
  int32_t (*exchange)(void *group, const dmc_message *sends, int64_t num_sends,
                      const dmc_message *receives, int64_t num_receives, void **request,
                      char *error, int64_t error_size);
  /* Starts to give the root's bytes to all members. */
  int32_t (*broadcast)(void *group, int64_t root, void *data, int64_t bytes, void **request,
                       char *error, int64_t error_size);
  /* Makes progress; a request that is done is gone. */
  int32_t (*test)(void *request, int32_t *done, char *error, int64_t error_size);
  /* Short messages aside from all groups, which nobody waits for. */
  void (*send_note)(int64_t rank, const void *data, int64_t bytes);
  /* Takes one note of that size, from any rank; 0 if none has arrived. */
  int32_t (*receive_note)(int64_t *rank, void *data, int64_t bytes);
  /* Nonzero, with what is known, once a process of the job has ended without leaving it. */
  int32_t (*check)(char *error, int64_t error_size);
} dmc_transport;

typedef const dmc_transport *(*dmc_transport_query_fn)(uint32_t abi_version);

#ifdef __cplusplus
}
#endif

#endif /* DMC_RUNTIME_TRANSPORTPLUGIN_H */
