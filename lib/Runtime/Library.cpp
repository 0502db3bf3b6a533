//===- Library.cpp - Programs in shared libraries -------------------------===//

#include "dmc/Runtime/Session.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <dlfcn.h>
#include <sys/stat.h>

using namespace dmc;
using namespace dmc::runtime;

std::optional<Library> Library::load(const std::string &path, std::string &error) {
  auto fail = [&](const std::string &why) {
    error = path + ": " + why;
    return std::nullopt;
  };
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return fail(std::string("cannot open: ") + std::strerror(errno));
  char magic[4] = {};
  std::ifstream(path, std::ios::binary).read(magic, 4);
  if (!S_ISREG(info.st_mode) || std::memcmp(magic,
                                            "\x7f"
                                            "ELF",
                                            4) != 0)
    return fail("is not a compiled program");
  // Without a slash, the loader would search its own folders.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return fail(std::string("cannot be loaded: ") + (why ? why : "unknown reason"));
  }
  Library library(handle, nullptr); // closes the handle on every failure below
  auto query = reinterpret_cast<dmc_program_query_fn>(dlsym(handle, DMC_PROGRAM_SYMBOL));
  if (!query)
    return fail("is not a compiled program: it does not export " DMC_PROGRAM_SYMBOL);
  library.program_ = query(DMC_ABI_VERSION);
  if (!library.program_)
    return fail("is for another version of the runtime's interface, expected " +
                std::to_string(DMC_ABI_VERSION));
  if (auto why = verifyProgram(*library.program_))
    return fail(*why);
  return library;
}

Library::~Library() {
  if (handle_)
    dlclose(handle_);
}
