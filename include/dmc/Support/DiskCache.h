//===- DiskCache.h - Results that are kept on disk --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A content-addressed cache: an entry is found by the hash of everything that it follows from,
// so it is never stale. Processes may share a folder.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SUPPORT_DISKCACHE_H
#define DMC_SUPPORT_DISKCACHE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"

#include <optional>
#include <string>

namespace dmc::support {

/// The hash of a sequence of texts; where one ends and the next begins counts.
class CacheKey {
public:
  CacheKey &add(llvm::StringRef text);
  /// Of what was added so far, in hexadecimal.
  std::string text() const;

private:
  llvm::BLAKE3 hash_;
};

/// Identifies the code that calls this: the file that it was loaded from, its size and when it
/// was written. Part of a key whose entries depend on how this version of the code makes them.
std::string identifyCode();

class DiskCache {
public:
  /// The cache in a folder, which is created where it is missing. Empty: the folder that
  /// `DMC_CACHE_DIR` names; no cache if that is unset or empty. Nothing and a `problem` if the
  /// folder cannot be used.
  static std::optional<DiskCache> open(llvm::StringRef folder, std::string &problem);

  /// The contents of an entry; nothing where there is none, or where it is truncated, damaged or of
  /// another version of the format.
  std::optional<llvm::SmallString<0>> load(const CacheKey &key) const;
  /// Adds an entry, whole or not at all, in the place of any other. Says if it is kept: it is
  /// not if the disk is full, for instance, which only costs time later.
  bool store(const CacheKey &key, llvm::StringRef contents) const;
  /// Removes entries by the policy of `DMC_CACHE_POLICY`, in the form of LLVM's caches
  /// (`cache_size_bytes=1g:prune_after=48h`), by default those not used for a week; looks at
  /// most every 20 minutes. Returns what is wrong with the policy, or nothing.
  std::string prune() const;

private:
  explicit DiskCache(llvm::StringRef folder) : folder_(folder) {}
  std::string pathOf(const CacheKey &key) const;

  std::string folder_;
};

} // namespace dmc::support

#endif // DMC_SUPPORT_DISKCACHE_H
