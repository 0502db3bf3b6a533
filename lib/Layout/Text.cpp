//===- Text.cpp - Text forms of meshes, layouts and enumerations ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What messages, tables and command lines show; MLIR attributes print themselves.
//
//===----------------------------------------------------------------------===//
#include "dmc/Layout/Layout.h"

#include <string_view>

using namespace dmc;

const char *dmc::stringify(Combiner combiner) {
  switch (combiner) {
  case Combiner::Sum:
    return "sum";
  case Combiner::Prod:
    return "prod";
  case Combiner::Max:
    return "max";
  case Combiner::Min:
    return "min";
  }
  return "unknown";
}

std::optional<Combiner> dmc::symbolizeCombiner(const std::string &text) {
  for (Combiner c : {Combiner::Sum, Combiner::Prod, Combiner::Max, Combiner::Min})
    if (text == stringify(c))
      return c;
  return std::nullopt;
}

const char *dmc::stringify(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::Permute:
    return "permute";
  case CollectiveKind::Broadcast:
    return "broadcast";
  }
  return "unknown";
}

std::string dmc::toString(const Mesh &mesh) {
  std::string text;
  for (const MeshAxis &axis : mesh.axes()) {
    if (!text.empty())
      text += ',';
    text += axis.name + '=' + std::to_string(axis.size);
  }
  return text;
}

/// `:(2)4` for a sub-axis, nothing for a whole axis.
static std::string partSuffix(const Mesh &mesh, const AxisRef &ref) {
  if (ref.isFullAxis(mesh))
    return "";
  return ":(" + std::to_string(ref.preSize) + ")" + std::to_string(ref.size);
}

std::string dmc::toString(const Mesh &mesh, const AxisRef &ref) {
  return mesh.axis(ref.axis).name + partSuffix(mesh, ref);
}

static std::string quoted(const Mesh &mesh, const AxisRef &ref) {
  return '"' + mesh.axis(ref.axis).name + '"' + partSuffix(mesh, ref);
}

static std::string listOf(const Mesh &mesh, const std::vector<AxisRef> &axes) {
  std::string text = "{";
  for (size_t i = 0; i < axes.size(); ++i)
    text += (i ? ", " : "") + quoted(mesh, axes[i]);
  return text + '}';
}

std::string dmc::toString(const Mesh &mesh, const Layout &layout) {
  std::string text = "[";
  for (size_t d = 0; d < layout.dims.size(); ++d)
    text += (d ? ", " : "") + listOf(mesh, layout.dims[d]);
  text += ']';
  if (!layout.partial.empty())
    text += std::string(", ") + (layout.combiner ? stringify(*layout.combiner) : "no combiner") +
            ' ' + listOf(mesh, layout.partial);
  if (!layout.placed.empty()) {
    text += ", placed {";
    for (size_t i = 0; i < layout.placed.size(); ++i)
      text += (i ? ", " : "") + quoted(mesh, layout.placed[i].axis) + " = " +
              std::to_string(layout.placed[i].coordinate);
    text += '}';
  }
  return text;
}

/// Quotes user text for a message: short, and printable whatever it holds.
static std::string printable(std::string_view text) {
  static const char digits[] = "0123456789abcdef";
  constexpr size_t shown = 40;
  std::string result = "\"";
  for (char c : text.substr(0, shown)) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      result += c;
    else
      result += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
  }
  return result + (text.size() > shown ? "...\"" : "\"");
}

static std::string_view trim(std::string_view text) {
  size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// No <cctype>: its answer depends on the locale.
static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_' || c == '-' ||
         c == '.';
}

template <typename Predicate>
static bool allAre(std::string_view text, Predicate predicate) {
  for (char c : text)
    if (!predicate(c))
      return false;
  return !text.empty();
}

static std::optional<int64_t> parseSize(std::string_view text) {
  if (!allAre(text, isDigit))
    return std::nullopt;
  int64_t value = 0;
  for (char c : text) {
    // Larger sizes are all too large for a mesh: it is enough not to overflow.
    if (value > INT64_MAX / 10 - 1)
      return INT64_MAX;
    value = value * 10 + (c - '0');
  }
  return value;
}

static std::optional<MeshAxis> parseAxis(std::string_view piece, std::string &error) {
  size_t equals = piece.find('=');
  if (equals == std::string_view::npos) {
    error = "expected an axis as name=size, found " + printable(piece);
    return std::nullopt;
  }
  std::string_view name = trim(piece.substr(0, equals)), size = trim(piece.substr(equals + 1));
  if (!allAre(name, isNameChar)) {
    error = "expected an axis name of letters, digits, '_', '-' and '.', found " + printable(name);
    return std::nullopt;
  }
  std::optional<int64_t> value = parseSize(size);
  if (!value) {
    error = "expected a positive integer as size of axis " + printable(name) + ", found " +
            printable(size);
    return std::nullopt;
  }
  return MeshAxis{std::string(name), *value};
}

std::optional<Mesh> dmc::parseMesh(const std::string &text, std::string &error) {
  std::string_view rest = text;
  std::vector<MeshAxis> axes;
  while (true) {
    size_t comma = rest.find(',');
    std::optional<MeshAxis> axis = parseAxis(rest.substr(0, comma), error);
    if (!axis)
      return std::nullopt;
    axes.push_back(std::move(*axis));
    if (comma == std::string_view::npos)
      break;
    rest.remove_prefix(comma + 1);
  }
  Mesh mesh(std::move(axes));
  if (auto message = mesh.verify()) {
    error = *message;
    return std::nullopt;
  }
  return mesh;
}
