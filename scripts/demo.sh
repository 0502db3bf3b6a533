#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets up, builds, and runs a GPT training step on a 2 x 2 mesh of CPU ranks.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh
bash scripts/build.sh dev dmc-compile dmc-run dmc_onednn
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
example=examples/gpt
echo "== compiling $example/step.mlir for data=2 x model=2"
build/bin/dmc-compile "$example/step.mlir" --mesh data=2,model=2 \
  --layouts "$example/shardings.json" --case dp4_tp2 -o "$out/gpt.so"
echo "== running it on 4 ranks"
build/bin/dmc-run "$out/gpt.so" --input-dir "$example/inputs" --expect-dir "$example/expected" \
  --meta "$example/meta.json"
