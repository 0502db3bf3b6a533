//===- DiscardableAttrs.cpp - Attributes that stages leave for each other -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all discardable attributes `dmc.*`: where each may stand, and what it may hold.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Dialect/DMC/Requests.h"
#include "dmc/Dialect/DMC/RuleText.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// What carries an attribute
//===----------------------------------------------------------------------===//

namespace {
/// An operation, or an argument or result of a function: `type` is then its type.
struct Carrier {
  Operation *op;
  Type type;
  std::string role;
  StringRef name;

  InFlightDiagnostic error() const {
    InFlightDiagnostic diagnostic = op->emitOpError();
    if (!role.empty())
      diagnostic << role << ": ";
    return diagnostic;
  }
  InFlightDiagnostic expected() const { return error() << "expected '" << name << "' to "; }
  MeshAttr getMesh() const {
    auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
    ProgramAttr program = module ? ProgramAttr::of(module) : ProgramAttr();
    return program ? program.getMesh() : MeshAttr();
  }
  /// The dimensions of the argument, the result, or the constrained value; -1: of no tensor.
  int64_t getRank() const {
    auto tensor = dyn_cast_or_null<RankedTensorType>(
        isa<ConstrainOp>(op) ? op->getResult(0).getType() : type);
    return tensor ? tensor.getRank() : -1;
  }
};

/// Where an attribute may stand.
enum class Place {
  module,
  function,
  boundary,
  constrain,
  inserted,
  request,
  kernel,
  linalg,
  operation
};
} // namespace

static bool isAt(const Carrier &carrier, Place place) {
  Operation *op = carrier.op;
  bool isOperation = !carrier.type;
  switch (place) {
  case Place::module:
    return isOperation && isa<ModuleOp>(op);
  case Place::function:
    return isOperation && isa<FunctionOpInterface>(op);
  case Place::boundary:
    return !isOperation;
  case Place::constrain:
    return isOperation && isa<ConstrainOp>(op);
  case Place::inserted:
    return isOperation && isa<ConstrainOp, OptimizationBarrierOp>(op);
  case Place::request:
    return !isOperation || isa<ConstrainOp>(op);
  case Place::kernel:
    return isOperation && isa<KernelOp, FunctionOpInterface>(op);
  case Place::linalg:
    return isOperation && op->getName().getDialectNamespace() == "linalg";
  case Place::operation:
    return isOperation && !isa<FunctionOpInterface, ModuleOp>(op);
  }
  llvm_unreachable("all places are listed");
}

static StringRef describe(Place place) {
  switch (place) {
  case Place::module:
    return "a module";
  case Place::function:
    return "a function";
  case Place::boundary:
    return "an argument or result of a function";
  case Place::constrain:
    return "a dmc.constrain";
  case Place::inserted:
    return "a dmc.constrain or a dmc.optimization_barrier";
  case Place::request:
    return "an argument or result of a function, or a dmc.constrain";
  case Place::kernel:
    return "a dmc.kernel or a function";
  case Place::linalg:
    return "an operation of linalg";
  case Place::operation:
    return "an operation of a function's body";
  }
  llvm_unreachable("all places are listed");
}

//===----------------------------------------------------------------------===//
// What an attribute may hold
//===----------------------------------------------------------------------===//

static LogicalResult checkUnit(const Carrier &carrier, Attribute attr) {
  if (isa<UnitAttr>(attr))
    return success();
  return carrier.expected() << "be a unit attribute, found " << attr;
}

static LogicalResult checkString(const Carrier &carrier, Attribute attr) {
  if (isa<StringAttr>(attr))
    return success();
  return carrier.expected() << "be a string, found " << attr;
}

/// The rule of a call of a kernel, or none.
static LogicalResult checkRuleText(const Carrier &carrier, Attribute attr) {
  auto text = dyn_cast<StringAttr>(attr);
  if (!text)
    return carrier.expected() << "be a string, found " << attr;
  if (carrier.op->getName().getStringRef() != "stablehlo.custom_call")
    return carrier.error() << "'" << carrier.name << "' belongs on a 'stablehlo.custom_call'";
  if (std::string problem = text.empty() ? "" : checkRule(text.getValue()); !problem.empty())
    return carrier.error() << "in '" << carrier.name << "': " << problem;
  return success();
}

/// A count: of bytes, of operations.
static LogicalResult checkCount(const Carrier &carrier, Attribute attr) {
  auto number = dyn_cast<IntegerAttr>(attr);
  if (number && number.getType().isSignlessInteger(64) && number.getInt() >= 0)
    return success();
  return carrier.expected() << "be a 64-bit integer that is not negative, found " << attr;
}

static FailureOr<ArrayRef<int64_t>> getNumbers(const Carrier &carrier, Attribute attr) {
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(attr))
    return numbers.asArrayRef();
  return carrier.expected() << "be an array of 64-bit integers, found " << attr;
}

static LogicalResult checkProgramAttr(const Carrier &carrier, Attribute attr) {
  if (isa<ProgramAttr>(attr))
    return success();
  return carrier.expected() << "be a #dmc.program attribute, found " << attr;
}

static LogicalResult checkTarget(const Carrier &carrier, Attribute attr) {
  if (isa<TargetAttr>(attr))
    return success();
  return carrier.expected() << "be a #dmc.target attribute, found " << attr;
}

static LogicalResult checkLayouts(const Carrier &carrier, Attribute attr) {
  auto layouts = dyn_cast<OpLayoutsAttr>(attr);
  if (!layouts)
    return carrier.expected() << "be a #dmc.op_layouts attribute, found " << attr;
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  size_t operands = llvm::count_if(carrier.op->getOperandTypes(), isTensor);
  size_t results = llvm::count_if(carrier.op->getResultTypes(), isTensor);
  if (layouts.getOperands().size() != operands || layouts.getResults().size() != results)
    return carrier.expected() << "have " << operands << " operand and " << results
                              << " result layouts, found " << layouts.getOperands().size()
                              << " and " << layouts.getResults().size();
  auto check = [&](TypeRange types, ArrayRef<LayoutAttr> known, StringRef role) -> LogicalResult {
    const LayoutAttr *next = known.begin();
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        continue;
      if (next->getRank() != tensor.getRank())
        return carrier.expected() << "have a layout of " << tensor.getRank() << " dimensions for "
                                  << role << ' ' << next - known.begin() << ", found " << *next;
      ++next;
    }
    return success();
  };
  return success(
      succeeded(check(carrier.op->getOperandTypes(), layouts.getOperands(), "operand")) &&
      succeeded(check(carrier.op->getResultTypes(), layouts.getResults(), "result")));
}

static LogicalResult checkOpen(const Carrier &carrier, Attribute attr) {
  FailureOr<ArrayRef<int64_t>> dims = getNumbers(carrier, attr);
  if (failed(dims))
    return failure();
  for (int64_t dim : *dims)
    if (dim < 0 || dim >= carrier.getRank())
      return carrier.expected() << "name dimensions of " << carrier.type << ", found " << dim;
  return success();
}

static LogicalResult checkPriorities(const Carrier &carrier, Attribute attr) {
  FailureOr<ArrayRef<int64_t>> priorities = getNumbers(carrier, attr);
  if (failed(priorities))
    return failure();
  if (static_cast<int64_t>(priorities->size()) != carrier.getRank())
    return carrier.expected() << "have one number for each dimension of " << carrier.type
                              << ", found " << priorities->size();
  for (int64_t priority : *priorities)
    if (priority < 0)
      return carrier.expected() << "have priorities from 0 on, found " << priority;
  return success();
}

static LogicalResult checkReplicated(const Carrier &carrier, Attribute attr) {
  auto axes = dyn_cast<AxesAttr>(attr);
  if (!axes)
    return carrier.expected() << "be a #dmc.axes attribute, found " << attr;
  MeshAttr mesh = carrier.getMesh();
  if (!mesh)
    return carrier.error() << "'" << carrier.name << "' needs the mesh of a program, found none";
  auto error = [&] { return carrier.error() << "in '" << carrier.name << "': "; };
  return verifyAxes(error, mesh, axes);
}

static LogicalResult checkRequests(const Carrier &carrier, Attribute attr) {
  auto constrain = dyn_cast<ConstrainOp>(carrier.op);
  MeshAttr mesh = constrain ? constrain.getLayout().getMesh() : carrier.getMesh();
  if (!mesh)
    return carrier.error() << "'" << carrier.name << "' needs the mesh of a program, found none";
  auto error = [&] { return carrier.error() << "in '" << carrier.name << "': "; };
  return verifyRequests(error, attr, mesh, carrier.getRank());
}

static LogicalResult checkDevices(const Carrier &carrier, Attribute attr) {
  FailureOr<ArrayRef<int64_t>> devices = getNumbers(carrier, attr);
  if (failed(devices))
    return failure();
  MeshAttr mesh = carrier.getMesh();
  int64_t count = mesh ? mesh.getNumRanks() : devices->size();
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t device : *devices)
    if (device < 0 || device >= count || !seen.insert(device).second)
      return carrier.expected() << "name each of " << count << " devices once, found " << attr;
  if (static_cast<int64_t>(seen.size()) != count)
    return carrier.expected() << "name a device for each of " << count << " ranks, found "
                              << seen.size();
  return success();
}

static LogicalResult checkContracts(const Carrier &carrier, Attribute attr) {
  auto contracts = dyn_cast<ArrayAttr>(attr);
  if (!contracts || !llvm::all_of(contracts, llvm::IsaPred<DictionaryAttr>))
    return carrier.expected() << "be a list of dictionaries, found " << attr;
  auto isCount = [](Attribute value) {
    auto number = dyn_cast<IntegerAttr>(value);
    return number && !number.getValue().isNegative();
  };
  auto isGood = [&](NamedAttribute entry) {
    StringRef name = entry.getName();
    Attribute value = entry.getValue();
    if (name == "wire_bytes" || name == "peak_bytes")
      return isCount(value);
    if (name == "loc")
      return isa<LocationAttr>(value);
    if (auto kinds = dyn_cast<ArrayAttr>(value))
      return name == "only" && llvm::all_of(kinds, llvm::IsaPred<StringAttr>);
    auto counts = dyn_cast<DictionaryAttr>(value);
    return name == "counts" && counts &&
           llvm::all_of(counts, [&](NamedAttribute count) { return isCount(count.getValue()); });
  };
  for (DictionaryAttr contract : contracts.getAsRange<DictionaryAttr>())
    for (NamedAttribute entry : contract)
      if (!isGood(entry))
        return carrier.expected() << "say wire_bytes, peak_bytes, only, counts and loc, found "
                                  << entry.getName().getValue() << " = " << entry.getValue();
  return success();
}

static LogicalResult checkShares(const Carrier &carrier, Attribute attr) {
  if (failed(checkCount(carrier, attr)))
    return failure();
  auto types = cast<FunctionOpInterface>(carrier.op).getArgumentTypes();
  uint64_t number = cast<IntegerAttr>(attr).getInt();
  if (number >= types.size() || types[number] != carrier.type)
    return carrier.expected() << "name an argument of the same type, found " << number;
  return success();
}

static LogicalResult checkContraction(const Carrier &carrier, Attribute attr) {
  auto description = dyn_cast<DictionaryAttr>(attr);
  auto count = [&](StringRef name) -> int64_t {
    auto list = description ? description.getAs<DenseI64ArrayAttr>(name) : DenseI64ArrayAttr();
    return list ? list.size() : -1;
  };
  int64_t loops = count("sizes");
  if (count("loops") == 4 && loops >= 0 && count("strides_a") == loops &&
      count("strides_b") == loops && count("strides_c") == loops && count("offsets") == 3 &&
      description.getAs<BoolAttr>("accumulate") &&
      description.getAs<DenseBoolArrayAttr>("unsigned") &&
      description.getAs<DenseBoolArrayAttr>("unsigned").size() == 2 &&
      cast<FunctionOpInterface>(carrier.op).getNumArguments() == 3)
    return success();
  return carrier.expected() << "have four loop counts, sizes and strides of all loops, three "
                               "offsets, 'accumulate' and which operands are 'unsigned', on a "
                               "function of three arguments";
}

/// What a function without body stands for: a call of a kernel.
static LogicalResult checkCustomCall(const Carrier &carrier, Attribute attr) {
  auto description = dyn_cast<DictionaryAttr>(attr);
  auto count = description ? description.getAs<IntegerAttr>("results") : IntegerAttr();
  auto flags = description ? description.getAs<DenseBoolArrayAttr>("unsigned") : nullptr;
  unsigned arguments = cast<FunctionOpInterface>(carrier.op).getNumArguments();
  if (count && count.getType().isSignlessInteger(64) && count.getInt() >= 1 &&
      count.getInt() <= arguments && description.getAs<StringAttr>("target") &&
      description.getAs<StringAttr>("config") && flags && flags.size() == arguments)
    return success();
  return carrier.expected() << "have 'target', 'config', the number of 'results' among the "
                               "function's arguments, and which of these are 'unsigned'";
}

static LogicalResult checkNest(const Carrier &carrier, Attribute attr) {
  if (auto nest = dyn_cast<NestAttr>(attr))
    return nest.verifyFunction([&] { return carrier.error(); }, carrier.op);
  return carrier.expected() << "be a '#dmc.nest'";
}

static LogicalResult checkDeviceNest(const Carrier &carrier, Attribute attr) {
  auto launch = dyn_cast<DictionaryAttr>(attr);
  auto areSizes = [&](StringRef name) {
    auto sizes = launch ? launch.getAs<DenseI64ArrayAttr>(name) : DenseI64ArrayAttr();
    return sizes && sizes.size() == 3 &&
           llvm::all_of(sizes.asArrayRef(), [](int64_t size) { return size >= 1; });
  };
  auto shared = launch ? launch.getAs<IntegerAttr>("shared") : IntegerAttr();
  NestAttr nest = NestAttr::of(carrier.op);
  bool isNest = nest && cast<FunctionOpInterface>(carrier.op).isExternal();
  if (!isNest || !areSizes("grid") || !areSizes("block") || !launch.getAs<StringAttr>("entry") ||
      !shared || !shared.getType().isSignlessInteger(64) || shared.getInt() < 0)
    return carrier.expected() << "have 'entry', the three sizes of 'grid' and 'block', and "
                                 "'shared', on a nest without body";
  auto count = [&](StringRef name) {
    return llvm::product_of(launch.getAs<DenseI64ArrayAttr>(name).asArrayRef());
  };
  NestLoopAttr grid = nest.getDividedLoop();
  if (grid && grid.getExecutor() == LoopExecutor::grid && grid.getTrips() == count("grid") &&
      grid.getInner().front().getTrips() * nest.getTeam() == count("block"))
    return success();
  return carrier.expected() << "have the blocks and the threads of a block that the grid of "
                               "'dmc.nest' has";
}

static LogicalResult checkRange(const Carrier &carrier, Attribute attr) {
  FailureOr<ArrayRef<int64_t>> range = getNumbers(carrier, attr);
  if (failed(range))
    return failure();
  if (range->size() != 2 || range->front() > range->back())
    return carrier.expected() << "have a lower and an upper bound, found " << attr;
  return success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
struct Rule {
  StringLiteral name;
  Place place;
  LogicalResult (*check)(const Carrier &, Attribute);
};
} // namespace

static constexpr Rule rules[] = {
    {"dmc.arena_bytes", Place::module, checkCount},
    {"dmc.check", Place::function, checkString},
    {"dmc.contraction", Place::function, checkContraction},
    {"dmc.contracts", Place::module, checkContracts},
    {"dmc.custom_call", Place::function, checkCustomCall},
    {"dmc.decided", Place::module, checkUnit},
    {"dmc.default", Place::boundary, checkString},
    {"dmc.device_nest", Place::function, checkDeviceNest},
    {"dmc.devices", Place::module, checkDevices},
    {"dmc.flops", Place::function, checkCount},
    {"dmc.improved", Place::function, checkUnit},
    {"dmc.in_order", Place::module, checkUnit},
    {"dmc.kernel_function", Place::function, checkUnit},
    {"dmc.kernel_kind", Place::kernel, checkString},
    {"dmc.layouts", Place::operation, checkLayouts},
    {"dmc.machine", Place::module, checkString},
    {"dmc.narrow_indices", Place::function, checkUnit},
    {"dmc.narrow_partials", Place::linalg, checkUnit},
    {"dmc.nest", Place::function, checkNest},
    {"dmc.open", Place::boundary, checkOpen},
    {"dmc.parameter", Place::boundary, checkString},
    {"dmc.plain", Place::module, checkUnit},
    {"dmc.partials", Place::linalg, checkCount},
    {"dmc.priorities", Place::boundary, checkPriorities},
    {"dmc.program", Place::module, checkProgramAttr},
    {"dmc.range", Place::boundary, checkRange},
    {"dmc.replicated", Place::boundary, checkReplicated},
    {"dmc.requests", Place::request, checkRequests},
    {"dmc.reshards", Place::constrain, checkUnit},
    {"dmc.rule", Place::operation, checkRuleText},
    {"dmc.shares", Place::boundary, checkShares},
    {"dmc.solve", Place::module, checkUnit},
    {"dmc.splits_weights", Place::function, checkUnit},
    {"dmc.stream", Place::boundary, checkUnit},
    {"dmc.tactic", Place::inserted, checkUnit},
    {"dmc.target", Place::module, checkTarget},
};

static LogicalResult verifyAttribute(Carrier carrier, NamedAttribute attr) {
  const Rule *rule =
      llvm::find_if(rules, [&](const Rule &rule) { return rule.name == attr.getName(); });
  if (rule == std::end(rules))
    return carrier.error() << "unknown attribute '" << attr.getName().getValue()
                           << "' of the dmc dialect";
  carrier.name = rule->name;
  if (!isAt(carrier, rule->place))
    return carrier.error() << "'" << rule->name << "' belongs on " << describe(rule->place);
  return rule->check(carrier, attr.getValue());
}

/// The attributes of one argument or result.
static LogicalResult verifyAttributes(FunctionOpInterface function, DictionaryAttr attrs, Type type,
                                      const Twine &role) {
  for (NamedAttribute attr : attrs ? attrs.getValue() : ArrayRef<NamedAttribute>())
    if (attr.getName().getValue().starts_with("dmc.") &&
        failed(verifyAttribute({function, type, role.str(), ""}, attr)))
      return failure();
  return success();
}

static LogicalResult verifyBoundary(FunctionOpInterface function) {
  ArrayAttr arguments = function.getArgAttrsAttr(), results = function.getResAttrsAttr();
  // The function's own verifier says where their numbers differ.
  if (arguments && arguments.size() == function.getNumArguments())
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (failed(
              verifyAttributes(function, function.getArgAttrDict(i), type, "argument " + Twine(i))))
        return failure();
  if (results && results.size() == function.getNumResults())
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (failed(verifyAttributes(function, function.getResultAttrDict(i), type,
                                  "result " + Twine(i))))
        return failure();
  return success();
}

LogicalResult DMCDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (failed(verifyAttribute({op, Type(), "", ""}, attr)))
    return failure();
  // Those of arguments and results mean something to a program, and to functions that dmc marks.
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    return verifyBoundary(function);
  if (attr.getName() == "dmc.program")
    for (auto function : cast<ModuleOp>(op).getOps<FunctionOpInterface>())
      if (failed(verifyBoundary(function)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

LogicalResult dmc::verifyRequests(function_ref<InFlightDiagnostic()> emitError, Attribute requests,
                                  MeshAttr mesh, int64_t rank) {
  auto list = dyn_cast<ArrayAttr>(requests);
  if (!list)
    return emitError() << "expected a list of requests, found " << requests;
  for (Attribute request : list) {
    auto parts = dyn_cast<ArrayAttr>(request);
    if (!parts || parts.size() != 5 || !isa<IntegerAttr>(parts[0]) ||
        !isa<LocationAttr>(parts[1]) || !isa<IntegerAttr>(parts[2]) ||
        !isa<AxesAttr, UnitAttr>(parts[3]) || !isa<LayoutAttr, UnitAttr>(parts[4]))
      return emitError() << "expected a request to be [kind, location, dimension, axes or unit, "
                            "layout or unit], found "
                         << request;
    int64_t number = cast<IntegerAttr>(parts[0]).getInt();
    if (number < 0 || number > static_cast<int64_t>(RequestKind::pin))
      return emitError() << "expected a request's kind to be from 0 to "
                         << static_cast<int64_t>(RequestKind::pin) << ", found " << number;
    auto kind = static_cast<RequestKind>(number);
    auto axes = dyn_cast<AxesAttr>(parts[3]);
    auto layout = dyn_cast<LayoutAttr>(parts[4]);
    int64_t dim = cast<IntegerAttr>(parts[2]).getInt();
    if (kind == RequestKind::shard && (!axes || dim < 0 || dim >= rank))
      return emitError() << "expected axes that split one of " << rank << " dimensions, found "
                         << request;
    if (axes && failed(verifyAxes(emitError, mesh, axes)))
      return failure();
    bool needsLayout = kind == RequestKind::given || kind == RequestKind::decided;
    if (needsLayout && !layout)
      return emitError() << "expected a request that has a layout, found " << request;
    if (layout && (layout.getMesh() != mesh || layout.getRank() != rank))
      return emitError() << "expected a layout of " << rank << " dimensions on the mesh "
                         << toString(mesh.toMesh()) << ", found " << layout;
  }
  return success();
}
