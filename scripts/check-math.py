#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the errors of compiled f32 functions, for all 2^32 inputs, with MPFR.

    check-math.py [--bin build/bin] [--stride N] [--target-cpu NAME] [--state FILE] [--table FILE] [FUNCTION...]

Compiles a program of one elementwise function with dmc-compile, builds scripts/math/check.cpp against libdmc_runtime,
and runs every N-th bit pattern (default: every one) through it; pairs of atan2 and pow are drawn at random, as many. The
C library's f64 function, within one unit of f64 and so 2^-29 units of f32, bounds each error; MPFR then determines it wherever it may exceed the
largest so far. Without MPFR's headers the C library's value counts.

With --state, progress is kept in a file, and the same command goes on from there after an interruption. --table replaces the
table of a page (docs/numerics.md). Fails if an error is above two units in the last place.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNARY = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "log",
         "log10", "log1p", "log2", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh"]
BINARY = {"atan2": "atan2", "pow": "powf"}
BLOCK = 1 << 16
PIECE = 1 << 26  # inputs between two records of progress


def program(name):
    """An elementwise program of one function, in linalg."""
    tensor = f"tensor<{BLOCK}xf32>"
    if name in BINARY:
        arguments, body = ["a", "b"], f"%r = math.{BINARY[name]} %a, %b : f32"
    elif name == "sigmoid":
        arguments = ["a"]
        body = ("%one = arith.constant 1.0 : f32\n %n = arith.negf %a : f32\n %e = math.exp %n : f32\n"
                " %d = arith.addf %one, %e : f32\n %r = arith.divf %one, %d : f32")
    else:
        arguments, body = ["a"], f"%r = math.{name} %a : f32"
    identity = "affine_map<(d0) -> (d0)>"
    inputs = ", ".join(f"%x{a}" for a in arguments)
    return f"""
func.func @main({", ".join(f"%x{a}: {tensor}" for a in arguments)}) -> {tensor} {{
  %empty = tensor.empty() : {tensor}
  %0 = linalg.generic {{indexing_maps = [{", ".join([identity] * (len(arguments) + 1))}], iterator_types = ["parallel"]}}
      ins({inputs} : {", ".join([tensor] * len(arguments))}) outs(%empty : {tensor}) {{
    ^bb0({", ".join(f"%{a}: f32" for a in arguments)}, %out: f32):
      {body}
      linalg.yield %r : f32
  }} -> {tensor}
  return %0 : {tensor}
}}
"""


def build_checker(folder, bin_dir):
    """The compiled checker, and whether it has MPFR."""
    checker = folder / "check"
    library = bin_dir.parent / "lib"
    command = ["c++", "-O2", "-std=c++20", f"-I{ROOT / 'include'}", f"-I{bin_dir.parent / 'include'}",
               ROOT / "scripts/math/check.cpp", "-o", checker, f"-L{library}", "-ldmc_runtime", f"-Wl,-rpath,{library}", "-lpthread"]
    with_mpfr = subprocess.run([*map(str, command), "-DDMC_CHECK_MPFR", "-lmpfr", "-lgmp"], capture_output=True, text=True)
    if with_mpfr.returncode == 0:
        return checker, True
    subprocess.run(list(map(str, command)), check=True)
    return checker, False


def check(name, options, folder, checker, state):
    """The largest error of a function, and where."""
    record = state.setdefault(name, {"next": 0, "worst": -1.0, "at": "", "inputs": 0})
    library = folder / f"{name}.so"
    source = folder / f"{name}.mlir"
    source.write_text(program(name))
    target = [f"--target-cpu={options.target_cpu}"] if options.target_cpu else []
    subprocess.run([options.bin / "dmc-compile", source, "-o", library, *target], check=True)
    while record["next"] < 1 << 32:
        end = min(1 << 32, record["next"] + PIECE * options.stride)
        done = subprocess.run([checker, library, name, str(record["next"]), str(end), str(options.stride), repr(record["worst"])],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"check-math: {name}: {done.stderr.strip()}")
        found = json.loads(done.stdout)
        record["inputs"] += found["inputs"]
        if found["worst"] > record["worst"]:
            record.update(worst=found["worst"], at=found["at"])
        record["next"] = end
        if options.state:
            options.state.write_text(json.dumps(state, indent=1) + "\n")
        if sys.stderr.isatty():
            print(f"\r{name} {100 * end / (1 << 32):.0f} %", end="", file=sys.stderr)
    return record


def write_table(page, rows):
    """Replaces the lines between the table's head and the next empty line."""
    lines = page.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| function | largest error"))
    end = next(i for i in range(start, len(lines)) if not lines[i].strip())
    page.write_text("\n".join(lines[:start + 2] + rows + lines[end:]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*", metavar="FUNCTION")
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin")
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--target-cpu")
    parser.add_argument("--state", type=Path)
    parser.add_argument("--table", type=Path)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    unknown = set(options.functions) - {*UNARY, *BINARY}
    if unknown:
        parser.error(f"no function {', '.join(sorted(unknown))}: expected {', '.join([*UNARY, *BINARY])}")
    if options.stride < 1:
        parser.error(f"expected a stride of at least 1, found {options.stride}")
    state = json.loads(options.state.read_text()) if options.state and options.state.exists() else {}
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as scratch:
        checker, has_mpfr = build_checker(Path(scratch), options.bin)
        print(f"reference: {'MPFR' if has_mpfr else 'the C library in f64'}")
        for name in options.functions or sorted([*UNARY, *BINARY]):
            record = check(name, options, Path(scratch), checker, state)
            failed |= not record["worst"] <= 2
            verdict = "" if record["worst"] <= 2 else "  TOO LARGE"
            print(f"{name:8} largest error {record['worst']:.3f} at {record['at']}, of {record['inputs']} inputs{verdict}", flush=True)
            kind = "pairs" if name in BINARY else "inputs"
            rows.append(f"| {name} | {record['worst']:.2f} | `{record['at']}` | {record['inputs']} {kind} |")
    if options.table:
        write_table(options.table, rows)
    sys.exit(failed)


main()
