//===- Npy.cpp - Files of NumPy arrays ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Npy.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dmc;
using namespace dmc::runtime;

namespace {
struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// A cursor over the header's Python dictionary, of which only the form that
/// NumPy writes is understood: strings, True/False and tuples of integers.
struct HeaderParser {
  const std::string &text;
  size_t at = 0;

  void skip() {
    while (at < text.size() && std::strchr(" \t\n\r", text[at]) && text[at])
      ++at;
  }
  bool eat(char c) {
    skip();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool string(std::string &value) {
    skip();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      return false;
    size_t end = text.find(text[at], at + 1);
    if (end == std::string::npos)
      return false;
    value = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return true;
  }
  bool boolean(bool &value) {
    skip();
    for (bool candidate : {true, false}) {
      const char *word = candidate ? "True" : "False";
      if (text.compare(at, std::strlen(word), word) == 0) {
        at += std::strlen(word);
        value = candidate;
        return true;
      }
    }
    return false;
  }
  bool tuple(std::vector<int64_t> &value) {
    if (!eat('('))
      return false;
    while (!eat(')')) {
      skip();
      int64_t number = 0;
      size_t begin = at;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        if (__builtin_mul_overflow(number, int64_t(10), &number) ||
            __builtin_add_overflow(number, int64_t(text[at] - '0'), &number))
          return false;
      if (at == begin)
        return false;
      value.push_back(number);
      if (!eat(',')) {
        if (!eat(')'))
          return false;
        break;
      }
    }
    return true;
  }
};
} // namespace

static uint32_t typeOfDescr(const std::string &descr) {
  if (descr.size() < 3 || !std::strchr("<|=", descr[0]))
    return 0;
  std::string name = descr.substr(1);
  if (descr[0] == '|' && name != "b1" && name != "i1" && name != "u1" && name != "V2")
    return 0;
  static const struct {
    const char *name;
    uint32_t type;
  } table[] = {{"b1", DMC_I1},   {"i1", DMC_I8},  {"i2", DMC_I16},  {"i4", DMC_I32},
               {"i8", DMC_I64},  {"u1", DMC_UI8}, {"u2", DMC_UI16}, {"u4", DMC_UI32},
               {"u8", DMC_UI64}, {"f2", DMC_F16}, {"f4", DMC_F32},  {"f8", DMC_F64},
               {"V2", DMC_BF16}};
  for (const auto &entry : table)
    if (name == entry.name)
      return entry.type;
  return 0;
}

/// The type of the parts of complex numbers, which lie side by side; 0 for other elements.
static uint32_t partTypeOfDescr(const std::string &descr) {
  return descr == "<c8" || descr == "=c8"     ? DMC_F32
         : descr == "<c16" || descr == "=c16" ? DMC_F64
                                              : 0;
}

static const char *descrOfType(uint32_t type) {
  static const char *const descrs[] = {"",    "|b1", "|i1", "<i2", "<i4", "<i8", "|u1",
                                       "<u2", "<u4", "<u8", "<f2", "<u2", "<f4", "<f8"};
  return descrs[type];
}

static std::optional<std::string> parseHeader(const std::string &text, std::string &descr,
                                              bool &fortran, std::vector<int64_t> &shape) {
  HeaderParser parser{text};
  bool hasDescr = false, hasOrder = false, hasShape = false;
  std::optional<std::string> malformed = "header is not a dictionary of descr, fortran_order "
                                         "and shape";
  if (!parser.eat('{'))
    return malformed;
  while (!parser.eat('}')) {
    std::string key;
    if (!parser.string(key) || !parser.eat(':'))
      return malformed;
    bool good = false;
    if (key == "descr") {
      parser.skip();
      if (parser.at < text.size() && text[parser.at] == '[')
        return "holds records, expected numbers";
      good = hasDescr = parser.string(descr);
    } else if (key == "fortran_order") {
      good = hasOrder = parser.boolean(fortran);
    } else if (key == "shape") {
      good = hasShape = parser.tuple(shape);
    }
    if (!good)
      return malformed;
    if (!parser.eat(',')) {
      if (!parser.eat('}'))
        return malformed;
      break;
    }
  }
  if (!hasDescr || !hasOrder || !hasShape)
    return malformed;
  return std::nullopt;
}

namespace {
/// What the header says, checked against the file's size.
struct Header {
  uint32_t type = 0;
  bool isFortran = false, isComplex = false;
  std::vector<int64_t> shape; // of complex numbers with a last dimension for the parts
  size_t dataBegin = 0, dataBytes = 0;

  std::vector<int64_t> strides() const {
    if (!isFortran)
      return rowMajorStrides(shape);
    std::vector<int64_t> result(shape.size());
    int64_t stride = isComplex ? 2 : 1;
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = stride;
      stride *= shape[i];
    }
    if (isComplex)
      result.back() = 1;
    return result;
  }
};
} // namespace

/// Opens the file and reads its header; the position is then that of the data.
static std::optional<Header> openFile(const std::string &path, File &file, std::string &error) {
  auto fail = [&](const std::string &why) {
    error = path + ": " + why;
    return std::nullopt;
  };
  file.reset(std::fopen(path.c_str(), "rb"));
  if (!file)
    return fail(std::string("cannot open: ") + std::strerror(errno));
  struct stat info;
  if (fstat(fileno(file.get()), &info) != 0 || !S_ISREG(info.st_mode))
    return fail("is not a regular file");
  uint8_t head[12] = {};
  if (std::fread(head, 1, 10, file.get()) != 10 || std::memcmp(head, "\x93NUMPY", 6) != 0)
    return fail("is not a .npy file");
  int major = head[6];
  if (major < 1 || major > 3)
    return fail("has version " + std::to_string(major) + " of the .npy format, expected 1 to 3");
  size_t headerBytes = head[8] | head[9] << 8;
  Header header;
  header.dataBegin = 10;
  if (major > 1) {
    if (std::fread(head + 10, 1, 2, file.get()) != 2)
      return fail("ends within its header");
    headerBytes |= static_cast<size_t>(head[10]) << 16 | static_cast<size_t>(head[11]) << 24;
    header.dataBegin = 12;
  }
  header.dataBegin += headerBytes;
  if (header.dataBegin > static_cast<size_t>(info.st_size))
    return fail("ends within its header");
  std::string text(headerBytes, '\0');
  if (std::fread(&text[0], 1, headerBytes, file.get()) != headerBytes)
    return fail("ends within its header");

  std::string descr;
  if (auto why = parseHeader(text, descr, header.isFortran, header.shape))
    return fail(*why);
  header.type = typeOfDescr(descr);
  if (uint32_t part = partTypeOfDescr(descr)) {
    header.type = part;
    header.isComplex = true;
    header.shape.push_back(2);
  }
  if (!header.type)
    return fail("has element type '" + descr + "', expected little-endian numbers");
  int64_t count = checkedElements(header.shape, elementBytes(header.type));
  header.dataBytes = static_cast<size_t>(info.st_size) - header.dataBegin;
  if (count < 0 || static_cast<size_t>(count) * elementBytes(header.type) != header.dataBytes)
    return fail("holds " + std::to_string(header.dataBytes) + " bytes of data, expected " +
                (count < 0
                     ? "more than memory can hold"
                     : std::to_string(static_cast<size_t>(count) * elementBytes(header.type))) +
                " for " + toString(header.type, header.shape));
  return header;
}

std::optional<Array> runtime::readNpy(const std::string &path, std::string &error) {
  auto fail = [&](const std::string &why) {
    error = path + ": " + why;
    return std::nullopt;
  };
  File file;
  auto header = openFile(path, file, error);
  if (!header)
    return std::nullopt;
  std::string noMemory = "not enough memory for " + toString(header->type, header->shape);
  Array array = Array::make(header->type, header->shape);
  if (!array.buffer)
    return fail(noMemory);
  if (header->dataBytes &&
      std::fread(array.data(), 1, header->dataBytes, file.get()) != header->dataBytes)
    return fail("cannot be read to its end");
  if (!header->isFortran)
    return array;
  Array rowMajor = Array::make(header->type, header->shape);
  if (!rowMajor.buffer)
    return fail(noMemory);
  copyBox(rowMajor.data(), rowMajorStrides(header->shape), array.data(), header->strides(),
          header->shape, elementBytes(header->type));
  return rowMajor;
}

std::optional<NpyFile> NpyFile::open(const std::string &path, std::string &error) {
  File file;
  auto header = openFile(path, file, error);
  if (!header)
    return std::nullopt;
  NpyFile result;
  result.type = header->type;
  result.shape = header->shape;
  result.strides = header->strides();
  size_t bytes = header->dataBegin + header->dataBytes;
  bool isAligned = header->dataBegin % elementBytes(header->type) == 0;
  void *map = header->dataBytes && isAligned
                  ? mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fileno(file.get()), 0)
                  : MAP_FAILED;
  if (map != MAP_FAILED) {
    result.map_ = map;
    result.mapBytes_ = bytes;
    result.data_ = static_cast<const uint8_t *>(map) + header->dataBegin;
    return result;
  }
  auto copy = readNpy(path, error);
  if (!copy)
    return std::nullopt;
  result.copy_ = std::move(*copy);
  result.data_ = result.copy_.data();
  result.strides = rowMajorStrides(result.shape);
  return result;
}

NpyFile::NpyFile(NpyFile &&other)
    : type(other.type), shape(std::move(other.shape)), strides(std::move(other.strides)),
      data_(other.data_), map_(other.map_), mapBytes_(other.mapBytes_),
      copy_(std::move(other.copy_)) {
  other.map_ = nullptr;
}

NpyFile::~NpyFile() {
  if (map_)
    munmap(map_, mapBytes_);
}

void NpyFile::release(const uint8_t *begin, size_t bytes) const {
  if (!map_)
    return;
  // Pages that lie in the part completely; behind the file is memory of others.
  auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t end = std::min(reinterpret_cast<uintptr_t>(begin) + bytes,
                           reinterpret_cast<uintptr_t>(map_) + mapBytes_);
  uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + page - 1) / page * page;
  uintptr_t last = end / page * page;
  if (first < last)
    madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

static std::string npyHeader(const Array &array) {
  std::string header = std::string("{'descr': '") + descrOfType(array.type) +
                       "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < array.shape.size(); ++i)
    header += std::to_string(array.shape[i]) + (i + 1 < array.shape.size() ? ", "
                                                : array.shape.size() == 1  ? ","
                                                                           : "");
  header += "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

static std::string temporaryName(const std::string &path) {
  return path + ".tmp" + std::to_string(getpid());
}

/// A device or a pipe, which is written to and never replaced.
static bool isStream(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static std::optional<std::string> writeParts(const std::string &path, const std::string &head,
                                             const void *data, size_t bytes) {
  File file(std::fopen(path.c_str(), "wb"));
  auto fail = [&](const std::string &shown) {
    std::string why = shown + ": cannot write: " + std::strerror(errno);
    file.reset();
    if (!isStream(path))
      unlink(path.c_str());
    return why;
  };
  std::string shown = path.substr(0, path.rfind(".tmp"));
  if (!file)
    return shown + ": cannot write: " + std::strerror(errno);
  if (std::fwrite(head.data(), 1, head.size(), file.get()) != head.size() ||
      (bytes && std::fwrite(data, 1, bytes, file.get()) != bytes) || std::fflush(file.get()) != 0)
    return fail(shown);
  return std::nullopt;
}

FileSet::~FileSet() {
  for (const Entry &entry : entries_)
    unlink(entry.temporary.c_str());
}

std::optional<std::string> FileSet::add(const std::string &path, const Array &array) {
  if (isStream(path))
    return writeParts(path, npyHeader(array), array.data(), array.numBytes());
  std::string temporary = temporaryName(path);
  if (auto why = writeParts(temporary, npyHeader(array), array.data(), array.numBytes()))
    return why;
  entries_.push_back({temporary, path});
  return std::nullopt;
}

std::optional<std::string> FileSet::add(const std::string &path, const std::string &text) {
  if (isStream(path))
    return writeParts(path, text, nullptr, 0);
  std::string temporary = temporaryName(path);
  if (auto why = writeParts(temporary, text, nullptr, 0))
    return why;
  entries_.push_back({temporary, path});
  return std::nullopt;
}

std::optional<std::string> FileSet::commit() {
  while (!entries_.empty()) {
    Entry entry = entries_.back();
    if (std::rename(entry.temporary.c_str(), entry.path.c_str()) != 0)
      return entry.path + ": cannot write: " + std::strerror(errno);
    entries_.pop_back();
  }
  return std::nullopt;
}

std::optional<std::string> runtime::writeNpy(const std::string &path, const Array &array) {
  FileSet files;
  if (auto why = files.add(path, array))
    return why;
  return files.commit();
}

std::optional<std::string> runtime::writeFileAtomically(const std::string &path,
                                                        const std::string &text) {
  FileSet files;
  if (auto why = files.add(path, text))
    return why;
  return files.commit();
}

static std::optional<std::string> match(uint32_t &foundType, const std::vector<int64_t> &foundShape,
                                        uint32_t type, const std::vector<int64_t> &shape) {
  bool sameType = foundType == type || (type == DMC_BF16 && foundType == DMC_UI16);
  if (!sameType || foundShape != shape)
    return "expected " + toString(type, shape) + ", found " + toString(foundType, foundShape);
  foundType = type;
  return std::nullopt;
}

std::optional<std::string> runtime::matchArray(Array &array, uint32_t type,
                                               const std::vector<int64_t> &shape) {
  return match(array.type, array.shape, type, shape);
}

std::optional<std::string> runtime::matchArray(NpyFile &file, uint32_t type,
                                               const std::vector<int64_t> &shape) {
  return match(file.type, file.shape, type, shape);
}
