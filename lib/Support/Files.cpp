//===- Files.cpp - Files and folders that tools write ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Support/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace dmc;

std::string support::checkWritable(llvm::StringRef path) {
  if (llvm::sys::fs::is_directory(path))
    return "it is a directory";
  if (isStream(path))
    return {};
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    return folder.str() + " is not a directory";
  llvm::SmallString<128> probe;
  int file = -1;
  if (auto error = llvm::sys::fs::createUniqueFile(path + ".%%%%%%.tmp", file, probe))
    return error.message();
  (void)llvm::sys::Process::SafelyCloseFileDescriptor(file);
  (void)llvm::sys::fs::remove(probe);
  return {};
}

bool support::isStream(llvm::StringRef path) {
  return llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path) &&
         !llvm::sys::fs::is_directory(path);
}

std::string support::copyToStream(llvm::StringRef file, llvm::StringRef stream) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return "cannot read '" + file.str() + "': " + buffer.getError().message();
  std::error_code error;
  llvm::raw_fd_ostream os(stream, error, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::FA_Write,
                          llvm::sys::fs::OF_None);
  if (!error) {
    os << (*buffer)->getBuffer();
    os.close();
    error = os.error();
  }
  os.clear_error();
  return error ? "cannot write '" + stream.str() + "': " + error.message() : std::string();
}

support::TemporaryFolder::~TemporaryFolder() {
  if (!folder.empty())
    (void)llvm::sys::fs::remove_directories(folder);
}

std::string support::TemporaryFolder::create(llvm::StringRef prefix) {
  if (auto code = llvm::sys::fs::createUniqueDirectory(prefix, folder))
    return "cannot create a temporary folder: " + code.message();
  return {};
}

std::string support::TemporaryFolder::file(llvm::StringRef name) const {
  llvm::SmallString<128> path = folder;
  llvm::sys::path::append(path, name);
  return std::string(path);
}
