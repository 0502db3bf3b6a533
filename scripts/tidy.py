#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy (.clang-tidy) on sources: those that changed, all, or those given.

Changed is what `git diff` finds between a commit and the working tree: HEAD~1, the previous
commit of main, or the one that DMC_CHANGED_SINCE names. A changed header counts as the
sources that include it directly. Needs the compile commands and generated headers of a built
tree (build/). Prints `clang-tidy: N passed, N failed, N skipped`.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else None


def changed_sources(sources):
    """The sources of `sources` that changed, or whose own headers did; None without history."""
    since = os.environ.get("DMC_CHANGED_SINCE") or "HEAD~1"
    changed = git("diff", "--name-only", "--diff-filter=d", since)
    if changed is None:
        return None, since
    headers = {name.removeprefix("include/") for name in changed if name.endswith(".h")}
    found = set()
    for source in sources:
        if source in changed:
            found.add(source)
        elif headers:
            text = (ROOT / source).read_text()
            folder = str(pathlib.Path(source).parent)
            for include in re.findall(r'^#include "([^"]+)"', text, re.M):
                if include in headers or f"{folder}/{include}" in headers:
                    found.add(source)
    return sorted(found), since


def split_unity(entries):
    """The compile commands with one for each source that a unity build compiles among others."""
    for entry in entries:
        path = pathlib.Path(entry["file"])
        if path.parent.name != "Unity":
            yield entry
            continue
        for source in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
            yield {**entry, "file": source, "command": entry["command"].replace(str(path), source)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="all sources")
    parser.add_argument("--build", default="build", help="the built tree (build)")
    parser.add_argument("--limit", type=int, default=20,
                        help="check this many changed sources at most (20), chosen by the commit's hash; the others are skipped")
    parser.add_argument("sources", nargs="*", help="these sources")
    args = parser.parse_args()

    database = ROOT / args.build / "compile_commands.json"
    if not database.exists():
        sys.exit(f"tidy: no {database}: build first")
    entries = list(split_unity(json.loads(database.read_text())))
    known = set()
    for entry in entries:
        path = pathlib.Path(entry["file"])
        # Generated sources lie in the built tree.
        if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / args.build):
            known.add(str(path.relative_to(ROOT)))
    skipped = []
    if args.sources:
        chosen = args.sources
    elif args.all:
        chosen = sorted(known)
    else:
        chosen, since = changed_sources(sorted(known))
        if chosen is None:
            print(f"clang-tidy: skipped: no commit {since} to compare with (a checkout without history)")
            return 0
        print(f"tidy: {len(chosen)} sources changed since {since}")
        if len(chosen) > args.limit:
            commit = (git("rev-parse", "HEAD") or [""])[0]
            chosen.sort(key=lambda name: hashlib.sha256((commit + name).encode()).hexdigest())
            chosen, skipped = sorted(chosen[: args.limit]), sorted(chosen[args.limit :])

    tidy = subprocess.run([ROOT / "scripts/checks/find-tool.sh", "clang-tidy"], capture_output=True, text=True, check=True).stdout.strip()

    scratch = tempfile.TemporaryDirectory()
    (pathlib.Path(scratch.name) / "compile_commands.json").write_text(json.dumps(entries))

    def check(source):
        return subprocess.run([tidy, "--quiet", "-p", scratch.name, source], cwd=ROOT, capture_output=True, text=True)

    failed = 0
    with scratch, concurrent.futures.ThreadPoolExecutor(int(os.environ.get("DMC_JOBS") or os.cpu_count() or 1)) as pool:
        for source, done in zip(chosen, pool.map(check, chosen)):
            if done.returncode:
                failed += 1
                print(f"FAILED {source}\n{done.stdout}{done.stderr}", flush=True)
    for source in skipped:
        print(f"tidy: skipped {source}: more than {args.limit} sources changed (scripts/tidy.py --all checks all)")
    print(f"clang-tidy: {len(chosen) - failed} passed, {failed} failed, {len(skipped)} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
