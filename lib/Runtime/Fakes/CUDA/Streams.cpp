//===- Streams.cpp - Streams, events and host functions -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Call.h"

#include <algorithm>

using namespace dmc;
using namespace dmc::fakes;

/// A call that waits for a stream, or asks it, ends a capture of it.
static Result refuseInCapture(Capture &capture) {
  capture.isInvalid = true;
  return Result::StreamCaptureUnsupported;
}

/// The last record of an event of which the host wants to know; null if there was none.
static Result recordOf(CUevent handle, std::shared_ptr<Operation> &operation, Context *&context) {
  std::shared_ptr<Event> event = simulation().events.find(handle);
  if (!event)
    return Result::InvalidHandle;
  if (event->capture) {
    event->capture->isInvalid = true;
    return Result::CapturedEvent;
  }
  operation = event->operation;
  context = event->context;
  return Result::Success;
}

/// Makes a stream's next operation come after an event that was captured.
static Result joinCapture(Stream &stream, const std::shared_ptr<Stream> &shared,
                          const Event &event) {
  const std::shared_ptr<Capture> &capture = event.capture;
  if (capture->isEnded)
    return Result::Success; // of a graph that was made: nothing to wait for outside of it
  if (capture->isInvalid)
    return Result::StreamCaptureInvalidated;
  if (stream.isDefault)
    return Result::StreamCaptureImplicit;
  if (stream.capture && stream.capture != capture) {
    stream.capture->isInvalid = capture->isInvalid = true;
    return Result::StreamCaptureMerge;
  }
  if (!stream.capture) {
    stream.capture = capture;
    stream.before.clear();
    auto &streams = capture->streams;
    if (std::find(streams.begin(), streams.end(), shared) == streams.end())
      streams.push_back(shared);
  }
  for (size_t node : event.before)
    if (std::find(stream.before.begin(), stream.before.end(), node) == stream.before.end())
      stream.before.push_back(node);
  return Result::Success;
}

namespace dmc::cuda {
extern "C" {

Result cuStreamCreateWithPriority(CUstream *handle, unsigned flags, int priority) {
  Call call("cuStreamCreateWithPriority", flags, priority);
  return call.inContext([&](Context &context, Lock &) {
    if (!handle || flags > streamNonBlocking)
      return Result::InvalidValue;
    auto stream = makeStream(context, "stream " + std::to_string(++context.numStreams));
    stream->isBlocking = !(flags & streamNonBlocking);
    *handle = simulation().streams.add<CUstream>(std::move(stream));
    return Result::Success;
  });
}

Result cuStreamDestroy_v2(CUstream handle) {
  return Call("cuStreamDestroy_v2", handle).inContext([&](Context &context, Lock &) {
    std::shared_ptr<Stream> stream = simulation().streams.find(handle);
    if (!stream || stream->context != &context)
      return Result::InvalidHandle;
    if (stream->capture)
      return refuseInCapture(*stream->capture);
    simulation().streams.erase(handle); // its work is still executed
    return Result::Success;
  });
}

Result cuStreamSynchronize(CUstream handle) {
  return Call("cuStreamSynchronize", handle).inContext([&](Context &context, Lock &lock) {
    std::shared_ptr<Stream> stream = streamOf(context, handle);
    if (!stream)
      return Result::InvalidHandle;
    if (stream->capture)
      return refuseInCapture(*stream->capture);
    return wait(lock, context, stream->last);
  });
}

Result cuStreamQuery(CUstream handle) {
  return Call("cuStreamQuery", handle).inContext([&](Context &context, Lock &lock) {
    std::shared_ptr<Stream> stream = streamOf(context, handle);
    if (!stream)
      return Result::InvalidHandle;
    if (stream->capture)
      return refuseInCapture(*stream->capture);
    return query(lock, context, stream->last);
  });
}

Result cuStreamWaitEvent(CUstream handle, CUevent eventHandle, unsigned flags) {
  Call call("cuStreamWaitEvent", handle, eventHandle, flags);
  return call.inContext([&](Context &context, Lock &) {
    std::shared_ptr<Stream> stream = streamOf(context, handle);
    std::shared_ptr<Event> event = simulation().events.find(eventHandle);
    if (!stream || !event)
      return Result::InvalidHandle;
    if (flags)
      return refuse(Result::NotSupported, "unsupported: flags of cuStreamWaitEvent");
    if (event->capture)
      return joinCapture(*stream, stream, *event);
    if (!event->operation)
      return Result::Success;
    if (stream->capture) {
      stream->capture->isInvalid = true;
      return Result::StreamCaptureIsolation;
    }
    Work work;
    work.name = "wait for an event";
    enqueue(stream, std::make_shared<Work>(std::move(work)), {event->operation});
    return Result::Success;
  });
}

Result cuEventCreate(CUevent *handle, unsigned flags) {
  return Call("cuEventCreate", flags).inContext([&](Context &context, Lock &) {
    if (!handle || flags > (eventBlockingSync | eventDisableTiming | eventInterprocess))
      return Result::InvalidValue;
    if (flags & eventInterprocess)
      return refuse(Result::NotSupported, "unsupported: events of several processes");
    auto event = std::make_shared<Event>();
    event->context = &context;
    event->hasTime = !(flags & eventDisableTiming);
    *handle = simulation().events.add<CUevent>(std::move(event));
    return Result::Success;
  });
}

Result cuEventRecord(CUevent handle, CUstream streamHandle) {
  return Call("cuEventRecord", handle, streamHandle).inContext([&](Context &context, Lock &) {
    std::shared_ptr<Event> event = simulation().events.find(handle);
    std::shared_ptr<Stream> stream = streamOf(context, streamHandle);
    if (!event || !stream || event->context != &context)
      return Result::InvalidHandle;
    if (stream->capture) {
      if (stream->capture->isInvalid)
        return Result::StreamCaptureInvalidated;
      event->capture = stream->capture;
      event->before = stream->before;
      return Result::Success;
    }
    Work work;
    work.name = "event";
    std::shared_ptr<Operation> operation;
    Result result = submit(stream, std::move(work), &operation);
    if (result == Result::Success) {
      event->operation = operation;
      event->capture.reset();
    }
    return result;
  });
}

Result cuEventRecordWithFlags(CUevent handle, CUstream streamHandle, unsigned flags) {
  if (!flags)
    return cuEventRecord(handle, streamHandle);
  Call call("cuEventRecordWithFlags", handle, streamHandle, flags);
  return call.inContext([&](Context &context, Lock &) {
    std::shared_ptr<Event> event = simulation().events.find(handle);
    std::shared_ptr<Stream> stream = streamOf(context, streamHandle);
    if (!event || !stream || event->context != &context)
      return Result::InvalidHandle;
    if (flags != eventRecordExternal || !stream->capture)
      return Result::InvalidValue;
    Work work;
    work.name = "event of a graph";
    work.event = std::move(event);
    return submit(stream, std::move(work));
  });
}

Result cuEventQuery(CUevent handle) {
  return Call("cuEventQuery", handle).initialized([&](Lock &lock) {
    std::shared_ptr<Operation> operation;
    Context *context = nullptr;
    Result result = recordOf(handle, operation, context);
    if (result == Result::Success && isUnsafeInCapture())
      return Result::StreamCaptureUnsupported;
    return result == Result::Success ? query(lock, *context, operation) : result;
  });
}

Result cuEventSynchronize(CUevent handle) {
  return Call("cuEventSynchronize", handle).initialized([&](Lock &lock) {
    std::shared_ptr<Operation> operation;
    Context *context = nullptr;
    Result result = recordOf(handle, operation, context);
    if (result == Result::Success && isUnsafeInCapture())
      return Result::StreamCaptureUnsupported;
    return result == Result::Success ? wait(lock, *context, operation) : result;
  });
}

Result cuEventElapsedTime_v2(float *milliseconds, CUevent startHandle, CUevent endHandle) {
  return Call("cuEventElapsedTime_v2", startHandle, endHandle).initialized([&](Lock &) {
    std::shared_ptr<Event> start = simulation().events.find(startHandle);
    std::shared_ptr<Event> end = simulation().events.find(endHandle);
    if (!milliseconds)
      return Result::InvalidValue;
    if (!start || !end || !start->hasTime || !end->hasTime || !start->operation ||
        !end->operation || start->context != end->context)
      return Result::InvalidHandle;
    if (!start->operation->isDone || !end->operation->isDone)
      return Result::NotReady;
    *milliseconds = static_cast<float>(1e3 * (end->operation->end - start->operation->end));
    return Result::Success;
  });
}

Result cuEventDestroy_v2(CUevent handle) {
  return Call("cuEventDestroy_v2", handle).initialized([&](Lock &) {
    if (!simulation().events.find(handle))
      return Result::InvalidHandle;
    simulation().events.erase(handle); // its record stays for those that wait for it
    return Result::Success;
  });
}

Result cuLaunchHostFunc(CUstream handle, CUhostFn function, void *data) {
  return Call("cuLaunchHostFunc", handle).inContext([&](Context &context, Lock &) {
    std::shared_ptr<Stream> stream = streamOf(context, handle);
    if (!stream)
      return Result::InvalidHandle;
    if (!function)
      return Result::InvalidValue;
    Work work;
    work.name = "host function";
    work.run = [=](Operation &) {
      function(data);
      return 0.0;
    };
    return submit(stream, std::move(work));
  });
}

} // extern "C"
} // namespace dmc::cuda
