//===- Bind.cpp - Steps on memory of the caller ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BoundMemory.h"
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
  auto refuse = [&](const std::string &why) {
    return nameOf(isResult ? "result" : "argument", index, value) + " of rank " +
           std::to_string(rank) + ": " + why;
  };
  if (reinterpret_cast<uintptr_t>(local) % boundAlignment)
    return refuse("expected memory that is aligned to " + std::to_string(boundAlignment) +
                  " bytes");
  if (program_.device != DMC_DEVICE_HOST)
    return refuse("unsupported: binding memory to a program that runs on a device");
  if (!isHere(rank))
    return std::nullopt;
  if (isStuck())
    return std::string("a rank is still stuck in an earlier step");
  RankBuffers &buffers = *ranks_[rank];
  std::vector<bool> &isBound = isResult ? buffers.isResultBound : buffers.isArgumentBound;
  if (isBound[index])
    forgetBinding(rank, isResult, index);
  RankBuffers::Bound added = {isResult, index, static_cast<uint8_t *>(local), localBytes(value),
                              isResult || value.alias >= 0};
  if (!boundMemory_->add(added.data, added.bytes, added.isWritten))
    return refuse("expected memory that nothing else bound to the step shares");
  buffers.bound.push_back(added);
  isBound[index] = true;
  (isResult ? buffers.resultPointers : buffers.argumentPointers)[index] = local;
  if (!isResult && value.alias >= 0)
    buffers.resultPointers[value.alias] = local;
  return std::nullopt;
}

bool Session::isArgumentBound(int64_t rank, size_t index) const {
  return isHere(rank) && ranks_[rank]->isArgumentBound[index];
}

/// Before a value is bound again, or not at all: rare.
void Session::forgetBinding(int64_t rank, bool isResult, size_t index) {
  std::vector<RankBuffers::Bound> &all = ranks_[rank]->bound;
  auto bound = std::find_if(all.begin(), all.end(), [&](const RankBuffers::Bound &other) {
    return other.isResult == isResult && other.index == index;
  });
  ranks_[rank]->restore(program_, *bound);
  all.erase(bound);
  boundMemory_->clear();
  for (const auto &other : ranks_)
    if (other)
      for (const RankBuffers::Bound &still : other->bound)
        boundMemory_->add(still.data, still.bytes, still.isWritten);
}

void Session::dropBindings() {
  if (isStuck())
    return; // a rank goes on using what is bound
  for (const auto &rank : ranks_) {
    if (!rank)
      continue;
    for (const RankBuffers::Bound &bound : rank->bound)
      rank->restore(program_, bound);
    rank->bound.clear();
  }
  boundMemory_->clear();
}

/// After a step: what it wrote is in memory of the caller.
void Session::unbind() {
  for (const auto &rank : ranks_) {
    if (!rank)
      continue;
    for (const RankBuffers::Bound &bound : rank->bound) {
      if (bound.isResult) {
        rank->isResultElsewhere[bound.index] = true;
        continue;
      }
      if (int64_t alias = program_.arguments[bound.index].alias; alias >= 0)
        rank->isArgumentElsewhere[bound.index] = rank->isResultElsewhere[alias] = true;
    }
  }
  dropBindings();
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
