#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory-bound kernels beside XLA and torch: how much of memory's copy rate each reaches.

    kernels.py --jax PYTHON [--torch PYTHON] [--bin build/bin] [--rounds 3] [--rows 16384] [--columns 1024]
               [--device cuda [--target cuda:sm_90a]] [KERNEL...]

PYTHON are interpreters with jax and numpy, and with torch. Each kernel is written once for both, as f32 arithmetic on a tensor of
rows x columns. dmc compiles the StableHLO that jax makes of it. A round takes every engine in turn, each in a process of its own with as
many threads as the machine has processors, on the same inputs. Printed are medians over the rounds: the rate at which an engine would
move each input and output once, dmc's share of what a copy moves (measured in the same process), and its ratio to the best peer's,
by rounds. dmc's results are compared with XLA's; exits 1 if one differs by more than 1e-4 of its largest element.

With --device=cuda all engines run on the first GPU, the arrays there; give it rows that no cache holds. Times are the device's: of dmc by its
events around what a step launches, of the others by calls that follow each other. A process takes all kernels, since it takes longer to start than to measure one.
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
import time

from engines import ROOT, answer, child, features, measure, measure_rows, spread

HERE = pathlib.Path(__file__).resolve()

# Arguments: x, y and z are rows x columns, v and w vectors of columns, i a vector of rows, of integers. The two sources differ by the library's
# name for a function.
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
    "layernorm_gradient": (
        "xyv", "jax.vjp(lambda x, v, w: (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * v + w, x, v, v)[1](y)",
        "torch.ops.aten.native_layer_norm_backward(y, x, x.shape[-1:], *torch.ops.aten.native_layer_norm(x, x.shape[-1:], v, v, 1e-5)[1:], "
        "v, v, [True] * 3)"),
    "embedding_gradient": ("xi", "jnp.zeros((TABLE, x.shape[1]), x.dtype).at[i].add(x)",
                           "torch.zeros((TABLE, x.shape[1]), device=x.device).index_add_(0, i, x)"),
}
# Rows of the table of embeddings, of which `i` has the numbers.
TABLE = 32768


def bytes_of(name, rows, columns, outputs):
    sizes = {"x": rows * columns, "y": rows * columns, "z": rows * columns, "v": columns, "w": columns, "i": rows}
    return 4 * (sum(sizes[a] for a in KERNELS[name][0]) + outputs)


def make_inputs(args):
    """Each argument that a kernel has, once."""
    import numpy as np
    rng = np.random.default_rng(0)
    shapes = {"x": (args.rows, args.columns), "y": (args.rows, args.columns), "z": (args.rows, args.columns), "v": (args.columns,),
              "w": (args.columns,)}
    inputs = {a: rng.standard_normal(shape, np.float32) for a, shape in shapes.items()}
    return inputs | {"i": rng.integers(0, TABLE, args.rows, np.int32)}


def measure_device(call, wait, seconds):
    """Milliseconds of a call: the median of rows of calls that follow each other, each long enough that to wait for it counts little."""
    def row(count):
        start = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        return 1e3 * (time.perf_counter() - start) / count
    row(3)
    count = max(3, int(20 / row(3)))
    return measure_rows(lambda: row(count), seconds)


def child_jax(args):
    """Writes the programs and XLA's results, and times XLA."""
    import numpy as np
    import jax
    import jax.numpy as jnp
    scope = {"jax": jax, "jnp": jnp, "TABLE": TABLE}
    arrays, found = {a: jax.device_put(value) for a, value in make_inputs(args).items()}, {}
    for name in args.kernels:
        function = jax.jit(eval(f"lambda {', '.join(KERNELS[name][0])}: {KERNELS[name][1]}", scope))
        mine = [arrays[a] for a in KERNELS[name][0]]
        folder = pathlib.Path(args.folder) / name
        (folder / "xla").mkdir(parents=True, exist_ok=True)
        (folder / "step.mlir").write_text(function.lower(*mine).as_text())
        results = jax.tree.leaves(function(*mine))
        for i, value in enumerate(results):
            np.save(folder / "xla" / f"{i:03}.npy", np.asarray(value))
        outputs = sum(math.prod(r.shape) for r in results)
        del results
        last = [None]

        def call():
            last[0] = function(*mine)

        wait = lambda: jax.block_until_ready(last[0])
        ms = measure_device(call, wait, args.seconds) if args.device else measure(lambda: (call(), wait()), args.seconds)
        found[name] = {"ms": ms, "outputs": outputs}
    return found


def child_torch(args, compiled):
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(os.cpu_count())
    arrays, found = {a: torch.from_numpy(value).to(args.device or "cpu") for a, value in make_inputs(args).items()}, {}
    for name in args.kernels:
        function = eval(f"lambda {', '.join(KERNELS[name][0])}: {KERNELS[name][2]}", {"torch": torch, "F": F, "TABLE": TABLE})
        if compiled:
            torch.compiler.reset()
            function = torch.compile(function)
        mine = [arrays[a] for a in KERNELS[name][0]]
        with torch.no_grad():
            call = lambda: function(*mine)
            found[name] = {"ms": measure_device(call, torch.cuda.synchronize, args.seconds) if args.device else measure(call, args.seconds)}
    return found


def write_inputs(args):
    """As files, which dmc reads."""
    import numpy as np
    for a, value in make_inputs(args).items():
        np.save(pathlib.Path(args.folder) / f"{a}.npy", value)
    return {}


def run_child(python, what, names, args, folder):
    device = ["--device", args.device] if args.device else []
    return child([python, HERE, "--child", what, "--folder", folder, "--rows", args.rows, "--columns", args.columns, "--seconds",
                  args.seconds, *device, *names], JAX_PLATFORMS=args.device or "cpu", XLA_PYTHON_CLIENT_PREALLOCATE="false")


def run_dmc(name, args, folder):
    """Milliseconds of a step, and GB/s of a copy beside it."""
    tools, program, report = pathlib.Path(args.bin), folder / name / "step.so", folder / name / "report.json"
    target, device = ([f"--target={args.target}"], [f"--device={args.device}"]) if args.device else ([], [])
    subprocess.run([tools / "dmc-compile", folder / name / "step.mlir", "-o", program, *target], check=True)
    inputs = [f"--input={folder / a}.npy" for a in KERNELS[name][0]]
    base = [tools / "dmc-run", program, *inputs, *device]
    subprocess.run([*base, "--output-dir", folder / name / "dmc"], check=True, capture_output=True)
    done = subprocess.run([*base, "--bench=20", "--profile", "--report", report], check=True, capture_output=True, text=True)
    copy = float(re.search(r"a copy reads and writes ([0-9.]+) GB/s", done.stdout).group(1))
    ms = json.loads(report.read_text())["step_ms"]["median"]
    if args.device:
        ms = float(re.search(r"stream 0 has work +([0-9.]+)", done.stdout).group(1))
    return {"ms": ms, "copy": copy}


def run_rounds(names, args):
    """What each round measured, for each of the kernels, and how far dmc is from XLA."""
    engines = {"xla": args.jax} | ({"torch": args.torch, "torch.compile": args.torch} if args.torch else {})
    with tempfile.TemporaryDirectory() as scratch:
        folder, rounds = pathlib.Path(scratch), []
        run_child(args.jax, "inputs", names, args, folder)
        for _ in range(args.rounds):
            found = {engine: run_child(python, engine, names, args, folder) for engine, python in engines.items()}
            found["dmc"] = {name: run_dmc(name, args, folder) for name in names}
            rounds.append(found)
        worst = {name: run_child(args.jax, "compare", [], args, folder / name)["worst"] for name in names}
    return {name: [{e: found[e][name] for e in found} for found in rounds] for name in names}, worst


def print_kernel(name, args, rows, worst):
    engines = [e for e in rows[0] if e != "dmc"]
    moved = bytes_of(name, args.rows, args.columns, rows[0]["xla"]["outputs"])
    rate = lambda row, engine: moved / row[engine]["ms"] / 1e6
    ratios = [rate(r, "dmc") / max(rate(r, e) for e in engines) for r in rows]
    share = statistics.median(rate(r, "dmc") / r["dmc"]["copy"] for r in rows)
    median = {e: statistics.median(rate(r, e) for r in rows) for e in ["dmc"] + engines}
    print(f"{name:18}{median['dmc']:8.1f}" + "".join(f"{median[e]:15.1f}" for e in engines) +
          f"{share:9.2f}{spread(ratios):>24}{worst:10.1e}" + ("  WRONG" if worst > 1e-4 else ""), flush=True)


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
    parser.add_argument("--device", choices=["cuda"], help="run on the first GPU (default: the processor)")
    parser.add_argument("--target", default="cuda:sm_90a", help="what dmc compiles for with --device")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    for name in args.kernels:
        if name not in KERNELS:
            parser.error(f"unknown kernel '{name}', expected one of {', '.join(KERNELS)}")
    if args.child:
        answer(args.child, args.folder, {"inputs": lambda: write_inputs(args), "xla": lambda: child_jax(args),
                                         "torch": lambda: child_torch(args, False), "torch.compile": lambda: child_torch(args, True)})
        return 0
    if not args.jax:
        parser.error("--jax is needed: it makes the programs")
    names = args.kernels or list(KERNELS)
    print(f"GB/s, median of {args.rounds} rounds; {args.rows} x {args.columns}, " + (f"one GPU, {args.target}" if args.device else features()))
    print(f"{'kernel':18}{'dmc':>8}{'xla':>15}" + (f"{'torch':>15}{'torch.compile':>15}" if args.torch else "") +
          f"{'of copy':>9}{'of best peer':>24}{'differs':>10}")
    wrong = False
    for some in [names] if args.device else [[name] for name in names]:
        rows, worst = run_rounds(some, args)
        for name in some:
            print_kernel(name, args, rows[name], worst[name])
            wrong |= worst[name] > 1e-4
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
