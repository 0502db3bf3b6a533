#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs models and operator cases on simulated devices with many seeds: orders of streams, of warps, of sums, and errors of
approximate instructions.

    device-programs.py [--seeds N] [--first-seed N] [--jobs N] [--only REGEX] [--models DIR]... [--operators DIR]...

A model is a folder with step.mlir, inputs/, expected/, meta.json and maybe shardings.json. It runs as it is, in each of its
cases, and data-parallel on 2, 4 and 8 ranks where its text names no mesh. A run passes if its results are within the tolerances of
meta.json and the devices reported nothing. With an odd seed, approximate instructions are wrong by what is documented. What
devices do not support is counted as refused. Default: the examples and the operator cases of the repository.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("DMC_BIN") or ROOT / "build/bin").absolute()
TARGET = "--target=cuda:sm_90a"
RANKS = (2, 4, 8)

Program = collections.namedtuple("Program", "name folder options")


def run(command, variables=None, timeout=600):
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=timeout,
                              env=os.environ | (variables or {}))
    except subprocess.TimeoutExpired:
        return -1, f"did not end within {timeout} s"
    return done.returncode, done.stdout + done.stderr


def data_parallel(folder):
    """The strategy; what it cannot tell of a program that returns no loss, meta.json says."""
    meta = json.loads((folder / "meta.json").read_text())
    if any(not result["shape"] and result["role"] == "output" for result in meta["results"]):
        return "data_parallel"
    names = lambda *roles: ",".join(a["name"] for a in meta["arguments"] if a["role"] in roles)
    return f"data_parallel:batch={names('batch', 'state')},parameters={names('param')}"


def programs_of(folder):
    """A model as it is, its cases, and data-parallel."""
    name = folder.name
    yield Program(name, folder, ())
    shardings = folder / "shardings.json"
    if shardings.exists():
        for case in json.loads(shardings.read_text()):
            yield Program(f"{name} {case}", folder, (f"--layouts={shardings}", f"--case={case}"))
    if "sdy.mesh" not in (folder / "step.mlir").read_text():
        for ranks in RANKS:
            yield Program(f"{name} on {ranks}", folder, (f"--mesh=data={ranks}", f"--strategy={data_parallel(folder)}"))


def variables_of(seed, report):
    return {"DMC_SIMULATED_SEED": str(seed), "DMC_SIMULATED_REPORT": str(report), "DMC_SIMULATED_APPROXIMATE": str(seed % 2),
            "DMC_POISON": "1"}


def last_lines(text):
    return "\n".join("  " + line for line in text.strip().splitlines()[-5:])


class Tally:
    def __init__(self):
        self.passed = self.failed = self.refused = self.reports = 0

    def fail(self, what, why):
        self.failed += 1
        print("\n".join(filter(None, [f"FAILED {what}", last_lines(why)])), flush=True)

    def add(self, what, report, is_good, why):
        """One run: good results are not enough if the devices reported something."""
        lines = report.read_text().splitlines() if report.exists() else []
        report.unlink(missing_ok=True)
        self.reports += len(lines)
        if is_good and not lines:
            self.passed += 1
        else:
            self.fail(what, "\n".join(lines[:5]) or why)


def run_program(program, seeds, work, tally):
    """Compiled once, run with each seed."""
    file = work / (re.sub(r"\W+", "-", program.name) + ".so")
    begin = time.monotonic()
    code, text = run([BIN / "dmc-compile", program.folder / "step.mlir", TARGET, *program.options, "-o", file])
    if code:
        tally.fail(program.name, text)
        return
    for seed in seeds:
        report = file.with_suffix(f".{seed}")
        code, text = run([BIN / "dmc-run", file, "--device=simulated", "--input-dir", program.folder / "inputs", "--expect-dir",
                          program.folder / "expected", "--meta", program.folder / "meta.json"], variables_of(seed, report))
        tally.add(f"{program.name}, seed {seed}", report, code == 0 and "check passed" in text, text)
    file.unlink()
    print(f"{program.name}: {time.monotonic() - begin:.1f} s", flush=True)


def run_operators(folder, seed, work, tally, only, jobs):
    report = work / f"operators.{seed}"
    _, text = run([BIN / "dmc-test", folder, "--compiled", TARGET, "--device=simulated", f"--jobs={jobs}", f"--filter={only}"],
                  variables_of(seed, report), timeout=3600)
    found = re.findall(r"^(\d+) passed, (\d+) failed", text, re.M)
    if not found:
        tally.fail(f"{folder}, seed {seed}", text)
        return
    failures = re.findall(r"^FAILED (.*)$", text, re.M)
    refused = [line for line in failures if "unsupported on devices" in line]
    tally.passed += int(found[-1][0])
    tally.refused += len(refused)
    for line in failures:
        if line not in refused:
            tally.fail(f"{line}, seed {seed}", "")
    if int(found[-1][1]) != len(failures):
        tally.fail(f"{folder}, seed {seed}", text)
    lines = report.read_text().splitlines() if report.exists() else []
    if lines:
        tally.reports += len(lines)
        tally.fail(f"reports of {folder}, seed {seed}", "\n".join(lines))
    print(f"{folder}, seed {seed}: {found[-1][0]} passed, {len(refused)} refused", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("DMC_JOBS") or os.cpu_count()))
    parser.add_argument("--only", default="", help="names of models with their case, and of operator cases")
    parser.add_argument("--models", type=pathlib.Path, action="append", help="a folder of models")
    parser.add_argument("--operators", type=pathlib.Path, action="append", help="a folder of cases, as dmc-test takes it")
    arguments = parser.parse_args()
    if arguments.seeds < 1 or arguments.jobs < 1:
        parser.error("--seeds and --jobs expect positive numbers")
    if arguments.models is None and arguments.operators is None:
        arguments.models, arguments.operators = [ROOT / "examples"], [ROOT / "test/Conformance/Cases"]
    for folder in [*(arguments.models or []), *(arguments.operators or [])]:
        if not folder.is_dir():
            parser.error(f"{folder}: is not a directory")
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    tally = Tally()
    folders = [model for folder in arguments.models or [] for model in sorted(folder.iterdir()) if (model / "inputs").is_dir()]
    programs = [p for folder in folders for p in programs_of(folder) if re.search(arguments.only, p.name)]
    # The largest come last: a run that is cut short has seen most programs.
    programs.sort(key=lambda p: (p.folder / "step.mlir").stat().st_size)
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        work = pathlib.Path(work)
        for folder in arguments.operators or []:
            for seed in seeds:
                run_operators(folder, seed, work, tally, arguments.only, arguments.jobs)
        list(pool.map(lambda program: run_program(program, seeds, work, tally), programs))
    print(f"devices: {len(programs)} programs, {len(seeds)} seeds from {arguments.first_seed}, {tally.reports} reports, "
          f"{tally.refused} refused")
    print(f"devices: {tally.passed} passed, {tally.failed} failed")
    sys.exit(bool(tally.failed or not tally.passed))


main()
