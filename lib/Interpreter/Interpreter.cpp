//===- Interpreter.cpp - From global values to global values --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the entry, scatters its arguments, gathers its results.
//
//===----------------------------------------------------------------------===//
#include "dmc/Interpreter/Interpreter.h"

#include "Loops.h"
#include "Machine.h"

#include <numeric>

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

Tensor Tensor::get(RankedTensorType type) {
  Tensor tensor;
  Type element = type.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(type.getContext(), integer.getWidth());
  tensor.elementType = element;
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  tensor.bytes.resize(type.getNumElements() * getNumBytes(*getKind(element)));
  return tensor;
}

int64_t Tensor::getNumElements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

namespace {
/// The entry and what is known of its boundary.
struct Entry {
  func::FuncOp function;
  Level level = Level::tensor;
  MeshAttr mesh;
  SmallVector<Parameter> arguments, results;
  SmallVector<LayoutAttr> argumentLayouts, resultLayouts;

  int64_t getNumRanks() const { return mesh ? mesh.getNumRanks() : 1; }
};
} // namespace

static FailureOr<func::FuncOp> findEntry(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  if (functions.size() != 1)
    return module.emitError("expected one public function with a body as the entry, found ")
           << functions.size();
  return functions.front();
}

/// One end of the boundary from `dmc.program`; its values must fit the types.
static LogicalResult addValues(const Entry &entry, StringRef what, ArrayRef<ValueAttr> values,
                               TypeRange types, SmallVector<Parameter> &parameters,
                               SmallVector<LayoutAttr> &layouts) {
  if (values.size() != types.size())
    return entry.function->emitError("expected ")
           << values.size() << " " << what << "s as in dmc.program, found " << types.size();
  for (auto [i, value, type] : llvm::enumerate(values, types)) {
    RankedTensorType global = value.getType();
    if (!isHoldable(global))
      return entry.function->emitError()
             << what << " " << i << " has type " << global << ", which the interpreter cannot hold";
    LayoutAttr layout = entry.level == Level::tensor ? LayoutAttr() : value.getLayout();
    if (entry.level == Level::parallel)
      layout = LayoutAttr::of(type);
    if (layout && layout.getMesh() != entry.mesh)
      return entry.function->emitError() << what << " " << i << " has a layout on another mesh";
    Index shape(global.getShape());
    Kind kind = *getKind(global.getElementType());
    if (entry.level == Level::ranks)
      shape = distribute(shape, kind, layout, 1).extents.front().local;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getShape() != ArrayRef<int64_t>(shape) ||
        getKind(tensor.getElementType()) != kind)
      return entry.function->emitError()
             << what << " " << i << " has type " << type << ", which does not fit " << value;
    parameters.push_back({value.getName().str(), dmc::withLayout(global, {}), value.getBelow()});
    layouts.push_back(layout);
  }
  return success();
}

static LogicalResult addTypes(Entry &entry, StringRef what, TypeRange types,
                              SmallVector<Parameter> &parameters,
                              SmallVector<LayoutAttr> &layouts) {
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !isHoldable(tensor))
      return entry.function->emitError()
             << what << " " << i << " has type " << type << ", which the interpreter cannot hold";
    parameters.push_back({"", dmc::withLayout(tensor, {})});
    layouts.push_back(LayoutAttr::of(type));
  }
  return success();
}

/// The mesh of the first layout in the function.
static MeshAttr findMesh(func::FuncOp function) {
  MeshAttr mesh;
  auto find = [&](TypeRange types) {
    for (Type type : types)
      if (LayoutAttr layout = LayoutAttr::of(type); layout && !mesh)
        mesh = layout.getMesh();
  };
  find(function.getArgumentTypes());
  function.walk([&](Operation *op) { find(op->getResultTypes()); });
  return mesh;
}

static FailureOr<Entry> getEntry(ModuleOp module) {
  FailureOr<func::FuncOp> function = findEntry(module);
  if (failed(function))
    return failure();
  Entry entry;
  entry.function = *function;
  FunctionType type = entry.function.getFunctionType();
  ProgramAttr program = ProgramAttr::of(module);
  if (!program) {
    // Without the program's record: what the types say, of a program that has
    // layouts or none.
    entry.mesh = findMesh(entry.function);
    entry.level = entry.mesh ? Level::parallel : Level::tensor;
    if (failed(addTypes(entry, "argument", type.getInputs(), entry.arguments,
                        entry.argumentLayouts)) ||
        failed(addTypes(entry, "result", type.getResults(), entry.results, entry.resultLayouts)))
      return failure();
    return entry;
  }
  entry.level = program.getLevel();
  if (entry.level == Level::scheduled)
    return module.emitError("expected a program of level tensor, parallel or ranks, found ")
           << stringifyLevel(entry.level);
  if (entry.level != Level::tensor) {
    entry.mesh = program.getMesh();
    if (!entry.mesh)
      return module.emitError("expected a mesh in dmc.program at level ")
             << stringifyLevel(entry.level);
  }
  if (failed(addValues(entry, "argument", program.getArguments(), type.getInputs(), entry.arguments,
                       entry.argumentLayouts)) ||
      failed(addValues(entry, "result", program.getResults(), type.getResults(), entry.results,
                       entry.resultLayouts)))
    return failure();
  return entry;
}

FailureOr<Signature> interpreter::getSignature(ModuleOp module) {
  FailureOr<Entry> entry = getEntry(module);
  if (failed(entry))
    return failure();
  return Signature{entry->arguments, entry->results, entry->getNumRanks()};
}

bool interpreter::isProgramOfRanks(ModuleOp module) {
  ProgramAttr program = ProgramAttr::of(module);
  if (!program || program.getLevel() != Level::ranks || !program.getMesh())
    return false;
  ArrayRef<MeshAxisAttr> axes = program.getMesh().getAxes();
  auto isReplicated = [](ValueAttr value) {
    return !value.getLayout() || value.getLayout().isReplicated();
  };
  return axes.size() == 2 && axes[0].getName() == "replica" && axes[1].getName() == "partition" &&
         llvm::all_of(program.getArguments(), isReplicated) &&
         llvm::all_of(program.getResults(), isReplicated);
}

/// The entry with the shapes that each rank has; a level 0 program has one rank.
static FailureOr<Entry> getLocalEntry(ModuleOp module) {
  FailureOr<Entry> entry = getEntry(module);
  if (failed(entry))
    return failure();
  if (entry->level == Level::parallel)
    return module.emitError("expected a program of level ranks, where ranks have arguments of "
                            "their own, found ")
           << stringifyLevel(entry->level);
  auto localize = [](SmallVector<Parameter> &parameters, TypeRange types) {
    for (auto [parameter, type] : llvm::zip_equal(parameters, types))
      parameter.type = parameter.type.clone(cast<RankedTensorType>(type).getShape());
  };
  localize(entry->arguments, entry->function.getArgumentTypes());
  localize(entry->results, entry->function.getResultTypes());
  return entry;
}

FailureOr<Signature> interpreter::getLocalSignature(ModuleOp module) {
  FailureOr<Entry> entry = getLocalEntry(module);
  if (failed(entry))
    return failure();
  return Signature{entry->arguments, entry->results, entry->getNumRanks()};
}

/// Shards of a global value, with poison in the padding.
static Cells scatter(Machine &machine, const Tensor &tensor, Kind kind, LayoutAttr layout) {
  Distribution whole = distribute(tensor.shape, kind, {}, 1);
  Distribution d = distribute(tensor.shape, kind, layout, machine.getNumRanks());
  Shard global{const_cast<char *>(tensor.bytes.data()), &whole.extents.front(), kind};
  Cells cells(machine.getNumRanks());
  for (unsigned rank = 0; rank < machine.getNumRanks(); ++rank) {
    cells[rank].data = machine.allocate(d);
    Shard shard{cells[rank].data.get(), &d.extents[rank], kind};
    copyCommon(shard, global);
    if (!d.isPartial() || d.getPartial(rank) == 0)
      continue;
    forEachIndex(shard.extent->begin, shard.extent->end, [&](ArrayRef<int64_t> index) {
      storeWord(shard.find(index), getNeutral(d.combiner, kind), getNumBytes(kind));
      return true;
    });
  }
  return cells;
}

/// The global value of a result: partial values combined in rank order; copies must agree.
static FailureOr<Tensor> gather(Machine &machine, func::FuncOp function, unsigned number,
                                const Parameter &parameter, LayoutAttr layout, const Cells &cells,
                                const Options &options) {
  Tensor tensor = Tensor::get(parameter.type);
  Kind kind = *getKind(tensor.elementType);
  const unsigned bytes = getNumBytes(kind);
  Distribution d = distribute(tensor.shape, kind, layout, machine.getNumRanks());
  std::vector<SmallVector<Word>> partials(tensor.getNumElements());
  for (unsigned rank = 0; rank < machine.getNumRanks(); ++rank) {
    const Extent &extent = d.extents[rank];
    unsigned original = d.original[rank];
    if (!extent.held || (original != rank && !options.checkReplicas))
      continue;
    Shard shard{cells[rank].data.get(), &extent, kind};
    Shard other{cells[original].data.get(), &d.extents[original], kind};
    Index differing;
    bool equal = forEachIndex(extent.begin, extent.end, [&](ArrayRef<int64_t> index) {
      Word word = *shard.get(index);
      if (original == rank)
        partials[linearize(index, tensor.shape)].push_back(word);
      differing.assign(index.begin(), index.end());
      return original == rank || word == *other.get(index);
    });
    if (equal)
      continue;
    InFlightDiagnostic diagnostic = function->emitError("replicated copies of result ")
                                    << number << " differ: ranks " << original << " and " << rank
                                    << " at element (";
    llvm::interleaveComma(differing, diagnostic);
    return diagnostic << ")";
  }
  for (auto [i, words] : llvm::enumerate(partials)) {
    if (words.empty())
      return function->emitError("result ") << number << " has elements that no rank holds";
    storeWord(&tensor.bytes[i * bytes], foldPartials(d.combiner, kind, words), bytes);
  }
  return tensor;
}

static LogicalResult checkInputs(Entry &entry, ArrayRef<Tensor> inputs, const Twine &where) {
  if (inputs.size() != entry.arguments.size())
    return entry.function->emitError("expected ")
           << entry.arguments.size() << " inputs" << where << ", found " << inputs.size();
  for (auto [i, input, parameter] : llvm::enumerate(inputs, entry.arguments)) {
    Tensor wanted = Tensor::get(parameter.type);
    if (input.elementType != wanted.elementType || input.shape != wanted.shape ||
        input.bytes.size() != wanted.bytes.size())
      return entry.function->emitError("input ") << i << where << " is not a " << parameter.type;
  }
  return success();
}

static LogicalResult callEntry(Machine &machine, const Entry &entry, std::vector<Cells> &values) {
  SmallVector<unsigned> ranks(machine.getNumRanks());
  std::iota(ranks.begin(), ranks.end(), 0u);
  return machine.call(entry.function, values, ranks);
}

FailureOr<SmallVector<Tensor>> interpreter::interpret(ModuleOp module, ArrayRef<Tensor> inputs,
                                                      const Options &options) {
  FailureOr<Entry> entry = getEntry(module);
  if (failed(entry) || failed(checkInputs(*entry, inputs, "")))
    return failure();
  Machine machine(entry->level, entry->mesh, options);
  std::vector<Cells> values;
  for (auto [input, layout] : llvm::zip_equal(inputs, entry->argumentLayouts))
    values.push_back(scatter(machine, input, *getKind(input.elementType), layout));
  if (failed(callEntry(machine, *entry, values)))
    return failure();
  SmallVector<Tensor> results;
  for (auto [i, cells] : llvm::enumerate(values)) {
    FailureOr<Tensor> result = gather(machine, entry->function, i, entry->results[i],
                                      entry->resultLayouts[i], cells, options);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  return results;
}

FailureOr<RankTensors> interpreter::interpretRanks(ModuleOp module, const RankTensors &inputs,
                                                   const Options &options) {
  FailureOr<Entry> entry = getLocalEntry(module);
  if (failed(entry))
    return failure();
  Machine machine(entry->level, entry->mesh, options);
  const unsigned numRanks = machine.getNumRanks();
  if (inputs.size() != numRanks)
    return entry->function->emitError("expected inputs of ")
           << numRanks << " ranks, found " << inputs.size();
  std::vector<Cells> values(entry->arguments.size(), Cells(numRanks));
  for (unsigned rank = 0; rank < numRanks; ++rank) {
    if (failed(checkInputs(*entry, inputs[rank], " of rank " + Twine(rank))))
      return failure();
    for (auto [cells, input] : llvm::zip_equal(values, inputs[rank])) {
      cells[rank].data.reset(new char[std::max<size_t>(input.bytes.size(), 8)]);
      llvm::copy(input.bytes, cells[rank].data.get());
    }
  }
  if (failed(callEntry(machine, *entry, values)))
    return failure();
  RankTensors results(numRanks);
  for (unsigned rank = 0; rank < numRanks; ++rank)
    for (auto [cells, parameter] : llvm::zip_equal(values, entry->results)) {
      Tensor tensor = Tensor::get(parameter.type);
      std::copy_n(cells[rank].data.get(), tensor.bytes.size(), tensor.bytes.begin());
      results[rank].push_back(std::move(tensor));
    }
  return results;
}
