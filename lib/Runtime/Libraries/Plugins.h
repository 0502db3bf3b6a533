//===- Plugins.h - Shared libraries that the runtime loads ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_LIBRARIES_PLUGINS_H
#define DMC_LIB_RUNTIME_LIBRARIES_PLUGINS_H

#include <string>

namespace dmc::runtime {

/// Where a plugin is: `path` is empty if it is nowhere, `searched` lists the folders.
struct PluginPlace {
  std::string path, searched;
};
PluginPlace findPlugin(const char *fileName);

/// The symbol in the plugin, which stays loaded. Null, and why. `isGlobal`: what it
/// loads itself sees its symbols.
void *loadPlugin(const std::string &path, const char *symbol, bool isGlobal, std::string &error);

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_LIBRARIES_PLUGINS_H
