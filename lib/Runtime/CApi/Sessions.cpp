//===- Sessions.cpp - Sessions and their programs, from C -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CApi/Handles.h"
#include "dmc/Runtime/Report.h"
#include "dmc/Version.h"

#include <cstddef>

using namespace dmc::runtime;
using namespace dmc::runtime::capi;

//===----------------------------------------------------------------------===//
// Life of a session
//===----------------------------------------------------------------------===//

uint32_t dmc_runtime_version(void) { return DMC_RUNTIME_API_VERSION; }

const char *dmc_version(void) { return DMC_VERSION; }

const char *dmc_last_error(void) { return lastError(); }

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
