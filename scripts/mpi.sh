#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs models on processes of an MPI job and on threads, and compares the results
# bit for bit: mpi.sh [FOLDER...]   (default: short cases of those under examples/)
# DMC_CASES: the cases of shardings.json to run, "all", or (default) the first one.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${DMC_BIN:-build/bin}
if ! command -v mpirun >/dev/null || [ ! -e "$bin/../lib/libdmc_mpi.so" ]; then
  echo "mpi: skipped: mpirun or the plugin libdmc_mpi.so is not there"
  exit 0
fi
# As root, with more ranks than cores, and where processes may not read each other.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
folders=("$@")
cases=${DMC_CASES:-first}
if [ ${#folders[@]} -eq 0 ]; then
  folders=(examples/mlp examples/gpt)
  cases=${DMC_CASES:-dp8 dp4_tp2}
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
casesOf() { # casesOf FOLDER: "case ranks" per line
  python3 - "$1/shardings.json" "$cases" <<'END'
import json, math, sys
known = json.load(open(sys.argv[1]))
wanted = {"all": list(known), "first": list(known)[:1]}.get(sys.argv[2], sys.argv[2].split())
for name in wanted:
    if name in known:
        print(name, math.prod(size for axis, size in known[name]["mesh"]))
END
}
for folder in "${folders[@]}"; do
  model=$(basename "$folder")
  file=$folder/step.mlir
  [ -e "$file" ] || file=$folder/$model.mlir
  while read -r case ranks; do
    in=()
    if [ -d "$folder/inputs" ]; then
      in=(--input-dir "$folder/inputs")
    fi
    rm -rf "$work"/*
    start=$SECONDS
    if "$bin/dmc-compile" "$file" --layouts "$folder/shardings.json" --case "$case" -o "$work/p.so" >"$work/log" 2>&1 &&
      "$bin/dmc-run" "$work/p.so" "${in[@]}" --output-dir "$work/local" >"$work/log" 2>&1 &&
      timeout 600 mpirun -n "$ranks" "$bin/dmc-run" --engine=mpi "$work/p.so" "${in[@]}" \
        --output-dir "$work/mpi" >"$work/log" 2>&1 </dev/null &&
      diff -r "$work/local" "$work/mpi" >"$work/log" 2>&1; then
      passed=$((passed + 1))
      echo "ok $model $case: $(ls "$work/mpi" | wc -l) results on $ranks processes, $((SECONDS - start)) s"
    else
      failed=$((failed + 1))
      echo "FAILED $model $case"
      tail -n 5 "$work/log"
    fi
  done < <(casesOf "$folder")
done
echo "mpi: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
