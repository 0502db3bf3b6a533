//===- Roles.h - What arguments are for -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters, state and batch, by donation and dependence.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_TACTICS_ROLES_H
#define DMC_LIB_PARALLELIZE_TACTICS_ROLES_H

#include "TransformOps.h"

namespace dmc::tactics {

/// True if the program trains: it returns a scalar, and updates what that depends on.
bool hasLoss(const Subject &subject);

/// The numbers of the arguments of a role (see `transform.dmc.arguments`).
llvm::SmallVector<unsigned> getArgumentsOf(llvm::StringRef role, const Subject &subject);

} // namespace dmc::tactics

#endif // DMC_LIB_PARALLELIZE_TACTICS_ROLES_H
