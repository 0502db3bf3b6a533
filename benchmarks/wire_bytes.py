#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes sent, compute and memory of each model's sharding cases, beside XLA's and Shardy's: the table of docs/movement.md.

    wire_bytes.py [MODEL...] [--flags=OPTIONS] [--check | --update] [--bin build/bin]

Models are examples/mlp, examples/gpt and the folders of benchmarks/models; default: all, some minutes. The peers' figures are those of
benchmarks/peers.json (benchmarks/README.md says how they were measured). --flags are further options of dmc-compile, --check compares
the rows with those of the page (exit code 1 if one differs), and --update writes them into it.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import textbook
from cases import ROOT, cases_of, folder_of, meta_of, program_text

PAGE = ROOT / "docs/movement.md"
HEAD = ("| case | dmc, bytes | XLA | Shardy | ratio to the better | textbook | work | memory |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n")


def compile_case(tools, model, case, flags, work):
    """The report of dmc-compile."""
    program = work / f"{model}.mlir"
    if not program.exists():
        program.write_text(program_text(model))
    command = [f"{tools}/dmc-compile", program, f"--layouts={folder_of(model)}/shardings.json", f"--case={case}", "-o", work / "p.so",
               "--report", work / "report.json", *flags]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{model} {case}: {done.stderr}")
    return json.loads((work / "report.json").read_text())


def row_of(name, model, case, peer, report, meta, entry):
    """A line of the table, and the ratio to the better peer."""
    sent = sum(c["wire_bytes"] for c in report["collectives"])
    best = min(peer["xla_bytes"], peer["shardy_bytes"] if peer["shardy_bytes"] is not None else math.inf)
    expected = textbook.textbook(model, case, meta, entry)
    shardy = "does not convert" if peer["shardy_bytes"] is None else f"{peer['shardy_bytes']:,}"
    work = "-" if peer["xla_work"] is None else f"{report['flops'] / meta['contraction_flops'] / peer['xla_work']:.2f}"
    arithmetic = "-" if expected is None else f"{expected:,.0f}"
    return (f"| {name} | {sent:,.0f} | {peer['xla_bytes']:,} | {shardy} | {sent / best:.3f} | {arithmetic} | {work} | "
            f"{report['memory']['peak'] / peer['xla_memory']:.2f} |"), sent / best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--flags", default="")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--bin", default=str(ROOT / "build/bin"))
    args = parser.parse_args()
    peers = json.loads((ROOT / "benchmarks/peers.json").read_text())
    if unknown := set(args.models) - peers.keys():
        sys.exit(f"error: expected models of {', '.join(peers)}, found {', '.join(sorted(unknown))}")
    rows, ratios, wrong = {}, [], 0
    page = PAGE.read_text()
    print(HEAD, end="")
    with tempfile.TemporaryDirectory() as work:
        for model in args.models or peers:
            meta, cases = meta_of(model), cases_of(model)
            for case, peer in peers[model].items():
                report = compile_case(args.bin, model, case, args.flags.split(), pathlib.Path(work))
                name = f"{model} {case}" + (f", {args.flags}" if args.flags else "")
                row, ratio = row_of(name, model, case, peer, report, meta, cases[case])
                print(row, flush=True)
                rows[name] = row
                ratios.append(ratio)
                if args.check and row not in page:
                    found = re.search(rf"^\| {re.escape(name)} \|.*$", page, flags=re.M)
                    print(f"the page says: {found.group() if found else 'nothing'}")
                    wrong += 1
    print(f"geometric mean of the ratios: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}, "
          f"largest {max(ratios):.3f}, {len(ratios)} cases" + (f", {wrong} differ from the page" if args.check else ""))
    if args.update:
        for name, row in rows.items():
            page = re.sub(rf"^\| {re.escape(name)} \|.*$", lambda _: row, page, flags=re.M)
        PAGE.write_text(page)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
