//===- PackedCases.cpp - Many small cases in one file ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PackedCases.h"

#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Npy.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <vector>

using namespace dmc;
using namespace dmc::test;
namespace json = llvm::json;

//===--- Arrays -----------------------------------------------------------===//

static const llvm::fltSemantics &getSemantics(uint32_t type) {
  switch (type) {
  case DMC_F16:
    return llvm::APFloat::IEEEhalf();
  case DMC_BF16:
    return llvm::APFloat::BFloat();
  case DMC_F32:
    return llvm::APFloat::IEEEsingle();
  default:
    return llvm::APFloat::IEEEdouble();
  }
}

/// "2x3xf32" as a type and a shape; false if it is malformed.
static bool parseType(llvm::StringRef text, uint32_t &type, std::vector<int64_t> &shape) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  for (llvm::StringRef size : llvm::ArrayRef(parts).drop_back())
    if (size.getAsInteger(10, shape.emplace_back()) || shape.back() < 0)
      return false;
  for (type = DMC_I1; type <= DMC_F64; ++type)
    if (parts.back() == runtime::elementName(type))
      return runtime::checkedElements(shape, runtime::elementBytes(type)) >= 0;
  return false;
}

/// The bits of one element: a number, a boolean, or a string: "nan", "-nan", "inf", "-inf" or
/// the bits as "0x7fc0".
static std::optional<uint64_t> getBits(uint32_t type, const json::Value &value) {
  unsigned width = 8 * runtime::elementBytes(type);
  auto fits = [&](uint64_t bits) { return width == 64 || bits >> width == 0; };
  if (auto text = value.getAsString(); text && text->starts_with("0x")) {
    uint64_t bits;
    if (text->drop_front(2).getAsInteger(16, bits) || !fits(bits))
      return std::nullopt;
    return bits;
  }
  if (runtime::isFloat(type)) {
    llvm::APFloat number(0.0);
    if (auto text = value.getAsString()) {
      bool isNegative = text->consume_front("-");
      if (*text == "nan")
        number = llvm::APFloat::getQNaN(number.getSemantics(), isNegative);
      else if (*text == "inf")
        number = llvm::APFloat::getInf(number.getSemantics(), isNegative);
      else
        return std::nullopt;
    } else if (auto plain = value.getAsNumber()) {
      number = llvm::APFloat(*plain);
    } else {
      return std::nullopt;
    }
    bool losesInfo;
    number.convert(getSemantics(type), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return number.bitcastToAPInt().getZExtValue();
  }
  if (auto flag = value.getAsBoolean())
    return type == DMC_I1 ? std::optional<uint64_t>(*flag) : std::nullopt;
  if (type == DMC_UI64)
    return value.getAsUINT64();
  auto number = value.getAsInteger();
  if (!number)
    return std::nullopt;
  bool isSigned = type >= DMC_I8 && type <= DMC_I64;
  bool isInRange = type == DMC_I1 ? *number == 0 || *number == 1
                   : isSigned     ? llvm::isIntN(width, *number)
                                  : *number >= 0 && fits(*number);
  if (!isInRange)
    return std::nullopt;
  return static_cast<uint64_t>(*number) & llvm::maskTrailingOnes<uint64_t>(width);
}

/// An array of a type, its elements in row-major order; nothing if `values` are not such elements.
static std::optional<runtime::Array> makeArray(llvm::StringRef typeText, const json::Array &values,
                                               std::string &error) {
  uint32_t type;
  std::vector<int64_t> shape;
  if (!parseType(typeText, type, shape)) {
    error = "\"" + typeText.str() + "\" is not a type such as 2x3xf32";
    return std::nullopt;
  }
  runtime::Array array = runtime::Array::make(type, shape);
  if (array.numElements() != static_cast<int64_t>(values.size())) {
    error = "expected " + std::to_string(array.numElements()) + " elements of " + typeText.str() +
            ", found " + std::to_string(values.size());
    return std::nullopt;
  }
  size_t bytes = runtime::elementBytes(type);
  for (size_t i = 0; i < values.size(); ++i) {
    std::optional<uint64_t> bits = getBits(type, values[i]);
    if (!bits) {
      error = "element " + std::to_string(i) + " is not one of " + typeText.str();
      return std::nullopt;
    }
    std::memcpy(array.data() + i * bytes, &*bits, bytes); // little endian
  }
  return array;
}

//===--- Cases ------------------------------------------------------------===//

namespace {
class Unpacker {
public:
  explicit Unpacker(const std::string &target) : target(target) {}

  /// Appends the cases of a file; returns what is wrong with it.
  std::string add(const std::string &file);
  std::string finish() {
    return write("cases.json", llvm::formatv("{0}", json::Value(std::move(entries))));
  }

private:
  std::string addCase(json::Object entry, llvm::StringRef group);
  std::string addArrays(const json::Object &entry, llvm::StringRef key, llvm::StringRef types,
                        const std::string &prefix, llvm::StringRef kind);
  std::string write(const std::string &name, const std::string &text);

  std::string target;
  json::Array entries;
};
} // namespace

std::string Unpacker::write(const std::string &name, const std::string &text) {
  runtime::FileSet files;
  if (auto problem = files.add(target + "/" + name, text))
    return *problem;
  return files.commit().value_or("");
}

/// The arrays of `key`: one for each type, or with ranks a list of such for each rank.
std::string Unpacker::addArrays(const json::Object &entry, llvm::StringRef key,
                                llvm::StringRef typesKey, const std::string &prefix,
                                llvm::StringRef kind) {
  const json::Array *types = entry.getArray(typesKey), *arrays = entry.getArray(key);
  if (!types || !arrays)
    return "expected arrays \"" + typesKey.str() + "\" and \"" + key.str() + "\"";
  auto addList = [&](const json::Array &list, const std::string &base) -> std::string {
    if (list.size() != types->size())
      return "expected " + std::to_string(types->size()) + " arrays in \"" + key.str() +
             "\", found " + std::to_string(list.size());
    for (size_t i = 0; i < list.size(); ++i) {
      auto type = (*types)[i].getAsString();
      const json::Array *values = list[i].getAsArray();
      if (!type || !values)
        return "expected strings in \"" + typesKey.str() + "\" and arrays in \"" + key.str() + "\"";
      std::string error;
      std::optional<runtime::Array> array = makeArray(*type, *values, error);
      if (!array)
        return key.str() + " " + std::to_string(i) + ": " + error;
      if (auto problem = runtime::writeNpy(base + kind.str() + std::to_string(i) + ".npy", *array))
        return *problem;
    }
    return {};
  };
  std::string base = target + "/" + prefix + ".";
  if (!entry.get("ranks"))
    return addList(*arrays, base);
  for (size_t rank = 0; rank < arrays->size(); ++rank) {
    const json::Array *list = (*arrays)[rank].getAsArray();
    if (!list)
      return "expected an array for each rank in \"" + key.str() + "\"";
    std::string problem = addList(*list, base + "r" + std::to_string(rank) + ".");
    if (!problem.empty())
      return "rank " + std::to_string(rank) + ": " + problem;
  }
  return {};
}

std::string Unpacker::addCase(json::Object entry, llvm::StringRef group) {
  auto name = entry.getString("name");
  const json::Array *lines = entry.getArray("program");
  if (!name || name->empty() || name->contains('/') || !lines)
    return "expected a \"name\" without slashes and a \"program\", an array of lines";
  std::string prefix = (group + "." + *name).str(), program;
  for (const json::Value &line : *lines)
    program += line.getAsString().value_or("").str() + "\n";
  std::string problem = write(prefix + ".mlir", program);
  if (problem.empty())
    problem = addArrays(entry, "arguments", "inputs", prefix, "in");
  if (problem.empty())
    problem = addArrays(entry, "results", "outputs", prefix, "out");
  for (llvm::StringRef key : {"program", "arguments", "results"})
    entry.erase(key);
  entry["name"] = prefix;
  entries.push_back(std::move(entry));
  return problem;
}

/// The cases of a JSON text if it is of packed cases.
static std::optional<json::Array> getPackedCases(llvm::StringRef text) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError()); // readCases has a message for it
    return std::nullopt;
  }
  json::Object *object = value->getAsObject();
  json::Array *cases = object ? object->getArray("cases") : nullptr;
  if (!cases)
    return std::nullopt;
  return std::move(*cases);
}

std::string Unpacker::add(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return file + ": cannot open: " + buffer.getError().message();
  std::optional<json::Array> cases = getPackedCases((*buffer)->getBuffer());
  if (!cases)
    return file + ": expected an object with an array \"cases\"";
  llvm::StringRef group = llvm::sys::path::stem(file);
  for (size_t i = 0; i < cases->size(); ++i) {
    json::Object *entry = (*cases)[i].getAsObject();
    std::string where = file + ": case " + std::to_string(i);
    if (!entry)
      return where + ": expected an object";
    if (auto name = entry->getString("name"))
      where += " (" + name->str() + ")";
    if (std::string problem = addCase(std::move(*entry), group); !problem.empty())
      return where + ": " + problem;
  }
  return {};
}

std::optional<std::string> test::unpackCases(const std::string &path, const std::string &target,
                                             std::string &error) {
  std::vector<std::string> files;
  if (llvm::sys::fs::is_directory(path)) {
    if (llvm::sys::fs::exists(path + "/cases.json"))
      return path;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(path, code), end; !code && it != end;
         it.increment(code))
      if (llvm::sys::path::extension(it->path()) == ".json")
        files.push_back(it->path());
    std::sort(files.begin(), files.end());
  } else if (auto buffer = llvm::MemoryBuffer::getFile(path);
             buffer && getPackedCases((*buffer)->getBuffer())) {
    files.push_back(path);
  }
  if (files.empty())
    return path;
  Unpacker unpacker(target);
  for (const std::string &file : files)
    if (error = unpacker.add(file); !error.empty())
      return std::nullopt;
  if (error = unpacker.finish(); !error.empty())
    return std::nullopt;
  return target;
}
