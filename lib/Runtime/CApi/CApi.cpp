//===- CApi.cpp - Running programs from C and other languages -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/CApi.h"
#include "dmc/Runtime/Session.h"

#include <cstring>

using namespace dmc::runtime;

static thread_local std::string lastError;

static int32_t fail(std::string why) {
  lastError = std::move(why);
  return 1;
}

struct dmc_session {
  Library library;
  std::unique_ptr<Session> session;
};

const char *dmc_last_error(void) { return lastError.c_str(); }

dmc_session *dmc_session_create(const char *path) {
  std::string error;
  auto options = SessionOptions::fromEnvironment(error);
  auto library = options ? Library::load(path, error) : std::nullopt;
  if (!library) {
    fail(error);
    return nullptr;
  }
  auto session = Session::create(library->program(), *options, error);
  if (!session) {
    fail(error);
    return nullptr;
  }
  return new dmc_session{std::move(*library), std::move(session)};
}

void dmc_session_destroy(dmc_session *session) {
  // A stuck rank still runs the program's code.
  if (session && session->session->isStuck())
    return;
  delete session;
}

const dmc_program *dmc_session_program(const dmc_session *session) {
  return &session->library.program();
}

static bool sizeMatches(const Array &array, size_t bytes, std::string &error) {
  if (array.numBytes() == bytes)
    return true;
  error = "expected " + std::to_string(array.numBytes()) + " bytes for " +
          toString(array.type, array.shape) + ", found " + std::to_string(bytes);
  return false;
}

int32_t dmc_session_set_argument(dmc_session *session, uint32_t index, const void *data,
                                 size_t bytes) {
  const dmc_program &program = session->library.program();
  if (index >= program.num_arguments)
    return fail("no argument has index " + std::to_string(index));
  const dmc_value &value = program.arguments[index];
  Array array =
      Array::make(value.element_type, {value.global_shape, value.global_shape + value.rank});
  std::string error = "not enough memory";
  if (!array.buffer || !sizeMatches(array, bytes, error))
    return fail(error);
  std::memcpy(array.data(), data, bytes);
  if (auto why = session->session->setArgument(index, array))
    return fail(*why);
  return 0;
}

int32_t dmc_session_get_result(dmc_session *session, uint32_t index, void *data, size_t bytes) {
  std::string error;
  auto array = session->session->result(index, error);
  if (!array || !sizeMatches(*array, bytes, error))
    return fail(error);
  std::memcpy(data, array->data(), bytes);
  return 0;
}

int32_t dmc_session_step(dmc_session *session) {
  if (auto why = session->session->step())
    return fail(*why);
  return 0;
}
