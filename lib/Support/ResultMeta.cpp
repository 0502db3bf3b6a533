//===- ResultMeta.cpp - Names and tolerances of a program's results -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Support/ResultMeta.h"

#include "dmc/Runtime/Element.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace dmc;
using namespace dmc::support;

runtime::Tolerance support::getDefaultTolerance(uint32_t elementType) {
  return runtime::isFloat(elementType) ? kDefaultTolerance : runtime::Tolerance();
}

runtime::Tolerance ResultMeta::getTolerance(uint32_t elementType) const {
  runtime::Tolerance tolerance = getDefaultTolerance(elementType);
  tolerance.rtol = rtol.value_or(tolerance.rtol);
  tolerance.atol = atol.value_or(tolerance.atol);
  return tolerance;
}

std::optional<std::vector<ResultMeta>> support::readResultMeta(const std::string &path,
                                                               std::string &error) {
  auto fail = [&](const std::string &why) {
    error = path + ": " + why;
    return std::nullopt;
  };
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail("cannot open: " + buffer.getError().message());
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return fail("is not JSON: " + llvm::toString(value.takeError()));
  const llvm::json::Object *root = value->getAsObject();
  const llvm::json::Array *results = root ? root->getArray("results") : nullptr;
  if (!results)
    return fail("has no array \"results\"");
  std::vector<ResultMeta> meta;
  for (const llvm::json::Value &item : *results) {
    std::string where = "result " + std::to_string(meta.size());
    const llvm::json::Object *result = item.getAsObject();
    auto name = result ? result->getString("name") : std::nullopt;
    if (!name)
      return fail(where + " has no name");
    ResultMeta entry;
    entry.name = name->str();
    entry.rtol = root->getNumber("rtol");
    for (auto [key, target] : {std::pair{"atol", &entry.atol}, {"rtol", &entry.rtol}}) {
      const llvm::json::Value *given = result->get(key);
      if (!given)
        continue;
      *target = given->getAsNumber();
      if (!*target || !(**target >= 0))
        return fail(where + " (" + entry.name + ") has a malformed " + key + ", expected a number");
    }
    meta.push_back(std::move(entry));
  }
  return meta;
}
