#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The collectives of a training step under the strategies, before buckets:
#     scripts/strategies.sh step.mlir [RANKS]
set -euo pipefail
program=${1:?usage: scripts/strategies.sh step.mlir [RANKS]}
ranks=${2:-8}
compile=$(dirname "$0")/../build/bin/dmc-compile
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kinds="all_reduce reduce_scatter all_gather all_to_all permute"
row() { # row MESH STRATEGY...
  local mesh=$1 options=()
  shift
  for strategy in "$@"; do options+=(--strategy "$strategy"); done
  printf '%-30s %-18s' "$*" "$mesh"
  if "$compile" "$program" --mesh "$mesh" "${options[@]}" --emit=ranks -o "$work/text" 2>"$work/log"; then
    awk -v kinds="$kinds" '{ while (match($0, /comm\.[a-z_]+ /)) {
        count[substr($0, RSTART + 5, RLENGTH - 6)]++; $0 = substr($0, RSTART + RLENGTH) } }
      END { n = split(kinds, kind, " ")
        for (i = 1; i <= n; i++) printf " %6d %s", count[kind[i]], kind[i]; print "" }' "$work/text"
  else
    awk '/error: / && !found { sub(/.*error: /, ""); print " refused: " $0; found = 1 }
      END { if (!found) print " failed" }' "$work/log"
  fi
}
row "data=$ranks" data_parallel
row "model=$ranks" megatron
row "data=$((ranks / 2)),model=2" data_parallel megatron
for strategy in zero1 zero2 zero3 fsdp; do row "data=$ranks" "$strategy"; done
row "expert=$ranks" expert_parallel
row "sequence=$ranks" sequence_parallel
row "space=$ranks" spatial
