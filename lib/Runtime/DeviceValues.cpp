//===- DeviceValues.cpp - The values of a rank on its device --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceValues.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Report.h"

#include <string>

using namespace dmc;
using namespace dmc::runtime;

DeviceValues::~DeviceValues() {
  for (void *pointer : owned_)
    device_.release(pointer);
}

Failure DeviceValues::allocate(int64_t bytes, void *&pointer) {
  Failure why;
  pointer = device_.allocate(bytes, why);
  if (!why)
    owned_.push_back(pointer);
  return why;
}

Failure DeviceValues::allocate() {
  const dmc_arena arena = arenaOf(program_, DMC_MEMORY_DEVICE);
  int64_t needed = arena.bytes;
  for (uint32_t i = 0; i < program_.num_arguments; ++i)
    arguments_.push_back({localBytes(program_.arguments[i]), Side::Host});
  for (uint32_t i = 0; i < program_.num_results; ++i)
    results_.push_back({localBytes(program_.results[i]), Side::Both});
  Failure why;
  auto add = [&](int64_t bytes, std::vector<void *> &pointers) {
    pointers.push_back(nullptr);
    if (!why)
      why = allocate(bytes, pointers.back());
  };
  for (const Value &value : arguments_) {
    needed += value.bytes;
    add(value.bytes, argumentPointers_);
  }
  for (uint32_t i = 0; i < program_.num_results; ++i) {
    if (int64_t alias = program_.results[i].alias; alias >= 0) {
      resultPointers_.push_back(argumentPointers_[alias]);
      continue;
    }
    needed += results_[i].bytes;
    add(results_[i].bytes, resultPointers_);
  }
  for (uint32_t i = 0; i < program_.num_constants; ++i) {
    const dmc_constant &constant = program_.constants[i];
    needed += constant.bytes;
    add(constant.bytes, constants_);
    if (!why)
      why = device_.upload(constants_.back(), constant.data, constant.bytes);
  }
  if (!why)
    why = allocate(arena.bytes, arena_);
  if (why)
    return *why + ": each rank needs " + std::to_string(needed) + " bytes on its device, " +
           std::to_string(arena.bytes) + " of them for the arena";
  return std::nullopt;
}

std::vector<void *> DeviceValues::arenas(void *host) const {
  std::vector<void *> arenas;
  arenas.reserve(program_.num_arenas);
  for (uint32_t i = 0; i < program_.num_arenas; ++i)
    arenas.push_back(program_.arenas[i].space == DMC_MEMORY_DEVICE ? arena_ : host);
  return arenas;
}

Failure DeviceValues::upload(const std::vector<Buffer> &arguments, Recorder *recorder) {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    Value &value = arguments_[i];
    if (value.side != Side::Host)
      continue;
    Recorder::Begun begun;
    if (recorder)
      begun = recorder->open(ProfileEvent::Copy, copyIndex(DMC_MEMORY_HOST, DMC_MEMORY_DEVICE),
                             /*stream=*/0, value.bytes);
    if (auto why = device_.upload(argumentPointers_[i], arguments[i].data(), value.bytes))
      return why;
    if (recorder)
      recorder->add(begun);
    value.side = Side::Both;
  }
  return std::nullopt;
}

Failure DeviceValues::poison() {
  if (auto why = device_.fill(arena_, 0xff, arenaOf(program_, DMC_MEMORY_DEVICE).bytes))
    return why;
  for (uint32_t i = 0; i < program_.num_results; ++i) {
    const dmc_value &result = program_.results[i];
    if (result.alias >= 0)
      continue;
    int value = poisonOf(result.element_type);
    if (auto why = device_.fill(resultPointers_[i], value, results_[i].bytes))
      return why;
  }
  return std::nullopt;
}

void DeviceValues::beginStep() {
  for (uint32_t i = 0; i < program_.num_results; ++i) {
    int64_t alias = program_.results[i].alias;
    (alias >= 0 ? arguments_[alias] : results_[i]).side = Side::Device;
  }
}

Failure DeviceValues::fetch(Value &value, void *from, uint8_t *host) {
  if (value.side != Side::Device)
    return std::nullopt;
  if (auto why = device_.download(host, from, value.bytes))
    return why;
  value.side = Side::Both;
  return std::nullopt;
}

Failure DeviceValues::fetchArgument(size_t index, uint8_t *host) {
  return fetch(arguments_[index], argumentPointers_[index], host);
}

Failure DeviceValues::fetchResult(size_t index, uint8_t *host) {
  int64_t alias = program_.results[index].alias;
  return fetch(alias >= 0 ? arguments_[alias] : results_[index], resultPointers_[index], host);
}
