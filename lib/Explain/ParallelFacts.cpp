//===- ParallelFacts.cpp - Tensors and moves of the parallel program ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensor each move moves, from whom to whom.
//
//===----------------------------------------------------------------------===//
#include "Gather.h"

#include "dmc/Sharding/ShardingRule.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::explain;

static bool isMove(mlir::Operation *op) { return isa<MoveOpInterface>(op); }

/// Control flow that hands tensors on, and the entry.
static bool hasLayoutsWithin(mlir::Operation *op) {
  return isa<func::FuncOp, RegionBranchOpInterface>(op) && !isa<ManualOp>(op);
}

std::string explain::toText(ShapedType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t size : type.getShape())
    os << size << "x";
  os << type.getElementType();
  return text;
}

static int64_t getLocalBytes(RankedTensorType type, LayoutAttr layout) {
  int64_t bytes = (type.getElementTypeBitWidth() + 7) / 8;
  for (int64_t size :
       layout ? layout.getLocalShape(type.getShape()) : SmallVector<int64_t>(type.getShape()))
    bytes *= size;
  return bytes;
}

/// `reduce over "data"`, `partition along "model" in 0`.
static std::string describeMove(mlir::Operation *op, const Mesh &mesh) {
  std::string text = op->getName().stripDialect().str();
  if (auto axes = op->getAttrOfType<AxesAttr>("axes")) {
    std::vector<std::string> names;
    for (AxisAttr axis : axes) {
      std::string name = axis.getName().str();
      if (!axis.isFullAxis())
        name += ":(" + std::to_string(axis.getPreSize()) + ")" + std::to_string(axis.getSubSize());
      names.push_back(std::move(name));
    }
    text += " over " + joinNames(names);
  }
  if (auto dim = op->getAttrOfType<IntegerAttr>("dim"))
    text += " in dimension " + std::to_string(dim.getInt());
  auto source = op->getAttrOfType<IntegerAttr>("source_dim");
  auto target = op->getAttrOfType<IntegerAttr>("target_dim");
  if (source && target)
    text += " from dimension " + std::to_string(source.getInt()) + " to " +
            std::to_string(target.getInt());
  return text;
}

static std::string layoutOf(Value value, const Mesh &mesh) {
  LayoutAttr layout = LayoutAttr::of(value.getType());
  return layout ? dmc::toString(mesh, layout.toLayout()) : std::string();
}

ParallelFacts::ParallelFacts(ModuleOp module, const LayoutRecord *record, Explanation &explanation)
    : program(ProgramAttr::of(module)), mesh(program.getMesh().toMesh()), record(record),
      explanation(explanation) {
  if (record)
    reasons.emplace(*record, program);
  func::FuncOp entry = getEntry(module);
  entry->walk<WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (isa<func::FuncOp>(op))
      return WalkResult::advance();
    numbers[op] = operations.size();
    operations.emplace_back();
    operations.back().site = describe(op);
    operations.back().isMove = isMove(op);
    operations.back().isHalo = isa<HaloOp>(op);
    op->setLoc(withTag(op->getLoc(), kOpTag, operations.size() - 1));
    return hasLayoutsWithin(op) || isa<ManualOp>(op) ? WalkResult::advance() : WalkResult::skip();
  });
  addTensors(entry);
  addMoves(entry);
}

Site ParallelFacts::describe(mlir::Operation *op) const {
  Site site;
  site.op = op->getName().getStringRef().str();
  site.place = toPlace(op->getLoc());
  return site;
}

/// The value's number in the record.
std::optional<unsigned> ParallelFacts::getRecorded(Value value) const {
  if (!record)
    return std::nullopt;
  auto getNode = [&](mlir::Operation *op) -> std::optional<unsigned> {
    SmallVector<int64_t, 1> tags = getTags(op->getLoc(), kNodeTag);
    if (tags.empty())
      return std::nullopt;
    return tags.front();
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    mlir::Operation *parent = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(parent))
      return record->arguments[argument.getArgNumber()];
    std::optional<unsigned> node = getNode(parent);
    if (!node)
      return std::nullopt;
    auto found = record->handed.find(
        {*node, argument.getOwner()->getParent()->getRegionNumber(), argument.getArgNumber()});
    return found == record->handed.end() ? std::nullopt : std::optional(found->second);
  }
  auto result = cast<OpResult>(value);
  if (isLayoutAgnostic(result.getOwner()))
    return std::nullopt;
  std::optional<unsigned> node = getNode(result.getOwner());
  if (!node)
    return std::nullopt;
  SmallVector<OpResult> results = getTensorResults(result.getOwner());
  unsigned number = llvm::find(results, result) - results.begin();
  auto found = record->made.find({*node, number});
  // What stands for one operation may be several: the last makes its value.
  if (found == record->made.end() || ArrayRef<int64_t>(record->values[found->second].shape) !=
                                         cast<RankedTensorType>(value.getType()).getShape())
    return std::nullopt;
  return found->second;
}

unsigned ParallelFacts::addTensor(Value value, std::string kind, std::string name) {
  auto type = cast<RankedTensorType>(value.getType());
  Tensor tensor;
  tensor.id = explanation.tensors.size();
  tensor.kind = std::move(kind);
  tensor.name = std::move(name);
  tensor.type = ::toText(type);
  LayoutAttr attribute = LayoutAttr::of(type);
  tensor.bytes = getLocalBytes(type, attribute);
  if (attribute) {
    Layout layout = attribute.toLayout();
    tensor.layout = dmc::toString(mesh, layout);
    for (const std::vector<AxisRef> &axes : layout.dims)
      tensor.dims.push_back(toNames(mesh, axes));
    tensor.partial = toNames(mesh, layout.partial);
    if (layout.combiner)
      tensor.combiner = stringify(*layout.combiner);
    tensor.record = getRecorded(value);
    if (tensor.record)
      tensor.reasons = reasons->explainValue(*tensor.record, layout);
  }
  if (mlir::Operation *op = value.getDefiningOp())
    tensor.maker = describe(op);
  else
    tensor.maker.name = (tensor.kind == "argument" ? "argument " : "") + tensor.name;
  if (tensor.name.empty())
    tensor.name = tensor.maker.place.name;
  explanation.tensors.push_back(std::move(tensor));
  return explanation.tensors.back().id;
}

void ParallelFacts::addTensors(func::FuncOp entry) {
  auto isTensor = [](Value value) { return isa<RankedTensorType>(value.getType()); };
  for (auto [argument, value] : llvm::zip_equal(entry.getArguments(), program.getArguments()))
    tensors[argument] = addTensor(argument, "argument", value.getName().str());
  entry->walk<WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (!isMove(op) && !isLayoutAgnostic(op))
      for (OpResult result : op->getResults())
        if (isTensor(result))
          tensors[result] = addTensor(result, "value", "");
    if (!hasLayoutsWithin(op))
      return WalkResult::skip();
    if (!isa<func::FuncOp>(op))
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (isTensor(argument))
              tensors[argument] =
                  addTensor(argument, "value", "carried by " + op->getName().getStringRef().str());
    return WalkResult::advance();
  });
  mlir::Operation *terminator = entry.getBody().front().getTerminator();
  for (auto [i, result, value] : llvm::enumerate(terminator->getOperands(), program.getResults())) {
    Tensor &tensor = explanation.tensors[addTensor(result, "result", value.getName().str())];
    tensor.reasons.clear();
    if (reasons && value.getLayout())
      tensor.reasons = reasons->explainResult(i, value.getLayout().toLayout());
  }
}

/// Everything that takes the value, through other moves.
void ParallelFacts::collectUsers(Value value, Operation &move) {
  for (OpOperand &use : value.getUses()) {
    mlir::Operation *op = use.getOwner();
    if (isMove(op)) {
      collectUsers(op->getResult(0), move);
      continue;
    }
    Operation::User user;
    SmallVector<OpOperand *> operands = getTensorOperands(op);
    unsigned number = llvm::find(operands, &use) - operands.begin();
    if (isa<func::ReturnOp>(op)) {
      user.site.name = "result " + program.getResults()[number].getName().str();
    } else {
      user.site = describe(op);
      user.site.operand = number;
    }
    user.layout = layoutOf(value, mesh);
    if (reasons && move.root)
      if (std::optional<unsigned> root = explanation.tensors[*move.root].record) {
        std::optional<unsigned> node;
        if (SmallVector<int64_t, 1> tags = getTags(op->getLoc(), kNodeTag); !tags.empty())
          node = tags.front();
        if (node || isa<func::ReturnOp>(op))
          user.use = reasons->findUse(*root, isa<func::ReturnOp>(op) ? std::nullopt : node, number);
      }
    move.users.push_back(std::move(user));
  }
}

void ParallelFacts::addMoves(func::FuncOp entry) {
  for (auto &[op, number] : numbers) {
    if (!isMove(op))
      continue;
    Operation &move = operations[number];
    Value root = op->getOperand(0);
    move.text = describeMove(op, mesh);
    while (root.getDefiningOp() && isMove(root.getDefiningOp()))
      root = root.getDefiningOp()->getOperand(0);
    if (auto found = tensors.find(root); found != tensors.end())
      move.root = found->second;
    move.from = layoutOf(root, mesh);
    collectUsers(op->getResult(0), move);
    // Those who gain or lose by it first.
    llvm::stable_sort(move.users, [](const Operation::User &a, const Operation::User &b) {
      return (a.use != nullptr) > (b.use != nullptr);
    });
  }
}

/// Of the tensor that an operation moves.
int64_t ParallelFacts::bytesOf(int64_t number) const {
  std::optional<unsigned> root = operations[number].root;
  return root ? explanation.tensors[*root].bytes : 0;
}

void ParallelFacts::describe(Collective &collective, ArrayRef<int64_t> numbers) const {
  collective.numMembers = std::max<size_t>(1, numbers.size());
  // Of a bucket the largest member is told in full.
  SmallVector<int64_t> bySize(numbers);
  llvm::stable_sort(bySize, [&](int64_t a, int64_t b) { return bytesOf(a) > bytesOf(b); });
  for (int64_t number : bySize) {
    const Operation &op = operations[number];
    if (!op.isMove) {
      bool isOwn = StringRef(op.site.op).starts_with("comm.");
      if (!isOwn && !collective.tensor && collective.why.empty()) {
        collective.users.push_back(op.site);
        collective.why = op.site.op + " exchanges this itself where its loops are split";
      }
      continue;
    }
    if (!llvm::is_contained(collective.moves, op.text))
      collective.moves.push_back(op.text);
    if (collective.tensor) {
      // A bucket: its other members are told in short.
      for (const Operation::User &user : op.users)
        collective.users.push_back(user.site);
      continue;
    }
    collective.tensor = op.root;
    collective.from = op.from;
    if (op.root)
      collective.maker = explanation.tensors[*op.root].maker;
    for (const Operation::User &user : op.users) {
      if (!llvm::any_of(collective.users, [&](const Site &other) {
            return explain::toString(other) == explain::toString(user.site);
          }))
        collective.users.push_back(user.site);
      if (collective.to.empty())
        collective.to = user.layout;
      if (!user.use || !collective.offers.empty() || !collective.forbidden.empty())
        continue;
      collective.forbidden = user.use->forbidden;
      collective.offers = reasons->getOffers(*user.use);
    }
    if (!op.users.empty()) {
      const Operation::User &user = op.users.front();
      collective.why = explain::toString(user.site) +
                       (op.isHalo ? " reads around its blocks" : " needs " + user.layout);
    }
  }
}
