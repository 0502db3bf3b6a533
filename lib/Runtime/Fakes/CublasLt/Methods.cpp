//===- Methods.cpp - Algorithms of the simulated cuBLASLt -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three algorithms stand for those of the real library: one that reads single elements, one that
// reads 16 bytes at once, and one that also divides the sum over k, which needs a workspace.
//
//===----------------------------------------------------------------------===//

#include "Fakes/CublasLt/Problem.h"

#include <algorithm>
#include <cstring>

using namespace dmc::cuda::blas;

static constexpr int32_t byElements = 0, byVectors = 1, bySlices = 2;
/// In the first word of an Algorithm, which is not to be made up by callers.
static constexpr uint64_t mark = 0x646d635f616c676f;
/// CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE: slices are added up in the type that they were computed
/// in.
static constexpr uint32_t addsInComputeType = 2;

uint64_t Method::alignment(const Problem &problem, Type type) const {
  if (problem.a.type == Type::I8)
    return 4; // of the matrix instructions for integers
  return id == byElements ? bytesOf(type) : 16;
}

uint64_t Method::workspaceBytes(const Problem &problem) const {
  return slices < 2 ? 0
                    : static_cast<uint64_t>(problem.m * problem.n * problem.batch) * slices *
                          bytesOf(problem.scale);
}

Algorithm dmc::cuda::blas::encode(const Method &method) {
  return {{mark, static_cast<uint64_t>(method.id), method.slices}};
}

bool dmc::cuda::blas::decode(const Algorithm &algorithm, Method &method) {
  method.id = static_cast<int32_t>(algorithm.data[1]);
  method.slices = static_cast<uint32_t>(algorithm.data[2]);
  return algorithm.data[0] == mark && method.id >= byElements && method.id <= bySlices &&
         method.slices >= 1;
}

/// How many slices fill a device: an H100 has 132 multiprocessors, each with a tile of 128 x 128,
/// and a slice has no fewer steps than a tile has rows.
static uint32_t slicesFor(const Problem &problem) {
  constexpr int64_t multiprocessors = 132, tile = 128;
  auto tiles = [](int64_t size) { return (size + tile - 1) / tile; };
  int64_t used = tiles(problem.m) * tiles(problem.n) * problem.batch;
  return static_cast<uint32_t>(
      std::max<int64_t>(1, std::min({multiprocessors / used, problem.k / tile, int64_t(16)})));
}

bool dmc::cuda::blas::canUse(const Method &method, const Problem &problem, const Limits &limits,
                             std::string &why) {
  bool isInteger = problem.a.type == Type::I8;
  if (isInteger) {
    bool isOrdered = problem.a.order == Order::Column && problem.b.order == Order::Column &&
                     problem.c.order == Order::Column && problem.d.order == Order::Column;
    why = "integers need A transposed, B not, orders by columns, and multiples of 4 as m and k";
    if (!isOrdered || !problem.transA || problem.transB || problem.m % 4 || problem.k % 4)
      return false;
    if (method.id == byElements)
      return false;
  }
  const Matrix *matrices[] = {&problem.a, &problem.b, &problem.c, &problem.d};
  for (int i = 0; i < 4; ++i) {
    uint64_t needed = method.alignment(problem, matrices[i]->type);
    why = std::string("matrix ") + "ABCD"[i] + " is not aligned to " + std::to_string(needed) +
          " bytes";
    if (limits.alignment[i] % needed || !matrices[i]->isAligned(needed))
      return false;
  }
  why = "the sum over " + std::to_string(problem.k) + " has no " + std::to_string(method.slices) +
        " slices";
  if (method.slices > problem.k || (method.slices > 1 && (method.id != bySlices || isInteger)))
    return false;
  why = "reduction schemes exclude the one of slices";
  if (method.slices > 1 && !(limits.reductionSchemes & addsInComputeType))
    return false;
  why = "a workspace of " + std::to_string(method.workspaceBytes(problem)) +
        " bytes is needed, but there are " + std::to_string(limits.workspaceBytes);
  if (method.workspaceBytes(problem) > limits.workspaceBytes)
    return false;
  why.clear();
  return true;
}

std::vector<Method> dmc::cuda::blas::methodsFor(const Problem &problem, const Limits &limits,
                                                std::string &why) {
  std::vector<Method> all;
  if (uint32_t slices = slicesFor(problem); slices > 1)
    all.push_back({bySlices, slices});
  all.push_back({byVectors, 1});
  all.push_back({byElements, 1});
  std::vector<Method> usable;
  for (const Method &method : all)
    if (canUse(method, problem, limits, why))
      usable.push_back(method);
  return usable;
}

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

static HeuristicResult resultOf(const Problem &problem, const Method &method) {
  HeuristicResult result = {};
  result.algorithm = encode(method);
  result.workspaceBytes = method.workspaceBytes(problem);
  result.state = Status::Success;
  result.waves = 1;
  return result;
}

namespace dmc::cuda::blas {
extern "C" {

Status cublasLtMatmulAlgoGetHeuristic(Handle handle, Operation operation, Layout a, Layout b,
                                      Layout c, Layout d, Preference preference, int requested,
                                      HeuristicResult *results, int *returned) {
  if (Status status = checkHandle(__func__, handle); status != Status::Success)
    return status;
  if (requested < 1 || !results || !returned || !isLive(preference))
    return refuse(Status::InvalidValue, __func__, "no room for results, or no preference");
  *returned = 0;
  Problem problem;
  Status status = describe(__func__, operation, a, b, c, d, problem);
  if (status != Status::Success)
    return status;
  using P = PreferenceAttribute;
  Limits limits;
  limits.workspaceBytes = static_cast<uint64_t>(preference->get(P::MaxWorkspace));
  limits.reductionSchemes = static_cast<uint32_t>(preference->get(P::ReductionSchemes));
  const P alignments[] = {P::AlignmentA, P::AlignmentB, P::AlignmentC, P::AlignmentD};
  for (int i = 0; i < 4; ++i)
    limits.alignment[i] = static_cast<uint64_t>(preference->get(alignments[i]));
  std::string why;
  for (const Method &method : methodsFor(problem, limits, why))
    if (*returned < requested)
      results[(*returned)++] = resultOf(problem, method);
  if (!*returned)
    return refuse(Status::NotSupported, __func__, "no algorithm: " + why);
  return Status::Success;
}

Status cublasLtMatmulAlgoCheck(Handle handle, Operation operation, Layout a, Layout b, Layout c,
                               Layout d, const Algorithm *algorithm, HeuristicResult *result) {
  if (Status status = checkHandle(__func__, handle); status != Status::Success)
    return status;
  Problem problem;
  Status status = describe(__func__, operation, a, b, c, d, problem);
  if (status != Status::Success)
    return status;
  Method method;
  if (!result || !algorithm || !decode(*algorithm, method))
    return refuse(Status::InvalidValue, __func__, "no algorithm");
  Limits limits;
  limits.workspaceBytes = ~uint64_t(0);
  std::string why;
  if (!canUse(method, problem, limits, why))
    return refuse(Status::NotSupported, __func__, why);
  *result = resultOf(problem, method);
  return Status::Success;
}

Status cublasLtMatmulAlgoConfigGetAttribute(const Algorithm *algorithm,
                                            AlgorithmAttribute attribute, void *value, size_t bytes,
                                            size_t *written) {
  Method method;
  if (!algorithm || !decode(*algorithm, method))
    return refuse(Status::InvalidValue, __func__, "no algorithm");
  uint32_t found = 0;
  size_t size = 4;
  switch (attribute) {
  case AlgorithmAttribute::Id:
    found = static_cast<uint32_t>(method.id);
    break;
  case AlgorithmAttribute::SplitK:
    found = method.slices;
    break;
  case AlgorithmAttribute::ReductionScheme:
    found = method.slices > 1 ? addsInComputeType : 0;
    break;
  case AlgorithmAttribute::TileId:
  case AlgorithmAttribute::Swizzling:
  case AlgorithmAttribute::CustomOption:
  case AlgorithmAttribute::StagesId:
    break;
  case AlgorithmAttribute::InnerShapeId:
  case AlgorithmAttribute::ClusterShapeId:
    size = 2;
    break;
  default:
    return refuse(Status::InvalidValue, __func__, "there is no such attribute");
  }
  if (written)
    *written = size;
  if (bytes == 0 && written)
    return Status::Success;
  if (!value || bytes < size)
    return Status::InvalidValue;
  std::memcpy(value, &found, size);
  return Status::Success;
}

Status cublasLtMatmulAlgoConfigSetAttribute(Algorithm *algorithm, AlgorithmAttribute attribute,
                                            const void *value, size_t bytes) {
  Method method;
  if (!algorithm || !decode(*algorithm, method))
    return refuse(Status::InvalidValue, __func__, "no algorithm");
  bool isShort = attribute == AlgorithmAttribute::InnerShapeId ||
                 attribute == AlgorithmAttribute::ClusterShapeId;
  if (!value || bytes != (isShort ? 2 : 4))
    return refuse(Status::InvalidValue, __func__, "the value has another size");
  uint32_t wanted = 0;
  std::memcpy(&wanted, value, bytes);
  switch (attribute) {
  case AlgorithmAttribute::SplitK:
    method.slices = std::max(wanted, 1u); // 0 and 1: not divided
    *algorithm = encode(method);
    return Status::Success;
  case AlgorithmAttribute::ReductionScheme:
    if (wanted == (method.slices > 1 ? addsInComputeType : 0))
      return Status::Success;
    break;
  case AlgorithmAttribute::TileId:
  case AlgorithmAttribute::Swizzling:
  case AlgorithmAttribute::CustomOption:
  case AlgorithmAttribute::StagesId:
  case AlgorithmAttribute::InnerShapeId:
  case AlgorithmAttribute::ClusterShapeId:
    if (wanted == 0)
      return Status::Success;
    break;
  case AlgorithmAttribute::Id: // read only
    break;
  default:
    return refuse(Status::InvalidValue, __func__, "there is no such attribute");
  }
  return refuse(Status::NotSupported, __func__,
                "attribute " + std::to_string(int(attribute)) + " cannot be " +
                    std::to_string(wanted));
}
}
} // namespace dmc::cuda::blas
