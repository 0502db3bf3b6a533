//===- TargetAttr.cpp - What kernels are compiled for ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Dialect/DMC/DMC.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;

TargetAttr TargetAttr::of(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (auto target = at->getAttrOfType<TargetAttr>("dmc.target"))
      return target;
  // SSE2 and NEON have 16 registers or more of 16 bytes.
  return getHost(op->getContext(), "generic", "", /*vectorBytes=*/16, /*vectorRegisters=*/16);
}

// A function of so many operations compiles in milliseconds, and with so many results each still
// has vector registers of its own, and a stream that the prefetcher follows.
static constexpr int64_t mostOperations = 64, mostResults = 8;
// What the program interface promises of buffers.
static constexpr int64_t bufferAlignment = 64;

TargetAttr TargetAttr::getHost(MLIRContext *context, StringRef processor, StringRef features,
                               int64_t vectorBytes, int64_t vectorRegisters) {
  // Lines of all processors that LLVM compiles these programs for.
  constexpr int64_t line = 64;
  return get(context, processor, features, vectorBytes, vectorRegisters, line, bufferAlignment,
             Builder(context).getStrArrayAttr({"host"}), mostOperations, mostResults,
             /*sharedBytes=*/0, /*warpThreads=*/0, /*blockThreads=*/0);
}

TargetAttr TargetAttr::getDevice(MLIRContext *context, StringRef processor, int64_t threadRegisters,
                                 int64_t sharedBytes) {
  // Of all of NVIDIA's devices: the widest access of a thread, the sectors that caches are filled
  // by, and the threads of a warp and, at most, of a block.
  constexpr int64_t vector = 16, sector = 32, warp = 32, block = 1024;
  return get(context, processor, "", vector, threadRegisters, sector, bufferAlignment,
             Builder(context).getStrArrayAttr({"device"}), mostOperations, mostResults, sharedBytes,
             warp, block);
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef processor,
                                 StringRef features, int64_t vectorBytes, int64_t vectorRegisters,
                                 int64_t lineBytes, int64_t alignment, ArrayAttr spaces,
                                 int64_t kernelOperations, int64_t kernelResults,
                                 int64_t sharedBytes, int64_t warpThreads, int64_t blockThreads) {
  // (C1)
  for (auto [what, bytes] :
       {std::pair("vector", vectorBytes), {"line", lineBytes}, {"alignment", alignment}})
    if (bytes <= 0 || !llvm::isPowerOf2_64(bytes))
      return emitError() << "expected " << what << " to be a power of two, found " << bytes;
  if (alignment < lineBytes || alignment < vectorBytes)
    return emitError() << "expected an alignment of at least a line (" << lineBytes
                       << ") and a vector (" << vectorBytes << "), found " << alignment;
  // (C2)
  for (auto [what, count] : {std::pair("registers", vectorRegisters),
                             {"operations of a kernel", kernelOperations},
                             {"results of a kernel", kernelResults}})
    if (count <= 0)
      return emitError() << "expected a positive number of " << what << ", found " << count;
  if (spaces.empty() || !llvm::all_of(spaces, llvm::IsaPred<StringAttr>))
    return emitError() << "expected names of at least one memory space, found " << spaces;
  // (C3)
  bool isDevice = sharedBytes || warpThreads || blockThreads;
  if (isDevice && (warpThreads <= 0 || !llvm::isPowerOf2_64(warpThreads)))
    return emitError() << "expected the threads of a warp to be a power of two, found "
                       << warpThreads;
  if (isDevice && (blockThreads < warpThreads || sharedBytes < 0))
    return emitError() << "expected a block of at least a warp (" << warpThreads
                       << " threads) and no negative size of shared memory, found " << blockThreads
                       << " threads and " << sharedBytes << " bytes";
  return success();
}

bool TargetAttr::hasFeature(StringRef name) const {
  return llvm::is_contained(llvm::split(getFeatures(), ','), name);
}

static int64_t countIn(int64_t bytes, Type element) {
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return std::max<int64_t>(1, bytes / llvm::divideCeil(bits, 8));
}

int64_t TargetAttr::getLanes(Type element) const { return countIn(getVectorBytes(), element); }

int64_t TargetAttr::getLineElements(Type element) const { return countIn(getLineBytes(), element); }
