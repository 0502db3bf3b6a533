//===- VersionPrinter.h - What --version says -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All tools print the same two lines.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SUPPORT_VERSIONPRINTER_H
#define DMC_SUPPORT_VERSIONPRINTER_H

#include "dmc/Version.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace dmc {

/// Replaces LLVM's answer to `--version`. Call it before `ParseCommandLineOptions`.
inline void registerVersionPrinter() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &stream) {
    stream << "dmc " DMC_VERSION "\nLLVM " LLVM_VERSION_STRING "\n";
  });
}

} // namespace dmc

#endif // DMC_SUPPORT_VERSIONPRINTER_H
