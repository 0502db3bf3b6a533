//===- Library.cpp - Programs in shared libraries -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AdoptTables.h"
#include "dmc/Runtime/Session.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <dlfcn.h>
#include <elf.h>
#include <sys/stat.h>

using namespace dmc;
using namespace dmc::runtime;

/// What is wrong with the file as a shared library, or nothing. The loader maps
/// what the headers promise: with a file cut short it dies of a bus error.
static std::optional<std::string> checkElf(const std::string &path, uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header;
  if (!file.read(reinterpret_cast<char *>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return "is not a compiled program";
  auto fits = [bytes](uint64_t offset, uint64_t size) {
    return offset <= bytes && size <= bytes - offset;
  };
  std::string truncated =
      "is truncated: its headers promise more than its " + std::to_string(bytes) + " bytes";
  if (!fits(header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf64_Phdr)) ||
      !fits(header.e_shoff, uint64_t(header.e_shnum) * header.e_shentsize))
    return truncated;
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!file.read(reinterpret_cast<char *>(&segment), sizeof segment) ||
        !fits(segment.p_offset, segment.p_filesz))
      return truncated;
  }
  return std::nullopt;
}

std::optional<Library> Library::load(const std::string &path, std::string &error) {
  auto fail = [&](const std::string &why) {
    error = path + ": " + why;
    return std::nullopt;
  };
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return fail(std::string("cannot open: ") + std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return fail("is not a compiled program");
  if (auto why = checkElf(path, static_cast<uint64_t>(info.st_size)))
    return fail(*why);
  // Without a slash, the loader would search its own folders.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return fail(std::string("cannot be loaded: ") + (why ? why : "unknown reason"));
  }
  Library library(handle); // closes the handle on every failure below
  auto query = reinterpret_cast<dmc_program_query_fn>(dlsym(handle, DMC_PROGRAM_SYMBOL));
  if (!query)
    return fail("is not a compiled program: it does not export " DMC_PROGRAM_SYMBOL);
  const dmc_program *tables = query(DMC_ABI_VERSION);
  if (!tables)
    return fail("is for another version of the runtime's interface, expected " +
                std::to_string(DMC_ABI_VERSION));
  if (tables->abi_version != DMC_ABI_VERSION)
    return fail("is for version " + std::to_string(tables->abi_version) +
                " of the runtime's interface, expected " + std::to_string(DMC_ABI_VERSION));
  std::string why;
  library.program_ = adoptTables(*tables, why);
  if (!library.program_)
    return fail(why);
  if (auto why = verifyProgram(*library.program_))
    return fail(*why);
  return library;
}

Library::~Library() {
  if (handle_)
    dlclose(handle_);
}
