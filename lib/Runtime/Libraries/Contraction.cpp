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
  bool fitsScratch = false; // the memory that the contractor was given
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
  using Entry = std::pair<const std::vector<int64_t>, Prepared>;
  std::map<std::vector<int64_t>, Prepared> prepared;
  std::unordered_map<const dmc_contraction *, Entry *> known;
  /// Given: what all threads share, then what each of them has.
  uint8_t *given = nullptr;
  ContractionScratch givenSize;
  /// Own, as large as contractions have needed that do not fit there: of each thread, and of all
  /// of them.
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
  bool fitsScratch(const Matmul &matmul) const;
  std::optional<std::string> find(const dmc_contraction &contraction, Entry *&entry);
  std::optional<std::string> execute(const Prepared &prepared, const dmc_contraction &contraction,
                                     const void *a, const void *b, void *c, Team *team);
  void multiply(const Prepared &prepared, const void *a, const void *b, void *c, Team *team);
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
  return contraction.a_type == contraction.b_type &&
         (contraction.a_type == DMC_BF16 || contraction.a_type == DMC_F16);
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
  result.fitsScratch = fitsScratch(*result.matmul);
  return result.fitsScratch ? std::nullopt : reserve(*result.matmul);
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

static size_t roundToLine(size_t bytes) { return (bytes + 63) / 64 * 64; }

bool Contractor::Impl::fitsScratch(const Matmul &matmul) const {
  return roundToLine(matmul.packedBytes()) + matmul.partialBytes() <=
             static_cast<size_t>(givenSize.shared) &&
         matmul.scratchBytes() <= static_cast<size_t>(givenSize.perThread);
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

void Contractor::Impl::multiply(const Prepared &prepared, const void *a, const void *b, void *c,
                                Team *team) {
  struct Job {
    const Impl *impl;
    bool isGiven;
    const Matmul &matmul;
    Matmul::Buffers buffers;
    int64_t numTasks;
    void (Matmul::*run)(int64_t task, const Matmul::Buffers &buffers, void *scratch) const;
    std::atomic<int64_t> next{0};

    void *scratchOf(int64_t thread) const {
      if (!isGiven)
        return impl->scratch[static_cast<size_t>(thread)].data();
      return impl->given + impl->givenSize.shared + thread * impl->givenSize.perThread;
    }
  };
  // A thread takes the next task when it has ended one: what they take differs.
  auto work = [](void *data, int64_t begin, int64_t end) -> int32_t {
    auto &job = *static_cast<Job *>(data);
    for (int64_t thread = begin; thread < end; ++thread)
      for (int64_t task; (task = job.next.fetch_add(1, std::memory_order_relaxed)) < job.numTasks;)
        (job.matmul.*job.run)(task, job.buffers, job.scratchOf(thread));
    return 0;
  };
  const Matmul &matmul = *prepared.matmul;
  bool isGiven = prepared.fitsScratch;
  Matmul::Buffers buffers = {a, b, c, packed.data(), partial.data()};
  if (isGiven) {
    buffers.packed = given;
    buffers.partial = given + roundToLine(matmul.packedBytes());
  }
  Job packs = {this, isGiven, matmul, buffers, matmul.numPackTasks(), &Matmul::pack};
  Job products = {this, isGiven, matmul, buffers, matmul.numTasks(), &Matmul::run};
  Job sums = {this, isGiven, matmul, buffers, matmul.numFinalTasks(), &Matmul::finish};
  for (Job *job : {&packs, &products, &sums}) {
    if (!job->numTasks)
      continue;
    if (team && matmul.threads() > 1)
      team->run(std::min<int64_t>(team->threads(), threads), work, job);
    else
      work(job, 0, 1);
  }
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

std::optional<std::string> Contractor::Impl::execute(const Prepared &prepared,
                                                     const dmc_contraction &contraction,
                                                     const void *a, const void *b, void *c,
                                                     Team *team) {
  if (prepared.handle)
    return multiplyByVendor(prepared, contraction, a, b, c);
  if (prepared.matmul)
    multiply(prepared, a, b, c, team);
  else if (!contraction.accumulate)
    clear(loopsOf(contraction), contraction.c_type, c);
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

/// Integers of at least a byte.
static bool isWideInteger(uint32_t type) { return type >= DMC_I8 && type <= DMC_UI64; }

/// What is wrong with the element types: all are floats, or all are integers.
static std::optional<std::string> checkTypes(const dmc_contraction &contraction) {
  for (uint32_t type : {contraction.a_type, contraction.b_type, contraction.c_type}) {
    if (!isFloat(type) && !isWideInteger(type))
      return std::string("contraction of element type ") + elementName(type) +
             ", expected a float type or integers of at least 8 bits";
    if (isFloat(type) != isFloat(contraction.c_type))
      return std::string("contraction of element types ") + elementName(type) + " and " +
             elementName(contraction.c_type) + ", expected only floats or only integers";
  }
  return std::nullopt;
}

/// Whether there are results, and something is summed.
static bool hasProducts(const dmc_contraction &contraction) {
  size_t count = contraction.num_batch + contraction.num_m + contraction.num_n + contraction.num_k;
  return std::all_of(contraction.sizes, contraction.sizes + count,
                     [](int64_t size) { return size > 0; });
}

ContractionScratch runtime::scratchOf(const dmc_contraction &contraction) {
  return hasProducts(contraction) ? Matmul::mostScratch(contraction) : ContractionScratch();
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

/// What is prepared for the contraction, which is prepared now if it is new. Without a method where
/// there is nothing to multiply.
std::optional<std::string> Contractor::Impl::find(const dmc_contraction &contraction,
                                                  Entry *&entry) {
  // A program's description of a contraction stays where it is: a step that repeats what another
  // has prepared allocates nothing.
  if (auto place = known.find(&contraction);
      place != known.end() && hasKey(contraction, place->second->first)) {
    entry = place->second;
    return std::nullopt;
  }
  auto [place, isNew] = prepared.try_emplace(keyOf(contraction));
  if (isNew) {
    std::optional<std::string> why = checkTypes(contraction);
    if (!why && hasProducts(contraction))
      why = prepare(contraction, place->second);
    if (why) {
      prepared.erase(place);
      return why;
    }
  }
  entry = &*place;
  known[&contraction] = entry;
  return std::nullopt;
}

void Contractor::setScratch(void *memory, const ContractionScratch &size) {
  impl_->given = static_cast<uint8_t *>(memory);
  impl_->givenSize = size;
}

std::optional<std::string> Contractor::prepare(const dmc_contraction &contraction) {
  Impl::Entry *entry;
  return impl_->find(contraction, entry);
}

std::optional<std::string> Contractor::run(const dmc_contraction &contraction, const void *a,
                                           const void *b, void *c, Team *team) {
  Impl::Entry *entry;
  if (auto why = impl_->find(contraction, entry))
    return why;
  return impl_->execute(entry->second, contraction, a, b, c, team);
}
