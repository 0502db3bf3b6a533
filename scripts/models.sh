#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the example models through every way in and out of the compiler:
#   every case of shardings.json, compiled and interpreted, against expected/;
#   every level that --emit writes, given back, bitwise the same results.
# models.sh [FOLDER...]   (default: those under examples/ that have results)
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${DMC_BIN:-build/bin}
folders=("$@")
if [ ${#folders[@]} -eq 0 ]; then
  folders=(examples/mlp examples/gpt)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
check() { # check NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name: $*"
    tail -n 5 "$work/log"
  fi
}
for folder in "${folders[@]}"; do
  name=$(basename "$folder")
  against=(--input-dir "$folder/inputs" --expect-dir "$folder/expected" --meta "$folder/meta.json")
  check "$name pretty" "$bin/dmc-run" "$folder/step.pretty.mlir" "${against[@]}"
  check "$name interpreted" "$bin/dmc-interpret" "$folder/step.mlir" "${against[@]}"
  for case in one $(python3 -c 'import json,sys; print(*json.load(open(sys.argv[1])))' "$folder/shardings.json"); do
    layouts=()
    if [ "$case" != one ]; then
      layouts=(--layouts "$folder/shardings.json" --case "$case")
    fi
    check "$name $case" "$bin/dmc-compile" "$folder/step.mlir" "${layouts[@]}" -o "$work/p.so"
    check "$name $case compiled" "$bin/dmc-run" "$work/p.so" "${against[@]}" --output-dir "$work/want"
    for level in tensor parallel ranks scheduled; do
      check "$name $case emit $level" "$bin/dmc-compile" "$folder/step.mlir" "${layouts[@]}" --emit=$level -o "$work/$level.mlir"
      if [ "$level" = parallel ] || [ "$level" = ranks ]; then
        check "$name $case interpreted at $level" "$bin/dmc-interpret" "$work/$level.mlir" "${against[@]}"
      fi
      check "$name $case from $level" "$bin/dmc-compile" "$work/$level.mlir" -o "$work/q.so"
      check "$name $case from $level, bitwise" "$bin/dmc-run" "$work/q.so" --input-dir "$folder/inputs" --expect-dir "$work/want" --rtol=0 --atol=0
    done
    rm -rf "$work/want"
  done
done
echo "models: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
