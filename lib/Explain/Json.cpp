//===- Json.cpp - An explanation for programs -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that was gathered, in one object.
//
//===----------------------------------------------------------------------===//
#include "dmc/Explain/Explain.h"

#include "Json.h"

#include "llvm/Support/JSON.h"

using namespace dmc::explain;
namespace json = llvm::json;

/// Names may hold any bytes.
static json::Value text(const std::string &string) { return json::fixUTF8(string); }

void dmc::explain::writeJson(json::OStream &os, const Place &place) {
  os.object([&] {
    if (!place.file.empty()) {
      os.attribute("file", text(place.file));
      os.attribute("line", place.line);
      os.attribute("column", place.column);
    }
    if (!place.name.empty())
      os.attribute("name", text(place.name));
    if (!place.scope.empty())
      os.attribute("scope", text(place.scope));
  });
}

static void write(json::OStream &os, const Site &site) {
  os.object([&] {
    if (!site.op.empty())
      os.attribute("op", text(site.op));
    if (!site.name.empty())
      os.attribute("name", text(site.name));
    if (site.operand >= 0)
      os.attribute("operand", site.operand);
    os.attributeBegin("place");
    writeJson(os, site.place);
    os.attributeEnd();
  });
}

static void write(json::OStream &os, llvm::StringRef key, const Site &site) {
  os.attributeBegin(key);
  write(os, site);
  os.attributeEnd();
}

static void write(json::OStream &os, llvm::StringRef key, const Place &place) {
  os.attributeBegin(key);
  writeJson(os, place);
  os.attributeEnd();
}

static void write(json::OStream &os, llvm::StringRef key, const std::vector<std::string> &list) {
  os.attributeArray(key, [&] {
    for (const std::string &item : list)
      os.value(text(item));
  });
}

static void write(json::OStream &os, llvm::StringRef key, const Price &price) {
  os.attributeObject(key, [&] {
    os.attribute("wire_bytes", price.bytes);
    os.attribute("seconds", price.seconds);
  });
}

static void write(json::OStream &os, const Offer &offer) {
  os.object([&] {
    os.attribute("what", text(offer.what));
    write(os, "now", offer.now);
    write(os, "then", offer.then);
    os.attribute("operations", offer.numChanged);
    os.attribute("verdict", offer.verdict);
  });
}

static void write(json::OStream &os, const Collective &collective) {
  os.object([&] {
    os.attribute("id", collective.id);
    os.attribute("kind", collective.kind);
    write(os, "axes", collective.axes);
    os.attribute("ranks", collective.ranks);
    os.attribute("count", collective.count);
    if (!collective.isCountKnown)
      os.attribute("count_known", false);
    os.attribute("operand_bytes", collective.operandBytes);
    os.attribute("wire_bytes", collective.totalBytes());
    os.attribute("seconds", collective.totalSeconds());
    write(os, "place", collective.place);
    if (collective.tensor) {
      os.attribute("tensor", *collective.tensor);
      os.attribute("from", collective.from);
      os.attribute("to", collective.to);
      write(os, "moves", collective.moves);
      if (collective.numMembers > 1)
        os.attribute("members", collective.numMembers);
      write(os, "maker", collective.maker);
    }
    os.attributeArray("users", [&] {
      for (const Site &user : collective.users)
        write(os, user);
    });
    os.attribute("why", text(collective.why));
    if (!collective.forbidden.empty())
      os.attribute("rule", text(collective.forbidden));
    os.attributeArray("alternatives", [&] {
      for (const Offer &offer : collective.offers)
        write(os, offer);
    });
  });
}

static void write(json::OStream &os, const Tensor &tensor) {
  os.object([&] {
    os.attribute("id", tensor.id);
    os.attribute("kind", tensor.kind);
    os.attribute("name", text(tensor.name));
    os.attribute("type", tensor.type);
    os.attribute("layout", text(tensor.layout));
    os.attributeArray("dims", [&] {
      for (const std::vector<std::string> &axes : tensor.dims)
        os.array([&] {
          for (const std::string &axis : axes)
            os.value(text(axis));
        });
    });
    if (!tensor.partial.empty()) {
      write(os, "partial", tensor.partial);
      os.attribute("combiner", tensor.combiner);
    }
    os.attribute("bytes", tensor.bytes);
    write(os, "maker", tensor.maker);
    if (tensor.runnerUp)
      os.attributeObject("runner_up", [&] {
        os.attribute("layout", tensor.runnerUp->layout);
        os.attribute("least_seconds_more", tensor.runnerUp->seconds);
      });
    os.attributeArray("reasons", [&] {
      for (const Reason &reason : tensor.reasons)
        os.object([&] {
          os.attribute("axis", text(reason.axis));
          os.attribute("state", reason.state);
          os.attribute("kind", reason.kind);
          os.attribute("text", text(reason.text));
          if (reason.chain.empty())
            return;
          os.attribute("steps", reason.numSteps);
          os.attributeArray("chain", [&] {
            for (const Reason::Step &step : reason.chain)
              os.object([&] {
                os.attribute("text", text(step.text));
                write(os, "place", step.place);
              });
          });
        });
    });
  });
}

static void write(json::OStream &os, const PlanQuality &plan) {
  os.attribute("predicted_ms", plan.predictedMs);
  os.attribute("bound_ms", plan.boundMs);
  os.attribute("gap", plan.gap);
  os.attribute("peak", plan.peak);
  os.attribute("fingerprint", plan.fingerprint);
  os.attributeArray("axes_together", [&] {
    for (const std::vector<std::string> &axes : plan.axesTogether)
      os.array([&] {
        for (const std::string &axis : axes)
          os.value(axis);
      });
  });
  os.attributeArray("memory_rows", [&] {
    for (const PlanQuality::Row &row : plan.rows)
      os.object([&] {
        os.attribute("bytes", row.bytes);
        os.attribute("capacity_bytes", row.capacity);
        os.attribute("seconds_per_byte", row.secondsPerByte);
        write(os, "site", row.site);
        os.attributeArray("tensors", [&] {
          for (const PlanQuality::Row::Held &held : row.tensors)
            os.object([&] {
              os.attribute("name", text(held.name));
              os.attribute("type", held.type);
              os.attribute("bytes", held.bytes);
            });
        });
      });
  });
}

static void write(json::OStream &os, const Change &change) {
  os.object([&] {
    os.attribute("what", change.what);
    os.attribute("predicted_ms", change.predictedMs);
    if (!change.isComparable)
      os.attribute("comparable", false);
    os.attributeArray("decisions", [&] {
      for (const Change::Decision &decision : change.decisions)
        os.object([&] {
          write(os, "site", decision.site);
          os.attribute("before", decision.before);
          os.attribute("after", decision.after);
        });
    });
  });
}

static void write(json::OStream &os, llvm::StringRef key, const std::vector<Total> &totals) {
  os.attributeArray(key, [&] {
    for (const Total &total : totals)
      os.object([&] {
        os.attribute("key", text(total.key));
        os.attribute("count", total.count);
        os.attribute("wire_bytes", total.bytes);
        os.attribute("seconds", total.seconds);
      });
  });
}

static void write(json::OStream &os, const Peak &peak) {
  os.object([&] {
    os.attribute("arguments", peak.arguments);
    os.attribute("results", peak.results);
    os.attribute("arena", peak.arena);
    os.attribute("peak", peak.total());
    os.attribute("live", peak.live);
    os.attribute("op", peak.op);
    write(os, "place", peak.place);
    os.attributeArray("buffers", [&] {
      for (const Peak::Buffer &buffer : peak.buffers)
        os.object([&] {
          os.attribute("bytes", buffer.bytes);
          os.attribute("type", buffer.type);
          write(os, "maker", buffer.maker);
        });
    });
  });
}

void dmc::explain::writeJson(llvm::json::OStream &os, const Explanation &all,
                             llvm::function_ref<bool(const Collective &)> showCollective,
                             llvm::function_ref<bool(const Tensor &)> showTensor,
                             llvm::function_ref<bool(const Kernel &)> showKernel) {
  double bytes = 0, seconds = 0;
  int64_t count = 0;
  for (const Collective &collective : all.collectives) {
    bytes += collective.totalBytes();
    seconds += collective.totalSeconds();
    count += collective.count;
  }
  os.object([&] {
    os.attribute("program", text(all.program));
    os.attribute("file", text(all.file));
    os.attributeObject("mesh", [&] {
      for (auto &[name, size] : all.mesh)
        os.attribute(json::fixUTF8(name), size);
    });
    os.attribute("ranks", all.numRanks);
    os.attribute("machine", all.machine);
    if (!all.unknownSince.empty())
      os.attribute("unknown_since", all.unknownSince);
    os.attributeObject("total", [&] {
      os.attribute("count", count);
      os.attribute("wire_bytes", bytes);
      os.attribute("seconds", seconds);
    });
    if (all.plan)
      os.attributeObject("plan", [&] { write(os, *all.plan); });
    if (!all.changes.empty())
      os.attributeArray("sensitivity", [&] {
        for (const Change &change : all.changes)
          write(os, change);
      });
    if (all.bytesOtherwise)
      os.attributeObject("narrow_partials", [&] {
        os.attribute("permitted", all.narrowPartials);
        os.attribute("wire_bytes", bytes);
        os.attribute("wire_bytes_otherwise", *all.bytesOtherwise);
      });
    write(os, "by_kind_and_axes", all.totalsBy(kindAndAxesOf));
    write(os, "by_scope", all.totalsBy(scopeOf));
    write(os, "by_line", all.totalsBy(lineOf));
    os.attributeObject("improvement", [&] {
      os.attribute("changes", all.numChanges);
      os.attribute("wire_bytes", all.saved.bytes);
      os.attribute("seconds", all.saved.seconds);
    });
    if (all.peak) {
      os.attributeBegin("memory");
      write(os, *all.peak);
      os.attributeEnd();
    }
    os.attributeArray("without_rule", [&] {
      for (const Site &site : all.wholes)
        write(os, site);
    });
    os.attributeArray("collectives", [&] {
      for (const Collective &collective : all.collectives)
        if (showCollective(collective))
          write(os, collective);
    });
    os.attributeArray("tensors", [&] {
      for (const Tensor &tensor : all.tensors)
        if (showTensor(tensor))
          write(os, tensor);
    });
    if (!all.kernels.empty())
      os.attributeArray("kernels", [&] {
        for (const Kernel &kernel : all.kernels)
          if (showKernel(kernel))
            writeJson(os, kernel);
      });
    os.attributeObject("source", [&] {
      for (auto &[file, lines] : all.source)
        os.attributeObject(json::fixUTF8(file), [&, &lines = lines] {
          for (auto &[number, line] : lines)
            os.attribute(std::to_string(number), text(line));
        });
    });
  });
}

std::string dmc::explain::toJson(const Explanation &all, const Filter &filter) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  json::OStream os(stream, /*IndentSize=*/1);
  writeJson(
      os, all, [&](const Collective &collective) { return matches(filter, all, collective); },
      [&](const Tensor &tensor) { return matches(filter, tensor); },
      [&](const Kernel &kernel) { return matches(filter, kernel); });
  stream << "\n";
  return result;
}
