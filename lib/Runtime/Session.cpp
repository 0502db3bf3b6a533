//===- Session.cpp - The ranks of a program and their buffers -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Session.h"
#include "BoundMemory.h"
#include "CUDA/CudaDevice.h"
#include "Device/Cpu.h"
#include "Engine.h"
#include "Libraries/CustomKernels.h"
#include "Libraries/Vendor.h"
#include "Ranks/Agreement.h"
#include "SessionBuffers.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/Transport.h"

#include <algorithm>
#include <cstring>
#include <mutex>

using namespace dmc;
using namespace dmc::runtime;

static void poison(uint32_t type, void *data, size_t bytes) {
  std::memset(data, poisonOf(type), bytes);
}

Session::Session(const dmc_program &program, const SessionOptions &options)
    : program_(program), options_(options), mesh_(meshOf(program)), numRanks_(mesh_.numRanks()),
      boundMemory_(std::make_unique<BoundMemory>()), fault_(std::make_unique<Fault>()) {
  for (uint32_t i = 0; i < program.num_arguments; ++i)
    argumentLayouts_.push_back(layoutOf(program.arguments[i]));
  for (uint32_t i = 0; i < program.num_results; ++i)
    resultLayouts_.push_back(layoutOf(program.results[i]));
}

/// Nothing if the engine can have that many ranks.
static Failure checkRanks(int64_t numRanks, const Transport *transport) {
  constexpr int64_t maxThreads = 1024;
  std::string has =
      "program has " + std::to_string(numRanks) + " rank" + (numRanks == 1 ? "" : "s");
  if (!transport && numRanks > maxThreads)
    return has + ", the local engine at most " + std::to_string(maxThreads);
  if (transport && transport->size() != numRanks)
    return has + ", but the " + transport->engine() + " job " + std::to_string(transport->size()) +
           " process" + (transport->size() == 1 ? "" : "es");
  return std::nullopt;
}

/// Everything that a rank can find wrong without the others.
Failure Session::prepare() {
  if (auto why = checkRanks(numRanks_, options_.transport))
    return why;
  if (auto why = checkCpu(program_))
    return why;
  if (program_.device == DMC_DEVICE_CUDA)
    if (auto why = cuda::checkDevices(program_,
                                      options_.transport || options_.sharesDevices ? 1 : numRanks_,
                                      options_.device == DeviceChoice::Simulated))
      return why;
  if (program_.device == DMC_DEVICE_HOST && options_.device == DeviceChoice::Simulated)
    return std::string("the program is for the processor, and has nothing for a simulated device");
  if (auto why = CustomKernels().resolve(program_, options_.kernels))
    return why;
  if (auto why = Fault::parse(options_.fault, program_, *fault_))
    return why;
  // In this thread, before there are others: the environment is changed for the
  // library that is loaded. If there is none, the runtime's own products do without.
  std::string unavailable;
  if (program_.num_calls)
    loadVendor(unavailable);
  return allocate();
}

std::unique_ptr<Session> Session::create(const dmc_program &program, const SessionOptions &options,
                                         std::string &error) {
  std::unique_ptr<Session> session;
  Transport *transport = options.transport;
  Failure why = verifyProgram(program);
  if (why) {
    why = "program " + *why;
  } else {
    session.reset(new Session(program, options));
    why = session->prepare();
  }
  if (transport)
    why = transport->agree(why);
  if (!why && transport)
    why = agreeOnSetup(setupOf(program, options), *transport);
  if (why) {
    error = *why;
    return nullptr;
  }
  session->engine_ = Engine::create(program, session->mesh_, options, why);
  if (why) {
    error = *why;
    return nullptr;
  }
  why = options.graph ? session->engine_->checkGraph(options) : std::nullopt;
  if (options.graph && transport)
    why = transport->agree(why);
  if (!why)
    why = session->touch();
  if (!why)
    why = session->allocateOnDevices();
  if (why) {
    error = *why;
    return nullptr;
  }
  session->makeStep();
  session->engine_->ranks().setFault(*session->fault_);
  return session;
}

Session::~Session() {
  // A stuck thread goes on using the engine.
  if (engine_ && engine_->ranks().isStuck()) {
    (void)engine_.release();
    return;
  }
  // Its memory goes back to a device before the engine ends, which owns the device.
  for (const auto &rank : ranks_)
    if (rank)
      rank->device.reset();
}

Failure Session::allocate() {
  bool good = true;
  const dmc_arena arena = arenaOf(program_, DMC_MEMORY_HOST);
  int64_t perRank = arena.bytes;
  ranks_.resize(numRanks_);
  int64_t first = options_.transport ? options_.transport->rank() : 0;
  int64_t last = options_.transport ? first + 1 : numRanks_;
  for (int64_t r = first; r < last; ++r) {
    auto rank = std::make_shared<RankBuffers>();
    rank->captured.executions.resize(program_.num_collectives);
    rank->isArgumentElsewhere.resize(program_.num_arguments);
    rank->isArgumentBound.resize(program_.num_arguments);
    rank->isResultBound.resize(program_.num_results);
    rank->isResultElsewhere.resize(program_.num_results);
    for (uint32_t i = 0; i < program_.num_arguments; ++i) {
      int64_t bytes = localBytes(program_.arguments[i]);
      perRank += r == first ? bytes : 0;
      rank->arguments.push_back(Buffer::allocate(bytes));
      good &= static_cast<bool>(rank->arguments.back());
      rank->argumentPointers.push_back(rank->arguments.back().data());
    }
    for (uint32_t i = 0; i < program_.num_results; ++i) {
      int64_t alias = program_.results[i].alias, bytes = localBytes(program_.results[i]);
      rank->results.emplace_back();
      if (alias < 0) {
        perRank += r == first ? bytes : 0;
        rank->results.back() = Buffer::allocate(bytes);
        good &= static_cast<bool>(rank->results.back());
      }
      rank->resultPointers.push_back(alias < 0 ? rank->results.back().data()
                                               : rank->argumentPointers[alias]);
    }
    rank->arena = Buffer::allocate(arena.bytes, arena.alignment);
    good &= static_cast<bool>(rank->arena);
    if (!good || fault_->hitsAllocation(r))
      return "not enough memory: " + std::to_string(numRanks_) + " ranks need " +
             std::to_string(perRank) + " bytes each" +
             (fault_->hitsAllocation(r) ? ", as DMC_FAULT asked for" : "");
    ranks_[r] = std::move(rank);
  }
  return std::nullopt;
}

static Failure noArgument(size_t index, const dmc_program &program) {
  return "argument " + std::to_string(index) + " of a program with " +
         std::to_string(program.num_arguments);
}

Failure Session::setArgument(size_t index, const Array &global) {
  if (index >= program_.num_arguments)
    return noArgument(index, program_);
  const dmc_value &value = program_.arguments[index];
  std::vector<int64_t> shape = globalShapeOf(value);
  if (global.type != value.element_type || global.shape != shape)
    return nameOf("argument", index, value) + ": expected " + toString(value.element_type, shape) +
           ", found " + toString(global.type, global.shape);
  return setArgument(index, global.data());
}

Failure Session::setArgument(size_t index, const void *global) {
  if (index >= program_.num_arguments)
    return noArgument(index, program_);
  const dmc_value &value = program_.arguments[index];
  std::vector<int64_t> shape = globalShapeOf(value);
  auto bytes = static_cast<int64_t>(elementBytes(value.element_type));
  std::vector<int64_t> globalStrides = rowMajorStrides(shape);
  return fillArgument(index, [=](const std::vector<DimBlock> &box, uint8_t *target,
                                 const std::vector<int64_t> &strides) {
    int64_t offset = 0;
    std::vector<int64_t> extents;
    for (size_t d = 0; d < box.size(); ++d) {
      offset += box[d].begin * globalStrides[d];
      extents.push_back(box[d].valid());
    }
    copyBox(target, strides, static_cast<const uint8_t *>(global) + offset * bytes, globalStrides,
            extents, bytes);
    return Failure();
  });
}

Failure Session::fillArgument(size_t index, const FillBox &fill) {
  struct Shared {
    std::mutex mutex;
    Failure failure;
  };
  auto shared = std::make_shared<Shared>();
  const dmc_value &value = program_.arguments[index];
  std::vector<int64_t> shape = globalShapeOf(value), strides = rowMajorStrides(localShapeOf(value));
  // By value, as in `step`.
  auto body = [=, ranks = ranks_, mesh = mesh_, layout = argumentLayouts_[index],
               type = value.element_type, poisons = options_.poison](dmc_rank_context &rank) {
    Buffer &buffer = ranks[rank.rank]->arguments[index];
    ranks[rank.rank]->setArgument(index);
    bool isHolder = holds(mesh, layout, rank.rank);
    std::vector<DimBlock> box = blocks(mesh, layout, shape, rank.rank);
    bool isFull = isHolder;
    for (const DimBlock &block : box)
      isFull &= block.valid() == block.size;
    if (!isFull) {
      if (poisons)
        poison(type, buffer.data(), buffer.size());
      else
        std::memset(buffer.data(), 0, buffer.size());
    }
    if (isHolder)
      if (auto why = fill(box, buffer.data(), strides)) {
        // Not a failure of the step: other ranks do not wait for this one.
        std::lock_guard<std::mutex> lock(shared->mutex);
        shared->failure = why;
      }
    return 0;
  };
  if (auto why = engine_->ranks().run(body))
    return why;
  return shared->failure;
}

Failure Session::checkLocal(const char *kind, int64_t rank, size_t index, size_t count) const {
  if (index < count && rank >= 0 && rank < numRanks_)
    return std::nullopt;
  return std::string(kind) + " " + std::to_string(index) + " of rank " + std::to_string(rank) +
         " does not exist";
}

Failure Session::setLocalArgument(int64_t rank, size_t index, const Array &local) {
  if (auto why = checkLocal("argument", rank, index, program_.num_arguments))
    return why;
  const dmc_value &value = program_.arguments[index];
  std::vector<int64_t> shape = localShapeOf(value);
  if (local.type != value.element_type || local.shape != shape)
    return nameOf("argument", index, value) + " of rank " + std::to_string(rank) + ": expected " +
           toString(value.element_type, shape) + ", found " + toString(local.type, local.shape);
  return setLocalArgument(rank, index, local.data());
}

Failure Session::setLocalArgument(int64_t rank, size_t index, const void *local) {
  if (auto why = checkLocal("argument", rank, index, program_.num_arguments))
    return why;
  int64_t bytes = localBytes(program_.arguments[index]);
  if (isHere(rank)) {
    ranks_[rank]->setArgument(index);
    if (bytes)
      std::memcpy(ranks_[rank]->arguments[index].data(), local, static_cast<size_t>(bytes));
  }
  return std::nullopt;
}

/// Before a step, what it writes holds what no program would expect.
static void poisonOutputs(const dmc_program &program, const std::vector<void *> &results,
                          const Buffer &arena) {
  std::memset(arena.data(), 0xff, arena.size());
  for (uint32_t i = 0; i < program.num_results; ++i)
    if (const dmc_value &result = program.results[i]; result.alias < 0)
      poison(result.element_type, results[i], static_cast<size_t>(localBytes(result)));
}

/// Touches all memory on the threads that will use it, so that steps find their pages there and
/// near, and prepares library calls.
Failure Session::touch() {
  return engine_->ranks().run([ranks = ranks_, &program = program_](dmc_rank_context &context) {
    RankBuffers &rank = *ranks[context.rank];
    for (const auto *buffers : {&rank.arguments, &rank.results})
      for (const Buffer &buffer : *buffers)
        if (buffer)
          std::memset(buffer.data(), 0, buffer.size());
    std::memset(rank.arena.data(), 0, rank.arena.size());
    if (program.device != DMC_DEVICE_HOST)
      return 0;
    int64_t bytes = callScratchOf(program).bytes(context.device->threads());
    rank.scratch = Buffer::allocate(static_cast<size_t>(bytes));
    Failure why;
    if (!rank.scratch)
      why = "not enough memory: library calls need " + std::to_string(bytes) + " bytes of scratch";
    else
      std::memset(rank.scratch.data(), 0, rank.scratch.size());
    if (!why)
      why = context.device->prepare(program, rank.scratch.data());
    return why ? context.engine->ranks().fail("rank " + std::to_string(context.rank) + ": " + *why)
               : 0;
  });
}

Failure Session::allocateOnDevices() {
  for (const auto &context : engine_->ranks().local()) {
    if (!context->device->hasOwnMemory())
      continue;
    auto values = std::make_unique<DeviceValues>(program_, *context->device);
    if (auto why = values->allocate())
      return "rank " + std::to_string(context->rank) + ": " + *why;
    ranks_[context->rank]->device = std::move(values);
  }
  return std::nullopt;
}

/// One step of a rank whose values are on a device.
static Failure runOnDevice(DeviceValues &values, Device &device, bool poisons,
                           std::vector<Buffer> &arguments, Recorder *recorder,
                           const std::function<int32_t()> &step, int32_t &code) {
  if (poisons)
    if (auto why = values.poison())
      return why;
  if (auto why = values.upload(arguments, recorder))
    return why;
  values.beginStep();
  code = step();
  // What was launched goes on after a failure, too.
  auto why = device.synchronize();
  return code ? std::nullopt : why;
}

/// Gives the device what the step launches: at first by the program's own calls, which become the
/// graph, and then by one launch of it.
static int32_t launchGraph(dmc_rank_context &context, CapturedStep &captured,
                           const std::function<int32_t()> &step) {
  DeviceGraph &graph = *context.device->graph();
  Failure why;
  if (!graph.isMade()) {
    why = graph.begin();
    if (context.recorder)
      context.recorder->beginGraph();
    int32_t code = why ? 0 : step();
    if (context.recorder)
      context.recorder->endGraph();
    if (code) {
      (void)graph.end(/*keeps=*/false);
      return code;
    }
    if (!why)
      why = graph.end(/*keeps=*/true);
    captured.collective = context.collective.load();
    for (size_t i = 0; i < captured.executions.size(); ++i)
      captured.executions[i] = context.executions[i];
  }
  for (size_t i = 0; i < captured.executions.size(); ++i)
    context.executions[i] = captured.executions[i];
  // For the watch: a rank whose graph has collectives may wait for others.
  context.collective = captured.collective;
  if (context.recorder)
    context.recorder->addGraph();
  if (!why)
    why = graph.launch();
  return why ? context.engine->ranks().fail("rank " + std::to_string(context.rank) + ": " + *why)
             : 0;
}

/// Made once: steps allocate nothing.
void Session::makeStep() {
  // By value: a rank that is stuck may go on when neither a call of `step` nor the session
  // is there any more.
  auto body = [ranks = ranks_, &program = program_, poisons = options_.poison,
               isGraph = options_.graph](dmc_rank_context &context) {
    RankBuffers &rank = *ranks[context.rank];
    if (poisons)
      poisonOutputs(program, rank.resultPointers, rank.arena);
    if (context.recorder)
      context.recorder->begin(context.rank, context.device->clock());
    void *arena = rank.arena.data();
    dmc_step_memory memory = {sizeof memory,
                              0,
                              context.coordinates.data(),
                              rank.argumentPointers.data(),
                              rank.resultPointers.data(),
                              &arena,
                              nullptr};
    auto call = [&] { return program.step(&context, &Engine::api(), &memory); };
    auto step = [&] { return isGraph ? launchGraph(context, rank.captured, call) : call(); };
    int32_t code = 0;
    if (rank.device) {
      std::vector<void *> arenas = rank.device->arenas(arena);
      memory.arguments = rank.device->arguments();
      memory.results = rank.device->results();
      memory.arenas = arenas.data();
      memory.constants = rank.device->constants();
      if (auto why = runOnDevice(*rank.device, *context.device, poisons, rank.arguments,
                                 context.recorder.get(), step, code))
        code = context.engine->ranks().fail("rank " + std::to_string(context.rank) + ": " + *why);
    } else {
      code = step();
    }
    if (context.recorder && code == 0)
      if (auto why = context.recorder->end())
        code = context.engine->ranks().fail("rank " + std::to_string(context.rank) + ": " + *why);
    return code;
  };
  step_ = std::make_shared<const std::function<int32_t(dmc_rank_context &)>>(std::move(body));
}

Failure Session::step() {
  for (const auto &rank : ranks_)
    if (rank)
      rank->isResultElsewhere.assign(rank->isResultElsewhere.size(), false);
  Failure why = engine_->prepareStep();
  if (!why)
    why = engine_->ranks().run(step_);
  if (!isStuck()) { // else a rank goes on using what is bound
    unbind();
    if (why)
      engine_->endCollectives();
  }
  if (why)
    return why;
  return engine_->ranks().checkFault();
}

std::optional<Array> Session::localResult(int64_t rank, size_t index, std::string &error) const {
  if (auto why = checkLocal("result", rank, index, program_.num_results)) {
    error = *why;
    return std::nullopt;
  }
  const dmc_value &value = program_.results[index];
  if (isHere(rank) && ranks_[rank]->isResultElsewhere[index]) {
    error = nameOf("result", index, value) + " of rank " + std::to_string(rank) +
            " is in the memory that was bound to the last step";
    return std::nullopt;
  }
  Array local = Array::make(value.element_type, localShapeOf(value));
  if (!local.buffer) {
    error = nameOf("result", index, value) + ": not enough memory";
    return std::nullopt;
  }
  if (auto why = fetch(heldResult(index))) {
    error = *why;
    return std::nullopt;
  }
  if (isHere(rank))
    std::memcpy(local.data(), ranks_[rank]->resultPointers[index], local.numBytes());
  return local;
}

std::vector<int64_t> Session::executions() const { return engine_->communicator().executions(); }

bool Session::sharesDevices() const { return engine_->sharesDevices(); }

int Session::threadsPerRank() const { return engine_->ranks().local().front()->device->threads(); }

double Session::measureDeviceCopyRate() const {
  double rate = 0;
  dmc_rank_context &rank = *engine_->ranks().local().front();
  if (auto why = rank.device->measureCopyRate(rate))
    rate = 0; // a profile does without
  return rate;
}

std::vector<RankProfile> Session::profile() const { return engine_->profile(); }

bool Session::isStuck() const { return engine_->ranks().isStuck(); }
