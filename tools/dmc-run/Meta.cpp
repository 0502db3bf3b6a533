//===- Meta.cpp - Names and tolerances of a program's results -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace dmc;
using namespace dmc::run;

std::optional<Meta> run::readMeta(const std::string &path, std::string &error) {
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
  double rtol = root->getNumber("rtol").value_or(1e-5);
  Meta meta;
  for (const llvm::json::Value &item : *results) {
    std::string where = "result " + std::to_string(meta.results.size());
    const llvm::json::Object *result = item.getAsObject();
    auto name = result ? result->getString("name") : std::nullopt;
    if (!name)
      return fail(where + " has no name");
    Meta::Result entry;
    entry.name = name->str();
    for (auto [key, target, otherwise] :
         {std::tuple{"atol", &entry.tolerance.atol, 0.0}, {"rtol", &entry.tolerance.rtol, rtol}}) {
      const llvm::json::Value *given = result->get(key);
      if (given && (!given->getAsNumber() || !(*given->getAsNumber() >= 0)))
        return fail(where + " (" + entry.name + ") has a malformed " + key + ", expected a number");
      *target = given ? *given->getAsNumber() : otherwise;
    }
    meta.results.push_back(std::move(entry));
  }
  return meta;
}
