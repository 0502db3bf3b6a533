//===- State.cpp - Reading and writing states -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/State.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Npy.h"
#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/Transport.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <unistd.h>

using namespace dmc;
using namespace dmc::runtime;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::optional<StateReader> StateReader::open(const std::string &folder, std::string &error) {
  if (!llvm::sys::fs::is_directory(folder)) {
    error = folder + ": is not a directory";
    return std::nullopt;
  }
  auto manifest = readManifest(folder, error);
  if (!manifest)
    return std::nullopt;
  if (auto why = verifyShards(*manifest)) {
    error = folder + ": " + *why;
    return std::nullopt;
  }
  StateReader reader;
  reader.folder_ = folder;
  reader.manifest_ = std::move(*manifest);
  return reader;
}

Failure StateReader::read(const StateValue &value, const std::vector<int64_t> &offset,
                          const std::vector<int64_t> &size, uint8_t *target,
                          const std::vector<int64_t> &strides) const {
  auto bytes = static_cast<int64_t>(elementBytes(value.type));
  for (const StateShard &shard : value.shards) {
    std::vector<int64_t> extents;
    bool isEmpty = false;
    int64_t to = 0;
    for (size_t d = 0; d < offset.size(); ++d) {
      int64_t begin = std::max(offset[d], shard.offset[d]);
      int64_t end = std::min(offset[d] + size[d], shard.offset[d] + shard.size[d]);
      extents.push_back(end - begin);
      isEmpty |= end <= begin;
      to += (begin - offset[d]) * strides[d];
    }
    if (isEmpty)
      continue;
    std::string error, path = folder_ + "/" + shard.file;
    auto file = NpyFile::open(path, error);
    if (!file)
      return error;
    if (auto why = matchArray(*file, value.type, shard.size))
      return path + ": " + value.describe() + ": " + *why;
    int64_t from = 0;
    for (size_t d = 0; d < offset.size(); ++d)
      from += (std::max(offset[d], shard.offset[d]) - shard.offset[d]) * file->strides[d];
    copyBox(target + to * bytes, strides, file->data() + from * bytes, file->strides, extents,
            elementBytes(value.type));
  }
  return std::nullopt;
}

Failure runtime::loadState(Session &session, const StateReader &state, std::set<uint32_t> &filled) {
  const dmc_program &program = session.program();
  for (uint32_t i = 0; i < program.num_arguments; ++i) {
    StateValue want = valueOf(program, i);
    const StateValue *value = state.manifest().find(want.name);
    if (!value && program.arguments[i].alias >= 0)
      return "the state has no " + want.describe() + ", which the program updates";
    if (!value)
      continue;
    if (value->type != want.type || value->shape != want.shape)
      return "the state has " + value->describe() + ", expected " + toString(want.type, want.shape);
    auto fill = [&](const std::vector<DimBlock> &box, uint8_t *target,
                    const std::vector<int64_t> &strides) {
      std::vector<int64_t> offset, size;
      for (const DimBlock &block : box) {
        offset.push_back(block.begin);
        size.push_back(block.valid());
      }
      return state.read(*value, offset, size, target, strides);
    };
    if (auto why = session.fillArgument(i, fill))
      return why;
    filled.insert(i);
  }
  for (const StateValue &value : state.manifest().values) {
    auto isThis = [&](uint32_t i) { return argumentName(program, i) == value.name; };
    if (std::none_of(filled.begin(), filled.end(), isThis))
      return "the state has " + value.describe() + ", but the program no such argument";
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Failure runtime::checkNewFolder(const std::string &given) {
  std::string path = llvm::StringRef(given).rtrim('/').str();
  std::error_code code;
  bool isEmpty =
      llvm::sys::fs::directory_iterator(path, code) == llvm::sys::fs::directory_iterator();
  if (llvm::sys::fs::exists(path) && (!llvm::sys::fs::is_directory(path) || !isEmpty))
    return path + ": cannot write: exists, expected a new folder";
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  std::string folder = parent.empty() ? "." : parent.str();
  if (!llvm::sys::fs::is_directory(folder))
    return path + ": cannot write: " + folder + " is not a directory";
  if (access(folder.c_str(), W_OK) != 0)
    return path + ": cannot write: no permission";
  return std::nullopt;
}

StateFolder::~StateFolder() {
  if (isOwner_ && !temporary_.empty())
    (void)llvm::sys::fs::remove_directories(temporary_);
}

Failure StateFolder::create(const std::string &path, int64_t id, bool isOwner) {
  path_ = llvm::StringRef(path).rtrim('/').str();
  isOwner_ = isOwner;
  if (isOwner)
    if (auto why = checkNewFolder(path_))
      return why;
  std::string temporary = path_ + ".tmp" + std::to_string(id);
  if (isOwner)
    if (auto code = llvm::sys::fs::create_directory(temporary, /*IgnoreExisting=*/false))
      return path_ + ": cannot write: " + code.message();
  temporary_ = temporary;
  return std::nullopt;
}

Failure StateFolder::commit() {
  if (isOwner_ && std::rename(temporary_.c_str(), path_.c_str()) != 0)
    return path_ + ": cannot write: " + std::strerror(errno);
  temporary_.clear();
  return std::nullopt;
}

static Failure writeShards(const Session &session, const std::vector<uint32_t> &arguments,
                           const StateManifest &manifest, const std::string &folder) {
  const dmc_program &program = session.program();
  for (size_t v = 0; v < arguments.size(); ++v) {
    const StateValue &value = manifest.values[v];
    std::vector<Shard> shards =
        shardsOf(manifest.mesh, layoutOf(program.arguments[arguments[v]]), value.shape);
    for (size_t s = 0; s < shards.size(); ++s) {
      if (!session.isHere(shards[s].owner))
        continue;
      Array block = session.argumentShard(arguments[v], shards[s]);
      if (!block.buffer)
        return value.describe() + ": not enough memory";
      if (auto why = writeNpy(folder + "/" + value.shards[s].file, block))
        return why;
    }
  }
  return std::nullopt;
}

Failure runtime::saveState(const Session &session, Transport *transport, StateFolder &folder,
                           const std::string &path) {
  auto agree = [&](const Failure &why) { return transport ? transport->agree(why) : why; };
  const dmc_program &program = session.program();
  StateManifest manifest{meshOf(program), {}};
  std::vector<uint32_t> arguments;
  for (uint32_t i = 0; i < program.num_arguments; ++i)
    if (program.arguments[i].alias >= 0) {
      StateValue value = valueOf(program, i);
      manifest.values.push_back(layOut(value, manifest.mesh, value.layout, arguments.size()));
      arguments.push_back(i);
    }
  if (arguments.empty())
    return std::string("the program has no state: it donates no argument");
  std::vector<uint8_t> ids;
  int64_t id = getpid();
  if (transport) {
    if (auto why = transport->allGather(&id, sizeof id, ids))
      return why;
    std::memcpy(&id, ids.data(), sizeof id);
  }
  bool isFirst = session.isHere(0);
  if (auto why = agree(folder.create(path, id, isFirst)))
    return why;
  for (uint32_t i : arguments)
    if (auto why = session.checkArgumentCopies(i))
      return why;
  Failure why = writeShards(session, arguments, manifest, folder.temporary());
  if (!why && isFirst)
    why = writeFileAtomically(folder.temporary() + "/" + manifestName, toJson(manifest));
  return agree(why);
}
