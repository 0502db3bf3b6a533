//===- Load.cpp - Loads the driver and says what came of it ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/Driver.h"

#include <cstdio>

using namespace dmc::cuda;

int main() {
  std::string error;
  const Driver *driver = Driver::load(/*simulated=*/false, error);
  std::puts(driver ? "loaded" : error.c_str());
  float milliseconds = 0;
  return driver &&
         driver->eventElapsedTime(&milliseconds, nullptr, nullptr) != Result::NotSupported;
}
