//===- Engine.cpp - What a program calls ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Engine.h"
#include "CUDA/CudaDevice.h"
#include "Communicator/LocalCommunicator.h"
#include "Communicator/ProcessCommunicator.h"
#include "Ranks/Agreement.h"

#include <algorithm>

using namespace dmc;
using namespace dmc::runtime;

/// Whether ranks share a device: of threads by their number, of processes by what they report. An
/// error if they may not. Simulated devices are those of a process.
static Failure findSharedDevices(int64_t numRanks, const SessionOptions &options, bool &areShared) {
  bool isSimulated = options.device == DeviceChoice::Simulated;
  if (!options.transport) {
    areShared = options.sharesDevices && cuda::countDevices(isSimulated) < numRanks;
    return std::nullopt;
  }
  areShared = false;
  if (isSimulated)
    return std::nullopt;
  std::vector<RankPlace> places;
  int own = cuda::chooseDevice(options.transport->localRank(), isSimulated);
  if (auto why = gatherPlaces(cuda::deviceIdentity(own, isSimulated), *options.transport, places))
    return why;
  auto shared = findSharedDevice(places);
  areShared = shared.has_value();
  Failure why;
  if (areShared && !options.sharesDevices) {
    const RankPlace &place = places[shared->first];
    why = "ranks " + std::to_string(shared->first) + " and " + std::to_string(shared->second) +
          " have the same device, " + place.device + " of host " + place.host +
          ", expected one each; DMC_SHARE_DEVICES=1 allows it";
  }
  return options.transport->agree(why);
}

std::unique_ptr<Engine> Engine::create(const dmc_program &program, const Mesh &mesh,
                                       const SessionOptions &options, Failure &why) {
  std::unique_ptr<Engine> engine(new Engine(program));
  auto use = [&](auto ranks, auto makeCommunicator) {
    engine->communicator_ = makeCommunicator(*ranks);
    engine->ranks_ = std::move(ranks);
  };
  if (options.transport)
    use(std::make_unique<ProcessRanks>(program, mesh, options), [&](ProcessRanks &ranks) {
      return std::make_unique<ProcessCommunicator>(program, ranks, options);
    });
  else
    use(std::make_unique<LocalRanks>(program, mesh, options), [&](LocalRanks &ranks) {
      return std::make_unique<LocalCommunicator>(program, ranks, options);
    });
  for (const auto &rank : engine->ranks_->local())
    rank->engine = engine.get();
  bool isSimulated = options.device == DeviceChoice::Simulated;
  bool isOnDevices = program.device == DMC_DEVICE_CUDA;
  why = engine->kernels_.resolve(program, options.kernels);
  if (!why)
    why = engine->ranks_->start();
  if (!why && isOnDevices)
    why = findSharedDevices(mesh.numRanks(), options, engine->sharesDevices_);
  if (!why)
    why = engine->communicator_->connect();
  // NCCL refuses two ranks of one device: their collectives go through the memory of the host.
  if (!why && isOnDevices && program.num_collectives && !engine->sharesDevices_) {
    engine->nccl_ = std::make_unique<cuda::NcclCommunicator>(program, *engine->ranks_, isSimulated,
                                                             options.transport);
    std::vector<std::vector<std::vector<int64_t>>> groups;
    groups.reserve(program.num_collectives);
    for (uint32_t i = 0; i < program.num_collectives; ++i)
      groups.push_back(engine->communicator_->groupsOf(program.collectives[i]));
    why = engine->nccl_->connect(groups);
  }
  return why ? nullptr : std::move(engine);
}

std::vector<RankProfile> Engine::profile() const {
  std::vector<RankProfile> profiles;
  for (const auto &rank : ranks_->local())
    if (rank->recorder)
      profiles.push_back(rank->recorder->profile());
  return profiles;
}

void Engine::dropGraphs() {
  if (!ranks_)
    return;
  for (const auto &rank : ranks_->local())
    if (DeviceGraph *graph = rank->device->graph())
      graph->drop();
}

Failure Engine::checkGraph(const SessionOptions &options) const {
  const std::string cannot = "the step cannot be one graph: ";
  if (program_.device == DMC_DEVICE_HOST)
    return cannot + "the program is for the processor";
  if (program_.host_wait)
    return cannot + "the host waits for what " + program_.host_wait + " reads on the device";
  for (uint32_t i = 0; i < program_.num_collectives; ++i)
    if (!nccl_ || !nccl_->supports(i))
      return cannot + ranks_->describe(i) + " goes through the memory of the host";
  if (options.checkCopies)
    return cannot + "DMC_CHECK_COPIES compares results on the host";
  if (!options.fault.empty())
    return cannot + "DMC_FAULT asks for a fault within it";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What the program calls
//===----------------------------------------------------------------------===//

/// A collective on memory of devices: through NCCL where it can.
bool Engine::executeOnDevice(dmc_rank_context &rank, int64_t index, const void *operand,
                             void *result) {
  const dmc_collective &collective = program_.collectives[index];
  if (!nccl_ || !nccl_->supports(index))
    return executeThroughHost(rank, index, operand, result);
  if (!nccl_->execute(rank, index, operand, result))
    return false;
  if (!communicator_->checksCopies() || !nccl_->isShared(rank.rank, index))
    return true;
  Buffer copy = Buffer::allocate(static_cast<size_t>(collective.result_bytes));
  Failure why;
  if (!copy && collective.result_bytes)
    why = "not enough memory to compare copies";
  if (!why)
    why = rank.device->copy(copy.data(), DMC_MEMORY_HOST, result, DMC_MEMORY_DEVICE,
                            collective.result_bytes, collective.stream);
  if (why)
    return !ranks_->fail("rank " + std::to_string(rank.rank) + ": " + *why);
  return communicator_->checkCopies(rank, index, copy.data());
}

/// A collective on memory of devices: the values go through memory of the host, on the stream of
/// the collective.
bool Engine::executeThroughHost(dmc_rank_context &rank, int64_t index, const void *operand,
                                void *result) {
  const dmc_collective &collective = program_.collectives[index];
  auto reserve = [&](Buffer &buffer, int64_t bytes) {
    if (buffer.size() < static_cast<size_t>(bytes))
      buffer = Buffer::allocate(static_cast<size_t>(bytes));
    return static_cast<bool>(buffer) || bytes == 0;
  };
  auto [from, to] = std::pair(&rank.staging[0], &rank.staging[operand == result ? 0 : 1]);
  Failure why;
  if (!reserve(*from, collective.operand_bytes) || !reserve(*to, collective.result_bytes))
    why = "not enough memory for " + ranks_->describe(index);
  if (!why)
    why = rank.device->copy(from->data(), DMC_MEMORY_HOST, operand, DMC_MEMORY_DEVICE,
                            collective.operand_bytes, collective.stream);
  if (!why && !communicator_->execute(rank, index, from->data(), to->data()))
    return false;
  if (!why)
    why = rank.device->copy(result, DMC_MEMORY_DEVICE, to->data(), DMC_MEMORY_HOST,
                            collective.result_bytes, collective.stream);
  if (why)
    ranks_->fail("rank " + std::to_string(rank.rank) + ": " + *why);
  return !why;
}

/// After what may have waited for a device.
static void resume(dmc_rank_context &rank) {
  rank.state.store(RankState::Running, std::memory_order_release);
  rank.advance();
}

int32_t Engine::collective(dmc_rank_context &rank, int64_t index, const void *operand,
                           void *result) {
  if (ranks_->hasFailed())
    return 1;
  if (index < 0 || index >= program_.num_collectives)
    return ranks_->fail("rank " + std::to_string(rank.rank) + " calls collective " +
                        std::to_string(index) + " of " + std::to_string(program_.num_collectives));
  rank.collective.store(index, std::memory_order_relaxed);
  rank.advance();
  Recorder::Begun begun;
  if (rank.recorder)
    begun = rank.recorder->open(ProfileEvent::Collective, static_cast<uint32_t>(index),
                                program_.collectives[index].stream);
  bool isDone = rank.device->hasOwnMemory()
                    ? executeOnDevice(rank, index, operand, result)
                    : communicator_->execute(rank, index, static_cast<const uint8_t *>(operand),
                                             static_cast<uint8_t *>(result));
  if (rank.device->hasOwnMemory())
    resume(rank);
  if (!isDone)
    return 1;
  if (rank.recorder)
    rank.recorder->add(begun);
  return 0;
}

/// Performs the whole collective: the ranks' own threads move the data, so there is nothing that
/// could go on meanwhile.
int32_t Engine::start(dmc_rank_context &rank, int64_t index, const void *operand, void *result) {
  int32_t code = collective(rank, index, operand, result);
  if (code == 0)
    ++rank.started[index];
  return code;
}

int32_t Engine::wait(dmc_rank_context &rank, int64_t index) {
  if (index < 0 || index >= program_.num_collectives || rank.started[index] == 0)
    return ranks_->fail("rank " + std::to_string(rank.rank) + " waits for collective " +
                        std::to_string(index) + ", which it did not start");
  --rank.started[index];
  return 0;
}

int32_t Engine::launch(dmc_rank_context &rank, int64_t index, const void *arguments) {
  rank.advance();
  if (ranks_->hasFailed())
    return 1;
  if (index < 0 || index >= program_.num_kernels)
    return ranks_->fail("rank " + std::to_string(rank.rank) + " launches kernel " +
                        std::to_string(index) + " of " + std::to_string(program_.num_kernels));
  const dmc_kernel &kernel = program_.kernels[index];
  Recorder::Begun begun;
  if (rank.recorder)
    begun = rank.recorder->open(ProfileEvent::Launch, static_cast<uint32_t>(index), kernel.stream);
  Failure why;
  int32_t code = rank.device->launch(rank, api(), kernel, arguments, begun.event.threads, why);
  if (rank.recorder)
    rank.recorder->add(begun);
  return why ? ranks_->fail("rank " + std::to_string(rank.rank) + ": " + *why) : code;
}

int32_t Engine::call(dmc_rank_context &rank, int64_t index, void *const *operands) {
  rank.advance();
  ranks_->onProgress(rank);
  if (ranks_->hasFailed())
    return 1;
  if (index < 0 || index >= program_.num_calls)
    return ranks_->fail("rank " + std::to_string(rank.rank) + " makes library call " +
                        std::to_string(index) + " of " + std::to_string(program_.num_calls));
  const dmc_call &call = program_.calls[index];
  Recorder::Begun begun;
  if (rank.recorder)
    begun = rank.recorder->open(ProfileEvent::Call, static_cast<uint32_t>(index), call.stream);
  Failure why = call.custom ? kernels_.run(call, index, rank.rank, operands)
                            : rank.device->call(call, operands, begun.event.threads);
  if (rank.recorder)
    rank.recorder->add(begun);
  rank.advance();
  if (!why)
    return 0;
  std::string location = call.location ? call.location : "";
  return ranks_->fail(location.empty() ? *why : location + ": " + *why);
}

int32_t Engine::event(dmc_rank_context &rank, int64_t event, uint32_t kind, uint32_t stream) {
  if (ranks_->hasFailed())
    return 1;
  if (event < 0 || event >= program_.num_events || kind > DMC_EVENT_WAIT ||
      stream >= program_.num_streams)
    return ranks_->fail("rank " + std::to_string(rank.rank) + " uses event " +
                        std::to_string(event) + " of " + std::to_string(program_.num_events) +
                        " on stream " + std::to_string(stream) + " of " +
                        std::to_string(program_.num_streams));
  Failure why = rank.device->event(event, static_cast<dmc_event_kind>(kind), stream);
  return why ? ranks_->fail(*why) : 0;
}

int32_t Engine::copy(dmc_rank_context &rank, void *to, uint32_t toSpace, const void *from,
                     uint32_t fromSpace, int64_t bytes, uint32_t stream) {
  if (ranks_->hasFailed())
    return 1;
  Recorder::Begun begun;
  if (rank.recorder)
    begun = rank.recorder->open(ProfileEvent::Copy, copyIndex(fromSpace, toSpace), stream, bytes);
  Failure why = rank.device->copy(to, toSpace, from, fromSpace, bytes, stream);
  if (rank.recorder)
    rank.recorder->add(begun);
  resume(rank);
  return why ? ranks_->fail(*why) : 0;
}

const dmc_runtime_api &Engine::api() {
  static const dmc_runtime_api table = {
      DMC_ABI_VERSION,
      sizeof(dmc_runtime_api),
      [](dmc_rank_context *rank, int64_t index, const void *operand, void *result) {
        return rank->engine->collective(*rank, index, operand, result);
      },
      [](dmc_rank_context *rank, int64_t index, const void *operand, void *result) {
        return rank->engine->start(*rank, index, operand, result);
      },
      [](dmc_rank_context *rank, int64_t index) { return rank->engine->wait(*rank, index); },
      [](dmc_rank_context *rank, int64_t kernel, const void *arguments) {
        return rank->engine->launch(*rank, kernel, arguments);
      },
      [](dmc_rank_context *rank, int64_t call, const void *operands) {
        return rank->engine->call(*rank, call, static_cast<void *const *>(operands));
      },
      [](dmc_rank_context *rank, int64_t event, uint32_t kind, uint32_t stream) {
        return rank->engine->event(*rank, event, kind, stream);
      },
      [](dmc_rank_context *rank, void *to, uint32_t toSpace, const void *from, uint32_t fromSpace,
         int64_t bytes, uint32_t stream) {
        return rank->engine->copy(*rank, to, toSpace, from, fromSpace, bytes, stream);
      }};
  return table;
}
