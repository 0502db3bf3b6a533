//===- Call.h - What all functions of the simulated driver do ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_FAKES_CUDA_CALL_H
#define DMC_LIB_RUNTIME_FAKES_CUDA_CALL_H

#include "Fakes/CUDA/Queue.h"

#include <sstream>

namespace dmc::cuda {
// Exported, and with the signatures of the table.
extern "C" {
#define DMC_CUDA_FUNCTION(exported, name, parameters)                                              \
  __attribute__((visibility("default"))) Result exported parameters;
#include "CUDA/Driver.def"
}
} // namespace dmc::cuda

namespace dmc::fakes {

/// A call of a function: checks what all need, and writes the trace.
class Call {
public:
  template <typename... Arguments>
  explicit Call(const char *name, const Arguments &...arguments) : name_(name) {
    if (isTraced())
      (add(arguments), ...);
  }

  template <typename Body>
  Result anytime(Body body) {
    return trace(body());
  }
  /// With the lock, after cuInit and not from work in a stream.
  template <typename Body>
  Result initialized(Body body) {
    Lock lock(simulation().mutex);
    Result result = begin();
    if (result == Result::Success)
      result = body(lock);
    return trace(result);
  }
  /// As that, with the calling thread's current context.
  template <typename Body>
  Result inContext(Body body) {
    return initialized([&](Lock &lock) {
      Context *context = thread().current;
      if (!context)
        return Result::InvalidContext;
      if (!context->retained)
        return Result::ContextIsDestroyed;
      return body(*context, lock);
    });
  }

  static bool isTraced();

private:
  template <typename T>
  void add(const T &value) {
    std::ostringstream text;
    if constexpr (std::is_enum_v<T>)
      text << static_cast<int>(value);
    else if constexpr (std::is_same_v<T, const char *>)
      text << '"' << (value ? value : "") << '"';
    else if constexpr (std::is_same_v<T, unsigned char>)
      text << int(value);
    else if constexpr (std::is_pointer_v<T>)
      text << reinterpret_cast<const void *>(value);
    else if constexpr (std::is_same_v<T, CUdeviceptr>)
      text << "0x" << std::hex << value;
    else
      text << value;
    arguments_ += (arguments_.empty() ? "" : ", ") + text.str();
  }
  Result begin();
  Result trace(Result result);

  const char *name_;
  std::string arguments_;
};

/// The stream of a handle: null and the legacy handle name the default one. Null if there is no
/// such stream in the context.
std::shared_ptr<Stream> streamOf(Context &context, CUstream handle);

/// Invalidates the captures that forbid a call that may synchronise; whether there are any.
bool isUnsafeInCapture();

/// Whether any of these is null: arguments that a function writes to.
template <typename... Pointers>
bool isAnyNull(Pointers... pointers) {
  return (... || (pointers == nullptr));
}

} // namespace dmc::fakes

#endif // DMC_LIB_RUNTIME_FAKES_CUDA_CALL_H
