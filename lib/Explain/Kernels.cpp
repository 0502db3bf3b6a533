//===- Kernels.cpp - The loop nests of kernels ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the plans of nests, and the sizes of library calls, off the kernels that the
// scheduled program launches.
//
//===----------------------------------------------------------------------===//
#include "Gather.h"

#include "dmc/Codegen/DeviceCode.h"
#include "dmc/Codegen/KernelResources.h"
#include "dmc/Codegen/VectorLoops.h"
#include "dmc/Dialect/Comm/Volume.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::explain;

static int64_t bytesOf(Type element) {
  return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

static Kernel::Loop describe(NestLoopAttr loop) {
  Kernel::Loop result{stringifyLoopExecutor(loop.getExecutor()).str(),
                      loop.getTrips(),
                      loop.getLeast(),
                      loop.getStep(),
                      loop.getCarried(),
                      {}};
  for (NestLoopAttr inner : loop.getInner())
    result.inner.push_back(describe(inner));
  return result;
}

static Kernel::Part describe(func::FuncOp function, NestAttr nest) {
  Kernel::Part part;
  bool isDevice = TargetAttr::of(function).isDevice();
  part.kind = stringifyNestKind(nest.getKind());
  part.name = function.getSymName();
  part.iterations = nest.getIterations();
  part.flops = nest.getFlops();
  part.stackBytes = nest.getStackBytes();
  part.sharedBytes = nest.getSharedBytes();
  for (NestLoopAttr loop : nest.getLoops())
    part.loops.push_back(describe(loop));
  for (NestAccessAttr access : nest.getAccesses()) {
    Kernel::Access result;
    result.kind = stringifyAccessKind(access.getKind());
    result.form = stringifyLaneForm(access.getForm());
    result.argument = access.getArgument();
    result.bytes = access.getBytes();
    result.stride = access.getStride();
    if (result.argument >= 0) {
      auto type = cast<MemRefType>(function.getArgumentTypes()[result.argument]);
      result.type = toText(type);
      // LLVM may make vectors of the single elements of a processor's loops.
      if (isDevice || access.getVector() > 1)
        result.width = access.getVector() * bytesOf(type.getElementType());
    }
    part.accesses.push_back(std::move(result));
  }
  return part;
}

/// `batch 2, m 512, n 64, k 128`: the sizes of a product of matrices.
static Kernel::Part describeCall(DictionaryAttr contraction) {
  Kernel::Part part;
  part.kind = "library";
  part.flops = 2;
  ArrayRef<int64_t> sizes = contraction.getAs<DenseI64ArrayAttr>("sizes").asArrayRef();
  ArrayRef<int64_t> counts = contraction.getAs<DenseI64ArrayAttr>("loops").asArrayRef();
  static constexpr const char *roles[] = {"batch", "m", "n", "k"};
  for (auto [role, count] : llvm::zip_equal(roles, counts)) {
    int64_t size = llvm::product_of(sizes.take_front(count));
    sizes = sizes.drop_front(count);
    part.flops *= size;
    if (count)
      part.name += (part.name.empty() ? "" : ", ") + (role + (" " + std::to_string(size)));
  }
  return part;
}

/// The call of a kernel that the session is given: its name.
static Kernel::Part describeCustomCall(DictionaryAttr call) {
  Kernel::Part part;
  part.kind = "kernel";
  part.name = call.getAs<StringAttr>("target").getValue();
  return part;
}

int64_t Kernel::Part::getBytes(bool isRead) const {
  int64_t bytes = 0;
  for (const Access &access : accesses)
    if ((access.kind == "read") == isRead)
      bytes += access.bytes;
  return bytes;
}

void explain::gatherKernels(ModuleOp module, Explanation &explanation) {
  SymbolTable symbols(module);
  llvm::MapVector<Operation *, Kernel> kernels;
  getEntry(module).walk([&](LaunchOp launch) {
    auto function = symbols.lookup<func::FuncOp>(launch.getCallee());
    auto [found, isNew] = kernels.try_emplace(function);
    Kernel &kernel = found->second;
    std::optional<int64_t> count = comm::countExecutions(launch);
    kernel.isCountKnown &= count.has_value();
    kernel.count = (isNew ? 0 : kernel.count) + count.value_or(1);
    if (!isNew)
      return;
    kernel.name = function.getSymName();
    kernel.place = toPlace(launch.getLoc());
    function.walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (NestAttr nest = callee ? NestAttr::of(callee) : NestAttr())
        kernel.parts.push_back(describe(callee, nest));
      else if (auto contraction = callee ? callee->getAttrOfType<DictionaryAttr>("dmc.contraction")
                                         : DictionaryAttr())
        kernel.parts.push_back(describeCall(contraction));
      else if (auto custom = callee ? callee->getAttrOfType<DictionaryAttr>("dmc.custom_call")
                                    : DictionaryAttr())
        kernel.parts.push_back(describeCustomCall(custom));
    });
  });
  for (auto &[function, kernel] : kernels)
    explanation.kernels.push_back(std::move(kernel));
}

LogicalResult explain::gatherVectors(ModuleOp module, Explanation &explanation) {
  auto functions = findVectorLoops(module);
  if (failed(functions))
    return failure();
  for (Kernel &kernel : explanation.kernels)
    for (Kernel::Part &part : kernel.parts) {
      std::map<std::pair<int64_t, int64_t>, int64_t, std::greater<>> counts;
      for (const VectorLoop &loop : (*functions)[part.name])
        ++counts[{loop.width, loop.interleave}];
      for (auto [shape, count] : counts)
        part.vectors.push_back({shape.first, shape.second, count});
    }
  return success();
}

LogicalResult explain::gatherUses(ModuleOp module, Explanation &explanation) {
  FailureOr<std::vector<DeviceCode>> codes = makeDeviceCode(module);
  if (failed(codes))
    return failure();
  llvm::StringMap<DictionaryAttr> launches;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto launch = function->getAttrOfType<DictionaryAttr>(deviceNestAttr))
      launches[launch.getAs<StringAttr>("entry").getValue()] = launch;
  for (const DeviceCode &code : *codes) {
    AssembledCode assembled = readAssemblerMessages(code.messages, code.chip);
    for (Kernel &kernel : explanation.kernels)
      for (Kernel::Part &part : kernel.parts) {
        auto found = assembled.kernels.find(part.name);
        DictionaryAttr launch = launches.lookup(part.name);
        if (found == assembled.kernels.end() || !launch)
          continue;
        runtime::KernelUse &use = part.uses.emplace_back(found->second);
        use.occupancy = getOccupancy(
            use, llvm::product_of(launch.getAs<DenseI64ArrayAttr>("block").asArrayRef()),
            launch.getAs<IntegerAttr>("shared").getInt());
      }
  }
  return success();
}
