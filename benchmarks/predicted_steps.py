#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether steps take what is predicted, and whether the plan that is predicted best is the best.

    predicted_steps.py PROGRAM.mlir... [--bin build-release/bin] [--mesh data=2] [--engine local|mpi] [--rounds 5] [--seconds 2]
                       [--strategies data_parallel,zero1,zero2,zero3,megatron,auto] [--machine FILE]

The machine is measured (dmc-calibrate) unless a file is given, and each program compiled for it under each strategy; those that a
strategy does not fit are named. A round runs each plan in turn, so that all meet the same machine. As a machine's speed changes while
others use it, each further round measures it again and predicts the same plans (saved by the first) with what it found. Printed are
the medians of the predicted times of a step (`predicted_step_ms` of the report) and of the rounds' medians, the spread of the latter,
the median of the rounds' errors, and for each program the plan that is predicted best and the one that is. Exits 1 if that error is
larger than 15 % and than the spread of the rounds' errors, or if the plan that is predicted best takes longer than the best one by
more than the larger spread of both.

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


def calibrate(options, ranks, machine):
    """Measures this machine with the engine of the runs into the file `machine`."""
    command = [options.bin / "dmc-calibrate", "-o", machine]
    if options.engine == "mpi":
        command = ["mpirun", "--allow-run-as-root", "--bind-to", "core", "-n", str(ranks), *command, "--engine=mpi"]
    else:
        command += [f"--ranks={ranks}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        errors = [line for line in run.stderr.splitlines() if "error: " in line]
        sys.exit(errors[0] if errors else f"{options.bin / 'dmc-calibrate'}: {run.stderr.strip()}")


def compile_for(options, strategy, machine, program, report, *arguments):
    """Compiles a program with these arguments: predicted milliseconds and no error, or none and its error."""
    # Megatron splits over an axis of its own name.
    mesh = options.mesh.replace("data", "model") if strategy == "megatron" else options.mesh
    run = subprocess.run([options.bin / "dmc-compile", program, f"--mesh={mesh}", f"--machine={machine}", f"--report={report}", *arguments],
                         capture_output=True, text=True, check=False)
    if run.returncode:
        errors = [line for line in run.stderr.splitlines() if "error: " in line]
        return None, errors[0].split("error: ")[-1] if errors else run.stderr.strip()
    return json.loads(report.read_text())["predicted_step_ms"], None


def compile_plans(options, machine, program, folder):
    """The plans of a program by strategy: library, saved plan, predicted milliseconds by round and measured ones."""
    plans = {}
    for strategy in options.strategies.split(","):
        library, saved = folder / f"{strategy}.so", folder / f"{strategy}.plan.mlir"
        predicted, error = compile_for(options, strategy, machine, program, folder / f"{strategy}.json", f"--strategy={strategy}",
                                       f"--save-plan={saved}", "-o", library)
        if error:
            print(f"{strategy:24} not compiled: {error}")
            continue
        plans[strategy] = {"library": library, "saved": saved, "predicted": [predicted], "runs": []}
    return plans


def predict_again(options, machine, program, folder, plans):
    """What the plans take on the machine as it is now."""
    for strategy, plan in plans.items():
        predicted, error = compile_for(options, strategy, machine, program, folder / "again.json", f"--tactics={plan['saved']}",
                                       "-o", folder / "again.so")
        if error:
            sys.exit(f"{program}: the saved plan of {strategy} was not compiled: {error}")
        plan["predicted"].append(predicted)


def run_round(options, ranks, plan):
    """Milliseconds: the median step of a process of its own."""
    steps = max(3, int(1000 * options.seconds / max(plan["predicted"][-1], 0.1)))
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
        runs, predicted = plan["runs"], plan["predicted"]
        plan["expected"], plan["measured"] = statistics.median(predicted), statistics.median(runs)
        plan["spread"] = max(runs) - min(runs)
        errors = [(a - b) / b for a, b in zip(predicted, runs)]
        error = statistics.median(errors)
        is_off = abs(error) > max(TOLERANCE, max(errors) - min(errors))
        misses += is_off
        print(f"{strategy:24} predicted {plan['expected']:9.3f} ms, measured {plan['measured']:9.3f} "
              f"({min(runs):.3f} to {max(runs):.3f}), {error:+7.1%} ({min(errors):+.1%} to {max(errors):+.1%}){'  OFF' if is_off else ''}")
    expected = min(plans, key=lambda name: plans[name]["expected"])
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
        for program in options.programs:
            print(f"--- {program} on {options.mesh}, {options.engine}")
            if not options.machine:
                calibrate(options, ranks, machine)
            plans = compile_plans(options, machine, program, folder)
            for number in range(options.rounds):
                print(f"round {number + 1} of {options.rounds}", end="\r", file=sys.stderr)
                if number and not options.machine:
                    calibrate(options, ranks, machine)
                if number:
                    predict_again(options, machine, program, folder, plans)
                for plan in plans.values():
                    run_round(options, ranks, plan)
            if not plans:
                sys.exit(f"{program}: no strategy fits it")
            misses += judge(plans)
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
