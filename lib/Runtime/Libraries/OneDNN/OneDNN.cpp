//===- OneDNN.cpp - Matrix products by oneDNN -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vendor plugin around oneDNN, the only file that knows its interface.
// Written for oneDNN 2.6 and 3.x.
//
//===----------------------------------------------------------------------===//

#include "dmc-c/Program.h"
#include "dmc/Runtime/VendorPlugin.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include <dnnl.hpp>

// Of the OpenMP library that oneDNN brings along; another one has no say over
// oneDNN's threads. Absent if oneDNN was built on something else.
extern "C" __attribute__((weak)) void omp_set_num_threads(int);

namespace {

struct Product {
  dnnl::matmul primitive;
  dnnl::stream stream;
  dnnl::memory a, b, c;
  int32_t threads;
};

} // namespace

static dnnl::engine &cpuEngine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// The setting belongs to the calling thread.
static void useThreads(int32_t threads) {
  thread_local int32_t current = 0;
  if (current == threads || !omp_set_num_threads)
    return;
  omp_set_num_threads(threads);
  current = threads;
}

static int32_t report(int32_t status, const char *why, char *error, int64_t errorSize) {
  std::snprintf(error, static_cast<size_t>(errorSize), "%s", why);
  return status;
}

/// Without hardware support, oneDNN's bf16 products are four times slower than
/// conversion to f32 and a product in f32.
static bool hasFastBf16() {
  switch (dnnl::get_effective_cpu_isa()) {
  case dnnl::cpu_isa::sse41:
  case dnnl::cpu_isa::avx:
  case dnnl::cpu_isa::avx2:
  case dnnl::cpu_isa::avx2_vnni:
  case dnnl::cpu_isa::avx512_core:
  case dnnl::cpu_isa::avx512_core_vnni:
    return false;
  default: // avx512_core_bf16 and what came after it
    return true;
  }
}

static bool typeOf(uint32_t type, dnnl::memory::data_type &result) {
  switch (type) {
  case DMC_F32:
    result = dnnl::memory::data_type::f32;
    return true;
  case DMC_BF16:
    result = dnnl::memory::data_type::bf16;
    return hasFastBf16();
  default:
    return false;
  }
}

/// A matrix of each batch; a buffer that a batch loop does not index has size 1
/// there, which oneDNN broadcasts.
static dnnl::memory::desc describe(const dmc_matmul &matmul, const int64_t *batchStrides,
                                   dnnl::memory::data_type type, int64_t rows, int64_t columns,
                                   int64_t rowStride, int64_t columnStride) {
  dnnl::memory::dims sizes, strides;
  for (uint32_t i = 0; i < matmul.num_batch; ++i) {
    sizes.push_back(batchStrides[i] ? matmul.batch[i] : 1);
    strides.push_back(batchStrides[i] ? batchStrides[i] : rows * columns);
  }
  sizes.insert(sizes.end(), {rows, columns});
  strides.insert(strides.end(), {rowStride, columnStride});
  return dnnl::memory::desc(sizes, type, strides);
}

static int32_t create(const dmc_matmul *matmul, int32_t threads, void **handle, char *error,
                      int64_t errorSize) {
  dnnl::memory::data_type aType, bType, cType;
  if (!typeOf(matmul->a_type, aType) || !typeOf(matmul->b_type, bType) ||
      !typeOf(matmul->c_type, cType))
    return report(DMC_VENDOR_UNSUPPORTED, "element types", error, errorSize);
  try {
    useThreads(threads);
    dnnl::engine &engine = cpuEngine();
    auto a =
        describe(*matmul, matmul->a_batch, aType, matmul->m, matmul->k, matmul->a_m, matmul->a_k);
    auto b =
        describe(*matmul, matmul->b_batch, bType, matmul->k, matmul->n, matmul->b_k, matmul->b_n);
    auto c =
        describe(*matmul, matmul->c_batch, cType, matmul->m, matmul->n, matmul->c_m, matmul->c_n);
    dnnl::primitive_attr attributes;
    if (matmul->accumulate) {
      dnnl::post_ops sum;
      sum.append_sum(1.0f);
      attributes.set_post_ops(sum);
    }
#if DNNL_VERSION_MAJOR >= 3
    dnnl::matmul::primitive_desc description(engine, a, b, c, attributes, true);
#else
    dnnl::matmul::primitive_desc description(dnnl::matmul::desc(a, b, c), attributes, engine, true);
#endif
    if (!description.get(true))
      return report(DMC_VENDOR_UNSUPPORTED, "no implementation", error, errorSize);
    // The reference implementation is a thousand times slower than the others.
    if (std::strncmp(description.impl_info_str(), "ref", 3) == 0)
      return report(DMC_VENDOR_UNSUPPORTED, "no fast implementation", error, errorSize);
    *handle = new Product{dnnl::matmul(description),        dnnl::stream(engine),
                          dnnl::memory(a, engine, nullptr), dnnl::memory(b, engine, nullptr),
                          dnnl::memory(c, engine, nullptr), threads};
    return DMC_VENDOR_OK;
  } catch (const dnnl::error &failure) {
    if (failure.status == dnnl_unimplemented || failure.status == dnnl_invalid_arguments)
      return report(DMC_VENDOR_UNSUPPORTED, failure.what(), error, errorSize);
    return report(DMC_VENDOR_FAILED, failure.what(), error, errorSize);
  } catch (const std::exception &failure) {
    return report(DMC_VENDOR_FAILED, failure.what(), error, errorSize);
  }
}

static int32_t execute(void *handle, const void *a, const void *b, void *c, char *error,
                       int64_t errorSize) {
  auto *product = static_cast<Product *>(handle);
  try {
    useThreads(product->threads);
    product->a.set_data_handle(const_cast<void *>(a));
    product->b.set_data_handle(const_cast<void *>(b));
    product->c.set_data_handle(c);
    product->primitive.execute(
        product->stream,
        {{DNNL_ARG_SRC, product->a}, {DNNL_ARG_WEIGHTS, product->b}, {DNNL_ARG_DST, product->c}});
    product->stream.wait();
    return DMC_VENDOR_OK;
  } catch (const std::exception &failure) {
    return report(DMC_VENDOR_FAILED, failure.what(), error, errorSize);
  }
}

static void destroy(void *handle) { delete static_cast<Product *>(handle); }

extern "C" __attribute__((visibility("default"))) const dmc_vendor *
dmc_vendor_query(uint32_t abiVersion) {
  if (abiVersion != DMC_VENDOR_ABI_VERSION)
    return nullptr;
  static const std::string name = [] {
    const dnnl_version_t *version = dnnl_version();
    return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->patch);
  }();
  static const dmc_vendor vendor = {
      DMC_VENDOR_ABI_VERSION, 0, name.c_str(), create, execute, destroy};
  return &vendor;
}
