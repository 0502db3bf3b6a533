//===- ImportProgram.cpp - Make the program attribute ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmc-import-program: names, types with signedness, layouts and donation of the
// entry's arguments and results become `dmc.program`.
//
//===----------------------------------------------------------------------===//
#include "Collectives.h"
#include "FrameworkAttributes.h"
#include "Shardings.h"
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

static LogicalResult checkType(Type type, Location loc, const Twine &what,
                               RankedTensorType &tensor) {
  tensor = dyn_cast<RankedTensorType>(type);
  std::string expected = dmc::stablehlo::explainUnsupportedType(type, dmc::stablehlo::kReal);
  if (!expected.empty())
    return emitError(loc) << "unsupported: " << what << " of type " << type << "; expected "
                          << expected;
  return success();
}

LogicalResult ImportProgram::importEntry(func::FuncOp entry) {
  ModuleOp module = getOperation();
  MLIRContext *context = &getContext();
  FailureOr<dmc::MeshAttr> meshOfRanks = dmc::getMeshOfRanks(module, entry, ranks);
  if (failed(meshOfRanks))
    return failure();
  dmc::ShardingReader shardings(entry);
  if (failed(dmc::checkModuleAttributes(module)) || failed(dmc::checkFunctionAttributes(entry)) ||
      failed(shardings.chooseMesh()))
    return failure();
  if (*meshOfRanks && shardings.getMesh())
    return entry.emitError("unsupported: a program of ranks (with several replicas, or with "
                           "collectives outside of 'sdy.manual_computation') with a mesh of its "
                           "own; expected none");
  SmallVector<dmc::ValueAttr> arguments, results;
  /// Of the dimensions of all arguments, then of all results.
  SmallVector<SmallVector<int64_t>> priorities;
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
    FailureOr<dmc::ShardingRequest> request =
        shardings.read(entry.getArgAttrDict(i), type, argument.getLoc(), "argument " + Twine(i));
    if (failed(request))
      return failure();
    priorities.push_back(request->priorities);
    // A layout that may be refined is chosen where the argument is used.
    if (!request->isClosed() && !argument.use_empty()) {
      OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
      Value constrained = dmc::createConstraint(builder, argument.getLoc(), argument, *request);
      if (constrained != argument)
        argument.replaceAllUsesExcept(constrained, constrained.getDefiningOp());
      request->layout = {};
    }
    arguments.push_back(dmc::ValueAttr::get(context,
                                            makeName(getLocationName(argument.getLoc()), "arg", i),
                                            dmc::withLayout(type, request->layout), -1, 0));
  }
  names.clear();
  for (auto [i, resultType] : llvm::enumerate(entry.getResultTypes())) {
    RankedTensorType type;
    if (failed(checkType(resultType, entry.getLoc(), "result " + Twine(i), type)))
      return failure();
    FailureOr<dmc::ShardingRequest> request =
        shardings.read(entry.getResultAttrDict(i), type, entry.getLoc(), "result " + Twine(i));
    if (failed(request))
      return failure();
    priorities.push_back(request->priorities);
    if (!request->isClosed()) {
      Operation *end = entry.getBody().front().getTerminator();
      OpBuilder builder(end);
      end->setOperand(i,
                      dmc::createConstraint(builder, entry.getLoc(), end->getOperand(i), *request));
      request->layout = {};
    }
    auto info = entry.getResultAttrOfType<StringAttr>(i, "jax.result_info");
    results.push_back(
        dmc::ValueAttr::get(context, makeName(info ? info.getValue() : StringRef(), "result", i),
                            dmc::withLayout(type, request->layout), -1, 0));
  }
  if (failed(pairDonations(entry, arguments, results)))
    return failure();

  if (failed(dmc::convertShardings(entry, shardings)))
    return failure();
  WalkResult foreign = module.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (op->getName().getDialectNamespace() == "sdy" && !isa<dmc::sdy::MeshOp>(op))
      return op->emitError() << "unsupported: '" << op->getName()
                             << "'; expected an operation of Shardy for the input of a partitioner";
    return WalkResult::advance();
  });
  if (foreign.wasInterrupted())
    return failure();
  for (auto mesh : llvm::make_early_inc_range(module.getOps<dmc::sdy::MeshOp>()))
    mesh.erase();
  entry.removeArgAttrsAttr();
  entry.removeResAttrsAttr();
  for (auto [i, list] : llvm::enumerate(priorities)) {
    if (list.empty())
      continue;
    auto attr = DenseI64ArrayAttr::get(context, list);
    if (i < arguments.size() && arguments[i].getLayout())
      entry.setArgAttr(i, "dmc.priorities", attr);
    else if (i >= arguments.size() && results[i - arguments.size()].getLayout())
      entry.setResultAttr(i - arguments.size(), "dmc.priorities", attr);
  }
  if (!shardings.getDevices().empty())
    module->setAttr("dmc.devices", DenseI64ArrayAttr::get(context, shardings.getDevices()));

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
  // They have been read, or checkModuleAttributes has accepted that they are ignored.
  SmallVector<StringAttr> ofFrameworks;
  for (NamedAttribute attr : module->getDiscardableAttrs())
    if (dmc::isOfFramework(attr.getName()))
      ofFrameworks.push_back(attr.getName());
  for (StringAttr name : ofFrameworks)
    module->removeDiscardableAttr(name);
  module->setAttr("dmc.program", program);
  return success();
}

LogicalResult ImportProgram::pairDonations(func::FuncOp entry,
                                           SmallVectorImpl<dmc::ValueAttr> &arguments,
                                           ArrayRef<dmc::ValueAttr> results) {
  llvm::SmallBitVector taken(results.size());
  auto donate = [&](unsigned i, unsigned result) {
    taken.set(result);
    arguments[i] = dmc::ValueAttr::get(&getContext(), arguments[i].getName(),
                                       arguments[i].getType(), result, arguments[i].getBelow());
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
  // Results in the same layout, then those whose layout is open: propagation gives them the
  // argument's.
  for (bool isOpen : {false, true})
    for (unsigned i = 0; i < arguments.size(); ++i) {
      auto donor = entry.getArgAttrOfType<BoolAttr>(i, "jax.buffer_donor");
      if (!donor || !donor.getValue() || arguments[i].isDonated())
        continue;
      RankedTensorType type = arguments[i].getType();
      for (auto [result, value] : llvm::enumerate(results)) {
        bool fits = isOpen ? !value.getLayout() && value.getType() == dmc::withLayout(type, {})
                           : value.getType() == type;
        if (!taken[result] && fits) {
          donate(i, result);
          break;
        }
      }
    }
  return success();
}
