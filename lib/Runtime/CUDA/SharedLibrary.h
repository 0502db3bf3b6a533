//===- SharedLibrary.h - Vendors' libraries, real or simulated --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_CUDA_SHAREDLIBRARY_H
#define DMC_LIB_RUNTIME_CUDA_SHAREDLIBRARY_H

#include <string>
#include <vector>

namespace dmc::cuda {

/// How a library is called in messages, its file names (the one to prefer first), and the file that
/// simulates it.
struct LibraryNames {
  const char *title;
  std::vector<const char *> files;
  const char *simulated;
};

/// A library that is loaded and stays so: its threads would lose their code.
class SharedLibrary {
public:
  SharedLibrary(const LibraryNames &names, bool simulated);
  /// The function, or null; the first one that is missing is the error.
  void *find(const char *function);
  /// As find, without an error.
  void *findOptional(const char *function) const;
  /// Says what is wrong with the library.
  void fail(const std::string &why);
  /// Empty if nothing was missing or wrong.
  const std::string &error() const { return error_; }

private:
  void *handle_ = nullptr;
  std::string called_, error_;
};

/// A table of functions, loaded at the first call for each of `simulated` and then kept. `fill`
/// looks its functions up. Null, and which library or which of its functions is missing.
template <typename Functions>
const Functions *loadFunctions(const LibraryNames &names, bool simulated,
                               void (*fill)(Functions &, SharedLibrary &), std::string &error) {
  struct Loaded {
    Functions functions;
    std::string error;

    Loaded(const LibraryNames &names, bool simulated, void (*fill)(Functions &, SharedLibrary &)) {
      SharedLibrary library(names, simulated);
      if (library.error().empty())
        fill(functions, library);
      error = library.error();
    }
  };
  auto answer = [&](const Loaded &loaded) {
    error = loaded.error;
    return error.empty() ? &loaded.functions : nullptr;
  };
  if (simulated) {
    static const Loaded loaded(names, true, fill);
    return answer(loaded);
  }
  static const Loaded loaded(names, false, fill);
  return answer(loaded);
}

} // namespace dmc::cuda

#endif // DMC_LIB_RUNTIME_CUDA_SHAREDLIBRARY_H
