//===- CublasLtTest.cpp - Numerics of the simulated cuBLASLt --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CublasLtHarness.h"

using namespace dmc::fakes::test;
using blas::ComputeType;
using blas::Epilogue;
using blas::Order;
using blas::Status;
using blas::Type;
using A = blas::OperationAttribute;
using P = blas::PreferenceAttribute;

namespace {
struct Types {
  Type in, out, scale;
  ComputeType compute;
};
constexpr Types floats[] = {
    {Type::F32, Type::F32, Type::F32, ComputeType::F32},
    {Type::F32, Type::F32, Type::F32, ComputeType::F32FastTF32},
    {Type::F64, Type::F64, Type::F64, ComputeType::F64},
    {Type::BF16, Type::BF16, Type::F32, ComputeType::F32},
    {Type::BF16, Type::F32, Type::F32, ComputeType::F32},
    {Type::F16, Type::F16, Type::F32, ComputeType::F32},
    {Type::F16, Type::F32, Type::F32, ComputeType::F32},
};

Gemm gemmOf(const Types &types) {
  Gemm gemm;
  gemm.in = types.in;
  gemm.out = types.out;
  gemm.scale = types.scale;
  gemm.compute = types.compute;
  return gemm;
}

//===----------------------------------------------------------------------===//
// Numerics
//===----------------------------------------------------------------------===//

TEST(CublasLt, MultipliesAllTypesTranspositionsOrdersAndBatches) {
  for (const Types &types : floats)
    for (int variant = 0; variant < 32; ++variant) {
      Session session(uint64_t(variant) + 1);
      Gemm gemm = gemmOf(types);
      gemm.transA = variant & 1;
      gemm.transB = variant & 2;
      gemm.orders[0] = variant & 4 ? Order::Row : Order::Column;
      gemm.orders[1] = variant & 8 ? Order::Row : Order::Column;
      gemm.orders[2] = gemm.orders[3] = variant & 16 ? Order::Row : Order::Column;
      gemm.batch = 1 + variant % 3;
      gemm.alpha = 2;
      gemm.beta = variant % 2 ? -3 : 0;
      gemm.make();
      gemm.run();
      gemm.expectPlain();
    }
}

TEST(CublasLt, MultipliesIntegersAsTheMatrixInstructionsDo) {
  Session session;
  Gemm gemm = gemmOf({Type::I8, Type::I32, Type::I32, ComputeType::I32});
  gemm.transA = true;
  gemm.alpha = 3;
  gemm.beta = 1;
  gemm.make();
  gemm.run();
  gemm.expectPlain();
  // Not transposed, there is no such instruction.
  Gemm other = gemmOf({Type::I8, Type::I32, Type::I32, ComputeType::I32});
  other.make();
  other.heuristics(Status::NotSupported);
}

TEST(CublasLt, ReadsScalarsOnTheDeviceWhenItRuns) {
  for (bool isWritten : {true, false}) {
    Session session;
    Gemm gemm;
    gemm.alpha = 3;
    gemm.beta = -1;
    gemm.make();
    gemm.set(A::PointerMode, int32_t(blas::PointerMode::Device));
    CUdeviceptr scalars = session.allocate(2);
    CUstream stream = session.stream();
    if (isWritten) {
      OK(cu().memsetD32Async(scalars, 0x40400000 /* 3 */, 1, stream));
      OK(cu().memsetD32Async(scalars + 4, 0xbf800000 /* -1 */, 1, stream));
    }
    auto pointer = [](CUdeviceptr address) { return reinterpret_cast<void *>(address); };
    ASSERT_EQ(lt().matmul(gemm.handle, gemm.operation, pointer(scalars), pointer(gemm.a.address),
                          gemm.a.layout, pointer(gemm.b.address), gemm.b.layout,
                          pointer(scalars + 4), pointer(gemm.c.address), gemm.c.layout,
                          pointer(gemm.d.address), gemm.d.layout, nullptr, nullptr, 0, stream),
              Status::Success);
    cu().streamSynchronize(stream);
    if (isWritten) {
      gemm.d.download();
      gemm.expectPlain();
    } else {
      EXPECT_NE(session.reports().find("uninitialized"), std::string::npos);
    }
  }
}

TEST(CublasLt, FastComputationsRoundOperands) {
  struct Case {
    ComputeType compute;
    double unit; // what is added to 1 and half of it rounded away
  };
  for (Case fast : {Case{ComputeType::F32FastTF32, 0x1p-10}, Case{ComputeType::F32FastF16, 0x1p-10},
                    Case{ComputeType::F32FastBF16, 0x1p-7}, Case{ComputeType::F32, 0x1p-23}}) {
    Session session;
    Gemm gemm;
    gemm.compute = fast.compute;
    gemm.m = gemm.n = gemm.k = 1;
    gemm.make();
    for (double lost : {0.25, 0.5, 0.75}) {
      encode(Type::F32, 1 + fast.unit * (1 + lost), gemm.a.bytes.data());
      encode(Type::F32, 1, gemm.b.bytes.data());
      gemm.a.upload();
      gemm.b.upload();
      gemm.run();
      double kept = lost < 0.5 ? 1 : 2; // a tie goes to the even one
      EXPECT_EQ(gemm.d.get(0, 0, 0), 1 + fast.unit * kept) << int(fast.compute) << " " << lost;
    }
  }
}

TEST(CublasLt, ReluOfNaNIsZeroAsInTheRealOne) {
  Session session;
  Gemm gemm;
  gemm.epilogue = Epilogue::Relu;
  gemm.make();
  encode(Type::F32, NAN, &gemm.a.bytes[gemm.a.at(0, 3, 0)]);
  gemm.a.upload();
  gemm.run();
  EXPECT_EQ(gemm.d.get(0, 3, 1), 0);
  gemm.set(A::Epilogue, int32_t(Epilogue::Default));
  gemm.run();
  EXPECT_TRUE(std::isnan(gemm.d.get(0, 3, 1)));
}

TEST(CublasLt, BetaZeroDoesNotReadC) {
  Session session;
  Gemm gemm;
  gemm.make();
  gemm.c.address = 0;
  gemm.run();
  gemm.expectPlain();
}

TEST(CublasLt, ResultsMayTakeTheirPlaceInC) {
  Session session;
  Gemm gemm;
  gemm.beta = 2;
  gemm.make();
  gemm.c.address = gemm.d.address;
  gemm.run();
  gemm.expectPlain();
}

TEST(CublasLt, SlicesOfTheSumAddUp) {
  Session session(3);
  Gemm gemm;
  gemm.m = gemm.n = 16;
  gemm.k = 1000;
  gemm.make();
  gemm.prefer(P::MaxWorkspace, 1 << 20, 8);
  auto results = gemm.heuristics();
  ASSERT_EQ(results.size(), 3u);
  uint32_t slices = 0;
  size_t written = 0;
  ASSERT_EQ(lt().algorithmGetAttribute(&results[0].algorithm, blas::AlgorithmAttribute::SplitK,
                                       &slices, 4, &written),
            Status::Success);
  EXPECT_EQ(slices, 7u); // of at least 128 steps
  EXPECT_EQ(results[0].workspaceBytes, 16u * 16 * 4 * 7);
  CUdeviceptr workspace = session.allocate(results[0].workspaceBytes / 4);
  auto refuses = [&](const char *why, CUdeviceptr at, size_t bytes) {
    expectStatus(Status::InvalidValue, why,
                 [&] { return gemm.enqueue(&results[0].algorithm, at, bytes); });
  };
  refuses("the algorithm needs a workspace of 7168 bytes, not 7164", workspace, 7164);
  refuses("a workspace at null has a size", 0, 7168);
  refuses("the workspace is not at a multiple of 256 bytes", workspace + 16, 7168);
  ASSERT_EQ(gemm.enqueue(&results[0].algorithm, workspace, results[0].workspaceBytes),
            Status::Success);
  gemm.d.download();
  gemm.expectPlain();
  gemm.prefer(P::ReductionSchemes, 0, 4);
  EXPECT_EQ(gemm.heuristics().size(), 2u);
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

double geluOf(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
/// By differences of fourth order, so that the formula is not written twice.
double geluSlope(double x) {
  double h = 1e-3;
  return (8 * (geluOf(x + h) - geluOf(x - h)) - (geluOf(x + 2 * h) - geluOf(x - 2 * h))) / (12 * h);
}

/// Rounding to the type of D may go the other way for a value near the middle.
double toleranceOf(Type type) {
  return type == Type::F64 ? 1e-10 : type == Type::F32 ? 1e-6 : type == Type::F16 ? 1e-3 : 8e-3;
}

TEST(CublasLt, AddsABiasToEachColumn) {
  for (const Types &types : floats)
    for (Epilogue epilogue :
         {Epilogue::Bias, Epilogue::ReluBias, Epilogue::Relu, Epilogue::GeluBias, Epilogue::Gelu}) {
      Session session;
      Gemm gemm = gemmOf(types);
      gemm.epilogue = epilogue;
      gemm.batch = 2;
      gemm.alpha = 0.5;
      gemm.make();
      gemm.run();
      bool hasBias = int(epilogue) & int(Epilogue::Bias);
      bool isGelu = int(epilogue) & int(Epilogue::Gelu);
      bool isRelu = int(epilogue) & int(Epilogue::Relu);
      gemm.expect(
          [&](int64_t, int64_t i, int64_t, double value) {
            value += hasBias ? double(i % 7 - 3) : 0;
            return isGelu ? geluOf(value) : isRelu ? std::max(value, 0.0) : value;
          },
          isGelu ? toleranceOf(types.out) : 0);
    }
}

TEST(CublasLt, KeepsWhatAGradientNeeds) {
  for (Epilogue epilogue : {Epilogue::GeluAux, Epilogue::GeluAuxBias}) {
    Session session;
    Gemm gemm;
    gemm.epilogue = epilogue;
    gemm.batch = 2;
    gemm.make();
    gemm.makeAux();
    gemm.run();
    gemm.aux.download();
    auto before = [&](int64_t i, double value) {
      return value + (epilogue == Epilogue::GeluAuxBias ? double(i % 7 - 3) : 0);
    };
    gemm.expect([&](int64_t, int64_t i, int64_t, double value) { return geluOf(before(i, value)); },
                1e-6);
    for (int64_t l = 0; l < 2; ++l)
      for (int64_t i = 0; i < gemm.m; ++i)
        for (int64_t j = 0; j < gemm.n; ++j)
          ASSERT_EQ(gemm.aux.get(l, i, j), before(i, gemm.plain(l, i, j)));
  }
  for (Epilogue epilogue : {Epilogue::ReluAux, Epilogue::ReluAuxBias}) {
    Session session;
    Gemm gemm;
    gemm.epilogue = epilogue;
    gemm.batch = 2;
    gemm.make();
    gemm.makeMask();
    gemm.run();
    gemm.aux.download();
    auto before = [&](int64_t i, double value) {
      return value + (epilogue == Epilogue::ReluAuxBias ? double(i % 7 - 3) : 0);
    };
    gemm.expect(
        [&](int64_t, int64_t i, int64_t, double value) { return std::max(before(i, value), 0.0); });
    for (int64_t l = 0; l < 2; ++l)
      for (int64_t i = 0; i < gemm.m; ++i)
        for (int64_t j = 0; j < gemm.n; ++j)
          ASSERT_EQ(gemm.maskBit(l, i, j), before(i, gemm.plain(l, i, j)) > 0);
  }
}

/// Of a bias, for a D of that type: the sums over the columns of `values`.
void expectBiasGradient(Gemm &gemm, int64_t length,
                        const std::function<double(int64_t)> &expected) {
  gemm.bias.download();
  for (int64_t i = 0; i < length; ++i)
    ASSERT_NEAR(gemm.bias.get(0, i, 0), rounded(gemm.out, expected(i)), 1e-5) << "element " << i;
}

TEST(CublasLt, AppliesGradientsOfActivations) {
  for (Epilogue epilogue : {Epilogue::DGelu, Epilogue::DGeluBGrad}) {
    Session session;
    Gemm gemm;
    gemm.epilogue = epilogue;
    gemm.make();
    gemm.makeAux();
    gemm.run();
    auto result = [&](int64_t, int64_t i, int64_t j, double value) {
      return value * geluSlope(gemm.aux.get(0, i, j));
    };
    gemm.expect(result, 1e-6);
    if (epilogue == Epilogue::DGeluBGrad)
      expectBiasGradient(gemm, gemm.m, [&](int64_t i) {
        double sum = 0;
        for (int64_t j = 0; j < gemm.n; ++j)
          sum += result(0, i, j, gemm.plain(0, i, j));
        return sum;
      });
  }
  for (Epilogue epilogue : {Epilogue::DRelu, Epilogue::DReluBGrad}) {
    Session session;
    Gemm gemm;
    gemm.epilogue = epilogue;
    gemm.make();
    gemm.makeMask();
    gemm.run();
    auto result = [&](int64_t, int64_t i, int64_t j, double value) {
      return gemm.maskBit(0, i, j) ? value : 0;
    };
    gemm.expect(result);
    if (epilogue == Epilogue::DReluBGrad)
      expectBiasGradient(gemm, gemm.m, [&](int64_t i) {
        double sum = 0;
        for (int64_t j = 0; j < gemm.n; ++j)
          sum += result(0, i, j, gemm.plain(0, i, j));
        return sum;
      });
  }
}

TEST(CublasLt, SumsOperandsForGradientsOfBiases) {
  for (bool isLeft : {true, false}) {
    Session session;
    Gemm gemm;
    gemm.epilogue = isLeft ? Epilogue::BGradA : Epilogue::BGradB;
    gemm.transB = true;
    gemm.make();
    gemm.run();
    gemm.expectPlain();
    expectBiasGradient(gemm, isLeft ? gemm.m : gemm.n, [&](int64_t i) {
      double sum = 0;
      for (int64_t p = 0; p < gemm.k; ++p)
        sum += isLeft ? gemm.a.get(0, i, p) : gemm.b.get(0, i, p);
      return sum;
    });
  }
}

//===----------------------------------------------------------------------===//
// With the driver
//===----------------------------------------------------------------------===//

TEST(CublasLt, StreamsWithoutAnEventAreReported) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Session session(seed);
    Gemm gemm;
    gemm.make();
    CUstream first = session.stream(), second = session.stream();
    ASSERT_EQ(gemm.enqueue(nullptr, 0, 0, first), Status::Success);
    CUdeviceptr copy = session.allocate(gemm.d.bytes.size() / 4);
    OK(cu().memcpyDtoDAsync(copy, gemm.d.address, gemm.d.bytes.size(), second));
    cu().streamSynchronize(second);
    cu().streamSynchronize(first);
    EXPECT_NE(session.reports().find("cublasLtMatmul"), std::string::npos) << "seed " << seed;
  }
}

TEST(CublasLt, OverlappingOperandsAreReported) {
  Session session;
  Gemm gemm;
  gemm.m = gemm.n = gemm.k = 8;
  gemm.make();
  gemm.d.address = gemm.a.address;
  EXPECT_EQ(gemm.enqueue(), Status::Success);
  cu().streamSynchronize(nullptr);
  EXPECT_NE(session.reports().find("overlapping operands"), std::string::npos);
}

TEST(CublasLt, OperandsMayLieBetweenEachOther) {
  // A and D are columns of one array of rows.
  Session session;
  Gemm gemm;
  gemm.m = gemm.n = gemm.k = gemm.padding = 8;
  for (Order &order : gemm.orders)
    order = Order::Row;
  gemm.make();
  gemm.d.address = gemm.a.address + 32;
  ASSERT_EQ(gemm.enqueue(), Status::Success);
  cu().streamSynchronize(nullptr);
}

TEST(CublasLt, GraphsRunItAgain) {
  Session session;
  Gemm gemm;
  gemm.make();
  CUstream stream = session.stream();
  OK(cu().streamBeginCapture(stream, CaptureMode::ThreadLocal));
  ASSERT_EQ(gemm.enqueue(nullptr, 0, 0, stream), Status::Success);
  CUgraph graph = nullptr;
  OK(cu().streamEndCapture(stream, &graph));
  CUgraphExec exec = nullptr;
  GraphInstantiateParams params = {};
  OK(cu().graphInstantiateWithParams(&exec, graph, &params));
  for (int launch = 0; launch < 3; ++launch) {
    OK(cu().graphLaunch(exec, stream));
    OK(cu().streamSynchronize(stream));
    gemm.d.download();
    gemm.expectPlain();
    OK(cu().memsetD8Async(gemm.d.address, 0x5a, gemm.d.bytes.size(), nullptr));
    OK(cu().streamSynchronize(nullptr));
  }
}
} // namespace
