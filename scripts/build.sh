#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds a preset (default dev): build.sh [PRESET] [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev}
shift || true
# Where CMake finds that the compilers have changed, it drops the other variables of the preset.
if ! log=$(cmake --preset "$preset" 2>&1) || [[ $log == *"require your cache to be deleted"* ]]; then
  cmake --preset "$preset" >/dev/null
fi
jobs=${DMC_JOBS:-$(nproc)}
cmake --build --preset "$preset" -j "$jobs" -- "${@:-all}"
