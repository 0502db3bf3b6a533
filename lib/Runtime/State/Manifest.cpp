//===- Manifest.cpp - The list of a state's shards ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/State.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

using namespace dmc;
using namespace dmc::runtime;
namespace json = llvm::json;

static constexpr int64_t formatVersion = 1;

std::string StateValue::describe() const {
  return "value \"" + name + "\" (" + toString(type, shape) + ")";
}

const StateValue *StateManifest::find(const std::string &name) const {
  for (const StateValue &value : values)
    if (value.name == name)
      return &value;
  return nullptr;
}

static std::string boxText(const std::vector<int64_t> &offset, const std::vector<int64_t> &size) {
  std::string text = "[";
  for (size_t d = 0; d < offset.size(); ++d)
    text += (d ? ", " : "") + std::to_string(offset[d]) + ":" + std::to_string(offset[d] + size[d]);
  return text + "]";
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static json::Array axesToJson(const Mesh &mesh, const std::vector<AxisRef> &axes) {
  json::Array array;
  for (const AxisRef &axis : axes)
    array.push_back(toString(mesh, axis));
  return array;
}

static json::Object layoutToJson(const Mesh &mesh, const Layout &layout) {
  json::Array dims, placed;
  for (const std::vector<AxisRef> &axes : layout.dims)
    dims.push_back(axesToJson(mesh, axes));
  for (const PlacedAxis &each : layout.placed)
    placed.push_back(
        json::Object{{"axis", toString(mesh, each.axis)}, {"coordinate", each.coordinate}});
  json::Object object{{"dims", std::move(dims)}};
  if (!layout.placed.empty())
    object["placed"] = std::move(placed);
  return object;
}

/// A shard per line: there may be many.
std::string runtime::toJson(const StateManifest &manifest) {
  json::Array axes;
  for (const MeshAxis &axis : manifest.mesh.axes())
    axes.push_back(json::Object{{"name", axis.name}, {"size", axis.size}});
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "{\"version\": " << formatVersion << ",\n \"mesh\": " << json::Value(std::move(axes))
         << ",\n \"values\": [";
  const char *separator = "\n";
  for (const StateValue &value : manifest.values) {
    stream << separator << "  {\"name\": " << json::Value(value.name)
           << ", \"type\": " << json::Value(elementName(value.type))
           << ", \"shape\": " << json::Value(json::Array(value.shape))
           << ", \"layout\": " << json::Value(layoutToJson(manifest.mesh, value.layout))
           << ",\n   \"shards\": [";
    separator = "\n    ";
    for (const StateShard &shard : value.shards) {
      stream << separator << "{\"file\": " << json::Value(shard.file)
             << ", \"offset\": " << json::Value(json::Array(shard.offset))
             << ", \"size\": " << json::Value(json::Array(shard.size)) << "}";
      separator = ",\n    ";
    }
    stream << "]}";
    separator = ",\n";
  }
  stream << "]}\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads members and remembers the first thing that is wrong.
struct Reader {
  std::string error;
  bool fail(const std::string &why) {
    if (error.empty())
      error = why;
    return false;
  }

  bool integers(const json::Object &object, const char *key, const std::string &where,
                std::vector<int64_t> &result) {
    const json::Array *array = object.getArray(key);
    if (!array)
      return fail(where + " has no array \"" + key + "\"");
    for (const json::Value &item : *array) {
      auto number = item.getAsInteger();
      if (!number || *number < 0)
        return fail(where + ": \"" + key + "\" expects integers that are not negative");
      result.push_back(*number);
    }
    return true;
  }

  bool mesh(const json::Object &root, Mesh &result) {
    const json::Array *array = root.getArray("mesh");
    if (!array)
      return fail("has no array \"mesh\"");
    std::vector<MeshAxis> axes;
    for (const json::Value &item : *array) {
      const json::Object *axis = item.getAsObject();
      auto name = axis ? axis->getString("name") : std::nullopt;
      auto size = axis ? axis->getInteger("size") : std::nullopt;
      if (!name || !size)
        return fail("an axis of \"mesh\" expects a name and a size");
      axes.push_back({name->str(), *size});
    }
    result = Mesh(std::move(axes));
    if (auto why = result.verify())
      return fail("has a malformed mesh: " + *why);
    return true;
  }

  /// "data", or "data:(2)4" for a part of an axis.
  bool axis(const Mesh &mesh, const json::Value &item, const std::string &where, AxisRef &result) {
    auto given = item.getAsString();
    if (!given)
      return fail(where + ": an axis expects a name");
    llvm::StringRef text = *given;
    auto [name, part] = text.rsplit(":(");
    auto index = mesh.find(part.empty() ? text.str() : name.str());
    if (!index)
      return fail(where + ": axis \"" + text.str() + "\" is not in the mesh " + toString(mesh));
    result = {*index, 1, mesh.axis(*index).size};
    auto [pre, size] = part.split(')');
    if (!part.empty() &&
        (pre.getAsInteger(10, result.preSize) || size.getAsInteger(10, result.size)))
      return fail(where + ": malformed part of an axis \"" + text.str() +
                  "\", expected \"name:(before)size\"");
    return true;
  }

  bool layout(const Mesh &mesh, const json::Object &value, const std::string &where, size_t rank,
              Layout &result) {
    const json::Object *object = value.getObject("layout");
    const json::Array *dims = object ? object->getArray("dims") : nullptr;
    if (!dims)
      return fail(where + " has no \"layout\" with an array \"dims\"");
    if (const json::Value *partial = object->get("partial")) {
      std::string text;
      llvm::raw_string_ostream(text) << *partial;
      return fail(where + ": unsupported: partial layout " + text +
                  ", expected dimensions that are split, replicated or placed");
    }
    for (const json::Value &item : *dims) {
      const json::Array *axes = item.getAsArray();
      if (!axes)
        return fail(where + ": \"dims\" expects arrays of axes");
      result.dims.emplace_back();
      for (const json::Value &each : *axes)
        if (!axis(mesh, each, where, result.dims.back().emplace_back()))
          return false;
    }
    if (const json::Array *placed = object->getArray("placed"))
      for (const json::Value &item : *placed) {
        const json::Object *each = item.getAsObject();
        const json::Value *name = each ? each->get("axis") : nullptr;
        auto coordinate = each ? each->getInteger("coordinate") : std::nullopt;
        if (!name || !coordinate)
          return fail(where + ": \"placed\" expects an axis and a coordinate each");
        result.placed.push_back({{}, *coordinate});
        if (!axis(mesh, *name, where, result.placed.back().axis))
          return false;
      }
    if (auto why = dmc::verify(mesh, result, rank))
      return fail(where + " has a malformed layout: " + *why);
    return true;
  }

  bool shards(const json::Object &value, const std::string &where, size_t rank,
              std::vector<StateShard> &result) {
    const json::Array *array = value.getArray("shards");
    if (!array)
      return fail(where + " has no array \"shards\"");
    for (const json::Value &item : *array) {
      const json::Object *object = item.getAsObject();
      auto file = object ? object->getString("file") : std::nullopt;
      if (!file || file->empty() || file->contains('/'))
        return fail(where + ": a shard expects the name of a file in the folder");
      StateShard shard{file->str(), {}, {}};
      std::string which = where + ", shard " + shard.file;
      if (!integers(*object, "offset", which, shard.offset) ||
          !integers(*object, "size", which, shard.size))
        return false;
      if (shard.offset.size() != rank || shard.size.size() != rank)
        return fail(which + " expects " + std::to_string(rank) + " offsets and sizes");
      result.push_back(std::move(shard));
    }
    return true;
  }

  bool value(const Mesh &mesh, const json::Value &item, size_t index, StateValue &result) {
    const json::Object *object = item.getAsObject();
    auto name = object ? object->getString("name") : std::nullopt;
    if (!name || name->empty())
      return fail("value " + std::to_string(index) + " has no name");
    result.name = name->str();
    std::string where = "value \"" + result.name + "\"";
    auto type = object->getString("type");
    for (uint32_t each = DMC_I1; type && each <= DMC_F64; ++each)
      if (*type == elementName(each))
        result.type = each;
    if (!result.type)
      return fail(where + " has no known element type");
    if (!integers(*object, "shape", where, result.shape))
      return false;
    if (checkedElements(result.shape, elementBytes(result.type)) < 0)
      return fail(where + " has a shape that memory cannot hold");
    return layout(mesh, *object, where, result.shape.size(), result.layout) &&
           shards(*object, where, result.shape.size(), result.shards);
  }
};
} // namespace

std::optional<StateManifest> runtime::readManifest(const std::string &path, std::string &error) {
  std::string file = path;
  if (llvm::sys::fs::is_directory(path))
    file += std::string("/") + manifestName;
  auto fail = [&](const std::string &why) {
    error = file + ": " + why;
    return std::nullopt;
  };
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return fail("cannot open: " + buffer.getError().message());
  auto parsed = json::parse((*buffer)->getBuffer());
  if (!parsed)
    return fail("is not JSON: " + llvm::toString(parsed.takeError()));
  const json::Object *root = parsed->getAsObject();
  const json::Array *values = root ? root->getArray("values") : nullptr;
  if (!values)
    return fail("is not the manifest of a state: it has no array \"values\"");
  if (root->getInteger("version") != formatVersion)
    return fail("has no known version, expected " + std::to_string(formatVersion));
  Reader reader;
  StateManifest manifest;
  if (!reader.mesh(*root, manifest.mesh))
    return fail(reader.error);
  std::set<std::string> names;
  for (const json::Value &item : *values) {
    manifest.values.emplace_back();
    if (!reader.value(manifest.mesh, item, manifest.values.size() - 1, manifest.values.back()))
      return fail(reader.error);
    if (!names.insert(manifest.values.back().name).second)
      return fail("value \"" + manifest.values.back().name + "\" is there twice");
  }
  return manifest;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Failure verifyShards(const Mesh &mesh, const StateValue &value) {
  // By offset, the sizes that the layout says; those found are taken out.
  std::map<std::vector<int64_t>, std::vector<int64_t>> expected;
  for (const Shard &shard : shardsOf(mesh, value.layout, value.shape))
    expected.emplace(shard.offset, shard.size);
  std::map<std::vector<int64_t>, const StateShard *> found;
  std::set<std::string> files;
  for (const StateShard &shard : value.shards) {
    std::string which = value.describe() + ", shard " + shard.file;
    if (!files.insert(shard.file).second)
      return which + " is there twice";
    for (size_t d = 0; d < value.shape.size(); ++d)
      if (shard.size[d] > value.shape[d] || shard.offset[d] > value.shape[d] - shard.size[d])
        return which + ": " + boxText(shard.offset, shard.size) + " is outside the value";
    auto [other, isNew] = found.emplace(shard.offset, &shard);
    if (!isNew)
      return which + " overlaps shard " + other->second->file;
    auto block = expected.find(shard.offset);
    if (block == expected.end() || block->second != shard.size)
      return which + ": " + boxText(shard.offset, shard.size) + " is not a block of its layout " +
             toString(mesh, value.layout) +
             (block == expected.end() ? std::string()
                                      : ", expected " + boxText(block->first, block->second));
  }
  for (const auto &[offset, size] : expected)
    if (!found.count(offset))
      return value.describe() + " is incomplete: no shard holds " + boxText(offset, size);
  return std::nullopt;
}

Failure runtime::verifyShards(const StateManifest &manifest) {
  std::map<std::string, std::string> owners; // of files
  for (const StateValue &value : manifest.values) {
    if (auto why = ::verifyShards(manifest.mesh, value))
      return why;
    for (const StateShard &shard : value.shards) {
      auto [owner, isNew] = owners.emplace(shard.file, value.name);
      if (!isNew)
        return value.describe() + ", shard " + shard.file + " belongs to value \"" + owner->second +
               "\" too";
    }
  }
  return std::nullopt;
}

StateValue runtime::layOut(StateValue value, const Mesh &mesh, const Layout &layout, size_t index) {
  std::string number = std::to_string(index);
  number.insert(0, 3 - std::min<size_t>(3, number.size()), '0');
  value.layout = layout;
  value.shards.clear();
  for (Shard &shard : shardsOf(mesh, layout, value.shape))
    value.shards.push_back({number + "." + std::to_string(value.shards.size()) + ".npy",
                            std::move(shard.offset), std::move(shard.size)});
  return value;
}

std::string runtime::argumentName(const dmc_program &program, uint32_t index) {
  auto nameAt = [&](uint32_t i) {
    const char *name = program.arguments[i].name;
    return std::string(name ? name : "");
  };
  std::string name = nameAt(index);
  int64_t uses = 0;
  for (uint32_t i = 0; i < program.num_arguments; ++i)
    uses += nameAt(i) == name;
  return name.empty() || uses > 1 ? "argument " + std::to_string(index) : name;
}

StateValue runtime::valueOf(const dmc_program &program, uint32_t index) {
  const dmc_value &argument = program.arguments[index];
  StateValue value;
  value.name = argumentName(program, index);
  value.type = argument.element_type;
  value.shape.assign(argument.global_shape, argument.global_shape + argument.rank);
  value.layout = layoutOf(argument);
  return value;
}
