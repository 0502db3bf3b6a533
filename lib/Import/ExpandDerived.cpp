//===- ExpandDerived.cpp - Operations that others say ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Older forms, shapes as constant operands, batch normalization and chlo's
// broadcasting forms become the core operations that their definition names.
//
//===----------------------------------------------------------------------===//
#include "CustomCalls.h"

using namespace mlir;
using namespace dmc;

static SmallVector<int64_t> range(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, end));
}

//===----------------------------------------------------------------------===//
// Shapes as operands
//===----------------------------------------------------------------------===//

/// The integers of a tensor that is computed of constants and static shapes alone.
static std::optional<SmallVector<int64_t>> getIntegers(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!op || !type || !type.hasStaticShape() || type.getNumElements() > 4096 || depth > 32)
    return std::nullopt;
  ElementsAttr attr;
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    attr = constant.getValue();
  else if (op->getName().getStringRef() == "arith.constant")
    attr = op->getAttrOfType<ElementsAttr>("value");
  if (auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attr)) {
    bool isUnsigned = type.getElementType().isUnsignedInteger();
    return llvm::map_to_vector(elements.getValues<APInt>(), [&](const APInt &integer) {
      return isUnsigned ? static_cast<int64_t>(integer.getLimitedValue(INT64_MAX))
                        : integer.getSExtValue();
    });
  }
  if (auto size = dyn_cast<stablehlo::GetDimensionSizeOp>(op)) {
    auto operand = typeOf(size.getOperand());
    if (size.getDimension() >= static_cast<uint64_t>(operand.getRank()))
      return std::nullopt;
    return SmallVector<int64_t>{operand.getDimSize(size.getDimension())};
  }
  if (isa<stablehlo::ReshapeOp, stablehlo::DynamicReshapeOp>(op))
    return getIntegers(op->getOperand(0), depth + 1);
  if (isa<stablehlo::ConvertOp>(op)) {
    auto to = dyn_cast<IntegerType>(type.getElementType());
    auto integers = getIntegers(op->getOperand(0), depth + 1);
    if (!to || !integers)
      return std::nullopt;
    for (int64_t integer : *integers)
      if (!llvm::isIntN(to.getWidth() - 1, integer))
        return std::nullopt;
    return integers;
  }
  if (isa<stablehlo::ConcatenateOp>(op) && type.getRank() == 1) {
    SmallVector<int64_t> all;
    for (Value operand : op->getOperands()) {
      auto integers = getIntegers(operand, depth + 1);
      if (!integers)
        return std::nullopt;
      llvm::append_range(all, *integers);
    }
    return all;
  }
  if (isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::MulOp>(op)) {
    auto lhs = getIntegers(op->getOperand(0), depth + 1);
    auto rhs = getIntegers(op->getOperand(1), depth + 1);
    if (!lhs || !rhs)
      return std::nullopt;
    for (auto [x, y] : llvm::zip_equal(*lhs, *rhs)) {
      bool overflows = isa<stablehlo::AddOp>(op)        ? llvm::AddOverflow(x, y, x)
                       : isa<stablehlo::SubtractOp>(op) ? llvm::SubOverflow(x, y, x)
                                                        : llvm::MulOverflow(x, y, x);
      if (overflows)
        return std::nullopt;
    }
    return lhs;
  }
  return std::nullopt;
}

/// The same, or an error: `count` integers that must be known at compile time.
static FailureOr<SmallVector<int64_t>> requireIntegers(Operation *op, Value value, StringRef name,
                                                       int64_t count) {
  auto integers = getIntegers(value);
  if (!integers)
    return unsupported(op) << "with a " << name
                           << " that is not known at compile time; expected constants";
  if (static_cast<int64_t>(integers->size()) != count)
    return op->emitError() << "'" << op->getName() << "' expects " << count << " integers as "
                           << name << ", found " << integers->size();
  return *integers;
}

static FailureOr<Values> expandDynamicShape(Expander &e, Operation *op) {
  RankedTensorType type = typeOf(op->getResult(0));
  Value result;
  if (auto broadcast = dyn_cast<stablehlo::DynamicBroadcastInDimOp>(op))
    result = e.broadcast(broadcast.getOperand(), type, broadcast.getBroadcastDimensions());
  else if (auto iota = dyn_cast<stablehlo::DynamicIotaOp>(op))
    result = e.create<stablehlo::IotaOp>(type, iota.getIotaDimension());
  else
    result = e.create<stablehlo::ReshapeOp>(type, op->getOperand(0));
  return Values{result};
}

static FailureOr<Values> expandGetDimensionSize(Expander &e, Operation *op) {
  auto source = cast<stablehlo::GetDimensionSizeOp>(op);
  RankedTensorType type = typeOf(source.getOperand());
  if (source.getDimension() >= static_cast<uint64_t>(type.getRank()))
    return op->emitError() << "'" << op->getName() << "' expects a dimension of " << type
                           << ", found " << source.getDimension();
  return Values{e.constant(typeOf(source.getResult()), type.getDimSize(source.getDimension()))};
}

static FailureOr<Values> expandDynamicPad(Expander &e, Operation *op) {
  auto source = cast<stablehlo::DynamicPadOp>(op);
  int64_t rank = typeOf(source.getOperand()).getRank();
  auto low = requireIntegers(op, source.getEdgePaddingLow(), "padding", rank);
  auto high = requireIntegers(op, source.getEdgePaddingHigh(), "padding", rank);
  auto interior = requireIntegers(op, source.getInteriorPadding(), "padding", rank);
  if (failed(low) || failed(high) || failed(interior))
    return failure();
  return Values{e.create<stablehlo::PadOp>(typeOf(source.getResult()), source.getOperand(),
                                           source.getPaddingValue(), *low, *high, *interior)};
}

static FailureOr<Values> expandRealDynamicSlice(Expander &e, Operation *op) {
  auto source = cast<stablehlo::RealDynamicSliceOp>(op);
  int64_t rank = typeOf(source.getOperand()).getRank();
  auto start = requireIntegers(op, source.getStartIndices(), "start", rank);
  auto limit = requireIntegers(op, source.getLimitIndices(), "limit", rank);
  auto stride = requireIntegers(op, source.getStrides(), "stride", rank);
  if (failed(start) || failed(limit) || failed(stride))
    return failure();
  return Values{e.create<stablehlo::SliceOp>(typeOf(source.getResult()), source.getOperand(),
                                             *start, *limit, *stride)};
}

static FailureOr<Values> expandDynamicGather(Expander &e, Operation *op) {
  auto source = cast<stablehlo::DynamicGatherOp>(op);
  auto sizes = requireIntegers(op, source.getSliceSizes(), "slice size",
                               typeOf(source.getOperand()).getRank());
  if (failed(sizes))
    return failure();
  return Values{e.create<stablehlo::GatherOp>(
      typeOf(source.getResult()), source.getOperand(), source.getStartIndices(),
      source.getDimensionNumbers(), *sizes, source.getIndicesAreSorted())};
}

static FailureOr<Values> expandDynamicConv(Expander &e, Operation *op) {
  auto source = cast<stablehlo::DynamicConvOp>(op);
  int64_t rank = typeOf(source.getLhs()).getRank() - 2;
  auto padding = requireIntegers(op, source.getPadding(), "padding", 2 * rank);
  if (failed(padding))
    return failure();
  auto attr = DenseIntElementsAttr::get(RankedTensorType::get({rank, 2}, e.b.getI64Type()),
                                        ArrayRef<int64_t>(*padding));
  return Values{e.create<stablehlo::ConvolutionOp>(
      typeOf(source.getResult()), source.getLhs(), source.getRhs(), source.getWindowStridesAttr(),
      attr, source.getLhsDilationAttr(), source.getRhsDilationAttr(),
      source.getWindowReversalAttr(), source.getDimensionNumbers(),
      source.getFeatureGroupCountAttr(), source.getBatchGroupCountAttr(),
      source.getPrecisionConfigAttr())};
}

//===----------------------------------------------------------------------===//
// Older forms
//===----------------------------------------------------------------------===//

static FailureOr<Values> expandBroadcast(Expander &e, Operation *op) {
  RankedTensorType type = typeOf(op->getResult(0));
  int64_t rank = typeOf(op->getOperand(0)).getRank();
  if (rank > type.getRank())
    return op->emitError() << "'" << op->getName() << "' expects a result of at least rank " << rank
                           << ", found " << type;
  return Values{e.broadcast(op->getOperand(0), type, range(type.getRank() - rank, type.getRank()))};
}

static FailureOr<Values> expandDot(Expander &e, Operation *op) {
  auto source = cast<stablehlo::DotOp>(op);
  int64_t lhsRank = typeOf(source.getLhs()).getRank(), rhsRank = typeOf(source.getRhs()).getRank();
  if (lhsRank < 1 || lhsRank > 2 || rhsRank < 1 || rhsRank > 2)
    return op->emitError() << "'" << op->getName() << "' expects vectors and matrices, found "
                           << source.getLhs().getType() << " and " << source.getRhs().getType();
  return Values{e.product(source.getLhs(), source.getRhs(), {}, {}, {lhsRank - 1}, {0},
                          typeOf(source.getResult()), source.getPrecisionConfigAttr())};
}

/// Sums over the letters that nobody else has.
static Value sumOver(Expander &e, Value operand, std::string &letters, StringRef kept) {
  SmallVector<int64_t> dims;
  std::string rest;
  for (auto [dim, letter] : llvm::enumerate(letters)) {
    if (kept.contains(letter))
      rest += letter;
    else
      dims.push_back(dim);
  }
  letters = rest;
  return dims.empty() ? operand : e.sum(operand, dims);
}

/// Transposes from one order of letters to another.
static Value permute(Expander &e, Value value, StringRef from, StringRef to) {
  SmallVector<int64_t> permutation;
  for (char letter : to)
    permutation.push_back(from.find(letter));
  return e.transpose(value, permutation);
}

/// The letters of an equation's parts; an error where it is more than letters.
static LogicalResult parseEquation(Operation *op, StringRef equation, ValueRange operands,
                                   SmallVectorImpl<std::string> &inputs, std::string &output) {
  std::string compact;
  for (char c : equation)
    if (c != ' ')
      compact += c;
  StringRef left = StringRef(compact).split("->").first;
  StringRef right = StringRef(compact).split("->").second;
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  auto isPlain = [](StringRef letters) {
    for (size_t i = 0; i < letters.size(); ++i)
      if (!llvm::isAlpha(letters[i]) || letters.substr(i + 1).contains(letters[i]))
        return false;
    return true;
  };
  bool isValid = StringRef(compact).contains("->") && parts.size() == operands.size() &&
                 isPlain(right) &&
                 llvm::all_of(right, [&](char letter) { return left.contains(letter); });
  for (auto [part, operand] : llvm::zip(parts, operands))
    isValid &= isPlain(part) && static_cast<int64_t>(part.size()) == typeOf(operand).getRank();
  if (!isValid)
    return unsupported(op) << "of the equation \"" << equation
                           << "\"; expected a distinct letter for each dimension";
  for (StringRef part : parts)
    inputs.push_back(part.str());
  output = right.str();
  return success();
}

static FailureOr<Values> expandEinsum(Expander &e, Operation *op) {
  SmallVector<std::string> inputs;
  std::string output;
  if (failed(parseEquation(op, op->getAttrOfType<StringAttr>("einsum_config").getValue(),
                           op->getOperands(), inputs, output)))
    return failure();
  RankedTensorType type = typeOf(op->getResult(0));
  Value lhs = op->getOperand(0);
  if (inputs.size() == 1) {
    lhs = sumOver(e, lhs, inputs[0], output);
    return Values{permute(e, lhs, inputs[0], output)};
  }
  Value rhs = op->getOperand(1);
  lhs = sumOver(e, lhs, inputs[0], inputs[1] + output);
  rhs = sumOver(e, rhs, inputs[1], inputs[0] + output);
  SmallVector<int64_t> batch[2], contracted[2];
  std::string order, free[2];
  for (auto [dim, letter] : llvm::enumerate(inputs[0])) {
    size_t other = inputs[1].find(letter);
    bool isKept = output.find(letter) != std::string::npos;
    if (other == std::string::npos) {
      free[0] += letter;
      continue;
    }
    auto &dims = isKept ? batch : contracted;
    dims[0].push_back(dim);
    dims[1].push_back(other);
    if (isKept)
      order += letter;
  }
  for (char letter : inputs[1])
    if (inputs[0].find(letter) == std::string::npos)
      free[1] += letter;
  order += free[0] + free[1];
  SmallVector<int64_t> shape;
  for (char letter : order)
    shape.push_back(type.getDimSize(output.find(letter)));
  Value product = e.product(lhs, rhs, batch[0], batch[1], contracted[0], contracted[1],
                            type.clone(shape), ArrayAttr());
  return Values{permute(e, product, order, output)};
}

static FailureOr<Values> expandTorchIndexSelect(Expander &e, Operation *op) {
  auto source = cast<stablehlo::TorchIndexSelectOp>(op);
  RankedTensorType operand = typeOf(source.getOperand()), index = typeOf(source.getIndex());
  RankedTensorType type = typeOf(source.getResult());
  int64_t dim = source.getDim(), batch = source.getBatchDims();
  if (dim < 0)
    dim += operand.getRank();
  if (batch < 0)
    batch += index.getRank();
  if (batch < 0 || batch > index.getRank() || dim < batch || dim >= operand.getRank())
    return op->emitError() << "'" << op->getName() << "' expects a dimension of " << operand
                           << " behind the batch dimensions of " << index << ", found "
                           << source.getDim() << " and " << source.getBatchDims();
  SmallVector<int64_t> shape(operand.getShape().take_front(dim));
  llvm::append_range(shape, index.getShape().drop_front(batch));
  llvm::append_range(shape, operand.getShape().drop_front(dim + 1));
  if (type.getShape() != ArrayRef(shape))
    return op->emitError() << "'" << op->getName() << "' expects the result "
                           << RankedTensorType::get(shape, operand.getElementType()) << ", found "
                           << type;
  SmallVector<int64_t> sizes(operand.getShape());
  sizes[dim] = 1;
  for (int64_t i = 0; i < batch; ++i)
    sizes[i] = 1;
  SmallVector<int64_t> offsets = range(batch, dim);
  llvm::append_range(offsets, range(dim + index.getRank() - batch, type.getRank()));
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      op->getContext(), offsets, {dim}, range(0, batch), range(0, batch), {dim}, index.getRank());
  return Values{e.create<stablehlo::GatherOp>(type, source.getOperand(), source.getIndex(), numbers,
                                              sizes, false)};
}

static FailureOr<Values> expandGetTupleElement(Expander &e, Operation *op) {
  auto source = cast<stablehlo::GetTupleElementOp>(op);
  auto tuple = source.getOperand().getDefiningOp<stablehlo::TupleOp>();
  if (!tuple)
    return unsupported(op) << "of a value of type " << source.getOperand().getType()
                           << "; expected the values of a 'stablehlo.tuple'";
  if (static_cast<uint64_t>(source.getIndex()) >= tuple.getVal().size())
    return op->emitError() << "'" << op->getName() << "' expects an index below "
                           << tuple.getVal().size() << ", found " << source.getIndex();
  return Values{tuple.getVal()[source.getIndex()]};
}

//===----------------------------------------------------------------------===//
// chlo
//===----------------------------------------------------------------------===//

/// `chlo.broadcast_x` is the operation x, of stablehlo or else chlo, on operands
/// that are broadcast to the result.
static FailureOr<Values> expandBroadcasting(Expander &e, Operation *op) {
  RankedTensorType type = typeOf(op->getResult(0));
  auto given = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    RankedTensorType from = typeOf(operand);
    int64_t missing = type.getRank() - from.getRank();
    SmallVector<int64_t> dims = range(missing, type.getRank());
    if (missing > 0 && given)
      dims = SmallVector<int64_t>(given.asArrayRef());
    if (missing < 0 || static_cast<int64_t>(dims.size()) != from.getRank())
      return op->emitError() << "'" << op->getName() << "' expects operands to be broadcast to "
                             << type << ", found " << from;
    operands.push_back(e.broadcast(operand, type.clone(from.getElementType()), dims));
  }
  StringRef name = op->getName().stripDialect();
  name.consume_front("broadcast_");
  bool isChlo = name == "next_after" || name == "polygamma" || name == "zeta";
  OperationState state(op->getLoc(), ((isChlo ? "chlo." : "stablehlo.") + name).str());
  state.addOperands(operands);
  state.addTypes(type);
  if (auto compare = dyn_cast<chlo::BroadcastCompareOp>(op)) {
    state.addAttribute("comparison_direction", compare.getComparisonDirectionAttr());
    if (compare.getCompareTypeAttr())
      state.addAttribute("compare_type", compare.getCompareTypeAttr());
  }
  return Values{e.b.create(state)->getResult(0)};
}

static FailureOr<Values> expandChloConstant(Expander &e, Operation *op) {
  RankedTensorType type = typeOf(op->getResult(0));
  if (auto constant = dyn_cast<chlo::ConstantOp>(op))
    return Values{e.create<stablehlo::ConstantOp>(type, constant.getValue())};
  auto value = dyn_cast<TypedAttr>(op->getAttr("value"));
  Type element = type.getElementType();
  DenseElementsAttr elements;
  if (auto number = dyn_cast_or_null<FloatAttr>(value); number && number.getType() == element)
    elements = DenseElementsAttr::get(type, number.getValue());
  else if (auto integer = dyn_cast_or_null<IntegerAttr>(value);
           integer && integer.getType() == element)
    elements = DenseElementsAttr::get(type, integer.getValue());
  else
    return unsupported(op) << "with the value " << op->getAttr("value")
                           << "; expected a number of type " << element;
  return Values{e.create<stablehlo::ConstantOp>(type, elements)};
}

static FailureOr<Values> expandConj(Expander &, Operation *op) { return Values{op->getOperand(0)}; }

/// Parts of real numbers.
static FailureOr<Values> expandPart(Expander &e, Operation *op) {
  if (isa<stablehlo::RealOp>(op))
    return Values{op->getOperand(0)};
  return Values{e.constant(typeOf(op->getResult(0)), int64_t(0))};
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static const llvm::StringMap<Expansion> &getExpansions() {
  static const llvm::StringMap<Expansion> expansions = [] {
    llvm::StringMap<Expansion> map;
    map["chlo.conj"] = expandConj;
    map["chlo.constant"] = map["chlo.constant_like"] = expandChloConstant;
    map["stablehlo.batch_norm_grad"] = expandBatchNormGrad;
    map["stablehlo.batch_norm_inference"] = expandBatchNormInference;
    map["stablehlo.batch_norm_training"] = expandBatchNormTraining;
    map["stablehlo.broadcast"] = expandBroadcast;
    map["stablehlo.cholesky"] = expandCholesky;
    map["stablehlo.dot"] = expandDot;
    map["stablehlo.dynamic_broadcast_in_dim"] = expandDynamicShape;
    map["stablehlo.dynamic_conv"] = expandDynamicConv;
    map["stablehlo.dynamic_gather"] = expandDynamicGather;
    map["stablehlo.dynamic_iota"] = expandDynamicShape;
    map["stablehlo.dynamic_pad"] = expandDynamicPad;
    map["stablehlo.dynamic_reshape"] = expandDynamicShape;
    map["stablehlo.einsum"] = map["stablehlo.unary_einsum"] = expandEinsum;
    map["stablehlo.get_dimension_size"] = expandGetDimensionSize;
    map["stablehlo.get_tuple_element"] = expandGetTupleElement;
    map["stablehlo.imag"] = map["stablehlo.real"] = expandPart;
    map["stablehlo.real_dynamic_slice"] = expandRealDynamicSlice;
    map["stablehlo.torch_index_select"] = expandTorchIndexSelect;
    map["stablehlo.triangular_solve"] = expandTriangularSolve;
    return map;
  }();
  return expansions;
}

/// Null for operations that are not said by others.
static Expansion getExpansion(Operation *op) {
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return getCustomCallExpansion(call);
  if (op->getName().getStringRef().starts_with("chlo.broadcast_"))
    return expandBroadcasting;
  // Of complex numbers they are not derived.
  if (isa<stablehlo::RealOp, stablehlo::ImagOp, chlo::ConjOp>(op) && isOnComplex(op))
    return nullptr;
  return getExpansions().lookup(op->getName().getStringRef());
}

LogicalResult dmc::expandDerivedOps(func::FuncOp function, bool onComplexOnly) {
  SmallVector<Operation *> work, tuples;
  function.walk([&](Operation *op) {
    if (onComplexOnly && !isOnComplex(op))
      return;
    if (getExpansion(op))
      work.push_back(op);
    if (isa<stablehlo::TupleOp>(op))
      tuples.push_back(op);
  });
  // Shapes are read of the operations before: these go last.
  SmallVector<Operation *> expanded;
  for (Operation *op : work) {
    Expander expander(op);
    FailureOr<Values> values = getExpansion(op)(expander, op);
    if (failed(values) || failed(expander.verify(op)))
      return failure();
    for (auto [result, value] : llvm::zip_equal(op->getResults(), *values)) {
      if (result.getType() != value.getType())
        return op->emitError() << "'" << op->getName() << "' expects a result of type "
                               << value.getType() << ", found " << result.getType();
      result.replaceAllUsesWith(value);
    }
    expanded.push_back(op);
  }
  for (Operation *op : llvm::reverse(expanded))
    op->erase();
  for (Operation *tuple : llvm::reverse(tuples)) {
    if (!tuple->use_empty())
      return unsupported(tuple) << "whose value is used as a whole; expected its elements to be "
                                   "taken by 'stablehlo.get_tuple_element'";
    tuple->erase();
  }
  return success();
}
