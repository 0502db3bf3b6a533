//===- CublasLtRefusalsTest.cpp - What the simulated cuBLASLt refuses -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CublasLtHarness.h"

using namespace dmc::fakes::test;
using blas::Epilogue;
using blas::Order;
using blas::Status;
using blas::Type;
using A = blas::OperationAttribute;
using P = blas::PreferenceAttribute;

namespace {
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

TEST(CublasLtRefusals, RefusesWrongLayouts) {
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

TEST(CublasLtRefusals, RefusesWrongOperations) {
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

TEST(CublasLtRefusals, RefusesWrongEpilogues) {
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

TEST(CublasLtRefusals, RefusesAttributesThatItDoesNotKnow) {
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

TEST(CublasLtRefusals, AlgorithmsHaveAttributes) {
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

TEST(CublasLtRefusals, AlgorithmsByVectorsNeedAlignedMatrices) {
  Session session;
  Gemm gemm;
  gemm.in = gemm.out = Type::BF16;
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

  Gemm odd;
  odd.in = odd.out = Type::BF16;
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

TEST(CublasLtRefusals, HandlesBelongToADevice) {
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
} // namespace
