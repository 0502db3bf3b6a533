//===- Files.h - Files and folders that tools write -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_SUPPORT_FILES_H
#define DMC_SUPPORT_FILES_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace dmc::support {

/// What is wrong with a path to write to, or nothing: asked before work starts.
std::string checkWritable(llvm::StringRef path);

/// Whether there is something other than a regular file, a device or a pipe for
/// instance: it is written to, never replaced.
bool isStream(llvm::StringRef path);

/// Writes the bytes of a file to a device or a pipe. Returns what went wrong, or
/// nothing.
std::string copyToStream(llvm::StringRef file, llvm::StringRef stream);

/// A new folder that is removed, with everything in it, when this ends.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();
  /// Returns what went wrong, or nothing.
  std::string create(llvm::StringRef prefix);
  std::string path() const { return std::string(folder); }
  /// The path of a file in it.
  std::string file(llvm::StringRef name) const;

private:
  llvm::SmallString<128> folder;
};

} // namespace dmc::support

#endif // DMC_SUPPORT_FILES_H
