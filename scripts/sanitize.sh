#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds with sanitizers and runs the tests: address and undefined behaviour on
# everything (the plugin's tests exempt: a sanitized plugin does not load into a
# plain mlir-opt), threads on the runtime's tests.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh
bash scripts/build.sh sanitize
ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
  cmake --build --preset sanitize -- check-dmc
bash scripts/build.sh thread dmc-runtime-tests
ctest --test-dir build-thread -R dmc-runtime-tests --output-on-failure --no-tests=error
