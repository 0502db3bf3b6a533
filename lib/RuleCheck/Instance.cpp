//===- Instance.cpp - Groups of values, programs of layouts ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Instance.h.
//
//===----------------------------------------------------------------------===//
#include "Instance.h"

#include "dmc/RuleCheck/RuleCheck.h"
#include "dmc/Sharding/ShardingRule.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::rulecheck;

//===--- Values and groups ------------------------------------------------===//

/// True for operations whose blocks compute on tensors that have layouts.
static bool isControlFlow(Operation *op) {
  return isa<func::FuncOp, scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp>(op);
}

SmallVector<Value> rulecheck::getTensorValues(func::FuncOp function) {
  SmallVector<Value> values;
  auto add = [&](ValueRange range) {
    llvm::copy_if(range, std::back_inserter(values),
                  [](Value value) { return isa<RankedTensorType>(value.getType()); });
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    add(op->getResults());
    if (!isControlFlow(op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArguments());
    return WalkResult::advance();
  });
  return values;
}

namespace {
class Grouping {
public:
  explicit Grouping(func::FuncOp function) : values(getTensorValues(function)) {
    classes.grow(values.size());
    for (auto [number, value] : llvm::enumerate(values))
      numbers[value] = number;
    function.walk([&](Operation *op) { joinAt(op); });
    classes.compress();
  }
  unsigned getGroup(Value value) const { return classes[numbers.lookup(value)]; }

  SmallVector<Value> values;
  llvm::IntEqClasses classes;

private:
  void join(ValueRange a, ValueRange b) {
    for (auto [x, y] : llvm::zip(a, b))
      if (numbers.contains(x) && numbers.contains(y))
        classes.join(numbers[x], numbers[y]);
  }

  void joinAt(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](scf::ForOp loop) {
          join(loop.getInitArgs(), loop.getRegionIterArgs());
          join(loop.getInitArgs(), loop.getResults());
          join(loop.getInitArgs(), loop.getBody()->getTerminator()->getOperands());
        })
        .Case([&](scf::WhileOp loop) {
          join(loop.getInits(), loop.getBeforeArguments());
          join(loop.getInits(), loop.getAfterBody()->getTerminator()->getOperands());
          join(loop.getConditionOp().getArgs(), loop.getAfterArguments());
          join(loop.getConditionOp().getArgs(), loop.getResults());
        })
        .Case<scf::IfOp, scf::IndexSwitchOp>([&](Operation *branch) {
          for (Region &region : branch->getRegions())
            if (!region.empty())
              join(branch->getResults(), region.front().getTerminator()->getOperands());
        })
        .Default([&](Operation *other) {
          SmallVector<OpOperand *> operands = getTensorOperands(other);
          for (auto [result, destination] :
               llvm::zip_equal(getTensorResults(other), getDestinations(other)))
            if (destination)
              join(ValueRange(Value(result)), operands[*destination]->get());
        });
  }

  llvm::DenseMap<Value, unsigned> numbers;
};
} // namespace

static bool isTested(Operation *op) {
  return !isLayoutAgnostic(op) && !isa<func::FuncOp>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         (!getTensorOperands(op).empty() || !getTensorResults(op).empty());
}

/// The first operation of the function that is not there only to make operands.
static Operation *findOp(func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    if (isTested(&op))
      return &op;
  return nullptr;
}

std::string rulecheck::getCheckedOp(func::FuncOp function) {
  if (auto name = function->getAttrOfType<StringAttr>("dmc.check"))
    return name.str();
  Operation *op = function.isExternal() ? nullptr : findOp(function);
  return op ? op->getName().getStringRef().str() : "";
}

FailureOr<Instance> rulecheck::getInstance(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError("expected a function with a body of one block");
  auto isGood = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && !LayoutAttr::of(type);
  };
  if (!llvm::all_of(function.getArgumentTypes(), isGood) ||
      !llvm::all_of(function.getResultTypes(), isGood))
    return function.emitError(
        "expected arguments and results that are static tensors without layouts");
  Instance instance;
  instance.function = function;
  instance.op = findOp(function);
  if (!instance.op)
    return function.emitError("expected an operation on tensors to check");

  Grouping grouping(function);
  instance.groups.resize(grouping.classes.getNumClasses());
  for (auto [number, value] : llvm::enumerate(grouping.values)) {
    instance.groupOf[value] = grouping.getGroup(value);
    Group &group = instance.groups[grouping.getGroup(value)];
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type.hasStaticShape() || type.getEncoding())
      return function.emitError("expected static tensors without layouts, found ") << type;
    group.type = type;
    group.values.push_back(number);
    auto argument = dyn_cast<BlockArgument>(value);
    bool isFunctionArgument = argument && argument.getOwner() == &function.getBody().front();
    group.isArgument |= isFunctionArgument;
    group.isProduced |= !argument && !isLayoutAgnostic(value.getDefiningOp());
    if (isFunctionArgument)
      group.name = "argument " + std::to_string(argument.getArgNumber());
    else if (group.name.empty() && !argument)
      group.name = value.getDefiningOp()->getName().getStringRef().str();
  }
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    instance.groups[grouping.getGroup(value)].isReturned = true;
  return instance;
}

//===--- Programs ---------------------------------------------------------===//

static Value createCombiner(OpBuilder &b, Location loc, CombinerKind combiner, Value x, Value y) {
  bool isFloat = isa<FloatType>(x.getType()), isBool = x.getType().isInteger(1);
  switch (combiner) {
  case CombinerKind::sum:
    return isFloat ? arith::AddFOp::create(b, loc, x, y).getResult()
                   : arith::AddIOp::create(b, loc, x, y).getResult();
  case CombinerKind::prod:
    return isFloat ? arith::MulFOp::create(b, loc, x, y).getResult()
                   : arith::MulIOp::create(b, loc, x, y).getResult();
  case CombinerKind::max:
    return isFloat  ? arith::MaximumFOp::create(b, loc, x, y).getResult()
           : isBool ? arith::OrIOp::create(b, loc, x, y).getResult()
                    : arith::MaxSIOp::create(b, loc, x, y).getResult();
  case CombinerKind::min:
    return isFloat  ? arith::MinimumFOp::create(b, loc, x, y).getResult()
           : isBool ? arith::AndIOp::create(b, loc, x, y).getResult()
                    : arith::MinSIOp::create(b, loc, x, y).getResult();
  }
  llvm_unreachable("all combiners are handled");
}

/// Replaces an argument of a partial layout by its partial values and their reduction.
static void makePartials(BlockArgument argument, MeshAttr mesh, const Layout &layout,
                         bool withLayouts) {
  auto type = cast<RankedTensorType>(argument.getType());
  CombinerKind combiner = toCombinerKind(*layout.combiner);
  Layout ofPartials = layout;
  ofPartials.dims.insert(ofPartials.dims.begin(), layout.partial);
  ofPartials.partial.clear();
  ofPartials.combiner.reset();
  SmallVector<int64_t> shape{groupSize(layout.partial)};
  llvm::append_range(shape, type.getShape());
  argument.setType(
      RankedTensorType::get(shape, type.getElementType(),
                            withLayouts ? LayoutAttr::get(mesh, ofPartials) : LayoutAttr()));

  Location loc = argument.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(argument.getOwner());
  Value neutral =
      arith::ConstantOp::create(b, loc, getNeutralElement(combiner, type.getElementType()));
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType(), type.getEncoding());
  Value init = linalg::FillOp::create(b, loc, TypeRange{type}, neutral, empty).getResult(0);
  auto reduce =
      linalg::ReduceOp::create(b, loc, ValueRange{argument}, ValueRange{init}, ArrayRef<int64_t>{0},
                               [&](OpBuilder &nested, Location at, ValueRange values) {
                                 Value combined =
                                     createCombiner(nested, at, combiner, values[0], values[1]);
                                 linalg::YieldOp::create(nested, at, combined);
                               });
  argument.replaceAllUsesExcept(reduce.getResult(0), reduce);
}

/// Combines the partial values of what is returned: a program's results are not partial.
static void reduceResults(Operation *terminator, MeshAttr mesh) {
  OpBuilder b(terminator);
  for (OpOperand &operand : terminator->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    LayoutAttr layout = LayoutAttr::of(type);
    if (!layout || !layout.isPartial())
      continue;
    operand.set(ReduceOp::create(b, terminator->getLoc(), withLayout(type, layout.withoutPartial()),
                                 operand.get(), layout.getPartial()));
  }
}

static ValueAttr makeValue(Type type, StringRef what, size_t number) {
  MLIRContext *context = type.getContext();
  auto name = StringAttr::get(context, what + Twine(number));
  return ValueAttr::get(context, name, cast<RankedTensorType>(type), -1, 0);
}

static OwningOpRef<ModuleOp> make(const Instance &instance, MeshAttr mesh, const Layouts &layouts,
                                  bool withLayouts) {
  func::FuncOp original = instance.function;
  MLIRContext *context = original.getContext();
  OwningOpRef<ModuleOp> module = ModuleOp::create(original.getLoc());
  func::FuncOp function = original.clone();
  module->push_back(function);
  function.setPublic();
  SmallVector<Value> values = getTensorValues(function);
  if (withLayouts)
    for (auto [group, layout] : llvm::zip_equal(instance.groups, layouts)) {
      RankedTensorType type = withLayout(group.type, LayoutAttr::get(mesh, layout.canonical()));
      for (unsigned number : group.values) {
        values[number].setType(type);
        if (auto constant = values[number].getDefiningOp<arith::ConstantOp>())
          constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
      }
    }
  for (auto [group, layout] : llvm::zip_equal(instance.groups, layouts)) {
    if (layout.partial.empty())
      continue;
    for (unsigned number : group.values)
      if (auto argument = dyn_cast<BlockArgument>(values[number]);
          argument && argument.getOwner() == &function.getBody().front())
        makePartials(argument, mesh, layout.canonical(), withLayouts);
  }

  Block &body = function.getBody().front();
  reduceResults(body.getTerminator(), mesh);
  function.setFunctionType(
      FunctionType::get(context, body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  SmallVector<ValueAttr> arguments, results;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    arguments.push_back(makeValue(type, "argument", i));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    results.push_back(makeValue(type, "result", i));
  module->getOperation()->setAttr(
      "dmc.program", ProgramAttr::get(context, withLayouts ? Level::parallel : Level::tensor,
                                      StringAttr::get(context, original.getName()),
                                      withLayouts ? mesh : MeshAttr(), arguments, results));
  return module;
}

OwningOpRef<ModuleOp> rulecheck::makeProgram(const Instance &instance, MeshAttr mesh,
                                             const Layouts &layouts) {
  return make(instance, mesh, layouts, /*withLayouts=*/true);
}

OwningOpRef<ModuleOp> rulecheck::makeReference(const Instance &instance, MeshAttr mesh,
                                               const Layouts &layouts) {
  return make(instance, mesh, layouts, /*withLayouts=*/false);
}
