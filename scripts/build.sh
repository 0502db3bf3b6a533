#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds a preset (default dev): build.sh [PRESET] [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev}
shift || true
folder=build
[ "$preset" = dev ] || folder=build-$preset
# From nothing several sources at once take half the time; whoever changes sources configures with `cmake --preset`.
unity=()
if [ ! -f "$folder/CMakeCache.txt" ]; then
  unity=(-DDMC_UNITY_BUILD="${DMC_UNITY_BUILD:-ON}")
fi
# Where CMake finds that the compilers have changed, it drops the other variables of the preset.
if ! log=$(cmake --preset "$preset" "${unity[@]}" 2>&1) || [[ $log == *"require your cache to be deleted"* ]]; then
  cmake --preset "$preset" "${unity[@]}" >/dev/null
fi
jobs=${DMC_JOBS:-$(nproc)}
cmake --build --preset "$preset" -j "$jobs" -- "${@:-all}"
