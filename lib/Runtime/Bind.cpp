//===- Bind.cpp - Steps on memory of the caller ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SessionBuffers.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>

using namespace dmc;
using namespace dmc::runtime;

/// What the program expects of buffers, and vector instructions rely on.
static constexpr uintptr_t boundAlignment = 64;

Failure Session::bindArgument(int64_t rank, size_t index, void *local) {
  if (auto why = checkLocal("argument", rank, index, program_.num_arguments))
    return why;
  return bind(rank, /*isResult=*/false, index, local);
}

Failure Session::bindResult(int64_t rank, size_t index, void *local) {
  if (auto why = checkLocal("result", rank, index, program_.num_results))
    return why;
  int64_t alias = program_.results[index].alias;
  if (alias >= 0)
    return nameOf("result", index, program_.results[index]) + " takes over the memory of " +
           nameOf("argument", static_cast<size_t>(alias), program_.arguments[alias]) +
           ": expected to bind that";
  return bind(rank, /*isResult=*/true, index, local);
}

Failure Session::bind(int64_t rank, bool isResult, size_t index, void *local) {
  const dmc_value &value = isResult ? program_.results[index] : program_.arguments[index];
  std::string name =
      nameOf(isResult ? "result" : "argument", index, value) + " of rank " + std::to_string(rank);
  if (reinterpret_cast<uintptr_t>(local) % boundAlignment)
    return name + ": expected memory that is aligned to " + std::to_string(boundAlignment) +
           " bytes";
  if (program_.device != DMC_DEVICE_HOST)
    return name + ": unsupported: binding memory to a program that runs on a device";
  if (!isHere(rank))
    return std::nullopt;
  if (isStuck())
    return std::string("a rank is still stuck in an earlier step");
  RankBuffers::Bound added = {isResult, index, static_cast<uint8_t *>(local), localBytes(value),
                              isResult || value.alias >= 0};
  for (const auto &other : ranks_) {
    if (!other)
      continue;
    for (const RankBuffers::Bound &bound : other->bound) {
      bool isSame = other == ranks_[rank] && bound.isResult == isResult && bound.index == index;
      if (!isSame && (added.isWritten || bound.isWritten) &&
          added.data < bound.data + bound.bytes && bound.data < added.data + added.bytes)
        return name + ": expected memory that nothing else bound to the step shares";
    }
  }
  RankBuffers &buffers = *ranks_[rank];
  auto isSame = [&](const RankBuffers::Bound &bound) {
    return bound.isResult == isResult && bound.index == index;
  };
  buffers.bound.erase(std::remove_if(buffers.bound.begin(), buffers.bound.end(), isSame),
                      buffers.bound.end());
  buffers.bound.push_back(added);
  (isResult ? buffers.resultPointers : buffers.argumentPointers)[index] = local;
  if (!isResult && value.alias >= 0)
    buffers.resultPointers[value.alias] = local;
  return std::nullopt;
}

bool Session::isArgumentBound(int64_t rank, size_t index) const {
  if (!isHere(rank))
    return false;
  for (const RankBuffers::Bound &bound : ranks_[rank]->bound)
    if (!bound.isResult && bound.index == index)
      return true;
  return false;
}

/// After a step: the ranks' own memory is in use again.
void Session::unbind() {
  for (const auto &rank : ranks_) {
    if (!rank)
      continue;
    for (const RankBuffers::Bound &bound : rank->bound) {
      if (bound.isResult) {
        rank->resultPointers[bound.index] = rank->results[bound.index].data();
        rank->isResultElsewhere[bound.index] = true;
        continue;
      }
      uint8_t *own = rank->arguments[bound.index].data();
      rank->argumentPointers[bound.index] = own;
      int64_t alias = program_.arguments[bound.index].alias;
      if (alias < 0)
        continue;
      rank->resultPointers[alias] = own;
      rank->isArgumentElsewhere[bound.index] = rank->isResultElsewhere[alias] = true;
    }
    rank->bound.clear();
  }
}

/// Nothing if the ranks of this process have the value in memory of their own.
Failure Session::checkIsHere(const Held &held) const {
  for (size_t r = 0; r < ranks_.size(); ++r)
    if (ranks_[r] &&
        (held.isResult ? ranks_[r]->isResultElsewhere : ranks_[r]->isArgumentElsewhere)[held.index])
      return held.name + " of rank " + std::to_string(r) +
             " is in the memory that was bound to the last step";
  return std::nullopt;
}
