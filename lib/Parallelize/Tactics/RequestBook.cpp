//===- RequestBook.cpp - What was asked of each value ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. Requests stand in `dmc.requests` on arguments, results and
// constraints; what they amount to stands where propagation looks for it.
//
//===----------------------------------------------------------------------===//
#include "RequestBook.h"

#include "dmc/Sharding/ShardingRule.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

//===----------------------------------------------------------------------===//
// Requests together
//===----------------------------------------------------------------------===//

static std::string describe(MeshAttr mesh, const Request &request) {
  auto overAxes = [&]() {
    return request.axes ? " along " + toText(request.axes) : std::string(" along all axes");
  };
  switch (request.kind) {
  case RequestKind::given:
    return "the program says the layout " + toText(request.layout);
  case RequestKind::decided:
    return "propagation decided the layout " + toText(request.layout);
  case RequestKind::shard:
    return "asks to split dimension " + std::to_string(request.dim) + overAxes();
  case RequestKind::replicate:
    return "asks for no split" + overAxes();
  case RequestKind::pin:
    return request.layout ? "pins the layout " + toText(request.layout)
                          : std::string("pins what was asked for before");
  }
  llvm_unreachable("all kinds of request are listed");
}

static bool containsRun(const AxisList &list, const AxisList &run) {
  return std::search(list.begin(), list.end(), run.begin(), run.end()) != list.end();
}

static std::string checkShard(const Mesh &mesh, const Outcome &outcome, int64_t dim,
                              const AxisList &axes) {
  for (const AxisRef &axis : axes) {
    for (auto [other, used] : llvm::enumerate(outcome.layout.dims))
      if (overlapsAny(axis, used))
        return "axis \"" + toString(mesh, axis) + "\" splits dimension " + std::to_string(other) +
               " already";
    if (overlapsAny(axis, outcome.layout.partial))
      return "the partial sums lie along axis \"" + toString(mesh, axis) + "\"";
    if (overlapsAny(axis, outcome.excluded))
      return "axis \"" + toString(mesh, axis) + "\" must not split it";
  }
  return outcome.isClosed ? "its layout is fixed" : "";
}

/// Layouts that propagation decided or a pin says extend what was asked for.
static std::string checkLayout(const Mesh &mesh, const Outcome &outcome, const Layout &layout) {
  for (auto [dim, asked, said] : llvm::enumerate(outcome.layout.dims, layout.dims)) {
    if (outcome.isClosed ? asked != said : !isPrefix(asked, said))
      return "dimension " + std::to_string(dim) + " is split otherwise";
    for (const AxisRef &axis : said)
      if (overlapsAny(axis, outcome.excluded))
        return "axis \"" + toString(mesh, axis) + "\" must not split it";
  }
  return "";
}

Outcome tactics::combine(MeshAttr meshAttr, size_t rank, ArrayRef<Request> requests) {
  Mesh mesh = meshAttr.toMesh();
  Outcome outcome;
  outcome.layout = Layout::replicated(rank);
  for (const Request &request : requests) {
    switch (request.kind) {
    case RequestKind::given:
    case RequestKind::decided:
    case RequestKind::pin: {
      if (request.layout) {
        Layout layout = request.layout.toLayout();
        outcome.problem = checkLayout(mesh, outcome, layout);
        if (outcome.problem.empty())
          outcome.layout = layout;
      }
      outcome.isClosed |= request.kind != RequestKind::decided;
      break;
    }
    case RequestKind::shard: {
      AxisList axes = toAxisList(meshAttr, request.axes);
      AxisList &dim = outcome.layout.dims[request.dim];
      if (containsRun(dim, axes))
        break;
      outcome.problem = checkShard(mesh, outcome, request.dim, axes);
      dim.insert(dim.end(), axes.begin(), axes.end());
      break;
    }
    case RequestKind::replicate: {
      AxisList axes = toAxisList(meshAttr, request.axes);
      if (!request.axes)
        for (auto [number, axis] : llvm::enumerate(meshAttr.getAxes()))
          axes.push_back({static_cast<uint32_t>(number), 1, axis.getSize()});
      for (auto [dim, used] : llvm::enumerate(outcome.layout.dims))
        for (const AxisRef &axis : used)
          if (overlapsAny(axis, axes))
            outcome.problem = "axis \"" + toString(mesh, axis) + "\" splits dimension " +
                              std::to_string(dim) + " already";
      for (const AxisRef &axis : axes)
        if (!overlapsAny(axis, outcome.excluded))
          outcome.excluded.push_back(axis);
      break;
    }
    }
    if (!outcome.problem.empty())
      return outcome;
  }
  return outcome;
}

SmallVector<tactics::Request> tactics::getConflict(MeshAttr mesh, size_t rank,
                                                   SmallVector<Request> requests) {
  // What conflicts without one of them does not need it.
  for (size_t i = requests.size(); i-- > 0;) {
    SmallVector<Request> others = requests;
    others.erase(others.begin() + i);
    if (!combine(mesh, rank, others).problem.empty())
      requests = std::move(others);
  }
  return requests;
}

//===----------------------------------------------------------------------===//
// Requests as attributes
//===----------------------------------------------------------------------===//

static Attribute toAttribute(MLIRContext *context, const Request &request) {
  Builder builder(context);
  SmallVector<Attribute> parts = {builder.getI64IntegerAttr(static_cast<int64_t>(request.kind)),
                                  request.loc, builder.getI64IntegerAttr(request.dim),
                                  request.axes ? Attribute(request.axes) : builder.getUnitAttr(),
                                  request.layout ? Attribute(request.layout)
                                                 : builder.getUnitAttr()};
  return builder.getArrayAttr(parts);
}

static Request fromAttribute(Attribute attribute) {
  auto parts = cast<ArrayAttr>(attribute); // as the dialect verifies
  return Request{static_cast<RequestKind>(cast<IntegerAttr>(parts[0]).getInt()),
                 Location(cast<LocationAttr>(parts[1])), cast<IntegerAttr>(parts[2]).getInt(),
                 dyn_cast<AxesAttr>(parts[3]), dyn_cast<LayoutAttr>(parts[4])};
}

/// The axes of a list as an attribute, by a layout of one dimension.
static AxesAttr toAxesAttr(MeshAttr mesh, const AxisList &axes) {
  Layout layout = Layout::replicated(1);
  layout.dims[0] = axes;
  return LayoutAttr::get(mesh, layout).getDims().front();
}

ConstrainOp tactics::getTacticConstraint(Value value) {
  auto isOurs = [](ConstrainOp op) { return op && op->hasAttr("dmc.tactic"); };
  if (auto made = value.getDefiningOp<ConstrainOp>(); isOurs(made))
    return made;
  // What `transform.dmc.reshard` put behind the value is about its uses.
  if (value.hasOneUse())
    if (auto user = dyn_cast<ConstrainOp>(*value.getUsers().begin()); isOurs(user))
      if (!user->hasAttr("dmc.reshards"))
        return user;
  return {};
}

Operation *tactics::findFirstUse(Value value) {
  Block *block = value.getParentBlock();
  Operation *first = block->getTerminator();
  for (Operation *user : value.getUsers())
    if (Operation *op = block->findAncestorOpInBlock(*user); op && op->isBeforeInBlock(first))
      first = op;
  return first;
}

ConstrainOp tactics::addTacticConstraint(Value value, LayoutAttr layout, Operation *before) {
  OpBuilder builder(before ? before : findFirstUse(value));
  auto op = ConstrainOp::create(builder, value.getLoc(), value, layout);
  op->setAttr("dmc.tactic", builder.getUnitAttr());
  value.replaceAllUsesExcept(op.getResult(), op);
  return op;
}

LayoutAttr tactics::getDecided(Value value) {
  Operation *op = value.getDefiningOp();
  auto layouts = op ? op->getAttrOfType<OpLayoutsAttr>("dmc.layouts") : OpLayoutsAttr();
  if (!layouts)
    return {};
  for (auto [result, layout] : llvm::zip_equal(getTensorResults(op), layouts.getResults()))
    if (result == value)
      return layout.withoutPartial();
  return {};
}

//===----------------------------------------------------------------------===//
// The book
//===----------------------------------------------------------------------===//

RequestBook::RequestBook(Operation *tactic, Subject subject)
    : tactic(tactic), subject(subject), mesh(subject.program.getMesh()),
      arguments(subject.program.getArguments()), results(subject.program.getResults()) {}

/// True for what may have a layout: not what is within compute operations.
static bool isTensorOfEntry(Value value, func::FuncOp entry) {
  if (!isa<RankedTensorType>(value.getType()))
    return false;
  Operation *op = value.getParentBlock()->getParentOp();
  while (op && op != entry && isa<RegionBranchOpInterface>(op))
    op = op->getParentOp();
  return op == entry;
}

FailureOr<SmallVector<Target>> RequestBook::getTargets(Value handle,
                                                       transform::TransformState &state) {
  SmallVector<Target> targets;
  if (isa<transform::TransformParamTypeInterface>(handle.getType())) {
    for (Attribute param : state.getParams(handle)) {
      auto number = dyn_cast<IntegerAttr>(param);
      if (!number || number.getValue().getZExtValue() >= results.size())
        return tactic->emitError("expected the number of a result, of which there are ")
               << results.size() << ", found " << param;
      targets.push_back({Target::result, static_cast<unsigned>(number.getInt()), Value()});
    }
    return targets;
  }
  for (Value value : state.getPayloadValues(handle)) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!isTensorOfEntry(value, subject.entry))
      return tactic->emitError("expected a tensor of the program's entry, found a value of type ")
             << value.getType();
    if (argument && argument.getOwner() == &subject.entry.getBody().front())
      targets.push_back({Target::argument, argument.getArgNumber(), value});
    else
      targets.push_back({Target::inner, 0, value});
  }
  return targets;
}

RankedTensorType RequestBook::getType(const Target &target) const {
  if (target.kind == Target::result)
    return results[target.number].getType();
  return cast<RankedTensorType>(target.value.getType());
}

std::string RequestBook::describe(const Target &target) const {
  if (target.kind == Target::inner) {
    Operation *op = target.value.getDefiningOp();
    bool isMoved = op && op->hasAttr("dmc.reshards");
    if (isMoved)
      return "what the uses see of a value that transform.dmc.reshard moves";
    return op ? "the result of " + op->getName().getStringRef().str() : "a value of a loop";
  }
  bool isArgument = target.kind == Target::argument;
  ValueAttr value = (isArgument ? arguments : results)[target.number];
  return (isArgument ? "argument \"" : "result \"") + value.getName().str() + "\"";
}

SmallVector<tactics::Request> RequestBook::load(const Target &target) {
  ArrayAttr kept;
  LayoutAttr layout;
  RequestKind kind = RequestKind::given;
  Location loc = subject.entry.getLoc();
  func::FuncOp entry = subject.entry;
  if (target.kind == Target::argument) {
    kept = entry.getArgAttrOfType<ArrayAttr>(target.number, "dmc.requests");
    layout = arguments[target.number].getLayout();
    loc = target.value.getLoc();
  } else if (target.kind == Target::result) {
    kept = entry.getResultAttrOfType<ArrayAttr>(target.number, "dmc.requests");
    layout = results[target.number].getLayout();
  } else if (ConstrainOp op = getTacticConstraint(target.value)) {
    kept = op->getAttrOfType<ArrayAttr>("dmc.requests");
  } else {
    layout = getDecided(target.value);
    kind = RequestKind::decided;
    loc = target.value.getLoc();
  }
  if (kept)
    return llvm::map_to_vector(kept, fromAttribute);
  if (!layout)
    return {};
  return {Request{kind, loc, 0, {}, layout}};
}

void RequestBook::storeInner(Value value, ArrayRef<Request> requests, const Outcome &outcome) {
  auto layout = LayoutAttr::get(mesh, outcome.layout.canonical());
  ConstrainOp op = getTacticConstraint(value);
  if (!op)
    op = addTacticConstraint(value, layout);
  op.setLayoutAttr(layout);
  op->removeAttr("dmc.layouts");
  SmallVector<int64_t> open;
  if (!outcome.isClosed)
    open = llvm::to_vector(llvm::seq<int64_t>(layout.getRank()));
  op.setOpen(open);
  // What splits nothing by request and what splits it have no axis in common.
  op.setReplicatedAttr(outcome.excluded.empty() ? AxesAttr() : toAxesAttr(mesh, outcome.excluded));
  op->setAttr("dmc.requests",
              Builder(op.getContext()).getArrayAttr(llvm::map_to_vector(requests, [&](auto &r) {
                return toAttribute(op.getContext(), r);
              })));
}

void RequestBook::store(const Target &target, ArrayRef<Request> requests, const Outcome &outcome) {
  // Whatever was decided, there is something left to decide now.
  subject.module->removeAttr("dmc.decided");
  if (target.kind == Target::inner)
    return storeInner(target.value, requests, outcome);
  MLIRContext *context = tactic->getContext();
  Builder builder(context);
  auto layout = LayoutAttr::get(mesh, outcome.layout.canonical());
  SmallVector<NamedAttribute> attributes;
  attributes.emplace_back("dmc.requests",
                          builder.getArrayAttr(llvm::map_to_vector(requests, [&](const Request &r) {
                            return toAttribute(context, r);
                          })));
  if (!outcome.isClosed)
    attributes.emplace_back("dmc.open", builder.getDenseI64ArrayAttr(
                                            llvm::to_vector(llvm::seq<int64_t>(layout.getRank()))));
  if (!outcome.excluded.empty())
    attributes.emplace_back("dmc.replicated", toAxesAttr(mesh, outcome.excluded));
  func::FuncOp entry = subject.entry;
  bool isArgument = target.kind == Target::argument;
  for (StringRef name : {"dmc.requests", "dmc.open", "dmc.replicated"}) {
    StringAttr key = builder.getStringAttr(name);
    if (isArgument)
      entry.removeArgAttr(target.number, key);
    else
      entry.removeResultAttr(target.number, key);
  }
  for (NamedAttribute attribute : attributes) {
    if (isArgument)
      entry.setArgAttr(target.number, attribute.getName(), attribute.getValue());
    else
      entry.setResultAttr(target.number, attribute.getName(), attribute.getValue());
  }
  ValueAttr &value = (isArgument ? arguments : results)[target.number];
  value = value.withLayout(layout);
}

Outcome RequestBook::getOutcome(const Target &target) {
  return combine(mesh, getType(target).getRank(), load(target));
}

LogicalResult RequestBook::addOne(const Target &target, const Request &request) {
  SmallVector<Request> requests = load(target);
  requests.push_back(request);
  size_t rank = getType(target).getRank();
  Outcome outcome = combine(mesh, rank, requests);
  if (outcome.problem.empty()) {
    store(target, requests, outcome);
    return success();
  }
  SmallVector<Request> conflict = getConflict(mesh, rank, requests);
  outcome = combine(mesh, rank, conflict);
  InFlightDiagnostic error = tactic->emitError();
  error << "requests for " << describe(target) << " cannot hold together: " << outcome.problem;
  for (const Request &member : conflict)
    error.attachNote(member.loc) << ::describe(mesh, member);
  return error;
}

LogicalResult RequestBook::add(const Target &target, Request request) {
  int64_t rank = getType(target).getRank();
  if (request.kind == RequestKind::shard && (request.dim < 0 || request.dim >= rank))
    return tactic->emitError("expected a dimension of ")
           << describe(target) << ", which has " << rank << ", found " << request.dim;
  if (request.layout && request.layout.getMesh() != mesh)
    return tactic->emitError("expected a layout on the program's mesh ")
           << toString(mesh.toMesh()) << ", found one on "
           << toString(request.layout.getMesh().toMesh());
  if (request.layout && request.layout.getRank() != rank)
    return tactic->emitError("expected a layout of ")
           << rank << " dimensions for " << describe(target) << ", found "
           << toText(request.layout);
  if (request.layout && request.layout.isPartial() && target.kind != Target::inner)
    return tactic->emitError("expected a layout without partial sums for ")
           << describe(target) << ", found " << toText(request.layout);
  if (failed(addOne(target, request)))
    return failure();
  if (target.kind != Target::argument)
    return success();
  // The result that takes over the buffer lies likewise, unless a tactic names it itself.
  ValueAttr argument = arguments[target.number];
  if (!argument.isDonated())
    return success();
  Target result{Target::result, static_cast<unsigned>(argument.getDonates()), Value()};
  if (results[result.number].getType().getShape() != argument.getType().getShape())
    return success();
  SmallVector<Request> requests = load(target);
  SmallVector<Request> own = load(result);
  bool isOwn = !own.empty() && !llvm::all_of(own, [&](const Request &mine) {
    return llvm::any_of(requests, [&](const Request &r) {
      return r.kind == mine.kind && r.loc == mine.loc && r.layout == mine.layout;
    });
  });
  if (!isOwn)
    store(result, requests, combine(mesh, rank, requests));
  return success();
}

void RequestBook::finish() {
  ProgramAttr program = subject.program;
  subject.module->setAttr("dmc.program",
                          ProgramAttr::get(program.getContext(), program.getLevel(),
                                           program.getName(), mesh, arguments, results));
}
