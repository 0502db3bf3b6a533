//===- ProgramTables.cpp - What a program says about itself ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Host/ProgramTables.h"

#include "CPU/TargetCpu.h"
#include "Kernel/Buffers.h"
#include "Kernel/CustomCalls.h"

#include "dmc-c/Program.h"
#include "dmc/Runtime/Contraction.h"
#include "dmc/Version.h"

#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

// The types in TableBuilder follow these.
static_assert(sizeof(void *) == 8 && sizeof(dmc_value) == 80 && sizeof(dmc_collective) == 120 &&
                  sizeof(dmc_contraction) == 72 && sizeof(dmc_call) == 88 &&
                  sizeof(dmc_kernel) == 48 && sizeof(dmc_nest) == 40 && sizeof(dmc_arena) == 24 &&
                  sizeof(dmc_axis_ref) == 24 && sizeof(dmc_custom_value) == 16 &&
                  sizeof(dmc_custom_target) == 40 && sizeof(dmc_program) == 272,
              "the ABI changed: adapt the tables");

/// The table of a device's code, which is made last.
static constexpr llvm::StringLiteral imagesSymbol = "dmc_images";

/// Rows for the code of each chip of the target, which separates them by `+`.
static int64_t countImages(ModuleOp module) {
  StringRef chips = TargetAttr::of(module).getProcessor();
  return imagesPerChip * (1 + static_cast<int64_t>(chips.count('+')));
}

static Pointer emitAxes(TableBuilder &tables, MeshAttr mesh) {
  SmallVector<Fields> rows;
  if (mesh)
    for (MeshAxisAttr axis : mesh.getAxes())
      rows.push_back({tables.text(axis.getName()), axis.getSize()});
  return tables.structs("mesh", tables.meshAxisType, rows);
}

static Fields describeValue(TableBuilder &tables, ValueAttr value, int64_t alias) {
  RankedTensorType type = value.getType();
  LayoutAttr layout = value.getLayout();
  SmallVector<int64_t> local(type.getShape());
  SmallVector<uint32_t> begins(1, 0);
  SmallVector<AxisAttr> axes, placed;
  SmallVector<int64_t> coordinates;
  MeshAttr mesh;
  if (layout) {
    mesh = layout.getMesh();
    local = layout.getLocalShape(type.getShape());
    for (AxesAttr dim : layout.getDims()) {
      llvm::append_range(axes, dim.getAxes());
      begins.push_back(axes.size());
    }
    for (PlacedAttr place : layout.getPlaced()) {
      placed.push_back(place.getAxis());
      coordinates.push_back(place.getCoordinate());
    }
  }
  begins.resize(type.getRank() + 1, axes.size());
  return {tables.text(value.getName().getValue()),
          int64_t(elementTypeCode(type.getElementType())),
          type.getRank(),
          tables.int64s(type.getShape()),
          tables.int64s(local),
          tables.uint32s(begins),
          tables.axisRefs(mesh, axes),
          int64_t(placed.size()),
          std::min<int64_t>(value.getBelow(), std::numeric_limits<uint32_t>::max()),
          tables.axisRefs(mesh, placed),
          tables.int64s(coordinates),
          alias};
}

static Fields describeCollective(TableBuilder &tables, const ProgramFacts::Collective &found) {
  comm::CollectiveOpInterface op = found.op;
  auto from = cast<MemRefType>(op.getOperandValue().getType());
  auto to = cast<MemRefType>(op.getDestination().getType());
  int64_t kind = 0, combiner = 0, dim = 0, concat = 0, root = 0;
  ArrayRef<int64_t> pairs;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](comm::AllReduceOp reduce) {
        kind = DMC_ALL_REDUCE;
        combiner = static_cast<int64_t>(reduce.getCombiner());
      })
      .Case([&](comm::AllGatherOp gather) {
        kind = DMC_ALL_GATHER;
        dim = gather.getDim();
      })
      .Case([&](comm::ReduceScatterOp reduce) {
        kind = DMC_REDUCE_SCATTER;
        combiner = static_cast<int64_t>(reduce.getCombiner());
        dim = reduce.getDim();
      })
      .Case([&](comm::AllToAllOp exchange) {
        kind = DMC_ALL_TO_ALL;
        dim = exchange.getSplitDim();
        concat = exchange.getConcatDim();
      })
      .Case([&](comm::PermuteOp permute) {
        kind = DMC_PERMUTE;
        pairs = permute.getPairs();
      })
      .Case([&](comm::BroadcastOp broadcast) {
        kind = DMC_BROADCAST;
        root = broadcast.getRoot();
      });
  bool isUnsigned = op->hasAttr("unsigned");
  SmallVector<int64_t> groups;
  if (DenseIntElementsAttr listed = op.getListedGroups())
    groups = llvm::to_vector(listed.getValues<int64_t>());
  int64_t groupSize = std::max<int64_t>(op.getGroupSize(), 1);
  return {kind,
          combiner,
          int64_t(elementTypeCode(from.getElementType(), isUnsigned)),
          from.getRank(),
          tables.int64s(from.getShape()),
          dim,
          concat,
          int64_t(op.getGroupAxes().size()),
          int64_t(pairs.size() / 2),
          tables.axisRefs(op.getGroupMesh(), op.getGroupAxes().getAxes()),
          tables.int64s(pairs),
          root,
          found.count,
          bufferBytes(from),
          bufferBytes(to),
          tables.text(describeLocation(op->getLoc())),
          int64_t(groups.size()) / groupSize,
          groups.empty() ? int64_t(0) : groupSize,
          tables.int64s(groups),
          found.stream};
}

static Pointer describeDeviceNest(TableBuilder &tables, DictionaryAttr nest) {
  if (!nest)
    return {};
  Fields fields = {tables.text(nest.getAs<StringAttr>("entry").getValue())};
  for (StringRef name : {"grid", "block"})
    for (int64_t size : nest.getAs<DenseI64ArrayAttr>(name).asArrayRef())
      fields.push_back(size);
  fields.push_back(nest.getAs<IntegerAttr>("shared").getInt());
  return tables.structs("launch", tables.deviceLaunchType, fields);
}

/// The contraction that a function stands for. Its lists are those of the attribute.
static dmc_contraction contractionOf(func::FuncOp call) {
  auto description = call->getAttrOfType<DictionaryAttr>("dmc.contraction");
  auto list = [&](StringRef name) {
    return description.getAs<DenseI64ArrayAttr>(name).asArrayRef().data();
  };
  ArrayRef<bool> isUnsigned = description.getAs<DenseBoolArrayAttr>("unsigned").asArrayRef();
  auto type = [&](unsigned operand) {
    return elementTypeCode(getElementTypeOrSelf(call.getArgumentTypes()[operand]),
                           operand < isUnsigned.size() && isUnsigned[operand]);
  };
  const int64_t *loops = list("loops");
  dmc_contraction contraction = {};
  contraction.a_type = type(0);
  contraction.b_type = type(1);
  contraction.c_type = type(2);
  contraction.num_batch = static_cast<uint32_t>(loops[0]);
  contraction.num_m = static_cast<uint32_t>(loops[1]);
  contraction.num_n = static_cast<uint32_t>(loops[2]);
  contraction.num_k = static_cast<uint32_t>(loops[3]);
  contraction.accumulate = description.getAs<BoolAttr>("accumulate").getValue();
  contraction.sizes = list("sizes");
  contraction.a_strides = list("strides_a");
  contraction.b_strides = list("strides_b");
  contraction.c_strides = list("strides_c");
  return contraction;
}

static Pointer emitContraction(TableBuilder &tables, const dmc_contraction &contraction,
                               Location loc) {
  Fields fields;
  for (uint32_t number :
       {contraction.a_type, contraction.b_type, contraction.c_type, contraction.num_batch,
        contraction.num_m, contraction.num_n, contraction.num_k, contraction.accumulate})
    fields.push_back(int64_t(number));
  size_t count = contraction.num_batch + contraction.num_m + contraction.num_n + contraction.num_k;
  for (const int64_t *list :
       {contraction.sizes, contraction.a_strides, contraction.b_strides, contraction.c_strides})
    fields.push_back(tables.int64s(ArrayRef(list, count)));
  fields.push_back(tables.text(describeLocation(loc)));
  return tables.structs("contraction", tables.contractionType, fields);
}

/// The call of a kernel that the session is given.
static Fields describeCustomCall(TableBuilder &tables, const ProgramFacts::Call &call) {
  func::FuncOp callee = call.callee;
  auto description = callee->getAttrOfType<DictionaryAttr>(customCallAttr);
  auto areUnsigned = description.getAs<DenseBoolArrayAttr>("unsigned");
  int64_t numValues = callee.getNumArguments(), bytes = 0;
  int64_t numResults = description.getAs<IntegerAttr>("results").getInt();
  SmallVector<Fields> values;
  for (auto [i, argument] : llvm::enumerate(callee.getArgumentTypes())) {
    auto type = cast<MemRefType>(argument);
    bytes += bufferBytes(type);
    values.push_back({int64_t(elementTypeCode(type.getElementType(), areUnsigned[i])),
                      type.getRank(), tables.int64s(type.getShape())});
  }
  Fields target = {int64_t(sizeof(dmc_custom_target)),
                   numValues - numResults,
                   numResults,
                   int64_t(0),
                   tables.text(description.getAs<StringAttr>("target").getValue()),
                   tables.text(description.getAs<StringAttr>("config").getValue()),
                   tables.structs("custom_values", tables.customValueType, values)};
  return {int64_t(DMC_CALL_CUSTOM),
          numValues,
          tables.text(call.name),
          Pointer(),
          call.count,
          bytes,
          int64_t(0),
          int64_t(0),
          tables.text(describeLocation(call.loc)),
          int64_t(0),
          int64_t(0),
          int64_t(0),
          tables.structs("custom", tables.customTargetType, target)};
}

static Fields describeCall(TableBuilder &tables, const ProgramFacts::Call &call, bool isForDevice) {
  func::FuncOp callee = call.callee;
  if (callee->hasAttr(customCallAttr))
    return describeCustomCall(tables, call);
  dmc_contraction contraction = contractionOf(callee);
  runtime::ContractionScratch scratch;
  if (!isForDevice)
    scratch = runtime::scratchOf(contraction);
  int64_t bytes = 0;
  for (Type type : callee.getArgumentTypes())
    bytes += bufferBytes(cast<MemRefType>(type));
  double flops = 2;
  for (int64_t size : callee->getAttrOfType<DictionaryAttr>("dmc.contraction")
                          .getAs<DenseI64ArrayAttr>("sizes")
                          .asArrayRef())
    flops *= static_cast<double>(size);
  constexpr double most = int64_t(1) << 62;
  return {int64_t(DMC_CALL_CONTRACTION),
          int64_t(callee.getNumArguments()),
          tables.text(call.name),
          emitContraction(tables, contraction, callee.getLoc()),
          call.count,
          bytes,
          static_cast<int64_t>(std::min(flops, most)),
          scratch.shared,
          tables.text(describeLocation(call.loc)),
          int64_t(0),
          int64_t(0),
          scratch.perThread};
}

void codegen::emitProgramTables(ModuleOp module, TableBuilder &tables, ProgramAttr program,
                                const ProgramFacts &facts, StringRef step) {
  SmallVector<Fields> arguments, results, collectives, kernels, calls;
  SmallVector<int64_t> takenOver(program.getResults().size(), -1);
  for (auto [i, argument] : llvm::enumerate(program.getArguments())) {
    int64_t donates = program.getResultInBufferOf(i);
    if (argument.isDonated() && donates < 0)
      // The plan gave the result a buffer of its own.
      module.emitWarning("argument \"")
          << argument.getName().getValue() << "\" cannot donate its buffer to result \""
          << program.getResults()[argument.getDonates()].getName().getValue()
          << "\": their layouts or element types differ";
    arguments.push_back(describeValue(tables, argument, donates));
    if (donates >= 0)
      takenOver[donates] = i;
  }
  for (auto [result, alias] : llvm::zip_equal(program.getResults(), takenOver))
    results.push_back(describeValue(tables, result, alias));
  for (const ProgramFacts::Collective &collective : facts.collectives)
    collectives.push_back(describeCollective(tables, collective));
  for (const ProgramFacts::Kernel &kernel : facts.kernels) {
    SmallVector<Fields> nests;
    for (const ProgramFacts::Nest &nest : kernel.nests)
      nests.push_back(
          {nest.device ? Pointer()
                       : Pointer{FlatSymbolRefAttr::get(module.getContext(), nest.function)},
           nest.iterations, nest.bytes, nest.flops, describeDeviceNest(tables, nest.device)});
    kernels.push_back({tables.text(kernel.name), kernel.count,
                       tables.text(describeLocation(kernel.loc)), int64_t(nests.size()),
                       int64_t(kernel.numArguments),
                       tables.structs("nests", tables.nestType, nests)});
  }
  for (const ProgramFacts::Call &call : facts.calls)
    calls.push_back(describeCall(tables, call, facts.isForDevice));
  MeshAttr mesh = program.getMesh();
  auto arena = module->getAttrOfType<IntegerAttr>("dmc.arena_bytes");
  Fields arenaRow = {int64_t(facts.isForDevice ? DMC_MEMORY_DEVICE : DMC_MEMORY_HOST), int64_t(0),
                     arena ? arena.getInt() : int64_t(0), int64_t(64)};
  SmallVector<Fields> constants;
  for (const auto &[name, bytes] : facts.constants)
    constants.push_back({Pointer{FlatSymbolRefAttr::get(module.getContext(), name)}, bytes});
  int64_t numImages = facts.isForDevice ? countImages(module) : 0;
  Fields fields = {int64_t(DMC_ABI_VERSION), int64_t(sizeof(dmc_program))};
  const dmc_struct_sizes sizes = DMC_STRUCT_SIZES;
  for (uint32_t size :
       {sizes.value, sizes.collective, sizes.kernel, sizes.nest, sizes.device_launch, sizes.call,
        sizes.contraction, sizes.arena, sizes.constant, sizes.image})
    fields.push_back(int64_t(size));
  auto add = [&](std::initializer_list<Field> more) { llvm::append_range(fields, more); };
  add({tables.text(program.getName().getValue()),
       tables.text("dmc " DMC_VERSION " (LLVM " LLVM_VERSION_STRING ")"), int64_t(facts.hash[0]),
       int64_t(facts.hash[1])});
  add({int64_t(mesh ? mesh.getAxes().size() : 0), int64_t(arguments.size()),
       int64_t(results.size()), int64_t(collectives.size()), int64_t(kernels.size()),
       int64_t(calls.size()), int64_t(1), int64_t(constants.size()), numImages, facts.streams,
       facts.events, int64_t(facts.isForDevice ? DMC_DEVICE_CUDA : DMC_DEVICE_HOST)});
  add({emitAxes(tables, mesh), tables.structs("arguments", tables.valueType, arguments),
       tables.structs("results", tables.valueType, results),
       tables.structs("collectives", tables.collectiveType, collectives),
       tables.structs("kernels", tables.kernelType, kernels),
       tables.structs("calls", tables.callType, calls),
       tables.structs("arenas", tables.arenaType, arenaRow),
       tables.structs("constants", tables.constantType, constants),
       numImages ? tables.structsToFill(imagesSymbol, tables.imageType, numImages) : Pointer()});
  add({facts.flops, Pointer{FlatSymbolRefAttr::get(module.getContext(), step)},
       tables.textToFill(targetCpuSymbol), tables.textToFill(targetFeaturesSymbol),
       facts.threadBytesPerSecond, facts.threadFlopsPerSecond, facts.leastDividedFlops,
       facts.hostWait.empty() ? Pointer() : tables.text(facts.hostWait),
       tables.int64s(facts.predictedPicoseconds)});
  Pointer table = tables.structs("program", tables.programType, fields);

  // The one exported function: null for another version of the ABI.
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  auto query = LLVM::LLVMFuncOp::create(builder, loc, DMC_PROGRAM_SYMBOL,
                                        LLVM::LLVMFunctionType::get(tables.pointer, tables.i32));
  Block *entry = query.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  Value version = LLVM::ConstantOp::create(builder, loc, tables.i32,
                                           builder.getI32IntegerAttr(DMC_ABI_VERSION));
  Value address = LLVM::AddressOfOp::create(builder, loc, tables.pointer, table.symbol);
  Value none = LLVM::ZeroOp::create(builder, loc, tables.pointer);
  Value same =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, entry->getArgument(0), version);
  Value answer = LLVM::SelectOp::create(builder, loc, same, address, none);
  LLVM::ReturnOp::create(builder, loc, answer);
}

void codegen::fillImages(ModuleOp module, ArrayRef<ImageRow> images) {
  auto table = module.lookupSymbol<LLVM::GlobalOp>(imagesSymbol);
  if (!table)
    return;
  TableBuilder tables(module);
  SmallVector<Fields> rows;
  for (const ImageRow &image : images)
    rows.push_back({int64_t(image.kind), int64_t(0), tables.text(image.chip),
                    tables.bytes("image", image.data), int64_t(image.data.size())});
  tables.fill(table, tables.imageType, rows);
}
