//===- StepFunction.cpp - The rank function as C --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Host/StepFunction.h"

#include "CPU/KernelsToLLVM.h"
#include "Kernel/Buffers.h"
#include "Kernel/CustomCalls.h"

#include "dmc-c/Program.h"
#include "dmc/Codegen/DeviceCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {
enum Parameter { Context, Api, Memory };
} // namespace

LogicalResult StepBuilder::build() {
  builder.setInsertionPoint(entry);
  SmallVector<Type> types(3, tables.pointer);
  step = LLVM::LLVMFuncOp::create(builder, loc, "dmc_step",
                                  LLVM::LLVMFunctionType::get(tables.i32, types),
                                  LLVM::Linkage::Internal);
  Block *block = step.addEntryBlock(builder);
  failed = builder.createBlock(&step.getBody(), step.getBody().end(), {tables.i32}, {loc});
  LLVM::ReturnOp::create(builder, loc, failed->getArgument(0));
  builder.setInsertionPointToStart(block);
  Value slotCount = integer(tables.i64, numSlots);
  slots = LLVM::AllocaOp::create(builder, loc, tables.pointer, tables.i64, slotCount);
  auto member = [&](size_t offset) {
    return loadAt(tables.pointer, step.getArgument(Memory), static_cast<int64_t>(offset));
  };
  arguments = member(offsetof(dmc_step_memory, arguments));
  results = member(offsetof(dmc_step_memory, results));
  coordinates = member(offsetof(dmc_step_memory, coordinates));
  if (facts.isForDevice) {
    constants = member(offsetof(dmc_step_memory, constants));
    scalar =
        LLVM::AllocaOp::create(builder, loc, tables.pointer, tables.i64, integer(tables.i64, 1));
  }
  size_t numArguments = program.getArguments().size();
  size_t arena = entry.getNumArguments() - 1;
  for (BlockArgument argument : entry.getArguments()) {
    size_t i = argument.getArgNumber();
    if (argument.use_empty())
      continue;
    if (i < numArguments)
      bases[argument] = loadAt(tables.pointer, arguments, 8 * i);
    else if (i < arena)
      bases[argument] = loadAt(tables.pointer, results, 8 * (i - numArguments));
    else
      bases[argument] =
          loadAt(tables.pointer, member(offsetof(dmc_step_memory, arenas)), /*bytes=*/0);
  }
  if (!llvm::hasSingleElement(entry.getBody()))
    return entry.emitError("expected a rank function of one block");
  if (mlir::failed(lower(entry.getBody().front())))
    return failure();
  LLVM::ReturnOp::create(builder, loc, integer(tables.i32, 0));
  slotCount.getDefiningOp<LLVM::ConstantOp>().setValueAttr(builder.getI64IntegerAttr(numSlots));
  return success();
}

LogicalResult StepBuilder::lower(Block &body) {
  for (Operation &op : body.without_terminator())
    if (mlir::failed(lower(op)))
      return failure();
  return success();
}

Value StepBuilder::integer(Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

Value StepBuilder::byteOffset(Value base, int64_t bytes) {
  if (!bytes)
    return base;
  Value distance = integer(tables.i64, bytes);
  return LLVM::GEPOp::create(builder, loc, tables.pointer, builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{distance});
}

Value StepBuilder::loadAt(Type type, Value base, int64_t bytes) {
  return LLVM::LoadOp::create(builder, loc, type, byteOffset(base, bytes));
}

Value StepBuilder::address(Value memref, Operation *user) {
  std::optional<Buffer> buffer = buffers.find(memref);
  if (buffer && !buffer->global.empty()) {
    auto global = symbols.lookup<memref::GlobalOp>(buffer->global);
    if (global && facts.isForDevice)
      return byteOffset(constantAddress(global), buffer->offset);
    if (global)
      return byteOffset(LLVM::AddressOfOp::create(builder, loc, tables.pointer, buffer->global),
                        buffer->offset);
  }
  if (!buffer || !buffer->base) {
    user->emitError("expected buffers at constant offsets of arguments");
    return {};
  }
  // Without the donation: the caller passes one pointer for both.
  Value base = bases.lookup(buffer->base);
  if (!base) { // a result that takes over an argument that is not read
    auto argument = cast<BlockArgument>(buffer->base);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(arguments);
    base = bases[buffer->base] =
        loadAt(tables.pointer, arguments, int64_t(8) * argument.getArgNumber());
  }
  return byteOffset(base, buffer->offset);
}

Value StepBuilder::constantAddress(memref::GlobalOp global) {
  StringRef name = global.getSymName();
  auto [found, isNew] = constantNumbers.try_emplace(name, facts.constants.size());
  if (isNew)
    facts.constants.push_back({name.str(), bufferBytes(global.getType())});
  return loadAt(tables.pointer, constants, 8 * int64_t(found->second));
}

void StepBuilder::copyBytes(Value to, dmc_memory_space toSpace, Value from,
                            dmc_memory_space fromSpace, int64_t bytes, int64_t stream) {
  Type pointer = tables.pointer, i32 = tables.i32;
  returnOnFailure(
      callRuntime(offsetof(dmc_runtime_api, copy),
                  {step.getArgument(Context), to, integer(i32, toSpace), from,
                   integer(i32, fromSpace), integer(tables.i64, bytes), integer(i32, stream)},
                  {pointer, pointer, i32, pointer, i32, tables.i64, i32}));
}

void StepBuilder::event(int64_t number, dmc_event_kind kind, int64_t stream) {
  returnOnFailure(callRuntime(offsetof(dmc_runtime_api, event),
                              {step.getArgument(Context), integer(tables.i64, number),
                               integer(tables.i32, kind), integer(tables.i32, stream)},
                              {tables.pointer, tables.i64, tables.i32, tables.i32}));
}

int64_t StepBuilder::streamOf(Operation *op) {
  int64_t stream = facts.isForDevice ? comm::getStream(op) : 0;
  facts.streams = std::max(facts.streams, stream + 1);
  return stream;
}

void StepBuilder::eventOf(Operation &op) {
  if (!facts.isForDevice)
    return;
  int64_t stream = 0;
  if (auto record = dyn_cast<comm::RecordOp>(op)) {
    stream = record.getStream();
    events[record.getEvent()] = facts.events;
    event(facts.events++, DMC_EVENT_RECORD, stream);
  } else {
    auto await = cast<comm::AwaitOp>(op);
    stream = await.getStream();
    event(events.lookup(await.getEvent()), DMC_EVENT_WAIT, stream);
  }
  facts.streams = std::max(facts.streams, stream + 1);
}

Value StepBuilder::callRuntime(size_t member, ValueRange operands, ArrayRef<Type> types) {
  Value function = loadAt(tables.pointer, step.getArgument(Api), member);
  SmallVector<Value> all = {function};
  llvm::append_range(all, operands);
  auto type = LLVM::LLVMFunctionType::get(tables.i32, types);
  return LLVM::CallOp::create(builder, loc, type, all).getResult();
}

void StepBuilder::returnOnFailure(Value status) {
  Value none = integer(tables.i32, 0);
  Value isBad = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, status, none);
  Block *here = builder.getInsertionBlock();
  Block *next = new Block();
  step.getBody().getBlocks().insert(failed->getIterator(), next);
  builder.setInsertionPointToEnd(here);
  LLVM::CondBrOp::create(builder, loc, isBad, failed, ValueRange{status}, next, ValueRange{});
  builder.setInsertionPointToStart(next);
}

std::string StepBuilder::makeEntry(func::FuncOp nest) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(step);
  std::string name = (nest.getSymName() + "_entry").str();
  Type pointer = tables.pointer;
  auto type =
      LLVM::LLVMFunctionType::get(tables.i32, {pointer, pointer, pointer, tables.i64, tables.i64});
  auto entry =
      LLVM::LLVMFuncOp::create(builder, nest.getLoc(), name, type, LLVM::Linkage::External);
  symbols.insert(entry);
  Block *body = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(body);
  bool hasRange = NestAttr::of(nest) != nullptr;
  SmallVector<Value> operands;
  LLVM::LLVMFunctionType callee = kernelType(nest);
  size_t count = nest.getNumArguments() - (hasRange ? 2 : 0);
  for (size_t i = 0; i < count; ++i)
    operands.push_back(loadAt(callee.getParamType(i), body->getArgument(2), 8 * i));
  if (hasRange)
    operands.append({body->getArgument(3), body->getArgument(4)});
  LLVM::CallOp::create(builder, loc, callee, nest.getSymName(), operands);
  LLVM::ReturnOp::create(builder, loc, integer(tables.i32, 0));
  return entry.getSymName().str();
}

/// What a nest reads and writes of the arguments of the kernel that calls it.
static SmallVector<ProgramFacts::Nest::Access> listAccesses(NestAttr plan, func::CallOp call) {
  SmallVector<ProgramFacts::Nest::Access> accesses;
  for (NestAccessAttr access : plan.getAccesses()) {
    if (access.getArgument() < 0)
      continue;
    Value buffer = call.getOperand(access.getArgument());
    while (auto view = buffer.getDefiningOp<memref::ReinterpretCastOp>())
      buffer = view.getSource();
    if (auto argument = dyn_cast<BlockArgument>(buffer))
      accesses.push_back(
          {argument.getArgNumber(), access.getBytes(), access.getKind() != AccessKind::read});
  }
  return accesses;
}

FailureOr<ArrayRef<StepBuilder::Part>> StepBuilder::partsOf(func::FuncOp kernel, Location at) {
  auto [found, isNew] = kernels.try_emplace(kernel);
  SmallVector<Part> &parts = found->second;
  if (!isNew)
    return ArrayRef<Part>(parts);
  std::string name = kernel.getSymName().str();
  auto addNest = [&](ProgramFacts::Nest nest) {
    if (parts.empty() || parts.back().isCall) {
      parts.push_back({false, static_cast<unsigned>(facts.kernels.size()), {}});
      facts.kernels.push_back({name, 0, at, kernel.getNumArguments(), {}});
    }
    facts.kernels.back().nests.push_back(std::move(nest));
  };
  Operation *other = nullptr; // that is not a part
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto call = dyn_cast<func::CallOp>(op);
    auto callee = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
    if (callee && (callee->hasAttr("dmc.contraction") || callee->hasAttr(customCallAttr))) {
      Part part{true, static_cast<unsigned>(facts.calls.size()), {}};
      for (Value operand : call.getOperands()) {
        auto argument = dyn_cast<BlockArgument>(operand);
        if (!argument)
          return op.emitError("expected a library call on arguments of the kernel");
        part.arguments.push_back(argument.getArgNumber());
      }
      parts.push_back(std::move(part));
      facts.calls.push_back({name, callee, 0, call.getLoc()});
      continue;
    }
    if (NestAttr plan = callee ? NestAttr::of(callee) : NestAttr()) {
      auto device = callee->getAttrOfType<DictionaryAttr>(deviceNestAttr);
      addNest({device ? std::string() : makeEntry(callee), plan.getIterations(), plan.getBytes(),
               plan.getFlops(), device, listAccesses(plan, call)});
      continue;
    }
    if (callee && callee.isDeclaration())
      return op.emitError("expected a call of a function with a body or of a library");
    if (!isa<arith::ConstantOp, memref::ReinterpretCastOp>(op))
      other = &op;
  }
  if (other && !parts.empty())
    return other->emitError("expected nests and library calls alone in a kernel that has any");
  if (parts.empty() && facts.isForDevice)
    return kernel.emitError("unsupported: a kernel for a device that is not made of tensors");
  // Code that was not made of tensors is one nest that is not divided.
  if (parts.empty())
    addNest({makeEntry(kernel), 1, 0, 0, {}});
  return ArrayRef<Part>(parts);
}

LogicalResult StepBuilder::launch(LaunchOp op) {
  if (streamOf(op))
    return op.emitError("unsupported: a launch on stream ")
           << op.getStream() << ", expected the stream of all launches, 0";
  auto kernel = symbols.lookup<func::FuncOp>(op.getCallee());
  if (!kernel || kernel.isDeclaration())
    return op.emitError("expected a kernel function with a body");
  SmallVector<Value> arguments;
  for (Value operand : op->getOperands()) {
    if (isa<MemRefType>(operand.getType())) {
      arguments.push_back(address(operand, op));
      if (!arguments.back())
        return failure();
    } else {
      auto scalar = passed(operand, op);
      if (mlir::failed(scalar))
        return failure();
      arguments.push_back(scalar->front());
    }
  }
  FailureOr<ArrayRef<Part>> parts = partsOf(kernel, op.getLoc());
  if (mlir::failed(parts))
    return failure();
  SmallVector<Buffer> accessed;
  for (Value operand : op->getOperands())
    accessed.push_back(buffers.find(operand).value_or(Buffer()));
  for (const Part &part : *parts) {
    SmallVector<Value> given = arguments;
    ProgramFacts::Execution &execution = facts.trace.emplace_back(ProgramFacts::Execution{
        part.isCall ? ProgramFacts::Execution::call : ProgramFacts::Execution::kernel, part.number,
        executions, accessed});
    if (part.isCall) {
      given.clear();
      execution.buffers.clear();
      for (unsigned number : part.arguments)
        execution.buffers.push_back(accessed[number]);
      auto contraction =
          facts.calls[part.number].callee->getAttrOfType<DictionaryAttr>("dmc.contraction");
      for (auto [i, number] : llvm::enumerate(part.arguments)) {
        Type type = getElementTypeOrSelf(kernel.getArgumentTypes()[number]);
        int64_t offset =
            contraction ? contraction.getAs<DenseI64ArrayAttr>("offsets")[i] * elementBytes(type)
                        : 0;
        given.push_back(byteOffset(arguments[number], offset));
      }
    }
    numSlots = std::max<int64_t>(numSlots, given.size());
    for (auto [i, argument] : llvm::enumerate(given))
      LLVM::StoreOp::create(builder, loc, argument, byteOffset(slots, 8 * i));
    returnOnFailure(callRuntime(
        part.isCall ? offsetof(dmc_runtime_api, call) : offsetof(dmc_runtime_api, launch),
        {step.getArgument(Context), integer(tables.i64, part.number), slots},
        {tables.pointer, tables.i64, tables.pointer}));
    int64_t &count =
        part.isCall ? facts.calls[part.number].count : facts.kernels[part.number].count;
    count = count < 0 || executions < 0 ? -1 : count + executions;
  }
  if (auto flops = kernel->getAttrOfType<IntegerAttr>("dmc.flops"))
    facts.flops += flops.getInt() * std::max<int64_t>(executions, 1);
  return success();
}

LogicalResult StepBuilder::collective(comm::CollectiveOpInterface op) {
  auto type = dyn_cast<MemRefType>(op.getOperandValue().getType());
  if (!type || !elementTypeCode(type.getElementType()) ||
      !isa<MemRefType>(op.getDestination().getType()))
    return op->emitError("expected memrefs of an element type that the runtime has");
  if (!program.getMesh() || op.getGroupMesh() != program.getMesh())
    return op->emitError("expected the mesh of the program");
  Value from = address(op.getOperandValue(), op), to = address(op.getDestination(), op);
  if (!from || !to)
    return failure();
  int64_t number = facts.collectives.size();
  bool isSplit = op->getNumResults() == 1;
  facts.collectives.push_back({op, executions, streamOf(op)});
  facts.trace.push_back(
      {ProgramFacts::Execution::collective,
       static_cast<unsigned>(number),
       executions,
       {*buffers.find(op.getOperandValue()), *buffers.find(op.getDestination())}});
  if (isSplit)
    tokens[op->getResult(0)] = number;
  returnOnFailure(callRuntime(isSplit ? offsetof(dmc_runtime_api, collective_start)
                                      : offsetof(dmc_runtime_api, collective),
                              {step.getArgument(Context), integer(tables.i64, number), from, to},
                              {tables.pointer, tables.i64, tables.pointer, tables.pointer}));
  return success();
}

LogicalResult StepBuilder::copy(memref::CopyOp op) {
  std::optional<Buffer> from = buffers.find(op.getSource()), to = buffers.find(op.getTarget());
  if (from && to && *from == *to)
    return success();
  Value source = address(op.getSource(), op), target = address(op.getTarget(), op);
  if (!source || !target)
    return failure();
  int64_t bytes = bufferBytes(cast<MemRefType>(op.getSource().getType()));
  if (facts.isForDevice)
    copyBytes(target, DMC_MEMORY_DEVICE, source, DMC_MEMORY_DEVICE, bytes, streamOf(op));
  else
    LLVM::MemcpyOp::create(builder, loc, target, source, integer(tables.i64, bytes),
                           /*isVolatile=*/false);
  return success();
}

/// Row-major over the axes; a part of an axis is a digit of its coordinate.
void StepBuilder::axisIndex(comm::AxisIndexOp op) {
  Value index;
  MeshAttr mesh = op.getMesh();
  for (AxisAttr axis : op.getAxes()) {
    int64_t number = 0;
    for (auto [i, other] : llvm::enumerate(mesh.getAxes()))
      if (other.getName() == axis.getName())
        number = i;
    Value digit = loadAt(tables.i64, coordinates, 8 * number);
    int64_t size = axis.getSize(mesh), whole = mesh.getAxisSize(axis.getName());
    int64_t before = axis.isFullAxis() ? 1 : axis.getPreSize();
    int64_t below = std::max<int64_t>(1, whole / std::max<int64_t>(1, before * size));
    if (below != 1)
      digit = LLVM::UDivOp::create(builder, loc, digit, integer(tables.i64, below));
    if (before != 1)
      digit = LLVM::URemOp::create(builder, loc, digit, integer(tables.i64, size));
    if (index) {
      index = LLVM::MulOp::create(builder, loc, index, integer(tables.i64, size));
      index = LLVM::AddOp::create(builder, loc, index, digit);
    } else {
      index = digit;
    }
  }
  if (!index)
    index = integer(tables.i64, 0);
  scalars.map(op.getResult(),
              arith::IndexCastOp::create(builder, loc, builder.getIndexType(), index).getResult());
}

LogicalResult StepBuilder::arithmetic(Operation &op) {
  for (Value operand : op.getOperands())
    if (!scalars.contains(operand))
      return op.emitError("expected scalars that the rank function computes");
  builder.clone(op, scalars);
  return success();
}

LogicalResult StepBuilder::lower(Operation &op) {
  loc = op.getLoc();
  if (auto launchOp = dyn_cast<LaunchOp>(op))
    return launch(launchOp);
  if (auto collectiveOp = dyn_cast<comm::CollectiveOpInterface>(op))
    return collective(collectiveOp);
  if (auto wait = dyn_cast<comm::WaitOp>(op)) {
    auto token = tokens.find(wait.getToken());
    if (token == tokens.end())
      return op.emitError("expected the token of a collective that was started");
    returnOnFailure(callRuntime(offsetof(dmc_runtime_api, collective_wait),
                                {step.getArgument(Context), integer(tables.i64, token->second)},
                                {tables.pointer, tables.i64}));
    return success();
  }
  if (isa<comm::RecordOp, comm::AwaitOp>(op)) {
    eventOf(op);
    return success();
  }
  if (auto copyOp = dyn_cast<memref::CopyOp>(op))
    return copy(copyOp);
  if (auto axes = dyn_cast<comm::AxisIndexOp>(op)) {
    axisIndex(axes);
    return success();
  }
  if (isa<scf::SCFDialect>(op.getDialect()) || isa<memref::LoadOp, memref::StoreOp>(op))
    return control(op);
  // Views are followed where they are used.
  if (isa<memref::ViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp,
          memref::GetGlobalOp>(op))
    return success();
  if (isa<arith::ArithDialect>(op.getDialect()) && !op.getNumRegions())
    return arithmetic(op);
  return op.emitError("code generation does not support '")
         << op.getName() << "' in the rank function";
}
