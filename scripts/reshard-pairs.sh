#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every reshard between two layouts against a plain search: reshard-pairs.sh [PRESET] [ROW] [SHARE]
# Prints the table of docs/reshard.md; ROW takes only the rows with that text in their name,
# SHARE (0.1) only so many of the targets. DMC_RESHARD_THREADS says how many threads.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev}
build=build
[ "$preset" = dev ] || build=build-$preset
DMC_RESHARD_PAIRS=${3:-all} DMC_RESHARD_ROW=${2:-} "$build"/bin/DMCLayoutTests --gtest_filter='ReshardPairs.*'
