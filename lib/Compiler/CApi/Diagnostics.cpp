//===- Diagnostics.cpp - Diagnostics as a list ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diagnostics.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using namespace dmc::compiler;

/// The place in a file that a location is at: of an inlined operation that in the callee.
static FileLineColLoc findPlace(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location))
    return place;
  if (auto range = dyn_cast<FileLineColRange>(location))
    return FileLineColLoc::get(range.getFilename(), range.getStartLine(), range.getStartColumn());
  if (auto name = dyn_cast<NameLoc>(location))
    return findPlace(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return findPlace(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      if (FileLineColLoc place = findPlace(part))
        return place;
  }
  if (auto opaque = dyn_cast<OpaqueLoc>(location))
    return findPlace(opaque.getFallbackLocation());
  return {};
}

static CallSiteLoc findCall(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return call;
  if (auto name = dyn_cast<NameLoc>(location))
    return findCall(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (CallSiteLoc call = findCall(part))
        return call;
  return {};
}

static dmc_severity toSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return DMC_NOTE;
  case DiagnosticSeverity::Warning:
    return DMC_WARNING;
  case DiagnosticSeverity::Error:
    return DMC_ERROR;
  case DiagnosticSeverity::Remark:
    return DMC_REMARK;
  }
  llvm_unreachable("a severity that MLIR does not have");
}

DiagnosticEntry::DiagnosticEntry(dmc_severity severity, std::string text)
    : message(std::move(text)) {
  table.struct_size = sizeof table;
  table.severity = severity;
  table.message = message.c_str();
  table.file = file.c_str();
}

DiagnosticEntry::DiagnosticEntry(Diagnostic &diagnostic)
    : DiagnosticEntry(toSeverity(diagnostic.getSeverity()), diagnostic.str()) {
  setLocation(diagnostic.getLocation());
  addCalls(diagnostic.getLocation());
  for (Diagnostic &note : diagnostic.getNotes()) {
    addNote(note.getLocation(), note.str());
    addCalls(note.getLocation());
  }
}

void DiagnosticEntry::setLocation(Location location) {
  FileLineColLoc place = findPlace(location);
  if (!place)
    return;
  file = place.getFilename().str();
  table.file = file.c_str();
  table.line = place.getLine();
  table.column = place.getColumn();
}

void DiagnosticEntry::addCalls(Location location) {
  for (CallSiteLoc call = findCall(location); call; call = findCall(call.getCaller()))
    addNote(call.getCaller(), "called from");
}

void DiagnosticEntry::addNote(Location location, std::string text) {
  notes.emplace_back(DMC_NOTE, std::move(text)).setLocation(location);
  table.num_notes = notes.size();
}
