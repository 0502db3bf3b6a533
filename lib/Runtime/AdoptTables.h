//===- AdoptTables.h - Tables of older programs -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_ADOPTTABLES_H
#define DMC_LIB_RUNTIME_ADOPTTABLES_H

#include "dmc/Runtime/Session.h"

#include <memory>

namespace dmc::runtime {

/// The tables of a program in structs as this runtime has them: a program that was compiled when
/// they were shorter has 0 in members that it does not know. Null, and why, if they are longer.
/// The result refers to what the program's tables refer to.
std::shared_ptr<const dmc_program> adoptTables(const dmc_program &program, std::string &error);

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_ADOPTTABLES_H
