//===- Session.cpp - The ranks of a program and their buffers -------------===//

#include "dmc/Runtime/Session.h"
#include "LocalEngine.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>
#include <cstring>

using namespace dmc;
using namespace dmc::runtime;

struct Session::RankBuffers {
  std::vector<Buffer> arguments;
  std::vector<Buffer> results; // empty where a result takes over an argument
  std::vector<Buffer> saved;   // copies of donated arguments
  std::vector<void *> argumentPointers, resultPointers;
  Buffer arena;
};

static std::vector<int64_t> globalShape(const dmc_value &value) {
  return {value.global_shape, value.global_shape + value.rank};
}

static std::vector<int64_t> localShapeOf(const dmc_value &value) {
  return {value.local_shape, value.local_shape + value.rank};
}

static std::string nameOf(const char *kind, size_t index, const dmc_value &value) {
  std::string text = std::string(kind) + " " + std::to_string(index);
  return value.name && *value.name ? text + " (" + value.name + ")" : text;
}

/// NaN for floats; for integers what no program would expect.
static void poison(uint32_t type, void *data, size_t bytes) {
  std::memset(data, isFloat(type) ? 0xff : type == DMC_I1 ? 1 : 0xa5, bytes);
}

Session::Session(const dmc_program &program, const SessionOptions &options)
    : program_(program), options_(options), mesh_(meshOf(program)), numRanks_(mesh_.numRanks()) {
  for (uint32_t i = 0; i < program.num_arguments; ++i)
    argumentLayouts_.push_back(layoutOf(program.arguments[i]));
  for (uint32_t i = 0; i < program.num_results; ++i)
    resultLayouts_.push_back(layoutOf(program.results[i]));
}

std::unique_ptr<Session> Session::create(const dmc_program &program, const SessionOptions &options,
                                         std::string &error) {
  constexpr int64_t maxRanks = 1024; // threads
  if (auto why = verifyProgram(program)) {
    error = "program " + *why;
    return nullptr;
  }
  std::unique_ptr<Session> session(new Session(program, options));
  if (session->numRanks_ > maxRanks) {
    error = "program has " + std::to_string(session->numRanks_) +
            " ranks, the local engine at most " + std::to_string(maxRanks);
    return nullptr;
  }
  if (auto why = session->allocate()) {
    error = *why;
    return nullptr;
  }
  session->engine_ = std::make_unique<LocalEngine>(program, session->mesh_, options);
  if (auto why = session->engine_->parseFault(options.fault)) {
    error = *why;
    return nullptr;
  }
  return session;
}

Session::~Session() {
  if (!engine_ || !engine_->isStuck())
    return;
  // The stuck thread goes on using all this.
  engine_.release();
  for (auto &rank : ranks_)
    rank.release();
}

Failure Session::allocate() {
  bool good = true;
  int64_t perRank = program_.arena_bytes;
  for (int64_t r = 0; r < numRanks_; ++r) {
    auto rank = std::make_unique<RankBuffers>();
    rank->saved.resize(program_.num_arguments);
    for (uint32_t i = 0; i < program_.num_arguments; ++i) {
      int64_t bytes = localBytes(program_.arguments[i]);
      perRank += r == 0 ? bytes : 0;
      rank->arguments.push_back(Buffer::allocate(bytes));
      good &= static_cast<bool>(rank->arguments.back());
      rank->argumentPointers.push_back(rank->arguments.back().data());
    }
    for (uint32_t i = 0; i < program_.num_results; ++i) {
      int64_t alias = program_.results[i].alias, bytes = localBytes(program_.results[i]);
      rank->results.emplace_back();
      if (alias < 0) {
        perRank += r == 0 ? bytes : 0;
        rank->results.back() = Buffer::allocate(bytes);
        good &= static_cast<bool>(rank->results.back());
      }
      rank->resultPointers.push_back(alias < 0 ? rank->results.back().data()
                                               : rank->argumentPointers[alias]);
    }
    rank->arena = Buffer::allocate(program_.arena_bytes, program_.arena_alignment);
    good &= static_cast<bool>(rank->arena);
    if (!good)
      return "not enough memory: " + std::to_string(numRanks_) + " ranks need " +
             std::to_string(perRank) + " bytes each";
    ranks_.push_back(std::move(rank));
  }
  return std::nullopt;
}

Failure Session::setArgument(size_t index, const Array &global) {
  if (index >= program_.num_arguments)
    return "argument " + std::to_string(index) + " of a program with " +
           std::to_string(program_.num_arguments);
  const dmc_value &value = program_.arguments[index];
  std::vector<int64_t> shape = globalShape(value), local = localShapeOf(value);
  if (global.type != value.element_type || global.shape != shape)
    return nameOf("argument", index, value) + ": expected " + toString(value.element_type, shape) +
           ", found " + toString(global.type, global.shape);
  size_t bytes = elementBytes(value.element_type);
  const Layout &layout = argumentLayouts_[index];
  std::vector<int64_t> globalStrides = rowMajorStrides(shape),
                       localStrides = rowMajorStrides(local);
  return engine_->run([&](dmc_rank_context &rank) {
    Buffer &buffer = ranks_[rank.rank]->arguments[index];
    bool isHolder = holds(mesh_, layout, rank.rank);
    std::vector<DimBlock> box = blocks(mesh_, layout, shape, rank.rank);
    bool isFull = isHolder;
    int64_t offset = 0;
    std::vector<int64_t> extents;
    for (size_t d = 0; d < box.size(); ++d) {
      isFull &= box[d].valid() == box[d].size;
      offset += box[d].begin * globalStrides[d];
      extents.push_back(box[d].valid());
    }
    if (!isFull) {
      if (options_.poison)
        poison(value.element_type, buffer.data(), buffer.size());
      else
        std::memset(buffer.data(), 0, buffer.size());
    }
    if (isHolder)
      copyBox(buffer.data(), localStrides, global.data() + offset * static_cast<int64_t>(bytes),
              globalStrides, extents, bytes);
    return 0;
  });
}

Failure Session::setLocalArgument(int64_t rank, size_t index, const Array &local) {
  if (index >= program_.num_arguments || rank < 0 || rank >= numRanks_)
    return "argument " + std::to_string(index) + " of rank " + std::to_string(rank) +
           " does not exist";
  const dmc_value &value = program_.arguments[index];
  std::vector<int64_t> shape = localShapeOf(value);
  if (local.type != value.element_type || local.shape != shape)
    return nameOf("argument", index, value) + " of rank " + std::to_string(rank) + ": expected " +
           toString(value.element_type, shape) + ", found " + toString(local.type, local.shape);
  std::memcpy(ranks_[rank]->arguments[index].data(), local.data(), local.numBytes());
  return std::nullopt;
}

Failure Session::step() {
  return engine_->run([&](dmc_rank_context &context) {
    RankBuffers &rank = *ranks_[context.rank];
    if (options_.poison) {
      std::memset(rank.arena.data(), 0xff, rank.arena.size());
      for (uint32_t i = 0; i < program_.num_results; ++i)
        if (rank.results[i])
          poison(program_.results[i].element_type, rank.results[i].data(), rank.results[i].size());
    }
    return program_.step(&context, &LocalEngine::api(), context.coordinates.data(),
                         rank.argumentPointers.data(), rank.resultPointers.data(),
                         rank.arena.data());
  });
}

/// True if the box of the local buffer equals that of the global one bit by bit.
static bool equalBox(const uint8_t *a, const std::vector<int64_t> &aStrides, const uint8_t *b,
                     const std::vector<int64_t> &bStrides, const std::vector<int64_t> &extents,
                     size_t dim, size_t bytes) {
  if (dim == extents.size())
    return std::memcmp(a, b, bytes) == 0;
  if (dim + 1 == extents.size())
    return std::memcmp(a, b, extents[dim] * bytes) == 0; // innermost strides are 1
  for (int64_t i = 0; i < extents[dim]; ++i)
    if (!equalBox(a + i * aStrides[dim] * static_cast<int64_t>(bytes), aStrides,
                  b + i * bStrides[dim] * static_cast<int64_t>(bytes), bStrides, extents, dim + 1,
                  bytes))
      return false;
  return true;
}

std::optional<Array> Session::result(size_t index, std::string &error) const {
  if (index >= program_.num_results) {
    error = "result " + std::to_string(index) + " of a program with " +
            std::to_string(program_.num_results);
    return std::nullopt;
  }
  const dmc_value &value = program_.results[index];
  const Layout &layout = resultLayouts_[index];
  std::vector<int64_t> shape = globalShape(value);
  Array global = Array::make(value.element_type, shape);
  if (!global.buffer) {
    error = nameOf("result", index, value) + ": not enough memory for " +
            toString(value.element_type, shape);
    return std::nullopt;
  }
  size_t bytes = elementBytes(value.element_type);
  std::vector<int64_t> globalStrides = rowMajorStrides(shape),
                       localStrides = rowMajorStrides(localShapeOf(value));
  std::map<std::vector<int64_t>, int64_t> owners; // of a box, by its origin
  for (int64_t r = 0; r < numRanks_; ++r) {
    if (!holds(mesh_, layout, r))
      continue;
    int64_t offset = 0;
    std::vector<int64_t> origin, extents;
    bool isEmpty = false;
    std::vector<DimBlock> box = blocks(mesh_, layout, shape, r);
    for (size_t d = 0; d < box.size(); ++d) {
      isEmpty |= box[d].valid() == 0;
      origin.push_back(box[d].begin);
      offset += box[d].begin * globalStrides[d];
      extents.push_back(box[d].valid());
    }
    if (isEmpty)
      continue;
    const auto *local = static_cast<const uint8_t *>(ranks_[r]->resultPointers[index]);
    uint8_t *target = global.data() + offset * static_cast<int64_t>(bytes);
    auto [owner, isNew] = owners.try_emplace(origin, r);
    if (isNew) {
      copyBox(target, globalStrides, local, localStrides, extents, bytes);
    } else if (!equalBox(local, localStrides, target, globalStrides, extents, 0, bytes)) {
      error = nameOf("result", index, value) + " differs between ranks " +
              std::to_string(owner->second) + " and " + std::to_string(r) +
              ", expected equal copies";
      return std::nullopt;
    }
  }
  return global;
}

std::optional<Array> Session::localResult(int64_t rank, size_t index, std::string &error) const {
  if (index >= program_.num_results || rank < 0 || rank >= numRanks_) {
    error =
        "result " + std::to_string(index) + " of rank " + std::to_string(rank) + " does not exist";
    return std::nullopt;
  }
  const dmc_value &value = program_.results[index];
  Array local = Array::make(value.element_type, localShapeOf(value));
  if (!local.buffer) {
    error = nameOf("result", index, value) + ": not enough memory";
    return std::nullopt;
  }
  std::memcpy(local.data(), ranks_[rank]->resultPointers[index], local.numBytes());
  return local;
}

Failure Session::saveDonated() {
  for (auto &rank : ranks_)
    for (uint32_t i = 0; i < program_.num_arguments; ++i) {
      if (program_.arguments[i].alias < 0)
        continue;
      const Buffer &original = rank->arguments[i];
      if (!rank->saved[i])
        rank->saved[i] = Buffer::allocate(original.size());
      if (!rank->saved[i])
        return std::string("not enough memory for copies of the donated arguments");
      std::memcpy(rank->saved[i].data(), original.data(), original.size());
    }
  return std::nullopt;
}

void Session::restoreDonated() {
  for (auto &rank : ranks_)
    for (uint32_t i = 0; i < program_.num_arguments; ++i)
      if (rank->saved[i])
        std::memcpy(rank->arguments[i].data(), rank->saved[i].data(), rank->saved[i].size());
}

std::vector<int64_t> Session::executions() const {
  std::vector<int64_t> counts(program_.num_collectives, 0);
  for (int64_t r = 0; r < numRanks_; ++r)
    for (uint32_t i = 0; i < program_.num_collectives; ++i)
      counts[i] = std::max(counts[i], engine_->rank(r).status.executions[i].load());
  return counts;
}

bool Session::isStuck() const { return engine_->isStuck(); }
