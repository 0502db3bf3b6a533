#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps beside XLA, torch and torch.compile.

    steps.py --jax PYTHON [--torch PYTHON] [--bin build/bin] [--rounds 3] [--seconds 4] [--profile]
             [--device cuda [--target cuda:sm_90a] [--graph]] [STEP...]

PYTHON are interpreters with jax and numpy, and with torch. A STEP is one of step_models.py, of real size and for all engines, or a
program of examples or benchmarks/models, small and for dmc and XLA; the default are those of step_models.py. dmc and XLA compile the same
StableHLO. A round takes every engine in turn, each in a process of its own with as many threads as there are processors, on the same
inputs; what a step donates, the next one goes on from. Printed are medians over the rounds, and the ratio of the best peer's step to dmc's
(above 1: dmc is faster), by rounds. Compared are all results of dmc and XLA after one step, and torch's first loss with XLA's; exits 1
if one differs by more than 1e-2 of its largest element. --profile prints where dmc's time goes.

With --device=cuda all engines run on the first GPU, products of f32 in f32 in all of them; with --graph dmc launches a step as one graph. With --device=simulated dmc runs on a simulated
device and the others on the processor: that compares results alone, dmc's time is that of the simulation.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import cases
from engines import ROOT, answer, child, features, measure, spread
from step_models import MODELS, jax_step, make_inputs, torch_step

HERE = pathlib.Path(__file__).resolve()
TOLERANCE = 1e-2


def save(folder, values):
    import numpy as np
    folder.mkdir(exist_ok=True)
    for i, value in enumerate(values):
        np.save(folder / f"{i:03}.npy", np.asarray(value))


def xla_model(name, args):
    """Of step_models.py: also writes the program, its inputs and XLA's results."""
    import jax
    step, folder = jax_step(name), pathlib.Path(args.folder)
    inputs = make_inputs(name)
    save(folder / "in", jax.tree.leaves(inputs))
    (folder / "step.mlir").write_text(step.lower(*inputs).as_text())
    params, states, batch = jax.tree.map(jax.device_put, inputs)
    start = time.perf_counter()
    params, states, loss = jax.block_until_ready(step(params, states, batch))
    compile_s = time.perf_counter() - start
    save(folder / "xla", jax.tree.leaves((params, states, loss)))
    first = float(loss)

    def run():
        nonlocal params, states, loss
        params, states, loss = jax.block_until_ready(step(params, states, batch))

    return {"ms": measure(run, args.seconds), "compile_s": compile_s, "loss": first}


def xla_program(name, args):
    """Of the repository: the text is compiled as it is."""
    import numpy as np
    import jax
    from jax.extend.backend import get_backend
    from jaxlib import _jax, xla_client
    folder, meta, backend = pathlib.Path(args.folder), cases.meta_of(name), get_backend("gpu" if args.device == "cuda" else "cpu")
    rng = np.random.default_rng(0)
    inputs = [np.asarray(rng.standard_normal(a["shape"]) * 0.1 if "float" in a["dtype"] else rng.integers(0, 2, a["shape"]))
              .astype(a["dtype"]) for a in meta["arguments"]]
    # Second moments and variances are not negative.
    inputs = [abs(v) if {"nu", "var", "variance"} & set(a["name"].split("/")) else v for v, a in zip(inputs, meta["arguments"])]
    save(folder / "in", inputs)
    (folder / "step.mlir").write_text(cases.program_text(name))
    start = time.perf_counter()
    program = backend.compile_and_load((folder / "step.mlir").read_bytes(), _jax.DeviceList(tuple(backend.local_devices()[:1])),
                                       xla_client.CompileOptions())
    compile_s = time.perf_counter() - start
    current = [jax.device_put(v) for v in inputs]
    # A donated argument's buffer is its result's: the next step goes on from that.
    heads = cases.attributes(re.search(r"arg_attrs = \[(.*?)\](?=, [a-z_]+ = |\}>)", cases.program_text(name)).group(1))
    found = ((i, re.search(r"tf\.aliasing_output = (\d+)", head)) for i, head in enumerate(heads))
    donated = [(i, int(result.group(1))) for i, result in found if result]

    def run():
        out = [o[0] for o in program.execute_sharded(list(current)).disassemble_into_single_device_arrays()]
        jax.block_until_ready(out)
        for argument, result in donated:
            current[argument] = out[result]
        return out

    save(folder / "xla", run())
    return {"ms": measure(run, args.seconds), "compile_s": compile_s}


def torch_model(name, args, compiled):
    import torch
    torch.set_num_threads(os.cpu_count())
    torch.set_default_device("cuda" if args.device == "cuda" else "cpu")
    step = torch_step(name, compiled)
    start = time.perf_counter()
    loss = step()
    return {"compile_s": time.perf_counter() - start, "loss": loss, "ms": measure(step, args.seconds)}


def run_dmc(args, folder, guess):
    """`guess` is a step's milliseconds."""
    tools, program, report = pathlib.Path(args.bin), folder / "step.so", folder / "report.json"
    start = time.perf_counter()
    target = [f"--target={args.target}"] if args.device else []
    subprocess.run([tools / "dmc-compile", folder / "step.mlir", "-o", program, *target], check=True)
    compile_s = time.perf_counter() - start
    base = [tools / "dmc-run", program, "--input-dir", folder / "in", *([f"--device={args.device}"] if args.device else []),
            *(["--graph"] if args.graph else [])]
    subprocess.run([*base, "--output-dir", folder / "dmc"], check=True, capture_output=True)
    count = max(5, min(1000, int(1e3 * args.seconds / guess)))
    subprocess.run([*base, f"--bench={count}", "--report", report], check=True, capture_output=True)
    if args.profile:
        done = subprocess.run([*base, f"--bench={count}", "--profile"], check=True, capture_output=True, text=True)
        print(done.stdout[done.stdout.find("profile:"):])
    figures = json.loads(report.read_text())
    return {"ms": figures["step_ms"]["median"], "compile_s": compile_s, "peak": figures["memory"]["peak"]}


def run_step(name, args):
    """The rounds of all engines, and what is wrong."""
    engines = ["xla"] + (["torch", "torch.compile"] if args.torch and name in MODELS else [])
    rounds = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for _ in range(args.rounds):
            row = {}
            for engine in engines:
                python = args.jax if engine == "xla" else args.torch
                device = ["--device", args.device] if args.device else []
                row[engine] = child([python, HERE, "--child", engine, "--folder", folder, "--seconds", args.seconds, *device, name],
                                    TORCHINDUCTOR_FORCE_DISABLE_CACHES="1", JAX_DEFAULT_MATMUL_PRECISION="highest",
                                    JAX_PLATFORMS="cuda" if args.device == "cuda" else "cpu")
            row["dmc"] = run_dmc(args, folder, row["xla"]["ms"])
            rounds.append(row)
        worst = child([args.jax, HERE, "--child", "compare", "--folder", folder, name])["worst"]
    losses = [row[e]["loss"] / row["xla"]["loss"] - 1 for row in rounds for e in engines[1:]]
    return engines, rounds, worst, max((abs(d) for d in losses), default=0.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", metavar="STEP")
    parser.add_argument("--jax", metavar="PYTHON", help="an interpreter with jax")
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter with torch")
    parser.add_argument("--bin", default=str(ROOT / "build/bin"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4, help="that each engine is measured for")
    parser.add_argument("--profile", action="store_true", help="print where dmc's time goes")
    parser.add_argument("--device", choices=["cuda", "simulated"], help="run on the first GPU, or dmc on a simulated one (default: the processor)")
    parser.add_argument("--target", default="cuda:sm_90a", help="what dmc compiles for with --device")
    parser.add_argument("--graph", action="store_true", help="with --device, dmc launches each step as one graph")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    for name in args.steps:
        if name not in MODELS and not cases.folder_of(name):
            parser.error(f"unknown step '{name}', expected one of {', '.join(MODELS)}, or a folder of examples or benchmarks/models")
    if args.child:
        name = args.steps[0]
        answer(args.child, args.folder, {"xla": lambda: (xla_model if name in MODELS else xla_program)(name, args),
                                         "torch": lambda: torch_model(name, args, False),
                                         "torch.compile": lambda: torch_model(name, args, True)})
        return 0
    if args.graph and not args.device:
        parser.error("--graph needs --device")
    if not args.jax:
        parser.error("--jax is needed: it makes the programs")
    where = {"cuda": f"one GPU, {args.target}", "simulated": f"dmc simulates a device, {args.target}; others: {features()}"}
    print(f"milliseconds of a step, median of {args.rounds} rounds; {where.get(args.device) or features()}")
    print(f"{'step':16}{'dmc':>9}{'xla':>9}{'torch':>9}{'compiled':>9}{'best peer / dmc':>24}{'compile, xla':>15}{'memory':>9}{'differs':>10}")
    wrong = False
    for name in args.steps or MODELS:
        engines, rounds, worst, losses = run_step(name, args)
        middle = {e: statistics.median(row[e]["ms"] for row in rounds) for e in engines + ["dmc"]}
        shown = "".join(f"{middle[e]:9.2f}" if e in middle else f"{'-':>9}" for e in ("dmc", "xla", "torch", "torch.compile"))
        ratios = [min(row[e]["ms"] for e in engines) / row["dmc"]["ms"] for row in rounds]
        compile_s = "{:.1f} s, {:.1f} s".format(*(statistics.median(row[e]["compile_s"] for row in rounds) for e in ("dmc", "xla")))
        differs = max(worst, losses) > TOLERANCE
        print(f"{name:16}{shown}{spread(ratios):>24}{compile_s:>15}{rounds[-1]['dmc']['peak'] / 1e6:6.0f} MB{worst:10.1e}" +
              ("  WRONG" if differs else ""), flush=True)
        wrong |= differs
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
