//===- Problem.cpp - What a call of the simulated cuBLASLt computes -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/CublasLt/Problem.h"

using namespace dmc::cuda::blas;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

uint64_t Matrix::bytes() const {
  int64_t last = (batch - 1) * batchStride + (runs() - 1) * ld + run();
  return static_cast<uint64_t>(last) * bytesOf(type);
}

bool Matrix::isAligned(uint64_t bytes) const {
  auto isMultiple = [&](int64_t elements) {
    return static_cast<uint64_t>(elements) * bytesOf(type) % bytes == 0;
  };
  return isMultiple(ld) && (batch == 1 || isMultiple(batchStride));
}

bool Matrix::isShapedAs(const Matrix &other) const {
  return rows == other.rows && columns == other.columns && batch == other.batch;
}

void Matrix::append(std::vector<dmc_fake_range> &ranges) const {
  uint64_t size = bytesOf(type);
  for (int64_t i = 0; i < (batchStride ? batch : 1); ++i)
    for (int64_t j = 0; j < runs(); ++j) {
      uint64_t at = address + static_cast<uint64_t>(i * batchStride + j * ld) * size;
      uint64_t bytes = static_cast<uint64_t>(run()) * size;
      if (!ranges.empty() && ranges.back().address + ranges.back().bytes == at)
        ranges.back().bytes += bytes;
      else
        ranges.push_back({at, bytes});
    }
}

Steps::Steps(Epilogue epilogue) {
  int bits = static_cast<int>(epilogue);
  relu = bits & 2;
  bias = bits & 4;
  gradRelu = bits & 8;
  gradBias = bits & 16;
  gelu = bits & 32;
  gradGelu = bits & 64;
  aux = bits & 128;
  gradA = bits & 256;
  gradB = bits & 512;
}

bool Steps::isDefault() const {
  return !(relu || bias || gradRelu || gradBias || gelu || gradGelu || aux || gradA || gradB);
}

//===----------------------------------------------------------------------===//
// From descriptors
//===----------------------------------------------------------------------===//

namespace {
/// Reads descriptors; remembers the first reason to refuse.
struct Reader {
  const char *function;
  Status status = Status::Success;

  void require(bool holds, Status otherwise, const std::string &why) {
    if (!holds && status == Status::Success)
      status = refuse(otherwise, function, why);
  }
  Matrix read(const char *name, Layout layout);
};
} // namespace

Matrix Reader::read(const char *name, Layout layout) {
  Matrix matrix;
  std::string called = std::string("the layout of ") + name;
  require(isLive(layout), Status::InvalidValue, called + " does not exist");
  if (status != Status::Success)
    return matrix;
  matrix.type = static_cast<Type>(layout->get(LayoutAttribute::Type));
  matrix.rows = layout->get(LayoutAttribute::Rows);
  matrix.columns = layout->get(LayoutAttribute::Columns);
  matrix.ld = layout->get(LayoutAttribute::Ld);
  matrix.batch = layout->get(LayoutAttribute::BatchCount);
  matrix.batchStride = layout->get(LayoutAttribute::BatchStride);
  int64_t order = layout->get(LayoutAttribute::Order);
  require(order == 0 || order == 1, Status::NotSupported,
          called + " has order " + std::to_string(order) + ": only rows and columns are simulated");
  matrix.order = static_cast<Order>(order);
  require(bytesOf(matrix.type) != 0, Status::NotSupported,
          called + " has type " + std::to_string(int(matrix.type)) + ", which is not simulated");
  require(matrix.rows > 0 && matrix.columns > 0 && matrix.batch > 0, Status::InvalidValue,
          called + " has no elements");
  require(matrix.ld >= matrix.run(), Status::InvalidValue,
          called + " has leading dimension " + std::to_string(matrix.ld) + ", less than the " +
              std::to_string(matrix.run()) + " elements of a " +
              (matrix.order == Order::Row ? "row" : "column"));
  require(matrix.batchStride >= 0, Status::InvalidValue, called + " has a negative batch stride");
  return matrix;
}

/// The tables of types of cublasLtMatmul's documentation, as far as they are simulated.
static bool isSupported(const Problem &problem) {
  Type a = problem.a.type, c = problem.c.type;
  if (problem.b.type != a || problem.d.type != c)
    return false;
  switch (problem.compute) {
  case ComputeType::F32:
  case ComputeType::F32Pedantic:
    return problem.scale == Type::F32 &&
           (((a == Type::F16 || a == Type::BF16) && (c == a || c == Type::F32)) ||
            (a == Type::F32 && c == a));
  case ComputeType::F32FastF16:
  case ComputeType::F32FastBF16:
  case ComputeType::F32FastTF32:
    return problem.scale == Type::F32 && a == Type::F32 && c == a;
  case ComputeType::F64:
  case ComputeType::F64Pedantic:
    return problem.scale == Type::F64 && a == Type::F64 && c == a;
  case ComputeType::I32:
  case ComputeType::I32Pedantic:
    return problem.scale == Type::I32 && a == Type::I8 && c == Type::I32;
  default:
    return false;
  }
}

static bool isEpilogue(int64_t value) {
  switch (static_cast<Epilogue>(value)) {
  case Epilogue::Default:
  case Epilogue::Relu:
  case Epilogue::ReluAux:
  case Epilogue::Bias:
  case Epilogue::ReluBias:
  case Epilogue::ReluAuxBias:
  case Epilogue::DRelu:
  case Epilogue::DReluBGrad:
  case Epilogue::Gelu:
  case Epilogue::GeluAux:
  case Epilogue::GeluBias:
  case Epilogue::GeluAuxBias:
  case Epilogue::DGelu:
  case Epilogue::DGeluBGrad:
  case Epilogue::BGradA:
  case Epilogue::BGradB:
    return true;
  }
  return false;
}

/// The rules of cublasLt.h for epilogues and what they use.
static void readEpilogue(Reader &reader, const OperationObject &operation, Problem &problem) {
  using A = OperationAttribute;
  int64_t value = operation.get(A::Epilogue);
  reader.require(isEpilogue(value), Status::InvalidValue,
                 "there is no epilogue " + std::to_string(value));
  problem.epilogue = static_cast<Epilogue>(value);
  Steps steps(problem.epilogue);
  auto require = [&](bool holds, Status otherwise, const std::string &why) {
    reader.require(holds, otherwise, "epilogue " + std::to_string(value) + ": " + why);
  };
  if (steps.isDefault())
    return;
  require(problem.d.order == Order::Column, Status::NotSupported,
          "D must be ordered by columns: rows take the default epilogue alone");
  require(problem.d.type != Type::I32, Status::NotSupported, "not for integers");
  if (steps.usesBias()) {
    problem.bias = static_cast<uint64_t>(operation.get(A::BiasPointer));
    problem.biasBatchStride = operation.get(A::BiasBatchStride);
    require(problem.bias % bytesOf(problem.d.type) == 0, Status::InvalidValue,
            "the address of the bias is misaligned");
    int64_t type = operation.get(A::BiasType);
    require(type == -1 || type == int64_t(problem.d.type), Status::NotSupported,
            "the type of the bias is not that of D");
    require(problem.biasBatchStride == 0 || problem.biasBatchStride >= problem.biasLength(),
            Status::InvalidValue,
            "the bias has " + std::to_string(problem.biasLength()) +
                " elements, more than its batch stride");
    require(!steps.writesBias() || problem.batch == 1 || problem.biasBatchStride != 0,
            Status::InvalidValue, "all of the batch would write one gradient of a bias");
  }
  if (!steps.aux)
    return;
  Matrix &aux = problem.aux = problem.d;
  aux.address = static_cast<uint64_t>(operation.get(A::AuxPointer));
  aux.ld = operation.get(A::AuxLd);
  aux.batchStride = operation.get(A::AuxBatchStride);
  int64_t type = operation.get(A::AuxType);
  require(type == -1 || (type == int64_t(problem.d.type) && !steps.hasMask()), Status::NotSupported,
          "the type of the auxiliary matrix is not that of D");
  require(aux.ld >= problem.m, Status::InvalidValue,
          "the auxiliary matrix has leading dimension " + std::to_string(aux.ld) +
              ", less than the " + std::to_string(problem.m) + " rows of D");
  int64_t unit = steps.hasMask() ? 128 : 8;
  require(aux.ld % unit == 0, Status::InvalidValue,
          "the leading dimension of the auxiliary matrix, " + std::to_string(aux.ld) +
              ", is not a multiple of " + std::to_string(unit));
  require(aux.address % 16 == 0, Status::InvalidValue,
          "the auxiliary matrix is not at a multiple of 16 bytes");
  require(problem.batch == 1 || aux.batchStride >= aux.ld * problem.n, Status::InvalidValue,
          "the auxiliary matrices of the batch overlap");
  require(!steps.hasMask() || aux.batchStride % 8 == 0, Status::InvalidValue,
          "the batch stride of the auxiliary matrix is not a multiple of 8 bits");
}

Status dmc::cuda::blas::describe(const char *function, Operation operation, Layout a, Layout b,
                                 Layout c, Layout d, Problem &problem) {
  using A = OperationAttribute;
  Reader reader{function};
  reader.require(isLive(operation), Status::InvalidValue, "the operation does not exist");
  problem.a = reader.read("A", a);
  problem.b = reader.read("B", b);
  problem.c = reader.read("C", c);
  problem.d = reader.read("D", d);
  if (reader.status != Status::Success)
    return reader.status;

  problem.compute = static_cast<ComputeType>(operation->get(A::ComputeType));
  problem.scale = static_cast<Type>(operation->get(A::ScaleType));
  reader.require(isSupported(problem), Status::NotSupported,
                 std::string("computation ") + std::to_string(int(problem.compute)) + " in " +
                     nameOf(problem.scale) + " of " + nameOf(problem.a.type) + " and " +
                     nameOf(problem.b.type) + " to " + nameOf(problem.c.type) + " and " +
                     nameOf(problem.d.type) + " is not supported");
  int64_t mode = operation->get(A::PointerMode);
  reader.require(mode >= 0 && mode <= 4, Status::InvalidValue,
                 "there is no pointer mode " + std::to_string(mode));
  reader.require(mode <= 1, Status::NotSupported, "vectors of alpha are not simulated");
  problem.pointerMode = static_cast<PointerMode>(mode);
  for (A attribute : {A::TransA, A::TransB}) {
    int64_t value = operation->get(attribute);
    reader.require(value >= 0 && value <= 2, Status::InvalidValue,
                   "there is no transposition " + std::to_string(value));
  }
  reader.require(operation->get(A::MultiprocessorTarget) >= 0, Status::InvalidValue,
                 "a negative number of multiprocessors");
  // Of real types the conjugate is the transpose.
  problem.transA = operation->get(A::TransA) != 0;
  problem.transB = operation->get(A::TransB) != 0;

  auto shape = [](const Matrix &matrix) {
    return std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns);
  };
  problem.m = problem.transA ? problem.a.columns : problem.a.rows;
  problem.k = problem.transA ? problem.a.rows : problem.a.columns;
  problem.n = problem.transB ? problem.b.rows : problem.b.columns;
  problem.batch = problem.d.batch;
  int64_t k = problem.transB ? problem.b.columns : problem.b.rows;
  reader.require(k == problem.k, Status::InvalidValue,
                 "op(A) has " + std::to_string(problem.k) + " columns, but op(B) has " +
                     std::to_string(k) + " rows");
  reader.require(problem.d.rows == problem.m && problem.d.columns == problem.n,
                 Status::InvalidValue,
                 "D is " + shape(problem.d) + ", but op(A) op(B) is " + std::to_string(problem.m) +
                     " x " + std::to_string(problem.n));
  reader.require(problem.c.isShapedAs(problem.d), Status::InvalidValue,
                 "C is " + shape(problem.c) + ", but D is " + shape(problem.d));
  reader.require(problem.a.batch == problem.batch && problem.b.batch == problem.batch,
                 Status::InvalidValue, "the batches of A, B and D differ");
  const Matrix &result = problem.d;
  bool isDisjoint = result.batch == 1 || result.batchStride >= result.runs() * result.ld ||
                    (result.batchStride >= result.run() &&
                     result.ld >= (result.batch - 1) * result.batchStride + result.run());
  reader.require(isDisjoint, Status::InvalidValue, "the results of the batch overlap");
  if (reader.status == Status::Success)
    readEpilogue(reader, *operation, problem);
  return reader.status;
}
