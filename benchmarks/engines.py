# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts that measure dmc beside other engines share: child processes, the processor's features, ratios by round."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def features():
    """What of the processor decides absolute rates."""
    flags = next((line for line in open("/proc/cpuinfo") if line.startswith(("flags", "Features"))), "").split()
    known = [f for f in ("avx", "avx2", "fma", "avx512f", "avx512_bf16", "avx512_vnni", "amx_tile", "asimd", "sve") if f in flags]
    return f"{os.cpu_count()} processors with {' '.join(known) or 'no vectors known'}"


def measure(step, seconds, least=5):
    """Milliseconds: the median of steps for that long, after one that warms up."""
    def row():
        start = time.perf_counter()
        step()
        return 1e3 * (time.perf_counter() - start)
    step()
    return measure_rows(row, seconds, least)


def measure_rows(row, seconds, least=5):
    """The median of what `row` measures, for that long."""
    times, end = [], time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        times.append(row())
    return statistics.median(times)


def child(command, **environment):
    """Runs a process that prints one line of JSON, and exits with what it said if it fails. Freed memory stays mapped, which is
    faster for torch and XLA than their default: dmc's arena is mapped for good too."""
    settings = os.environ | {"JAX_PLATFORMS": "cpu", "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "100000000000",
                             "MALLOC_TOP_PAD_": "67108864"} | environment
    command = [str(c) for c in command]
    done = subprocess.run(command, capture_output=True, text=True, env=settings)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: failed: {' '.join(command)}\n{(done.stderr or done.stdout)[-2000:]}")
    return json.loads(lines[-1])


def spread(ratios):
    """The median of the rounds, and the least and the largest."""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def largest_difference(want_folder, got_folder):
    """Of all results, each in units of its largest element; what is not a number counts as infinite."""
    import numpy as np
    worst = 0.0
    for file in sorted(pathlib.Path(want_folder).glob("*.npy")):
        want, got = (np.load(pathlib.Path(folder) / file.name).astype(np.float64) for folder in (want_folder, got_folder))
        error = np.abs(want - got).max(initial=0) / max(np.abs(want).max(initial=0), 1e-30)
        worst = max(worst, float(error) if np.isfinite(error) else float("inf"))
    return worst


def answer(what, folder, runs):
    """What a process that `child` has started prints: a measurement, by name, or how far dmc's results are from XLA's."""
    runs = dict(runs, compare=lambda: {"worst": largest_difference(folder + "/xla", folder + "/dmc")})
    print(json.dumps(runs[what]()))
