#!/usr/bin/env bash
# The collectives of a training step under the strategies, before buckets:
#     scripts/strategies.sh step.mlir [RANKS]
set -euo pipefail
program=${1:?usage: scripts/strategies.sh step.mlir [RANKS]}
ranks=${2:-8}
compile=$(dirname "$0")/../build/bin/dmc-compile
text=$(mktemp)
trap 'rm -f "$text"' EXIT
row() { # row MESH STRATEGY...
  local mesh=$1 options=() kind
  shift
  for strategy in "$@"; do options+=(--strategy "$strategy"); done
  "$compile" "$program" --mesh "$mesh" "${options[@]}" --emit=ranks -o "$text" 2>/dev/null || return 0
  printf '%-30s %-18s' "$*" "$mesh"
  for kind in all_reduce reduce_scatter all_gather all_to_all permute; do
    printf ' %6d %s' "$(grep -c "comm\.$kind " "$text" || true)" "$kind"
  done
  echo
}
row "data=$ranks" data_parallel
row "model=$ranks" megatron
row "data=$((ranks / 2)),model=2" data_parallel megatron
for strategy in zero1 zero2 zero3 fsdp; do row "data=$ranks" "$strategy"; done
row "expert=$ranks" expert_parallel
row "sequence=$ranks" sequence_parallel
row "space=$ranks" spatial
