//===- ArrayFiles.cpp - Arguments from files or from a seed ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Support/ArrayFiles.h"

#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Npy.h"
#include "dmc/Runtime/Random.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace dmc;
using namespace dmc::support;
using namespace dmc::runtime;

std::string ArrayFiles::path(size_t index, const char *direction, int64_t rank) const {
  switch (kind) {
  case Kind::Folder: {
    std::string number = std::to_string(index);
    return base + "/" + std::string(3 - std::min<size_t>(3, number.size()), '0') + number + ".npy";
  }
  case Kind::Prefix:
    return base + (rank < 0 ? "" : ".r" + std::to_string(rank)) + "." + direction +
           std::to_string(index) + ".npy";
  case Kind::List:
    return list[index];
  case Kind::None:
    break;
  }
  return "";
}

size_t support::countNumbered(const std::string &folder) {
  size_t count = 0;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    size_t number;
    if (name.consume_back(".npy") && name.size() >= 3 && !name.getAsInteger(10, number))
      count = std::max(count, number + 1);
  }
  return count;
}

static std::string nameOf(size_t index, const dmc_value &value) {
  std::string text = "input " + std::to_string(index);
  return value.name && *value.name ? text + " (" + value.name + ")" : text;
}

template <typename T>
static Failure checkInput(T &array, const std::string &path, size_t index, const dmc_value &value,
                          const int64_t *shape) {
  if (auto why = matchArray(array, value.element_type, {shape, shape + value.rank}))
    return nameOf(index, value) + " from " + path + ": " + *why;
  return std::nullopt;
}

/// `expected` files; if not `all`, those of a folder or a prefix may have gaps.
static Failure checkCount(const ArrayFiles &files, size_t expected, bool all) {
  size_t found = expected;
  std::string where;
  if (files.kind == ArrayFiles::Kind::List) {
    found = files.list.size();
  } else if (files.kind == ArrayFiles::Kind::Folder && !all) {
    return std::nullopt;
  } else if (files.kind == ArrayFiles::Kind::Folder) {
    if (!llvm::sys::fs::is_directory(files.base))
      return files.base + ": is not a directory";
    found = countNumbered(files.base);
    where = " in " + files.base;
  } else if (files.kind == ArrayFiles::Kind::Prefix && all &&
             llvm::sys::fs::exists(files.path(expected, "in"))) {
    return "expected " + std::to_string(expected) + " inputs, found " + files.path(expected, "in") +
           " too";
  }
  if (found != expected)
    return "expected " + std::to_string(expected) + " inputs, found " + std::to_string(found) +
           where;
  return std::nullopt;
}

/// One rank's own array, if that rank is in this process.
static Failure setOwnInput(Session &session, const std::string &path, uint32_t index,
                           int64_t rank) {
  if (!session.isHere(rank))
    return std::nullopt;
  const dmc_value &value = session.program().arguments[index];
  std::string error;
  auto array = readNpy(path, error);
  if (!array)
    return error;
  if (auto why = checkInput(*array, path, index, value, value.local_shape))
    return why;
  return session.setLocalArgument(rank, index, *array);
}

/// Copies a box of a file's array, some rows at a time: what was read is released, so that memory
/// holds the array once.
static void copyInPieces(const NpyFile &file, uint8_t *target, const std::vector<int64_t> &strides,
                         const uint8_t *source, std::vector<int64_t> extents, int64_t bytes) {
  constexpr int64_t pieceBytes = 4 << 20; // amortizes the call that releases it
  int64_t all = extents.empty() ? 1 : extents[0];
  int64_t rowBytes = extents.empty() ? bytes : file.strides[0] * bytes;
  int64_t rows = std::max<int64_t>(1, pieceBytes / std::max<int64_t>(rowBytes, 1));
  for (int64_t row = 0; row < all; row += rows) {
    int64_t count = std::min(rows, all - row);
    if (!extents.empty())
      extents[0] = count;
    const uint8_t *piece = source + row * rowBytes;
    copyBox(target + (strides.empty() ? 0 : row * strides[0] * bytes), strides, piece, file.strides,
            extents, bytes);
    file.release(piece, static_cast<size_t>(count * rowBytes));
  }
}

/// From a file that holds the whole array, of which each rank reads its block.
static Failure setWholeInput(Session &session, const std::string &path, uint32_t index) {
  const dmc_value &value = session.program().arguments[index];
  std::string error;
  auto file = NpyFile::open(path, error);
  if (!file)
    return error;
  if (auto why = checkInput(*file, path, index, value, value.global_shape))
    return why;
  auto bytes = static_cast<int64_t>(elementBytes(value.element_type));
  return session.fillArgument(index, [&](const std::vector<DimBlock> &box, uint8_t *target,
                                         const std::vector<int64_t> &strides) {
    int64_t offset = 0;
    std::vector<int64_t> extents;
    for (size_t d = 0; d < box.size(); ++d) {
      offset += box[d].begin * file->strides[d];
      extents.push_back(box[d].valid());
    }
    copyInPieces(*file, target, strides, file->data() + offset * bytes, extents, bytes);
    return Failure();
  });
}

/// Made up where it is needed: of each rank its block, row by row.
static Failure makeInput(Session &session, uint32_t index, uint64_t seed) {
  const dmc_value &value = session.program().arguments[index];
  std::vector<int64_t> global =
      rowMajorStrides({value.global_shape, value.global_shape + value.rank});
  uint32_t type = value.element_type;
  auto bytes = static_cast<int64_t>(elementBytes(type));
  return session.fillArgument(index, [=](const std::vector<DimBlock> &box, uint8_t *target,
                                         const std::vector<int64_t> &strides) {
    int64_t row = box.empty() ? 1 : box.back().valid();
    std::vector<int64_t> at(box.size(), 0);
    for (const DimBlock &block : box)
      if (block.valid() <= 0)
        return Failure();
    for (bool isDone = false; !isDone;) {
      int64_t first = 0, offset = 0;
      for (size_t d = 0; d < box.size(); ++d) {
        first += (box[d].begin + at[d]) * global[d];
        offset += at[d] * strides[d];
      }
      fillRandom(type, seed, index, value.below, first, row, target + offset * bytes);
      size_t d = box.size() - !box.empty();
      for (isDone = true; isDone && d-- > 0;)
        if (++at[d] < box[d].valid())
          isDone = false;
        else
          at[d] = 0;
    }
    return Failure();
  });
}

Failure support::setInputs(Session &session, const ArrayFiles &files, bool perRank, uint64_t seed,
                           const std::set<uint32_t> &filled) {
  uint32_t count = session.program().num_arguments;
  if (auto why = checkCount(files, count - filled.size(), filled.empty()))
    return why;
  size_t listed = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (filled.count(i))
      continue;
    size_t number = files.kind == ArrayFiles::Kind::List ? listed++ : i;
    Failure why;
    if (perRank) {
      for (int64_t rank = 0; rank < session.numRanks() && !why; ++rank)
        why = setOwnInput(session, files.path(i, "in", rank), i, rank);
    } else if (files.kind == ArrayFiles::Kind::None) {
      why = makeInput(session, i, seed);
    } else {
      why = setWholeInput(session, files.path(number, "in"), i);
    }
    if (why)
      return why;
  }
  return std::nullopt;
}
