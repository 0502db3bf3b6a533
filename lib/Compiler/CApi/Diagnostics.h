//===- Diagnostics.h - Diagnostics as a list --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_COMPILER_CAPI_DIAGNOSTICS_H
#define DMC_LIB_COMPILER_CAPI_DIAGNOSTICS_H

#include "dmc-c/Compiler.h"

#include "mlir/IR/Diagnostics.h"

#include <deque>
#include <string>

namespace dmc::compiler {

/// A diagnostic as C reads it, and its notes. Stays where it is made: its table points to its
/// texts.
class DiagnosticEntry {
public:
  /// Of a problem without a location.
  DiagnosticEntry(dmc_severity severity, std::string message);
  explicit DiagnosticEntry(mlir::Diagnostic &diagnostic);
  DiagnosticEntry(const DiagnosticEntry &) = delete;
  DiagnosticEntry &operator=(const DiagnosticEntry &) = delete;

  const dmc_diagnostic &getTable() const { return table; }
  /// Null beyond the last.
  const dmc_diagnostic *getNote(size_t index) const {
    return index < notes.size() ? &notes[index].table : nullptr;
  }

private:
  void setLocation(mlir::Location location);
  /// Adds a note for each call through which the operation was inlined.
  void addCalls(mlir::Location location);
  void addNote(mlir::Location location, std::string text);

  std::string message, file;
  std::deque<DiagnosticEntry> notes;
  dmc_diagnostic table{};
};

} // namespace dmc::compiler

#endif // DMC_LIB_COMPILER_CAPI_DIAGNOSTICS_H
