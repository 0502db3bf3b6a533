//===- DiskCache.cpp - Results that are kept on disk ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry is a file: a line that names the format, the key, the length and the hash of the
// contents in hexadecimal, one line each, and the contents.
//
//===----------------------------------------------------------------------===//
#include "dmc/Support/DiskCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <dlfcn.h>

using namespace dmc;
using namespace dmc::support;

/// Raised with every change of what an entry is.
static constexpr llvm::StringLiteral format = "dmc cache entry 1";
/// Files of this prefix are those that LLVM's pruning looks at.
static constexpr llvm::StringLiteral prefix = "llvmcache-";

CacheKey &CacheKey::add(llvm::StringRef text) {
  uint8_t length[8];
  llvm::support::endian::write64le(length, text.size());
  hash_.update(length);
  hash_.update(text);
  return *this;
}

static std::string toHex(const llvm::BLAKE3 &hash) {
  llvm::BLAKE3 copy = hash;
  return llvm::toHex(copy.final(), /*LowerCase=*/true);
}

std::string CacheKey::text() const { return toHex(hash_); }

std::string support::identifyCode() {
  Dl_info info;
  llvm::sys::fs::file_status status;
  // The file of an executable is the name that it was called by, which need not be a path.
  std::string path = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  if (dladdr(reinterpret_cast<const void *>(&identifyCode), &info) && info.dli_fname &&
      llvm::sys::path::is_absolute(info.dli_fname))
    path = info.dli_fname;
  if (llvm::sys::fs::status(path, status))
    return path;
  auto written = status.getLastModificationTime().time_since_epoch();
  return path + "\n" + std::to_string(status.getSize()) + "\n" + std::to_string(written.count());
}

std::optional<DiskCache> DiskCache::open(llvm::StringRef folder, std::string &problem) {
  std::string name = folder.str();
  std::string from;
  if (name.empty()) {
    name = llvm::sys::Process::GetEnv("DMC_CACHE_DIR").value_or("");
    from = "in DMC_CACHE_DIR: ";
  }
  if (name.empty())
    return std::nullopt;
  std::error_code error = llvm::sys::fs::create_directories(name);
  if (!error && !llvm::sys::fs::is_directory(name))
    error = std::make_error_code(std::errc::not_a_directory);
  if (!error)
    error = llvm::sys::fs::access(name, llvm::sys::fs::AccessMode::Write);
  if (error) {
    problem = from + "cannot use the folder '" + name + "' as cache: " + error.message();
    return std::nullopt;
  }
  return DiskCache(name);
}

std::string DiskCache::pathOf(const CacheKey &key) const {
  llvm::SmallString<256> path(folder_);
  llvm::sys::path::append(path, prefix + key.text());
  return std::string(path);
}

static std::string headerOf(const CacheKey &key, llvm::StringRef contents) {
  llvm::BLAKE3 hash;
  hash.update(contents);
  return (format + "\n" + key.text() + "\n" + llvm::Twine(contents.size()) + "\n" + toHex(hash) +
          "\n")
      .str();
}

std::optional<llvm::SmallString<0>> DiskCache::load(const CacheKey &key) const {
  // Pruning removes what was not read for long, and file systems do not all note reads.
  auto file = llvm::sys::fs::openNativeFileForRead(pathOf(key), llvm::sys::fs::OF_UpdateAtime);
  if (!file) {
    llvm::consumeError(file.takeError());
    return std::nullopt;
  }
  llvm::SmallString<0> all;
  llvm::Error error = llvm::sys::fs::readNativeFileToEOF(*file, all);
  llvm::sys::fs::closeFile(*file);
  if (error) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  llvm::StringRef contents(all);
  for (int line = 0; line < 4; ++line)
    contents = contents.split('\n').second;
  std::string header = headerOf(key, contents);
  if (header.size() + contents.size() != all.size() || !llvm::StringRef(all).starts_with(header))
    return std::nullopt;
  return llvm::SmallString<0>(contents);
}

bool DiskCache::store(const CacheKey &key, llvm::StringRef contents) const {
  llvm::SmallString<256> pattern(folder_);
  llvm::sys::path::append(pattern, "dmc-%%%%%%%%.tmp");
  auto file = llvm::sys::fs::TempFile::create(pattern);
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << headerOf(key, contents) << contents;
  stream.flush();
  bool isWritten = !stream.has_error();
  stream.clear_error();
  // Another process may have written the entry meanwhile: theirs is the same.
  llvm::Error error = isWritten ? file->keep(pathOf(key)) : file->discard();
  bool isKept = isWritten && !error;
  llvm::consumeError(std::move(error));
  return isKept;
}

std::string DiskCache::prune() const {
  auto policy =
      llvm::parseCachePruningPolicy(llvm::sys::Process::GetEnv("DMC_CACHE_POLICY").value_or(""));
  if (!policy)
    return "in DMC_CACHE_POLICY: " + llvm::toString(policy.takeError());
  llvm::pruneCache(folder_, *policy);
  return {};
}
