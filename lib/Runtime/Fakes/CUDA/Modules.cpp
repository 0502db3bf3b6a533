//===- Modules.cpp - Modules, functions and launches ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Call.h"
#include "Fakes/CUDA/Cost.h"

#include <cstring>

using namespace dmc;
using namespace dmc::fakes;

// Of compute capability 9.0.
static constexpr uint64_t mostThreads = 1024, defaultShared = 48 << 10, mostShared = 227 << 10;

/// What keeps a device of compute capability 9.0 from running a text for this target.
static Result checkTarget(const std::string &text) {
  size_t at = text.find("\n.target");
  size_t sm = at == std::string::npos ? at : text.find("sm_", at);
  if (sm == std::string::npos)
    return Result::Success; // the parser says what is missing
  size_t end = 0;
  int version = 0;
  for (end = sm + 3; end < text.size() && text[end] >= '0' && text[end] <= '9' && version < 1000;
       ++end)
    version = version * 10 + (text[end] - '0');
  // Features of one architecture ("a") are there on this one only.
  bool isSpecific = end < text.size() && text[end] == 'a';
  if (version <= 90 && (!isSpecific || version == 90))
    return Result::Success;
  return refuse(Result::NoBinaryForGpu, "cuModuleLoadData: the PTX is for " +
                                            text.substr(sm, end - sm + isSpecific) +
                                            ", the device is sm_90");
}

static Result loadText(Context &context, const std::string &text, CUmodule *handle) {
  if (Result result = checkTarget(text); result != Result::Success)
    return result;
  auto module = std::make_shared<Module>();
  std::string error;
  module->context = &context;
  module->program = ptx::Module::parse(text, error);
  if (!module->program)
    return refuse(Result::InvalidPtx, "cuModuleLoadData: " + error);
  *handle = simulation().modules.add<CUmodule>(std::move(module));
  return Result::Success;
}

/// The value of a function's attribute; false if it has none.
static bool attributeOf(const Function &function, FunctionAttribute attribute, int &value) {
  ptx::KernelNeeds needs = function.module->program->needs(function.name);
  switch (attribute) {
  case FunctionAttribute::MaxThreadsPerBlock:
    value = static_cast<int>(needs.mostThreads ? std::min(needs.mostThreads, mostThreads)
                                               : mostThreads);
    return true;
  case FunctionAttribute::SharedBytes:
    value = static_cast<int>(needs.sharedBytes);
    return true;
  case FunctionAttribute::LocalBytes:
    value = static_cast<int>(needs.localBytes);
    return true;
  case FunctionAttribute::ConstantBytes:
  case FunctionAttribute::Registers: // an assembler's decision
  case FunctionAttribute::CacheMode:
    value = 0;
    return true;
  case FunctionAttribute::PtxVersion:
  case FunctionAttribute::BinaryVersion:
    value = 90;
    return true;
  case FunctionAttribute::MaxDynamicSharedBytes:
    value = function.dynamicShared
                ? function.dynamicShared
                : static_cast<int>(defaultShared - std::min(needs.sharedBytes, defaultShared));
    return true;
  case FunctionAttribute::SharedCarveout:
    value = -1;
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The arguments of a launch, copied; false if there are none of the right size.
static bool takeArguments(const Function &function, void **parameters, void **extra,
                          std::vector<uint8_t> &bytes) {
  const ptx::Module &program = *function.module->program;
  bytes.assign(program.needs(function.name).parameterBytes, 0);
  if (parameters && extra)
    return false;
  if (parameters) {
    size_t number = 0;
    for (const ptx::Parameter &parameter : program.parameters(function.name)) {
      const void *value = parameters[number++];
      if (!value)
        return false;
      std::memcpy(bytes.data() + parameter.offset, value, parameter.size);
    }
    return true;
  }
  const void *buffer = nullptr;
  const size_t *size = nullptr;
  for (; extra && *extra != launchParamEnd(); extra += 2) {
    if (*extra == launchParamBufferPointer())
      buffer = extra[1];
    else if (*extra == launchParamBufferSize())
      size = static_cast<const size_t *>(extra[1]);
    else
      return false;
  }
  if (!buffer || !size)
    return bytes.empty();
  if (*size < bytes.size())
    return false;
  if (!bytes.empty())
    std::memcpy(bytes.data(), buffer, bytes.size());
  return true;
}

/// What a driver refuses of the sizes of a launch.
static Result checkSizes(const Function &function, const ptx::Launch &launch) {
  ptx::KernelNeeds needs = function.module->program->needs(function.name);
  uint64_t threads = uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  std::string what = "cuLaunchKernel: " + function.name;
  if (!threads || !launch.grid[0] || !launch.grid[1] || !launch.grid[2])
    return refuse(Result::InvalidValue, what + ": a grid or a block of no threads");
  if (launch.block[0] > 1024 || launch.block[1] > 1024 || launch.block[2] > 64 ||
      threads > mostThreads)
    return refuse(Result::InvalidValue, what + ": a block of " + std::to_string(threads) +
                                            " threads, at most " + std::to_string(mostThreads));
  if (launch.grid[0] > 2147483647 || launch.grid[1] > 65535 || launch.grid[2] > 65535)
    return refuse(Result::InvalidValue, what + ": a grid that is too large");
  if (needs.mostThreads && threads > needs.mostThreads)
    return refuse(Result::LaunchOutOfResources, what + ": a block of " + std::to_string(threads) +
                                                    " threads, .maxntid allows " +
                                                    std::to_string(needs.mostThreads));
  if (needs.requiredThreads[0] && needs.requiredThreads != launch.block)
    return refuse(Result::InvalidValue, what + ": a block of another shape than .reqntid says");
  int allowed = 0;
  attributeOf(function, FunctionAttribute::MaxDynamicSharedBytes, allowed);
  if (launch.dynamicShared > static_cast<uint64_t>(allowed))
    return refuse(Result::InvalidValue,
                  what + ": " + std::to_string(launch.dynamicShared) +
                      " bytes of dynamic shared memory, at most " + std::to_string(allowed) +
                      " are allowed (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)");
  return Result::Success;
}

/// What synchronising calls return after a report.
static Result resultOf(ptx::ReportKind kind) {
  switch (kind) {
  case ptx::ReportKind::OutOfBounds:
  case ptx::ReportKind::UseAfterFree:
    return Result::IllegalAddress;
  case ptx::ReportKind::Misaligned:
    return Result::MisalignedAddress;
  case ptx::ReportKind::InvalidInstruction:
    return Result::IllegalInstruction;
  case ptx::ReportKind::InvalidLaunch:
    return Result::LaunchFailed;
  case ptx::ReportKind::EndlessLoop:
    return Result::LaunchTimeout;
  default:
    return Result::Assert;
  }
}

static double runKernel(Operation &operation, const Module &module, ptx::Launch launch) {
  History &history = simulation().history;
  static_cast<ptx::Accessor &>(launch) = operation.accessor();
  launch.describe = [&](uint32_t number) { return history.describe(number); };
  launch.seed = operation.seed;
  launch.approximates = simulation().settings.approximates;
  ptx::Outcome outcome = ptx::run(*module.program, launch, *operation.stream->context->memory);
  for (const ptx::Report &found : outcome.reports) {
    std::string kind = name(found.kind), text = found.text();
    report(operation, kind, text.substr(kind.size() + 2), resultOf(found.kind));
  }
  return secondsOfKernel(outcome.counts);
}

/// The allocations that arguments point into.
static std::vector<Range> allocationsOf(const std::vector<uint8_t> &arguments) {
  std::vector<Range> found;
  for (size_t offset = 0; offset + 8 <= arguments.size(); offset += 8) {
    ptx::Address address = 0;
    std::memcpy(&address, arguments.data() + offset, 8);
    if (const ptx::Region *region = simulation().regionOf(address, 1))
      found.push_back({region->base, region->size});
  }
  return found;
}

static Result launchFunction(Context &context, CUfunction handle, ptx::Launch launch,
                             CUstream streamHandle, void **parameters, void **extra) {
  std::shared_ptr<Function> function = simulation().functions.find(handle);
  std::shared_ptr<Stream> stream = streamOf(context, streamHandle);
  if (!function || function->module->context != &context || !stream)
    return Result::InvalidHandle;
  launch.kernel = function->name;
  if (Result result = checkSizes(*function, launch); result != Result::Success)
    return result;
  if (!takeArguments(*function, parameters, extra, launch.arguments))
    return refuse(Result::InvalidValue,
                  "cuLaunchKernel: " + function->name + ": arguments are missing");
  Work work;
  work.name = function->name;
  work.uses = allocationsOf(launch.arguments);
  work.module = function->module;
  work.run = [module = function->module, launch = std::move(launch)](Operation &operation) {
    return runKernel(operation, *module, launch);
  };
  return submit(stream, std::move(work));
}

/// What is not simulated of a launch's attributes is refused; hints are not needed.
static Result checkAttributes(const LaunchConfig &config) {
  for (unsigned i = 0; i < config.numAttributes; ++i) {
    const LaunchAttribute &attribute = config.attributes[i];
    switch (attribute.id) {
    case LaunchAttributeId::Ignore:
    case LaunchAttributeId::AccessPolicyWindow:
    case LaunchAttributeId::SynchronizationPolicy:
    case LaunchAttributeId::ClusterSchedulingPolicy:
    case LaunchAttributeId::Priority:
    case LaunchAttributeId::MemorySyncDomainMap:
    case LaunchAttributeId::MemorySyncDomain:
    // It may begin early; here it never does.
    case LaunchAttributeId::ProgrammaticStreamSerialization:
      break;
    case LaunchAttributeId::ClusterDimension:
      if (const auto &size = attribute.value.clusterDimension;
          size.x != 1 || size.y != 1 || size.z != 1)
        return refuse(Result::NotSupported, "unsupported: clusters of more than one block");
      break;
    default:
      return refuse(Result::NotSupported, "unsupported: launch attribute " +
                                              std::to_string(static_cast<int>(attribute.id)));
    }
  }
  return Result::Success;
}

namespace dmc::cuda {
extern "C" {

Result cuModuleLoadData(CUmodule *module, const void *image) {
  return Call("cuModuleLoadData", image).inContext([&](Context &context, Lock &) {
    if (isAnyNull(module, image))
      return Result::InvalidValue;
    // Containers of machine code: ELF, and fat binaries with their wrapper.
    const unsigned char magics[][4] = {
        {0x7f, 'E', 'L', 'F'}, {0x50, 0xed, 0x55, 0xba}, {0xb1, 0x43, 0x62, 0x46}};
    for (const auto &magic : magics)
      if (!std::strncmp(static_cast<const char *>(image), reinterpret_cast<const char *>(magic), 4))
        return refuse(Result::NoBinaryForGpu,
                      "cuModuleLoadData: the image is machine code, expected PTX");
    return loadText(context, static_cast<const char *>(image), module);
  });
}

Result cuModuleUnload(CUmodule handle) {
  return Call("cuModuleUnload", handle).inContext([&](Context &context, Lock &lock) {
    Simulation &state = simulation();
    std::shared_ptr<Module> module = state.modules.find(handle);
    if (!module || module->context != &context)
      return Result::InvalidHandle;
    quiesce(lock, context);
    bool hasFailed = context.error != Result::Success;
    for (const std::shared_ptr<Stream> &stream : context.streams)
      if (!hasFailed && module->uses.at(stream->lane) > context.host.at(stream->lane))
        report(&context, "free in use",
               "a module is unloaded, of which a kernel was launched in " + *stream->name +
                   ", and the host has not waited for it",
               Result::IllegalAddress);
    state.functions.eraseIf([&](const Function &function) { return function.module == module; });
    state.modules.erase(handle);
    for (ptx::Address variable : context.memory->forget(module->program->program()))
      state.regions.erase(variable);
    return Result::Success;
  });
}

Result cuModuleGetFunction(CUfunction *function, CUmodule handle, const char *name) {
  return Call("cuModuleGetFunction", handle, name).inContext([&](Context &context, Lock &) {
    if (isAnyNull(function, name))
      return Result::InvalidValue;
    std::shared_ptr<Module> module = simulation().modules.find(handle);
    if (!module || module->context != &context)
      return Result::InvalidHandle;
    if (!module->program->hasKernel(name))
      return Result::NotFound;
    auto object = std::make_shared<Function>();
    object->module = std::move(module);
    object->name = name;
    *function = simulation().functions.add<CUfunction>(std::move(object));
    return Result::Success;
  });
}

Result cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule handle,
                            const char *name) {
  return Call("cuModuleGetGlobal_v2", handle, name).inContext([&](Context &context, Lock &lock) {
    Simulation &state = simulation();
    std::shared_ptr<Module> module = state.modules.find(handle);
    if (!name || (!address && !bytes))
      return Result::InvalidValue;
    if (!module || module->context != &context)
      return Result::InvalidHandle;
    uint64_t size = 0;
    if (!module->program->hasVariable(name, size))
      return Result::NotFound;
    quiesce(lock, context);
    ptx::Address found = context.memory->variable(module->program->program(), name);
    state.regions[found] = context.memory->find(found);
    if (address)
      *address = found;
    if (bytes)
      *bytes = size;
    return Result::Success;
  });
}

Result cuFuncSetAttribute(CUfunction handle, FunctionAttribute attribute, int value) {
  return Call("cuFuncSetAttribute", handle, attribute, value).inContext([&](Context &, Lock &) {
    std::shared_ptr<Function> function = simulation().functions.find(handle);
    if (!function)
      return Result::InvalidHandle;
    if (attribute == FunctionAttribute::SharedCarveout)
      return value >= -1 && value <= 100 ? Result::Success : Result::InvalidValue; // a hint
    uint64_t own = function->module->program->needs(function->name).sharedBytes;
    if (attribute != FunctionAttribute::MaxDynamicSharedBytes || value < 0 ||
        static_cast<uint64_t>(value) + own > mostShared)
      return Result::InvalidValue;
    function->dynamicShared = value;
    return Result::Success;
  });
}

Result cuFuncGetAttribute(int *value, FunctionAttribute attribute, CUfunction handle) {
  return Call("cuFuncGetAttribute", attribute, handle).inContext([&](Context &, Lock &) {
    std::shared_ptr<Function> function = simulation().functions.find(handle);
    if (!function)
      return Result::InvalidHandle;
    return value && attributeOf(*function, attribute, *value) ? Result::Success
                                                              : Result::InvalidValue;
  });
}

Result cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                      CUstream stream, void **parameters, void **extra) {
  Call call("cuLaunchKernel", function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes,
            stream);
  return call.inContext([&](Context &context, Lock &) {
    ptx::Launch launch;
    launch.grid = {gridX, gridY, gridZ};
    launch.block = {blockX, blockY, blockZ};
    launch.dynamicShared = sharedBytes;
    return launchFunction(context, function, std::move(launch), stream, parameters, extra);
  });
}

Result cuLaunchKernelEx(const LaunchConfig *config, CUfunction function, void **parameters,
                        void **extra) {
  Call call("cuLaunchKernelEx", config, function);
  return call.inContext([&](Context &context, Lock &) {
    if (!config || (config->numAttributes && !config->attributes))
      return Result::InvalidValue;
    if (Result result = checkAttributes(*config); result != Result::Success)
      return result;
    ptx::Launch launch;
    launch.grid = {config->gridX, config->gridY, config->gridZ};
    launch.block = {config->blockX, config->blockY, config->blockZ};
    launch.dynamicShared = config->sharedBytes;
    return launchFunction(context, function, std::move(launch), config->stream, parameters, extra);
  });
}

Result cuTensorMapEncodeTiled(TensorMap *map, int, uint32_t, void *, const uint64_t *,
                              const uint64_t *, const uint32_t *, const uint32_t *, int, int, int,
                              int) {
  // The simulator knows no instruction that reads such a map.
  return Call("cuTensorMapEncodeTiled", map).initialized([&](Lock &) {
    return refuse(Result::NotSupported, "unsupported: cuTensorMapEncodeTiled");
  });
}

} // extern "C"
} // namespace dmc::cuda
