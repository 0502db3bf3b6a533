# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs processes with the variables that a launcher gives them: launch.py torchrun|srun N COMMAND [+ COMMAND], the
second one for the last rank. Prints what each has said and how long they took; fails where one does."""
import os
import socket
import subprocess
import sys
import time

launcher, size, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
last = command
if "+" in command:
    at = command.index("+")
    command, last = command[:at], command[at + 1:]
with socket.socket() as free:
    free.bind(("", 0))
    port = str(free.getsockname()[1])


def variables(rank):
    if launcher == "srun":
        return {"SLURM_PROCID": str(rank), "SLURM_NTASKS": str(size), "SLURM_STEP_NODELIST": "localhost",
                "MASTER_PORT": port}
    return {"RANK": str(rank), "WORLD_SIZE": str(size), "MASTER_ADDR": "localhost", "MASTER_PORT": port}


begin = time.monotonic()
processes = [subprocess.Popen(last if rank == size - 1 else command, env={**os.environ, **variables(rank)},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for rank in range(size)]
codes = []
for process in processes:
    try:
        print(process.communicate(timeout=max(0.1, begin + 60 - time.monotonic()))[0], end="")
    except subprocess.TimeoutExpired:
        process.kill()
        print("did not end")
    codes.append(process.returncode)
print("exit codes:", *codes)
sys.exit(any(codes))
