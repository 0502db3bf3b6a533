# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives of programs of ranks: the processes of each group by the specification's rules, their
arrays combined by numpy. Values are small integers, so that sums are exact in any order."""
import numpy as np

from cases import BITS, Group, VALUE
from movement import array
from reduction import body_of
from tensors import Tensor, is_float, make, small


def process_groups(kind, groups, replicas, partitions):
    """Lists of processes; process = replica * partitions + partition."""
    everyone = []
    for group in groups:
        if kind == "cross_replica":
            everyone += [[r * partitions + p for r in group] for p in range(partitions)]
        elif kind == "cross_partition":
            everyone += [[r * partitions + p for p in group] for r in range(replicas)]
        elif kind == "cross_replica_and_partition":
            everyone.append([r * partitions + p for p in range(partitions) for r in group])
        else:
            everyone.append(list(group))
    return everyone


def dense(groups):
    width = max(map(len, groups))
    rows = [list(g) + [-1] * (width - len(g)) for g in groups]
    return f"dense<{rows}> : tensor<{len(rows)}x{width}xi64>"


def channel(kind, with_flag=True):
    """How an operation says which processes its groups are of."""
    if kind == "cross_replica":
        return ""
    text = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
    return text + (", use_global_device_ids" if kind == "flattened_ids" and with_flag else "")


def text(op, attributes, region, before, after):
    body = f" {region}" if region else ""
    return f'%r0 = "stablehlo.{op}"(%a0) <{{{attributes}}}>{body} : ({before.mlir}) -> {after.mlir}'


GRIDS = [
    ("2x1", 2, 1, "cross_replica", [[0, 1]]),
    ("4x1_reordered", 4, 1, "cross_replica", [[2, 0], [1, 3]]),
    ("3x1", 3, 1, "cross_replica", [[0, 1, 2]]),
    ("2x2_replicas", 2, 2, "cross_replica", [[1, 0]]),
    ("2x2_both", 2, 2, "cross_replica_and_partition", [[0, 1]]),
    ("2x2_flattened", 2, 2, "flattened_ids", [[0, 3], [2, 1]]),
    ("1x4_flattened", 1, 4, "flattened_ids", [[3, 1, 2, 0]]),
    ("2x4_strided", 2, 4, "flattened_ids", [[0, 2, 4, 6], [1, 3, 5, 7]]),
]
# Of operations that name partitions where a channel is given.
PARTITIONS = [
    ("2x1", 2, 1, "cross_replica", [[0, 1]]),
    ("4x1_reordered", 4, 1, "cross_replica", [[2, 0], [1, 3]]),
    ("1x4", 1, 4, "cross_partition", [[0, 1], [3, 2]]),
    ("2x2", 2, 2, "cross_partition", [[0, 1]]),
    ("4x2", 4, 2, "cross_replica", [[0, 2], [3, 1]]),
]
TYPES = ["f32", "i8", "bf16", "ui32", "i64", "f64", "f16", "ui16"]


def groups():
    group = Group("collectives", "numpy on the arrays of each process group")

    def arguments_of(n, t, shape):
        return [small(t, shape, 10 + rank) for rank in range(n)]

    def add(name, op, replicas, partitions, xs, results, body, tolerance=BITS):
        group.add_ranks(name, op, replicas, partitions, [[x] for x in xs], body, [[r] for r in results], tolerance)

    for i, (name, replicas, partitions, kind, ids) in enumerate(GRIDS):
        n, t = replicas * partitions, TYPES[i]
        members = {p: g for g in process_groups(kind, ids, replicas, partitions) for p in g}
        attributes = f"replica_groups = {dense(ids)}" + channel(kind)
        xs = arguments_of(n, t, (2, 3))
        dim = i % 2
        results = [Tensor(t, np.concatenate([xs[q].data for q in members[p]], dim)) for p in range(n)]
        add(f"all_gather_{name}", "all_gather", replicas, partitions, xs, results, text("all_gather", f"all_gather_dim = {dim} : i64, " + attributes, "", xs[0], results[0]))
        xs = arguments_of(n, t, (3,))
        results = [Tensor(t, sum(xs[q].data.astype(np.float64) if is_float(t) else xs[q].data.astype(object) for q in members[p])) for p in range(n)]
        add(f"all_reduce_{name}", "all_reduce", replicas, partitions, xs, results, text("all_reduce", attributes, body_of("add", t), xs[0], results[0]), VALUE)
        size = len(members[0])
        xs = arguments_of(n, t, (2, 2 * size))
        results = []
        for p in range(n):
            total = sum(xs[q].data.astype(np.float64) if is_float(t) else xs[q].data.astype(object) for q in members[p])
            results.append(Tensor(t, np.split(total, size, 1)[members[p].index(p)]))
        add(f"reduce_scatter_{name}", "reduce_scatter", replicas, partitions, xs, results,
            text("reduce_scatter", "scatter_dimension = 1 : i64, " + attributes, body_of("add", t), xs[0], results[0]), VALUE)
    for op, function in {"maximum": np.maximum, "minimum": np.minimum, "multiply": np.multiply, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}.items():
        t = "i16" if op in ("and", "or", "xor") else "f32"
        xs = arguments_of(4, t, (4,))
        result = xs[0].data
        for x in xs[1:]:
            result = function(result, x.data)
        add(f"all_reduce_{op}", "all_reduce", 4, 1, xs, [Tensor(t, result)] * 4, text("all_reduce", f"replica_groups = {dense([[0, 1, 2, 3]])}", body_of(op, t), xs[0], xs[0]), VALUE)
    xs = arguments_of(3, "i1", (5,))
    add("all_reduce_or_i1", "all_reduce", 3, 1, xs, [Tensor("i1", xs[0].data | xs[1].data | xs[2].data)] * 3, text("all_reduce", f"replica_groups = {dense([[0, 1, 2]])}", body_of("or", "i1"), xs[0], xs[0]))
    xs = arguments_of(5, "i32", (2,))
    results = [Tensor("i32", sum(xs[q].data for q in g)) for p in range(5) for g in ([0, 3, 4], [1, 2]) if p in g]
    add("all_reduce_groups_of_two_sizes", "all_reduce", 5, 1, xs, results, text("all_reduce", f"replica_groups = {dense([[0, 3, 4], [1, 2]])}", body_of("add", "i32"), xs[0], xs[0]))
    xs = arguments_of(2, "f32", ())
    add("all_reduce_scalar", "all_reduce", 2, 1, xs, [Tensor("f32", xs[0].data + xs[1].data)] * 2, text("all_reduce", f"replica_groups = {dense([[0, 1]])}", body_of("add", "f32"), xs[0], xs[0]), VALUE)
    xs = arguments_of(2, "f32", (0, 2))
    add("all_reduce_empty", "all_reduce", 2, 1, xs, xs, text("all_reduce", f"replica_groups = {dense([[0, 1]])}", body_of("add", "f32"), xs[0], xs[0]))
    # NaN, infinities and zeros pass a maximum as they do an elementwise one.
    xs = [make("f32", v) for v in ([1, np.nan, -0.0, np.inf], [2, 1, 0.0, -np.inf])]
    add("all_reduce_maximum_special", "all_reduce", 2, 1, xs, [make("f32", [2, np.nan, 0.0, np.inf])] * 2, text("all_reduce", f"replica_groups = {dense([[0, 1]])}", body_of("maximum", "f32"), xs[0], xs[0]))

    for i, (name, replicas, partitions, kind, ids) in enumerate(PARTITIONS):
        n, t = replicas * partitions, TYPES[-1 - i]
        members = {p: g for g in process_groups(kind, ids, replicas, partitions) for p in g}
        size = len(members[0])
        xs = arguments_of(n, t, (2, 2 * size))
        results = []
        for p in range(n):
            parts = [np.split(xs[q].data, size, 1)[members[p].index(p)] for q in members[p]]
            results.append(Tensor(t, np.concatenate(parts, 0)))
        add(f"all_to_all_{name}", "all_to_all", replicas, partitions, xs, results,
            text("all_to_all", f"split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = {size} : i64, replica_groups = {dense(ids)}" + channel(kind), "", xs[0], results[0]))
        xs = arguments_of(n, t, (3,))
        results = [xs[members[p][0]] for p in range(n)]
        add(f"collective_broadcast_{name}", "collective_broadcast", replicas, partitions, xs, results,
            text("collective_broadcast", f"replica_groups = {dense(ids)}" + channel(kind), "", xs[0], results[0]))
        pairs = [[g[k], g[(k + 1) % len(g)]] for g in ids for k in range(len(g))][:-1]  # one receives nothing: zeros
        sources = {}
        for source, target in pairs:
            for g in process_groups(kind, [[source, target]], replicas, partitions):
                sources[g[1]] = g[0]
        results = [xs[sources[p]] if p in sources else Tensor(t, np.zeros_like(xs[p].data)) for p in range(n)]
        add(f"collective_permute_{name}", "collective_permute", replicas, partitions, xs, results,
            text("collective_permute", f"source_target_pairs = {dense(pairs)}" + channel(kind), "", xs[0], results[0]))
    # Processes in no group of a broadcast get zeros.
    xs = arguments_of(4, "i32", (2,))
    add("collective_broadcast_some", "collective_broadcast", 4, 1, xs, [Tensor("i32", xs[0].data * 0), xs[2], xs[2], Tensor("i32", xs[0].data * 0)],
        text("collective_broadcast", f"replica_groups = {dense([[2, 1]])}", "", xs[0], xs[0]))
    for replicas, partitions in [(4, 1), (1, 4), (2, 3)]:
        results = [[make("ui32", p // partitions), make("ui32", p % partitions)] for p in range(replicas * partitions)]
        group.add_ranks(f"replica_id_partition_id_{replicas}x{partitions}", "replica_id", replicas, partitions, [[] for _ in results],
                        "%r0 = stablehlo.replica_id : tensor<ui32>\n%r1 = stablehlo.partition_id : tensor<ui32>", results)
    return [group]
