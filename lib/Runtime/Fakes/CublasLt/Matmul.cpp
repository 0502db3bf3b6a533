//===- Matmul.cpp - The call that multiplies ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/CublasLt/Problem.h"
#include "Fakes/DriverCalls.h"
#include "Fakes/Rates.h"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace dmc::cuda::blas;
using Ranges = std::vector<dmc_fake_range>;

namespace {
/// What is in a stream.
struct Call {
  Problem problem;
  Method method;
  uint64_t alphaAddress = 0, betaAddress = 0; // 0: the values are here
  double alpha = 1, beta = 0;
  uint64_t workspace = 0;
  /// Launches of a graph run it again and again.
};
} // namespace

/// The scale factor at a host address.
static double scalarAt(Type type, const void *host) {
  auto at = [&](auto value) {
    std::memcpy(&value, host, sizeof value);
    return static_cast<double>(value);
  };
  return type == Type::F64 ? at(double()) : type == Type::F32 ? at(float()) : at(int32_t());
}

static uint64_t addressOf(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

//===----------------------------------------------------------------------===//
// What it accesses
//===----------------------------------------------------------------------===//

static uint64_t auxBytes(const Matrix &aux, bool isMask) {
  int64_t last = (aux.batch - 1) * aux.batchStride + (aux.columns - 1) * aux.ld + aux.rows;
  return isMask ? static_cast<uint64_t>(last + 7) / 8
                : static_cast<uint64_t>(last) * bytesOf(aux.type);
}

static void appendAux(const Matrix &aux, bool isMask, Ranges &ranges) {
  if (!isMask)
    return aux.append(ranges);
  for (int64_t i = 0; i < aux.batch; ++i)
    for (int64_t j = 0; j < aux.columns; ++j)
      ranges.push_back({aux.address + static_cast<uint64_t>(i * aux.batchStride + j * aux.ld) / 8,
                        static_cast<uint64_t>(aux.rows + 7) / 8});
}

static uint64_t biasBytes(const Problem &problem) {
  return static_cast<uint64_t>((problem.batch - 1) * problem.biasBatchStride +
                               problem.biasLength()) *
         bytesOf(problem.d.type);
}

static void appendBias(const Problem &problem, Ranges &ranges) {
  uint64_t size = bytesOf(problem.d.type);
  int64_t batch = problem.biasBatchStride ? problem.batch : 1;
  for (int64_t i = 0; i < batch; ++i)
    ranges.push_back({problem.bias + static_cast<uint64_t>(i * problem.biasBatchStride) * size,
                      static_cast<uint64_t>(problem.biasLength()) * size});
}

/// Whether C is read: a beta on the device may be zero, but nobody knows yet.
static bool readsC(const Call &call) { return call.betaAddress || call.beta != 0; }

static void collectRanges(const Call &call, Ranges &reads, Ranges &writes) {
  const Problem &problem = call.problem;
  Steps steps(problem.epilogue);
  problem.a.append(reads);
  problem.b.append(reads);
  for (uint64_t address : {call.alphaAddress, call.betaAddress})
    if (address)
      reads.push_back({address, bytesOf(problem.scale)});
  problem.d.append(writes);
  if (steps.aux)
    appendAux(problem.aux, steps.hasMask(), steps.gradRelu || steps.gradGelu ? reads : writes);
  if (steps.usesBias())
    appendBias(problem, steps.writesBias() ? writes : reads);
  if (uint64_t bytes = call.method.workspaceBytes(problem))
    writes.push_back({call.workspace, bytes});
}

/// Whether anything that is written is also read or written elsewhere.
static bool overlap(const Ranges &reads, const Ranges &writes) {
  struct Bytes {
    uint64_t begin, end;
    bool isWritten;
  };
  std::vector<Bytes> all;
  for (const dmc_fake_range &range : reads)
    all.push_back({range.address, range.address + range.bytes, false});
  for (const dmc_fake_range &range : writes)
    all.push_back({range.address, range.address + range.bytes, true});
  std::sort(all.begin(), all.end(),
            [](const Bytes &x, const Bytes &y) { return x.begin < y.begin; });
  uint64_t readEnd = 0, writtenEnd = 0;
  for (const Bytes &bytes : all) {
    if (bytes.begin < writtenEnd || (bytes.isWritten && bytes.begin < readEnd))
      return true;
    uint64_t &end = bytes.isWritten ? writtenEnd : readEnd;
    end = std::max(end, bytes.end);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// What runs in the stream
//===----------------------------------------------------------------------===//

/// Of the products alone, on the modelled device.
static double secondsOf(const Problem &problem) {
  double operations = 2.0 * static_cast<double>(problem.batch) * static_cast<double>(problem.m) *
                      static_cast<double>(problem.n) * static_cast<double>(problem.k);
  Type type = problem.a.type;
  return operations / (type == Type::F64   ? dmc::fakes::doubleRate
                       : type == Type::F32 ? dmc::fakes::floatRate
                                           : dmc::fakes::halfRate);
}

static void run(void *data) {
  auto *call = static_cast<Call *>(data);
  const Problem &problem = call->problem;
  dmcFakeTakes(secondsOf(problem));
  Steps steps(problem.epilogue);
  bool isComplete = true; // what is not, the driver has reported
  auto host = [&](uint64_t address, uint64_t bytes) {
    void *found = dmcFakeHostAddress(address, bytes);
    isComplete = isComplete && found;
    return found;
  };
  Operands operands = {};
  auto scalar = [&](uint64_t address, double value) {
    const void *found = address ? host(address, bytesOf(problem.scale)) : nullptr;
    return found ? scalarAt(problem.scale, found) : value;
  };
  operands.alpha = scalar(call->alphaAddress, call->alpha);
  operands.beta = scalar(call->betaAddress, call->beta);
  operands.a = host(problem.a.address, problem.a.bytes());
  operands.b = host(problem.b.address, problem.b.bytes());
  if (operands.beta != 0)
    operands.c = host(problem.c.address, problem.c.bytes());
  operands.d = host(problem.d.address, problem.d.bytes());
  if (steps.aux)
    operands.aux = host(problem.aux.address, auxBytes(problem.aux, steps.hasMask()));
  if (steps.usesBias())
    operands.bias = host(problem.bias, biasBytes(problem));
  if (uint64_t bytes = call->method.workspaceBytes(problem))
    if (void *workspace = host(call->workspace, bytes))
      std::memset(workspace, 0xcb, bytes); // nobody may rely on what was there
  if (isComplete)
    compute(problem, call->method, operands);
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

/// The algorithm that the caller chose, or the one for a caller who has no preference.
static Status chooseMethod(const char *function, const Algorithm *algorithm,
                           uint64_t workspaceBytes, Call &call) {
  const Problem &problem = call.problem;
  Limits limits;
  limits.workspaceBytes = workspaceBytes;
  const Matrix *matrices[] = {&problem.a, &problem.b, &problem.c, &problem.d};
  for (int i = 0; i < 4; ++i)
    limits.alignment[i] = matrices[i]->address & -matrices[i]->address;
  if (!readsC(call))
    limits.alignment[2] = 256;
  std::string why;
  if (!algorithm) {
    std::vector<Method> methods = methodsFor(problem, limits, why);
    if (methods.empty())
      return refuse(Status::NotSupported, function, "no algorithm: " + why);
    call.method = methods.front();
    return Status::Success;
  }
  if (!decode(*algorithm, call.method))
    return refuse(Status::InvalidValue, function, "the algorithm is not one that a heuristic gave");
  if (call.method.workspaceBytes(problem) > workspaceBytes)
    return refuse(Status::InvalidValue, function,
                  "the algorithm needs a workspace of " +
                      std::to_string(call.method.workspaceBytes(problem)) + " bytes, not " +
                      std::to_string(workspaceBytes));
  if (!canUse(call.method, problem, limits, why))
    return refuse(Status::NotSupported, function, why);
  return Status::Success;
}

static Status fillCall(const char *function, const void *alpha, const void *beta, Call &call) {
  Problem &problem = call.problem;
  if (!alpha || !beta)
    return refuse(Status::InvalidValue, function, "alpha or beta is null");
  if (problem.pointerMode == PointerMode::Device) {
    call.alphaAddress = addressOf(alpha);
    call.betaAddress = addressOf(beta);
    if (call.alphaAddress % bytesOf(problem.scale) || call.betaAddress % bytesOf(problem.scale))
      return refuse(Status::InvalidValue, function, "alpha or beta is misaligned");
  } else {
    call.alpha = scalarAt(problem.scale, alpha);
    call.beta = scalarAt(problem.scale, beta);
  }
  if (!problem.a.address || !problem.b.address || !problem.d.address ||
      (!problem.c.address && readsC(call)))
    return refuse(Status::InvalidValue, function, "a matrix is null");
  Steps steps(problem.epilogue);
  if (steps.usesBias() && !problem.bias)
    return refuse(Status::InvalidValue, function, "the epilogue needs the address of a bias");
  if (steps.aux && !problem.aux.address)
    return refuse(Status::InvalidValue, function,
                  "the epilogue needs the address of an auxiliary matrix");
  const Matrix &c = problem.c, &d = problem.d;
  if (readsC(call) && c.address == d.address &&
      (c.order != d.order || c.ld != d.ld || (c.batch > 1 && c.batchStride != d.batchStride)))
    return refuse(Status::InvalidValue, function, "C is D, but their layouts differ");
  return Status::Success;
}

namespace dmc::cuda::blas {
extern "C" {

Status cublasLtMatmul(Handle handle, Operation operation, const void *alpha, const void *a,
                      Layout aLayout, const void *b, Layout bLayout, const void *beta,
                      const void *c, Layout cLayout, void *d, Layout dLayout,
                      const Algorithm *algorithm, void *workspace, size_t workspaceBytes,
                      Stream stream) {
  if (Status status = checkHandle(__func__, handle); status != Status::Success)
    return status;
  auto call = std::make_unique<Call>();
  Problem &problem = call->problem;
  Status status = describe(__func__, operation, aLayout, bLayout, cLayout, dLayout, problem);
  if (status != Status::Success)
    return status;
  problem.a.address = addressOf(a);
  problem.b.address = addressOf(b);
  problem.c.address = addressOf(c);
  problem.d.address = addressOf(d);
  call->workspace = addressOf(workspace);
  status = fillCall(__func__, alpha, beta, *call);
  if (status != Status::Success)
    return status;
  if (!workspace && workspaceBytes)
    return refuse(Status::InvalidValue, __func__, "a workspace at null has a size");
  if (call->workspace % 256)
    return refuse(Status::InvalidValue, __func__,
                  "the workspace is not at a multiple of 256 bytes");
  status = chooseMethod(__func__, algorithm, workspaceBytes, *call);
  if (status != Status::Success)
    return status;
  CaptureStatus capturing = CaptureStatus::None;
  if (cuStreamIsCapturing(stream, &capturing) != Result::Success)
    return refuse(Status::InvalidValue, __func__, "the stream does not exist");
  Ranges reads, writes;
  collectRanges(*call, reads, writes);
  bool takesPlaceOfC = problem.c.address == problem.d.address;
  if (readsC(*call) && !takesPlaceOfC)
    problem.c.append(reads);
  if (overlap(reads, writes))
    dmcFakeReport("overlapping operands", "cublasLtMatmul writes what it also reads or writes "
                                          "elsewhere");
  if (readsC(*call) && takesPlaceOfC)
    problem.c.append(reads);
  auto release = [](void *data) { delete static_cast<Call *>(data); };
  if (dmcFakeEnqueue(stream, "cublasLtMatmul", nullptr, run, release, call.get(), reads.data(),
                     reads.size(), writes.data(), writes.size()))
    return Status::ExecutionFailed;
  (void)call.release(); // the work owns it
  return Status::Success;
}
}
} // namespace dmc::cuda::blas
