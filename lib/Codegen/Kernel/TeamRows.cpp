//===- TeamRows.cpp - Rows that teams of threads share --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel/RowTask.h"
bool dmc::codegen::emitTeamRows(Scalarizer &s, const Task &task) { return false; }
