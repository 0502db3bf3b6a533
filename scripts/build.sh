#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds a preset (default dev): build.sh [PRESET] [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev}
shift || true
cmake --preset "$preset" >/dev/null
jobs=${DMC_JOBS:-$(nproc)}
cmake --build --preset "$preset" -j "$jobs" -- "${@:-all}"
