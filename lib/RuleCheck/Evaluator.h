//===- Evaluator.h - Does a program have the value of level 0? --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RULECHECK_EVALUATOR_H
#define DMC_LIB_RULECHECK_EVALUATOR_H

#include "Inputs.h"
#include "Instance.h"

#include "mlir/IR/Diagnostics.h"

#include <map>

namespace dmc::rulecheck {

/// The first error of those emitted while it lives, as one line; none is printed.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && text.empty())
            text = diagnostic.str();
          std::replace(text.begin(), text.end(), '\n', ' ');
        }) {}
  std::string text;

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// What is known of a program's value.
enum class Verdict { Right, Wrong, NoReference };

/// Compares programs of an instance with the instance itself on several inputs.
class Evaluator {
public:
  Evaluator(const Instance &instance, MeshAttr mesh, uint64_t seed,
            const interpreter::Options &options)
      : instance(instance), mesh(mesh), seed(seed), options(options) {}

  /// Whether a module of level 1 or 2, made for these layouts, has the right value;
  /// else `why` says what differs, or why level 0 has no value on such inputs. Each
  /// round has inputs of every kind.
  Verdict judge(mlir::ModuleOp module, const Layouts &layouts, unsigned rounds, std::string &why);

private:
  using Tensors = mlir::SmallVector<interpreter::Tensor>;
  struct Expected {
    mlir::OwningOpRef<mlir::ModuleOp> module;       // of level 0
    std::vector<std::pair<Tensors, Tensors>> pairs; // inputs and results
  };
  /// The value on inputs number `index`.
  mlir::FailureOr<const std::pair<Tensors, Tensors> *> getExpected(Expected &expected, size_t index,
                                                                   bool isUsed);
  Expected &getReference(const Layouts &layouts, bool isUsed);

  const Instance &instance;
  MeshAttr mesh;
  uint64_t seed;
  const interpreter::Options &options;
  /// By what the arguments are partial values of.
  std::map<std::string, Expected> cache;
};

} // namespace dmc::rulecheck

#endif // DMC_LIB_RULECHECK_EVALUATOR_H
