//===- Vendor.cpp - Finding the vendor's matrix library -------------------===//

#include "Vendor.h"

#include <cstdlib>
#include <vector>

#include <climits>
#include <dlfcn.h>
#include <unistd.h>

using namespace dmc;

static constexpr const char *pluginName = "libdmc_onednn.so";

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

namespace {
struct Loaded {
  const dmc_vendor *vendor = nullptr;
  std::string error;
};
} // namespace

static Loaded load() {
  Loaded loaded;
  std::string searched;
  for (const std::string &folder : searchFolders()) {
    std::string path = folder + "/" + pluginName;
    searched += (searched.empty() ? "" : ", ") + folder;
    if (access(path.c_str(), R_OK) != 0)
      continue;
    // Read when its OpenMP library is loaded. By default waiting threads spin for
    // milliseconds, which takes the cores from other ranks and processes.
    if (!std::getenv("OMP_WAIT_POLICY"))
      setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0);
    // Never closed: the threads of its OpenMP library would lose their code.
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char *why = dlerror();
      loaded.error = path + ": cannot be loaded: " + (why ? why : "unknown reason");
      return loaded;
    }
    auto query = reinterpret_cast<dmc_vendor_query_fn>(dlsym(handle, DMC_VENDOR_SYMBOL));
    loaded.vendor = query ? query(DMC_VENDOR_ABI_VERSION) : nullptr;
    if (!loaded.vendor)
      loaded.error = path + ": is not a plugin for this runtime";
    return loaded;
  }
  loaded.error = std::string("contractions need the plugin ") + pluginName +
                 ", which is in none of: " + searched + "; DMC_PLUGIN_DIR names another folder";
  return loaded;
}

const dmc_vendor *runtime::loadVendor(std::string &error) {
  static const Loaded loaded = load();
  error = loaded.error;
  return loaded.vendor;
}
