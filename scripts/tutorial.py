#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of docs/tutorial.md and compares what they print.

    tutorial.py [--update]    from the root of a checkout, the tools on PATH

A block that starts with ```console holds one command after `$ ` and its output.
With --update the outputs are rewritten.
"""
import pathlib
import re
import subprocess
import sys

page = pathlib.Path("docs/tutorial.md")
text = page.read_text()
wrong = 0


def run(match):
    global wrong
    command, want = match.group(1), match.group(2)
    done = subprocess.run(["bash", "-c", command.replace("\\\n", " ")], capture_output=True, text=True)
    got = done.stdout + done.stderr
    if got.strip() != want.strip():
        wrong += 1
        if "--update" not in sys.argv:
            print(f"$ {command}\n--- the page says\n{want}\n--- it prints\n{got}")
    return f"```console\n$ {command}\n{got.rstrip()}\n```"


updated, blocks = re.subn(r"```console\n\$ ((?:[^\n]*\\\n)*[^\n]*)\n(.*?)```", run, text, flags=re.S)
if "--update" in sys.argv:
    page.write_text(updated)
    print(f"{blocks} blocks, {wrong} changed")
    sys.exit(0)
print(f"{blocks} blocks, {wrong} wrong")
sys.exit(1 if wrong or not blocks else 0)
