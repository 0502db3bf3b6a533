//===- LowerToGPU.cpp - Nests become kernels of a device module -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread, or team of threads, runs one iteration of a nest, which dmc-lower-kernels made
// small.
//
//===----------------------------------------------------------------------===//

#include "GPU/DeviceMath.h"
#include "GPU/HoistLoads.h"
#include "Kernel/Buffers.h"
#include "Kernel/LLVMConversion.h"
#include "Kernel/NestPlan.h"

#include "dmc/Codegen/DeviceCode.h"
#include "dmc/Codegen/Passes.h"
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/bit.h"

namespace dmc {
#define GEN_PASS_DEF_LOWERTOGPU
#include "dmc/Codegen/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

struct LowerToGPU : public dmc::impl::LowerToGPUBase<LowerToGPU> {
  using LowerToGPUBase::LowerToGPUBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!TargetAttr::of(module).isDevice())
      return;
    SmallVector<func::FuncOp> nests;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(NestAttr::attrName) && !function.isDeclaration())
        nests.push_back(function);
    // A program of copies and library calls alone has code, too, of no kernels.
    auto device = ModuleOp::create(module.getLoc(), deviceModuleName);
    module.getBody()->push_back(device);
    for (func::FuncOp nest : nests)
      if (failed(move(nest, device)))
        return signalPassFailure();
    moveConstants(module, device);
    if (failed(convert(device)))
      return signalPassFailure();
  }

private:
  /// Moves a nest into the device module. In its place remains a function without body.
  LogicalResult move(func::FuncOp nest, ModuleOp device) {
    NestAttr plan = NestAttr::of(nest);
    NestLoopAttr grid = plan.getDividedLoop();
    if (!grid || grid.getExecutor() != LoopExecutor::grid)
      return nest.emitError("expected a nest for a device, which has a grid of blocks");
    int64_t iterations = plan.getIterations();
    Launch launch = {grid.getTrips(), grid.getInner().front().getTrips(), plan.getTeam()};
    // What CUDA allows along the first dimension of a grid.
    if (launch.blocks > std::numeric_limits<int32_t>::max())
      return nest.emitError("unsupported: a nest of ")
             << iterations << " iterations, which is more than a device launches";
    int64_t mostShared = TargetAttr::of(nest).getSharedBytes();
    if (plan.getSharedBytes() > mostShared)
      return nest.emitError("unsupported: a nest whose blocks share ")
             << plan.getSharedBytes() << " bytes, which is more than " << mostShared;

    OpBuilder builder = OpBuilder::atBlockEnd(device.getBody());
    auto kernel = cast<func::FuncOp>(builder.clone(*nest));
    takeIteration(kernel, iterations, launch);
    // A thread alone waits for no other: assemblers order its loads as they like.
    bool loadsAhead = launch.team > 1 && hoistLoads(kernel, launch.blocks * launch.getThreads());
    lowerTeamOperations(kernel, launch);
    int64_t asked = 0;
    if (plan.getSharedBytes() > Launch::mostShared)
      asked = askForSharedMemory(kernel, device);
    else
      moveSharedMemory(kernel, device);
    declare(nest, launch, asked);
    describeArguments(kernel);
    for (NamedAttribute attr : llvm::to_vector(kernel->getDiscardableAttrs()))
      if (attr.getName().getValue().starts_with("dmc.") && attr.getName() != "dmc.narrow_indices")
        kernel->removeAttr(attr.getName());
    kernel.setPublic();
    kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    if (int64_t registers = findRegisterLimit(nest); registers && launch.team == 1)
      kernel->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                      builder.getI32IntegerAttr(static_cast<int32_t>(registers)));
    kernel->setAttr(
        NVVM::NVVMDialect::getReqntidAttrName(),
        builder.getDenseI32ArrayAttr({static_cast<int32_t>(launch.getThreads()), 1, 1}));
    if (loadsAhead || plan.getKind() == NestKind::scatter ||
        plan.getKind() == NestKind::scatter_update)
      setResidentBlocks(kernel, launch);
    return success();
  }

  /// What blocks share of memory, or what a loop keeps for its next iteration, would let ptxas
  /// think that more of them run at once than have the registers that threads need, and spill: as
  /// many as the nest counts on are enough.
  static void setResidentBlocks(func::FuncOp kernel, Launch launch) {
    if (launch.team == 1)
      return;
    // Of a multiprocessor; a thread uses half of those that it can name (`Slots`).
    constexpr int64_t registers = int64_t(64) << 10;
    int64_t used = TargetAttr::of(kernel).getVectorRegisters() / 2 + 1;
    int64_t blocks = std::max<int64_t>(1, registers / (used * launch.getThreads()));
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    Builder(kernel.getContext()).getI32IntegerAttr(static_cast<int32_t>(blocks)));
  }

  static void declare(func::FuncOp nest, Launch launch, int64_t shared) {
    Builder builder(nest.getContext());
    nest->setAttr(
        deviceNestAttr,
        builder.getDictionaryAttr(
            {builder.getNamedAttr("entry", nest.getSymNameAttr()),
             builder.getNamedAttr("grid", builder.getDenseI64ArrayAttr({launch.blocks, 1, 1})),
             builder.getNamedAttr("block",
                                  builder.getDenseI64ArrayAttr({launch.getThreads(), 1, 1})),
             builder.getNamedAttr("shared", builder.getI64IntegerAttr(shared))}));
    nest->removeAttr("dmc.narrow_indices");
    nest.eraseBody();
  }

  /// Replaces the range of iterations by that of the thread's team, of which there may be more than
  /// iterations: those have nothing to do. Teams of a warp go on together if one of them has
  /// something to do, since they exchange values; the nest takes care of the others.
  static void takeIteration(func::FuncOp kernel, int64_t iterations, Launch launch) {
    Block &body = kernel.getBody().front();
    unsigned number = body.getNumArguments() - 2;
    ImplicitLocOpBuilder b(kernel.getLoc(), kernel.getContext());
    b.setInsertionPointToStart(&body);
    auto asIndex = [&](Value value) -> Value {
      return arith::IndexCastUIOp::create(b, b.getIndexType(), value);
    };
    auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(b, value); };
    Value id = constant(0);
    if (launch.teams > 1) {
      id = asIndex(NVVM::ThreadIdXOp::create(b, b.getI32Type()));
      if (launch.team > 1)
        id = arith::DivUIOp::create(b, id, constant(launch.team));
    }
    if (launch.blocks > 1) {
      Value block = asIndex(NVVM::BlockIdXOp::create(b, b.getI32Type()));
      if (launch.teams > 1)
        block =
            arith::AddIOp::create(b, arith::MulIOp::create(b, block, constant(launch.teams)), id);
      id = block;
    }
    body.getArgument(number).replaceAllUsesWith(id);
    body.eraseArguments(number, 2);
    kernel.setFunctionType(b.getFunctionType(body.getArgumentTypes(), {}));
    if (launch.blocks * launch.teams == iterations)
      return;
    int64_t warp = TargetAttr::of(kernel).getWarpThreads();
    if (launch.team > 1 && launch.team < warp) {
      Value rest = arith::RemUIOp::create(b, id, constant(warp / launch.team));
      id = arith::SubIOp::create(b, id, rest);
    }
    Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, id, constant(iterations));
    auto guard = scf::IfOp::create(b, isOne, /*withElseRegion=*/false);
    Operation *end = guard.thenBlock()->getTerminator();
    for (Operation &op : llvm::make_early_inc_range(
             llvm::make_range(std::next(Block::iterator(guard)), body.without_terminator().end())))
      // Memory of the thread has its place in the frame.
      op.moveBefore(isa<memref::AllocaOp>(op) ? guard : end);
  }

  /// What the threads of a team do together.
  static void lowerTeamOperations(func::FuncOp kernel, Launch launch) {
    int64_t warp = TargetAttr::of(kernel).getWarpThreads();
    kernel.walk([&](Operation *op) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      auto word = [&](int32_t value) {
        return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
      };
      constexpr int32_t allLanes = -1;
      if (auto thread = dyn_cast<gpu::ThreadIdOp>(op)) {
        Value id = NVVM::ThreadIdXOp::create(b, b.getI32Type());
        thread.replaceAllUsesWith(Value(arith::IndexCastUIOp::create(b, b.getIndexType(), id)));
      } else if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
        Value value = NVVM::ShflOp::create(b, shuffle.getValue().getType(), word(allLanes),
                                           shuffle.getValue(), shuffle.getOffset(),
                                           word(static_cast<int32_t>(warp - 1)),
                                           NVVM::ShflKind::bfly, UnitAttr());
        shuffle.getShuffleResult().replaceAllUsesWith(value);
      } else if (isa<gpu::BarrierOp>(op)) {
        if (launch.team > warp)
          NVVM::Barrier0Op::create(b);
        else
          NVVM::SyncWarpOp::create(b, word(allLanes));
      } else {
        return;
      }
      op->erase();
    });
  }

  static SmallVector<memref::AllocaOp> findSharedMemory(func::FuncOp kernel) {
    SmallVector<memref::AllocaOp> buffers;
    kernel.walk([&](memref::AllocaOp op) {
      if (isShared(op.getType()))
        buffers.push_back(op);
    });
    return buffers;
  }

  /// More memory than a block has without asking: parts of one array whose size the launch gives,
  /// which is returned.
  static int64_t askForSharedMemory(func::FuncOp kernel, ModuleOp device) {
    SmallVector<memref::AllocaOp> buffers = findSharedMemory(kernel);
    if (buffers.empty())
      return 0;
    constexpr StringLiteral name = "dmc_shared";
    OpBuilder b = OpBuilder::atBlockBegin(device.getBody());
    Location loc = buffers.front().getLoc();
    int64_t alignment = TargetAttr::of(kernel).getVectorBytes();
    auto type = MemRefType::get({0}, b.getI8Type(), MemRefLayoutAttrInterface(),
                                buffers.front().getType().getMemorySpace());
    if (!device.lookupSymbol(name))
      memref::GlobalOp::create(b, loc, name, b.getStringAttr("public"), type, Attribute(),
                               /*constant=*/false, b.getI64IntegerAttr(alignment));
    b.setInsertionPoint(buffers.front());
    Value all = memref::GetGlobalOp::create(b, loc, type, name);
    int64_t bytes = 0;
    for (memref::AllocaOp buffer : buffers) {
      b.setInsertionPoint(buffer);
      Value shift = arith::ConstantIndexOp::create(b, loc, bytes);
      Value part = memref::ViewOp::create(b, loc, buffer.getType(), all, shift, ValueRange());
      bytes += llvm::alignTo(bufferBytes(buffer.getType()), alignment);
      buffer.replaceAllUsesWith(part);
      buffer.erase();
    }
    return bytes;
  }

  /// The registers that an assembler may give a thread of a nest that streams its operands; 0: as
  /// many as it likes. A quarter of those that an instruction can name let a multiprocessor, which
  /// has 64 K on all devices, hold 1024 threads. Assemblers load all operands before they compute
  /// the first result, unless they have to save registers; results, which are stored when all are
  /// there, may take half.
  static int64_t findRegisterLimit(func::FuncOp nest) {
    NestAttr plan = NestAttr::of(nest);
    if (plan.getKind() != NestKind::elements && plan.getKind() != NestKind::copy)
      return 0;
    TargetAttr target = TargetAttr::of(nest);
    int64_t registers = llvm::bit_ceil<uint64_t>(target.getVectorRegisters()) / 4, words = 0;
    for (NestAccessAttr access : plan.getAccesses())
      if (access.getKind() != AccessKind::read && access.getArgument() >= 0) {
        Type type = getElementTypeOrSelf(nest.getArgumentTypes()[access.getArgument()]);
        words += access.getVector() * llvm::divideCeil(elementBytes(type), 4);
      }
    return 2 * words <= registers ? registers : 0;
  }

  /// Memory that a block shares is the device module's.
  static void moveSharedMemory(func::FuncOp kernel, ModuleOp device) {
    SmallVector<memref::AllocaOp> buffers = findSharedMemory(kernel);
    for (auto [number, buffer] : llvm::enumerate(buffers)) {
      auto name = (kernel.getSymName() + "_shared_" + Twine(number)).str();
      OpBuilder b = OpBuilder::atBlockBegin(device.getBody());
      memref::GlobalOp::create(b, buffer.getLoc(), name, b.getStringAttr("private"),
                               buffer.getType(), b.getUnitAttr(), /*constant=*/false,
                               buffer.getAlignmentAttr());
      b.setInsertionPoint(buffer);
      Value global = memref::GetGlobalOp::create(b, buffer.getLoc(), buffer.getType(), name);
      buffer.replaceAllUsesWith(global);
      buffer.erase();
    }
  }

  /// What LLVM may assume of the kernel's arguments.
  static void describeArguments(func::FuncOp kernel) {
    Builder builder(kernel.getContext());
    int64_t alignment = TargetAttr::of(kernel).getAlignment();
    for (BlockArgument argument : kernel.getArguments()) {
      unsigned number = argument.getArgNumber();
      kernel.removeArgAttr(number, "dmc.shares");
      kernel.removeArgAttr(number, "dmc.stream");
      if (!isa<MemRefType>(argument.getType()))
        continue;
      // LLVM widens loads within an alignment: no further than the buffer, whatever lies behind it.
      int64_t bytes = std::max<int64_t>(bufferBytes(cast<MemRefType>(argument.getType())), 1);
      kernel.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(std::min(alignment, bytes & -bytes)));
      if (isOnlyRead(argument))
        kernel.setArgAttr(number, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
    }
  }

  /// Constants that nests read are the device module's, and those that nothing else reads only its.
  static void moveConstants(ModuleOp module, ModuleOp device) {
    SymbolTable symbols(module), inner(device);
    llvm::SetVector<StringRef> onDevice, onHost;
    module.walk([&](memref::GetGlobalOp op) {
      if (isShared(op.getType()))
        return;
      (op->getParentOfType<ModuleOp>() == device ? onDevice : onHost).insert(op.getName());
    });
    OpBuilder builder = OpBuilder::atBlockBegin(device.getBody());
    for (StringRef name : onDevice) {
      auto global = symbols.lookup<memref::GlobalOp>(name);
      builder.clone(*global);
      if (!onHost.contains(name))
        global.erase();
    }
  }

  LogicalResult convert(ModuleOp device) {
    if (failed(expandDeviceMath(device)))
      return failure();
    dropEmptyArguments(device);
    expandArithmetic(device);
    SmallVector<Operation *> narrow, wide;
    for (Operation &op : *device.getBody())
      (op.removeAttr("dmc.narrow_indices") ? narrow : wide).push_back(&op);
    for (auto &[indexBits, operations] : {std::pair(32u, narrow), std::pair(64u, wide)}) {
      NestConversion conversion(&getContext(), indexBits);
      if (failed(applyPartialConversion(operations, conversion.target,
                                        std::move(conversion.patterns))))
        return failure();
    }
    SmallVector<UnrealizedConversionCastOp> casts;
    device.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
    return success();
  }
};

} // namespace
