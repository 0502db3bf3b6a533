//===- SharedLibrary.cpp - Vendors' libraries, real or simulated ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/SharedLibrary.h"
#include "Libraries/Plugins.h"

#include <dlfcn.h>

using namespace dmc;
using namespace dmc::cuda;

SharedLibrary::SharedLibrary(const LibraryNames &names, bool simulated) {
  std::string title = std::string(simulated ? "the simulated " : "the ") + names.title + " ", tried;
  auto open = [&](const std::string &path, const char *file) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    called_ = title + file;
    tried += (tried.empty() ? "" : " or ") + std::string(file);
    const char *why = handle_ ? nullptr : dlerror();
    error_ = handle_ ? "" : title + tried + " cannot be loaded: " + (why ? why : "unknown reason");
    return handle_ != nullptr;
  };
  if (simulated) {
    std::string file = std::string("fakes/") + names.simulated;
    runtime::PluginPlace place = runtime::findPlugin(file.c_str());
    if (place.path.empty())
      error_ = title + file + " is in none of: " + place.searched +
               "; DMC_PLUGIN_DIR names another folder";
    else
      open(place.path, names.simulated);
    return;
  }
  for (const char *file : names.files)
    if (open(file, file))
      return;
}

void *SharedLibrary::findOptional(const char *function) const {
  return handle_ ? dlsym(handle_, function) : nullptr;
}

void SharedLibrary::fail(const std::string &why) {
  if (error_.empty())
    error_ = called_ + " " + why;
}

void *SharedLibrary::find(const char *function) {
  void *found = findOptional(function);
  if (!found)
    fail(std::string("has no function ") + function + ": dmc needs a newer one");
  return found;
}
