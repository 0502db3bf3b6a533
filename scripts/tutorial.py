#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of documentation pages and compares what they print.

    tutorial.py [--update] [PAGE...]    from the root of a checkout, the tools on PATH
                                        default: docs/tutorial.md and docs/explain.md

A block that starts with ```console holds one command after `$ ` and its output. Predicted
times may differ; --update rewrites the outputs.
"""
import pathlib
import re
import subprocess
import sys

BLOCK = r"```console\n\$ ((?:[^\n]*\\\n)*[^\n]*)\n(.*?)```"
is_update = "--update" in sys.argv
pages = [a for a in sys.argv[1:] if a != "--update"] or ["docs/tutorial.md", "docs/explain.md"]


def stable(text):
    """An output without its times, and without the line breaks that depend on their digits."""
    return " ".join(re.sub(r"\b[0-9.]+ (ns|us|ms)\b", "T", " ".join(text.split())).split())


def check(page):
    """Runs the page's commands; the number of blocks and of those whose output differs."""
    wrong = 0

    def run(match):
        nonlocal wrong
        command, want = match.group(1), match.group(2)
        done = subprocess.run(["bash", "-c", command.replace("\\\n", " ")], capture_output=True, text=True)
        got = done.stdout + done.stderr
        if (stable(got) != stable(want)) if "dmc-explain" in command else (got.strip() != want.strip()):
            wrong += 1
            if not is_update:
                print(f"$ {command}\n--- the page says\n{want}\n--- it prints\n{got}")
        return f"```console\n$ {command}\n{got.rstrip()}\n```"

    text = pathlib.Path(page).read_text()
    updated, blocks = re.subn(BLOCK, run, text, flags=re.S)
    if is_update:
        pathlib.Path(page).write_text(updated)
    print(f"{page}: {blocks} blocks, {wrong} {'changed' if is_update else 'wrong'}")
    return blocks == 0 or (wrong > 0 and not is_update)


sys.exit(any([check(page) for page in pages]))
