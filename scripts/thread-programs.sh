#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiled programs on the runtime of the preset `thread`, where the thread sanitizer sees every
# access of ranks, collectives and contractions: thread-programs.sh [FOLDER...]
#
# The programs are compiled by the tools in DMC_BIN. A plugin that offers nothing takes the place of
# oneDNN, whose OpenMP threads the sanitizer cannot follow. The programs' own code is not
# instrumented: a race between two kernels without the runtime between them is not found.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${DMC_BIN:-build/bin}
folders=("$@")
if [ ${#folders[@]} -eq 0 ]; then
  folders=(examples/mlp examples/gpt)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# dmc-run looks for plugins in the folder `lib` beside its own.
mkdir "$work/bin" "$work/lib"
if ! cp build-thread/bin/dmc-run "$work/bin" || ! cp build-thread/lib/plain/libdmc_onednn.so "$work/lib"; then
  echo "threads: build first: scripts/build.sh thread dmc-run dmc_plain_vendor"
  exit 1
fi
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1}
passed=0 failed=0
for folder in "${folders[@]}"; do
  for case in $(python3 -c 'import json,sys; print(*json.load(open(sys.argv[1])))' "$folder/shardings.json"); do
    if "$bin/dmc-compile" "$folder/step.mlir" --layouts "$folder/shardings.json" --case "$case" -o "$work/p.so" >"$work/log" 2>&1 &&
      timeout 900 "$work/bin/dmc-run" "$work/p.so" --input-dir "$folder/inputs" --expect-dir "$folder/expected" \
        --meta "$folder/meta.json" >"$work/log" 2>&1; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "FAILED $(basename "$folder") $case"
      tail -n 40 "$work/log"
    fi
  done
done
echo "threads: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
