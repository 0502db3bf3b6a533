/*===- Enqueue.h - What fake libraries ask of the simulated driver -*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                     *|
|*                                                                            *|
|* Entries of the simulated libcuda.so.1 beyond those of a driver. By these   *|
|* the simulated NCCL and cuBLASLt put work into streams.                     *|
\*===----------------------------------------------------------------------===*/
#ifndef DMC_LIB_RUNTIME_FAKES_ENQUEUE_H
#define DMC_LIB_RUNTIME_FAKES_ENQUEUE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Bytes of device memory. */
typedef struct dmc_fake_range {
  uint64_t address, bytes;
} dmc_fake_range;

/* Appends work to a stream (null: the default stream) of the calling thread's current context.
 * When it is first in its stream `ready(data)` is asked (null: always ready) and then `body(data)`
 * runs once; `reads` and `writes` are checked as a kernel's accesses are. 0 or a CUresult. Both run
 * in any thread, with the context as its current one, and may call what is declared here but no
 * function of the driver. Where the stream is captured, both run for each launch of the graph.
 * `release(data)` (null: nothing) is called once the work cannot run any more, whether it ran, was
 * discarded with its context, or its graph has ended: it may call nothing. Without success, data
 * stays the caller's. */
int dmcFakeEnqueue(void *stream, const char *name, int (*ready)(void *data),
                   void (*body)(void *data), void (*release)(void *data), void *data,
                   const dmc_fake_range *reads, uint64_t num_reads, const dmc_fake_range *writes,
                   uint64_t num_writes);

/* Inside a body: where the bytes of device memory are on the host; null if they are not in one
 * allocation. */
void *dmcFakeHostAddress(uint64_t address, uint64_t bytes);

/* Inside a body or any call: records a report (kind such as "nccl order"), as the checks of the
 * driver do. */
void dmcFakeReport(const char *kind, const char *message);

/* Inside `ready` or a body: when the work can begin, in seconds of the modelled device's clock. */
double dmcFakeTime(void);
/* Inside a body: it takes at least so many seconds on the modelled device, beside a fixed cost. */
void dmcFakeTakes(double seconds);

/* Asks other threads' waits to look again, after something became ready. */
void dmcFakeWake(void);

/* How many operations of streams the calling thread has executed, in calls that wait or ask. */
uint64_t dmcFakeExecuted(void);

/* The seed, and the ordinal of the calling thread's current device, -1 if none. */
uint64_t dmcFakeSeed(void);
int dmcFakeDevice(void);

/* For tests: the reports since the process began or dmcFakeReset was called, and the text of one of
 * them, valid until the thread's next call. A reset forgets everything, and cuInit reads the
 * environment again; no other thread may be in a call. */
uint64_t dmcFakeReportCount(void);
const char *dmcFakeReportText(uint64_t number);
void dmcFakeReset(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* DMC_LIB_RUNTIME_FAKES_ENQUEUE_H */
