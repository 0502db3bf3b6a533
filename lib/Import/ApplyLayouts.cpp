//===- ApplyLayouts.cpp - Layouts from options or a file ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmc-apply-layouts: replaces the mesh and the layouts in `dmc.program`.
//
//===----------------------------------------------------------------------===//
#include "dmc/Import/Passes.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace dmc {
#define GEN_PASS_DEF_APPLYLAYOUTS
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

namespace {
/// Axes for each dimension of one value.
using DimAxes = SmallVector<SmallVector<StringRef>>;

/// One case of a layouts file; errors name the file and the place in it.
class LayoutsFile {
public:
  LayoutsFile(Location loc, StringRef path) : loc(loc), path(path) {}

  LogicalResult load(StringRef wantedCase);

  std::vector<dmc::MeshAxis> mesh;
  SmallVector<DimAxes> arguments, results;

private:
  InFlightDiagnostic error() { return emitError(loc) << path << ": "; }
  const llvm::json::Object *selectCase(StringRef wanted);
  LogicalResult readMesh(const llvm::json::Object &entry);
  LogicalResult readValues(const llvm::json::Object &entry, StringRef key,
                           SmallVectorImpl<DimAxes> &values);

  Location loc;
  StringRef path;
  std::string caseName;
  std::optional<llvm::json::Value> root;
};

struct ApplyLayouts : dmc::impl::ApplyLayoutsBase<ApplyLayouts> {
  using ApplyLayoutsBase::ApplyLayoutsBase;

  void runOnOperation() override {
    if (mesh.empty() && layoutsFile.empty() && layoutsCase.empty())
      return markAllAnalysesPreserved();
    if (failed(apply()))
      signalPassFailure();
  }

  LogicalResult apply();
  /// The mesh, with the sizes that the option `mesh` gives.
  FailureOr<dmc::MeshAttr> resizeMesh(dmc::MeshAttr base);
  /// The value with the layout that the file gives it.
  FailureOr<dmc::ValueAttr> setLayout(dmc::ValueAttr value, dmc::MeshAttr mesh,
                                      const DimAxes &axes);
  /// The value with its layout on another mesh.
  FailureOr<dmc::ValueAttr> moveLayout(dmc::ValueAttr value, dmc::MeshAttr mesh);
  FailureOr<dmc::ValueAttr> withDims(dmc::ValueAttr value, dmc::MeshAttr mesh,
                                     ArrayRef<dmc::AxesAttr> dims);
};
} // namespace

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

LogicalResult LayoutsFile::load(StringRef wantedCase) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return error() << "cannot be read: " << buffer.getError().message();
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse((*buffer)->getBuffer());
  if (!parsed)
    return error() << "expected JSON: " << llvm::toString(parsed.takeError());
  root.emplace(std::move(*parsed));
  const llvm::json::Object *entry = selectCase(wantedCase);
  if (!entry)
    return failure();
  for (const auto &member : *entry)
    if (!llvm::is_contained({"mesh", "arguments", "results"}, StringRef(member.first)))
      return error() << "case '" << caseName << "' has an unknown member '"
                     << StringRef(member.first) << "'; expected 'mesh', 'arguments' and 'results'";
  return success(succeeded(readMesh(*entry)) &&
                 succeeded(readValues(*entry, "arguments", arguments)) &&
                 succeeded(readValues(*entry, "results", results)));
}

const llvm::json::Object *LayoutsFile::selectCase(StringRef wanted) {
  const llvm::json::Object *cases = root->getAsObject();
  if (!cases || cases->empty()) {
    error() << "expected an object with a member for each case";
    return nullptr;
  }
  SmallVector<StringRef> names;
  for (const auto &member : *cases)
    names.push_back(StringRef(member.first));
  llvm::sort(names);
  auto list = [&] { return "'" + llvm::join(names, "', '") + "'"; };
  if (wanted.empty() && names.size() > 1) {
    error() << "has several cases, and the option 'case' is not given; expected one of " << list();
    return nullptr;
  }
  caseName = wanted.empty() ? names.front().str() : wanted.str();
  const llvm::json::Value *entry = cases->get(caseName);
  if (!entry) {
    error() << "unknown case '" << caseName << "'; expected one of " << list();
    return nullptr;
  }
  if (!entry->getAsObject())
    error() << "expected case '" << caseName << "' to be an object";
  return entry->getAsObject();
}

LogicalResult LayoutsFile::readMesh(const llvm::json::Object &entry) {
  const llvm::json::Array *axes = entry.getArray("mesh");
  if (!axes)
    return error() << "expected case '" << caseName << "' to have a list 'mesh'";
  for (const llvm::json::Value &value : *axes) {
    const llvm::json::Array *pair = value.getAsArray();
    std::optional<StringRef> name;
    std::optional<int64_t> size;
    if (pair && pair->size() == 2) {
      name = (*pair)[0].getAsString();
      size = (*pair)[1].getAsInteger();
    }
    if (!name || !size)
      return error() << "expected the mesh of case '" << caseName
                     << "' to be a list of pairs [name, size]";
    mesh.push_back({name->str(), *size});
  }
  return success();
}

LogicalResult LayoutsFile::readValues(const llvm::json::Object &entry, StringRef key,
                                      SmallVectorImpl<DimAxes> &values) {
  auto malformed = [&]() -> LogicalResult {
    return error() << "expected '" << key << "' of case '" << caseName
                   << "' to hold for each value a list with the list of axes of each dimension";
  };
  const llvm::json::Array *list = entry.getArray(key);
  if (!list)
    return malformed();
  for (const llvm::json::Value &value : *list) {
    const llvm::json::Array *dims = value.getAsArray();
    if (!dims)
      return malformed();
    DimAxes &dimAxes = values.emplace_back();
    for (const llvm::json::Value &dim : *dims) {
      const llvm::json::Array *axes = dim.getAsArray();
      if (!axes)
        return malformed();
      SmallVector<StringRef> &names = dimAxes.emplace_back();
      for (const llvm::json::Value &axis : *axes) {
        std::optional<StringRef> name = axis.getAsString();
        if (!name)
          return malformed();
        names.push_back(*name);
      }
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// `data`, or a part of an axis as in `data:(2)4`.
static dmc::AxisAttr parseAxis(MLIRContext *context, StringRef text) {
  auto [name, part] = text.split(":(");
  auto [preText, sizeText] = part.split(')');
  int64_t preSize, size;
  if (part.empty() || preText.getAsInteger(10, preSize) || sizeText.getAsInteger(10, size))
    return dmc::AxisAttr::get(context, text);
  return dmc::AxisAttr::get(context, name, preSize, size);
}

FailureOr<dmc::MeshAttr> ApplyLayouts::resizeMesh(dmc::MeshAttr base) {
  if (mesh.empty())
    return base;
  Location loc = getOperation().getLoc();
  std::string problem;
  std::optional<dmc::Mesh> sizes = dmc::parseMesh(mesh, problem);
  if (!sizes)
    return emitError(loc) << "option 'mesh': " << problem;
  if (!base)
    return dmc::MeshAttr::get(&getContext(), *sizes);
  std::vector<dmc::MeshAxis> axes = base.toMesh().axes();
  for (const dmc::MeshAxis &wanted : sizes->axes()) {
    auto axis = llvm::find_if(axes, [&](auto &axis) { return axis.name == wanted.name; });
    if (axis == axes.end())
      return emitError(loc) << "option 'mesh': axis \"" << wanted.name
                            << "\" is not in the mesh of the layouts, "
                            << dmc::toString(base.toMesh());
    axis->size = wanted.size;
  }
  return dmc::MeshAttr::get(&getContext(), dmc::Mesh(axes));
}

FailureOr<dmc::ValueAttr> ApplyLayouts::withDims(dmc::ValueAttr value, dmc::MeshAttr mesh,
                                                 ArrayRef<dmc::AxesAttr> dims) {
  MLIRContext *context = &getContext();
  auto layout = dmc::LayoutAttr::getChecked(
      [&] {
        return emitError(getOperation().getLoc())
               << "layout of \"" << value.getName().getValue() << "\": ";
      },
      context, mesh, dims, dmc::CombinerKind::sum,
      dmc::AxesAttr::get(context, ArrayRef<dmc::AxisAttr>()), ArrayRef<dmc::PlacedAttr>());
  if (!layout)
    return failure();
  return value.withLayout(layout);
}

FailureOr<dmc::ValueAttr> ApplyLayouts::setLayout(dmc::ValueAttr value, dmc::MeshAttr mesh,
                                                  const DimAxes &axes) {
  if (static_cast<int64_t>(axes.size()) != value.getType().getRank())
    return emitError(getOperation().getLoc())
           << layoutsFile << ": layout of \"" << value.getName().getValue() << "\" has "
           << axes.size() << " dimensions, but the tensor has " << value.getType().getRank();
  SmallVector<dmc::AxesAttr> dims;
  for (ArrayRef<StringRef> names : axes) {
    SmallVector<dmc::AxisAttr> dim;
    for (StringRef name : names)
      dim.push_back(parseAxis(&getContext(), name));
    dims.push_back(dmc::AxesAttr::get(&getContext(), dim));
  }
  return withDims(value, mesh, dims);
}

FailureOr<dmc::ValueAttr> ApplyLayouts::moveLayout(dmc::ValueAttr value, dmc::MeshAttr mesh) {
  dmc::LayoutAttr layout = value.getLayout();
  if (!layout)
    return value;
  if (!layout.getPlaced().empty())
    return emitError(getOperation().getLoc())
           << "unsupported: option 'mesh' with the placed layout of \""
           << value.getName().getValue() << "\"";
  return withDims(value, mesh, layout.getDims());
}

LogicalResult ApplyLayouts::apply() {
  ModuleOp module = getOperation();
  dmc::ProgramAttr program = dmc::ProgramAttr::of(module);
  if (!program)
    return module.emitError("expected a module with a program; run dmc-import-program before");
  if (program.getLevel() != dmc::Level::tensor)
    return module.emitError("expected a program of level tensor, found level ")
           << dmc::stringifyLevel(program.getLevel()) << ": its layouts are decided";
  if (layoutsFile.empty() && !layoutsCase.empty())
    return module.emitError("option 'case' needs the option 'layouts-file'");

  LayoutsFile file(module.getLoc(), layoutsFile);
  dmc::MeshAttr base = program.getMesh();
  if (!layoutsFile.empty()) {
    if (failed(file.load(layoutsCase)))
      return failure();
    dmc::Mesh fileMesh(file.mesh);
    if (std::optional<std::string> problem = fileMesh.verify())
      return module.emitError() << layoutsFile << ": mesh: " << *problem;
    base = dmc::MeshAttr::get(&getContext(), fileMesh);
  }
  FailureOr<dmc::MeshAttr> newMesh = resizeMesh(base);
  if (failed(newMesh))
    return failure();
  WalkResult fixed = module.walk([&](dmc::ManualOp op) -> WalkResult {
    if (op.getMesh() == *newMesh)
      return WalkResult::advance();
    return op.emitError() << "unsupported: another mesh for a manual computation, which is written "
                             "for "
                          << dmc::toString(op.getMesh().toMesh()) << "; found "
                          << dmc::toString(newMesh->toMesh());
  });
  if (fixed.wasInterrupted())
    return failure();

  auto update = [&](ArrayRef<dmc::ValueAttr> values, ArrayRef<DimAxes> layouts, StringRef kind,
                    SmallVectorImpl<dmc::ValueAttr> &updated) -> LogicalResult {
    if (!layoutsFile.empty() && layouts.size() != values.size())
      return module.emitError() << layoutsFile << ": expected layouts for " << values.size() << " "
                                << kind << ", found " << layouts.size();
    for (auto [i, value] : llvm::enumerate(values)) {
      FailureOr<dmc::ValueAttr> result = layoutsFile.empty()
                                             ? moveLayout(value, *newMesh)
                                             : setLayout(value, *newMesh, layouts[i]);
      if (failed(result))
        return failure();
      updated.push_back(*result);
    }
    return success();
  };
  SmallVector<dmc::ValueAttr> arguments, results;
  if (failed(update(program.getArguments(), file.arguments, "arguments", arguments)) ||
      failed(update(program.getResults(), file.results, "results", results)))
    return failure();
  // Requests within the program move to the new mesh too.
  WalkResult moved = module.walk([&](dmc::ConstrainOp op) -> WalkResult {
    auto layout = dmc::LayoutAttr::getChecked(
        [&] { return op.emitError() << "requested layout: "; }, &getContext(), *newMesh,
        op.getLayout().getDims(), op.getLayout().getCombiner(), op.getLayout().getPartial(),
        op.getLayout().getPlaced());
    if (!layout)
      return WalkResult::interrupt();
    op.setLayoutAttr(layout);
    return WalkResult::advance();
  });
  if (moved.wasInterrupted())
    return failure();
  // An order of devices is one of the mesh that the program was written for.
  if (auto devices = module->getAttrOfType<DenseI64ArrayAttr>("dmc.devices");
      devices && devices.size() != newMesh->getNumRanks())
    module->removeAttr("dmc.devices");
  module->setAttr("dmc.program",
                  dmc::ProgramAttr::get(&getContext(), program.getLevel(), program.getName(),
                                        *newMesh, arguments, results));
  return success();
}
