//===- Plugins.cpp - Shared libraries that the runtime loads --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Libraries/Plugins.h"

#include <cstdlib>
#include <vector>

#include <climits>
#include <dlfcn.h>
#include <unistd.h>

using namespace dmc;
using namespace dmc::runtime;

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// Beside the executable, beside the library that holds this code (they differ
/// where another program embeds the runtime), then where the user says.
static std::vector<std::string> searchFolders() {
  std::vector<std::string> folders;
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length > 0) {
    std::string folder = folderOf(std::string(path, static_cast<size_t>(length)));
    folders.push_back(folder + "/../lib");
    folders.push_back(folder);
  }
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&searchFolders), &info) && info.dli_fname &&
      info.dli_fname[0] == '/')
    folders.push_back(folderOf(info.dli_fname));
  if (const char *folder = std::getenv("DMC_PLUGIN_DIR"))
    folders.push_back(folder);
  return folders;
}

PluginPlace runtime::findPlugin(const char *fileName) {
  PluginPlace place;
  for (const std::string &folder : searchFolders()) {
    std::string path = folder + "/" + fileName;
    place.searched += (place.searched.empty() ? "" : ", ") + folder;
    if (access(path.c_str(), R_OK) == 0) {
      place.path = path;
      break;
    }
  }
  return place;
}

void *runtime::loadPlugin(const std::string &path, const char *symbol, bool isGlobal,
                          std::string &error) {
  // Never closed: threads of the libraries behind it would lose their code.
  void *handle = dlopen(path.c_str(), RTLD_NOW | (isGlobal ? RTLD_GLOBAL : RTLD_LOCAL));
  if (!handle) {
    const char *why = dlerror();
    error = path + ": cannot be loaded: " + (why ? why : "unknown reason");
    return nullptr;
  }
  void *found = dlsym(handle, symbol);
  if (!found)
    error = path + ": is not a plugin for this runtime";
  return found;
}
