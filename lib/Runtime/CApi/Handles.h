//===- Handles.h - Sessions that callers in C hold --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_CAPI_HANDLES_H
#define DMC_LIB_RUNTIME_CAPI_HANDLES_H

#include "dmc-c/Runtime.h"
#include "dmc/Runtime/Session.h"

#include <exception>
#include <map>
#include <memory>
#include <mutex>

#include <unistd.h>

namespace dmc::runtime::capi {

/// Records why a call failed, for dmc_last_error of this thread. Returns 1.
int32_t fail(std::string why);
const char *lastError();

/// What a handle stands for.
struct Owned {
  explicit Owned(Library library) : library(std::move(library)) {}

  Library library; // outlives the session
  std::unique_ptr<Session> session;
  pid_t process = getpid();
  std::mutex inUse;
  bool isDestroyed = false; // guarded by inUse
  /// Per argument, the ranks that have a value.
  std::vector<std::vector<bool>> isSet;
  bool hasResults = false;
  std::vector<std::string> argumentLayouts, resultLayouts;
  std::string report;

  const dmc_program &program() const { return library.program(); }
  void markArgument(uint32_t index, bool value) { isSet[index].assign(isSet[index].size(), value); }
};

/// Handles count upwards, so that one that was destroyed is never mistaken for
/// another.
class Handles {
public:
  dmc_session *add(std::shared_ptr<Owned> owned) {
    std::lock_guard<std::mutex> lock(mutex_);
    // Looks aligned, as callers expect of pointers.
    auto *handle = reinterpret_cast<dmc_session *>(++last_ * 16);
    live_[handle] = std::move(owned);
    return handle;
  }
  std::shared_ptr<Owned> find(const dmc_session *handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = live_.find(handle);
    return found == live_.end() ? nullptr : found->second;
  }
  std::shared_ptr<Owned> remove(const dmc_session *handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = live_.find(handle);
    if (found == live_.end())
      return nullptr;
    auto owned = std::move(found->second);
    live_.erase(found);
    return owned;
  }

  /// What can neither be used nor be freed.
  void keep(std::shared_ptr<Owned> owned) {
    std::lock_guard<std::mutex> lock(mutex_);
    kept_.push_back(std::move(owned));
  }

private:
  std::mutex mutex_;
  uintptr_t last_ = 0;
  std::map<const dmc_session *, std::shared_ptr<Owned>> live_;
  std::vector<std::shared_ptr<Owned>> kept_;
};

Handles &handles();

/// Null after having recorded why.
std::shared_ptr<Owned> find(const dmc_session *handle);

/// Calls `call(owned)`, which returns a Failure, on a session that no other thread
/// uses. Nothing is thrown at a caller in C.
template <typename Call>
int32_t use(const dmc_session *handle, Call call) {
  try {
    auto owned = find(handle);
    if (!owned)
      return 1;
    if (owned->process != getpid())
      return fail("the session belongs to process " + std::to_string(owned->process) +
                  ": its ranks are threads, which a fork does not copy");
    std::unique_lock<std::mutex> lock(owned->inUse, std::try_to_lock);
    if (!lock)
      return fail("the session is in use by another thread");
    if (owned->isDestroyed)
      return fail("the session does not exist: it was destroyed");
    Failure why = call(*owned);
    return why ? fail(*why) : 0;
  } catch (const std::bad_alloc &) {
    return fail("not enough memory");
  } catch (const std::exception &error) {
    return fail(error.what());
  }
}

/// Nothing if a program with `count` of that kind has number `index`.
Failure checkIndex(const char *kind, uint32_t index, uint32_t count);

} // namespace dmc::runtime::capi

#endif // DMC_LIB_RUNTIME_CAPI_HANDLES_H
