//===- Contraction.cpp - Contractions on one rank -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Contraction.h"
#include "Device/Team.h"
#include "Libraries/Vendor.h"
#include "Matmul/Matmul.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/ContractionPlan.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <unordered_map>

using namespace dmc;
using namespace dmc::runtime;
using matmul::Matmul;

namespace {
/// How a contraction is computed: by a vendor's product, or else by blocks.
struct Prepared {
  std::optional<Matmul> matmul;
  ContractionPlan plan;
  void *handle = nullptr;
};
} // namespace

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
  double leastDividedFlops = 0;
  std::map<std::vector<int64_t>, Prepared> prepared;
  std::unordered_map<const dmc_contraction *, std::pair<const std::vector<int64_t>, Prepared> *>
      known;
  /// Of each thread, and of all of them: as large as a contraction has needed.
  std::vector<Buffer> scratch;
  Buffer packed, partial;

  ~Impl() {
    std::string error;
    for (auto &entry : prepared)
      if (entry.second.handle)
        loadVendor(error)->destroy(entry.second.handle);
  }

  /// All, if that pays.
  int countThreads(const dmc_contraction &contraction) const;
  std::optional<std::string> prepare(const dmc_contraction &contraction, Prepared &result);
  std::optional<std::string> prepareVendor(const dmc_contraction &contraction, Prepared &result);
  std::optional<std::string> reserve(const Matmul &matmul);
  std::optional<std::string> execute(const Prepared &prepared, const dmc_contraction &contraction,
                                     const void *a, const void *b, void *c, Team *team);
  void multiply(const Matmul &matmul, const void *a, const void *b, void *c, Team *team);
};

//===----------------------------------------------------------------------===//
// A vendor's products
//===----------------------------------------------------------------------===//

/// Multiplications and additions.
static double flopsOf(const dmc_contraction &contraction) {
  size_t count = contraction.num_batch + contraction.num_m + contraction.num_n + contraction.num_k;
  double all = 2;
  for (size_t i = 0; i < count; ++i)
    all *= static_cast<double>(contraction.sizes[i]);
  return all;
}

int Contractor::Impl::countThreads(const dmc_contraction &contraction) const {
  return flopsOf(contraction) >= leastDividedFlops ? threads : 1;
}

/// Takes a plan that the vendor accepts, if there is one. A vendor that is absent accepts none.
std::optional<std::string> Contractor::Impl::prepareVendor(const dmc_contraction &contraction,
                                                           Prepared &result) {
  std::string absent;
  const dmc_vendor *vendor = loadVendor(absent);
  if (!vendor)
    return std::nullopt;
  int used = countThreads(contraction);
  for (ContractionPlan &plan : planContraction(contraction)) {
    char why[256] = {};
    int32_t status = vendor->create(&plan.matmul, used, &result.handle, why, sizeof why);
    if (status == DMC_VENDOR_FAILED)
      return std::string(vendor->name) + " failed: " + why;
    if (status != DMC_VENDOR_OK)
      continue;
    result.plan = std::move(plan);
    return std::nullopt;
  }
  return std::nullopt;
}

static std::optional<std::string> multiplyByVendor(const Prepared &prepared,
                                                   const dmc_contraction &contraction,
                                                   const void *a, const void *b, void *c) {
  std::string failure;
  const dmc_vendor *vendor = loadVendor(failure);
  auto bytesA = static_cast<int64_t>(elementBytes(contraction.a_type));
  auto bytesB = static_cast<int64_t>(elementBytes(contraction.b_type));
  auto bytesC = static_cast<int64_t>(elementBytes(contraction.c_type));
  bool good = forEach(prepared.plan.outer, 0, 0, 0, 0, [&](int64_t atA, int64_t atB, int64_t atC) {
    const uint8_t *first = static_cast<const uint8_t *>(a) + atA * bytesA;
    const uint8_t *second = static_cast<const uint8_t *>(b) + atB * bytesB;
    if (prepared.plan.isSwapped)
      std::swap(first, second);
    char why[256] = {};
    if (vendor->execute(prepared.handle, first, second, static_cast<uint8_t *>(c) + atC * bytesC,
                        why, sizeof why) == DMC_VENDOR_OK)
      return true;
    failure = std::string(vendor->name) + " failed: " + why;
    return false;
  });
  return good ? std::nullopt : std::optional(failure);
}

//===----------------------------------------------------------------------===//
// Products in blocks
//===----------------------------------------------------------------------===//

/// Whether a vendor's product may be faster. Blocks are as fast in f32 and f64, read operands in
/// any order, allocate nothing, and sum in an order that does not depend on the number of threads;
/// but they compute 16-bit types in f32, which some processors need not.
static bool isForVendor(const dmc_contraction &contraction) {
  return contraction.a_type == contraction.b_type && contraction.a_type != DMC_F64 &&
         contraction.a_type != DMC_F32;
}

std::optional<std::string> Contractor::Impl::prepare(const dmc_contraction &contraction,
                                                     Prepared &result) {
  if (isForVendor(contraction)) {
    if (auto why = prepareVendor(contraction, result))
      return why;
    if (result.handle)
      return std::nullopt;
  }
  int used = countThreads(contraction);
  result.matmul = Matmul::plan(contraction, used);
  if (!result.matmul)
    return std::string("contraction with a loop that its result does not index");
  return reserve(*result.matmul);
}

static std::optional<std::string> grow(Buffer &buffer, size_t bytes) {
  if (buffer.size() >= bytes)
    return std::nullopt;
  buffer = Buffer();
  buffer = Buffer::allocate(bytes);
  if (buffer)
    return std::nullopt;
  return "not enough memory for the blocks of a contraction, " + std::to_string(bytes) + " bytes";
}

std::optional<std::string> Contractor::Impl::reserve(const Matmul &matmul) {
  scratch.resize(static_cast<size_t>(threads));
  for (Buffer &buffer : scratch)
    if (auto why = grow(buffer, matmul.scratchBytes()))
      return why;
  if (auto why = grow(packed, matmul.packedBytes()))
    return why;
  return grow(partial, matmul.partialBytes());
}

void Contractor::Impl::multiply(const Matmul &matmul, const void *a, const void *b, void *c,
                                Team *team) {
  struct Job {
    Impl *impl;
    const Matmul &matmul;
    Matmul::Buffers buffers;
    int64_t numTasks;
    void (Matmul::*run)(int64_t task, const Matmul::Buffers &buffers, void *scratch) const;
    std::atomic<int64_t> next{0};
  };
  // A thread takes the next task when it has ended one: what they take differs.
  auto work = [](void *data, int64_t begin, int64_t end) -> int32_t {
    auto &job = *static_cast<Job *>(data);
    for (int64_t thread = begin; thread < end; ++thread)
      for (int64_t task; (task = job.next.fetch_add(1, std::memory_order_relaxed)) < job.numTasks;)
        (job.matmul.*job.run)(task, job.buffers,
                              job.impl->scratch[static_cast<size_t>(thread)].data());
    return 0;
  };
  Matmul::Buffers buffers = {a, b, c, packed.data(), partial.data()};
  Job packs = {this, matmul, buffers, matmul.numPackTasks(), &Matmul::pack};
  Job products = {this, matmul, buffers, matmul.numTasks(), &Matmul::run};
  Job sums = {this, matmul, buffers, matmul.numFinalTasks(), &Matmul::finish};
  for (Job *job : {&packs, &products, &sums}) {
    if (!job->numTasks)
      continue;
    if (team && matmul.threads() > 1)
      team->run(std::min<int64_t>(team->threads(), threads), work, job);
    else
      work(job, 0, 1);
  }
}

std::optional<std::string> Contractor::Impl::execute(const Prepared &prepared,
                                                     const dmc_contraction &contraction,
                                                     const void *a, const void *b, void *c,
                                                     Team *team) {
  if (prepared.handle)
    return multiplyByVendor(prepared, contraction, a, b, c);
  multiply(*prepared.matmul, a, b, c, team);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Contractor
//===----------------------------------------------------------------------===//

Contractor::Contractor(int threads, double leastDividedFlops) : impl_(std::make_unique<Impl>()) {
  impl_->threads = threads;
  impl_->leastDividedFlops = leastDividedFlops;
}

Contractor::~Contractor() = default;

static bool isContractionType(uint32_t type) {
  return type == DMC_F16 || type == DMC_BF16 || type == DMC_F32 || type == DMC_F64;
}

/// Calls `visit` with all that decides how a contraction is computed, in one order.
template <typename Visit>
static void visitKey(const dmc_contraction &contraction, Visit visit) {
  for (uint32_t value :
       {contraction.a_type, contraction.b_type, contraction.c_type, contraction.num_m,
        contraction.num_n, contraction.num_k, contraction.num_batch, contraction.accumulate})
    visit(static_cast<int64_t>(value));
  size_t count = contraction.num_batch + contraction.num_m + contraction.num_n + contraction.num_k;
  for (const int64_t *list :
       {contraction.sizes, contraction.a_strides, contraction.b_strides, contraction.c_strides})
    for (size_t i = 0; i < count; ++i)
      visit(list[i]);
}

static std::vector<int64_t> keyOf(const dmc_contraction &contraction) {
  std::vector<int64_t> key;
  visitKey(contraction, [&](int64_t value) { key.push_back(value); });
  return key;
}

static bool hasKey(const dmc_contraction &contraction, const std::vector<int64_t> &key) {
  size_t count = 0;
  bool isSame = true;
  visitKey(contraction, [&](int64_t value) {
    isSame = isSame && count < key.size() && key[count] == value;
    ++count;
  });
  return isSame && count == key.size();
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
                                           const void *b, void *c, Team *team) {
  // A program's description of a contraction stays where it is: a step that repeats what another
  // has prepared allocates nothing.
  if (auto known = impl_->known.find(&contraction);
      known != impl_->known.end() && hasKey(contraction, known->second->first))
    return impl_->execute(known->second->second, contraction, a, b, c, team);
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
  impl_->known[&contraction] = &*entry;
  return impl_->execute(entry->second, contraction, a, b, c, team);
}
