// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Support/DiskCache.h"

#include "dmc/Support/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <thread>
#include <vector>

using namespace dmc::support;

namespace {
class DiskCacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(folder.create("dmc-cache-test"), "");
    std::string problem;
    cache = DiskCache::open(folder.path(), problem);
    ASSERT_TRUE(cache) << problem;
  }

  std::vector<std::string> files() const {
    std::vector<std::string> found;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder.path(), error), end; it != end && !error;
         it.increment(error))
      found.push_back(it->path());
    return found;
  }

  static std::string read(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void write(const std::string &path, const std::string &text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }

  TemporaryFolder folder;
  std::optional<DiskCache> cache;
  CacheKey key = CacheKey().add("a").add("b");
};
} // namespace

TEST_F(DiskCacheTest, KeepsAnEntry) {
  EXPECT_FALSE(cache->load(key));
  llvm::StringRef contents("binary\0\n contents", 17);
  EXPECT_TRUE(cache->store(key, contents));
  std::optional<llvm::SmallString<0>> found = cache->load(key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->str(), contents);
  EXPECT_EQ(files().size(), 1U); // no temporary file is left
}

TEST_F(DiskCacheTest, KeepsAnEmptyEntry) {
  EXPECT_TRUE(cache->store(key, ""));
  std::optional<llvm::SmallString<0>> found = cache->load(key);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
}

TEST_F(DiskCacheTest, KeysTellWhereTextsEnd) {
  EXPECT_NE(key.text(), CacheKey().add("ab").text());
  EXPECT_NE(key.text(), CacheKey().add("ab").add("").text());
  EXPECT_EQ(key.text(), CacheKey().add("a").add("b").text());
  ASSERT_TRUE(cache->store(key, "contents"));
  EXPECT_FALSE(cache->load(CacheKey().add("ab")));
}

TEST_F(DiskCacheTest, IgnoresAndReplacesDamagedEntries) {
  ASSERT_TRUE(cache->store(key, "the contents"));
  std::string file = files().front(), whole = read(file);
  for (size_t length : {size_t(0), size_t(1), whole.find('\n') + 1, whole.size() - 1}) {
    write(file, whole.substr(0, length));
    EXPECT_FALSE(cache->load(key)) << length;
  }
  for (size_t at : {size_t(0), whole.find('\n') + 3, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    write(file, damaged);
    EXPECT_FALSE(cache->load(key)) << at;
  }
  write(file, whole + "more");
  EXPECT_FALSE(cache->load(key));
  EXPECT_TRUE(cache->store(key, "the contents"));
  EXPECT_EQ(cache->load(key)->str(), "the contents");
}

TEST_F(DiskCacheTest, IgnoresAnEntryOfAnotherKey) {
  ASSERT_TRUE(cache->store(key, "contents"));
  std::string file = files().front();
  CacheKey other = CacheKey().add("other");
  ASSERT_TRUE(cache->store(other, "else"));
  for (const std::string &found : files())
    if (found != file)
      write(found, read(file));
  EXPECT_FALSE(cache->load(other));
}

TEST_F(DiskCacheTest, IsSharedByWritersOfTheSameEntry) {
  std::string contents(1 << 20, 'x');
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 8; ++round) {
        EXPECT_TRUE(cache->store(key, contents));
        std::optional<llvm::SmallString<0>> found = cache->load(key);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->str(), contents);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(DiskCacheTest, RefusesAFolderThatIsAFile) {
  std::string file = folder.file("file"), problem;
  write(file, "");
  EXPECT_FALSE(DiskCache::open(file, problem));
  EXPECT_NE(problem.find("cannot use the folder"), std::string::npos) << problem;
}

TEST_F(DiskCacheTest, CreatesItsFolder) {
  std::string problem;
  std::optional<DiskCache> inner = DiskCache::open(folder.file("a/b"), problem);
  ASSERT_TRUE(inner) << problem;
  EXPECT_TRUE(inner->store(key, "contents"));
}

TEST_F(DiskCacheTest, PrunesByPolicy) {
  ASSERT_TRUE(cache->store(key, std::string(1000, 'x')));
  ASSERT_EQ(setenv("DMC_CACHE_POLICY", "cache_size_bytes=10:prune_interval=0s", 1), 0);
  EXPECT_EQ(cache->prune(), "");
  EXPECT_FALSE(cache->load(key));
  ASSERT_EQ(setenv("DMC_CACHE_POLICY", "much", 1), 0);
  EXPECT_NE(cache->prune().find("in DMC_CACHE_POLICY: "), std::string::npos);
  ASSERT_EQ(unsetenv("DMC_CACHE_POLICY"), 0);
}
