# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the totals of dmc-explain with the report of dmc-compile for cases of an example."""
import json
import subprocess
import sys

tools, folder, cases = sys.argv[1], sys.argv[2], sys.argv[3:]
for case in cases:
    program = [f"{folder}/step.mlir", f"--layouts={folder}/shardings.json", f"--case={case}"]
    subprocess.run([f"{tools}/dmc-explain", *program, "--format=json", "-o", "explained.json"], check=True)
    subprocess.run([f"{tools}/dmc-compile", *program, "-o", "step.so", "--report", "report.json"], check=True)
    explained, report = json.load(open("explained.json")), json.load(open("report.json"))
    sums = {}
    for row in explained["collectives"]:
        total = sums.setdefault((row["kind"], *row["axes"]), [0, 0, 0])
        total[0] += row["count"]
        total[1] += row["count"] * row["operand_bytes"]
        total[2] += row["wire_bytes"]
        assert row["alternatives"] or row.get("rule"), row
    rows = {(row["kind"], *row["axes"]): [row["count"], row["bytes"], row["wire_bytes"]]
            for row in report["collectives"]}
    memory = [explained["memory"][key] - report["memory"][key] for key in ("arguments", "arena", "peak")]
    print(case, "equal" if sums == rows and not any(memory) else f"{sums} is not {rows}, memory {memory}")
