//===- Steps.cpp - Arrays and steps of a session, from C ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CApi/Handles.h"
#include "SessionBuffers.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <cstring>

using namespace dmc::runtime;
using namespace dmc::runtime::capi;

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

/// Nothing if the caller's memory fits an argument on one rank and holds its elements.
static Failure checkArgumentBlock(const dmc_program &program, int64_t rank, uint32_t index,
                                  const void *data, size_t bytes) {
  if (auto why = checkIndex("argument", index, program.num_arguments))
    return why;
  ArrayName name = {"argument", index, program.arguments[index], rank};
  if (auto why = checkBuffer(name, name.value.local_shape, data, bytes))
    return why;
  return checkElements(name, data, bytes);
}

/// Nothing if the caller's memory fits a result on one rank.
static Failure checkResultBlock(const dmc_program &program, int64_t rank, uint32_t index,
                                const void *data, size_t bytes) {
  if (auto why = checkIndex("result", index, program.num_results))
    return why;
  ArrayName name = {"result", index, program.results[index], rank};
  return checkBuffer(name, name.value.local_shape, data, bytes);
}

int32_t dmc_session_set_local(dmc_session *handle, int64_t rank, uint32_t index, const void *data,
                              size_t bytes) {
  return use(handle, [&](Owned &owned) -> Failure {
    if (auto why = checkArgumentBlock(owned.program(), rank, index, data, bytes))
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
    if (auto why = checkResultBlock(owned.program(), rank, index, data, bytes))
      return why;
    std::string error;
    if (!owned.hasResults)
      return ArrayName{"result", index, owned.program().results[index], rank}.str() +
             " has no value: expected a step before";
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
  auto [rank, index, isResult, data, bytes] = binding;
  if (isResult) {
    if (auto why = checkResultBlock(owned.program(), rank, index, data, bytes))
      return why;
    return owned.session->bindResult(rank, index, data);
  }
  if (auto why = checkArgumentBlock(owned.program(), rank, index, data, bytes))
    return why;
  return owned.session->bindArgument(rank, index, data);
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
