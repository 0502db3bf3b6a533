#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether steps take what is predicted, and whether the plan that is predicted best is the best.

    predicted_steps.py PROGRAM.mlir... [--bin build-release/bin] [--mesh data=2] [--engine local|mpi] [--rounds 5] [--seconds 2]
                       [--strategies data_parallel,zero1,zero2,zero3,megatron,auto] [--machine FILE]

The machine is measured first (dmc-calibrate) unless a file is given. Each program is compiled for it under each strategy; those that a
strategy does not fit are named. A round runs each plan in turn, so that all meet the same machine. Printed are the predicted time of a
step (`predicted_step_ms` of the report), the median of the rounds' medians and their spread, and for each program the plan that is
predicted best and the one that is. Exits 1 if a prediction is off by more than 15 % and by more than the spread of the rounds, or if
the plan that is predicted best takes longer than the best one by more than the larger spread of both.

With the local engine ranks are threads of a process, with one thread each for a machine of as many cores as ranks.
"""
import argparse
import json
import math
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# Of what a step takes: how far a prediction may be off.
TOLERANCE = 0.15


def compile_plans(options, machine, program, folder):
    """The plans of a program by strategy: library, predicted milliseconds, collectives."""
    plans = {}
    for strategy in options.strategies.split(","):
        library, report = folder / f"{strategy}.so", folder / f"{strategy}.json"
        # Megatron splits over an axis of its own name.
        mesh = options.mesh.replace("data", "model") if strategy == "megatron" else options.mesh
        run = subprocess.run([options.bin / "dmc-compile", program, f"--mesh={mesh}", f"--strategy={strategy}", f"--machine={machine}",
                              "-o", library, f"--report={report}"], capture_output=True, text=True, check=False)
        if run.returncode:
            errors = [line for line in run.stderr.splitlines() if "error: " in line]
            print(f"{strategy:24} not compiled: {errors[0].split('error: ')[-1] if errors else run.stderr.strip()}")
            continue
        told = json.loads(report.read_text())
        plans[strategy] = {"library": library, "predicted": told["predicted_step_ms"], "runs": []}
    return plans


def run_round(options, ranks, plan):
    """Milliseconds: the median step of a process of its own."""
    steps = max(3, int(1000 * options.seconds / max(plan["predicted"], 0.1)))
    command = [options.bin / "dmc-run", plan["library"], "--threads=1", f"--bench={steps}"]
    if options.engine == "mpi":
        command = ["mpirun", "--allow-run-as-root", "--bind-to", "core", "-n", str(ranks), *command, "--engine=mpi"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"step ms: min \S+, median ([\d.]+)", run.stdout)
    if run.returncode or not found:
        sys.exit(f"{plan['library']}: {run.stderr.strip()}")
    plan["runs"].append(float(found.group(1)))


def judge(plans):
    """Prints a table; returns how many figures are off."""
    misses = 0
    for strategy, plan in plans.items():
        plan["measured"] = statistics.median(plan["runs"])
        plan["spread"] = max(plan["runs"]) - min(plan["runs"])
        error = plan["predicted"] - plan["measured"]
        is_off = abs(error) > max(TOLERANCE * plan["measured"], plan["spread"])
        misses += is_off
        print(f"{strategy:24} predicted {plan['predicted']:9.3f} ms, measured {plan['measured']:9.3f} "
              f"({min(plan['runs']):.3f} to {max(plan['runs']):.3f}), {error / plan['measured']:+7.1%}{'  OFF' if is_off else ''}")
    expected = min(plans, key=lambda name: plans[name]["predicted"])
    best = min(plans, key=lambda name: plans[name]["measured"])
    loss = plans[expected]["measured"] - plans[best]["measured"]
    is_off = loss > max(plans[expected]["spread"], plans[best]["spread"])
    print(f"predicted best {expected}, measured best {best}: {loss / plans[best]['measured']:.1%} slower{'  OFF' if is_off else ''}")
    return misses + is_off


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--bin", type=Path, default=Path("build-release/bin"))
    parser.add_argument("--mesh", default="data=2")
    parser.add_argument("--engine", choices=["local", "mpi"], default="local")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="of each run")
    parser.add_argument("--strategies", default="data_parallel,zero1,zero2,zero3,megatron,auto")
    parser.add_argument("--machine", type=Path, help="a machine file instead of a measurement")
    options = parser.parse_args()
    sizes = [re.fullmatch(r"\w+=([1-9]\d*)", axis) for axis in options.mesh.split(",")]
    if None in sizes:
        parser.error(f"--mesh: '{options.mesh}' is not a list of AXIS=SIZE")
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds and --seconds must be positive")
    for tool in ["dmc-compile", "dmc-run", *([] if options.machine else ["dmc-calibrate"])]:
        if not (options.bin / tool).is_file():
            parser.error(f"--bin: there is no {tool} in '{options.bin}'")
    ranks, misses = math.prod(int(size.group(1)) for size in sizes), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        machine = options.machine or folder / "machine.json"
        if not options.machine:
            command = [options.bin / "dmc-calibrate", "-o", machine]
            command += ["--engine=mpi"] if options.engine == "mpi" else [f"--ranks={ranks}"]
            if options.engine == "mpi":
                command = ["mpirun", "--allow-run-as-root", "--bind-to", "core", "-n", str(ranks), *command]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for program in options.programs:
            print(f"--- {program} on {options.mesh}, {options.engine}")
            plans = compile_plans(options, machine, program, folder)
            for number in range(options.rounds):
                print(f"round {number + 1} of {options.rounds}", end="\r", file=sys.stderr)
                for plan in plans.values():
                    run_round(options, ranks, plan)
            if not plans:
                sys.exit(f"{program}: no strategy fits it")
            misses += judge(plans)
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
