//===- Inputs.cpp - Arguments from files or made up -----------------------===//

#include "Support.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Npy.h"
#include "dmc/Runtime/Random.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <unistd.h>

using namespace dmc;
using namespace dmc::run;
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

size_t run::countNumbered(const std::string &folder) {
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

Failure run::checkWritable(const std::string &path) {
  if (llvm::sys::fs::is_directory(path))
    return path + ": cannot write: is a directory";
  std::string folder = llvm::sys::path::parent_path(path).str();
  if (folder.empty())
    folder = ".";
  if (!llvm::sys::fs::is_directory(folder))
    return path + ": cannot write: " + folder + " is not a directory";
  if (access(folder.c_str(), W_OK) != 0)
    return path + ": cannot write: no permission";
  return std::nullopt;
}

static std::string nameOf(size_t index, const dmc_value &value) {
  std::string text = "input " + std::to_string(index);
  return value.name && *value.name ? text + " (" + value.name + ")" : text;
}

static std::optional<Array> readInput(const std::string &path, size_t index, const dmc_value &value,
                                      const int64_t *shape, std::string &error) {
  auto array = readNpy(path, error);
  if (array)
    if (auto why = matchArray(*array, value.element_type, {shape, shape + value.rank})) {
      error = nameOf(index, value) + " from " + path + ": " + *why;
      return std::nullopt;
    }
  return array;
}

static Failure checkCount(const ArrayFiles &files, size_t expected) {
  size_t found = expected;
  std::string where;
  if (files.kind == ArrayFiles::Kind::List) {
    found = files.list.size();
  } else if (files.kind == ArrayFiles::Kind::Folder) {
    if (!llvm::sys::fs::is_directory(files.base))
      return files.base + ": is not a directory";
    found = countNumbered(files.base);
    where = " in " + files.base;
  } else if (files.kind == ArrayFiles::Kind::Prefix &&
             llvm::sys::fs::exists(files.path(expected, "in"))) {
    return "expected " + std::to_string(expected) + " inputs, found " + files.path(expected, "in") +
           " too";
  }
  if (found != expected)
    return "expected " + std::to_string(expected) + " inputs, found " + std::to_string(found) +
           where;
  return std::nullopt;
}

Failure run::setInputs(Session &session, const ArrayFiles &files, bool perRank, uint64_t seed) {
  const dmc_program &program = session.program();
  if (auto why = checkCount(files, program.num_arguments))
    return why;
  std::string error;
  for (uint32_t i = 0; i < program.num_arguments; ++i) {
    const dmc_value &value = program.arguments[i];
    if (perRank) {
      for (int64_t rank = 0; rank < session.numRanks(); ++rank) {
        auto array = readInput(files.path(i, "in", rank), i, value, value.local_shape, error);
        if (!array)
          return error;
        if (auto why = session.setLocalArgument(rank, i, *array))
          return why;
      }
      continue;
    }
    std::optional<Array> array;
    if (files.kind == ArrayFiles::Kind::None) {
      array =
          Array::make(value.element_type, {value.global_shape, value.global_shape + value.rank});
      if (!array->buffer)
        return nameOf(i, value) + ": not enough memory";
      fillRandom(*array, seed, i);
    } else {
      array = readInput(files.path(i, "in"), i, value, value.global_shape, error);
      if (!array)
        return error;
    }
    if (auto why = session.setArgument(i, *array))
      return why;
  }
  return std::nullopt;
}
