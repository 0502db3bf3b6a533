//===- SplitComplex.cpp - Complex numbers become two real tensors ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmc-split-complex: a forward walk that keeps the parts of each complex value.
// Operations that move elements are cloned for each part, those with regions get
// two values for one, arithmetic is written out (ComplexMath.cpp).
//
//===----------------------------------------------------------------------===//
#include "ComplexMath.h"
#include "CustomCalls.h"
#include "Derived.h"
#include "Normalize.h"
#include "dmc/Import/Import.h"
#include "dmc/Import/Passes.h"
#include "dmc/Import/StableHLO/Sdy.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;

namespace dmc {
#define GEN_PASS_DEF_SPLITCOMPLEX
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

static bool isComplex(Value value) { return getPartType(value.getType()) != nullptr; }

bool dmc::isOnComplex(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), hasComplex) ||
         llvm::any_of(op->getResultTypes(), hasComplex);
}

LogicalResult dmc::checkNoComplex(Operation *op) {
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (hasComplex(type))
        return op->emitError() << "unsupported: '" << op->getName() << "' of type " << type
                               << "; expected real and imaginary parts as tensors of their own";
  return success();
}

//===----------------------------------------------------------------------===//
// Kinds of operations
//===----------------------------------------------------------------------===//

/// Operations that do the same to each part.
static bool isPartwise(Operation *op) {
  static const llvm::StringSet<> names = {"stablehlo.add",
                                          "stablehlo.broadcast_in_dim",
                                          "stablehlo.collective_broadcast",
                                          "stablehlo.collective_permute",
                                          "stablehlo.concatenate",
                                          "stablehlo.dynamic_slice",
                                          "stablehlo.dynamic_update_slice",
                                          "stablehlo.gather",
                                          "stablehlo.negate",
                                          "stablehlo.pad",
                                          "stablehlo.reshape",
                                          "stablehlo.reverse",
                                          "stablehlo.select",
                                          "stablehlo.slice",
                                          "stablehlo.subtract",
                                          "stablehlo.transpose",
                                          "sdy.all_gather",
                                          "sdy.all_reduce",
                                          "sdy.all_slice",
                                          "sdy.all_to_all",
                                          "sdy.collective_permute",
                                          "sdy.data_flow_edge",
                                          "sdy.func_data_flow_edge",
                                          "sdy.propagation_barrier",
                                          "sdy.reduce_scatter",
                                          "sdy.replicated_to_unreduced",
                                          "sdy.reshard",
                                          "sdy.sharded_to_unreduced",
                                          "sdy.sharding_constraint",
                                          "sdy.sharding_group"};
  return names.contains(op->getName().getStringRef());
}

/// Operations of any number of values, of which each part is one.
static bool isVariadic(Operation *op) {
  return isa<stablehlo::AllGatherOp, stablehlo::AllToAllOp, stablehlo::CaseOp, stablehlo::IfOp,
             stablehlo::OptimizationBarrierOp, stablehlo::ReduceOp, stablehlo::ReduceWindowOp,
             stablehlo::ScatterOp, stablehlo::SortOp, stablehlo::WhileOp, sdy::ManualComputationOp,
             sdy::NamedComputationOp>(op);
}

/// True for the sum of the arguments of a region, or the last of them: what needs no other part.
static bool isSeparable(Region &region) {
  Block &body = region.front();
  Value result = body.getTerminator()->getOperand(0);
  if (body.getNumArguments() != 2)
    return false;
  auto add = result.getDefiningOp<stablehlo::AddOp>();
  if (!add)
    return result == body.getArgument(1);
  return add.getLhs() != add.getRhs() && isa<BlockArgument>(add.getLhs()) &&
         isa<BlockArgument>(add.getRhs());
}

/// Reductions of one complex operand that are two reductions.
static bool isSeparableReduction(Operation *op) {
  if (isa<stablehlo::ReduceScatterOp>(op))
    return isSeparable(op->getRegion(0));
  return isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp,
             stablehlo::AllReduceOp>(op) &&
         op->getNumResults() == 1 && isSeparable(op->getRegion(0));
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {
class Splitter {
public:
  explicit Splitter(func::FuncOp function) : function(function), b(function.getContext()) {}
  LogicalResult run();

private:
  LogicalResult splitBlock(Block &block);
  LogicalResult split(Operation *op);
  LogicalResult splitResult(Operation *op, RealBuilder &r);
  LogicalResult rebuild(Operation *op);
  LogicalResult splitConstant(Operation *op);
  LogicalResult splitRegions(Operation *op);

  void setParts(Value value, Complex parts) { values[value] = parts; }
  Complex getParts(Value value) {
    auto found = values.find(value);
    assert(found != values.end() && "operands are split before their users");
    return found->second;
  }
  void replace(Operation *op, ValueRange results) { op->replaceAllUsesWith(results); }
  /// The operation for one part; its results.
  Operation *clonePart(Operation *op, bool isImaginary);
  SmallVector<Value> expand(ValueRange operands);

  func::FuncOp function;
  OpBuilder b;
  DenseMap<Value, Complex> values;
  SmallVector<Operation *> dead;
};
} // namespace

SmallVector<Value> Splitter::expand(ValueRange operands) {
  SmallVector<Value> expanded;
  for (Value operand : operands) {
    if (!isComplex(operand)) {
      expanded.push_back(operand);
      continue;
    }
    Complex parts = getParts(operand);
    expanded.append({parts.re, parts.im});
  }
  return expanded;
}

Operation *Splitter::clonePart(Operation *op, bool isImaginary) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isComplex(operand)) {
      Complex parts = getParts(operand);
      mapping.map(operand, isImaginary ? parts.im : parts.re);
    }
  Operation *copy = b.clone(*op, mapping);
  auto setReal = [](Value value) {
    if (RankedTensorType type = getPartType(value.getType()))
      value.setType(type);
  };
  llvm::for_each(copy->getResults(), setReal);
  for (Region &region : copy->getRegions()) {
    llvm::for_each(region.getArguments(), setReal);
    region.walk([&](Operation *nested) { llvm::for_each(nested->getResults(), setReal); });
  }
  return copy;
}

/// The same operation with two values for each complex one.
LogicalResult Splitter::rebuild(Operation *op) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(expand(op->getOperands()));
  for (Type type : op->getResultTypes()) {
    if (RankedTensorType part = getPartType(type))
      state.addTypes({part, part});
    else
      state.addTypes(type);
  }
  for (NamedAttribute attr : op->getAttrs()) {
    auto shardings = dyn_cast<sdy::TensorShardingPerValueAttr>(attr.getValue());
    if (shardings && attr.getName() == "in_shardings")
      attr.setValue(expandShardings(shardings, op->getOperandTypes()));
    else if (shardings)
      attr.setValue(expandShardings(shardings, op->getResultTypes()));
    state.addAttribute(attr.getName(), attr.getValue());
  }
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *built = b.create(state);
  unsigned next = 0;
  for (Value result : op->getResults()) {
    if (isComplex(result)) {
      setParts(result, {built->getResult(next), built->getResult(next + 1)});
      next += 2;
    } else {
      result.replaceAllUsesWith(built->getResult(next++));
    }
  }
  return splitRegions(built);
}

LogicalResult Splitter::splitRegions(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(splitBlock(block)))
        return failure();
  return success();
}

LogicalResult Splitter::splitBlock(Block &block) {
  SmallVector<BlockArgument> arguments(block.getArguments());
  // A comparator has two arguments for each operand, one behind the other.
  unsigned perOperand = isa_and_nonnull<stablehlo::SortOp>(block.getParentOp()) ? 2 : 1;
  for (size_t i = 0; i < arguments.size(); i += perOperand) {
    ArrayRef<BlockArgument> group = ArrayRef(arguments).slice(i, perOperand);
    RankedTensorType type = getPartType(group.front().getType());
    if (!type)
      continue;
    unsigned at = group.back().getArgNumber() + 1;
    SmallVector<Value> parts;
    for (unsigned part = 0; part < 2 * perOperand; ++part)
      parts.push_back(block.insertArgument(at + part, type, group[part % perOperand].getLoc()));
    for (auto [number, argument] : llvm::enumerate(group))
      setParts(argument, {parts[number], parts[perOperand + number]});
  }
  for (Operation &op : llvm::make_early_inc_range(block)) {
    b.setInsertionPoint(&op);
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      op.setOperands(expand(op.getOperands()));
      continue;
    }
    if (failed(split(&op)))
      return failure();
  }
  return success();
}

/// Which of a constant's elements are parts.
LogicalResult Splitter::splitConstant(Operation *op) {
  if (failed(readResource(op)))
    return failure();
  auto value = op->getAttrOfType<DenseElementsAttr>("value");
  if (!value)
    return unsupported(op) << "has a value that is neither dense nor a resource";
  RankedTensorType type = getPartType(op->getResult(0).getType());
  auto make = [&](auto getPart) -> Value {
    SmallVector<APFloat> parts;
    if (value.isSplat()) {
      parts.push_back(getPart(value.getSplatValue<std::complex<APFloat>>()));
    } else {
      for (const std::complex<APFloat> &number : value.getValues<std::complex<APFloat>>())
        parts.push_back(getPart(number));
    }
    return stablehlo::ConstantOp::create(b, op->getLoc(), DenseElementsAttr::get(type, parts));
  };
  setParts(op->getResult(0), {make([](const std::complex<APFloat> &z) { return z.real(); }),
                              make([](const std::complex<APFloat> &z) { return z.imag(); })});
  return success();
}

/// Operations with a complex result that is computed of the parts.
LogicalResult Splitter::splitResult(Operation *op, RealBuilder &r) {
  Value result = op->getNumResults() == 1 ? op->getResult(0) : Value();
  RankedTensorType type = result ? getPartType(result.getType()) : RankedTensorType();
  if (!type)
    return checkNoComplex(op);
  auto zeros = [&]() -> Value {
    return stablehlo::ConstantOp::create(
        b, op->getLoc(), DenseElementsAttr::get(type, b.getZeroAttr(type.getElementType())));
  };
  if (isa<stablehlo::ComplexOp>(op)) {
    setParts(result, {op->getOperand(0), op->getOperand(1)});
  } else if (isa<stablehlo::ConvertOp>(op)) {
    Value operand = op->getOperand(0);
    auto convert = [&](Value value) -> Value {
      return value.getType() == type ? value : r.op("stablehlo.convert", value, type);
    };
    if (isComplex(operand)) {
      Complex parts = getParts(operand);
      setParts(result, {convert(parts.re), convert(parts.im)});
    } else {
      setParts(result, {convert(operand), zeros()});
    }
  } else if (isa<stablehlo::IotaOp>(op)) {
    setParts(result, {r.op("stablehlo.iota", {}, type, op->getAttrs()), zeros()});
  } else if (auto fft = dyn_cast<stablehlo::FftOp>(op)) {
    Value operand = fft.getOperand();
    setParts(result,
             expandFft(r, fft, isComplex(operand) ? getParts(operand) : Complex{operand, {}}));
  } else if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
    setParts(result,
             buildComplexProduct(r, op, getParts(op->getOperand(0)), getParts(op->getOperand(1))));
  } else {
    SmallVector<Complex> operands;
    for (Value operand : op->getOperands())
      if (isComplex(operand))
        operands.push_back(getParts(operand));
    std::optional<Complex> parts;
    if (operands.size() == op->getNumOperands())
      parts = buildComplex(r, op->getName().getStringRef(), operands);
    if (!parts)
      return checkNoComplex(op);
    setParts(result, *parts);
  }
  return success();
}

LogicalResult Splitter::split(Operation *op) {
  if (!isOnComplex(op))
    return splitRegions(op);
  dead.push_back(op);
  RealBuilder r(b, op->getLoc());
  bool isConstant = isa<stablehlo::ConstantOp, sdy::ConstantOp>(op) ||
                    op->getName().getStringRef() == "arith.constant";
  if (isConstant && isComplex(op->getResult(0)))
    return splitConstant(op);
  if (isPartwise(op) || isSeparableReduction(op)) {
    Operation *re = clonePart(op, false), *im = clonePart(op, true);
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      setParts(result, {re->getResult(i), im->getResult(i)});
    return success();
  }
  if (isVariadic(op))
    return rebuild(op);
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return refuseCustomCall(call);
  StringRef dialect = op->getName().getDialectNamespace();
  if (!op->isRegistered() && (dialect == "stablehlo" || dialect == "chlo"))
    return unsupported(op) << stablehlo::explainUnsupported(op->getName().getStringRef());

  // Real results of complex operands.
  Value operand = op->getNumOperands() > 0 ? op->getOperand(0) : Value();
  Type resultType = op->getNumResults() == 1 ? op->getResult(0).getType() : Type();
  bool isFromComplex = operand && isComplex(operand) && resultType && !hasComplex(resultType);
  if (isFromComplex && isa<stablehlo::RealOp, stablehlo::ImagOp>(op)) {
    Complex z = getParts(operand);
    replace(op, isa<stablehlo::RealOp>(op) ? z.re : z.im);
    return success();
  }
  if (isFromComplex && isa<stablehlo::AbsOp>(op)) {
    replace(op, buildComplexAbs(r, getParts(operand)));
    return success();
  }
  if (auto compare = dyn_cast<stablehlo::CompareOp>(op)) {
    using Direction = stablehlo::ComparisonDirection;
    Direction direction = compare.getComparisonDirection();
    if (direction != Direction::EQ && direction != Direction::NE)
      return unsupported(op) << "of complex numbers by "
                             << stablehlo::stringifyComparisonDirection(direction)
                             << "; expected EQ or NE";
    Complex x = getParts(compare.getLhs()), y = getParts(compare.getRhs());
    replace(op,
            r.op(direction == Direction::EQ ? "stablehlo.and" : "stablehlo.or",
                 {r.compare(direction, x.re, y.re), r.compare(direction, x.im, y.im)}, resultType));
    return success();
  }
  if (isFromComplex && isa<stablehlo::ConvertOp>(op)) {
    // A boolean says whether a number is not zero; other types take the real part.
    Complex z = getParts(operand);
    Value converted = r.op("stablehlo.convert", z.re, resultType);
    if (getElementTypeOrSelf(resultType).isInteger(1))
      converted = r.op("stablehlo.or", {converted, r.op("stablehlo.convert", z.im, resultType)},
                       resultType);
    replace(op, converted);
    return success();
  }
  if (auto fft = dyn_cast<stablehlo::FftOp>(op); fft && isFromComplex) {
    replace(op, expandFft(r, fft, getParts(operand)).re);
    return success();
  }
  return splitResult(op, r);
}

LogicalResult Splitter::run() {
  Block &body = function.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    std::string expected = stablehlo::explainUnsupportedType(argument.getType());
    if (hasComplex(argument.getType()) && !expected.empty())
      return emitError(argument.getLoc())
             << "unsupported: argument " << argument.getArgNumber() << " of type "
             << argument.getType() << "; expected " << expected;
  }
  // Where the first operation of the program was.
  Operation *first = &body.front();
  SmallVector<BlockArgument> arguments(body.getArguments());
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    RankedTensorType type = getPartType(argument.getType());
    if (!type)
      continue;
    unsigned at = argument.getArgNumber();
    b.setInsertionPoint(first);
    Value pairs = body.insertArgument(at + 1, getPairsType(type), argument.getLoc());
    RealBuilder r(b, argument.getLoc());
    setParts(argument, takeApart(r, pairs));
    if (auto attrs = extendSharding(function.getArgAttrDict(i)))
      function.setArgAttrs(i, attrs);
  }
  for (Operation &op : llvm::make_early_inc_range(body)) {
    b.setInsertionPoint(&op);
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(split(&op)))
      return failure();
  }
  Operation *end = body.getTerminator();
  b.setInsertionPoint(end);
  for (OpOperand &operand : end->getOpOperands()) {
    if (!isComplex(operand.get()))
      continue;
    RealBuilder r(b, end->getLoc());
    operand.set(joinParts(r, getParts(operand.get())));
    if (auto attrs = extendSharding(function.getResultAttrDict(operand.getOperandNumber())))
      function.setResultAttrs(operand.getOperandNumber(), attrs);
  }
  // Users before what they use.
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  function.walk([](Block *block) {
    block->eraseArguments([](BlockArgument argument) { return isComplex(argument); });
  });
  function.setFunctionType(b.getFunctionType(body.getArgumentTypes(), end->getOperandTypes()));
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The shardings that operations on complex numbers give their results, as constraints.
static void liftShardings(func::FuncOp function) {
  function.walk([](Operation *op) {
    auto given = op->getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingAttrName);
    if (!given || !isOnComplex(op) || given.getShardings().size() != op->getNumResults())
      return;
    op->removeAttr(sdy::kShardingAttrName);
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    for (auto [result, sharding] : llvm::zip_equal(op->getResults(), given.getShardings())) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      auto constraint =
          sdy::ShardingConstraintOp::create(b, op->getLoc(), result.getType(), result, sharding);
      result.replaceAllUsesExcept(constraint.getResult(), constraint);
    }
  });
}

LogicalResult dmc::splitComplex(func::FuncOp function) {
  liftShardings(function);
  if (failed(expandDerivedOps(function, /*onComplexOnly=*/true)))
    return failure();
  return Splitter(function).run();
}

namespace {
struct SplitComplex : dmc::impl::SplitComplexBase<SplitComplex> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (dmc::ProgramAttr::of(module))
      return markAllAnalysesPreserved();
    FailureOr<func::FuncOp> entry = dmc::getEntry(module);
    if (failed(entry))
      return signalPassFailure();
    auto isComplexRegion = [](Operation *op) {
      return llvm::any_of(op->getRegions(), [](Region &region) {
        return llvm::any_of(region.getArgumentTypes(), hasComplex);
      });
    };
    bool isNeeded = entry
                        ->walk([&](Operation *op) {
                          return isOnComplex(op) || isComplexRegion(op) ? WalkResult::interrupt()
                                                                        : WalkResult::advance();
                        })
                        .wasInterrupted();
    if (isNeeded && failed(splitComplex(*entry)))
      signalPassFailure();
  }
};
} // namespace
