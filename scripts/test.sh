#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets up, builds and runs all tests: test.sh [PRESET]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev}
bash scripts/setup.sh
bash scripts/build.sh "$preset"
cmake --build --preset "$preset" -- check-dmc
bash scripts/check-constraints.sh
bash scripts/docs.sh --check
bash test/embed/run.sh "$preset"
bash scripts/models.sh
bash scripts/random-layouts.sh
bash scripts/mpi.sh
