//===- MachineFile.cpp - Machines as text ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON file of a machine, read strictly and written, and the short form of the options.
//
//===----------------------------------------------------------------------===//
#include "dmc/Machine/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace dmc;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// What a value is, for a message.
static std::string describe(const json::Value &value) {
  switch (value.kind()) {
  case json::Value::Object:
    return "an object";
  case json::Value::Array:
    return "an array";
  default:
    return llvm::formatv("{0}", value).str();
  }
}

namespace {
/// The entries of one object. The first mistake of all readers that share `error` counts: after
/// it, entries read as if they were absent.
class EntryReader {
public:
  EntryReader(const json::Value *value, std::string path, llvm::ArrayRef<llvm::StringRef> known,
              std::string &error)
      : path(std::move(path)), error(error) {
    if (!error.empty() || !value)
      return;
    object = value->getAsObject();
    if (!object) {
      fail("", "expected an object, found " + describe(*value));
      return;
    }
    std::vector<std::string> unknown;
    for (const auto &[key, entry] : *object)
      if (!known.empty() && !llvm::is_contained(known, key.str()))
        unknown.push_back(key.str());
    llvm::sort(unknown); // the object has no order
    if (!unknown.empty())
      fail(unknown.front(), "unknown key, expected one of " + llvm::join(known, ", "));
  }

  std::string text(llvm::StringRef key) {
    const json::Value *value = find(key, "a string");
    if (!value)
      return {};
    if (auto found = value->getAsString(); found && !found->empty())
      return found->str();
    fail(key, "expected a string, found " + describe(*value));
    return {};
  }
  std::string optionalText(llvm::StringRef key) {
    if (!has(key))
      return {};
    const json::Value &value = *object->get(key);
    if (auto found = value.getAsString())
      return found->str();
    fail(key, "expected a string, found " + describe(value));
    return {};
  }
  /// One of `values`.
  std::string choice(llvm::StringRef key, llvm::ArrayRef<llvm::StringRef> values) {
    std::string found = text(key);
    if (error.empty() && !llvm::is_contained(values, found))
      fail(key, "expected one of " + llvm::join(values, ", ") + ", found \"" + found + "\"");
    return found;
  }
  double number(llvm::StringRef key) {
    const json::Value *value = find(key, "a positive number");
    if (!value)
      return 0;
    if (auto found = value->getAsNumber(); found && *found > 0 && std::isfinite(*found))
      return *found;
    fail(key, "expected a positive number, found " + describe(*value));
    return 0;
  }
  std::optional<double> optionalNumber(llvm::StringRef key) {
    return has(key) ? std::optional(number(key)) : std::nullopt;
  }
  int64_t integer(llvm::StringRef key) {
    const json::Value *value = find(key, "a positive integer");
    if (!value)
      return 0;
    // 80000000000.0 is an integer too.
    if (auto found = value->getAsNumber();
        found && *found >= 1 && *found == std::floor(*found) && *found < 0x1p53)
      return static_cast<int64_t>(*found);
    fail(key, "expected a positive integer, found " + describe(*value));
    return 0;
  }
  /// Calls `read` for each element of an array, with its path.
  void array(llvm::StringRef key, bool isRequired,
             llvm::function_ref<void(const json::Value &, std::string)> read) {
    if (!isRequired && !has(key))
      return;
    const json::Value *value = find(key, "an array");
    if (!value)
      return;
    const json::Array *elements = value->getAsArray();
    if (!elements || (isRequired && elements->empty()))
      return fail(key, elements ? "expected at least one element"
                                : "expected an array, found " + describe(*value));
    for (auto [i, element] : llvm::enumerate(*elements))
      read(element, pathOf(key) + "[" + std::to_string(i) + "]");
  }
  const json::Value *find(llvm::StringRef key, const char *expected) {
    if (!error.empty())
      return nullptr;
    const json::Value *value = object->get(key);
    if (!value)
      fail(key, std::string("missing, expected ") + expected);
    return value;
  }
  bool has(llvm::StringRef key) const { return error.empty() && object->get(key); }
  std::string pathOf(llvm::StringRef key) const {
    return path.empty() || key.empty() ? path + key.str() : path + "." + key.str();
  }
  void fail(llvm::StringRef key, const std::string &why) {
    if (!error.empty())
      return;
    std::string where = pathOf(key);
    error = where.empty() ? why : where + ": " + why;
  }

private:
  std::string path;
  std::string &error;
  const json::Object *object = nullptr;
};
} // namespace

static const llvm::StringRef collectiveKinds[] = {"all_reduce", "all_gather", "reduce_scatter",
                                                  "all_to_all"};

static MachineDevice readDevice(const json::Value *value, std::string &error) {
  static const llvm::StringRef keys[] = {
      "name",   "flops_per_s", "memory_bytes_per_s", "capacity_bytes", "cores", "launch_s",
      "call_s", "fork_s",      "core_flops_per_s",   "caches",         "copy",  "matmul"};
  EntryReader entries(value, "device", keys, error);
  MachineDevice device;
  device.name = entries.text("name");
  device.flopsPerSecond.clear();
  EntryReader flops(entries.find("flops_per_s", "rates by element type"), "device.flops_per_s",
                    getKnownTypes(), error);
  for (llvm::StringRef type : getKnownTypes())
    if (auto rate = flops.optionalNumber(type))
      device.flopsPerSecond[type.str()] = *rate;
  if (device.flopsPerSecond.empty())
    flops.fail("", "expected a rate of at least one of " + llvm::join(getKnownTypes(), ", "));
  device.memoryBytesPerSecond = entries.number("memory_bytes_per_s");
  device.capacityBytes = entries.number("capacity_bytes");
  if (entries.has("cores"))
    device.cores = entries.integer("cores");
  device.launchSeconds = entries.optionalNumber("launch_s");
  device.callSeconds = entries.optionalNumber("call_s");
  device.forkSeconds = entries.optionalNumber("fork_s");
  device.coreFlopsPerSecond = entries.optionalNumber("core_flops_per_s");
  entries.array("caches", false, [&](const json::Value &element, std::string path) {
    EntryReader cache(&element, path, {"level", "bytes", "line_bytes", "shared_by"}, error);
    device.caches.push_back({cache.integer("level"), cache.integer("bytes"),
                             cache.integer("line_bytes"), cache.integer("shared_by")});
  });
  entries.array("copy", false, [&](const json::Value &element, std::string path) {
    EntryReader copy(&element, path,
                     {"threads", "bytes_per_s", "bytes", "read_bytes_per_s", "update_bytes_per_s"},
                     error);
    device.copies.push_back({copy.integer("threads"), copy.number("bytes_per_s"),
                             copy.has("bytes") ? copy.integer("bytes") : 0});
    // One says nothing without the other.
    if (copy.has("read_bytes_per_s") || copy.has("update_bytes_per_s")) {
      device.copies.back().readBytesPerSecond = copy.number("read_bytes_per_s");
      device.copies.back().updateBytesPerSecond = copy.number("update_bytes_per_s");
    }
  });
  entries.array("matmul", false, [&](const json::Value &element, std::string path) {
    EntryReader matmul(&element, path, {"type", "m", "n", "k", "threads", "flops_per_s"}, error);
    device.matmuls.push_back({matmul.choice("type", getKnownTypes()), matmul.integer("m"),
                              matmul.integer("n"), matmul.integer("k"), matmul.integer("threads"),
                              matmul.number("flops_per_s")});
  });
  return device;
}

static MachineLevel readLevel(const json::Value &value, std::string path, std::string &error) {
  EntryReader entries(&value, std::move(path),
                      {"name", "size", "bytes_per_s", "latency_s", "collectives"}, error);
  MachineLevel level;
  level.name = entries.text("name");
  level.size = entries.integer("size");
  level.bytesPerSecond = entries.number("bytes_per_s");
  level.latencySeconds = entries.number("latency_s");
  entries.array("collectives", false, [&](const json::Value &element, std::string path) {
    EntryReader collective(&element, path, {"kind", "bytes", "seconds"}, error);
    level.collectives.push_back({collective.choice("kind", collectiveKinds),
                                 collective.integer("bytes"), collective.number("seconds")});
  });
  return level;
}

std::optional<Machine> dmc::parseMachineFile(llvm::StringRef text, llvm::StringRef file,
                                             std::string &error) {
  error.clear();
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed) {
    error = file.str() + ": expected JSON: " + llvm::toString(parsed.takeError());
    return std::nullopt;
  }
  EntryReader entries(&*parsed, "", {"name", "note", "devices", "device", "levels"}, error);
  Machine machine;
  machine.name = entries.text("name");
  machine.note = entries.optionalText("note");
  int64_t devices = entries.integer("devices");
  machine.device = readDevice(entries.find("device", "an object"), error);
  machine.levels.clear();
  entries.array("levels", true, [&](const json::Value &element, std::string path) {
    machine.levels.push_back(readLevel(element, std::move(path), error));
  });
  if (error.empty() && machine.getNumDevices() != devices)
    entries.fail("devices", "expected the product of the levels' sizes, " +
                                std::to_string(machine.getNumDevices()) + ", found " +
                                std::to_string(devices));
  if (error.empty())
    return machine;
  error = file.str() + ": " + error;
  return std::nullopt;
}

/// Nothing, and why.
static std::optional<Machine> parseShortForm(llvm::StringRef text, std::string &error) {
  Machine machine;
  MachineLevel &level = machine.levels.front();
  std::pair<llvm::StringRef, double *> rates[] = {{"link", &level.bytesPerSecond},
                                                  {"latency", &level.latencySeconds},
                                                  {"flops", &machine.device.flopsPerSecond["f32"]},
                                                  {"memory", &machine.device.memoryBytesPerSecond},
                                                  {"capacity", &machine.device.capacityBytes}};
  llvm::SmallVector<llvm::StringRef> entries;
  text.split(entries, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef entry : entries) {
    auto [key, number] = entry.split('=');
    llvm::StringRef name = key.trim();
    auto *rate = llvm::find_if(rates, [&](auto &known) { return known.first == name; });
    if (rate == std::end(rates)) {
      error = "expected link, latency, flops, memory or capacity, found '" + name.str() + "'";
      return std::nullopt;
    }
    double value = 0;
    bool isPositive = !number.trim().getAsDouble(value) && std::isfinite(value) &&
                      (value > 0 || (value == 0 && name == "latency"));
    if (!isPositive) {
      error = "expected a positive number for " + name.str() + ", found '" + number.str() + "'";
      return std::nullopt;
    }
    *rate->second = value;
  }
  return machine;
}

std::optional<Machine> dmc::parseMachine(llvm::StringRef text, std::string &error) {
  bool isFile = llvm::sys::fs::exists(text) || !text.contains('=');
  if (text.trim().empty() || !isFile)
    return parseShortForm(text, error);
  auto buffer = llvm::MemoryBuffer::getFile(text, /*IsText=*/true);
  if (!buffer) {
    error = text.str() + ": cannot read: " + buffer.getError().message() +
            "; expected a machine file or link=...,latency=...,flops=...,memory=...,capacity=...";
    return std::nullopt;
  }
  return parseMachineFile((*buffer)->getBuffer(), text, error);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The shortest text that reads as the same number.
static std::string shortest(double value) {
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  return text;
}

namespace {
/// The entries of an object in a line of its own: lists of measurements stay readable.
class Line {
public:
  Line &add(const char *key, const json::Value &value) {
    text += llvm::formatv("{0}\"{1}\": {2}", text.empty() ? "{" : ", ", key, value).str();
    return *this;
  }
  Line &add(const char *key, double value) {
    text += std::string(text.empty() ? "{" : ", ") + "\"" + key + "\": " + shortest(value);
    return *this;
  }
  std::string text;
};
} // namespace

template <typename Elements, typename Write>
static void writeLines(json::OStream &os, const char *key, const Elements &elements, Write write) {
  if (elements.empty())
    return;
  os.attributeArray(key, [&] {
    for (const auto &element : elements) {
      Line line;
      write(line, element);
      os.rawValue(line.text + "}");
    }
  });
}

static void writeDevice(json::OStream &os, const MachineDevice &device) {
  auto number = [&](const char *key, std::optional<double> value) {
    if (value)
      os.attributeBegin(key), os.rawValue(shortest(*value)), os.attributeEnd();
  };
  os.attribute("name", device.name);
  os.attributeObject("flops_per_s", [&] {
    for (llvm::StringRef type : getKnownTypes())
      if (auto rate = device.flopsPerSecond.find(type.str()); rate != device.flopsPerSecond.end())
        number(type.data(), rate->second);
  });
  number("memory_bytes_per_s", device.memoryBytesPerSecond);
  number("capacity_bytes", device.capacityBytes);
  os.attribute("cores", device.cores);
  number("launch_s", device.launchSeconds);
  number("call_s", device.callSeconds);
  number("fork_s", device.forkSeconds);
  number("core_flops_per_s", device.coreFlopsPerSecond);
  writeLines(os, "caches", device.caches, [](Line &line, const MachineCache &cache) {
    line.add("level", json::Value(cache.level))
        .add("bytes", json::Value(cache.bytes))
        .add("line_bytes", json::Value(cache.lineBytes))
        .add("shared_by", json::Value(cache.sharedBy));
  });
  writeLines(os, "copy", device.copies, [](Line &line, const CopyRate &copy) {
    line.add("threads", json::Value(copy.threads)).add("bytes_per_s", copy.bytesPerSecond);
    if (copy.bytes)
      line.add("bytes", json::Value(copy.bytes));
    if (copy.readBytesPerSecond > 0)
      line.add("read_bytes_per_s", copy.readBytesPerSecond)
          .add("update_bytes_per_s", copy.updateBytesPerSecond);
  });
  writeLines(os, "matmul", device.matmuls, [](Line &line, const MatmulRate &rate) {
    line.add("type", json::Value(rate.type))
        .add("m", json::Value(rate.m))
        .add("n", json::Value(rate.n))
        .add("k", json::Value(rate.k))
        .add("threads", json::Value(rate.threads))
        .add("flops_per_s", rate.flopsPerSecond);
  });
}

std::string dmc::toJson(const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream os(stream, /*IndentSize=*/1);
  os.object([&] {
    os.attribute("name", machine.name);
    if (!machine.note.empty())
      os.attribute("note", machine.note);
    os.attribute("devices", machine.getNumDevices());
    os.attributeObject("device", [&] { writeDevice(os, machine.device); });
    os.attributeArray("levels", [&] {
      for (const MachineLevel &level : machine.levels)
        os.object([&] {
          os.attribute("name", level.name);
          os.attribute("size", level.size);
          os.attributeBegin("bytes_per_s"), os.rawValue(shortest(level.bytesPerSecond)),
              os.attributeEnd();
          os.attributeBegin("latency_s"), os.rawValue(shortest(level.latencySeconds)),
              os.attributeEnd();
          writeLines(os, "collectives", level.collectives,
                     [](Line &line, const CollectiveTime &time) {
                       line.add("kind", json::Value(time.kind))
                           .add("bytes", json::Value(time.bytes))
                           .add("seconds", time.seconds);
                     });
        });
    });
  });
  return text + "\n";
}
