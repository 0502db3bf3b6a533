//===- Explanation.h - Why data moves ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dmc-explain tells of a program, as plain data: gathered in one place, rendered
// as text, JSON or a page.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_EXPLAIN_EXPLANATION_H
#define DMC_EXPLAIN_EXPLANATION_H

#include "dmc/Runtime/KernelUse.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dmc::explain {

/// Where something is in the user's source.
struct Place {
  std::string file;
  unsigned line = 0, column = 0;
  /// What the source calls it: an operation, or an argument.
  std::string name;
  /// The function, layer or scope around it.
  std::string scope;
};

/// An operation of the program, and the operand that is meant.
struct Site {
  /// Empty: the boundary of the program.
  std::string op;
  Place place;
  /// Among its tensor operands, or the program's results; -1: none.
  int operand = -1;
  /// Of an argument or a result.
  std::string name;
};

/// One reason why an axis does with a tensor what it does.
struct Reason {
  std::string axis;
  /// "dimension 0", "partial sum" or "replicated".
  std::string state;
  /// given, asked, carried, cost, choice, completed, whole, control or free.
  std::string kind;
  std::string text;
  /// How it came here, from the tensor back to who said it: the first steps of
  /// `numSteps`, and the last.
  struct Step {
    std::string text;
    Place place;
  };
  std::vector<Step> chain;
  unsigned numSteps = 0;
};

struct Tensor {
  unsigned id = 0;
  /// argument, result or value.
  std::string kind;
  std::string name;
  /// `8x16xf32`, and the layout as text.
  std::string type, layout;
  /// The axes of each dimension, and those over which it is partial.
  std::vector<std::vector<std::string>> dims;
  std::vector<std::string> partial;
  std::string combiner;
  /// On a rank.
  int64_t bytes = 0;
  Site maker;
  std::vector<Reason> reasons;
  /// Its number in the record of the propagation.
  std::optional<unsigned> record;
  /// The layout with the next lowest bound, and what a plan with it takes at least beside this
  /// plan: 0 or less, and the bound does not exclude one that is as fast.
  struct RunnerUp {
    std::string layout;
    double seconds = 0;
  };
  std::optional<RunnerUp> runnerUp;
};

/// Predicted, of the part of the program that a decision touches, in one step.
struct Price {
  double bytes = 0, seconds = 0;
};

/// A decision that was not taken.
struct Offer {
  std::string what;
  Price now, then;
  unsigned numChanged = 0;
  /// Why it was rejected.
  std::string verdict;
};

struct Collective {
  unsigned id = 0;
  std::string kind;
  std::vector<std::string> axes;
  int64_t ranks = 1;
  /// Executions in a step; where the program decides that, one is counted.
  int64_t count = 1;
  bool isCountKnown = true;
  /// Operand (of an all-gather the result), and what leaves a rank, each time.
  int64_t operandBytes = 0;
  double wireBytes = 0, seconds = 0;
  Place place;
  /// The tensor that is moved, its layouts before and after, and the moves between.
  std::optional<unsigned> tensor;
  std::string from, to;
  std::vector<std::string> moves;
  /// Collectives of the program that are one; what follows is of the first.
  unsigned numMembers = 1;
  Site maker;
  std::vector<Site> users;
  /// Why it is there, why its first user cannot do without (or empty), and what was
  /// rejected, cheapest first.
  std::string why, forbidden;
  std::vector<Offer> offers;

  double totalBytes() const { return static_cast<double>(count) * wireBytes; }
  double totalSeconds() const { return static_cast<double>(count) * seconds; }
};

struct Total {
  std::string key;
  int64_t count = 0;
  double bytes = 0, seconds = 0;
};

/// Bytes of a rank's memory at the step when most of the arena is in use.
struct Peak {
  int64_t arguments = 0, results = 0, arena = 0, live = 0;
  Place place;
  std::string op;
  struct Buffer {
    int64_t bytes = 0;
    std::string type;
    Site maker;
  };
  std::vector<Buffer> buffers;
  int64_t total() const { return arguments + results + arena; }
};

/// How good the plan is, as the report says it.
struct PlanQuality {
  double predictedMs = 0, boundMs = 0, gap = 0;
  int64_t peak = 0;
  std::string fingerprint;
  std::vector<std::vector<std::string>> axesTogether;
  /// What bounds the memory of plans: the tensors that are alive at one point.
  struct Row {
    int64_t bytes = 0, capacity = 0;
    /// By what the bound falls for each byte more.
    double secondsPerByte = 0;
    Site site;
    struct Held {
      std::string name, type;
      int64_t bytes = 0;
    };
    std::vector<Held> tensors;
  };
  std::vector<Row> rows;
};

/// What the plan for another machine decides otherwise.
struct Change {
  /// "links 10 % faster".
  std::string what;
  /// Of the plan for that machine.
  double predictedMs = 0;
  /// False: the plans differ in more than layouts, so that decisions cannot be compared.
  bool isComparable = false;
  struct Decision {
    Site site;
    /// Layouts of a result or an operand, or of an argument.
    std::string before, after;
  };
  std::vector<Decision> decisions;
};

/// Code that a step launches: loop nests and calls of libraries, one after the other.
struct Kernel {
  std::string name;
  Place place;
  /// Launches in a step; where the program decides that, one is counted.
  int64_t count = 1;
  bool isCountKnown = true;

  /// As of `#dmc.nest_loop`.
  struct Loop {
    std::string executor;
    int64_t trips = 1, least = -1, step = 1, carried = 0;
    std::vector<Loop> inner;
  };
  /// As of `#dmc.nest_access`; `type` is the buffer's, `width` the bytes that are accessed at once,
  /// or 0 where LLVM decides that.
  struct Access {
    std::string kind, form, type;
    int64_t argument = -1, bytes = 0, stride = 0, width = 0;
  };
  struct Part {
    /// As of `#dmc.nest`, or `library`.
    std::string kind;
    /// Of a nest: its function. Of a library call: the sizes of the product.
    std::string name;
    int64_t iterations = 1, flops = 0, stackBytes = 0, sharedBytes = 0;
    std::vector<Loop> loops;
    std::vector<Access> accesses;
    /// What LLVM made of innermost loops: elements of a vector, vectors of an iteration, and how
    /// many loops are such.
    struct Vectors {
      int64_t width = 1, interleave = 1, count = 1;
    };
    std::vector<Vectors> vectors;
    /// Of a nest on a device, for each chip, if there is an assembler.
    std::vector<runtime::KernelUse> uses;
    int64_t getBytes(bool isRead) const;
  };
  std::vector<Part> parts;
};

struct Explanation {
  std::string program, file;
  std::vector<std::pair<std::string, int64_t>> mesh;
  int64_t numRanks = 1;
  std::string machine;
  /// Why nothing is known of why layouts are as they are; empty: it is.
  std::string unknownSince;
  std::vector<Collective> collectives;
  /// Whether partial sums may be rounded before they are added across ranks, and the bytes
  /// that the other setting would send; nothing if it makes no difference.
  bool narrowPartials = false;
  std::optional<double> bytesOtherwise;
  std::vector<Tensor> tensors;
  /// Nothing on one rank, and where the program has its layouts already.
  std::optional<PlanQuality> plan;
  /// For machines with one thing changed, if they were asked for.
  std::vector<Change> changes;
  /// Operations that need their operands whole since they have no rule.
  std::vector<Site> wholes;
  std::optional<Peak> peak;
  /// In the order of the program, if they were asked for.
  std::vector<Kernel> kernels;
  /// Changes of the propagated plan for its predicted time, and what they save.
  unsigned numChanges = 0;
  Price saved;
  /// By file: its lines that something points to.
  std::map<std::string, std::map<unsigned, std::string>> source;

  std::vector<Total> totalsBy(std::string (*key)(const Collective &)) const;
};

/// Keys of totals.
std::string kindAndAxesOf(const Collective &collective);
std::string scopeOf(const Collective &collective);
std::string lineOf(const Collective &collective);

/// `layers.py:41 (add in jit(step)/attn)`.
std::string toString(const Place &place);
/// `linalg.matmul at ...`, `operand 1 of ...`, `result "loss"`.
std::string toString(const Site &site);
/// Three significant digits and a unit of time.
std::string formatTime(double seconds);
/// Digits in groups of three.
std::string formatCount(double number);
/// `12 bytes more`, `the same bytes`.
std::string formatDifference(double bytes);
/// Who executes the loops, from the outermost to the innermost ones: `divided 256 x 64 x (1024,
/// 1024)`. A number alone is a loop of one thread, `4..12` one of at least 4 iterations.
std::string toString(const std::vector<Kernel::Loop> &loops);
/// `"data", "model"`, or empty.
std::string joinNames(const std::vector<std::string> &names);

} // namespace dmc::explain

#endif // DMC_EXPLAIN_EXPLANATION_H
