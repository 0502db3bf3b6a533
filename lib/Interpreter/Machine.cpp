//===- Machine.cpp - The environment of all ranks -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cells, shards, and the checks on them.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"

#include "Loops.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

/// Ranks are in order.
static bool contains(Ranks ranks, unsigned rank) {
  return std::binary_search(ranks.begin(), ranks.end(), rank);
}

Machine::Machine(Level level, MeshAttr mesh, const Options &options)
    : level(level), mesh(mesh), options(options) {
  if (mesh)
    numRanks = static_cast<unsigned>(mesh.getNumRanks());
}

Machine::~Machine() = default;

const Distribution &Machine::getDistribution(Type type) {
  std::unique_ptr<Distribution> &entry = distributions[type];
  if (!entry) {
    auto tensor = cast<RankedTensorType>(type);
    LayoutAttr layout = level == Level::parallel ? LayoutAttr::of(type) : LayoutAttr();
    entry = std::make_unique<Distribution>(
        distribute(tensor.getShape(), *getKind(tensor.getElementType()), layout, numRanks));
    // Without a layout, ranks hold what they computed: no copies of one thing.
    if (!layout)
      for (unsigned rank = 0; rank < numRanks; ++rank)
        entry->original[rank] = rank;
  }
  return *entry;
}

std::shared_ptr<char[]> Machine::allocate(const Distribution &distribution) {
  const unsigned bytes = getNumBytes(distribution.kind);
  const int64_t count = distribution.extents.front().numLocal;
  std::shared_ptr<char[]> data(new char[std::max<int64_t>(count, 1) * bytes]);
  const Word poison = getPoison(distribution.kind);
  for (int64_t i = 0; i < count; ++i)
    storeWord(data.get() + i * bytes, poison, bytes);
  return data;
}

LogicalResult Machine::checkReplicas(Operation *op, Type type, const Cells &cells, Ranks ranks,
                                     const Twine &what) {
  const Distribution &d = getDistribution(type);
  const unsigned bytes = getNumBytes(d.kind);
  for (unsigned rank : ranks) {
    unsigned other = d.original[rank];
    const Extent &extent = d.extents[rank];
    if (other == rank || !extent.held || !contains(ranks, other))
      continue;
    // With the same poison in the padding, equal buffers say it all.
    if (cells[rank].data == cells[other].data ||
        std::memcmp(cells[rank].data.get(), cells[other].data.get(), extent.numLocal * bytes) == 0)
      continue;
    Shard mine{cells[rank].data.get(), &extent, d.kind};
    Shard theirs{cells[other].data.get(), &d.extents[other], d.kind};
    Index differing;
    bool equal = forEachIndex(extent.begin, extent.end, [&](ArrayRef<int64_t> index) {
      differing.assign(index.begin(), index.end());
      return std::memcmp(mine.find(index), theirs.find(index), bytes) == 0;
    });
    if (equal)
      continue;
    InFlightDiagnostic diagnostic = op->emitError("replicated copies of ") << what << " differ: ";
    diagnostic << "ranks " << other << " and " << rank << " at element (";
    llvm::interleaveComma(differing, diagnostic);
    return diagnostic << ")";
  }
  return success();
}

LogicalResult Machine::unsupported(Operation *op) {
  return op->emitOpError("is unsupported by the interpreter");
}

LogicalResult Machine::notHeld(Operation *op, unsigned rank, ArrayRef<int64_t> index,
                               Value operand) {
  InFlightDiagnostic diagnostic = op->emitOpError("needs element (");
  llvm::interleaveComma(index, diagnostic);
  diagnostic << ") on rank " << rank << ", which does not hold it";
  if (LayoutAttr layout = LayoutAttr::of(operand.getType())) {
    std::string text;
    llvm::raw_string_ostream os(text);
    layout.printState(os);
    diagnostic << ": operand of layout " << text;
  }
  return diagnostic;
}

LogicalResult Machine::checkGroup(Operation *op, Ranks group, Ranks ranks) {
  for (unsigned member : group)
    if (!contains(ranks, member))
      return op->emitOpError("is reached by rank ")
             << group[group.front() == member] << " but not by rank " << member << " of its group";
  return success();
}

Shard Machine::getShard(Value value, unsigned rank) {
  const Distribution &d = getDistribution(value.getType());
  return {env.find(value)->second[rank].data.get(), &d.extents[rank], d.kind};
}

MutableArrayRef<Cell> Machine::define(Value value) {
  Cells &cells = env[value];
  cells.resize(numRanks);
  return cells;
}

void Machine::setCells(Value value, const Cells &cells, Ranks ranks) {
  MutableArrayRef<Cell> own = define(value);
  for (unsigned rank : ranks)
    own[rank] = cells[rank];
}

std::vector<Cells> Machine::takeCells(OperandRange values) {
  std::vector<Cells> cells;
  for (Value value : values)
    cells.push_back(getCells(value));
  return cells;
}

Shard Machine::makeShard(Value value, unsigned rank, Value init) {
  const Distribution &d = getDistribution(value.getType());
  std::shared_ptr<char[]> data;
  if (init) {
    size_t bytes = d.extents[rank].numLocal * getNumBytes(d.kind);
    data.reset(new char[std::max<size_t>(bytes, 8)]);
    std::memcpy(data.get(), env.find(init)->second[rank].data.get(), bytes);
  } else {
    data = allocate(d);
  }
  Shard shard{data.get(), &d.extents[rank], d.kind};
  define(value)[rank] = {0, std::move(data)};
  return shard;
}

int64_t Machine::getIndex(OpFoldResult value, unsigned rank) {
  if (auto attr = dyn_cast<Attribute>(value))
    return cast<IntegerAttr>(attr).getInt();
  return static_cast<int64_t>(getScalar(cast<Value>(value), rank));
}

Index Machine::getIndices(ArrayRef<OpFoldResult> values, unsigned rank) {
  Index indices;
  for (OpFoldResult value : values)
    indices.push_back(getIndex(value, rank));
  return indices;
}

Word Machine::getPartialOf(const Distribution &d, unsigned rank, Word word) {
  return d.isPartial() && d.getPartial(rank) != 0 ? getNeutral(d.combiner, d.kind) : word;
}

void Machine::keepInFirstPartial(Value result, Ranks ranks) {
  const Distribution &d = getDistribution(result.getType());
  if (!d.isPartial())
    return;
  const unsigned bytes = getNumBytes(d.kind);
  const Word neutral = getNeutral(d.combiner, d.kind);
  for (unsigned rank : ranks) {
    if (d.getPartial(rank) == 0)
      continue;
    Shard shard = getShard(result, rank);
    forEachIndex(shard.extent->begin, shard.extent->end, [&](ArrayRef<int64_t> index) {
      if (char *element = shard.find(index))
        storeWord(element, neutral, bytes);
      return true;
    });
  }
}

void Machine::initializeFrame(const ScalarProgram &program, unsigned rank, std::vector<Word> &slots,
                              std::vector<Shard> &tensors, Frame &frame) {
  slots.assign(program.numSlots, 0);
  for (auto [slot, word] : program.constants)
    slots[slot] = word;
  for (auto [slot, value] : program.scalars)
    slots[slot] = getScalar(value, rank);
  tensors.clear();
  for (Value value : program.tensors)
    tensors.push_back(getShard(value, rank));
  frame.slots = slots.data();
  frame.tensors = tensors;
  frame.lists = program.lists;
}
