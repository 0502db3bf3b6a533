//===- Queue.h - Streams, and when their work is executed -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work waits in its stream until a thread synchronises or asks whether something is done. Then
// operations of any stream of the context run, one after the other, in an order that streams and
// events allow and the seed selects.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_FAKES_CUDA_QUEUE_H
#define DMC_LIB_RUNTIME_FAKES_CUDA_QUEUE_H

#include "Fakes/CUDA/Simulation.h"

namespace dmc::fakes {

using Operations = std::vector<std::shared_ptr<Operation>>;

/// A new stream of a context, of which `name` is what reports call it.
std::shared_ptr<Stream> makeStream(Context &context, const std::string &name);

/// Appends work to a stream, after other operations too.
std::shared_ptr<Operation> enqueue(const std::shared_ptr<Stream> &stream,
                                   std::shared_ptr<const Work> work,
                                   const Operations &dependencies = {});

/// As enqueue, or appends to the capture that the stream is part of; then `operation` stays null.
Result submit(const std::shared_ptr<Stream> &stream, Work work,
              std::shared_ptr<Operation> *operation = nullptr);

/// Waits for an operation: executes work meanwhile. What the context has reported is the result.
Result wait(Lock &lock, Context &context, const std::shared_ptr<Operation> &operation);
/// Executes a little work. Whether the operation is done then, as Success or NotReady.
Result query(Lock &lock, Context &context, const std::shared_ptr<Operation> &operation);
/// Waits until no thread executes work of the context: then its memory may be changed.
void quiesce(Lock &lock, Context &context);

/// Whether the host has waited for all that was ever given to the context.
bool isIdle(const Context &context);
/// Whether the host has waited for the operation.
bool isHostOrdered(const Context &context, uint32_t operation);

/// Asks waiting threads to look again. Needs no lock.
void wake();

} // namespace dmc::fakes

#endif // DMC_LIB_RUNTIME_FAKES_CUDA_QUEUE_H
