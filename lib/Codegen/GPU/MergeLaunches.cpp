//===- MergeLaunches.cpp - Independent kernels as one launch --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes through a block and keeps a group of launches that may become one, until
// the next one cannot.
//
//===----------------------------------------------------------------------===//

#include "GPU/MergedNest.h"
#include "Kernel/Buffers.h"
#include "Kernel/NestPlan.h"

#include "dmc/Codegen/Passes.h"
#include "dmc/Dialect/Comm/Comm.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace dmc {
#define GEN_PASS_DEF_MERGELAUNCHES
#include "dmc/Codegen/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// Bytes of parameters that a launch has on every device and driver (NVIDIA, CUDA programming
/// guide: 4 KB; more need a recent one), of 8 bytes each.
static constexpr size_t mostParameters = 4096 / 8;
/// Iterations that numbers of 32 bits count, with room for sums of them.
static constexpr int64_t mostIterations = int64_t(1) << 30;

namespace {
//===--- What a kernel consists of ----------------------------------------===//

/// The one nest of a kernel, and for each of the kernel's arguments the type that it has there.
struct SingleNest {
  func::FuncOp nest;
  SmallVector<Type> types;
  int64_t blocks = 0;
  bool isNarrow = false;
};

/// Nothing if a kernel is anything else than a nest that can be merged.
std::optional<SingleNest> findNest(func::FuncOp kernel, const SymbolTable &symbols) {
  if (!kernel || kernel.isDeclaration() || !llvm::hasSingleElement(kernel.getBody()))
    return std::nullopt;
  func::CallOp call;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<arith::ConstantOp, memref::ReinterpretCastOp>(op))
      continue;
    if (call || !isa<func::CallOp>(op))
      return std::nullopt;
    call = cast<func::CallOp>(op);
  }
  auto nest = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
  if (!nest || !isMergeable(nest) || call.getNumOperands() != kernel.getNumArguments() + 2)
    return std::nullopt;
  for (auto [argument, operand] : llvm::zip(kernel.getArguments(), call.getOperands())) {
    auto cast = operand.getDefiningOp<memref::ReinterpretCastOp>();
    if ((cast ? cast.getSource() : operand) != argument)
      return std::nullopt;
  }
  SingleNest found{nest, llvm::to_vector(TypeRange(call.getOperands().drop_back(2))),
                   countMergedBlocks(nest), nest->hasAttr("dmc.narrow_indices")};
  return found;
}

//===--- What an operation accesses ---------------------------------------===//

struct Accesses {
  SmallVector<Buffer> reads, writes;
  /// Accesses what is not known: nothing may change places with it.
  bool isUnknown = false;

  bool conflictsWith(const Accesses &other) const {
    auto overlap = [](ArrayRef<Buffer> a, ArrayRef<Buffer> b) {
      return llvm::any_of(a, [&](const Buffer &buffer) {
        return llvm::any_of(b, [&](const Buffer &o) { return buffer.overlaps(o); });
      });
    };
    return isUnknown || other.isUnknown || overlap(writes, other.writes) ||
           overlap(writes, other.reads) || overlap(reads, other.writes);
  }
  bool isEmpty() const { return !isUnknown && reads.empty() && writes.empty(); }
};

Accesses findAccesses(Operation *op, const BufferMap &buffers) {
  Accesses found;
  auto add = [&](SmallVectorImpl<Buffer> &list, ValueRange values) {
    for (Value value : values) {
      if (!isa<MemRefType>(value.getType()))
        continue;
      if (std::optional<Buffer> buffer = buffers.find(value))
        list.push_back(*buffer);
      else
        found.isUnknown = true;
    }
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LaunchOp launch) {
        add(found.reads, launch.getInputs());
        add(found.writes, launch.getInits());
      })
      .Case([&](comm::CollectiveOpInterface collective) {
        add(found.reads, collective.getOperandValue());
        add(found.writes, collective.getDestination());
      })
      .Case([&](memref::CopyOp copy) {
        add(found.reads, copy.getSource());
        add(found.writes, copy.getTarget());
      })
      .Default([&](Operation *other) { found.isUnknown = !isMemoryEffectFree(other); });
  return found;
}

//===--- Groups of launches -----------------------------------------------===//

/// Launches that become one, in the place of the last of them that was not moved.
struct Group {
  struct Member {
    LaunchOp launch;
    SingleNest nest;
  };
  SmallVector<Member> members;
  Accesses all;
  LaunchOp place;
  /// What lies behind the place; and whether the group could come after that.
  SmallVector<Accesses> behind;
  bool canSink = true;
  llvm::SetVector<Value> operands;
  int64_t blocks = 0;
};

struct MergeLaunches : public dmc::impl::MergeLaunchesBase<MergeLaunches> {
  using MergeLaunchesBase::MergeLaunchesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp entry = findEntry(module);
    if (!entry || entry.isDeclaration() || !TargetAttr::of(module).isDevice())
      return;
    SymbolTable symbols(module);
    BufferMap buffers(module);
    merged.clear();
    SmallVector<Block *> blocks;
    entry->walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      merge(*block, buffers, symbols);
    eraseUnused(module, symbols);
  }

private:
  void merge(Block &block, const BufferMap &buffers, SymbolTable &symbols) {
    Group group;
    auto close = [&] {
      build(group, symbols);
      group = Group();
    };
    for (Operation &op : llvm::make_early_inc_range(block)) {
      Accesses accesses = findAccesses(&op, buffers);
      auto launch = dyn_cast<LaunchOp>(op);
      if (launch && !accesses.isUnknown && launch->getNumResults() == 0)
        if (auto nest = findNest(symbols.lookup<func::FuncOp>(launch.getCallee()), symbols)) {
          if (!add(group, launch, *nest, accesses)) {
            close();
            add(group, launch, *nest, accesses);
          }
          continue;
        }
      if (auto await = dyn_cast<comm::AwaitOp>(op)) {
        // What waits for another stream runs beside it if it does not wait for more.
        if (await.getStream() == 0)
          close();
      } else if (isa<comm::RecordOp>(op)) {
        // What waits for the event waits for what comes before.
        group.canSink = false;
      } else if (accesses.isUnknown) {
        close();
      } else if (!accesses.isEmpty()) {
        group.canSink &= !group.all.conflictsWith(accesses);
        group.behind.push_back(accesses);
      }
    }
    close();
  }

  /// Whether the launch becomes a member.
  static bool add(Group &group, LaunchOp launch, const SingleNest &nest, const Accesses &accesses) {
    llvm::SetVector<Value> operands = group.operands;
    operands.insert(launch->operand_begin(), launch->operand_end());
    int64_t blocks = group.blocks + nest.blocks;
    if (!group.members.empty()) {
      bool fits = operands.size() <= mostParameters &&
                  blocks < mostIterations / Launch::looseThreads &&
                  group.members.front().nest.isNarrow == nest.isNarrow;
      if (!fits || group.all.conflictsWith(accesses))
        return false;
      if (!group.canSink &&
          (llvm::any_of(group.behind,
                        [&](const Accesses &other) { return accesses.conflictsWith(other); }) ||
           !moveOperands(launch, group.place)))
        return false;
    }
    if (group.members.empty() || group.canSink) {
      group.place = launch;
      group.behind.clear();
      group.canSink = true;
    }
    group.members.push_back({launch, nest});
    llvm::append_range(group.all.reads, accesses.reads);
    llvm::append_range(group.all.writes, accesses.writes);
    group.operands = std::move(operands);
    group.blocks = blocks;
    return true;
  }

  /// Computes the operands of a launch in front of another operation, if they are views of memory
  /// that is there already.
  static bool moveOperands(LaunchOp launch, Operation *before) {
    llvm::SetVector<Operation *> views;
    SmallVector<Value> next(launch->getOperands());
    while (!next.empty()) {
      Operation *op = next.pop_back_val().getDefiningOp();
      if (!op || op->getBlock() != before->getBlock() || op->isBeforeInBlock(before))
        continue;
      if (!isPure(op) || op->getNumRegions())
        return false;
      views.insert(op);
      llvm::append_range(next, op->getOperands());
    }
    for (Operation *op : llvm::reverse(views))
      op->moveBefore(before);
    return true;
  }

  /// One launch in the place of a group's.
  void build(Group &group, SymbolTable &symbols) {
    if (group.members.size() < 2)
      return;
    // Operands that launches have in common, as the number of a step, are passed once.
    SmallVector<Value> inputs, inits;
    SmallVector<Type> inputTypes, initTypes;
    SmallVector<int64_t> inPlace;
    SmallVector<SmallVector<size_t>> inputsOf;
    llvm::DenseMap<std::pair<Value, Type>, size_t> numbers;
    SmallVector<Location> locs;
    bool hasPairs = false;
    for (auto &[launch, nest] : group.members) {
      locs.push_back(launch.getLoc());
      SmallVector<size_t> &ofLaunch = inputsOf.emplace_back();
      for (auto [input, type] : llvm::zip(launch.getInputs(), nest.types)) {
        auto [known, isNew] = numbers.try_emplace({input, type}, inputs.size());
        if (isNew) {
          inputs.push_back(input);
          inputTypes.push_back(type);
        }
        ofLaunch.push_back(known->second);
      }
      llvm::append_range(inits, launch.getInits());
      llvm::append_range(initTypes, ArrayRef(nest.types).drop_front(launch.getInputs().size()));
      for (size_t i = 0; i < launch.getInits().size(); ++i) {
        int64_t pair = launch.getInPlace() ? (*launch.getInPlace())[i] : -1;
        inPlace.push_back(pair < 0 ? -1 : static_cast<int64_t>(ofLaunch[pair]));
        hasPairs |= pair >= 0;
      }
    }
    SmallVector<NestPart> parts;
    unsigned init = inputs.size();
    for (auto [member, ofLaunch] : llvm::zip_equal(group.members, inputsOf)) {
      NestPart &part = parts.emplace_back();
      part.nest = member.nest.nest;
      llvm::append_range(part.arguments, ofLaunch);
      for (size_t i = 0; i < member.launch.getInits().size(); ++i)
        part.arguments.push_back(init++);
    }
    SmallVector<Type> nestTypes(inputTypes);
    llvm::append_range(nestTypes, initTypes);
    OpBuilder builder(group.place);
    Location loc = builder.getFusedLoc(locs);
    LaunchOp first = group.members.front().launch;
    std::string name =
        (first.getCallee() + "_and_" + Twine(group.members.size() - 1) + "_more").str();
    func::FuncOp nest = mergeNests(loc, name + "_nest", nestTypes, parts, symbols);
    SmallVector<Value> operands(inputs);
    llvm::append_range(operands, inits);
    func::FuncOp kernel = makeKernel(loc, name, operands, nest, symbols);
    LaunchOp::create(builder, loc, TypeRange(), FlatSymbolRefAttr::get(kernel), inputs, inits,
                     hasPairs ? builder.getDenseI64ArrayAttr(inPlace) : DenseI64ArrayAttr(),
                     builder.getI64IntegerAttr(0));
    for (auto &[launch, unused] : group.members) {
      merged.insert(symbols.lookup<func::FuncOp>(launch.getCallee()));
      launch.erase();
    }
  }

  /// A kernel that is one nest.
  static func::FuncOp makeKernel(Location loc, StringRef name, ValueRange operands,
                                 func::FuncOp nest, SymbolTable &symbols) {
    OpBuilder builder(nest);
    auto kernel =
        func::FuncOp::create(builder, loc, name, builder.getFunctionType(operands.getTypes(), {}));
    kernel.setPrivate();
    kernel->setAttr("dmc.kernel_function", builder.getUnitAttr());
    symbols.insert(kernel);
    Block *body = kernel.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    SmallVector<Value> given;
    for (auto [argument, type] : llvm::zip(body->getArguments(), nest.getArgumentTypes())) {
      given.push_back(argument);
      if (argument.getType() == type)
        continue;
      auto memref = cast<MemRefType>(type);
      given.back() = memref::ReinterpretCastOp::create(
          builder, loc, memref, argument, /*offset=*/0, memref.getShape(),
          SmallVector<int64_t>(computeStrides(memref.getShape())));
    }
    given.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
    given.push_back(
        arith::ConstantIndexOp::create(builder, loc, NestAttr::of(nest).getIterations()));
    func::CallOp::create(builder, loc, nest, given);
    func::ReturnOp::create(builder, loc);
    return kernel;
  }

  /// Kernels that are launched as parts of others alone, and their nests.
  void eraseUnused(ModuleOp module, SymbolTable &symbols) {
    llvm::DenseSet<StringRef> used;
    module.walk([&](LaunchOp launch) { used.insert(launch.getCallee()); });
    for (func::FuncOp kernel : merged) {
      if (used.contains(kernel.getSymName()))
        continue;
      func::FuncOp nest = findNest(kernel, symbols)->nest;
      symbols.erase(kernel);
      symbols.erase(nest);
    }
  }

  llvm::SetVector<func::FuncOp> merged; // kernels
};
} // namespace
