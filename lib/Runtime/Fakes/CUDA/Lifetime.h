//===- Lifetime.h - Devices and contexts begin and end ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_FAKES_CUDA_LIFETIME_H
#define DMC_LIB_RUNTIME_FAKES_CUDA_LIFETIME_H

#include "Fakes/CUDA/Simulation.h"

namespace dmc::fakes {

/// Makes the devices that the settings name.
void openDevices();
/// Makes what a context has from the beginning.
void openContext(Context &context);
/// Destroys all that belongs to a context, and the work that was not executed.
void closeContext(Context &context);
/// Forgets everything, as if the library were loaded again. No other thread may call meanwhile.
void reset();

} // namespace dmc::fakes

#endif // DMC_LIB_RUNTIME_FAKES_CUDA_LIFETIME_H
