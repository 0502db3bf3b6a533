#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models on meshes of 1 to 8 ranks, all layouts drawn at random, against their expected results:
#   random-layouts.sh [DRAWS] [SEED] [FOLDER...]   (default: 5 draws of the examples, seed 1)
# A failure is repeated by: dmc-fuzz --layouts-of FOLDER/step.mlir --seed N
set -uo pipefail
cd "$(dirname "$0")/.."
export bin=${DMC_BIN:-build/bin}
draws=${1:-5} seed=${2:-1}
shift $(($# < 2 ? $# : 2))
folders=("$@")
if [ ${#folders[@]} -eq 0 ]; then
  folders=(examples/mlp examples/gpt)
fi
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT
try() { # try FOLDER SEED
  local file=$work/$(basename "$1").$2
  # What must not be read is NaN.
  if "$bin/dmc-fuzz" --layouts-of "$1/step.mlir" --seed "$2" >"$file.mlir" 2>"$file.log" &&
    DMC_POISON=1 timeout 300 "$bin/dmc-run" "$file.mlir" --input-dir "$1/inputs" --expect-dir "$1/expected" \
      --meta "$1/meta.json" >"$file.log" 2>&1; then
    echo "passed $1 $2"
  else
    echo "FAILED $1 --seed $2"
    tail -n 5 "$file.log"
  fi
  rm -f "$file".*
}
export -f try
echo "random-layouts: $draws draws, seeds from $seed"
# Each model has seeds of its own, so that few draws of many models meet all meshes.
for folder in "${folders[@]}"; do
  for ((i = 0; i < draws; ++i)); do
    echo "$folder $seed"
    seed=$((seed + 1))
  done
done | xargs -P "${DMC_JOBS:-$(nproc)}" -L 1 bash -c 'try "$@"' try >"$work/all"
grep -v '^passed' "$work/all"
failed=$(grep -c '^FAILED' "$work/all")
echo "layouts: $(grep -c '^passed' "$work/all") passed, $failed failed"
[ "$failed" -eq 0 ]
