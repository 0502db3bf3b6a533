//===- Explain.h - From a program to its explanation ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a program as dmc-compile does and keeps account of what causes what.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_EXPLAIN_EXPLAIN_H
#define DMC_EXPLAIN_EXPLAIN_H

#include "dmc/Explain/Explanation.h"
#include "dmc/Pipelines/Stages.h"

namespace dmc::explain {

struct Request {
  ImportOptions import;
  ParallelizeOptions parallelize;
  int64_t bucketBytes = 0;
  /// Folders in which the files of the program's locations are looked for.
  std::vector<std::string> sourceFolders;
  StageObserver *observer = nullptr;
  /// As in Stages.
  std::string targetCpu = {}, targetDevice = {};
  /// Lowers the kernels, too, and tells their loop nests.
  bool kernels = false;
  /// With `kernels`: for a processor, optimizes them, too, and tells of which loops LLVM makes
  /// vectors; for a device, tells what an assembler says that they take.
  bool vectors = false;
  const std::atomic<bool> *interrupt = nullptr;
  /// Plans for machines with faster links and more memory, too, and tells what would change.
  bool sensitivity = false;
};

/// Takes the module to level 3, or its kernels to loops; emits an error where the compiler does.
mlir::FailureOr<Explanation> explain(mlir::ModuleOp module, const Request &request);

/// Which part of an explanation is shown; empty or zero: all.
struct Filter {
  /// Collectives listed in full.
  unsigned top = 10;
  /// A part of the name of a tensor, of an operation's name, of a place.
  std::string value, op, at;
  /// Of the text: the kernels and nothing else.
  bool kernels = false;
  bool isEmpty() const { return value.empty() && op.empty() && at.empty(); }
};
bool matches(const Filter &filter, const Explanation &all, const Collective &collective);
bool matches(const Filter &filter, const Tensor &tensor);
bool matches(const Filter &filter, const Kernel &kernel);

/// For a terminal of 120 columns.
std::string toText(const Explanation &explanation, const Filter &filter);
std::string toJson(const Explanation &explanation, const Filter &filter);
/// One self-contained page.
std::string toHtml(const Explanation &explanation, const Filter &filter);

} // namespace dmc::explain

#endif // DMC_EXPLAIN_EXPLAIN_H
