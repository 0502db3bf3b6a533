//===- KernelText.cpp - Kernels for a terminal and for programs -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Json.h"
#include "Text.h"

#include "dmc/Runtime/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace dmc;
using namespace dmc::explain;
using llvm::formatv;
namespace json = llvm::json;

//===--- Text -------------------------------------------------------------===//

static std::string toString(const Kernel::Loop &loop) {
  std::string text = loop.executor == "serial" ? "" : loop.executor + " ";
  if (loop.least >= 0)
    text += std::to_string(loop.least) + "..";
  text += std::to_string(loop.trips);
  if (loop.inner.empty())
    return text;
  std::string inner = dmc::explain::toString(loop.inner);
  return text + " x " + (loop.inner.size() == 1 ? inner : "(" + inner + ")");
}

std::string dmc::explain::toString(const std::vector<Kernel::Loop> &loops) {
  std::string text;
  for (const Kernel::Loop &loop : loops)
    text += (text.empty() ? "" : ", ") + ::toString(loop);
  return text;
}

static std::string toString(const Kernel::Access &access) {
  std::string text =
      access.argument < 0 ? "a constant" : "argument " + std::to_string(access.argument);
  if (!access.type.empty())
    text += " (" + access.type + ")";
  text += ": " + formatCount(double(access.bytes)) + " bytes";
  if (access.kind == "stream")
    text += " past the caches";
  text += ", " + access.form;
  if (access.stride)
    text += " by " + formatCount(double(access.stride));
  if (access.width)
    text += ", " + std::to_string(access.width) + " bytes at once";
  return text;
}

/// `8 x 4 in 2 loops, none in 1 loop`.
static std::string toString(const std::vector<Kernel::Part::Vectors> &vectors) {
  std::string text;
  for (const Kernel::Part::Vectors &shape : vectors) {
    text += text.empty() ? "" : ", ";
    text += shape.width * shape.interleave == 1
                ? "none"
                : std::to_string(shape.width) + " x " + std::to_string(shape.interleave);
    text += " in " + std::to_string(shape.count) + (shape.count == 1 ? " loop" : " loops");
  }
  return text;
}

/// `sm_90a: 24 registers, 8 blocks at once on a multiprocessor (64 of 64 warps, limited by
/// threads)`.
static std::string toString(const runtime::KernelUse &use) {
  const runtime::Occupancy &occupancy = use.occupancy;
  std::string text = use.chip + ": " + std::to_string(use.registers) + " registers";
  if (use.stack)
    text += ", " + formatCount(double(use.stack)) + " bytes on the stack";
  if (use.spillStores || use.spillLoads)
    text += ", spills store " + formatCount(double(use.spillStores)) + " bytes and load " +
            formatCount(double(use.spillLoads));
  if (use.shared)
    text += ", " + formatCount(double(use.shared)) + " bytes of shared memory";
  return text + ", " + std::to_string(occupancy.blocks) +
         (occupancy.blocks == 1 ? " block" : " blocks") + " at once on a multiprocessor (" +
         std::to_string(occupancy.warps) + " of " + std::to_string(occupancy.mostWarps) +
         " warps, limited by " + occupancy.limit + ")";
}

static int64_t countCarried(const std::vector<Kernel::Loop> &loops) {
  int64_t most = 0;
  for (const Kernel::Loop &loop : loops)
    most = std::max({most, loop.carried, countCarried(loop.inner)});
  return most;
}

/// A line of the table.
static std::string row(const std::string &kind, const std::string &iterations,
                       const std::string &read, const std::string &written,
                       const std::string &flops) {
  return formatv("  {0,-16}{1,14}{2,18}{3,18}{4,20}\n", kind, iterations, read, written, flops)
      .str();
}

static std::string describe(const Kernel::Part &part) {
  std::string flops = formatCount(double(part.flops));
  if (part.kind == "library")
    return row(part.kind, "", "", "", flops) + wrap("product", part.name);
  if (part.kind == "kernel")
    return row(part.kind, "", "", "", flops) + wrap("name", part.name);
  std::string text =
      row(part.kind, formatCount(double(part.iterations)), formatCount(double(part.getBytes(true))),
          formatCount(double(part.getBytes(false))), flops);
  text += wrap("loops", part.loops.empty() ? "none" : toString(part.loops));
  if (!part.vectors.empty())
    text += wrap("vectors", toString(part.vectors));
  for (const Kernel::Access &access : part.accesses)
    text += wrap(access.kind == "read" ? "reads" : "writes", toString(access));
  std::string kept;
  auto keeps = [&](int64_t count, llvm::StringRef what) {
    if (count)
      kept += ((kept.empty() ? "" : ", ") + formatCount(double(count)) + " " + what).str();
  };
  int64_t carried = countCarried(part.loops);
  keeps(carried, carried == 1 ? "carried value" : "carried values");
  keeps(part.stackBytes, "bytes on the stack");
  keeps(part.sharedBytes, "bytes shared by a block");
  if (!kept.empty())
    text += wrap("keeps", kept);
  for (const runtime::KernelUse &use : part.uses)
    text += wrap("takes", toString(use));
  return text;
}

static std::string describe(const Kernel &kernel) {
  std::string place = toString(kernel.place);
  std::string text = kernel.name + (place.empty() ? "" : " at " + place) + ": launched ";
  if (!kernel.isCountKnown)
    text += "as often as the program decides (counted once)";
  else
    text += kernel.count == 1 ? "once" : formatCount(double(kernel.count)) + " times";
  text += "\n";
  if (kernel.parts.empty())
    text += "  code of its own, which was not made of tensors\n";
  for (const Kernel::Part &part : kernel.parts)
    text += describe(part);
  return text;
}

std::string dmc::explain::kernelsToText(const Explanation &all, const Filter &filter) {
  std::vector<const Kernel *> shown;
  for (const Kernel &kernel : all.kernels)
    if (matches(filter, kernel))
      shown.push_back(&kernel);
  if (shown.empty())
    return filter.isEmpty() ? "no kernel\n" : "no kernel matches\n";
  std::string text = formatv("kernels ({0} of {1})\n", shown.size(), all.kernels.size()).str();
  text += row("nest", "iterations", "bytes read", "bytes written", "flops");
  for (const Kernel *kernel : shown)
    text += "\n" + describe(*kernel);
  return text;
}

//===--- JSON -------------------------------------------------------------===//

static void write(json::OStream &os, const std::vector<Kernel::Loop> &loops) {
  os.array([&] {
    for (const Kernel::Loop &loop : loops)
      os.object([&] {
        os.attribute("executor", loop.executor);
        os.attribute("trips", loop.trips);
        if (loop.least >= 0)
          os.attribute("least", loop.least);
        if (loop.step != 1)
          os.attribute("step", loop.step);
        if (loop.carried)
          os.attribute("carried", loop.carried);
        if (loop.inner.empty())
          return;
        os.attributeBegin("inner");
        write(os, loop.inner);
        os.attributeEnd();
      });
  });
}

static void write(json::OStream &os, const Kernel::Access &access) {
  os.object([&] {
    os.attribute("kind", access.kind);
    os.attribute("argument", access.argument);
    if (!access.type.empty())
      os.attribute("type", access.type);
    os.attribute("bytes", access.bytes);
    os.attribute("form", access.form);
    if (access.stride)
      os.attribute("stride", access.stride);
    if (access.width)
      os.attribute("bytes_at_once", access.width);
  });
}

static void write(json::OStream &os, const Kernel::Part &part) {
  os.object([&] {
    os.attribute("kind", part.kind);
    os.attribute(part.kind == "library" ? "sizes" : "name", json::fixUTF8(part.name));
    os.attribute("flops", part.flops);
    if (part.kind == "library" || part.kind == "kernel")
      return;
    os.attribute("iterations", part.iterations);
    os.attribute("bytes_read", part.getBytes(true));
    os.attribute("bytes_written", part.getBytes(false));
    os.attribute("stack_bytes", part.stackBytes);
    os.attribute("shared_bytes", part.sharedBytes);
    os.attribute("plan", toString(part.loops));
    os.attributeBegin("loops");
    write(os, part.loops);
    os.attributeEnd();
    if (!part.vectors.empty())
      os.attributeArray("vectors", [&] {
        for (const Kernel::Part::Vectors &shape : part.vectors)
          os.object([&] {
            os.attribute("width", shape.width);
            os.attribute("interleave", shape.interleave);
            os.attribute("loops", shape.count);
          });
      });
    if (!part.uses.empty())
      os.attributeArray("uses", [&] {
        for (const runtime::KernelUse &use : part.uses)
          os.rawValue(runtime::toJson(use)); // as in the report
      });
    os.attributeArray("accesses", [&] {
      for (const Kernel::Access &access : part.accesses)
        write(os, access);
    });
  });
}

void dmc::explain::writeJson(json::OStream &os, const Kernel &kernel) {
  os.object([&] {
    os.attribute("name", json::fixUTF8(kernel.name));
    os.attribute("count", kernel.count);
    if (!kernel.isCountKnown)
      os.attribute("count_known", false);
    os.attributeBegin("place");
    writeJson(os, kernel.place);
    os.attributeEnd();
    os.attributeArray("parts", [&] {
      for (const Kernel::Part &part : kernel.parts)
        write(os, part);
    });
  });
}
