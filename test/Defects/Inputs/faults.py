# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults while a training step runs on two simulated devices: every rank ends, and the message says which rank failed where."""
import os
import re
import subprocess

HERE = r"rank 1 at collective 2 \(all_reduce over \{\"data\"\} at [^ ]*layers.py:58"
# What happens, the variables that make it happen, and the report.
DEFECTS = [
    ("a rank's call of NCCL fails, and its communicators", {"DMC_SIMULATED_NCCL_FAULT": "rank=1,operation=2,action=die"}, f"error: {HERE}"),
    ("a rank's call of NCCL is refused", {"DMC_SIMULATED_NCCL_FAULT": "rank=1,operation=2,action=refuse"}, f"error: {HERE}"),
    ("a rank never arrives at a collective", {"DMC_SIMULATED_NCCL_FAULT": "rank=1,operation=2,action=hang", "DMC_SIMULATED_NCCL_TIMEOUT": "1"},
     "nccl missing rank: all-reduce 2 of communicator 1"),
    ("a rank never arrives, and the watchdog sees it", {"DMC_SIMULATED_NCCL_FAULT": "rank=1,operation=2,action=hang", "DMC_WATCHDOG_SECONDS": "1"},
     "no progress for 1 s"),
    ("a rank fails", {"DMC_FAULT": "rank=1,collective=2,action=fail"}, f"error: {HERE.replace('rank 1 at', 'rank 1 failed at')}"),
    ("a rank stalls", {"DMC_FAULT": "rank=1,collective=2,action=stall", "DMC_WATCHDOG_SECONDS": "1"}, "rank 1 runs, last seen at collective 2"),
    ("a rank gets a corrupted payload", {"DMC_FAULT": "rank=1,collective=2,action=corrupt", "DMC_CHECK_COPIES": "1"}, "collective 2"),
    ("the device has no memory for a rank", {"DMC_SIMULATED_MEMORY": "65536"}, "not enough memory"),
]
LONGEST = 30  # seconds, far beyond the watchdog's


class Faults:
    def __init__(self, folder, step):
        self.program = folder / "step.so"
        subprocess.run(["dmc-compile", step, "--target=cuda:sm_90a", "--mesh=data=2", "--strategy=data_parallel", "-o", self.program],
                       capture_output=True, check=True)
        done = self.run({})
        self.wrong = done.stderr if done.returncode or done.stderr else None

    def run(self, variables):
        return subprocess.run(["dmc-run", self.program, "--device=simulated"], capture_output=True, text=True, timeout=LONGEST,
                              env=os.environ | variables)

    def check(self, variables, report):
        if self.wrong:
            return f"without the defect: {self.wrong}"
        done = self.run(variables)
        if "free in use" in done.stderr:
            return f"found what follows from the fault alone: {done.stderr}"
        return None if done.returncode == 1 and re.search(report, done.stderr) else f"expected {report}, found {done.stderr or 'nothing'}"
