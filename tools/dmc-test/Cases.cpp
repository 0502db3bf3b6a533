//===- Cases.cpp - A folder of cases --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Cases.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace dmc;
using namespace dmc::test;
using runtime::Tolerance;

static std::string readTolerance(const llvm::json::Object &entry, Tolerance &tolerance) {
  const llvm::json::Object *object = entry.getObject("tolerance");
  auto kind = object ? object->getString("kind") : std::nullopt;
  if (!kind)
    return "expected \"tolerance\" with a \"kind\"";
  auto number = [&](const char *key, double &value) -> std::string {
    auto given = object->getNumber(key);
    if (!given || !(*given >= 0))
      return "expected a number \"" + std::string(key) + "\" in \"tolerance\"";
    value = *given;
    return {};
  };
  if (*kind == "bits") {
    tolerance.kind = Tolerance::Kind::Bits;
    return {};
  }
  if (*kind == "value")
    return {};
  if (*kind == "ulp") {
    double ulps = 0;
    std::string problem = number("max", ulps);
    tolerance.kind = Tolerance::Kind::Ulps;
    tolerance.ulps = static_cast<int64_t>(ulps);
    return problem;
  }
  if (*kind == "close") {
    std::string problem = number("atol", tolerance.atol);
    return problem.empty() ? number("rtol", tolerance.rtol) : problem;
  }
  return "expected tolerance bits, value, ulp or close, found \"" + kind->str() + "\"";
}

static std::string readRanks(const llvm::json::Object &entry, Case &result) {
  if (!entry.get("ranks"))
    return {};
  const llvm::json::Object *object = entry.getObject("ranks");
  auto replicas = object ? object->getInteger("replicas") : std::nullopt;
  auto partitions = object ? object->getInteger("partitions") : std::nullopt;
  constexpr int64_t limit = 1 << 16;
  if (!replicas || !partitions || *replicas < 1 || *partitions < 1 || *replicas > limit ||
      *partitions > limit)
    return "expected positive \"replicas\" and \"partitions\" in \"ranks\"";
  result.numRanks = *replicas * *partitions;
  return {};
}

static std::string readCase(const llvm::json::Object &entry, const std::string &folder,
                            Case &result) {
  auto name = entry.getString("name");
  if (!name || name->empty() || name->contains('/'))
    return "expected a \"name\" without slashes";
  result.name = name->str();
  llvm::SmallString<128> prefix(folder);
  llvm::sys::path::append(prefix, result.name);
  result.prefix = std::string(prefix);
  const llvm::json::Array *outputs = entry.getArray("outputs");
  if (!outputs)
    return "expected an array \"outputs\"";
  for (const llvm::json::Value &output : *outputs) {
    auto type = output.getAsString();
    if (!type)
      return "expected strings in \"outputs\"";
    result.outputs.push_back(type->str());
  }
  if (std::string problem = readTolerance(entry, result.tolerance); !problem.empty())
    return problem;
  return readRanks(entry, result);
}

std::optional<std::vector<Case>> test::readCases(const std::string &path, std::string &error) {
  llvm::SmallString<128> file(path);
  if (llvm::sys::fs::is_directory(path))
    llvm::sys::path::append(file, "cases.json");
  auto fail = [&](const std::string &why) {
    error = std::string(file) + ": " + why;
    return std::nullopt;
  };
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return fail("cannot open: " + buffer.getError().message());
  auto json = llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return fail("is not JSON: " + llvm::toString(json.takeError()));
  const llvm::json::Array *entries = json->getAsArray();
  if (!entries)
    return fail("expected an array of cases");
  std::string folder = llvm::sys::path::parent_path(file).str();
  std::vector<Case> cases;
  llvm::StringSet<> names;
  for (const llvm::json::Value &entry : *entries) {
    std::string where = "case " + std::to_string(cases.size());
    const llvm::json::Object *object = entry.getAsObject();
    if (!object)
      return fail(where + ": expected an object");
    Case result;
    std::string problem = readCase(*object, folder, result);
    if (!result.name.empty())
      where += " (" + result.name + ")";
    if (!problem.empty())
      return fail(where + ": " + problem);
    if (!names.insert(result.name).second)
      return fail(where + ": there is another case of that name");
    cases.push_back(std::move(result));
  }
  return cases;
}
