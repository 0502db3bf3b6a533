//===- FormKernels.cpp - Groups operations into kernels -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks fusion for groups and rewrites each as a dmc.kernel.
//
//===----------------------------------------------------------------------===//
#include "EmptyTensors.h"
#include "SinkFills.h"
#include "dmc/Dialect/DMC/CudaChips.h"
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Dialect/DMC/SplitReduction.h"
#include "dmc/Dialect/DMC/ThreadRegisters.h"
#include "dmc/Fusion/FusionProblem.h"
#include "dmc/Fusion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-form-kernels"

namespace dmc {
#define GEN_PASS_DEF_FORMKERNELS
#include "dmc/Fusion/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// The value of which this one is another shape.
static Value withoutReshapes(Value value) {
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Results of the entry and the arguments that are donated to them.
static void addDonations(func::FuncOp func, llvm::DenseMap<Value, Value> &partners) {
  ProgramAttr program = ProgramAttr::of(func->getParentOp());
  if (!program || !func.isPublic() || !func.getBody().hasOneBlock() ||
      program.getArguments().size() != func.getNumArguments())
    return;
  Operation *terminator = func.getBody().front().getTerminator();
  for (auto [argument, value] : llvm::zip(func.getArguments(), program.getArguments()))
    if (value.isDonated() && value.getDonates() < terminator->getNumOperands())
      partners[withoutReshapes(terminator->getOperand(value.getDonates()))] = argument;
}

/// What an iteration yields and what it was given at the same place: they share a buffer, so
/// that anything else is copied there at the end of each iteration.
static void addCarried(Operation *op, llvm::DenseMap<Value, Value> &partners) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [carried, next] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
      partners[withoutReshapes(next)] = carried;
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    // The body reads what the condition passes on.
    llvm::DenseMap<Value, Value> passed;
    for (auto [value, argument] :
         llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments()))
      passed.try_emplace(value, argument);
    for (auto [carried, next] :
         llvm::zip(loop.getBeforeArguments(), loop.getYieldOp().getOperands()))
      if (Value argument = passed.lookup(carried))
        partners[withoutReshapes(next)] = argument;
  }
}

/// The value that each value of the function would best overwrite.
static llvm::DenseMap<Value, Value> getPartners(func::FuncOp func) {
  llvm::DenseMap<Value, Value> partners;
  addDonations(func, partners);
  func.walk([&](Operation *op) { addCarried(op, partners); });
  return partners;
}

namespace {
/// Rewrites the groups of one block.
class Rewriter {
public:
  Rewriter(Block &block, const FusionProblem &problem, const FusionDecision &decision,
           const llvm::DenseMap<Value, Value> &partners)
      : block(block), problem(problem), decision(decision), partners(partners),
        builder(block.getParentOp()->getContext()) {}

  void run(ArrayRef<unsigned> order) {
    unsigned numNodes = problem.nodes.size();
    // Everything is appended behind the old operations, in its new order.
    builder.setInsertionPointToEnd(&block);
    for (const FusionNode &node : problem.nodes)
      if (node.kind == FusionKind::Free && !isa<tensor::EmptyOp>(node.op))
        append(node.op);
    for (unsigned unit : order) {
      if (unit >= numNodes)
        build(decision.groups[unit - numNodes]);
      else if (!problem.nodes[unit].op->hasTrait<OpTrait::IsTerminator>())
        append(problem.nodes[unit].op);
    }
    if (problem.nodes.back().op->hasTrait<OpTrait::IsTerminator>())
      append(problem.nodes.back().op);
    for (const FusionNode &node : llvm::reverse(problem.nodes))
      if (node.isFusible())
        node.op->erase();
    for (const FusionNode &node : problem.nodes)
      if (node.kind == FusionKind::Free && node.op->use_empty())
        node.op->erase();
  }

private:
  void append(Operation *op) {
    op->moveBefore(&block, block.end());
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands()) {
        if (Value kernelResult = replaced.lookupOrNull(operand.get()))
          operand.set(kernelResult);
        else if (isa_and_nonnull<tensor::EmptyOp>(operand.get().getDefiningOp()) &&
                 operand.get().getDefiningOp()->getBlock() == &block)
          operand.set(appendEmpty(operand.get(), op));
      }
    });
  }

  /// The empty tensor beside its use.
  Value appendEmpty(Value value, Operation *user) {
    Operation *copy = value.getDefiningOp()->clone();
    block.getOperations().insert(user->getIterator(), copy);
    return copy->getResult(0);
  }

  /// The destinations that the kernel's own destinations are passed on to.
  llvm::DenseMap<Value, unsigned> getDestinations(const KernelGroup &group) {
    llvm::DenseMap<Value, unsigned> destinations; // result -> root, or its scratch
    for (auto [i, root] : llvm::enumerate(group.roots))
      destinations[problem.nodes[root].op->getResult(0)] = i;
    // Behind those of the roots.
    if (std::optional<unsigned> scatter = getUpdatingScatter(problem, group))
      destinations[problem.nodes[*scatter].op->getResult(0)] = group.roots.size();
    for (unsigned member : llvm::reverse(group.nodes))
      for (const FusionRead &read : problem.nodes[member].reads) {
        auto found = destinations.find(problem.nodes[member].op->getResult(0));
        if (read.isInit && read.producer >= 0 && found != destinations.end() &&
            problem.nodes[read.producer].kind == FusionKind::Fill &&
            read.value.getType() == problem.nodes[member].op->getResult(0).getType() &&
            llvm::is_contained(group.nodes, unsigned(read.producer)))
          destinations.try_emplace(read.value, found->second);
      }
    return destinations;
  }

  void build(const KernelGroup &group) {
    Inputs inputs = collectInputs(group);
    SmallVector<Value> operands, inits;
    SmallVector<Type> types;
    SmallVector<Location> locs, rootLocs;
    for (Value value : inputs.values) {
      operands.push_back(replaced.lookupOrDefault(value));
      locs.push_back(value.getLoc());
    }
    for (unsigned root : group.roots) {
      Operation *op = problem.nodes[root].op;
      rootLocs.push_back(op->getLoc());
      for (Value result : op->getResults()) {
        auto type = cast<RankedTensorType>(result.getType());
        types.push_back(type);
        locs.push_back(op->getLoc());
        inits.push_back(
            tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(), type.getElementType()));
      }
    }
    // Of each reduction by blocks, what the blocks give; and of a scatter whose result stays in the
    // kernel, that.
    llvm::MapVector<unsigned, int64_t> blocks = getBlocks(group);
    unsigned numRootResults = types.size();
    auto addScratch = [&](Operation *op, ArrayRef<int64_t> blocks) {
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      SmallVector<int64_t> shape(blocks);
      llvm::append_range(shape, type.getShape());
      types.push_back(RankedTensorType::get(shape, type.getElementType()));
      locs.push_back(op->getLoc());
      inits.push_back(tensor::EmptyOp::create(builder, op->getLoc(), shape, type.getElementType()));
    };
    for (auto [root, count] : blocks)
      addScratch(problem.nodes[root].op, count);
    if (std::optional<unsigned> scatter = getUpdatingScatter(problem, group))
      addScratch(problem.nodes[*scatter].op, {});
    unsigned numScratch = types.size() - numRootResults;
    Location loc = builder.getFusedLoc(rootLocs);
    auto kernel = KernelOp::create(builder, loc, types, operands, inits,
                                   getInPlace(group, inputs, numScratch));
    kernel->setAttr("dmc.kernel_kind", builder.getStringAttr(stringify(group.kind)));
    SmallVector<Type> argumentTypes(ValueRange(operands).getTypes());
    llvm::append_range(argumentTypes, types);
    fill(kernel, group, inputs, argumentTypes, locs, blocks, numScratch);

    auto result = kernel.getResults().begin();
    for (unsigned root : group.roots)
      for (Value old : problem.nodes[root].op->getResults())
        replaced.map(old, *result++);
  }

  /// The reductions of a group that are computed in blocks of rows, in order, and of how many. A
  /// block has enough rows that its result, which is written and read, adds little to what it
  /// reads; there are at most as many as iterations that a nest is divided into. A device needs
  /// more blocks, as many as run at once: more would wait for these, and all but few
  /// multiprocessors for the last. Of kernels whose rows are teams' these are counted
  /// (`countTeamsAtOnce`); where nothing is shared along a row, threads need few registers, and
  /// blocks of up to 512 run four at once on a multiprocessor, which has 2048 threads at most. What
  /// blocks of 32 rows write and the combination reads is a sixteenth of what they read, at most.
  /// Of fewer rows there are still as many blocks as run at once, or one for each multiprocessor
  /// where several teams share a block's rows: with r rows in a block, n / r blocks share
  /// n (1 + 2 / r) rows that are read and written, which takes a time of r + 2.
  llvm::MapVector<unsigned, int64_t> getBlocks(const KernelGroup &group) const {
    TargetAttr target = TargetAttr::of(block.getParentOp());
    bool isDevice = target.isDevice();
    llvm::MapVector<unsigned, int64_t> blocks;
    ArrayRef<int64_t> shape = problem.getResultShape(getLargestRoot(problem, group.roots));
    bool hasRows = group.kind == KernelKind::Row;
    if (!hasRows && group.kind != KernelKind::Reduction)
      return blocks;
    SmallVector<int64_t> loops(shape);
    if (!hasRows) {
      unsigned reduction = *llvm::find_if(group.nodes, [&](unsigned node) {
        return problem.nodes[node].kind == FusionKind::Reduction;
      });
      // What follows from a reduction is computed where its blocks are combined: of scalars.
      bool areRoots = llvm::all_of(group.roots, [&](unsigned root) {
        return problem.nodes[root].kind == FusionKind::Reduction;
      });
      if (!problem.nodes[reduction].numReducedLeading || (!areRoots && !shape.empty()))
        return blocks;
      loops = cast<linalg::LinalgOp>(problem.nodes[reduction].op).getStaticLoopRanges();
    }
    size_t rows = loops.size();
    SmallVector<unsigned> beside;
    for (unsigned node : group.nodes) {
      const FusionNode &info = problem.nodes[node];
      bool isRoot = llvm::is_contained(group.roots, node);
      bool isBlocked = isRoot || (!hasRows && info.kind == FusionKind::Reduction);
      if (isBlocked && isReducedBeside(problem, node, loops)) {
        rows = std::min<size_t>(rows, info.numReducedLeading);
        beside.push_back(node);
      } else if ((isRoot && hasRows) || info.kind == FusionKind::Reduction) {
        rows = std::min(rows, problem.getResultShape(node).size());
      }
    }
    // A sum of everything has no row of results that would be read again, and the last loop stays
    // whole, for vectors of neighbours.
    bool isScalar =
        llvm::all_of(beside, [&](unsigned node) { return problem.getResultShape(node).empty(); });
    // What a block computes at least takes well longer than to start it. Blocks of a device start
    // beside each other: of each thread of a warp there is an access of 16 bytes at least. Of a
    // scalar one block sums as much at once as a block of a processor.
    int64_t leastElements = isDevice && !isScalar ? 4 * target.getWarpThreads() : 4096;
    // Columns that all threads of a device read at once are summed by one launch, if the threads
    // that share one wait for memory a few times at most: that takes no longer than a launch.
    if (isDevice && !hasRows && !isScalar && isSummedAtOnce(group, loops, shape))
      return blocks;
    if (isScalar)
      rows = std::min(rows, std::max<size_t>(1, loops.size() - 1));
    int64_t all = llvm::product_of(loops),
            outer = llvm::product_of(ArrayRef(loops).take_front(rows));
    int64_t mostBlocks = 256;
    int64_t leastRows = 64;
    if (isDevice) {
      int64_t row = all / std::max<int64_t>(1, outer);
      mostBlocks =
          countMultiprocessors(target) * (hasRows ? countTeamsAtOnce(group, all, row, beside) : 4);
      int64_t wanted = hasRows ? mostBlocks : countMultiprocessors(target);
      leastRows = std::clamp<int64_t>(outer / wanted, 1, 32);
    }
    int64_t count =
        std::min({mostBlocks, all / leastElements, isScalar ? outer : outer / leastRows});
    // Threads that share a block's rows have as many each, if these are a power of two: a quarter
    // more rows than needed at most. No block is without rows.
    if (isDevice && !isScalar && count > 0) {
      int64_t length = llvm::divideCeil(outer, count);
      int64_t more = llvm::bit_ceil<uint64_t>(length);
      if (!hasRows && 4 * more <= 5 * length)
        length = more;
      count = llvm::divideCeil(outer, length);
    }
    if (!hasRows && count < 2)
      return blocks;
    for (unsigned node : beside)
      blocks[node] = std::max<int64_t>(1, count);
    return blocks;
  }

  /// How many blocks a multiprocessor has registers for, each a team whose threads hold the
  /// elements of a row, of `all` elements, between its passes, and sums of its columns.
  int64_t countTeamsAtOnce(const KernelGroup &group, int64_t all, int64_t row,
                           ArrayRef<unsigned> beside) const {
    TargetAttr target = TargetAttr::of(block.getParentOp());
    int64_t words = 0;
    SmallPtrSet<Value, 8> held;
    for (unsigned node : group.nodes)
      for (const FusionRead &read : problem.nodes[node].reads) {
        auto type = dyn_cast<RankedTensorType>(read.value.getType());
        bool isInside =
            read.producer >= 0 && llvm::is_contained(group.nodes, unsigned(read.producer));
        if (type && !isInside && type.getNumElements() >= all && held.insert(read.value).second)
          words += countWords(type);
      }
    for (unsigned node : beside)
      for (Value sum : problem.nodes[node].op->getResults())
        words += countWords(sum.getType());
    int64_t most = getLargestTeam(target);
    int64_t threads = llvm::bit_ceil<uint64_t>(
        std::max<int64_t>(1, llvm::divideCeil(row, countHeldElements(target, words))));
    return most / std::clamp(threads, target.getWarpThreads(), most);
  }

  bool isSummedAtOnce(const KernelGroup &group, ArrayRef<int64_t> loops,
                      ArrayRef<int64_t> columns) const {
    // As many reads of a thread wait for each other in the time that another kernel takes to follow
    // this one. Both times are assumed, of the order that devices of sm_80 to sm_90 take for
    // dependent kernels of a graph and for a read that no cache answers; neither was measured.
    constexpr int64_t nextKernelNanoseconds = 2000, readNanoseconds = 650;
    constexpr int64_t fewReads = nextKernelNanoseconds / readNanoseconds;
    TargetAttr target = TargetAttr::of(block.getParentOp());
    int64_t elements = llvm::product_of(loops), narrowest = 8, widest = 1;
    for (unsigned node : group.nodes)
      for (const FusionRead &read : problem.nodes[node].reads) {
        auto type = dyn_cast<RankedTensorType>(read.value.getType());
        bool isInside =
            read.producer >= 0 && llvm::is_contained(group.nodes, unsigned(read.producer));
        if (!type || isInside || type.getNumElements() < elements ||
            type.getElementType().isIndex())
          continue;
        int64_t bytes = llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
        narrowest = std::min(narrowest, bytes);
        widest = std::max(widest, bytes);
      }
    int64_t all = llvm::product_of(columns);
    return elements <= 2 * target.getBlockThreads() * countMultiprocessors(target) &&
           elements / std::max<int64_t>(1, all) <=
               fewReads * countRowsAtOnce(target, all, std::min(narrowest, widest), widest);
  }

  /// Values from outside; scalar constants are copied instead.
  struct Inputs {
    llvm::SetVector<Value> values;
    llvm::SetVector<Operation *> constants;
  };

  Inputs collectInputs(const KernelGroup &group) {
    Inputs inputs;
    for (unsigned member : group.nodes) {
      Operation *op = problem.nodes[member].op;
      llvm::SmallPtrSet<void *, 4> read;
      for (const FusionRead &value : problem.nodes[member].reads)
        read.insert(value.value.getAsOpaquePointer());
      llvm::SetVector<Value> used;
      auto dps = dyn_cast<DestinationStyleOpInterface>(op);
      for (OpOperand &operand : op->getOpOperands())
        // Destinations that are not read are the kernel's own.
        if (!dps || !dps.isDpsInit(&operand) || read.contains(operand.get().getAsOpaquePointer()))
          used.insert(operand.get());
      getUsedValuesDefinedAbove(op->getRegions(), used);
      for (Value value : used) {
        Operation *producer = value.getDefiningOp();
        auto node = producer ? problem.index.find(producer) : problem.index.end();
        if (node != problem.index.end() && llvm::is_contained(group.nodes, node->second))
          continue;
        bool isConstant =
            isa_and_nonnull<arith::ConstantOp>(producer) && !isa<ShapedType>(value.getType());
        if (isConstant || isa_and_nonnull<tensor::EmptyOp>(producer))
          inputs.constants.insert(producer);
        else
          inputs.values.insert(value);
      }
    }
    return inputs;
  }

  DenseI64ArrayAttr getInPlace(const KernelGroup &group, const Inputs &inputs, size_t numScratch) {
    llvm::DenseMap<unsigned, Value> wanted;
    for (unsigned root : group.roots)
      if (Value partner = partners.lookup(problem.nodes[root].op->getResult(0)))
        wanted[root] = partner;
    SmallVector<int64_t> inPlace;
    for (auto [root, value] : llvm::zip(group.roots, getInPlaceInputs(problem, group, wanted))) {
      auto found = value ? llvm::find(inputs.values, value) : inputs.values.end();
      bool isPair = value && problem.nodes[root].op->getNumResults() == 1;
      inPlace.push_back(isPair ? std::distance(inputs.values.begin(), found) : -1);
      inPlace.append(problem.nodes[root].op->getNumResults() - 1, -1);
    }
    if (llvm::all_of(inPlace, [](int64_t input) { return input < 0; }))
      return {};
    inPlace.append(numScratch, -1);
    return builder.getDenseI64ArrayAttr(inPlace);
  }

  void fill(KernelOp kernel, const KernelGroup &group, const Inputs &inputs,
            ArrayRef<Type> argumentTypes, ArrayRef<Location> locs,
            const llvm::MapVector<unsigned, int64_t> &blocks, unsigned numScratch) {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&kernel.getBody(), {}, argumentTypes, locs);
    IRMapping mapping;
    for (auto [value, argument] : llvm::zip(inputs.values, body->getArguments()))
      mapping.map(value, argument);
    for (Operation *constant : inputs.constants)
      builder.clone(*constant, mapping);

    llvm::DenseMap<Value, unsigned> destinations = getDestinations(group);
    SmallVector<Value> yielded;
    llvm::DenseMap<unsigned, unsigned> firstDestination;
    unsigned next = inputs.values.size();
    for (auto [i, root] : llvm::enumerate(group.roots)) {
      firstDestination[i] = next;
      next += problem.nodes[root].op->getNumResults();
    }
    firstDestination[group.roots.size()] = next;
    for (unsigned member : group.nodes) {
      Operation *op = problem.nodes[member].op;
      auto destinationOf = [&](unsigned result) -> Value {
        auto found = destinations.find(op->getResult(0));
        if (found != destinations.end())
          return body->getArgument(firstDestination[found->second] + result);
        auto type = cast<RankedTensorType>(op->getResult(result).getType());
        return tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                       type.getElementType());
      };
      auto constant = dyn_cast<arith::ConstantOp>(op);
      if (constant && problem.nodes[member].kind == FusionKind::Fill) {
        // A splat is a fill, so that there is one form of it.
        auto splat = cast<SplatElementsAttr>(constant.getValue());
        Value scalar =
            arith::ConstantOp::create(builder, op->getLoc(), splat.getSplatValue<TypedAttr>());
        mapping.map(
            op->getResult(0),
            linalg::FillOp::create(builder, op->getLoc(), scalar, destinationOf(0)).getResult(0));
        continue;
      }
      SmallVector<std::pair<unsigned, Value>> unread;
      if (auto dps = dyn_cast<DestinationStyleOpInterface>(op)) {
        for (OpOperand &init : dps.getDpsInitsMutable()) {
          bool isRead = llvm::any_of(problem.nodes[member].reads, [&](const FusionRead &read) {
            return read.isInit && read.value == init.get();
          });
          if (!isRead)
            unread.push_back({init.getOperandNumber(),
                              destinationOf(dps.getTiedOpResult(&init).getResultNumber())});
        }
      }
      Operation *copy = builder.clone(*op, mapping);
      if (const auto *count = blocks.find(member); count != blocks.end())
        copy->setAttr(partialsAttr, builder.getI64IntegerAttr(count->second));
      for (auto [operand, destination] : unread)
        copy->setOperand(operand, destination);
    }
    for (unsigned root : group.roots)
      for (Value result : problem.nodes[root].op->getResults())
        yielded.push_back(mapping.lookup(result));
    llvm::append_range(yielded, body->getArguments().take_back(numScratch));
    YieldOp::create(builder, kernel.getLoc(), yielded);
  }

  Block &block;
  const FusionProblem &problem;
  const FusionDecision &decision;
  const llvm::DenseMap<Value, Value> &partners;
  OpBuilder builder;
  IRMapping replaced;
};

struct FormKernels : dmc::impl::FormKernelsBase<FormKernels> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && !func->hasAttr("dmc.kernel_function"))
        if (failed(runOnFunction(func)))
          return signalPassFailure();
  }

  LogicalResult runOnFunction(func::FuncOp func) {
    defineEmptyTensors(func);
    sinkFills(func);
    SmallVector<Block *> blocks;
    for (Block &block : func.getBody())
      blocks.push_back(&block);
    // Structured control flow nests such lists.
    func.walk([&](Operation *op) {
      if (isa<scf::SCFDialect>(op->getDialect()))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
    });
    llvm::DenseMap<Value, Value> partners = getPartners(func);
    for (Block *block : blocks)
      if (failed(runOnBlock(*block, partners)))
        return failure();
    return success();
  }

  LogicalResult runOnBlock(Block &block, const llvm::DenseMap<Value, Value> &partners) {
    FusionProblem problem(block);
    FusionDecision decision = fuseGreedily(problem);
    LDBG() << "a block of " << block.getParentOp()->getName() << ": " << decision.groups.size()
           << " kernels";
    std::string error = verifyDecision(problem, decision);
    if (!error.empty())
      return block.getParentOp()->emitError("fusion made a wrong decision: ") << error;
    Rewriter(block, problem, decision, partners).run(getExecutionOrder(problem, decision));
    return success();
  }
};
} // namespace
