//===- OrderedReduction.cpp - Reductions by choices -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body of comparisons and choices, each among values of one result, sees nothing of values but
// their order. So whether it is associative shows on as many values as three elements may have
// different ones: all tuples of these are tried.
//
//===----------------------------------------------------------------------===//

#include "Kernel/OrderedReduction.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// The index of a loop as a number, or null.
static linalg::IndexOp indexOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_or_null<linalg::IndexOp>(op);
}

static bool isBoolean(Value value) { return value.getType().isInteger(1); }

//===--- Which values are compared with which -----------------------------===//

namespace {
/// Values of a body that are compared, or chosen among.
class Alternatives {
public:
  /// False if the body does anything else.
  bool add(Operation &op) {
    if (isa<linalg::IndexOp>(op) ||
        (op.getNumOperands() == 1 && op.getNumResults() == 1 && indexOf(op.getResult(0))))
      return true;
    if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
      return isBoolean(op.getResult(0));
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return isBoolean(constant);
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return isBoolean(select.getCondition()) && join(select.getTrueValue(), select) &&
             join(select.getFalseValue(), select);
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      return join(compare.getLhs(), compare.getRhs());
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return addComparison(compare);
    if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
      return joinAll(op);
    if (isa<arith::MaxSIOp, arith::MinSIOp>(op))
      return addSigned(op.getResult(0)) && joinAll(op);
    if (isa<arith::MaxUIOp, arith::MinUIOp>(op))
      return addUnsigned(op.getResult(0)) && joinAll(op);
    return isa<linalg::YieldOp>(op);
  }
  void add(Value value) { classes.insert(value.getAsOpaquePointer()); }
  bool areJoined(Value a, Value b) const {
    return classes.isEquivalent(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  /// Whether no value is taken as a number with a sign and as one without.
  bool haveOneOrder() const {
    for (Value a : ofSigned)
      for (Value b : ofUnsigned)
        if (areJoined(a, b))
          return false;
    return true;
  }

private:
  bool join(Value a, Value b) {
    if (isBoolean(a) != isBoolean(b))
      return false;
    if (!isBoolean(a))
      classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
    return true;
  }
  bool joinAll(Operation &op) {
    return join(op.getOperand(0), op.getResult(0)) && join(op.getOperand(1), op.getResult(0));
  }
  bool addSigned(Value value) {
    ofSigned.push_back(value);
    return !isBoolean(value);
  }
  bool addUnsigned(Value value) {
    ofUnsigned.push_back(value);
    return !isBoolean(value);
  }
  bool addComparison(arith::CmpIOp compare) {
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::eq:
    case arith::CmpIPredicate::ne:
      return join(compare.getLhs(), compare.getRhs());
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sle:
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::sge:
      return addSigned(compare.getLhs()) && join(compare.getLhs(), compare.getRhs());
    default:
      return addUnsigned(compare.getLhs()) && join(compare.getLhs(), compare.getRhs());
    }
  }

  llvm::EquivalenceClasses<void *> classes;
  SmallVector<Value> ofSigned, ofUnsigned;
};
} // namespace

/// Each result is chosen among its accumulator and one element.
bool OrderedReduction::findSources() {
  linalg::LinalgOp op = reduction;
  Alternatives alternatives;
  Block *body = op.getBlock();
  SmallVector<Value> elements;
  for (OpOperand *input : op.getDpsInputOperands())
    if (Value argument = op.getMatchingBlockArgument(input); !argument.use_empty()) {
      if (!isa<RankedTensorType>(input->get().getType()) ||
          !op.getMatchingIndexingMap(input).isProjectedPermutation())
        return false;
      elements.push_back(argument);
    }
  for (Operation &inner : *body) {
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != body)
        return false;
    if (inner.getNumRegions() || !alternatives.add(inner))
      return false;
    auto isCast = [](Operation *op) { return isa<arith::IndexCastOp, arith::IndexCastUIOp>(op); };
    bool isIndex = isa<linalg::IndexOp>(inner) && !llvm::all_of(inner.getUsers(), isCast);
    if (isIndex || isCast(&inner))
      elements.push_back(inner.getResult(0));
  }
  auto accumulators = op.getRegionOutputArgs();
  for (auto [accumulator, yielded] :
       llvm::zip_equal(accumulators, body->getTerminator()->getOperands())) {
    alternatives.add(Value(accumulator));
    if (isBoolean(accumulator) || !alternatives.areJoined(accumulator, yielded))
      return false;
    for (Value other : accumulators)
      if (other != accumulator && alternatives.areJoined(accumulator, other))
        return false;
    Value source;
    for (Value element : elements)
      if (alternatives.areJoined(accumulator, element)) {
        if (source)
          return false;
        source = element;
      }
    if (!source || source.getType() != accumulator.getType())
      return false;
    if (linalg::IndexOp index = indexOf(source);
        index && op.getIteratorTypesArray()[index.getDim()] != utils::IteratorType::reduction)
      return false;
    sources.push_back(source);
  }
  return sources.size() == elements.size() && alternatives.haveOneOrder();
}

//===--- Whether the body is associative ----------------------------------===//

// Numbers stand for values of any type: of floats both zeros, which are equal but not the same.

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
  case arith::CmpFPredicate::UEQ:
    return a == b;
  case arith::CmpFPredicate::ONE:
  case arith::CmpFPredicate::UNE:
    return a != b;
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::UGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
  case arith::CmpFPredicate::UGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::ULT:
    return a < b;
  case arith::CmpFPredicate::OLE:
  case arith::CmpFPredicate::ULE:
    return a <= b;
  case arith::CmpFPredicate::ORD:
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  case arith::CmpFPredicate::UNO:
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  }
  llvm_unreachable("all predicates are listed");
}

static bool compare(arith::CmpIPredicate predicate, double a, double b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("all predicates are listed");
}

/// Of zeros the positive one is the larger.
static double larger(double a, double b) {
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}

static double evaluate(Operation &op, ArrayRef<double> in) {
  return llvm::TypeSwitch<Operation *, double>(&op)
      .Case([&](arith::ConstantOp constant) {
        return cast<IntegerAttr>(constant.getValue()).getValue().isZero() ? 0 : 1;
      })
      .Case([&](arith::SelectOp) { return in[0] != 0 ? in[1] : in[2]; })
      .Case([&](arith::CmpFOp test) { return compare(test.getPredicate(), in[0], in[1]); })
      .Case([&](arith::CmpIOp test) { return compare(test.getPredicate(), in[0], in[1]); })
      .Case([&](arith::AndIOp) { return in[0] != 0 && in[1] != 0; })
      .Case([&](arith::OrIOp) { return in[0] != 0 || in[1] != 0; })
      .Case([&](arith::XOrIOp) { return in[0] != in[1]; })
      .Case<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(
          [&](Operation *) { return larger(in[0], in[1]); })
      .Case<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(
          [&](Operation *) { return -larger(-in[0], -in[1]); })
      .Default([](Operation *) -> double { llvm_unreachable("the body has no others"); });
}

bool OrderedReduction::isAssociative() const {
  linalg::LinalgOp op = reduction;
  // All tuples of the values that three elements may have, which differ in nothing but their order.
  using Tuple = SmallVector<double, 4>;
  constexpr size_t mostTuples = 128; // of three results; the work is their third power
  std::vector<Tuple> tuples = {{}};
  for (Value accumulator : op.getRegionOutputArgs()) {
    SmallVector<double> values = isa<FloatType>(accumulator.getType())
                                     ? SmallVector<double>{-1.0, -0.0, 0.0, 1.0}
                                     : SmallVector<double>{0, 1, 2};
    std::vector<Tuple> longer;
    for (const Tuple &tuple : tuples)
      for (double value : values) {
        longer.push_back(tuple);
        longer.back().push_back(value);
      }
    tuples = std::move(longer);
    if (tuples.size() > mostTuples)
      return false;
  }
  auto find = [&](const Tuple &wanted) -> size_t {
    auto found = llvm::find_if(tuples, [&](const Tuple &tuple) {
      return llvm::all_of(llvm::zip_equal(tuple, wanted), [](auto pair) {
        auto [a, b] = pair;
        return a == b && std::signbit(a) == std::signbit(b);
      });
    });
    assert(found != tuples.end() && "expected a choice among what there is");
    return found - tuples.begin();
  };
  auto combine = [&](const Tuple &first, const Tuple &second) {
    llvm::DenseMap<Value, double> known;
    for (auto [accumulator, source, a, b] :
         llvm::zip_equal(op.getRegionOutputArgs(), sources, first, second)) {
      known[accumulator] = a;
      known[source] = b;
    }
    for (Operation &inner : op.getBlock()->without_terminator()) {
      if (isa<linalg::IndexOp>(inner) || known.contains(inner.getResult(0)))
        continue;
      SmallVector<double> in;
      for (Value operand : inner.getOperands())
        in.push_back(known.lookup(operand));
      known[inner.getResult(0)] = evaluate(inner, in);
    }
    Tuple result;
    for (Value yielded : op.getBlock()->getTerminator()->getOperands())
      result.push_back(known.lookup(yielded));
    return find(result);
  };
  size_t count = tuples.size();
  std::vector<size_t> table;
  for (const Tuple &first : tuples)
    for (const Tuple &second : tuples)
      table.push_back(combine(first, second));
  auto of = [&](size_t a, size_t b) { return table[a * count + b]; };
  for (size_t a = 0; a < count; ++a)
    for (size_t b = 0; b < count; ++b)
      for (size_t c = 0; c < count; ++c)
        if (of(of(a, b), c) != of(a, of(b, c)))
          return false;
  return true;
}

std::optional<OrderedReduction> OrderedReduction::match(linalg::LinalgOp op) {
  OrderedReduction found(op);
  if (!op || op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics())
    return std::nullopt;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  bool haveOneMap = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init) == out;
  });
  if (!haveOneMap || !found.findSources() || !found.isAssociative())
    return std::nullopt;
  return found;
}

//===--- Code -------------------------------------------------------------===//

SmallVector<Value> OrderedReduction::getElement(Scalarizer &s, ArrayRef<Index> dims) const {
  linalg::LinalgOp op = reduction;
  SmallVector<Value> values;
  for (Value source : sources) {
    if (linalg::IndexOp index = indexOf(source)) {
      Value number = s.materialize(dims[index.getDim()]);
      bool isCast = source != index.getResult();
      values.push_back(
          isCast ? arith::IndexCastOp::create(s.here(), s.loc, source.getType(), number) : number);
      continue;
    }
    OpOperand &input = op->getOpOperand(cast<BlockArgument>(source).getArgNumber());
    values.push_back(s.element(input.get(), s.apply(op.getMatchingIndexingMap(&input), dims)));
  }
  return values;
}

SmallVector<Value> OrderedReduction::combine(Scalarizer &s, ValueRange first,
                                             ValueRange second) const {
  linalg::LinalgOp op = reduction;
  Indices dims(op.getNumLoops());
  for (auto [source, value] : llvm::zip_equal(sources, second))
    if (linalg::IndexOp index = indexOf(source)) {
      if (!value.getType().isIndex())
        value = arith::IndexCastOp::create(s.here(), s.loc, s.here().getIndexType(), value);
      int64_t size = op.getStaticLoopRanges()[index.getDim()];
      dims[index.getDim()] = s.variable(value, s.current(), 0, size - 1);
    }
  unsigned numInputs = op.getNumDpsInputs();
  return s.inlineBody(op.getBlock(), dims, [&](unsigned number) -> Value {
    if (number >= numInputs)
      return first[number - numInputs];
    return second[llvm::find(sources, Value(op.getBlock()->getArgument(number))) - sources.begin()];
  });
}
