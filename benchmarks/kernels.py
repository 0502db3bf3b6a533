#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory-bound kernels beside XLA and torch: how much of memory's copy rate each reaches.

    kernels.py --jax PYTHON [--torch PYTHON] [--bin build/bin] [--rounds 3] [--rows 16384] [--columns 1024] [KERNEL...]

PYTHON are interpreters with jax and numpy, and with torch. Each kernel is written once for both, as f32 arithmetic on a tensor of
rows x columns. dmc compiles the StableHLO that jax makes of it. A round takes every engine in turn, each in a process of its own with as
many threads as the machine has processors, on the same inputs. Printed are medians over the rounds: the rate at which an engine would
move each input and output once, dmc's share of what a copy moves (measured in the same process), and its ratio to the best peer's,
by rounds. dmc's results are compared with XLA's; exits 1 if one differs by more than 1e-4 of its largest element.
"""
import argparse
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from engines import ROOT, answer, child, features, measure, spread

HERE = pathlib.Path(__file__).resolve()

# Arguments: x is rows x columns, v a vector of columns, c a vector of rows. The two sources differ by the library's name for a function.
KERNELS = {
    "scale": ("x", "x * 2.0", "x * 2.0"),
    "gelu_bias": ("xv", "jax.nn.gelu(x + v)", "F.gelu(x + v, approximate='tanh')"),
    "tanh": ("x", "jnp.tanh(x)", "torch.tanh(x)"),
    "softmax": ("x", "jax.nn.softmax(x, -1)", "torch.softmax(x, -1)"),
    "layernorm": ("xvw", "(x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * v + w",
                  "F.layer_norm(x, x.shape[-1:], v, w)"),
    "rms_norm": ("xv", "x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * v", "F.rms_norm(x, x.shape[-1:], v, 1e-5)"),
    "softmax_gradient": ("xy", "y * (x - (x * y).sum(-1, keepdims=True))", "y * (x - (x * y).sum(-1, keepdim=True))"),
    "sgd_momentum": ("xyz", "(x - 0.1 * (0.9 * y + z), 0.9 * y + z)", "(x - 0.1 * (0.9 * y + z), 0.9 * y + z)"),
    "row_sums": ("x", "x.sum(-1)", "x.sum(-1)"),
    "column_sums": ("x", "x.sum(0)", "x.sum(0)"),
    "transpose": ("x", "x.T + 0.0", "x.T.contiguous()"),
}


def bytes_of(name, rows, columns, outputs):
    sizes = {"x": rows * columns, "y": rows * columns, "z": rows * columns, "v": columns, "w": columns}
    return 4 * (sum(sizes[a] for a in KERNELS[name][0]) + outputs)


def make_inputs(name, rows, columns):
    import numpy as np
    rng = np.random.default_rng(0)
    shapes = {"x": (rows, columns), "y": (rows, columns), "z": (rows, columns), "v": (columns,), "w": (columns,)}
    return [np.asarray(rng.standard_normal(shapes[a]), np.float32) for a in KERNELS[name][0]]


def child_jax(name, args):
    """Writes the program, the inputs and XLA's results, and times XLA."""
    import numpy as np
    import jax
    import jax.numpy as jnp
    scope = {"jax": jax, "jnp": jnp}
    function = jax.jit(eval(f"lambda {', '.join(KERNELS[name][0])}: {KERNELS[name][1]}", scope))
    inputs = make_inputs(name, args.rows, args.columns)
    arrays = [jax.device_put(a) for a in inputs]
    folder = pathlib.Path(args.folder)
    (folder / "step.mlir").write_text(function.lower(*arrays).as_text())
    results = jax.tree.leaves(function(*arrays))
    for kind, values in (("in", inputs), ("xla", results)):
        (folder / kind).mkdir(exist_ok=True)
        for i, value in enumerate(values):
            np.save(folder / kind / f"{i:03}.npy", np.asarray(value))
    elements = sum(math.prod(r.shape) for r in results)
    return {"ms": measure(lambda: jax.block_until_ready(function(*arrays)), args.seconds), "outputs": elements}


def child_torch(name, args, compiled):
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(os.cpu_count())
    function = eval(f"lambda {', '.join(KERNELS[name][0])}: {KERNELS[name][2]}", {"torch": torch, "F": F})
    if compiled:
        function = torch.compile(function)
    arrays = [torch.from_numpy(a) for a in make_inputs(name, args.rows, args.columns)]
    with torch.no_grad():
        return {"ms": measure(lambda: function(*arrays), args.seconds)}


def run_child(python, engine, name, args, folder):
    return child([python, HERE, "--child", engine, "--folder", folder, "--rows", args.rows, "--columns", args.columns, "--seconds",
                  args.seconds, name])


def run_dmc(name, args, folder):
    """Milliseconds of a step, and GB/s of a copy beside it."""
    tools, program, report = pathlib.Path(args.bin), folder / "step.so", folder / "report.json"
    subprocess.run([tools / "dmc-compile", folder / "step.mlir", "-o", program], check=True)
    base = [tools / "dmc-run", program, "--input-dir", folder / "in"]
    subprocess.run([*base, "--output-dir", folder / "dmc"], check=True, capture_output=True)
    done = subprocess.run([*base, "--bench=20", "--profile", "--report", report], check=True, capture_output=True, text=True)
    copy = float(re.search(r"a copy reads and writes ([0-9.]+) GB/s", done.stdout).group(1))
    return {"ms": json.loads(report.read_text())["step_ms"]["median"], "copy": copy}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="of " + ", ".join(KERNELS))
    parser.add_argument("--jax", metavar="PYTHON", help="an interpreter with jax")
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter with torch")
    parser.add_argument("--bin", default=str(ROOT / "build/bin"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="that each peer is measured for")
    parser.add_argument("--rows", type=int, default=16384)
    parser.add_argument("--columns", type=int, default=1024)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    for name in args.kernels:
        if name not in KERNELS:
            parser.error(f"unknown kernel '{name}', expected one of {', '.join(KERNELS)}")
    if args.child:
        name = args.kernels[0]
        answer(args.child, args.folder, {"xla": lambda: child_jax(name, args), "torch": lambda: child_torch(name, args, False),
                                         "torch.compile": lambda: child_torch(name, args, True)})
        return 0
    if not args.jax:
        parser.error("--jax is needed: it makes the programs")
    engines = ["xla"] + (["torch", "torch.compile"] if args.torch else [])
    print(f"GB/s, median of {args.rounds} rounds; {args.rows} x {args.columns}, {features()}")
    print(f"{'kernel':18}{'dmc':>8}" + "".join(f"{e:>15}" for e in engines) + f"{'of copy':>9}{'of best peer':>24}{'differs':>10}")
    wrong = False
    for name in args.kernels or KERNELS:
        rows = []
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            for _ in range(args.rounds):
                row = {"xla": run_child(args.jax, "xla", name, args, folder)}
                for engine in engines[1:]:
                    row[engine] = run_child(args.torch, engine, name, args, folder)
                row["dmc"] = run_dmc(name, args, folder)
                rows.append(row)
            worst = run_child(args.jax, "compare", name, args, folder)["worst"]
        moved = bytes_of(name, args.rows, args.columns, rows[0]["xla"]["outputs"])
        rate = lambda row, engine: moved / row[engine]["ms"] / 1e6
        ratios = [rate(r, "dmc") / max(rate(r, e) for e in engines) for r in rows]
        share = statistics.median(rate(r, "dmc") / r["dmc"]["copy"] for r in rows)
        median = {e: statistics.median(rate(r, e) for r in rows) for e in ["dmc"] + engines}
        print(f"{name:18}{median['dmc']:8.1f}" + "".join(f"{median[e]:15.1f}" for e in engines) +
              f"{share:9.2f}{spread(ratios):>24}{worst:10.1e}" + ("  WRONG" if worst > 1e-4 else ""), flush=True)
        wrong |= worst > 1e-4
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
