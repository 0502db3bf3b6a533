//===- NpyTest.cpp - Files of NumPy arrays, conversions -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Npy.h"
#include "TestSupport.h"
#include "dmc/Runtime/Compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include <dirent.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

namespace {
class Npy : public testing::Test {
protected:
  ~Npy() override {
    for (const std::string &name : names())
      unlink((folder + "/" + name).c_str());
    rmdir(folder.c_str());
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    DIR *dir = opendir(folder.c_str());
    while (dirent *entry = readdir(dir))
      if (entry->d_name[0] != '.')
        found.push_back(entry->d_name);
    closedir(dir);
    return found;
  }
  std::string write(const std::string &bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string errorOf(const std::string &bytes) const {
    std::string error;
    EXPECT_FALSE(readNpy(write(bytes), error));
    EXPECT_EQ(error.compare(0, path.size() + 2, path + ": "), 0) << error;
    return error.substr(std::min(error.size(), path.size() + 2));
  }
  std::string folder = temporaryFolder();
  std::string path = folder + "/a.npy";
};
} // namespace

static std::string file(const std::string &header, size_t dataBytes, int major = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(major);
  text += '\0';
  text += static_cast<char>(header.size() & 255);
  text += static_cast<char>(header.size() >> 8);
  if (major > 1)
    text += std::string(2, '\0');
  return text + header + std::string(dataBytes, '\0');
}

static std::string header(const std::string &descr, const std::string &shape,
                          const char *order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

TEST_F(Npy, RoundTripsEveryType) {
  for (uint32_t type : {DMC_I1, DMC_I8, DMC_I16, DMC_I32, DMC_I64, DMC_UI8, DMC_UI16, DMC_UI32,
                        DMC_UI64, DMC_F16, DMC_BF16, DMC_F32, DMC_F64})
    for (const std::vector<int64_t> &shape :
         std::vector<std::vector<int64_t>>{{}, {1}, {3}, {2, 3}, {0, 4}, {2, 1, 2}}) {
      std::vector<double> values(checkedElements(shape, 1), 1);
      Array array = makeArray(type, shape, values);
      ASSERT_FALSE(writeNpy(path, array));
      std::string error;
      auto read = readNpy(path, error);
      ASSERT_TRUE(read) << error;
      ASSERT_FALSE(matchArray(*read, type, shape));
      EXPECT_EQ(valuesOf(*read), values);
      std::ifstream stream(path, std::ios::binary | std::ios::ate);
      EXPECT_EQ((static_cast<size_t>(stream.tellg()) - array.numBytes()) % 64, 0u);
    }
  EXPECT_EQ(names(), std::vector<std::string>{"a.npy"});
}

TEST_F(Npy, ReadsOtherVersionsAndSpellings) {
  std::string error;
  for (int major : {1, 2, 3})
    EXPECT_TRUE(readNpy(write(file(header("<f4", "(2, 3)"), 24, major)), error)) << error;
  EXPECT_EQ(readNpy(write(file(header("|V2", "(2,)"), 4)), error)->type, uint32_t(DMC_BF16));
  EXPECT_EQ(readNpy(write(file(header("=i4", "()"), 4)), error)->type, uint32_t(DMC_I32));
  EXPECT_TRUE(readNpy(write(file(header("<f4", "(1, 5)", "True"), 20)), error)) << error;
  EXPECT_TRUE(
      readNpy(write(file("{\"shape\":(2,),'descr':'<f4','fortran_order':False}", 8)), error))
      << error;
}

TEST_F(Npy, ConvertsFortranOrderToCOrder) {
  std::string bytes = file(header("|i1", "(2, 3)", "True"), 6), error;
  for (char i = 0; i < 6; ++i)
    bytes[bytes.size() - 6 + i] = i;
  auto array = readNpy(write(bytes), error);
  ASSERT_TRUE(array) << error;
  EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(valuesOf(*array), (std::vector<double>{0, 2, 4, 1, 3, 5}));
}

TEST_F(Npy, MapsFilesInTheirOwnOrder) {
  std::string error;
  ASSERT_FALSE(writeNpy(path, makeArray(DMC_F32, {2, 3}, {0, 1, 2, 3, 4, 5})));
  auto whole = NpyFile::open(path, error);
  ASSERT_TRUE(whole) << error;
  EXPECT_EQ(whole->strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(reinterpret_cast<const float *>(whole->data())[4], 4);

  std::string bytes = file(header("|i1", "(2, 3)", "True"), 6);
  for (char i = 0; i < 6; ++i)
    bytes[bytes.size() - 6 + i] = i;
  auto fortran = NpyFile::open(write(bytes), error);
  ASSERT_TRUE(fortran) << error;
  EXPECT_EQ(fortran->strides, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(fortran->data()[1 * 1 + 2 * 2], 5);

  // Data that no element could be read from in place is copied.
  auto odd =
      NpyFile::open(write(file("{'descr':'<f4','fortran_order':True,'shape':(2, 2)}", 16)), error);
  ASSERT_TRUE(odd) << error;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(odd->data()) % 4, 0u);
  EXPECT_FALSE(NpyFile::open(write(file(header("<f4", "(2,)"), 7)), error));
  EXPECT_TRUE(NpyFile::open(write(file(header("<f4", "(0, 2)"), 0)), error)) << error;
}

// Memory behind the file, where the system maps the next lower addresses at each call, is not
// released.
TEST_F(Npy, ReleasesNothingBehindTheFile) {
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto *behind = static_cast<uint8_t *>(memory);
  behind[0] = 17;
  std::string error;
  ASSERT_FALSE(writeNpy(path, makeArray(DMC_I8, {2, 3}, {0, 1, 2, 3, 4, 5})));
  auto file = NpyFile::open(path, error);
  ASSERT_TRUE(file) << error;
  size_t bytes = file->data() < behind ? static_cast<size_t>(behind - file->data()) : 0;
  if (bytes <= page)
    file->release(file->data(), bytes + page);
  EXPECT_EQ(behind[0], 17);
  EXPECT_EQ(file->data()[4], 4);
  munmap(memory, page);
}

TEST_F(Npy, ReadsComplexNumbersAsPairs) {
  std::string text = header("<c16", "(2, 3)", "True");
  text.insert(text.size() - 1, 8 - (10 + text.size()) % 8, ' '); // aligned, so that it is mapped
  std::string bytes = file(text, 0);
  for (int i = 0; i < 12; ++i) {
    double number = i;
    bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
  std::string error;
  auto array = readNpy(write(bytes), error);
  ASSERT_TRUE(array) << error;
  EXPECT_EQ(array->type, DMC_F64);
  EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 3, 2}));
  // Columns of pairs, which are rows of pairs in memory.
  const double expected[] = {0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11};
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(reinterpret_cast<const double *>(array->data())[i], expected[i]);
  auto mapped = NpyFile::open(path, error);
  ASSERT_TRUE(mapped) << error;
  EXPECT_EQ(mapped->shape, (std::vector<int64_t>{2, 3, 2}));
  EXPECT_EQ(mapped->strides, (std::vector<int64_t>{2, 4, 1}));
  auto vector = readNpy(write(file(header("<c8", "(2,)"), 16)), error);
  ASSERT_TRUE(vector) << error;
  EXPECT_EQ(vector->type, DMC_F32);
  EXPECT_EQ(vector->shape, (std::vector<int64_t>{2, 2}));
}

TEST_F(Npy, RefusesWhatItCannotRead) {
  EXPECT_EQ(errorOf(""), "is not a .npy file");
  EXPECT_EQ(errorOf("some text that is not an array"), "is not a .npy file");
  EXPECT_EQ(errorOf(file(header("<f4", "(2,)"), 8).substr(0, 40)), "ends within its header");
  EXPECT_EQ(errorOf(file(header("<f4", "(2,)"), 7)), "holds 7 bytes of data, expected 8 for 2xf32");
  EXPECT_EQ(errorOf(file(header("<f4", "(2,)"), 9)), "holds 9 bytes of data, expected 8 for 2xf32");
  EXPECT_EQ(errorOf(file(header(">f4", "(2,)"), 8)),
            "has element type '>f4', expected little-endian numbers");
  EXPECT_EQ(errorOf(file(header(">c8", "(2,)"), 16)),
            "has element type '>c8', expected little-endian numbers");
  EXPECT_EQ(errorOf(file(header("<c8", "(2,)"), 15)),
            "holds 15 bytes of data, expected 16 for 2x2xf32");
  EXPECT_EQ(errorOf(file(header("<f4", "(4611686018427387904, 16)"), 8)),
            "holds 8 bytes of data, expected more than memory can hold for "
            "4611686018427387904x16xf32");
  EXPECT_EQ(errorOf(file(header("<f4", "(99999999999999999999,)"), 8)),
            "header is not a dictionary of descr, fortran_order and shape");
  EXPECT_EQ(errorOf(file(header("<f4", "(-1,)"), 8)),
            "header is not a dictionary of descr, fortran_order and shape");
  EXPECT_EQ(errorOf(file("{'descr': '<f4'}", 8)),
            "header is not a dictionary of descr, fortran_order and shape");
  EXPECT_EQ(errorOf(file(header("<f4", "(2,)"), 8, 4)),
            "has version 4 of the .npy format, expected 1 to 3");
  std::string error;
  EXPECT_FALSE(readNpy(folder + "/none.npy", error));
  EXPECT_EQ(error, folder + "/none.npy: cannot open: No such file or directory");
  EXPECT_FALSE(readNpy(folder, error));
}

TEST_F(Npy, EveryTruncationIsAnError) {
  std::string whole = file(header("<f4", "(2, 3)"), 24), error;
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(readNpy(write(whole.substr(0, size)), error)) << size;
}

TEST_F(Npy, MatchesTypes) {
  Array bits = makeArray(DMC_UI16, {2}, {0x3f80, 0x4000});
  EXPECT_FALSE(matchArray(bits, DMC_BF16, {2}));
  EXPECT_EQ(valuesOf(bits), (std::vector<double>{1, 2}));
  EXPECT_EQ(*matchArray(bits, DMC_F16, {2}), "expected 2xf16, found 2xbf16");
}

TEST_F(Npy, FilesAppearTogether) {
  Array array = makeArray(DMC_F32, {1}, {1});
  {
    FileSet files;
    ASSERT_FALSE(files.add(path, array));
    EXPECT_EQ(*files.add(folder + "/none/b.npy", array),
              folder + "/none/b.npy: cannot write: No such file or directory");
  }
  EXPECT_TRUE(names().empty());
}

TEST(Compare, Tolerances) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  auto passes = [](const std::vector<double> &got, const std::vector<double> &want,
                   Tolerance tolerance) {
    auto size = static_cast<int64_t>(got.size());
    return compare(makeArray(DMC_F64, {size}, got), makeArray(DMC_F64, {size}, want), tolerance)
        .passed;
  };
  EXPECT_TRUE(passes({1, nan, inf, -inf, 0.0}, {1, nan, inf, -inf, -0.0}, {}));
  EXPECT_FALSE(passes({1}, {nan}, {1, 1}));
  EXPECT_FALSE(passes({nan}, {1}, {1, 1}));
  EXPECT_FALSE(passes({inf}, {-inf}, {1, 1}));
  EXPECT_FALSE(passes({1e300}, {inf}, {1, 1}));
  EXPECT_FALSE(passes({inf}, {1e300}, {1, 1}));
  EXPECT_TRUE(passes({1.1}, {1}, {0, 0.11}));
  EXPECT_FALSE(passes({1.1}, {1}, {0, 0.09}));
  EXPECT_TRUE(passes({110}, {100}, {0.1, 0.001}));
  EXPECT_FALSE(passes({110}, {100}, {0.09, 0}));
  Comparison result = compare(makeArray(DMC_I64, {2, 2}, {1, 2, 3, 9007199254740993.0}),
                              makeArray(DMC_I64, {2, 2}, {1, 2, 5, 9007199254740992.0}), {});
  EXPECT_EQ(result.message, "1 of 4 elements differ, most at [1, 0]: expected 5, got 3");
  EXPECT_EQ(result.maxAbsError, 2);
}

TEST(Compare, UlpsAndBits) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  auto passes = [](uint32_t type, double got, double want, Tolerance tolerance) {
    return compare(makeArray(type, {1}, {got}), makeArray(type, {1}, {want}), tolerance).passed;
  };
  auto ulps = [](int64_t count) { return Tolerance{0, 0, Tolerance::Kind::Ulps, count}; };
  const Tolerance bits{0, 0, Tolerance::Kind::Bits, 0};
  for (double sign : {1.0, -1.0}) {
    EXPECT_TRUE(passes(DMC_F64, sign, sign * (1 + 0x1p-52), ulps(1)));
    EXPECT_FALSE(passes(DMC_F64, sign, sign * (1 + 0x1p-51), ulps(1)));
    EXPECT_TRUE(passes(DMC_F32, sign, sign * (1 - 0x1p-23), ulps(2)));
    EXPECT_FALSE(passes(DMC_F32, sign, sign * (1 - 0x1p-23), ulps(1)));
    EXPECT_TRUE(passes(DMC_BF16, sign * 1.5, sign * 1.5078125, ulps(1)));
    EXPECT_FALSE(passes(DMC_F16, sign, sign * inf, ulps(1 << 20)));
    EXPECT_FALSE(passes(DMC_F32, sign * 0x1p-149, sign * -0x1p-149, ulps(1)));
    EXPECT_TRUE(passes(DMC_F32, sign * 0x1p-149, sign * -0x1p-149, ulps(2)));
    EXPECT_FALSE(passes(DMC_F32, sign * 0.0, sign * -0.0, bits));
    EXPECT_TRUE(passes(DMC_F32, sign * 0.0, sign * -0.0, ulps(0)));
    EXPECT_TRUE(passes(DMC_F32, sign * inf, sign * inf, bits));
  }
  EXPECT_FALSE(passes(DMC_F32, nan, 1, ulps(5)));
  EXPECT_FALSE(passes(DMC_F32, nan, 1, bits));
  EXPECT_TRUE(passes(DMC_F32, nan, -nan, bits));
  EXPECT_FALSE(passes(DMC_I32, 7, 8, ulps(1)));
  EXPECT_FALSE(passes(DMC_I32, 7, 8, bits));
}

TEST(Element, HalfConversionsAreExactInverses) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    float wide = f16ToFloat(half);
    if (std::isnan(wide))
      EXPECT_TRUE(std::isnan(f16ToFloat(floatToF16(wide))));
    else
      EXPECT_EQ(floatToF16(wide), half);
    wide = bf16ToFloat(half);
    if (std::isnan(wide))
      EXPECT_TRUE(std::isnan(bf16ToFloat(floatToBf16(wide))));
    else
      EXPECT_EQ(floatToBf16(wide), half);
  }
  EXPECT_EQ(f16ToFloat(floatToF16(65519.0f)), 65504.0f);
  EXPECT_TRUE(std::isinf(f16ToFloat(floatToF16(65520.0f))));
  EXPECT_EQ(f16ToFloat(floatToF16(0x1p-25f)), 0.0f); // a tie, to even
  EXPECT_EQ(f16ToFloat(floatToF16(0x1.8p-25f)), 0x1p-24f);
  EXPECT_EQ(bf16ToFloat(floatToBf16(0x1.01p0f)), 1.0f); // a tie, to even
  EXPECT_EQ(bf16ToFloat(floatToBf16(0x1.03p0f)), 0x1.04p0f);
}
