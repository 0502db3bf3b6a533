//===- State.h - States on disk, one file per shard -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder with the blocks of a program's donated arguments as .npy files, and
// manifest.json, which says where each belongs. Written by one plan, read by any.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_STATE_H
#define DMC_RUNTIME_STATE_H

#include "dmc/Layout/Layout.h"
#include "dmc/Runtime/Session.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dmc::runtime {

/// A block of a value: elements [offset, offset + size) in the file.
struct StateShard {
  std::string file; // within the folder
  std::vector<int64_t> offset, size;
};

struct StateValue {
  std::string name;
  uint32_t type = 0;
  std::vector<int64_t> shape;
  Layout layout;
  std::vector<StateShard> shards;

  /// 'value "w" (4x5xf32)'.
  std::string describe() const;
};

struct StateManifest {
  Mesh mesh;
  std::vector<StateValue> values;

  const StateValue *find(const std::string &name) const;
};

constexpr const char *manifestName = "manifest.json";

/// The manifest of a folder, or the file itself; checked, but for the shards.
std::optional<StateManifest> readManifest(const std::string &path, std::string &error);
std::string toJson(const StateManifest &manifest);
/// Nothing if the shards of every value are the blocks of its layout: none missing,
/// none outside, none twice.
Failure verifyShards(const StateManifest &manifest);
/// The value cut by this layout; `index` numbers its files.
StateValue layOut(StateValue value, const Mesh &mesh, const Layout &layout, size_t index);

/// How a state names a program's argument: as the program does, or, where that is
/// not unique, "argument 3".
std::string argumentName(const dmc_program &program, uint32_t index);
/// What the program's plan says about one of its arguments; it has no shards.
StateValue valueOf(const dmc_program &program, uint32_t index);

/// A state to read from.
class StateReader {
public:
  static std::optional<StateReader> open(const std::string &folder, std::string &error);
  const StateManifest &manifest() const { return manifest_; }

  /// Copies a box of the value's global array; strides are in elements.
  Failure read(const StateValue &value, const std::vector<int64_t> &offset,
               const std::vector<int64_t> &size, uint8_t *target,
               const std::vector<int64_t> &strides) const;

private:
  std::string folder_;
  StateManifest manifest_;
};

/// A folder that appears as a whole: it has another name until `commit`.
class StateFolder {
public:
  StateFolder() = default;
  StateFolder(const StateFolder &) = delete;
  ~StateFolder();
  /// `id` tells the writers of one state from others; `isOwner` makes the folder,
  /// names and removes it.
  Failure create(const std::string &path, int64_t id, bool isOwner);
  /// Its path until then.
  const std::string &temporary() const { return temporary_; }
  Failure commit();

private:
  std::string path_, temporary_;
  bool isOwner_ = false;
};

/// Nothing if a state can be made at that path.
Failure checkNewFolder(const std::string &path);

/// Fills the arguments that the state has, by name; their indices in `filled`. Every
/// donated argument must be there.
Failure loadState(Session &session, const StateReader &state, std::set<uint32_t> &filled);
/// Writes the donated arguments, as they are now, into the folder.
Failure saveState(const Session &session, Transport *transport, StateFolder &folder,
                  const std::string &path);

} // namespace dmc::runtime

#endif // DMC_RUNTIME_STATE_H
