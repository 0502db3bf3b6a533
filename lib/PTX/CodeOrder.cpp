//===- CodeOrder.cpp - In which order diverged lanes run ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeOrder.h"

#include "LaneOps.h"

#include <algorithm>

using namespace dmc::ptx;

namespace {
/// Straight pieces of the code, in the order of the text, and the branches between them.
struct Flow {
  std::vector<uint32_t> begins; // and the end of the code
  std::vector<std::vector<uint32_t>> successors, predecessors;

  explicit Flow(const std::vector<Instruction> &code);
  uint32_t numBlocks() const { return static_cast<uint32_t>(successors.size()); }
};

class Ordering {
public:
  explicit Ordering(const Flow &flow) : flow(flow), level(flow.numBlocks(), 0) {}

  /// All blocks, ordered.
  std::vector<uint32_t> run() {
    std::vector<uint32_t> all(flow.numBlocks());
    for (uint32_t block = 0; block < all.size(); ++block)
      all[block] = block;
    order(std::move(all));
    return std::move(result);
  }

private:
  /// Appends blocks, which are those of the current depth.
  void order(std::vector<uint32_t> blocks) {
    ++depth;
    for (uint32_t block : blocks)
      level[block] = depth;
    for (std::vector<uint32_t> &component : components(blocks)) {
      if (component.size() == 1) {
        result.push_back(component.front());
        continue;
      }
      auto head = std::find_if(component.begin(), component.end(), [&](uint32_t block) {
        return std::any_of(flow.predecessors[block].begin(), flow.predecessors[block].end(),
                           [&](uint32_t from) {
                             return !std::binary_search(component.begin(), component.end(), from);
                           });
      });
      if (head == component.end())
        head = component.begin();
      result.push_back(*head);
      level[*head] = 0;
      component.erase(head);
      order(std::move(component));
    }
    --depth;
  }

  /// Strongly connected components of the blocks, sorted, each before those that it leads to
  /// (Tarjan, "Depth-first search and linear graph algorithms", 1972).
  std::vector<std::vector<uint32_t>> components(const std::vector<uint32_t> &blocks) {
    struct Visit {
      uint32_t block;
      size_t next; // successors from here on, backwards, were visited
    };
    std::vector<uint32_t> number(flow.numBlocks(), 0), least(flow.numBlocks(), 0), open;
    std::vector<bool> isOpen(flow.numBlocks(), false);
    std::vector<std::vector<uint32_t>> found;
    std::vector<Visit> visits;
    uint32_t last = 0;
    auto enter = [&](uint32_t block) {
      number[block] = least[block] = ++last;
      open.push_back(block);
      isOpen[block] = true;
      visits.push_back({block, flow.successors[block].size()});
    };
    // Backwards, as the components are found backwards: independent ones keep the text's order.
    for (size_t root = blocks.size(); root-- > 0;) {
      if (!number[blocks[root]])
        enter(blocks[root]);
      while (!visits.empty()) {
        uint32_t block = visits.back().block;
        if (visits.back().next > 0) {
          uint32_t to = flow.successors[block][--visits.back().next];
          if (level[to] != depth)
            continue;
          if (!number[to])
            enter(to);
          else if (isOpen[to])
            least[block] = std::min(least[block], number[to]);
          continue;
        }
        visits.pop_back();
        if (!visits.empty())
          least[visits.back().block] = std::min(least[visits.back().block], least[block]);
        if (least[block] != number[block])
          continue;
        auto from = std::find(open.begin(), open.end(), block);
        std::vector<uint32_t> component(from, open.end());
        open.erase(from, open.end());
        for (uint32_t of : component)
          isOpen[of] = false;
        std::sort(component.begin(), component.end());
        found.push_back(std::move(component));
      }
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  const Flow &flow;
  std::vector<uint32_t> level; // the innermost depth at which a block is ordered; 0: it is
  uint32_t depth = 0;
  std::vector<uint32_t> result;
};
} // namespace

/// Where a branch leads, but for the next instruction.
static std::vector<uint32_t> targetsOf(const Instruction &instruction) {
  if (instruction.run == branch)
    return {instruction.jump};
  return instruction.run == branchByTable ? instruction.table : std::vector<uint32_t>();
}

Flow::Flow(const std::vector<Instruction> &code) {
  std::vector<bool> isFirst(code.size() + 1, false);
  isFirst.front() = isFirst.back() = true;
  for (uint32_t place = 0; place < code.size(); ++place) {
    if (!code[place].branches)
      continue;
    isFirst[place + 1] = true;
    for (uint32_t target : targetsOf(code[place]))
      isFirst[target] = true;
  }
  std::vector<uint32_t> blockOf(code.size() + 1);
  for (uint32_t place = 0; place <= code.size(); ++place) {
    if (isFirst[place])
      begins.push_back(place);
    blockOf[place] = static_cast<uint32_t>(begins.size()) - 1;
  }
  successors.resize(begins.size() - 1);
  predecessors.resize(begins.size() - 1);
  for (uint32_t block = 0; block < numBlocks(); ++block) {
    const Instruction &end = code[begins[block + 1] - 1];
    std::vector<uint32_t> &to = successors[block];
    if (end.branches)
      for (uint32_t target : targetsOf(end))
        to.push_back(blockOf[target]);
    if (!end.branches || end.guard != noRow || end.run == branchByTable)
      to.push_back(block + 1);
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
    to.erase(std::remove(to.begin(), to.end(), numBlocks()), to.end()); // nothing lies behind
    for (uint32_t other : to)
      predecessors[other].push_back(block);
  }
}

std::vector<uint32_t> dmc::ptx::rankCode(const std::vector<Instruction> &code) {
  if (code.empty())
    return {};
  Flow flow(code);
  std::vector<uint32_t> ranks(code.size());
  uint32_t next = 0;
  for (uint32_t block : Ordering(flow).run())
    for (uint32_t place = flow.begins[block]; place < flow.begins[block + 1]; ++place)
      ranks[place] = next++;
  return ranks;
}
