#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs each tool with wrong options and prints its exit code, and how many messages it gave: lines that name the tool.
try() {
  tool=$1
  timeout 60 "$@" </dev/null >/dev/null 2>"$errors"
  code=$?
  # LLVM adds what the option may have been meant for.
  count=$(grep -v 'Did you mean' "$errors" | grep -c "^$tool: \|error: ")
  [ "$count" = 1 ] || cat "$errors"
  echo "$*: code $code, $count message"
}
errors=$(mktemp)
cd "$(dirname "$0")" || exit
for tool in check-plan check-rules compile explain fuzz interpret opt ptx-run reduce reshard run solve-layouts test; do
  try dmc-$tool --no-such-option
done
try dmc-check-plan matmul.mlir
try dmc-check-plan matmul.mlir --certificate=none
try dmc-check-rules matmul.mlir --mesh=0
try dmc-check-rules --known=none --all
try dmc-compile matmul.mlir -o x.so --mesh=data
try dmc-compile matmul.mlir -o x.so --case=one
try dmc-compile matmul.mlir -o x.so --strategy=none
try dmc-compile matmul.mlir -o x.so --bucket-bytes=-1
try dmc-compile matmul.mlir --emit=none
try dmc-compile matmul.mlir none.mlir -o x.so
try dmc-explain matmul.mlir --at=a:b
try dmc-explain matmul.mlir --format=pdf
try dmc-explain none.mlir
try dmc-fuzz --timeout=0
try dmc-fuzz --mutate=none
try dmc-interpret matmul.mlir
try dmc-interpret matmul.mlir --seed=1 --in=x
try dmc-interpret matmul.mlir --seed=1 --expect-dir=. --rtol=-1
try dmc-opt matmul.mlir --pass-pipeline=none
try dmc-opt none.mlir
try dmc-reduce none.mlir
try dmc-reshard none --to=none -o none
try dmc-reshard
try dmc-run none.so
try dmc-run none.mlir
try dmc-run matmul.mlir --engine=none
try dmc-run matmul.mlir --rtol=1
try dmc-run matmul.mlir --bench=0
try dmc-solve-layouts none.problem
try dmc-solve-layouts layouts.problem --gap=few
try dmc-test none.json
try dmc-test
rm -f "$errors"
