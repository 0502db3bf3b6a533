//===- DrawLayouts.cpp - A program on a mesh drawn at random --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DrawLayouts.h"

#include "Random.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::fuzz;

namespace {
class Draw {
public:
  Draw(uint64_t seed, MLIRContext *context) : random(seed), context(context) {}

  void makeMesh(uint64_t seed);
  void keepMesh(MeshAttr given) {
    meshAttr = given;
    mesh = given.toMesh();
  }
  ProgramAttr draw(ProgramAttr program);
  void constrain(func::FuncOp entry);
  void constrainUses(func::FuncOp entry);

private:
  LayoutAttr makeLayout(size_t rank, bool mayBePlaced);
  Value constrain(Value value, LayoutAttr layout);

  Random random;
  MLIRContext *context;
  MeshAttr meshAttr;
  Mesh mesh;
};
} // namespace

/// Neighbouring seeds have different meshes.
void Draw::makeMesh(uint64_t seed) {
  static const std::vector<std::vector<MeshAxis>> meshes = {
      {{"x", 1}},
      {{"x", 2}},
      {{"x", 3}},
      {{"x", 5}},
      {{"x", 6}},
      {{"x", 2}, {"y", 3}},
      {{"x", 3}, {"y", 2}},
      {{"x", 7}},
      {{"x", 8}},
      {{"x", 4}, {"y", 2}},
      {{"x", 2}, {"y", 2}, {"z", 2}},
  };
  keepMesh(MeshAttr::get(context, Mesh(meshes[seed % meshes.size()])));
}

LayoutAttr Draw::makeLayout(size_t rank, bool mayBePlaced) {
  std::vector<AxisRef> axes;
  for (uint32_t i = 0; i < mesh.size(); ++i) {
    int64_t size = mesh.axis(i).size;
    if (size % 2 == 0 && size > 2 && random.chance(20)) {
      axes.push_back({i, 1, 2});
      axes.push_back({i, 2, size / 2});
    } else {
      axes.push_back({i, 1, size});
    }
  }
  random.shuffle(axes);
  Layout layout = Layout::replicated(rank);
  for (const AxisRef &axis : axes)
    if (rank && random.chance(60))
      layout.dims[random.below(rank)].push_back(axis);
    else if (mayBePlaced && layout.placed.empty() && random.chance(5))
      layout.placed.push_back({axis, random.below(axis.size)});
  return LayoutAttr::get(meshAttr, layout);
}

ProgramAttr Draw::draw(ProgramAttr program) {
  auto drawAll = [&](ArrayRef<ValueAttr> values) {
    return llvm::map_to_vector(values, [&](ValueAttr value) {
      return value.withLayout(makeLayout(value.getType().getRank(), /*mayBePlaced=*/true));
    });
  };
  SmallVector<ValueAttr> arguments = drawAll(program.getArguments());
  SmallVector<ValueAttr> results = drawAll(program.getResults());
  // A buffer is donated only where its layout is unchanged: most do.
  for (ValueAttr argument : arguments)
    if (argument.isDonated() && random.chance(80)) {
      ValueAttr &result = results[argument.getDonates()];
      if (result.getType().getRank() == argument.getType().getRank())
        result = result.withLayout(argument.getLayout());
    }
  return ProgramAttr::get(context, program.getLevel(), program.getName(), meshAttr, arguments,
                          results);
}

/// Right behind what is constrained.
Value Draw::constrain(Value value, LayoutAttr layout) {
  OpBuilder builder(context);
  builder.setInsertionPointAfterValue(value);
  return ConstrainOp::create(builder, value.getLoc(), value, layout);
}

static void addUsedResults(Block &block, std::vector<Value> &values) {
  for (Operation &op : block)
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()) && !result.use_empty())
        values.push_back(result);
}

void Draw::constrain(func::FuncOp entry) {
  std::vector<Value> values;
  addUsedResults(entry.getBody().front(), values);
  if (values.empty())
    return;
  for (int64_t i = 0, count = random.below(6); i < count; ++i) {
    Value value = random.pick(values);
    auto rank = cast<RankedTensorType>(value.getType()).getRank();
    Value constrained = constrain(value, makeLayout(rank, /*mayBePlaced=*/false));
    value.replaceAllUsesExcept(constrained, constrained.getDefiningOp());
  }
}

/// Constraints on arguments and results of operations, those of loops' bodies included: one after
/// the other, there and back, and taken by all, some or none of the uses.
void Draw::constrainUses(func::FuncOp entry) {
  std::vector<Value> values;
  for (BlockArgument argument : entry.getArguments())
    if (!argument.use_empty())
      values.push_back(argument);
  addUsedResults(entry.getBody().front(), values);
  entry.walk([&](Operation *op) {
    if (op->getName().getStringRef() == "stablehlo.while" && op->getNumRegions() == 2)
      addUsedResults(op->getRegion(1).front(), values);
  });
  if (values.empty())
    return;
  for (int64_t i = 0, count = random.below(5); i < count; ++i) {
    Value value = random.pick(values), last = value;
    auto rank = cast<RankedTensorType>(value.getType()).getRank();
    SmallVector<OpOperand *> uses =
        llvm::map_to_vector(value.getUses(), [](OpOperand &use) { return &use; });
    std::vector<Value> versions = {value};
    std::vector<LayoutAttr> layouts;
    for (int64_t j = random.below(3); j >= 0; --j) {
      bool goesBack = layouts.size() > 1 && random.chance(40);
      layouts.push_back(goesBack ? layouts.end()[-2] : makeLayout(rank, /*mayBePlaced=*/false));
      last = constrain(last, layouts.back());
      versions.push_back(last);
    }
    for (OpOperand *use : uses)
      use->set(random.chance(60) ? last : random.pick(versions));
  }
}

void fuzz::drawLayouts(ModuleOp module, uint64_t seed) {
  Draw draw(seed, module.getContext());
  ProgramAttr program = ProgramAttr::of(module);
  bool namesAxes = module.walk([](ManualOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (namesAxes && program.getMesh())
    draw.keepMesh(program.getMesh());
  else
    draw.makeMesh(seed);
  module->setAttr("dmc.program", draw.draw(program));
  for (auto entry : module.getOps<func::FuncOp>())
    if (entry.isPublic() && !entry.isExternal()) {
      draw.constrain(entry);
      draw.constrainUses(entry);
    }
}
