#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks dmc on a machine with a GPU, in at most 10 minutes: instructions beside the simulator's, operator cases, models,
# the memory checks of compute-sanitizer, kernels beside a copy, and where the time of steps goes. Uses the tools that were built (DMC_BIN, default
# build/bin). A step that cannot run says why. Exit code 1 if a step failed.
#
#   gpu-check.sh [--device=cuda|simulated] [--short] [--summary FILE] [--jax PYTHON] [--torch PYTHON]
#
#   --device=simulated   the same on simulated devices, which check every access; times are modelled
#   --short              one model and one file of cases
#   --jax, --torch       interpreters with jax, and with torch, that use the GPU: kernels and training steps beside them
#                        (benchmarks/kernels.py, steps.py)
#
# Where there are fewer devices than a program has ranks, ranks share them (DMC_SHARE_DEVICES), and NCCL is not used.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${DMC_BIN:-build/bin}
device=cuda
short=
summary=
jax=
torch=
while [ $# -gt 0 ]; do
  case $1 in
  --device=cuda | --device=simulated) device=${1#--device=} ;;
  --short) short=1 ;;
  --summary) summary=${2:?--summary expects a file}; shift ;;
  --jax) jax=${2:?--jax expects an interpreter}; shift ;;
  --torch) torch=${2:?--torch expects an interpreter}; shift ;;
  *)
    echo "gpu-check: unexpected argument \"$1\", expected --device=cuda|simulated, --short, --summary FILE, --jax PYTHON, --torch PYTHON" >&2
    exit 1
    ;;
  esac
  shift
done
for tool in dmc-compile dmc-run dmc-test dmc-ptx-run; do
  [ -x "$bin/$tool" ] || { echo "gpu-check: $bin/$tool is missing: build it (scripts/build.sh) or set DMC_BIN" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
end=$((SECONDS + 600))
failed=0
report=$work/report
say() { echo "$*" | tee -a "$report"; }
# step NAME COMMAND...: runs it in the time that is left; its output is shown if it fails.
step() {
  local name=$1 begin=$SECONDS left=$((end - SECONDS))
  shift
  if [ $left -le 0 ]; then
    say "skipped $name: the 10 minutes are over"
    return 1
  fi
  timeout $left "$@" >"$work/log" 2>&1
  local code=$?
  if [ $code -eq 0 ]; then
    say "passed  $name ($((SECONDS - begin)) s)"
    return 0
  fi
  failed=1
  [ $code -eq 124 ] && say "FAILED  $name: did not end within the 10 minutes" || say "FAILED  $name"
  tail -n 15 "$work/log"
  return 1
}

# The hardware, and the target that it needs.
target=cuda:sm_90a
devices=2
if [ $device = simulated ]; then
  say "hardware: simulated devices of compute capability 9.0; nothing is run on a GPU, and times are modelled"
elif ! nvidia=$(nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader 2>&1); then
  echo "gpu-check: no GPU was found (nvidia-smi: ${nvidia##*: }); --device=simulated does without" >&2
  exit 1
else
  say "hardware: $(echo "$nvidia" | tr '\n' ';')"
  devices=$(echo "$nvidia" | wc -l)
  chip=$(echo "$nvidia" | head -n 1 | sed 's/.*, *//; s/\.//')
  target=cuda:sm_$chip
  [ "$chip" -ge 90 ] && target+=a
fi
if [ "$devices" -lt 8 ] && [ $device = cuda ]; then
  say "devices: $devices, which ranks share: collectives go through the memory of the host"
  export DMC_SHARE_DEVICES=1
fi
say "ptxas: $(command -v ptxas || echo 'none: the driver compiles the PTX')"

# Instructions on the device beside the simulator's own evaluation.
step "forms of PTX" python3 scripts/gpu-forms.py --device=$device && say "        $(grep '^forms' "$work/log")"

# Operator cases. Those that devices do not support are refused when they are compiled.
cases() {
  "$bin/dmc-test" "$1" --compiled --target=$target --device=$device --jobs "$(nproc)" >"$work/cases"
  grep -E "passed, .* failed" "$work/cases" || { cat "$work/cases"; return 1; }
  ! grep FAILED "$work/cases" | grep -v "unsupported on devices"
}
export -f cases
export bin target device work
folder=test/Conformance/Cases
[ -n "$short" ] && folder=test/Conformance/Inputs/operators/cases.json
step "operator cases" bash -c "cases $folder" && say "        $(grep passed "$work/log")"

# What kernels of rows take and touch, by the simulator and, if there is one, the assembler.
gates() {
  python3 test/Codegen/Inputs/team_rows.py 64 1024 >"$work/rows.mlir" &&
    python3 scripts/kernel-gates.py --bin "$bin" --target "$target" "$work/rows.mlir"
}
export -f gates
step "registers and sectors of kernels" bash -c gates

# Models with expected results: on one rank, on two, and each step as one graph.
run=("$bin/dmc-run" --target=$target --device=$device)
check() { # check NAME FOLDER OPTIONS...
  local name=$1 at=$2
  shift 2
  step "$name" "${run[@]}" "$at/step.mlir" --input-dir="$at/inputs" --expect-dir="$at/expected" --meta="$at/meta.json" "$@"
}
models=(examples/mlp)
[ -z "$short" ] && models+=(examples/gpt)
for at in "${models[@]}"; do
  name=$(basename "$at")
  check "$name" "$at"
  check "$name as a graph" "$at" --graph --bench=2
  check "$name on 2 ranks" "$at" --mesh=data=2 --strategy=data_parallel
done

# What the vendor's checker finds; the simulated devices check every access themselves.
if [ $device = simulated ]; then
  say "skipped compute-sanitizer: the devices are simulated, and check every access"
elif ! command -v compute-sanitizer >/dev/null; then
  say "skipped compute-sanitizer: not installed"
else
  for at in "${models[@]}"; do
    name=$(basename "$at")
    "$bin/dmc-compile" "$at/step.mlir" --target=$target -o "$work/$name.so" >/dev/null 2>&1
    for tool in memcheck racecheck initcheck synccheck; do
      step "compute-sanitizer $tool of $name" compute-sanitizer --tool $tool --error-exitcode 9 "$bin/dmc-run" "$work/$name.so" --input-dir="$at/inputs"
    done
  done
fi

# Memory-bound kernels beside a copy: arrays of 512 MB, which no cache holds; small ones where they are simulated.
rows=65536 columns=2048
[ $device = simulated ] && rows=128 columns=256
kernel() { # kernel NAME: a program of one kernel
  local x="tensor<${rows}x${columns}xf32>" c="tensor<${columns}xf32>" r="tensor<${rows}xf32>" t="tensor<${columns}x${rows}xf32>"
  local one="tensor<f32>" sum="stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions"
  local zero="%z = stablehlo.constant dense<0.0> : $one"
  case $1 in
  add) echo "func.func @main(%a: $x, %b: $x) -> $x { %y = stablehlo.add %a, %b : $x return %y : $x }" ;;
  tanh) echo "func.func @main(%a: $x) -> $x { %y = stablehlo.tanh %a : $x return %y : $x }" ;;
  transpose) echo "func.func @main(%a: $x) -> $t { %y = stablehlo.transpose %a, dims = [1, 0] : ($x) -> $t return %y : $t }" ;;
  row_sum) echo "func.func @main(%a: $x) -> $r { $zero %y = $sum = [1] : ($x, $one) -> $r return %y : $r }" ;;
  column_sum) echo "func.func @main(%a: $x) -> $c { $zero %y = $sum = [0] : ($x, $one) -> $c return %y : $c }" ;;
  esac
}
for name in add tanh transpose row_sum column_sum; do
  kernel $name >"$work/$name.mlir"
  if step "kernel $name" "${run[@]}" "$work/$name.mlir" --bench=5 --profile; then
    grep -E '^(profile|what|kernel) ' "$work/log" | sed "s/^/        /" | tee -a "$report"
  fi
done

# The time of a step, and where it goes.
for at in "${models[@]}"; do
  name=$(basename "$at")
  if step "profile of $name" "${run[@]}" "$at/step.mlir" --input-dir="$at/inputs" --bench=3 --profile; then
    grep -A 8 '^profile' "$work/log" | tee -a "$report"
  fi
done

# Kernels and training steps beside JAX, torch and torch.compile. Simulated devices have no time of their own to compare: results of steps are.
peers() { # peers NAME SCRIPT ARGUMENTS...
  step "$1 beside JAX${torch:+, torch and torch.compile}" python3 "benchmarks/$2" --jax "$jax" ${torch:+--torch "$torch"} --bin "$bin" \
    --device $device --target "$target" "${@:3}" && sed 's/^/        /' "$work/log" | tee -a "$report"
}
if [ -z "$jax" ]; then
  say "skipped peers: --jax PYTHON, and --torch PYTHON, name interpreters that have them"
elif [ $device = simulated ]; then
  peers steps steps.py --rounds 1 --seconds 0.1 gpt
else
  peers kernels kernels.py --rounds 1 --seconds 0.3 --rows 32768 --columns 2048
  peers steps steps.py --rounds 1 --seconds 1 --graph mlp transformer
fi

if [ -n "$summary" ]; then
  cp "$report" "$summary" || failed=1
fi
[ $failed -eq 0 ] && echo "gpu-check: passed" || echo "gpu-check: FAILED"
exit $failed
