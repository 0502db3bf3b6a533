//===- CustomKernels.cpp - Calls of kernels by name -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank calls the kernel on copies of what it holds, without padding.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

/// The dmc_element_type of a kind.
static uint32_t getElementType(Kind kind, bool isUnsigned) {
  switch (kind) {
  case Kind::I1:
    return DMC_I1;
  case Kind::I8:
    return isUnsigned ? DMC_UI8 : DMC_I8;
  case Kind::I16:
    return isUnsigned ? DMC_UI16 : DMC_I16;
  case Kind::I32:
    return isUnsigned ? DMC_UI32 : DMC_I32;
  case Kind::I64:
  case Kind::Index:
    return isUnsigned ? DMC_UI64 : DMC_I64;
  case Kind::F16:
    return DMC_F16;
  case Kind::BF16:
    return DMC_BF16;
  case Kind::F32:
    return DMC_F32;
  case Kind::F64:
    return DMC_F64;
  }
  llvm_unreachable("all kinds are listed");
}

namespace {
/// A contiguous copy of a rank's shard, as a kernel takes it.
struct BlockCopy {
  Index shape;
  std::vector<uint64_t> memory; // aligned as all elements
  Extent extent;

  BlockCopy(const Extent &held, Kind kind) : extent(held) {
    int64_t count = 1;
    for (auto [begin, end] : llvm::zip_equal(held.begin, held.end)) {
      shape.push_back(end - begin);
      count *= end - begin;
    }
    int64_t stride = 1;
    for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
      extent.strides[dim] = stride;
    extent.local = shape;
    extent.numLocal = count;
    memory.resize(llvm::divideCeil(count * getNumBytes(kind), sizeof(uint64_t)) + 1);
  }
  /// Where the elements are by index; as long as this lives.
  Shard get(Kind kind) { return {reinterpret_cast<char *>(memory.data()), &extent, kind}; }
  dmc_custom_array describe(Kind kind, bool isUnsigned) {
    return {memory.data(), getElementType(kind, isUnsigned), static_cast<uint32_t>(shape.size()),
            shape.data()};
  }
};
} // namespace

LogicalResult Machine::executeCustomCall(CustomCallOp op, Ranks ranks) {
  std::string name = op.getTarget().str();
  if (!options.findKernel)
    return op.emitOpError("is unsupported by the interpreter: the program does not define the "
                          "kernel '")
           << name << "'";
  dmc_custom_kernel_fn function = options.findKernel(name);
  if (!function)
    return op.emitOpError("calls the kernel '") << name << "', which is not among those given";
  std::optional<ArrayRef<bool>> areUnsigned = op.getAreUnsigned();
  std::string config = op.getConfig().value_or("").str();
  for (unsigned rank : ranks) {
    std::vector<BlockCopy> blocks;
    std::vector<Shard> results;
    bool isHeld = true;
    for (Value input : op.getInputs()) {
      Shard shard = getShard(input, rank);
      isHeld &= shard.extent->held;
      blocks.emplace_back(*shard.extent, shard.kind);
    }
    for (Value result : op.getResults()) {
      results.push_back(makeShard(result, rank));
      isHeld &= results.back().extent->held;
      blocks.emplace_back(*results.back().extent, results.back().kind);
    }
    if (!isHeld)
      continue;
    std::vector<dmc_custom_array> arrays;
    for (auto [i, block] : llvm::enumerate(blocks)) {
      bool isInput = i < op.getInputs().size();
      Shard shard =
          isInput ? getShard(op.getInputs()[i], rank) : results[i - op.getInputs().size()];
      if (isInput)
        copyCommon(block.get(shard.kind), shard);
      arrays.push_back(block.describe(shard.kind, areUnsigned && (*areUnsigned)[i]));
    }
    char error[1024] = {};
    dmc_custom_call call = {sizeof call,
                            static_cast<uint32_t>(op.getInputs().size()),
                            static_cast<uint32_t>(results.size()),
                            0,
                            name.c_str(),
                            config.c_str(),
                            arrays.data(),
                            arrays.data() + op.getInputs().size(),
                            static_cast<int64_t>(rank),
                            error,
                            sizeof error};
    if (int32_t code = function(&call, nullptr)) {
      error[sizeof error - 1] = 0;
      InFlightDiagnostic diagnostic = op.emitOpError("failed in the kernel '")
                                      << name << "' on rank " << rank;
      return error[0] ? diagnostic << ": " << error : diagnostic << ", with code " << code;
    }
    for (auto [i, result] : llvm::enumerate(results))
      copyCommon(result, blocks[op.getInputs().size() + i].get(result.kind));
  }
  return success();
}
