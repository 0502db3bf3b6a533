#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each case's textbook plan sends, by arithmetic.

    textbook_bytes.py MODELS_FOLDER [--bin build/bin]

The plan that the layouts at the boundary name, as people draw it: every parameter's gradient is summed once over the axes that
split the batch (all-reduce; reduce-scatter and all-gather where the parameter or its state is split over them), activations
are summed once behind every pair of column- and row-split products and once in front of it on the way back. Nothing else moves.
It is not a lower bound: a plan that moves activations instead of gradients can send less. Bytes of a ring: (p-1)/p of the tensor for
an all-gather, a reduce-scatter or an all-to-all, twice that for an all-reduce. A model without rule is left out.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("models")
parser.add_argument("--bin", default="build/bin")
args = parser.parse_args()


def ring(size, shards):
    return size * (shards - 1) / shards


def activations(model, cfg, local):
    """Bytes that tensor parallelism all-reduces where the batch is split into `local` shards."""
    width = 4 * cfg.get("width", 0)
    if model in ("gpt", "bert", "t32", "gpt_scan"):
        # Twice a layer forward (behind attention and feed-forward), twice back.
        return 4 * cfg["layers"] * cfg["batch"] // local * cfg["seq"] * width
    if model == "gpt_bf16":
        return 4 * cfg["layers"] * cfg["batch"] // local * cfg["seq"] * width // 2
    if model == "gpt_decode":
        return 2 * cfg["layers"] * cfg["batch"] // local * width
    if model == "mlp":
        # Behind dense1 and dense3; back in front of dense2 (the input needs no gradient).
        widths = cfg["widths"]
        return 4 * cfg["batch"] // local * (widths[2] + widths[4] + widths[2])
    if model == "candle_uno":
        # Five towers and the trunk, four layers each: forward behind layers 1 and 3, back in front of layer 2,
        # of the trunk also in front of layer 0 (the towers' outputs).
        joined = 5 * cfg["width"] + 2
        rows = 4 * cfg["batch"] // local
        return rows * (5 * 3 * cfg["width"] + 3 * cfg["width"] + joined)
    if model == "dlrm":
        # A lookup in rows that are split is a sum; its gradient is added where the rows are.
        return 4 * cfg["batch"] // local * 4 * cfg["width"]
    sys.exit(f"no rule for the activations of {model}")


def textbook(model, case, meta, entry):
    """Bytes, or None where no textbook has the plan."""
    mesh = dict(entry["mesh"])
    cfg = meta["config"]
    values = list(zip(meta["arguments"], entry["arguments"]))
    batch = {a for argument, axes in values if argument["role"] == "batch" and axes for a in axes[0]}
    local = math.prod(mesh[a] for a in batch)
    if "seq" in mesh or "space" in mesh or (model, case) in {("dlrm", "tpcol8"), ("dlrm", "dp8_rows8"), ("moe", "ep4")}:
        return None
    sent = 0
    if model != "gpt_decode" and batch:
        sent += 2 * ring(4, local)  # the loss
        for argument, axes in values:
            if argument["role"] != "param":
                continue
            own = {a for dim in axes for a in dim}
            # Experts stay where they are, tokens travel: their gradients are summed over the other axes.
            stays = own & {"expert"}
            size = 4 * math.prod(argument["shape"]) / math.prod(mesh[a] for a in own - (batch - stays))
            # Reduce-scatter and all-gather send what an all-reduce does.
            sent += 2 * ring(size, local // math.prod(mesh[a] for a in stays))
    if model == "resnext":
        # Batch norms: two sums forward, two back, of a channel each.
        channels = sum(math.prod(a["shape"]) for a, _ in values if a["role"] == "param" and a["name"].endswith("scale"))
        sent += 4 * 2 * ring(4 * channels, local)
    if "expert" in mesh:
        # Tokens go to their experts and come back, forward and back: four all-to-alls.
        slots = cfg["experts"] * cfg["groups"] // local * cfg["capacity"]
        sent += 4 * ring(4 * slots * cfg["width"], mesh["expert"])
    for axis in set(mesh) - batch - {"expert"}:
        sent += 2 * ring(activations(model, cfg, local), mesh[axis])
    return sent


def sends(path):
    with tempfile.TemporaryDirectory() as work:
        report = os.path.join(work, "r.json")
        done = subprocess.run([f"{args.bin}/dmc-compile", path, "-o", f"{work}/p.so", "--report", report],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return sum(c["wire_bytes"] for c in json.load(open(report))["collectives"])


print(f"{'case':28}{'textbook':>12}{'dmc':>12}{'ratio':>8}")
for model in sorted(os.listdir(args.models)):
    folder = os.path.join(args.models, model)
    if not os.path.exists(f"{folder}/shardings.json"):
        continue
    meta = json.load(open(f"{folder}/meta.json"))
    for case, entry in json.load(open(f"{folder}/shardings.json")).items():
        path = next(p for p in (f"{folder}/step.{case}.mlir", f"{folder}/{model}.{case}.mlir") if os.path.exists(p))
        want = textbook(model, case, meta, entry)
        ours = sends(path)
        if want is None:
            print(f"{model + ' ' + case:28}{'-':>12}{ours:12,.0f}", flush=True)
        else:
            print(f"{model + ' ' + case:28}{want:12,.0f}{ours:12,.0f}{ours / want if want else 0:8.3f}", flush=True)
