//===- Npy.h - Files of NumPy arrays ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes .npy files: little endian, written in C order. A bf16 array is
// stored as its bit pattern, `<u2`.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_NPY_H
#define DMC_RUNTIME_NPY_H

#include "dmc/Runtime/Array.h"

#include <optional>
#include <string>

namespace dmc::runtime {

/// The array in the file, versions 1 to 3; on failure nothing, and `error` says
/// why. `|V2` is read as bf16, complex numbers as pairs of floats, which are a last dimension of
/// their own; Fortran order is turned into C order.
std::optional<Array> readNpy(const std::string &path, std::string &error);

/// The contents of a file, read as they are used: a large array need not fit into
/// memory.
class NpyFile {
public:
  static std::optional<NpyFile> open(const std::string &path, std::string &error);
  NpyFile(NpyFile &&other);
  NpyFile &operator=(NpyFile &&) = delete;
  ~NpyFile();

  uint32_t type = DMC_F32; // as stored: bf16 may be ui16
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; // in elements
  const uint8_t *data() const { return data_; }
  /// Lets the system take back memory in which a part of the contents was read; a part that is
  /// read again is fetched again. What is behind the end of the file is left alone.
  void release(const uint8_t *begin, size_t bytes) const;

private:
  NpyFile() = default;
  const uint8_t *data_ = nullptr;
  void *map_ = nullptr; // data_ is in it, or in copy_
  size_t mapBytes_ = 0;
  Array copy_;
};

/// Writes the whole file or nothing. Returns what went wrong, or nothing.
std::optional<std::string> writeNpy(const std::string &path, const Array &array);

/// Gives the array the wanted type and shape if it holds just that, as bf16 where
/// its bit pattern was stored; else says what is expected and what was found.
std::optional<std::string> matchArray(Array &array, uint32_t type,
                                      const std::vector<int64_t> &shape);
std::optional<std::string> matchArray(NpyFile &file, uint32_t type,
                                      const std::vector<int64_t> &shape);

/// A set of files that appear together: each is written under a temporary name,
/// and `commit` gives all of them their names. What is not committed is removed.
class FileSet {
public:
  FileSet() = default;
  FileSet(const FileSet &) = delete;
  FileSet &operator=(const FileSet &) = delete;
  ~FileSet();
  std::optional<std::string> add(const std::string &path, const Array &array);
  std::optional<std::string> add(const std::string &path, const std::string &text);
  std::optional<std::string> commit();

private:
  struct Entry {
    std::string temporary, path;
  };
  std::vector<Entry> entries_;
};

} // namespace dmc::runtime

#endif // DMC_RUNTIME_NPY_H
