# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of tensors and convolutions, on small integers, so that every order of the sums gives
the same bits: numpy's einsum for products, a loop over all windows for convolutions."""
import numpy as np

from cases import Group, VALUE, close
from movement import array, generic
from tensors import Tensor, is_float, make, real, round_to, small, wrap


def result_of(t, exact):
    """Of integers that float64 or int64 holds exactly; rounded or wrapped once at the end."""
    return Tensor(t, exact) if is_float(t) else Tensor(t, wrap(t, exact))


def exact(x):
    return x.data.astype(np.float64 if is_float(x.type) else np.int64)


def dot_general(a, b, t, batch, contract):
    letters = iter("abcdefghijklmnop")
    left, right = [None] * a.data.ndim, [None] * b.data.ndim
    out = []
    for pairs, kept in ((zip(*batch), True), (zip(*contract), False)):
        for i, j in pairs:
            left[i] = right[j] = next(letters)
            if kept:
                out.append(left[i])
    for side in (left, right):
        for d, letter in enumerate(side):
            if letter is None:
                side[d] = next(letters)
                out.append(side[d])
    return result_of(t, np.einsum(f"{''.join(left)},{''.join(right)}->{''.join(out)}", exact(a), exact(b)))


def products():
    group = Group("products", "numpy's einsum in float64 or int64 on small integers")
    listed = [
        ("matrices", "f32", "f32", (3, 4), (4, 2), ([], []), ([1], [0])), ("transposed", "f64", "f64", (4, 3), (2, 4), ([], []), ([0], [1])),
        ("bf16_to_f32", "bf16", "f32", (2, 5), (5, 3), ([], []), ([1], [0])), ("f16", "f16", "f16", (2, 3), (3, 2), ([], []), ([1], [0])),
        ("i8_to_i32", "i8", "i32", (2, 6), (6, 2), ([], []), ([1], [0])), ("ui8", "ui8", "ui8", (2, 7), (7, 2), ([], []), ([1], [0])),
        ("batch", "f32", "f32", (2, 3, 4), (2, 4, 5), ([0], [0]), ([2], [1])), ("batch_last", "i32", "i32", (3, 2, 2), (4, 3, 2), ([2], [2]), ([0], [1])),
        ("two_batches_swapped", "i64", "i64", (2, 3, 4), (3, 2, 4), ([0, 1], [1, 0]), ([2], [2])), ("two_contracted_swapped", "f32", "f32", (2, 3, 4), (4, 3, 5), ([], []), ([1, 2], [1, 0])),
        ("all_contracted", "bf16", "f32", (2, 3), (2, 3), ([], []), ([0, 1], [0, 1])), ("outer", "ui16", "ui16", (3,), (2,), ([], []), ([], [])),
        ("vectors", "f64", "f64", (5,), (5,), ([], []), ([0], [0])), ("matrix_vector", "i16", "i16", (3, 4), (4,), ([], []), ([1], [0])),
        ("empty_sum", "f32", "f32", (2, 0), (0, 3), ([], []), ([1], [0])), ("empty_result", "i32", "i32", (0, 3), (3, 2), ([], []), ([1], [0])),
        ("scalars", "f32", "f32", (), (), ([], []), ([], [])), ("three_free", "i8", "i8", (2, 2, 3), (3, 2, 2), ([], []), ([2], [0])),
    ]
    for name, t, to, left, right, batch, contract in listed:
        a, b = small(t, left, 1), small(t, right, 2)
        result = dot_general(a, b, to, batch, contract)
        numbers = (f"#stablehlo.dot<lhs_batching_dimensions = {batch[0]}, rhs_batching_dimensions = {batch[1]}, "
                   f"lhs_contracting_dimensions = {contract[0]}, rhs_contracting_dimensions = {contract[1]}>")
        attributes = f"dot_dimension_numbers = {numbers}, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]"
        group.add(f"dot_general_{name}", "dot_general", [a, b], generic("dot_general", "%a0, %a1", attributes, [a, b], [result]), [result], VALUE)
    for name, t, shape, contract in [("gram", "f32", (3, 4), ([1], [1])), ("square", "f64", (3, 3), ([1], [0])), ("square_of_integers", "i32", (3, 3), ([0], [1]))]:
        a = small(t, shape, 5)
        result = dot_general(a, a, t, ([], []), contract)
        group.add(f"dot_general_{name}", "dot_general", [a],
                  f"%r0 = stablehlo.dot_general %a0, %a0, contracting_dims = {contract[0]} x {contract[1]} : ({a.mlir}, {a.mlir}) -> {result.mlir}",
                  [result], VALUE)
    a, b = small("f32", (2, 3, 4), 3), small("f32", (2, 4, 5), 4)
    result = dot_general(a, b, "f32", ([0], [0]), ([2], [1]))
    group.add("dot_general_pretty", "dot_general", [a, b],
              f"%r0 = stablehlo.dot_general %a0, %a1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : ({a.mlir}, {b.mlir}) -> {result.mlir}",
              [result], VALUE)
    for t in ("f32", "f64"):
        # Sums of 40 products that are not exact: bounded by 40 units in the last place of the sum of magnitudes.
        x, y = np.random.default_rng(5).normal(size=(3, 40)), np.random.default_rng(6).normal(size=(40, 2))
        a, b = Tensor(t, x), Tensor(t, y)
        unit = 2.0 ** (-24 if t == "f32" else -53)
        bound = 40 * unit * float((np.abs(a.wide()) @ np.abs(b.wide())).max())
        group.add(f"dot_general_rounded_{t}", "dot_general", [a, b], f"%r0 = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0] : ({a.mlir}, {b.mlir}) -> tensor<3x2x{t}>",
                  [Tensor(t, a.wide() @ b.wide())], close(float(f"{bound:.3g}"), 0))
    for name, t, left, right in [("matrices", "f32", (2, 3), (3, 2)), ("vectors", "i32", (4,), (4,)), ("matrix_vector", "f64", (2, 3), (3,))]:
        a, b = small(t, left, 1), small(t, right, 2)
        result = result_of(t, np.dot(exact(a), exact(b)))
        group.add(f"dot_{name}", "dot", [a, b], f"%r0 = stablehlo.dot %a0, %a1 : ({a.mlir}, {b.mlir}) -> {result.mlir}", [result], VALUE)
    for name, t, left, right, config in [("chain", "f32", (2, 3), (3, 4), "ij,jk->ik"), ("batch", "i32", (2, 3, 2), (2, 2, 4), "bij,bjk->bki"),
                                         ("summed", "f64", (2, 3), (4,), "ij,k->jk")]:
        a, b = small(t, left, 1), small(t, right, 2)
        result = result_of(t, np.einsum(config, exact(a), exact(b)))
        group.add(f"einsum_{name}", "einsum", [a, b], generic("einsum", "%a0, %a1", f'einsum_config = "{config}"', [a, b], [result]), [result], VALUE)
    for name, t, shape, config in [("transpose", "bf16", (2, 3), "ij->ji"), ("sum", "i64", (2, 3, 2), "ijk->j")]:
        a = small(t, shape, 1)
        result = result_of(t, np.einsum(config, exact(a)))
        group.add(f"unary_einsum_{name}", "unary_einsum", [a], generic("unary_einsum", "%a0", f'einsum_config = "{config}"', [a], [result]), [result], VALUE)
    return group


def convolution(x, w, t, spec):
    """x as batch, feature, space; w as output feature, input feature, space."""
    rank = x.ndim - 2
    groups, batch_groups = spec["groups"], spec["batch_groups"]
    dilated = np.zeros(list(x.shape[:2]) + [max((n - 1) * d + 1, 0) if n else 0 for n, d in zip(x.shape[2:], spec["lhs_dilation"])], x.dtype)
    dilated[(slice(None),) * 2 + tuple(slice(None, None, d) for d in spec["lhs_dilation"])] = x
    shape = [n + lo + hi for n, (lo, hi) in zip(dilated.shape[2:], spec["padding"])]
    space = np.zeros(list(x.shape[:2]) + [max(n, 0) for n in shape], x.dtype)
    for at in np.ndindex(*dilated.shape[2:]):
        to = tuple(p + lo for p, (lo, _) in zip(at, spec["padding"]))
        if all(0 <= p < n for p, n in zip(to, shape)):
            space[(slice(None),) * 2 + to] = dilated[(slice(None),) * 2 + at]
    w = np.flip(w, [2 + d for d in range(rank) if spec["reversal"][d]])
    windows = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], spec["rhs_dilation"])]
    sizes = [(n - k) // s + 1 if n >= k else 0 for n, k, s in zip(shape, windows, spec["strides"])]
    batch, features = x.shape[0] // batch_groups, w.shape[0]
    result = np.zeros([batch, features] + sizes, x.dtype)
    for b, o, *at in np.ndindex(*result.shape):
        group = o // (features // groups)
        batch_group = o // (features // batch_groups)
        for i, *k in np.ndindex(*w.shape[1:]):
            where = tuple(p * s + q * d for p, s, q, d in zip(at, spec["strides"], k, spec["rhs_dilation"]))
            result[(b, o, *at)] += space[(batch_group * batch + b, group * w.shape[1] + i, *where)] * w[(o, i, *k)]
    return result_of(t, result)


def convolutions():
    group = Group("convolutions", "a loop over windows in float64 or int64 on small integers, by the specification's definition")
    listed = [
        ("plain", "f32", "f32", (1, 2, 5, 4), (3, 2, 2, 3), {}), ("one_dimension", "f64", "f64", (2, 2, 6), (2, 2, 3), {"strides": [2]}),
        ("three_dimensions", "f32", "f32", (1, 1, 3, 2, 3), (1, 1, 2, 2, 2), {}), ("no_dimensions", "f32", "f32", (2, 3), (4, 3), {}),
        ("strided_padded", "f32", "f32", (1, 1, 5, 5), (2, 1, 3, 3), {"strides": [2, 2], "padding": [(1, 1), (0, 2)]}),
        ("negative_padding", "i32", "i32", (1, 1, 6, 5), (1, 1, 2, 2), {"padding": [(-1, 0), (1, -2)]}),
        ("lhs_dilation", "f32", "f32", (1, 2, 3, 3), (2, 2, 2, 2), {"lhs_dilation": [2, 2], "padding": [(1, 1), (1, 1)]}),
        ("rhs_dilation", "bf16", "f32", (1, 1, 6, 6), (1, 1, 2, 2), {"rhs_dilation": [2, 3]}),
        ("both_dilations", "f64", "f64", (1, 1, 3, 4), (1, 1, 2, 2), {"lhs_dilation": [2, 3], "rhs_dilation": [2, 1], "padding": [(0, 1), (2, 0)]}),
        ("reversal", "f32", "f32", (1, 1, 4, 4), (1, 1, 2, 3), {"reversal": [True, False]}),
        ("groups", "f32", "f32", (1, 4, 4, 3), (4, 2, 2, 2), {"groups": 2}), ("depthwise", "f16", "f16", (1, 3, 3, 3), (3, 1, 2, 2), {"groups": 3}),
        ("depthwise_multiplier", "i16", "i16", (1, 2, 3, 3), (4, 1, 2, 2), {"groups": 2}), ("batch_groups", "f32", "f32", (4, 1, 3, 3), (2, 1, 2, 2), {"batch_groups": 2}),
        ("i8_to_i32", "i8", "i32", (1, 2, 4, 3), (2, 2, 2, 2), {}), ("ui8", "ui8", "ui8", (1, 1, 3, 3), (1, 1, 2, 2), {}),
        ("empty_batch", "f32", "f32", (0, 1, 3, 3), (1, 1, 2, 2), {}), ("window_too_large", "f32", "f32", (1, 1, 2, 2), (1, 1, 3, 3), {}),
        ("channels_last", "f32", "f32", (2, 2, 4, 3), (3, 2, 2, 2), {"layout": ("[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", (0, 2, 3, 1), (2, 3, 1, 0), (0, 2, 3, 1))}),
        ("permuted", "i64", "i64", (2, 2, 3, 4), (2, 2, 2, 2), {"layout": ("[0, b, f, 1]x[i, 1, o, 0]->[f, 1, b, 0]", (2, 0, 1, 3), (1, 3, 0, 2), (1, 3, 0, 2))}),
    ]
    for name, t, to, image, kernel, given in listed:
        rank = len(image) - 2
        spec = {"strides": [1] * rank, "padding": [(0, 0)] * rank, "lhs_dilation": [1] * rank, "rhs_dilation": [1] * rank, "reversal": [False] * rank, "groups": 1,
                "batch_groups": 1, **given}
        x, w = small(t, image, 1), small(t, kernel, 2)
        result = convolution(exact(x), exact(w), to, spec)
        space = ", ".join(map(str, range(rank)))
        tail = ", " + space if rank else ""
        text, orders = f"[b, f{tail}]x[o, i{tail}]->[b, f{tail}]", [range(rank + 2)] * 3
        if "layout" in spec:
            text, *orders = spec["layout"]
        x, w, result = (Tensor(v.type, np.transpose(v.data, order)) for v, order in zip((x, w, result), orders))
        padding = "dense<[" + ", ".join(f"[{a}, {b}]" for a, b in spec["padding"]) + f"]> : tensor<{rank}x2xi64>" if rank else "dense<> : tensor<0x2xi64>"
        flags = "array<i1" + (": " + ", ".join(str(r).lower() for r in spec["reversal"]) if rank else "") + ">"
        attributes = (f"window_strides = {array(spec['strides'])}, padding = {padding}, lhs_dilation = {array(spec['lhs_dilation'])}, rhs_dilation = {array(spec['rhs_dilation'])}, "
                      f"window_reversal = {flags}, dimension_numbers = #stablehlo.conv<{text}>, feature_group_count = {spec['groups']} : i64, "
                      f"batch_group_count = {spec['batch_groups']} : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]")
        group.add(f"convolution_{name}", "convolution", [x, w], generic("convolution", "%a0, %a1", attributes, [x, w], [result]), [result], VALUE)
    return group


def batch_norm(kind, t, shape, feature):
    axes = tuple(d for d in range(len(shape)) if d != feature)
    column = [-1 if d == feature else 1 for d in range(len(shape))]
    n = shape[feature]
    x, scale, epsilon = real(t, shape, 1), real(t, (n,), 2), float(np.float32(0.001))  # an attribute of f32
    wide, s = x.wide(), scale.wide().reshape(column)
    if kind == "inference":
        offset, mean, variance = real(t, (n,), 3), real(t, (n,), 4), Tensor(t, np.abs(real(t, (n,), 5).data) + 0.5)
        result = (wide - mean.wide().reshape(column)) / np.sqrt(variance.wide().reshape(column) + epsilon) * s + offset.wide().reshape(column)
        return [x, scale, offset, mean, variance], [Tensor(t, result)]
    mean, variance = wide.mean(axes), wide.var(axes)
    if kind == "training":
        offset = real(t, (n,), 3)
        result = (wide - mean.reshape(column)) / np.sqrt(variance.reshape(column) + epsilon) * s + offset.wide().reshape(column)
        return [x, scale, offset], [Tensor(t, result), Tensor(t, mean), Tensor(t, variance)]
    m, v, g = Tensor(t, mean), Tensor(t, variance), real(t, shape, 6)
    count = wide.size // n
    centered = wide - m.wide().reshape(column)
    inverse = 1 / np.sqrt(v.wide().reshape(column) + epsilon)
    gw = g.wide()
    total, weighted = gw.sum(axes, keepdims=True), (gw * centered).sum(axes, keepdims=True)
    grad = s * inverse / count * (count * gw - total - centered * inverse**2 * weighted)
    return [x, scale, m, v, g], [Tensor(t, grad), Tensor(t, (weighted * inverse).reshape(n)), Tensor(t, total.reshape(n))]


def normalizations():
    group = Group("normalizations", "numpy's mean and var in float64, by the specification's formulas")
    bounds = {"f16": close(0.02, 0.01), "bf16": close(0.1, 0.05), "f32": close(2e-5, 2e-5), "f64": close(1e-12, 1e-12)}
    for kind in ("inference", "training", "grad"):
        for t, shape, feature in [("f32", (2, 3, 2), 1), ("f64", (4, 2), 1), ("bf16", (3, 2, 2), 0), ("f16", (2, 2, 3), 2)]:
            arguments, results = batch_norm(kind, t, shape, feature)
            names = ", ".join(f"%a{i}" for i in range(len(arguments)))
            text = generic(f"batch_norm_{kind}", names, f"epsilon = 1.000000e-03 : f32, feature_index = {feature} : i64", arguments, results)
            group.add(f"batch_norm_{kind}_{t}", f"batch_norm_{kind}", arguments, text, results, bounds[t])
    return group


def groups():
    return [products(), convolutions(), normalizations()]
