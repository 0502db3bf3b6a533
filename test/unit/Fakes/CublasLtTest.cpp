//===- CublasLtTest.cpp - Numerics and refusals of the simulated cuBLASLt -===//
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
// What it refuses
//===----------------------------------------------------------------------===//

void change(blas::Layout object, blas::LayoutAttribute attribute, int64_t value, size_t bytes) {
  EXPECT_EQ(lt().layoutSetAttribute(object, attribute, &value, bytes), Status::Success);
}

/// A call with one change is refused.
void expectRefusal(Status expected, const char *why, const std::function<void(Gemm &)> &apply) {
  Gemm gemm;
  gemm.make();
  apply(gemm);
  expectStatus(expected, why, [&] { return gemm.enqueue(); });
}

TEST(CublasLt, RefusesWrongLayouts) {
  Session session;
  using L = blas::LayoutAttribute;
  auto refuses = expectRefusal;
  refuses(Status::InvalidValue, "leading dimension 11, less than the 12 elements of a column",
          [](Gemm &gemm) { change(gemm.a.layout, L::Ld, gemm.m - 1, 8); });
  refuses(Status::InvalidValue, "op(A) has 20 columns, but op(B) has 19 rows",
          [](Gemm &gemm) { change(gemm.b.layout, L::Rows, gemm.k - 1, 8); });
  refuses(Status::InvalidValue, "D is 12 x 8, but op(A) op(B) is 12 x 9",
          [](Gemm &gemm) { change(gemm.d.layout, L::Columns, gemm.n - 1, 8); });
  refuses(Status::InvalidValue, "C is 12 x 8, but D is 12 x 9",
          [](Gemm &gemm) { change(gemm.c.layout, L::Columns, gemm.n - 1, 8); });
  refuses(Status::InvalidValue, "the batches of A, B and D differ",
          [](Gemm &gemm) { change(gemm.b.layout, L::BatchCount, 2, 4); });
  refuses(Status::InvalidValue, "the results of the batch overlap", [](Gemm &gemm) {
    for (blas::Layout object : {gemm.a.layout, gemm.b.layout, gemm.c.layout, gemm.d.layout})
      change(object, L::BatchCount, 2, 4);
    change(gemm.d.layout, L::BatchStride, 0, 8);
  });
  refuses(Status::InvalidValue, "the layout of A has a negative batch stride",
          [](Gemm &gemm) { change(gemm.a.layout, L::BatchStride, -1, 8); });
  refuses(Status::InvalidValue, "the layout of A has no elements",
          [](Gemm &gemm) { change(gemm.a.layout, L::Columns, 0, 8); });
  refuses(Status::NotSupported, "has order 2: only rows and columns are simulated",
          [](Gemm &gemm) { change(gemm.a.layout, L::Order, 2, 4); });
  refuses(Status::NotSupported, "the layout of A has type 28, which is not simulated",
          [](Gemm &gemm) { change(gemm.a.layout, L::Type, 28, 4); });
  refuses(Status::NotSupported, "in f32 of f32 and f32 to f32 and bf16 is not supported",
          [](Gemm &gemm) { change(gemm.d.layout, L::Type, int64_t(Type::BF16), 4); });
  refuses(Status::InvalidValue, "C is D, but their layouts differ", [](Gemm &gemm) {
    gemm.beta = 1;
    gemm.c.address = gemm.d.address;
    change(gemm.c.layout, L::Ld, gemm.m, 8);
  });
  refuses(Status::InvalidValue, "the layout of A does not exist", [](Gemm &gemm) {
    EXPECT_EQ(lt().layoutDestroy(gemm.a.layout), Status::Success);
    expectStatus(Status::InvalidValue, "the object does not exist",
                 [&] { return lt().layoutDestroy(gemm.a.layout); });
  });
}

TEST(CublasLt, RefusesWrongOperations) {
  Session session;
  auto refuses = expectRefusal;
  refuses(Status::InvalidValue, "there is no epilogue 3",
          [](Gemm &gemm) { gemm.set(A::Epilogue, 3); });
  refuses(Status::InvalidValue, "there is no transposition 3",
          [](Gemm &gemm) { gemm.set(A::TransB, 3); });
  refuses(Status::InvalidValue, "there is no pointer mode 5",
          [](Gemm &gemm) { gemm.set(A::PointerMode, 5); });
  refuses(Status::NotSupported, "vectors of alpha are not simulated",
          [](Gemm &gemm) { gemm.set(A::PointerMode, 2); });
  refuses(Status::InvalidValue, "alpha or beta is misaligned", [](Gemm &gemm) {
    gemm.set(A::PointerMode, int32_t(blas::PointerMode::Device));
    // The arrays of this test are not on the device, but at odd addresses.
    gemm.skewsScalars = true;
  });
  refuses(Status::InvalidValue, "a matrix is null", [](Gemm &gemm) { gemm.a.address = 0; });
  refuses(Status::InvalidValue, "the operation does not exist",
          [](Gemm &gemm) { EXPECT_EQ(lt().operationDestroy(gemm.operation), Status::Success); });
  refuses(Status::NotInitialized, "the handle does not exist",
          [](Gemm &gemm) { EXPECT_EQ(lt().destroy(gemm.handle), Status::Success); });
  Gemm gemm;
  gemm.make();
  expectStatus(Status::InvalidValue, "the stream does not exist",
               [&] { return gemm.enqueue(nullptr, 0, 0, reinterpret_cast<CUstream>(&session)); });
  expectStatus(Status::InvalidValue, "alpha or beta is null", [&] {
    return lt().matmul(gemm.handle, gemm.operation, nullptr, nullptr, gemm.a.layout, nullptr,
                       gemm.b.layout, nullptr, nullptr, gemm.c.layout, nullptr, gemm.d.layout,
                       nullptr, nullptr, 0, nullptr);
  });
  EXPECT_STREQ(lt().getStatusString(Status::NotSupported), "CUBLAS_STATUS_NOT_SUPPORTED");
}

TEST(CublasLt, RefusesWrongEpilogues) {
  Session session;
  auto refuses = expectRefusal;
  refuses(Status::InvalidValue, "the epilogue needs the address of a bias", [](Gemm &gemm) {
    gemm.set(A::Epilogue, int32_t(Epilogue::Bias));
    gemm.setWide(A::BiasPointer, 0);
  });
  refuses(Status::InvalidValue, "the address of the bias is misaligned", [](Gemm &gemm) {
    gemm.set(A::Epilogue, int32_t(Epilogue::Bias));
    gemm.setWide(A::BiasPointer, gemm.bias.address + 2);
  });
  refuses(Status::NotSupported, "D must be ordered by columns", [](Gemm &gemm) {
    gemm.set(A::Epilogue, int32_t(Epilogue::Bias));
    for (blas::Layout object : {gemm.c.layout, gemm.d.layout})
      change(object, blas::LayoutAttribute::Order, int64_t(Order::Row), 4);
  });
  refuses(Status::NotSupported, "the type of the bias is not that of D", [](Gemm &gemm) {
    gemm.set(A::Epilogue, int32_t(Epilogue::Bias));
    gemm.set(A::BiasType, int32_t(Type::BF16));
  });
  refuses(Status::InvalidValue, "the bias has 12 elements, more than its batch stride",
          [](Gemm &gemm) {
            gemm.set(A::Epilogue, int32_t(Epilogue::Bias));
            gemm.setWide(A::BiasBatchStride, 11);
          });
  refuses(Status::InvalidValue, "less than the 12 rows of D", [](Gemm &gemm) {
    gemm.set(A::Epilogue, int32_t(Epilogue::GeluAux));
    gemm.setWide(A::AuxLd, 8);
  });
  refuses(Status::InvalidValue, "of the auxiliary matrix, 64, is not a multiple of 128",
          [](Gemm &gemm) {
            gemm.set(A::Epilogue, int32_t(Epilogue::ReluAux));
            gemm.makeMask();
            gemm.setWide(A::AuxLd, 64);
          });
  refuses(Status::InvalidValue, "of the auxiliary matrix, 13, is not a multiple of 8",
          [](Gemm &gemm) {
            gemm.set(A::Epilogue, int32_t(Epilogue::GeluAux));
            gemm.makeAux();
            gemm.setWide(A::AuxLd, 13);
          });
  refuses(Status::InvalidValue, "the auxiliary matrix is not at a multiple of 16 bytes",
          [](Gemm &gemm) {
            gemm.set(A::Epilogue, int32_t(Epilogue::GeluAux));
            gemm.makeAux();
            gemm.setWide(A::AuxPointer, gemm.aux.address + 8);
          });
  refuses(Status::NotSupported, "the type of the auxiliary matrix is not that of D",
          [](Gemm &gemm) {
            gemm.set(A::Epilogue, int32_t(Epilogue::GeluAux));
            gemm.makeAux();
            gemm.set(A::AuxType, int32_t(Type::BF16));
          });
  refuses(Status::InvalidValue, "the epilogue needs the address of an auxiliary matrix",
          [](Gemm &gemm) {
            gemm.set(A::Epilogue, int32_t(Epilogue::GeluAux));
            gemm.setWide(A::AuxLd, 16);
          });
  Gemm gemm;
  gemm.epilogue = Epilogue::BGradA;
  gemm.batch = 2;
  gemm.make();
  expectStatus(Status::InvalidValue, "all of the batch would write one gradient of a bias",
               [&] { return gemm.enqueue(); });
}

TEST(CublasLt, RefusesAttributesThatItDoesNotKnow) {
  Session session;
  Gemm gemm;
  gemm.make();
  int64_t one = 1;
  auto refuses = [&](Status expected, const char *why, int attribute, size_t bytes) {
    expectStatus(expected, why, [&] {
      return lt().operationSetAttribute(gemm.operation, static_cast<A>(attribute), &one, bytes);
    });
  };
  refuses(Status::InvalidValue, "there is no attribute 99, or it is not simulated", 99, 4);
  refuses(Status::InvalidValue, "attribute 7 has 4 bytes, not 8", int(A::Epilogue), 8);
  refuses(Status::NotSupported, "attribute 17 is not simulated", int(A::AScalePointer), 8);
  refuses(Status::NotSupported, "attribute 5 is not simulated", int(A::TransC), 4);
  // A hint.
  EXPECT_EQ(lt().operationSetAttribute(gemm.operation, A::MultiprocessorTarget, &one, 4),
            Status::Success);
  expectStatus(Status::InvalidValue, "there is no attribute 2", [&] {
    return lt().preferenceSetAttribute(gemm.preference, static_cast<P>(2), &one, 4);
  });
  expectStatus(Status::InvalidValue, "there is no attribute 9", [&] {
    return lt().layoutSetAttribute(gemm.a.layout, static_cast<blas::LayoutAttribute>(9), &one, 4);
  });
  EXPECT_EQ(lt().preferenceDestroy(gemm.preference), Status::Success);
  expectStatus(Status::InvalidValue, "no room for results, or no preference", [&] {
    int returned = 0;
    blas::HeuristicResult result;
    return lt().getHeuristic(gemm.handle, gemm.operation, gemm.a.layout, gemm.b.layout,
                             gemm.c.layout, gemm.d.layout, gemm.preference, 1, &result, &returned);
  });
}

TEST(CublasLt, AlgorithmsHaveAttributes) {
  using C = blas::AlgorithmAttribute;
  Session session;
  Gemm gemm;
  gemm.make();
  blas::Algorithm algorithm = gemm.heuristics().front().algorithm;
  uint32_t value = 0;
  expectStatus(Status::InvalidValue, "there is no such attribute", [&] {
    return lt().algorithmSetAttribute(&algorithm, static_cast<C>(40), &value, 4);
  });
  expectStatus(Status::InvalidValue, "the value has another size",
               [&] { return lt().algorithmSetAttribute(&algorithm, C::SplitK, &value, 2); });
  value = 5;
  expectStatus(Status::NotSupported, "attribute 1 cannot be 5",
               [&] { return lt().algorithmSetAttribute(&algorithm, C::TileId, &value, 4); });
  blas::HeuristicResult result = {};
  auto check = [&] {
    return lt().checkAlgorithm(gemm.handle, gemm.operation, gemm.a.layout, gemm.b.layout,
                               gemm.c.layout, gemm.d.layout, &algorithm, &result);
  };
  EXPECT_EQ(check(), Status::Success);
  EXPECT_EQ(result.workspaceBytes, 0u);
  // Only one algorithm divides sums.
  EXPECT_EQ(lt().algorithmSetAttribute(&algorithm, C::SplitK, &value, 4), Status::Success);
  expectStatus(Status::NotSupported, "the sum over 20 has no 5 slices", check);
  algorithm = {};
  expectStatus(Status::InvalidValue, "no algorithm", check);
}

TEST(CublasLt, AlgorithmsByVectorsNeedAlignedMatrices) {
  Session session;
  Gemm gemm = gemmOf({Type::BF16, Type::BF16, Type::F32, ComputeType::F32});
  gemm.m = 16;
  gemm.k = 16;
  gemm.padding = 0;
  gemm.make();
  auto all = gemm.heuristics();
  ASSERT_EQ(all.size(), 2u);
  gemm.prefer(P::AlignmentB, 8, 4);
  EXPECT_EQ(gemm.heuristics().size(), 1u);
  // The heuristic believed the preference; the call sees the address.
  gemm.b.address += 2;
  expectStatus(Status::NotSupported, "matrix B is not aligned to 16 bytes",
               [&] { return gemm.enqueue(&all[0].algorithm); });
  gemm.b.address -= 2;
  EXPECT_EQ(gemm.enqueue(&all[0].algorithm), Status::Success);
  gemm.d.download();
  gemm.expectPlain();

  Gemm odd = gemmOf({Type::BF16, Type::BF16, Type::F32, ComputeType::F32});
  odd.m = 13;
  odd.padding = 0;
  odd.make();
  EXPECT_EQ(odd.heuristics().size(), 1u);
  blas::Algorithm madeUp = {};
  expectStatus(Status::InvalidValue, "the algorithm is not one that a heuristic gave",
               [&] { return odd.enqueue(&madeUp); });
  odd.run();
  odd.expectPlain();
}

TEST(CublasLt, HandlesBelongToADevice) {
  Session session;
  Gemm gemm;
  gemm.make();
  CUcontext other = nullptr;
  OK(cu().devicePrimaryCtxRetain(&other, 1));
  OK(cu().ctxSetCurrent(other));
  expectStatus(Status::InvalidValue, "the handle is for device 0, but the current one is 1",
               [&] { return gemm.enqueue(); });
  OK(cu().ctxSetCurrent(nullptr));
  blas::Handle handle = nullptr;
  expectStatus(Status::NotInitialized, "the thread has no current device",
               [&] { return lt().create(&handle); });
  OK(cu().ctxSetCurrent(session.context));
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
