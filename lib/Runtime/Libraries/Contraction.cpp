//===- Contraction.cpp - Contractions on one rank -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Contraction.h"
#include "Libraries/ContractionPlan.h"
#include "Libraries/Vendor.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <map>

using namespace dmc;
using namespace dmc::runtime;

//===----------------------------------------------------------------------===//
// Copies that change order and type
//===----------------------------------------------------------------------===//

namespace {
template <uint32_t type>
struct Access;
template <>
struct Access<DMC_F32> {
  using Stored = float;
  static double load(float value) { return value; }
  static float store(double value) { return static_cast<float>(value); }
};
template <>
struct Access<DMC_F64> {
  using Stored = double;
  static double load(double value) { return value; }
  static double store(double value) { return value; }
};
template <>
struct Access<DMC_BF16> {
  using Stored = uint16_t;
  static float load(uint16_t value) { return bf16ToFloat(value); }
  static uint16_t store(double value) { return floatToBf16(static_cast<float>(value)); }
};
template <>
struct Access<DMC_F16> {
  using Stored = uint16_t;
  static float load(uint16_t value) { return f16ToFloat(value); }
  static uint16_t store(double value) { return floatToF16(static_cast<float>(value)); }
};

/// One row of a copy.
using ConvertRow = void (*)(void *target, int64_t targetStride, const void *source,
                            int64_t sourceStride, int64_t count);

template <uint32_t to, uint32_t from>
void convertRow(void *target, int64_t targetStride, const void *source, int64_t sourceStride,
                int64_t count) {
  auto *out = static_cast<typename Access<to>::Stored *>(target);
  const auto *in = static_cast<const typename Access<from>::Stored *>(source);
  if (targetStride == 1 && sourceStride == 1) // vectorises
    for (int64_t i = 0; i < count; ++i)
      out[i] = Access<to>::store(Access<from>::load(in[i]));
  else
    for (int64_t i = 0; i < count; ++i)
      out[i * targetStride] = Access<to>::store(Access<from>::load(in[i * sourceStride]));
}
} // namespace

template <uint32_t to>
static ConvertRow converterTo(uint32_t from) {
  switch (from) {
  case DMC_F16:
    return convertRow<to, DMC_F16>;
  case DMC_BF16:
    return convertRow<to, DMC_BF16>;
  case DMC_F64:
    return convertRow<to, DMC_F64>;
  default:
    return convertRow<to, DMC_F32>;
  }
}

static ConvertRow converter(uint32_t to, uint32_t from) {
  switch (to) {
  case DMC_F16:
    return converterTo<DMC_F16>(from);
  case DMC_BF16:
    return converterTo<DMC_BF16>(from);
  case DMC_F64:
    return converterTo<DMC_F64>(from);
  default:
    return converterTo<DMC_F32>(from);
  }
}

static void convertBox(void *target, uint32_t targetType, const std::vector<int64_t> &targetStrides,
                       const void *source, uint32_t sourceType,
                       const std::vector<int64_t> &sourceStrides,
                       const std::vector<int64_t> &extents) {
  auto targetBytes = static_cast<int64_t>(elementBytes(targetType));
  auto sourceBytes = static_cast<int64_t>(elementBytes(sourceType));
  if (targetType == sourceType)
    return copyBox(target, targetStrides, source, sourceStrides, extents, targetBytes);
  ConvertRow convert = converter(targetType, sourceType);
  auto *out = static_cast<uint8_t *>(target);
  const auto *in = static_cast<const uint8_t *>(source);
  if (extents.empty())
    return convert(out, 1, in, 1, 1);
  size_t inner = extents.size() - 1;
  std::vector<int64_t> index(inner, 0);
  while (true) {
    convert(out, targetStrides[inner], in, sourceStrides[inner], extents[inner]);
    size_t d = inner;
    for (; d-- > 0;) {
      out += targetStrides[d] * targetBytes;
      in += sourceStrides[d] * sourceBytes;
      if (++index[d] < extents[d])
        break;
      out -= extents[d] * targetStrides[d] * targetBytes;
      in -= extents[d] * sourceStrides[d] * sourceBytes;
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1))
      return;
  }
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {
/// A plan that is ready to run; without a vendor's handle, by plain loops in f64.
struct Prepared {
  ContractionPlan plan;
  void *handle = nullptr;
};

bool isContractionType(uint32_t type) {
  return type == DMC_F16 || type == DMC_BF16 || type == DMC_F32 || type == DMC_F64;
}
} // namespace

/// C += A * B, rows of B and C contiguous: for f64, and for what a vendor refuses.
/// Four rows at a time share what is loaded of B.
static void multiplyPlain(const dmc_matmul &matmul, const double *a, const double *b, double *c) {
  constexpr int64_t blockK = 128, blockN = 512; // B's block stays in the second cache
  for (int64_t k0 = 0; k0 < matmul.k; k0 += blockK)
    for (int64_t n0 = 0; n0 < matmul.n; n0 += blockN) {
      int64_t k1 = std::min(matmul.k, k0 + blockK), n1 = std::min(matmul.n, n0 + blockN);
      int64_t m = 0;
      for (; m + 4 <= matmul.m; m += 4) {
        double *row0 = c + m * matmul.c_m, *row1 = row0 + matmul.c_m, *row2 = row1 + matmul.c_m,
               *row3 = row2 + matmul.c_m;
        for (int64_t k = k0; k < k1; ++k) {
          const double *factor = a + m * matmul.a_m + k * matmul.a_k;
          double f0 = factor[0], f1 = factor[matmul.a_m], f2 = factor[2 * matmul.a_m],
                 f3 = factor[3 * matmul.a_m];
          const double *bRow = b + k * matmul.b_k;
          for (int64_t n = n0; n < n1; ++n) {
            double value = bRow[n];
            row0[n] += f0 * value;
            row1[n] += f1 * value;
            row2[n] += f2 * value;
            row3[n] += f3 * value;
          }
        }
      }
      for (; m < matmul.m; ++m)
        for (int64_t k = k0; k < k1; ++k) {
          double factor = a[m * matmul.a_m + k * matmul.a_k];
          const double *bRow = b + k * matmul.b_k;
          for (int64_t n = n0; n < n1; ++n)
            c[m * matmul.c_m + n] += factor * bRow[n];
        }
    }
}

/// Calls `body` with the offsets in A, B and C of each iteration.
template <typename Body>
static bool forEach(const std::vector<ContractionLoop> &loops, size_t depth, int64_t a, int64_t b,
                    int64_t c, Body body) {
  if (depth == loops.size())
    return body(a, b, c);
  const ContractionLoop &loop = loops[depth];
  for (int64_t i = 0; i < loop.size; ++i)
    if (!forEach(loops, depth + 1, a + i * loop.a, b + i * loop.b, c + i * loop.c, body))
      return false;
  return true;
}

struct Contractor::Impl {
  int threads;
  std::map<std::vector<int64_t>, Prepared> prepared;
  Buffer scratch[3];

  ~Impl() {
    std::string error;
    for (auto &entry : prepared)
      if (entry.second.handle)
        loadVendor(error)->destroy(entry.second.handle);
  }

  std::optional<std::string> prepare(const dmc_contraction &contraction, Prepared &result);
  std::optional<std::string> execute(const Prepared &prepared, const dmc_contraction &contraction,
                                     const void *const buffers[3]);
};

/// Waking another thread costs as much as some 100,000 multiplications.
static int threadsFor(const dmc_matmul &matmul, int threads) {
  constexpr double perThread = 1 << 20;
  double work =
      static_cast<double>(matmul.m) * static_cast<double>(matmul.n) * static_cast<double>(matmul.k);
  for (uint32_t i = 0; i < matmul.num_batch; ++i)
    work *= static_cast<double>(matmul.batch[i]);
  return work >= threads * perThread ? threads : 1;
}

std::optional<std::string> Contractor::Impl::prepare(const dmc_contraction &contraction,
                                                     Prepared &result) {
  uint32_t types[3] = {contraction.a_type, contraction.b_type, contraction.c_type};
  bool isDouble = types[0] == DMC_F64 || types[1] == DMC_F64 || types[2] == DMC_F64;
  std::vector<ContractionPlan> plans;
  if (!isDouble) {
    if (types[0] == types[1])
      plans = planContraction(contraction, types[0], types[1], types[2], false);
    std::vector<ContractionPlan> wide =
        planContraction(contraction, DMC_F32, DMC_F32, DMC_F32, false);
    plans.insert(plans.end(), std::make_move_iterator(wide.begin()),
                 std::make_move_iterator(wide.end()));
    std::string error;
    const dmc_vendor *vendor = loadVendor(error);
    if (!vendor)
      return error;
    for (ContractionPlan &plan : plans) {
      char why[256] = {};
      int32_t status = vendor->create(&plan.matmul, threadsFor(plan.matmul, threads),
                                      &result.handle, why, sizeof why);
      if (status == DMC_VENDOR_FAILED)
        return std::string(vendor->name) + " failed: " + why;
      if (status == DMC_VENDOR_OK) {
        result.plan = std::move(plan);
        return std::nullopt;
      }
    }
  }
  // Packed, B and C are row-major.
  plans = planContraction(contraction, DMC_F64, DMC_F64, DMC_F64, true);
  if (plans.empty())
    return std::string("contraction with a loop that its result does not index");
  result.plan = std::move(plans.front());
  return std::nullopt;
}

std::optional<std::string> Contractor::Impl::execute(const Prepared &prepared,
                                                     const dmc_contraction &contraction,
                                                     const void *const given[3]) {
  const ContractionPlan &plan = prepared.plan;
  uint32_t types[3] = {contraction.a_type, contraction.b_type, contraction.c_type};
  uint8_t *buffers[3];
  size_t bytes[3];
  for (int i = 0; i < 3; ++i) {
    const PackedBuffer &packed = plan.buffers[i];
    bytes[i] = elementBytes(packed.type);
    buffers[i] = static_cast<uint8_t *>(const_cast<void *>(given[i]));
    if (!packed.isPacked)
      continue;
    size_t needed = static_cast<size_t>(packed.elements()) * bytes[i];
    if (scratch[i].size() < needed) {
      scratch[i] = Buffer();
      scratch[i] = Buffer::allocate(needed);
      if (!scratch[i])
        return "not enough memory for a contraction's copy of " + std::to_string(needed) + " bytes";
    }
    buffers[i] = scratch[i].data();
    if (i < 2 || contraction.accumulate)
      convertBox(buffers[i], packed.type, rowMajorStrides(packed.extents), given[i], types[i],
                 packed.strides, packed.extents);
    else if (!prepared.handle)
      std::memset(buffers[i], 0, needed); // the plain loops add
  }

  std::string failure;
  std::vector<ContractionLoop> loops = plan.outer;
  if (!prepared.handle)
    for (uint32_t i = 0; i < plan.matmul.num_batch; ++i)
      loops.push_back({plan.matmul.batch[i],
                       plan.isSwapped ? plan.matmul.b_batch[i] : plan.matmul.a_batch[i],
                       plan.isSwapped ? plan.matmul.a_batch[i] : plan.matmul.b_batch[i],
                       plan.matmul.c_batch[i]});
  bool good = forEach(loops, 0, 0, 0, 0, [&](int64_t a, int64_t b, int64_t c) {
    uint8_t *first = buffers[0] + a * static_cast<int64_t>(bytes[0]);
    uint8_t *second = buffers[1] + b * static_cast<int64_t>(bytes[1]);
    uint8_t *target = buffers[2] + c * static_cast<int64_t>(bytes[2]);
    if (plan.isSwapped)
      std::swap(first, second);
    if (!prepared.handle) {
      multiplyPlain(plan.matmul, reinterpret_cast<double *>(first),
                    reinterpret_cast<double *>(second), reinterpret_cast<double *>(target));
      return true;
    }
    std::string error;
    const dmc_vendor *vendor = loadVendor(error);
    char why[256] = {};
    if (vendor->execute(prepared.handle, first, second, target, why, sizeof why) == DMC_VENDOR_OK)
      return true;
    failure = std::string(vendor->name) + " failed: " + why;
    return false;
  });
  if (!good)
    return failure;

  const PackedBuffer &packed = plan.buffers[2];
  if (packed.isPacked)
    convertBox(const_cast<void *>(given[2]), types[2], packed.strides, buffers[2], packed.type,
               rowMajorStrides(packed.extents), packed.extents);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Contractor
//===----------------------------------------------------------------------===//

Contractor::Contractor(int threads) : impl_(std::make_unique<Impl>()) { impl_->threads = threads; }

Contractor::~Contractor() = default;

static std::vector<int64_t> keyOf(const dmc_contraction &contraction) {
  std::vector<int64_t> key = {contraction.a_type,    contraction.b_type,    contraction.c_type,
                              contraction.num_m,     contraction.num_n,     contraction.num_k,
                              contraction.num_batch, contraction.accumulate};
  size_t count = contraction.num_batch + contraction.num_m + contraction.num_n + contraction.num_k;
  for (const int64_t *list :
       {contraction.sizes, contraction.a_strides, contraction.b_strides, contraction.c_strides})
    key.insert(key.end(), list, list + count);
  return key;
}

/// A sum over nothing is zero.
static void clear(const ContractionLoops &loops, uint32_t type, void *c) {
  std::vector<ContractionLoop> all = loops.batch;
  all.insert(all.end(), loops.m.begin(), loops.m.end());
  all.insert(all.end(), loops.n.begin(), loops.n.end());
  size_t bytes = elementBytes(type);
  forEach(all, 0, 0, 0, 0, [&](int64_t, int64_t, int64_t offset) {
    std::memset(static_cast<uint8_t *>(c) + offset * static_cast<int64_t>(bytes), 0, bytes);
    return true;
  });
}

std::optional<std::string> Contractor::run(const dmc_contraction &contraction, const void *a,
                                           const void *b, void *c) {
  auto [entry, isNew] = impl_->prepared.try_emplace(keyOf(contraction));
  if (isNew) {
    for (uint32_t type : {contraction.a_type, contraction.b_type, contraction.c_type})
      if (!isContractionType(type)) {
        impl_->prepared.erase(entry);
        return std::string("contraction of element type ") + elementName(type) +
               ", expected a float type";
      }
  }
  ContractionLoops loops = loopsOf(contraction);
  bool isEmpty = false, sumsNothing = false;
  for (const auto *role : {&loops.batch, &loops.m, &loops.n})
    for (const ContractionLoop &loop : *role)
      isEmpty |= loop.size <= 0;
  for (const ContractionLoop &loop : loops.k)
    sumsNothing |= loop.size <= 0;
  if (isEmpty)
    return std::nullopt;
  if (sumsNothing) {
    if (!contraction.accumulate)
      clear(loops, contraction.c_type, c);
    return std::nullopt;
  }
  if (isNew)
    if (auto why = impl_->prepare(contraction, entry->second)) {
      impl_->prepared.erase(entry);
      return why;
    }
  const void *buffers[3] = {a, b, c};
  return impl_->execute(entry->second, contraction, buffers);
}
