//===- Transformer.cpp - A training step as a layout problem --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout is a letter for each axis of the mesh: the dimension that it splits (B batch, S
// sequence, H features; K and N those of weights), R for replicated, P for partial.
//
//===----------------------------------------------------------------------===//
#include "Transformer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <tuple>

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
constexpr double latency = 10e-6, flopsPerSecond = 60e12, bytesPerSecond = 1.2e12;
const char *const activation = "RBSHP", *const weight = "RKNP";

/// What a mesh axis may split of an operation, with the letters of the operands and of the result.
struct Choice {
  char loop;
  std::string operands;
  char result;
};
using Kind = std::vector<Choice>;
const std::map<std::string, Kind> kinds = {
    {"matmul",
     {{'b', "BR", 'B'}, {'s', "SR", 'S'}, {'n', "RN", 'H'}, {'k', "HK", 'P'}, {'-', "RR", 'R'}}},
    {"dx",
     {{'b', "BR", 'B'}, {'s', "SR", 'S'}, {'k', "RK", 'H'}, {'n', "HN", 'P'}, {'-', "RR", 'R'}}},
    {"dw",
     {{'b', "BB", 'P'}, {'s', "SS", 'P'}, {'k', "HR", 'K'}, {'n', "RH", 'N'}, {'-', "RR", 'R'}}},
    {"norm", {{'b', "BB", 'B'}, {'s', "SS", 'S'}, {'-', "RR", 'R'}}},
    {"map", {{'b', "BB", 'B'}, {'s', "SS", 'S'}, {'h', "HH", 'H'}, {'-', "RR", 'R'}}},
    {"add",
     {{'b', "BB", 'B'}, {'s', "SS", 'S'}, {'h', "HH", 'H'}, {'p', "PP", 'P'}, {'-', "RR", 'R'}}},
    {"attention", {{'b', "BB", 'B'}, {'h', "HH", 'H'}, {'-', "RR", 'R'}}},
    {"update", {{'k', "K", 'K'}, {'n', "N", 'N'}, {'-', "R", 'R'}}},
    {"source", {{'b', "", 'B'}, {'s', "", 'S'}, {'h', "", 'H'}, {'-', "", 'R'}}},
};

struct Tensor {
  std::string letters;
  double bytes = 0;
  bool isSaved = false;
  /// The operation that makes it, and the layout that each strategy makes.
  std::optional<uint32_t> maker;
  std::vector<std::string> made;
  /// Operations that use it, and the layouts that they want.
  std::vector<std::pair<uint32_t, std::vector<std::string>>> uses;
};

/// All layouts of a tensor and what it costs to move between them, in picoseconds.
struct Moves {
  std::vector<std::string> layouts;
  std::map<std::string, uint32_t> number;
  std::vector<std::vector<int64_t>> cost;
  std::vector<int64_t> bytes;
};

class Builder {
public:
  explicit Builder(const TransformerOptions &options) : options_(options) {}
  ProblemParts run();

private:
  uint32_t addTensor(double bytes, const char *letters = activation, bool isSaved = false);
  void addOperation(const std::string &name, const std::string &kind,
                    const std::vector<uint32_t> &operands, std::optional<uint32_t> result,
                    double flops, double bytes, double kept = 0);
  void addMatmuls(const std::string &layer, const std::string &name, uint32_t in, uint32_t w,
                  uint32_t dOut, uint32_t dIn, double k, double n);
  void connect(size_t index);
  void addRows();
  /// The bytes of a tensor are those of a variable's states.
  void addLiveRange(const Tensor &tensor, uint32_t variable, std::vector<double> bytes);
  void connectHub(size_t index, const Moves &moves);
  const Moves &getMoves(const Tensor &tensor);
  template <typename GetCost>
  void addPair(uint32_t a, uint32_t b, GetCost get);

  const TransformerOptions &options_;
  ProblemParts parts_;
  std::vector<Tensor> tensors_;
  /// By variable: bytes that live all the time, and at the loss.
  std::vector<std::vector<double>> kept_, bytes_;
  struct LiveRange {
    uint32_t variable, first, last;
    std::vector<double> bytes;
  };
  std::vector<LiveRange> liveRanges_;
  uint32_t numOperations_ = 0;
  std::map<std::pair<std::string, double>, Moves> moves_;
  std::map<std::tuple<uint32_t, uint32_t, std::vector<int64_t>>, uint32_t> tables_;
};

int64_t toPicoseconds(double seconds) { return std::llround(seconds * 1e12); }
} // namespace

uint32_t Builder::addTensor(double bytes, const char *letters, bool isSaved) {
  tensors_.push_back({letters, bytes, isSaved, {}, {}, {}});
  return static_cast<uint32_t>(tensors_.size() - 1);
}

void Builder::addOperation(const std::string &name, const std::string &kind,
                           const std::vector<uint32_t> &operands, std::optional<uint32_t> result,
                           double flops, double bytes, double kept) {
  const Kind &choices = kinds.at(kind);
  auto number = static_cast<uint32_t>(parts_.variables.size());
  Variable variable{name, {}, {}};
  std::vector<double> memory;
  std::vector<std::vector<std::string>> wants(operands.size());
  std::vector<std::string> made;
  std::vector<size_t> at(options_.axes.size(), 0);
  for (bool isMore = true; isMore;) {
    std::string label, gives;
    double shards = 1;
    std::vector<std::string> want(operands.size());
    for (size_t axis = 0; axis < at.size(); ++axis) {
      const Choice &choice = choices[at[axis]];
      label += choice.loop;
      gives += choice.result;
      if (choice.loop != '-' && choice.loop != 'p')
        shards *= static_cast<double>(options_.axes[axis]);
      for (size_t i = 0; i < operands.size(); ++i)
        want[i] += choice.operands[i];
    }
    variable.states.push_back(
        {label, toPicoseconds(flops / shards / flopsPerSecond + bytes / shards / bytesPerSecond)});
    memory.push_back(kept / shards);
    made.push_back(gives);
    for (size_t i = 0; i < operands.size(); ++i)
      wants[i].push_back(want[i]);
    isMore = false;
    for (size_t axis = at.size(); axis-- > 0 && !isMore;) {
      isMore = ++at[axis] < choices.size();
      if (!isMore)
        at[axis] = 0;
    }
  }
  parts_.variables.push_back(std::move(variable));
  kept_.push_back(memory);
  bytes_.push_back(std::move(memory));
  numOperations_ = number + 1;
  for (size_t i = 0; i < operands.size(); ++i)
    tensors_[operands[i]].uses.push_back({number, wants[i]});
  if (result) {
    tensors_[*result].maker = number;
    tensors_[*result].made = made;
  }
}

const Moves &Builder::getMoves(const Tensor &tensor) {
  auto [found, isNew] = moves_.try_emplace({tensor.letters, tensor.bytes});
  Moves &moves = found->second;
  if (!isNew)
    return moves;
  moves.layouts = {""};
  for (size_t axis = 0; axis < options_.axes.size(); ++axis) {
    std::vector<std::string> longer;
    for (const std::string &layout : moves.layouts)
      for (char letter : tensor.letters)
        longer.push_back(layout + letter);
    moves.layouts = longer;
  }
  auto local = [&](const std::string &layout) {
    double bytes = tensor.bytes;
    for (size_t axis = 0; axis < layout.size(); ++axis)
      if (layout[axis] != 'R' && layout[axis] != 'P')
        bytes /= static_cast<double>(options_.axes[axis]);
    return bytes;
  };
  for (const std::string &layout : moves.layouts) {
    moves.number[layout] = static_cast<uint32_t>(moves.bytes.size());
    moves.bytes.push_back(std::llround(local(layout)));
  }
  for (uint32_t start = 0; start < moves.layouts.size(); ++start) {
    std::vector<double> best(moves.layouts.size(), 1e30);
    std::priority_queue<std::pair<double, uint32_t>> queue;
    best[start] = 0;
    queue.push({0, start});
    while (!queue.empty()) {
      auto [negative, at] = queue.top();
      queue.pop();
      const std::string &layout = moves.layouts[at];
      for (size_t axis = 0; -negative <= best[at] && axis < layout.size(); ++axis)
        for (char to : tensor.letters) {
          char from = layout[axis];
          if (to == from || (to == 'P' && from != 'R'))
            continue;
          std::string next = layout;
          next[axis] = to;
          double share = 1 - 1.0 / static_cast<double>(options_.axes[axis]), sent = 0;
          if (from == 'P')
            sent = (to == 'R' ? 2 : 1) * share * local(layout);
          else if (from != 'R')
            sent = share * local(to == 'R' ? next : layout);
          double cost = best[at] + (sent > 0 ? sent / options_.links[axis] + latency : 0);
          uint32_t number = moves.number[next];
          if (cost < best[number]) {
            best[number] = cost;
            queue.push({-cost, number});
          }
        }
    }
    moves.cost.emplace_back();
    for (double cost : best)
      moves.cost.back().push_back(cost < 1e29 ? toPicoseconds(cost) : infeasible);
  }
  return moves;
}

template <typename GetCost>
void Builder::addPair(uint32_t a, uint32_t b, GetCost get) {
  auto rows = static_cast<uint32_t>(parts_.variables[a].states.size()),
       columns = static_cast<uint32_t>(parts_.variables[b].states.size());
  std::vector<int64_t> costs;
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t column = 0; column < columns; ++column)
      costs.push_back(get(row, column));
  auto [found, isNew] =
      tables_.try_emplace({rows, columns, costs}, static_cast<uint32_t>(parts_.tables.size()));
  if (isNew)
    parts_.tables.push_back({rows, columns, std::move(costs)});
  parts_.pairs.push_back({a, b, found->second, {}});
}

void Builder::connect(size_t index) {
  Tensor &tensor = tensors_[index];
  if (!tensor.maker || tensor.uses.empty())
    return;
  const Moves &moves = getMoves(tensor);
  if (tensor.uses.size() > 1)
    return connectHub(index, moves);
  const auto &wants = tensor.uses[0].second;
  addPair(*tensor.maker, tensor.uses[0].first, [&](uint32_t row, uint32_t column) {
    return moves.cost[moves.number.at(tensor.made[row])][moves.number.at(wants[column])];
  });
  std::vector<double> memory;
  memory.reserve(tensor.made.size());
  for (const std::string &layout : tensor.made)
    memory.push_back(static_cast<double>(moves.bytes[moves.number.at(layout)]));
  addLiveRange(tensor, *tensor.maker, std::move(memory));
}

/// A tensor with several uses: where it is made, and where else it is kept.
void Builder::connectHub(size_t index, const Moves &moves) {
  const Tensor &tensor = tensors_[index];
  std::vector<uint32_t> made, wanted;
  for (const std::string &layout : tensor.made)
    made.push_back(moves.number.at(layout));
  for (const auto &use : tensor.uses)
    for (const std::string &layout : use.second)
      wanted.push_back(moves.number.at(layout));
  auto unique = [](std::vector<uint32_t> values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  };
  auto number = static_cast<uint32_t>(parts_.variables.size());
  Variable hub{"hub " + std::to_string(index), {}, {}};
  std::vector<std::pair<uint32_t, uint32_t>> kept;
  std::vector<double> memory;
  for (uint32_t p : unique(made))
    for (uint32_t q : options_.hasCopies ? unique(wanted) : std::vector<uint32_t>{}) {
      if (p == q || moves.cost[p][q] == infeasible)
        continue;
      hub.states.push_back({moves.layouts[p] + " " + moves.layouts[q], moves.cost[p][q]});
      kept.push_back({p, q});
    }
  for (uint32_t p : unique(made)) {
    hub.states.push_back({moves.layouts[p], 0});
    kept.push_back({p, p});
  }
  memory.reserve(kept.size());
  for (auto [p, q] : kept)
    memory.push_back(static_cast<double>(moves.bytes[p] + (p == q ? 0 : moves.bytes[q])));
  parts_.variables.push_back(std::move(hub));
  kept_.emplace_back(memory.size(), 0);
  bytes_.emplace_back(memory.size(), 0);
  addLiveRange(tensor, number, std::move(memory));
  addPair(*tensor.maker, number, [&](uint32_t row, uint32_t column) {
    return made[row] == kept[column].first ? 0 : infeasible;
  });
  for (const auto &[user, wants] : tensor.uses)
    addPair(number, user, [&, &wants = wants](uint32_t row, uint32_t column) {
      uint32_t want = moves.number.at(wants[column]);
      return std::min(moves.cost[kept[row].first][want], moves.cost[kept[row].second][want]);
    });
}

/// The two matrix multiplications of a gradient, and the update of the weights.
void Builder::addMatmuls(const std::string &layer, const std::string &name, uint32_t in, uint32_t w,
                         uint32_t dOut, uint32_t dIn, double k, double n) {
  double tokens = static_cast<double>(options_.batch * options_.sequence);
  uint32_t gradient = addTensor(2 * k * n, weight);
  addOperation("dx_" + name + layer, "dx", {dOut, w}, dIn, 2 * tokens * k * n, 0);
  addOperation("dw_" + name + layer, "dw", {in, dOut}, gradient, 2 * tokens * k * n, 0);
  addOperation("update_" + name + layer, "update", {gradient}, w, 0, 26 * k * n, 16 * k * n);
}

void Builder::addLiveRange(const Tensor &tensor, uint32_t variable, std::vector<double> bytes) {
  for (size_t s = 0; tensor.isSaved && s < bytes.size(); ++s)
    bytes_[variable][s] += bytes[s];
  uint32_t last = *tensor.maker;
  for (const auto &use : tensor.uses)
    last = std::max(last, use.first);
  // Weights live all the time, with what is kept for them.
  if (tensor.letters == activation)
    liveRanges_.push_back({variable, *tensor.maker, last, std::move(bytes)});
}

void Builder::addRows() {
  auto add = [&](const std::string &name, const std::vector<std::vector<double>> &bytes) {
    Row row{name, options_.capacity, {}};
    for (uint32_t v = 0; v < bytes.size(); ++v)
      for (uint32_t s = 0; s < bytes[v].size(); ++s)
        if (bytes[v][s] > 0)
          row.uses.push_back({v, s, std::llround(bytes[v][s])});
    parts_.rows.push_back(std::move(row));
  };
  if (!options_.hasAllPoints)
    return add("loss", bytes_);
  for (uint32_t point = 0; point < numOperations_; ++point) {
    auto bytes = kept_;
    for (const LiveRange &live : liveRanges_)
      for (size_t s = 0; s < live.bytes.size() && live.first <= point && point <= live.last; ++s)
        bytes[live.variable][s] += live.bytes[s];
    add("at " + parts_.variables[point].name, bytes);
  }
}

ProblemParts Builder::run() {
  parts_.name = "transformer";
  auto width = static_cast<double>(options_.width);
  double tokens = static_cast<double>(options_.batch * options_.sequence);
  double act = 2 * tokens * width, mm = 2 * tokens * width * width;
  double attention = 4 * tokens * static_cast<double>(options_.sequence) * width;
  struct Tape {
    uint32_t x, h1, qkv, o, x1, h2, u, g, wQkv, wProj, wUp, wDown;
  };
  std::vector<Tape> tape;
  uint32_t x = addTensor(act, activation, true);
  addOperation("embed", "source", {}, x, 0, act);
  for (uint32_t i = 0; i < options_.layers; ++i) {
    std::string layer = "." + std::to_string(i);
    auto saved = [&](double scale) { return addTensor(scale * act, activation, true); };
    auto weights = [&](double scale) { return addTensor(2 * scale * width * width, weight); };
    Tape t{x,        saved(1), saved(3),   saved(1),   saved(1),   saved(1),
           saved(4), saved(4), weights(3), weights(1), weights(4), weights(4)};
    uint32_t projected = addTensor(act), down = addTensor(act);
    x = saved(1);
    addOperation("norm1" + layer, "norm", {t.x}, t.h1, 0, 2 * act);
    addOperation("qkv" + layer, "matmul", {t.h1, t.wQkv}, t.qkv, 3 * mm, 0);
    addOperation("attention" + layer, "attention", {t.qkv}, t.o, attention, 0);
    addOperation("proj" + layer, "matmul", {t.o, t.wProj}, projected, mm, 0);
    addOperation("add1" + layer, "add", {t.x, projected}, t.x1, 0, 3 * act);
    addOperation("norm2" + layer, "norm", {t.x1}, t.h2, 0, 2 * act);
    addOperation("up" + layer, "matmul", {t.h2, t.wUp}, t.u, 4 * mm, 0);
    addOperation("gelu" + layer, "map", {t.u}, t.g, 0, 8 * act);
    addOperation("down" + layer, "matmul", {t.g, t.wDown}, down, 4 * mm, 0);
    addOperation("add2" + layer, "add", {t.x1, down}, x, 0, 3 * act);
    tape.push_back(t);
  }
  uint32_t dy = addTensor(act);
  addOperation("loss", "norm", {x}, dy, 0, 2 * act);
  for (uint32_t i = options_.layers; i-- > 0;) {
    std::string layer = "." + std::to_string(i);
    const Tape &t = tape[i];
    uint32_t dg = addTensor(4 * act), du = addTensor(4 * act), dh2 = addTensor(act),
             dl2 = addTensor(act), dx1 = addTensor(act), dout = addTensor(act),
             dqkv = addTensor(3 * act), dh1 = addTensor(act), dl1 = addTensor(act),
             dx = addTensor(act);
    addMatmuls(layer, "down", t.g, t.wDown, dy, dg, 4 * width, width);
    addOperation("dgelu" + layer, "map", {dg, t.u}, du, 0, 12 * act);
    addMatmuls(layer, "up", t.h2, t.wUp, du, dh2, width, 4 * width);
    addOperation("dnorm2" + layer, "norm", {dh2, t.x1}, dl2, 0, 3 * act);
    addOperation("dadd2" + layer, "add", {dy, dl2}, dx1, 0, 3 * act);
    addMatmuls(layer, "proj", t.o, t.wProj, dx1, dout, width, width);
    addOperation("dattention" + layer, "attention", {dout, t.qkv}, dqkv, 2.5 * attention, 0);
    addMatmuls(layer, "qkv", t.h1, t.wQkv, dqkv, dh1, width, 3 * width);
    addOperation("dnorm1" + layer, "norm", {dh1, t.x}, dl1, 0, 3 * act);
    addOperation("dadd1" + layer, "add", {dx1, dl1}, dx, 0, 3 * act);
    dy = dx;
  }
  for (size_t t = 0; t < tensors_.size(); ++t)
    connect(t);
  if (options_.capacity)
    addRows();
  return std::move(parts_);
}

ProblemParts dmc::planner::test::makeTransformer(const TransformerOptions &options) {
  return Builder(options).run();
}
