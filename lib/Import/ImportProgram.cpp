//===- ImportProgram.cpp - Make the program attribute ---------------------===//
//
// dmc-import-program: names, types with signedness, layouts and donation of the
// entry's arguments and results become `dmc.program`.
//
//===----------------------------------------------------------------------===//
#include "Collectives.h"
#include "dmc/Import/Import.h"
#include "dmc/Import/Passes.h"
#include "dmc/Import/StableHLO/Dialect.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace dmc {
#define GEN_PASS_DEF_IMPORTPROGRAM
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

namespace {
/// The text form for messages: `data=4,model=2`.
std::string toText(dmc::MeshAttr mesh) { return dmc::toString(mesh.toMesh()); }

/// Finds the one mesh of a program and turns shardings into layouts on it.
class ShardingReader {
public:
  explicit ShardingReader(func::FuncOp entry) : entry(entry) {}

  dmc::MeshAttr getMesh() const { return mesh; }

  /// The layout of a value of this type with these attributes; null where no
  /// sharding is given.
  FailureOr<dmc::LayoutAttr> read(DictionaryAttr attrs, RankedTensorType type, Location loc,
                                  const Twine &what) {
    Attribute attr = attrs ? attrs.get(dmc::sdy::kShardingAttrName) : Attribute();
    if (!attr)
      return dmc::LayoutAttr();
    auto sharding = dyn_cast<dmc::sdy::TensorShardingAttr>(attr);
    if (!sharding)
      return emitError(loc) << "expected the sharding of " << what
                            << " to be an #sdy.sharding attribute, found " << attr;
    return read(sharding, type, loc, what);
  }

  /// The layout that a sharding gives a value of this type.
  FailureOr<dmc::LayoutAttr> read(dmc::sdy::TensorShardingAttr sharding, RankedTensorType type,
                                  Location loc, const Twine &what);

  LogicalResult setMesh(dmc::sdy::MeshAttr source, Location loc) {
    if (source == lastSource)
      return success();
    for (auto [position, device] : llvm::enumerate(source.getDeviceIds()))
      if (static_cast<int64_t>(position) != device)
        return emitError(loc) << "unsupported: the mesh gives an order of devices; expected "
                                 "devices in row-major order";
    SmallVector<dmc::MeshAxisAttr> axes;
    for (dmc::sdy::MeshAxisAttr axis : source.getAxes())
      axes.push_back(dmc::MeshAxisAttr::get(axis.getContext(), axis.getName(), axis.getSize()));
    auto converted =
        dmc::MeshAttr::getChecked([&] { return emitError(loc) << "mesh: "; }, source.getContext(),
                                  ArrayRef<dmc::MeshAxisAttr>(axes));
    if (!converted)
      return failure();
    if (mesh && mesh != converted)
      return emitError(loc) << "unsupported: several meshes, " << toText(mesh) << " and "
                            << toText(converted) << "; expected one";
    mesh = converted;
    lastSource = source;
    return success();
  }

private:
  func::FuncOp entry;
  dmc::MeshAttr mesh;
  dmc::sdy::MeshAttr lastSource;
};

/// The name that a location gives: the innermost one that is not a file.
StringRef getLocationName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = getLocationName(part); !name.empty())
        return name;
  return {};
}

struct ImportProgram : dmc::impl::ImportProgramBase<ImportProgram> {
  using ImportProgramBase::ImportProgramBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (dmc::ProgramAttr::of(module))
      return markAllAnalysesPreserved();
    FailureOr<func::FuncOp> entry = dmc::getEntry(module);
    if (failed(entry) || failed(importEntry(*entry)))
      signalPassFailure();
  }

  LogicalResult importEntry(func::FuncOp entry);
  /// Chooses for each donated argument the result that takes its buffer.
  LogicalResult pairDonations(func::FuncOp entry, SmallVectorImpl<dmc::ValueAttr> &arguments,
                              ArrayRef<dmc::ValueAttr> results);
};
} // namespace

FailureOr<dmc::LayoutAttr> ShardingReader::read(dmc::sdy::TensorShardingAttr sharding,
                                                RankedTensorType type, Location loc,
                                                const Twine &what) {
  dmc::sdy::MeshAttr source = sharding.getMesh(entry);
  if (!source)
    return emitError(loc) << "sharding of " << what << " names the mesh " << sharding.getMeshOrRef()
                          << ", which the module does not have";
  if (failed(setMesh(source, loc)))
    return failure();
  if (sharding.getRank() != type.getRank())
    return emitError(loc) << "sharding of " << what << " has " << sharding.getRank()
                          << " dimensions, but the tensor has " << type.getRank();
  if (!sharding.getUnreducedAxes().empty())
    return emitError(loc) << "unsupported: sharding of " << what
                          << " has unreduced axes; expected arguments and results to be whole "
                             "or split";
  SmallVector<dmc::AxesAttr> dims;
  for (dmc::sdy::DimensionShardingAttr dim : sharding.getDimShardings()) {
    SmallVector<dmc::AxisAttr> axes;
    for (dmc::sdy::AxisRefAttr axis : dim.getAxes())
      axes.push_back(dmc::AxisAttr::get(axis.getContext(), axis.getName(),
                                        axis.isSubAxis() ? axis.getPreSize() : 0,
                                        axis.isSubAxis() ? axis.getSize() : 0));
    dims.push_back(dmc::AxesAttr::get(sharding.getContext(), axes));
  }
  auto layout = dmc::LayoutAttr::getChecked(
      [&] { return emitError(loc) << "sharding of " << what << ": "; }, sharding.getContext(), mesh,
      ArrayRef<dmc::AxesAttr>(dims), dmc::CombinerKind::sum,
      dmc::AxesAttr::get(sharding.getContext(), ArrayRef<dmc::AxisAttr>()),
      ArrayRef<dmc::PlacedAttr>());
  if (!layout)
    return failure();
  return layout;
}

/// A request within the program.
static LogicalResult convertConstraint(dmc::sdy::ShardingConstraintOp op,
                                       ShardingReader &shardings) {
  dmc::sdy::TensorShardingAttr sharding = op.getSharding();
  FailureOr<dmc::LayoutAttr> layout = shardings.read(sharding, cast<RankedTensorType>(op.getType()),
                                                     op.getLoc(), "the constrained value");
  if (failed(layout))
    return failure();
  SmallVector<int64_t> open;
  int64_t priority = 0;
  for (auto [dim, dimSharding] : llvm::enumerate(sharding.getDimShardings())) {
    if (!dimSharding.getIsClosed())
      open.push_back(dim);
    priority = std::max(priority, dimSharding.getPriority().value_or(0));
  }
  OpBuilder builder(op);
  op.replaceAllUsesWith(
      dmc::ConstrainOp::create(builder, op.getLoc(), op.getInput(), *layout, open, priority)
          .getResult());
  op.erase();
  return success();
}

/// A computation that each rank does on its parts.
static LogicalResult convertManual(dmc::sdy::ManualComputationOp op, ShardingReader &shardings) {
  Block &body = op.getBody().front();
  WalkResult captures = op.getBody().walk([&](Operation *nested) {
    return WalkResult(success(llvm::all_of(nested->getOperands(), [&](Value value) {
      return op.getBody().isAncestor(value.getParentRegion());
    })));
  });
  if (captures.wasInterrupted())
    return op.emitError() << "unsupported: 'sdy.manual_computation' whose body uses values from "
                             "outside; expected them as operands";
  auto readAll = [&](ArrayRef<dmc::sdy::TensorShardingAttr> given, ValueRange values,
                     SmallVectorImpl<Attribute> &layouts) -> LogicalResult {
    for (auto [i, sharding, value] : llvm::enumerate(given, values)) {
      for (dmc::sdy::DimensionShardingAttr dim : sharding.getDimShardings())
        for (dmc::sdy::AxisRefAttr axis : dim.getAxes())
          if (!llvm::is_contained(op.getManualAxes().getAxes(),
                                  StringAttr::get(op.getContext(), axis.getName())))
            return op.emitError() << "unsupported: 'sdy.manual_computation' with a sharding over \""
                                  << axis.getName() << "\"; expected manual axes only";
      FailureOr<dmc::LayoutAttr> layout =
          shardings.read(sharding, cast<RankedTensorType>(value.getType()), op.getLoc(),
                         "value " + Twine(i) + " of the manual computation");
      if (failed(layout))
        return failure();
      layouts.push_back(dmc::LayoutAttr::get(layout->getMesh(), layout->toLayout()));
    }
    return success();
  };
  SmallVector<Attribute> in, out;
  if (failed(readAll(op.getInShardings().getShardings(), op.getTensors(), in)) ||
      failed(readAll(op.getOutShardings().getShardings(), op.getResults(), out)))
    return failure();
  if (!shardings.getMesh())
    return op.emitError("unsupported: 'sdy.manual_computation' without operands and results");
  OpBuilder builder(op);
  auto manual = dmc::ManualOp::create(builder, op.getLoc(), op.getResultTypes(), op.getTensors(),
                                      builder.getArrayAttr(in), builder.getArrayAttr(out),
                                      shardings.getMesh());
  Operation *end = body.getTerminator();
  builder.setInsertionPoint(end);
  dmc::YieldOp::create(builder, end->getLoc(), end->getOperands());
  end->erase();
  manual.getBody().takeBody(op.getBody());
  op.replaceAllUsesWith(manual.getResults());
  op.erase();
  return success();
}

static LogicalResult checkType(Type type, Location loc, const Twine &what,
                               RankedTensorType &tensor) {
  tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return emitError(loc) << "unsupported: " << what << " has type " << type
                          << "; expected a ranked tensor of static shape";
  if (!dmc::stablehlo::getElementKind(tensor.getElementType()))
    return emitError(loc) << "unsupported: " << what << " has element type "
                          << tensor.getElementType()
                          << "; expected i1, i8 to i64, ui8 to ui64, f16, bf16, f32 or f64";
  return success();
}

LogicalResult ImportProgram::importEntry(func::FuncOp entry) {
  ModuleOp module = getOperation();
  MLIRContext *context = &getContext();
  FailureOr<dmc::MeshAttr> meshOfRanks = dmc::getMeshOfRanks(module, entry, ranks);
  if (failed(meshOfRanks))
    return failure();
  ShardingReader shardings(entry);
  SmallVector<dmc::ValueAttr> arguments, results;
  llvm::StringSet<> names;
  auto makeName = [&](StringRef name, StringRef fallback, unsigned index) {
    std::string text = name.empty() ? (fallback + Twine(index)).str() : name.str();
    // Names tell values apart in files and reports.
    for (unsigned copy = 1; !names.insert(text).second; ++copy)
      text = (Twine(name.empty() ? fallback : name) + "." + Twine(index) +
              (copy == 1 ? std::string() : "." + std::to_string(copy)))
                 .str();
    return StringAttr::get(context, text);
  };
  for (BlockArgument argument : entry.getArguments()) {
    unsigned i = argument.getArgNumber();
    RankedTensorType type;
    if (failed(checkType(argument.getType(), argument.getLoc(), "argument " + Twine(i), type)))
      return failure();
    FailureOr<dmc::LayoutAttr> layout =
        shardings.read(entry.getArgAttrDict(i), type, argument.getLoc(), "argument " + Twine(i));
    if (failed(layout))
      return failure();
    arguments.push_back(dmc::ValueAttr::get(context,
                                            makeName(getLocationName(argument.getLoc()), "arg", i),
                                            dmc::withLayout(type, *layout), -1));
  }
  names.clear();
  for (auto [i, resultType] : llvm::enumerate(entry.getResultTypes())) {
    RankedTensorType type;
    if (failed(checkType(resultType, entry.getLoc(), "result " + Twine(i), type)))
      return failure();
    FailureOr<dmc::LayoutAttr> layout =
        shardings.read(entry.getResultAttrDict(i), type, entry.getLoc(), "result " + Twine(i));
    if (failed(layout))
      return failure();
    auto info = entry.getResultAttrOfType<StringAttr>(i, "jax.result_info");
    results.push_back(
        dmc::ValueAttr::get(context, makeName(info ? info.getValue() : StringRef(), "result", i),
                            dmc::withLayout(type, *layout), -1));
  }
  if (failed(pairDonations(entry, arguments, results)))
    return failure();

  // A mesh that no sharding names is the program's if it is the only one.
  SmallVector<dmc::sdy::MeshOp> meshes(module.getOps<dmc::sdy::MeshOp>());
  if (!shardings.getMesh())
    for (dmc::sdy::MeshOp mesh : meshes)
      if (failed(shardings.setMesh(mesh.getMesh(), mesh.getLoc())))
        return failure();
  SmallVector<dmc::sdy::ManualComputationOp> manuals;
  entry.walk([&](dmc::sdy::ManualComputationOp op) { manuals.push_back(op); });
  if (*meshOfRanks && (shardings.getMesh() || !manuals.empty()))
    return entry.emitError("unsupported: a program of ranks (with several replicas, or with "
                           "collectives outside of 'sdy.manual_computation') with a mesh of its "
                           "own; expected none");
  for (dmc::sdy::ManualComputationOp op : manuals) {
    if (op->getParentOfType<dmc::ManualOp>() ||
        op->getParentOfType<dmc::sdy::ManualComputationOp>())
      return op.emitError("unsupported: 'sdy.manual_computation' within another one; expected "
                          "one for all axes");
    if (failed(convertManual(op, shardings)))
      return failure();
  }
  SmallVector<dmc::sdy::ShardingConstraintOp> constraints;
  entry.walk([&](dmc::sdy::ShardingConstraintOp op) { constraints.push_back(op); });
  for (dmc::sdy::ShardingConstraintOp op : constraints) {
    if (op->getParentOfType<dmc::ManualOp>()) {
      // Where all axes are manual nothing is left to ask for.
      op.replaceAllUsesWith(op.getInput());
      op.erase();
    } else if (failed(convertConstraint(op, shardings))) {
      return failure();
    }
  }
  WalkResult foreign =
      module.walk<WalkOrder::PreOrder>(
          [&](Operation *op) -> WalkResult {
            if (op->getName().getDialectNamespace() == "sdy" && !isa<dmc::sdy::MeshOp>(op))
              return op->emitError()
                     << "unsupported: '" << op->getName()
                     << "'; expected shardings of arguments and results, constraints and manual "
                        "computations";
            return WalkResult::advance();
          });
  if (foreign.wasInterrupted())
    return failure();
  for (dmc::sdy::MeshOp mesh : meshes)
    mesh.erase();
  entry.walk([](Operation *op) { op->removeDiscardableAttr(dmc::sdy::kShardingAttrName); });
  entry.removeArgAttrsAttr();
  entry.removeResAttrsAttr();

  StringRef name = module.getSymName().value_or(entry.getSymName());
  // Every rank has arguments and results of its own.
  auto setLocal = [&](SmallVectorImpl<dmc::ValueAttr> &values) {
    for (dmc::ValueAttr &value : values)
      value =
          value.withLayout(dmc::LayoutAttr::getReplicated(*meshOfRanks, value.getType().getRank()));
  };
  if (*meshOfRanks) {
    setLocal(arguments);
    setLocal(results);
  }
  auto program = dmc::ProgramAttr::getChecked(
      [&] { return entry.emitError(); }, context,
      *meshOfRanks ? dmc::Level::ranks : dmc::Level::tensor, StringAttr::get(context, name),
      *meshOfRanks ? *meshOfRanks : shardings.getMesh(), ArrayRef<dmc::ValueAttr>(arguments),
      ArrayRef<dmc::ValueAttr>(results));
  if (!program)
    return failure();
  for (StringRef attr : {"mhlo.num_partitions", "mhlo.num_replicas"})
    module->removeDiscardableAttr(attr);
  module->setAttr("dmc.program", program);
  return success();
}

LogicalResult ImportProgram::pairDonations(func::FuncOp entry,
                                           SmallVectorImpl<dmc::ValueAttr> &arguments,
                                           ArrayRef<dmc::ValueAttr> results) {
  llvm::SmallBitVector taken(results.size());
  auto donate = [&](unsigned i, unsigned result) {
    taken.set(result);
    arguments[i] =
        dmc::ValueAttr::get(&getContext(), arguments[i].getName(), arguments[i].getType(), result);
  };
  // Exact pairs first, so that a free choice does not take their results.
  for (unsigned i = 0; i < arguments.size(); ++i) {
    auto aliasing = entry.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
    if (!aliasing)
      continue;
    int64_t result = aliasing.getInt();
    Location loc = entry.getArgument(i).getLoc();
    if (result < 0 || result >= static_cast<int64_t>(results.size()))
      return emitError(loc) << "argument " << i << " is donated to result " << result
                            << ", but there are " << results.size();
    if (taken[result])
      return emitError(loc) << "argument " << i << " is donated to result " << result
                            << ", to which another argument is donated already";
    auto withoutLayout = [](dmc::ValueAttr value) { return dmc::withLayout(value.getType(), {}); };
    if (withoutLayout(arguments[i]) != withoutLayout(results[result]))
      return emitError(loc) << "argument " << i << " of type " << withoutLayout(arguments[i])
                            << " is donated to result " << result << " of type "
                            << withoutLayout(results[result]);
    donate(i, result);
  }
  for (unsigned i = 0; i < arguments.size(); ++i) {
    auto donor = entry.getArgAttrOfType<BoolAttr>(i, "jax.buffer_donor");
    if (!donor || !donor.getValue() || arguments[i].isDonated())
      continue;
    for (auto [result, value] : llvm::enumerate(results)) {
      if (!taken[result] && value.getType() == arguments[i].getType()) {
        donate(i, result);
        break;
      }
    }
  }
  return success();
}
