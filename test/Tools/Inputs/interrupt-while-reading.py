# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command with a file as its standard input, and interrupts it while it reads.

A pipe holds less than the file: once the first half is written, the command reads, so its
handlers of signals are there however slowly it started.
"""

import fcntl
import signal
import subprocess
import sys

with open(sys.argv[1], "rb") as file:
    text = file.read()
process = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE)
half = len(text) // 2
assert half > fcntl.fcntl(process.stdin, fcntl.F_GETPIPE_SZ)
process.stdin.write(text[:half])
process.stdin.flush()
process.send_signal(signal.SIGINT)
process.stdin.write(text[half:])
process.stdin.close()
sys.exit(process.wait())
