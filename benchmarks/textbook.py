# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each case's textbook plan sends, by arithmetic.

The plan that the layouts at the boundary name, as papers draw it: every parameter's gradient is reduced once over the axes that
split the batch (all-reduce; reduce-scatter and all-gather where the parameter or its state is split over them), activations
are reduced once behind every pair of column- and row-split matrix multiplications and once in front of it in the backward pass.
Nothing else moves. It is not a lower bound: a plan that moves activations instead of gradients can send less. Bytes of a ring: (p-1)/p of
the tensor for an all-gather, a reduce-scatter or an all-to-all, twice that for an all-reduce.
"""
import math
import sys


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
