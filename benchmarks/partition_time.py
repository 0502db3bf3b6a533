#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of partitioning beside XLA's, in one run; and how it grows with the ranks.

    partition_time.py PROGRAM... [--bin build-release/bin] [--runs 5] [--ranks 8,64,512 --axis data]

PROGRAM is a file with sdy shardings and a mesh, or MODEL:CASE of benchmarks/models (t32:dp8), or MODEL for all of its cases.
dmc: its stages from the layouts at the boundary to the rank program (parallelize and ranks of `dmc-compile --timing`), with
the verifiers that run after each, on one thread. XLA: its passes `shardy-xla` and
`spmd-partitioning` on the same file (needs jax). The two alternate, so that
both meet the same machine; printed are medians. With --ranks the axis of the mesh is resized instead, and XLA is not run.
Exits 1 if dmc takes longer than XLA anywhere, or grows by more than 1.25 with the ranks.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

from cases import annotated_text, cases_of, folder_of

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("programs", nargs="+")
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--bin", default="build-release/bin")
parser.add_argument("--ranks", help="sizes of the axis, with commas")
parser.add_argument("--axis", default="data")
parser.add_argument("--xla-child", help=argparse.SUPPRESS)
args = parser.parse_args()


def xla_child(path):
    """Compiles a program once; XLA's log has the times of its passes."""
    text = open(path).read()
    # sdy.mesh<["data"=4, "model"=2]>
    ranks = 1
    for size in re.findall(r'"=(\d+)', re.search(r"#sdy.mesh<\[([^\]]*)\]", text).group(1)):
        ranks *= int(size)
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={ranks}"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import numpy
    from jax._src import compiler, xla_bridge
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir

    devices = jax.devices()[:ranks]
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        options = compiler.get_compile_options(
            num_replicas=1, num_partitions=ranks, device_assignment=numpy.arange(ranks).reshape(1, ranks))
        options.executable_build_options.use_spmd_partitioning = True
        options.executable_build_options.use_shardy_partitioner = True
        backend = xla_bridge.get_backend("cpu")
        compiler.backend_compile_and_load(backend, module, xla_client.DeviceList(tuple(devices)), options, [])


def xla_ms(path):
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="0", TF_CPP_VMODULE="hlo_pass_pipeline=1")
    done = subprocess.run([sys.executable, __file__, path, "--xla-child", path], capture_output=True, text=True, env=env)
    found = re.findall(r"HLO pass: (shardy-xla|spmd-partitioning) time: [^(]*\((\d+) us\)", done.stderr)
    if {name for name, _ in found} != {"shardy-xla", "spmd-partitioning"}:
        sys.exit(done.stderr[-2000:])
    return sum(int(us) for _, us in found) / 1000


def dmc_ms(path, mesh=""):
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{args.bin}/dmc-compile", path, "--emit=ranks", "--timing", "--no-threads", "-o", f"{folder}/ranks.mlir"]
        done = subprocess.run(command + ([f"--mesh={mesh}"] if mesh else []), capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    times = dict(re.findall(r"^(\w+) +([0-9.]+) ms$", done.stdout + done.stderr, flags=re.M))
    return float(times["parallelize"]) + float(times["ranks"])


if args.xla_child:
    xla_child(args.xla_child)
    sys.exit()
failed = False
annotated = tempfile.TemporaryDirectory()


def expand(program):
    """The files that an argument names."""
    model, _, case = program.partition(":")
    if os.path.exists(program) or not folder_of(model):
        return [program]
    files = []
    for name in [case] if case else cases_of(model):
        files.append(f"{annotated.name}/{model}.{name}.mlir")
        with open(files[-1], "w") as file:
            file.write(annotated_text(model, name))
    return files


args.programs = [file for program in args.programs for file in expand(program)]
if args.ranks:
    sizes = args.ranks.split(",")
    print(f"{'program':32}" + "".join(f"{size:>10}" for size in sizes) + "   ms, by the size of the axis")
    for path in args.programs:
        row = [[] for _ in sizes]
        for _ in range(args.runs):
            for times, size in zip(row, sizes):
                times.append(dmc_ms(path, f"{args.axis}={size}"))
        medians = [statistics.median(times) for times in row]
        failed |= max(medians) > 1.25 * medians[0]
        print(f"{os.path.basename(path):32}" + "".join(f"{ms:10.0f}" for ms in medians))
else:
    print(f"{'program':32}{'dmc ms':>10}{'XLA ms':>10}{'ratio':>8}   (medians of {args.runs})")
    for path in args.programs:
        ours, theirs = [], []
        for _ in range(args.runs):
            ours.append(dmc_ms(path))
            theirs.append(xla_ms(path))
        a, b = statistics.median(ours), statistics.median(theirs)
        failed |= a > b
        print(f"{os.path.basename(path):32}{a:10.0f}{b:10.0f}{a / b:8.2f}", flush=True)
sys.exit(failed)
