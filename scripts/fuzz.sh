#!/usr/bin/env bash
# A long run of the fuzzers: fuzz.sh [PRESET] [PROGRAMS] [SEED]
# Random programs on all paths; damaged tests, examples and programs of every level.
# What fails is printed with its seed: dmc-fuzz --seed N --print shows the program,
# dmc-reduce shrinks it.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev} programs=${2:-20000} seed=${3:-$(date +%s)}
build=build
[ "$preset" = dev ] || build=build-$preset
failed=0
levels=$(mktemp -d)
trap 'rm -rf "$levels"' EXIT
for ((i = 0; i < 30; ++i)); do
  "$build"/bin/dmc-fuzz --seed $((seed + i)) --print >"$levels/$i.mlir"
  for level in parallel ranks scheduled; do
    "$build"/bin/dmc-compile "$levels/$i.mlir" --emit=$level -o "$levels/$i.$level.mlir" || failed=1
  done
done
"$build"/bin/dmc-fuzz --programs "$programs" --seed "$seed" || failed=1
for folder in test examples "$levels"; do
  "$build"/bin/dmc-fuzz --mutate "$folder" --count "$programs" --seed "$seed" || failed=1
done
exit $failed
