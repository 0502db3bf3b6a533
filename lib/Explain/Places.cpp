//===- Places.cpp - Locations and source lines ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A location as people read it: file and line, the operation's name, the scope
// around it.
//
//===----------------------------------------------------------------------===//
#include "Gather.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::explain;

static void collect(Location loc, Place &place, unsigned depth = 0) {
  if (depth > 32)
    return;
  if (auto position = dyn_cast<FileLineColLoc>(loc)) {
    if (!place.file.empty())
      return;
    place.file = position.getFilename().str();
    place.line = position.getLine();
    place.column = position.getColumn();
  } else if (auto named = dyn_cast<NameLoc>(loc)) {
    StringRef name = named.getName();
    // The operation's name first, what is around it after.
    if (place.name.empty())
      place.name = name.str();
    else if (place.scope.empty())
      place.scope = name.str();
    collect(named.getChildLoc(), place, depth + 1);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collect(call.getCallee(), place, depth + 1);
    collect(call.getCaller(), place, depth + 1);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      collect(part, place, depth + 1);
  }
}

Place explain::toPlace(Location loc) {
  Place place;
  collect(loc, place);
  return place;
}

/// The file of that name in one of the folders, or as it is named.
static std::unique_ptr<llvm::MemoryBuffer> findFile(StringRef name, ArrayRef<std::string> folders) {
  for (const std::string &folder : folders) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name);
    if (llvm::sys::path::is_absolute(name))
      path = name;
    if (!llvm::sys::fs::is_regular_file(path))
      continue;
    if (auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true))
      return std::move(*buffer);
  }
  return nullptr;
}

void explain::readSource(Explanation &explanation, ArrayRef<std::string> folders) {
  auto &files = explanation.source;
  auto need = [&](const Place &place) {
    if (!place.file.empty() && place.line)
      files[place.file][place.line];
  };
  for (const Collective &collective : explanation.collectives) {
    need(collective.place);
    need(collective.maker.place);
    for (const Site &user : collective.users)
      need(user.place);
  }
  for (const Tensor &tensor : explanation.tensors)
    need(tensor.maker.place);
  for (auto file = files.begin(); file != files.end();) {
    std::unique_ptr<llvm::MemoryBuffer> buffer = findFile(file->first, folders);
    if (!buffer) {
      file = files.erase(file);
      continue;
    }
    for (llvm::line_iterator line(*buffer, /*SkipBlanks=*/false); !line.is_at_end(); ++line)
      if (auto wanted = file->second.find(line.line_number()); wanted != file->second.end())
        wanted->second = line->take_front(200).str();
    ++file;
  }
}

std::string explain::toString(const Place &place) {
  std::string text;
  if (!place.file.empty())
    text = place.file + ":" + std::to_string(place.line);
  std::string name = place.name;
  if (!place.scope.empty())
    name += " in " + place.scope;
  if (name.empty())
    return text;
  return text.empty() ? name : text + " (" + name + ")";
}

std::string explain::toString(const Site &site) {
  if (site.op.empty())
    return site.name;
  std::string text = site.operand >= 0 ? "operand " + std::to_string(site.operand) + " of " : "";
  text += site.op;
  std::string place = toString(site.place);
  return place.empty() ? text : text + " at " + place;
}

std::string explain::joinNames(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

func::FuncOp explain::getEntry(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      return function;
  return {};
}

std::vector<std::string> explain::toNames(const Mesh &mesh, ArrayRef<AxisRef> axes) {
  std::vector<std::string> names;
  for (const AxisRef &axis : axes)
    names.push_back(dmc::toString(mesh, axis));
  return names;
}
