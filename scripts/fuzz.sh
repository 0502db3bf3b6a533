#!/usr/bin/env bash
# A long run of the fuzzers: fuzz.sh [PRESET] [PROGRAMS] [SEED]
# What fails is printed with its seed: dmc-fuzz --seed N --print shows the program,
# dmc-reduce shrinks it.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev} programs=${2:-20000} seed=${3:-$(date +%s)}
build=build
[ "$preset" = dev ] || build=build-$preset
failed=0
"$build"/bin/dmc-fuzz --programs "$programs" --seed "$seed" || failed=1
for folder in test examples; do
  "$build"/bin/dmc-fuzz --mutate "$folder" --count "$programs" --seed "$seed" || failed=1
done
exit $failed
