//===- TeamWindows.h - Windows by teams of threads --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_TEAMWINDOWS_H
#define DMC_LIB_CODEGEN_KERNEL_TEAMWINDOWS_H

#include "Kernel/KernelTasks.h"

namespace dmc::codegen {

/// For devices: reductions of windows, as pooling is. A team reads the box of an operand that a
/// tile of the results needs, and keeps it in shared memory. False, and nothing is emitted, for
/// other reductions, and where the windows of threads beside each other are, too.
bool emitTeamWindows(Scalarizer &s, const Task &task);

/// For devices: windows that begin before their line does, as those of a prefix sum: a thread has a
/// line, and reads each element once. False, and nothing is emitted, for others.
bool emitRunningWindows(Scalarizer &s, const Task &task);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_TEAMWINDOWS_H
