//===- CApi.cpp - Running programs from C and other languages -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../SessionBuffers.h"
#include "dmc-c/Runtime.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/Session.h"
#include "dmc/Version.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>

#include <unistd.h>

using namespace dmc::runtime;

static thread_local std::string lastError;

static int32_t fail(std::string why) {
  lastError = std::move(why);
  return 1;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

namespace {

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

} // namespace

/// Never freed: other threads may use it while the process ends.
static Handles &handles() {
  static auto *theHandles = new Handles();
  return *theHandles;
}

/// Null after having recorded why.
static std::shared_ptr<Owned> find(const dmc_session *handle) {
  auto owned = handle ? handles().find(handle) : nullptr;
  if (!owned)
    fail(handle ? "the session does not exist: it was destroyed or never created"
                : "the session is null");
  return owned;
}

/// Calls `call(owned)`, which returns a Failure, on a session that no other thread
/// uses. Nothing is thrown at a caller in C.
template <typename Call>
static int32_t use(const dmc_session *handle, Call call) {
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

//===----------------------------------------------------------------------===//
// Life of a session
//===----------------------------------------------------------------------===//

uint32_t dmc_runtime_version(void) { return DMC_RUNTIME_API_VERSION; }

const char *dmc_version(void) { return DMC_VERSION; }

const char *dmc_last_error(void) { return lastError.c_str(); }

/// The options that every version of the interface has.
static Failure checkOptions(const dmc_session_options *options) {
  if (!options)
    return std::string("the options are null");
  constexpr size_t firstBytes = offsetof(dmc_session_options, deterministic);
  if (options->struct_size < firstBytes)
    return "the options have " + std::to_string(options->struct_size) +
           " bytes, expected struct_size to be at least " + std::to_string(firstBytes);
  return std::nullopt;
}

/// True if the caller knows the options that version 3 added.
static bool hasDeterministic(const dmc_session_options &options) {
  return options.struct_size >= offsetof(dmc_session_options, kernels);
}

/// True if the caller knows the options that version 4 added.
static bool hasKernels(const dmc_session_options &options) {
  return options.struct_size >= sizeof options;
}

int32_t dmc_session_options_init(dmc_session_options *options) {
  if (auto why = checkOptions(options))
    return fail(*why);
  std::string error;
  auto defaults = SessionOptions::fromEnvironment(error);
  if (!defaults)
    return fail(error);
  // Of this thread's last call: the struct has no room for a text of its own.
  static thread_local std::string fault;
  fault = defaults->fault;
  options->poison = defaults->poison;
  options->check_copies = defaults->checkCopies;
  options->threads_per_rank = defaults->threadsPerRank;
  options->watchdog_seconds = defaults->watchdogSeconds;
  options->fault = fault.empty() ? nullptr : fault.c_str();
  if (hasDeterministic(*options))
    options->deterministic = defaults->deterministic;
  if (hasKernels(*options)) {
    options->num_kernels = 0;
    options->kernels = nullptr;
  }
  return 0;
}

static std::optional<SessionOptions> convert(const dmc_session_options *options,
                                             std::string &error) {
  if (!options)
    return SessionOptions::fromEnvironment(error);
  if (auto why = checkOptions(options)) {
    error = *why;
    return std::nullopt;
  }
  if (!(options->watchdog_seconds >= 0) || options->threads_per_rank < 0) {
    error = "expected watchdog_seconds and threads_per_rank not to be negative";
    return std::nullopt;
  }
  SessionOptions result;
  result.poison = options->poison != 0;
  result.checkCopies = options->check_copies != 0;
  result.threadsPerRank = options->threads_per_rank;
  result.watchdogSeconds = options->watchdog_seconds;
  result.fault = options->fault ? options->fault : "";
  result.deterministic = hasDeterministic(*options) && options->deterministic != 0;
  if (!hasKernels(*options))
    return result;
  if (options->num_kernels && !options->kernels) {
    error = "expected " + std::to_string(options->num_kernels) + " kernels, found a null pointer";
    return std::nullopt;
  }
  for (size_t i = 0; i < options->num_kernels; ++i) {
    const dmc_custom_kernel &kernel = options->kernels[i];
    if (!kernel.name || !kernel.function) {
      error = "kernel " + std::to_string(i) + " has no " + (kernel.name ? "function" : "name");
      return std::nullopt;
    }
    result.kernels.push_back({kernel.name, kernel.function, kernel.data});
  }
  return result;
}

static std::shared_ptr<Owned> create(const char *path, const dmc_session_options *options,
                                     std::string &error) {
  if (!path) {
    error = "the path of the program is null";
    return nullptr;
  }
  auto converted = convert(options, error);
  auto library = converted ? Library::load(path, error) : std::nullopt;
  if (!library)
    return nullptr;
  auto owned = std::make_shared<Owned>(std::move(*library));
  const dmc_program &program = owned->program();
  owned->session = Session::create(program, *converted, error);
  if (!owned->session)
    return nullptr;
  const dmc::Mesh &mesh = owned->session->mesh();
  owned->isSet.assign(program.num_arguments, std::vector<bool>(mesh.numRanks(), false));
  for (uint32_t i = 0; i < program.num_arguments; ++i)
    owned->argumentLayouts.push_back(toString(mesh, layoutOf(program.arguments[i])));
  for (uint32_t i = 0; i < program.num_results; ++i)
    owned->resultLayouts.push_back(toString(mesh, layoutOf(program.results[i])));
  return owned;
}

dmc_session *dmc_session_create_with(const char *path, const dmc_session_options *options) {
  try {
    std::string error;
    if (auto owned = create(path, options, error))
      return handles().add(std::move(owned));
    fail(error);
  } catch (const std::bad_alloc &) {
    fail("not enough memory");
  } catch (const std::exception &error) {
    fail(error.what());
  }
  return nullptr;
}

dmc_session *dmc_session_create(const char *path) { return dmc_session_create_with(path, nullptr); }

void dmc_session_destroy(dmc_session *handle) {
  auto owned = handle ? handles().remove(handle) : nullptr;
  if (!owned)
    return;
  // The threads of its ranks are not in a forked process: nothing could end them.
  bool isForked = owned->process != getpid();
  if (!isForked) {
    std::lock_guard<std::mutex> lock(owned->inUse);
    owned->isDestroyed = true;
  }
  // A stuck rank still runs the program's code.
  if (isForked || owned->session->isStuck())
    handles().keep(std::move(owned));
}

//===----------------------------------------------------------------------===//
// What the program is
//===----------------------------------------------------------------------===//

const dmc_program *dmc_session_program(const dmc_session *handle) {
  auto owned = find(handle);
  return owned ? &owned->program() : nullptr;
}

/// Nothing if a program with `count` of that kind has number `index`.
static Failure checkIndex(const char *kind, uint32_t index, uint32_t count) {
  if (index < count)
    return std::nullopt;
  return std::string(kind) + " " + std::to_string(index) + " of a program with " +
         std::to_string(count);
}

/// The item of a list, or null after having recorded that there is none.
template <typename T>
static const T *itemOf(const char *kind, const T *items, uint32_t index, uint32_t count) {
  if (auto why = checkIndex(kind, index, count)) {
    fail(*why);
    return nullptr;
  }
  return items + index;
}

const dmc_value *dmc_session_argument(const dmc_session *handle, uint32_t index) {
  const dmc_program *program = dmc_session_program(handle);
  return program ? itemOf("argument", program->arguments, index, program->num_arguments) : nullptr;
}

const dmc_value *dmc_session_result(const dmc_session *handle, uint32_t index) {
  const dmc_program *program = dmc_session_program(handle);
  return program ? itemOf("result", program->results, index, program->num_results) : nullptr;
}

const char *dmc_session_argument_layout(const dmc_session *handle, uint32_t index) {
  auto owned = find(handle);
  const std::string *text = owned ? itemOf("argument", owned->argumentLayouts.data(), index,
                                           owned->program().num_arguments)
                                  : nullptr;
  return text ? text->c_str() : nullptr;
}

const char *dmc_session_result_layout(const dmc_session *handle, uint32_t index) {
  auto owned = find(handle);
  const std::string *text =
      owned ? itemOf("result", owned->resultLayouts.data(), index, owned->program().num_results)
            : nullptr;
  return text ? text->c_str() : nullptr;
}

int64_t dmc_session_num_ranks(const dmc_session *handle) {
  auto owned = find(handle);
  return owned ? owned->session->numRanks() : -1;
}

int64_t dmc_session_num_arguments(const dmc_session *handle) {
  auto owned = find(handle);
  return owned ? owned->program().num_arguments : -1;
}

int64_t dmc_session_num_results(const dmc_session *handle) {
  auto owned = find(handle);
  return owned ? owned->program().num_results : -1;
}

const char *dmc_session_report_json(dmc_session *handle) {
  const char *text = nullptr;
  use(handle, [&](Owned &owned) {
    std::vector<int64_t> executions = owned.session->executions();
    owned.report = toJson(makeReport(owned.program(), owned.session->threadsPerRank(),
                                     owned.hasResults ? &executions : nullptr));
    text = owned.report.c_str();
    return Failure();
  });
  return text;
}

//===----------------------------------------------------------------------===//
// Arrays and steps
//===----------------------------------------------------------------------===//

/// An array as messages name it, which is written where there is something to say alone.
struct ArrayName {
  const char *kind;
  uint32_t index;
  const dmc_value &value;
  std::optional<int64_t> rank = std::nullopt;

  std::string str() const {
    std::string text = nameOf(kind, index, value);
    return rank ? text + " of rank " + std::to_string(*rank) : text;
  }
};

/// Nothing if a buffer of the caller fits an array of that shape.
static Failure checkBuffer(const ArrayName &name, const int64_t *shape, const void *data,
                           size_t bytes) {
  const dmc_value &value = name.value;
  size_t expected = elementBytes(value.element_type);
  for (uint32_t dim = 0; dim < value.rank; ++dim)
    expected *= static_cast<size_t>(shape[dim]);
  if (expected != bytes)
    return name.str() + ": expected " + std::to_string(expected) + " bytes for " +
           toString(value.element_type, {shape, shape + value.rank}) + ", found " +
           std::to_string(bytes);
  if (!data && bytes)
    return name.str() + ": expected " + std::to_string(bytes) + " bytes, found a null pointer";
  return std::nullopt;
}

/// Nothing if the elements are what the program expects of their type: any bits, but
/// for i1, of which it reads all eight.
static Failure checkElements(const ArrayName &name, const void *data, size_t bytes) {
  if (name.value.element_type != DMC_I1)
    return std::nullopt;
  const auto *begin = static_cast<const uint8_t *>(data), *end = begin + bytes;
  const auto *wrong = std::find_if(begin, end, [](uint8_t element) { return element > 1; });
  if (wrong == end)
    return std::nullopt;
  return name.str() + ": element " + std::to_string(wrong - begin) + " is " +
         std::to_string(*wrong) + ", expected 0 or 1 for i1";
}

static Failure copyOut(const std::optional<Array> &array, const std::string &error, void *data) {
  if (!array)
    return error;
  if (array->numBytes())
    std::memcpy(data, array->data(), array->numBytes());
  return std::nullopt;
}

/// Nothing if every rank has a value of the argument.
static Failure checkIsSet(const Owned &owned, uint32_t index, bool isForStep = false) {
  const std::vector<bool> &isSet = owned.isSet[index];
  auto hasValue = [&](size_t rank) {
    return isSet[rank] ||
           (isForStep && owned.session->isArgumentBound(static_cast<int64_t>(rank), index));
  };
  size_t missing = 0;
  while (missing < isSet.size() && hasValue(missing))
    ++missing;
  if (missing == isSet.size())
    return std::nullopt;
  std::string why = nameOf("argument", index, owned.program().arguments[index]) + " has no value";
  bool isPartlySet = missing > 0;
  for (size_t rank = missing; rank < isSet.size(); ++rank)
    isPartlySet |= hasValue(rank);
  return isPartlySet ? why + " on rank " + std::to_string(missing) : why;
}

int32_t dmc_session_set_argument(dmc_session *handle, uint32_t index, const void *data,
                                 size_t bytes) {
  return use(handle, [&](Owned &owned) -> Failure {
    const dmc_program &program = owned.program();
    if (auto why = checkIndex("argument", index, program.num_arguments))
      return why;
    const dmc_value &value = program.arguments[index];
    ArrayName name = {"argument", index, value};
    if (auto why = checkBuffer(name, value.global_shape, data, bytes))
      return why;
    if (auto why = checkElements(name, data, bytes))
      return why;
    if (auto why = owned.session->setArgument(index, data))
      return why;
    owned.markArgument(index, true);
    return std::nullopt;
  });
}

int32_t dmc_session_get_argument(dmc_session *handle, uint32_t index, void *data, size_t bytes) {
  return use(handle, [&](Owned &owned) -> Failure {
    const dmc_program &program = owned.program();
    if (auto why = checkIndex("argument", index, program.num_arguments))
      return why;
    const dmc_value &value = program.arguments[index];
    if (auto why = checkBuffer({"argument", index, value}, value.global_shape, data, bytes))
      return why;
    if (auto why = checkIsSet(owned, index))
      return why;
    std::string error;
    return copyOut(owned.session->argument(index, error), error, data);
  });
}

int32_t dmc_session_get_result(dmc_session *handle, uint32_t index, void *data, size_t bytes) {
  return use(handle, [&](Owned &owned) -> Failure {
    const dmc_program &program = owned.program();
    if (auto why = checkIndex("result", index, program.num_results))
      return why;
    const dmc_value &value = program.results[index];
    ArrayName name = {"result", index, value};
    std::string error;
    if (auto why = checkBuffer(name, value.global_shape, data, bytes))
      return why;
    if (!owned.hasResults)
      return name.str() + " has no value: expected a step before";
    return copyOut(owned.session->result(index, error), error, data);
  });
}

/// Of an argument or a result on one rank.
static Failure checkBlock(const ArrayName &name, const void *data, size_t bytes) {
  return checkBuffer(name, name.value.local_shape, data, bytes);
}

int32_t dmc_session_set_local(dmc_session *handle, int64_t rank, uint32_t index, const void *data,
                              size_t bytes) {
  return use(handle, [&](Owned &owned) -> Failure {
    const dmc_program &program = owned.program();
    if (auto why = checkIndex("argument", index, program.num_arguments))
      return why;
    ArrayName name = {"argument", index, program.arguments[index], rank};
    if (auto why = checkBlock(name, data, bytes))
      return why;
    if (auto why = checkElements(name, data, bytes))
      return why;
    if (auto why = owned.session->setLocalArgument(rank, index, data))
      return why;
    owned.isSet[index][rank] = true;
    return std::nullopt;
  });
}

int32_t dmc_session_get_local(dmc_session *handle, int64_t rank, uint32_t index, void *data,
                              size_t bytes) {
  return use(handle, [&](Owned &owned) -> Failure {
    const dmc_program &program = owned.program();
    if (auto why = checkIndex("result", index, program.num_results))
      return why;
    ArrayName name = {"result", index, program.results[index], rank};
    if (auto why = checkBlock(name, data, bytes))
      return why;
    std::string error;
    if (!owned.hasResults)
      return name.str() + " has no value: expected a step before";
    return copyOut(owned.session->localResult(rank, index, error), error, data);
  });
}

static Failure checkSpace(uint32_t space) {
  if (space == DMC_MEMORY_HOST)
    return std::nullopt;
  return "unsupported memory space " + std::to_string(space) +
         ": expected 0, the host's, the only one of this runtime";
}

int32_t dmc_session_set_block(dmc_session *handle, int64_t rank, uint32_t index, uint32_t space,
                              const void *data, size_t bytes) {
  if (auto why = checkSpace(space))
    return fail(*why);
  return dmc_session_set_local(handle, rank, index, data, bytes);
}

int32_t dmc_session_get_block(dmc_session *handle, int64_t rank, uint32_t index, uint32_t space,
                              void *data, size_t bytes) {
  if (auto why = checkSpace(space))
    return fail(*why);
  return dmc_session_get_local(handle, rank, index, data, bytes);
}

static Failure bind(Owned &owned, const dmc_binding &binding) {
  const dmc_program &program = owned.program();
  uint32_t index = binding.index;
  if (binding.is_result) {
    if (auto why = checkIndex("result", index, program.num_results))
      return why;
    ArrayName name = {"result", index, program.results[index], binding.rank};
    if (auto why = checkBlock(name, binding.data, binding.bytes))
      return why;
    return owned.session->bindResult(binding.rank, index, binding.data);
  }
  if (auto why = checkIndex("argument", index, program.num_arguments))
    return why;
  ArrayName name = {"argument", index, program.arguments[index], binding.rank};
  if (auto why = checkBlock(name, binding.data, binding.bytes))
    return why;
  if (auto why = checkElements(name, binding.data, binding.bytes))
    return why;
  return owned.session->bindArgument(binding.rank, index, binding.data);
}

int32_t dmc_session_bind(dmc_session *handle, uint32_t space, const dmc_binding *bindings,
                         size_t count) {
  return use(handle, [&](Owned &owned) -> Failure {
    if (auto why = checkSpace(space))
      return why;
    if (!bindings && count)
      return std::string("expected bindings, found a null pointer");
    for (const dmc_binding *binding = bindings; binding != bindings + count; ++binding)
      if (auto why = bind(owned, *binding)) {
        owned.session->dropBindings();
        return why;
      }
    return std::nullopt;
  });
}

int32_t dmc_session_bind_argument(dmc_session *handle, int64_t rank, uint32_t index, uint32_t space,
                                  void *data, size_t bytes) {
  dmc_binding binding = {rank, index, 0, data, bytes};
  return dmc_session_bind(handle, space, &binding, 1);
}

int32_t dmc_session_bind_result(dmc_session *handle, int64_t rank, uint32_t index, uint32_t space,
                                void *data, size_t bytes) {
  dmc_binding binding = {rank, index, 1, data, bytes};
  return dmc_session_bind(handle, space, &binding, 1);
}

int32_t dmc_session_step(dmc_session *handle) {
  return use(handle, [](Owned &owned) -> Failure {
    const dmc_program &program = owned.program();
    for (uint32_t i = 0; i < program.num_arguments; ++i)
      if (auto why = checkIsSet(owned, i, /*isForStep=*/true))
        return *why + ": expected dmc_session_set_argument before the step";
    owned.hasResults = false;
    for (uint32_t i = 0; i < program.num_arguments; ++i)
      for (size_t r = 0; program.arguments[i].alias >= 0 && r < owned.isSet[i].size(); ++r)
        if (owned.session->isArgumentBound(static_cast<int64_t>(r), i))
          owned.isSet[i][r] = false; // what replaces it is the caller's
    if (auto why = owned.session->step()) {
      // The step may have written parts of the results that take their buffers.
      for (uint32_t i = 0; i < program.num_arguments; ++i)
        if (program.arguments[i].alias >= 0)
          owned.markArgument(i, false);
      return why;
    }
    owned.hasResults = true;
    return std::nullopt;
  });
}
