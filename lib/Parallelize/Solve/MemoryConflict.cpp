//===- MemoryConflict.cpp - Why no layouts fit the memory -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Parallelize/MemoryConflict.h"

#include "DescribeProblem.h"

#include <map>

using namespace mlir;
using namespace dmc;

/// Notes that a reader still takes in: tensors of a point, and points.
static constexpr size_t maxTensors = 5, maxPoints = 3;

void MemoryConflict::attachTo(InFlightDiagnostic &diagnostic) const {
  for (const Point &point : ArrayRef(points).take_front(maxPoints)) {
    Diagnostic &note = diagnostic.attachNote(point.location);
    note << "by estimates, every choice of layouts holds more than "
         << static_cast<int64_t>(capacity) << " bytes ";
    if (points.size() == 1)
      note << "here";
    else if (&point == &points.front())
      note << "here or at one of the points below";
    else
      note << "here or at one of the points above";
    for (const Tensor &tensor : ArrayRef(point.tensors).take_front(maxTensors))
      diagnostic.attachNote(tensor.location)
          << "at least " << tensor.leastBytes << " bytes of " << tensor.name;
    int64_t rest = 0;
    for (const Tensor &tensor :
         ArrayRef(point.tensors).drop_front(std::min(maxTensors, point.tensors.size())))
      rest += tensor.leastBytes;
    if (rest)
      diagnostic.attachNote(point.location) << "and at least " << rest << " bytes of "
                                            << point.tensors.size() - maxTensors << " others";
  }
  if (points.size() > maxPoints)
    diagnostic.attachNote(points[maxPoints].location)
        << "and at " << points.size() - maxPoints << " other points, the first of them here";
}

/// By variable: the least that its states use.
static std::map<uint32_t, int64_t> getLeast(const RowOrigin &origin) {
  std::map<std::pair<uint32_t, uint32_t>, int64_t> uses;
  for (const RowOrigin::Use &use : origin.uses)
    uses[{use.variable, use.state}] += use.bytes;
  std::map<uint32_t, int64_t> least;
  for (auto [place, bytes] : uses) {
    auto [known, isNew] = least.try_emplace(place.first, bytes);
    if (!isNew)
      known->second = std::min(known->second, bytes);
  }
  return least;
}

/// The fullest points first, and of those of one operation only that.
static void keepFullest(std::vector<MemoryConflict::Point> &points) {
  auto getLeastBytes = [](const MemoryConflict::Point &point) {
    int64_t sum = 0;
    for (const MemoryConflict::Tensor &tensor : point.tensors)
      sum += tensor.leastBytes;
    return sum;
  };
  llvm::stable_sort(
      points, [&](const auto &a, const auto &b) { return getLeastBytes(a) > getLeastBytes(b); });
  std::vector<MemoryConflict::Point> kept;
  for (MemoryConflict::Point &point : points)
    if (llvm::none_of(kept, [&](const auto &other) { return other.location == point.location; }))
      kept.push_back(std::move(point));
  points = std::move(kept);
}

MemoryConflict dmc::describeConflict(Propagation &graph, func::FuncOp entry, ProgramAttr program,
                                     double capacity, ArrayRef<RowOrigin> origins) {
  DenseMap<unsigned, Value> values;
  auto add = [&](Value value) {
    if (graph.has(value))
      values.try_emplace(graph.getNumber(value), value);
  };
  llvm::for_each(entry.getArguments(), add);
  entry.walk([&](Operation *op) { llvm::for_each(op->getResults(), add); });

  MemoryConflict conflict;
  conflict.capacity = capacity;
  for (const RowOrigin &origin : origins) {
    Location here = origin.node ? graph.getNodes()[*origin.node].op->getLoc() : entry.getLoc();
    MemoryConflict::Point &point = conflict.points.emplace_back(MemoryConflict::Point{here, {}});
    // What several operations read is named once.
    std::map<uint32_t, int64_t> least = getLeast(origin);
    std::map<unsigned, int64_t> ofValues;
    for (const RowOrigin::Use &use : origin.uses) {
      int64_t &bytes = ofValues[use.value];
      bytes = std::max(bytes, least.at(use.variable));
    }
    for (auto [number, bytes] : ofValues) {
      Value value = values.lookup(number);
      if (!value)
        continue;
      Location where = value.getLoc();
      std::string name;
      if (auto argument = dyn_cast<BlockArgument>(value);
          argument && argument.getOwner()->getParentOp() == entry) {
        unsigned position = argument.getArgNumber();
        where = point.location; // its own is a name
        name = "argument " + std::to_string(position) + " ('" +
               program.getArguments()[position].getName().str() + "')";
      } else {
        llvm::raw_string_ostream(name) << "'" << value.getType() << "'";
      }
      if (bytes)
        point.tensors.push_back({where, std::move(name), bytes});
    }
    llvm::stable_sort(point.tensors,
                      [](const auto &a, const auto &b) { return a.leastBytes > b.leastBytes; });
  }
  keepFullest(conflict.points);
  return conflict;
}
