#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A long run of the fuzzers: fuzz.sh [PRESET] [PROGRAMS] [TEXTS] [SEED]
# Random programs on all paths; damaged tests, examples, random programs and their levels.
# A failure has a seed: --seed N --print shows its text, dmc-reduce shrinks it.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev} programs=${2:-20000} texts=${3:-100000} seed=${4:-$(date +%s)}
build=build
[ "$preset" = dev ] || build=build-$preset
# As the tests: libMLIR is not instrumented.
export ASAN_OPTIONS=${ASAN_OPTIONS:-allow_user_poisoning=0:detect_leaks=0}
echo "fuzz: preset $preset, seed $seed"
levels=$(mktemp -d)
trap 'rm -rf "$levels"' EXIT
failed=0
for ((i = 0; i < 60; ++i)); do
  "$build"/bin/dmc-fuzz --seed $((seed + i)) --print >"$levels/$i.mlir"
  for level in parallel ranks scheduled; do
    # What is not supported, or is at a later level already, has no such text.
    "$build"/bin/dmc-compile "$levels/$i.mlir" --emit=$level -o "$levels/$i.$level.mlir" \
      2>/dev/null || rm -f "$levels/$i.$level.mlir"
  done
done
"$build"/bin/dmc-fuzz --programs "$programs" --seed "$seed" || failed=1
"$build"/bin/dmc-fuzz --mutate test --mutate examples --mutate "$levels" --count "$texts" \
  --seed "$seed" --timeout 120 || failed=1
exit $failed
