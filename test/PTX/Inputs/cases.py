# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ten kernels that LLVM's NVPTX compiled, with arguments for dmc-ptx-run and what they should compute (numpy)."""
import collections
import pathlib

import numpy as np

KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"

# An argument: how the kernel gets it (in, inout, out, zero or a type such as i32), and an array or a number; of out and zero the
# expected result, of inout the pair of both.
Case = collections.namedtuple("Case", "file kernel grid block arguments")


def bf16(a):
    bits = np.asarray(a, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def f32(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def softmax(random, size):
    x = random.standard_normal((4 * size, 4096)).astype(np.float32)
    # A row's largest element decides: it is in another column of each row.
    x[np.arange(4 * size), np.arange(4 * size) * 1237 % 4096] += 200
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return Case("softmax", "softmax", (4 * size,), (256,), [("in", x), ("out", (e / e.sum(1, keepdims=True)).astype(np.float32))])


def gelu(random, size):
    x, b = random.standard_normal(4096 * size).astype(np.float32), random.standard_normal(1024).astype(np.float32)
    v = (x + np.tile(b, 4 * size)).astype(np.float64)
    y = 0.5 * v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)))
    return Case("gelu", "gelu", (size,), (256,), [("in", x), ("in", b), ("out", y.astype(np.float32)), ("i32", x.size)])


def normalized(x):
    x = x.astype(np.float64)
    mean, rstd = x.mean(1), 1 / np.sqrt(x.var(1) + 1e-5)
    return mean, rstd, (x - mean[:, None]) * rstd[:, None]


def lnfwd(random, size):
    x = random.standard_normal((2 * size, 4096)).astype(np.float32)
    gamma, beta = random.standard_normal((2, 4096)).astype(np.float32)
    mean, rstd, n = normalized(x)
    return Case("lnfwd", "lnfwd", (2 * size,), (256,), [
        ("in", x), ("in", gamma), ("in", beta), ("out", (n * gamma + beta).astype(np.float32)), ("out", mean.astype(np.float32)),
        ("out", rstd.astype(np.float32))])


def lnbwd(random, size):
    rows, blocks = 2 * size, 2
    x, dy = random.standard_normal((2, rows, 4096)).astype(np.float32)
    gamma = random.standard_normal(4096).astype(np.float32)
    mean, rstd, n = normalized(x)
    g = dy.astype(np.float64) * gamma
    dx = rstd[:, None] * (g - g.mean(1, keepdims=True) - n * (g * n).mean(1, keepdims=True))
    part = lambda a: np.stack([a[b::blocks].sum(0) for b in range(blocks)]).astype(np.float32)
    return Case("lnbwd", "lnbwd", (blocks,), (256,), [
        ("in", x), ("in", dy), ("in", gamma), ("in", mean.astype(np.float32)), ("in", rstd.astype(np.float32)),
        ("out", dx.astype(np.float32)), ("out", part(dy * n)), ("out", part(dy)), ("i32", rows)])


def transpose(random, size):
    x = random.standard_normal((4096, 1024)).astype(np.float32)
    y = np.zeros((1024, 4096), np.float32)
    rows = 32 * size
    y[:, :rows] = x.T[:, :rows]
    return Case("transpose", "transpose", (32, size), (32, 8), [("in", x), ("zero", y)])


def gather(random, size):
    table, ids = random.standard_normal((100, 256)).astype(np.float32), random.integers(0, 100, 16 * size).astype(np.int32)
    return Case("scatter", "gather", (16 * size,), (64,), [("in", table), ("in", ids), ("out", table[ids]), ("i32", 100)])


def scatter_add(random, size):
    # Integers: their sums are exact in any order.
    table = random.integers(-100, 100, (100, 256)).astype(np.float32)
    ids, updates = random.integers(0, 100, 8 * size).astype(np.int32), bf16(random.integers(-100, 100, (8 * size, 256)))
    ids[0] = ids[1]
    sums = table.copy()
    np.add.at(sums, ids, f32(updates))
    return Case("scatter", "scatter_add", (8 * size,), (256,), [("in", updates), ("in", ids), ("inout", (table, sums)), ("i32", 100)])


def sumsq(random, size):
    x = random.integers(-8, 8, 16384 * size + 12).astype(np.float32)
    return Case("reduce", "sumsq", (8,), (256,), [("in", x), ("zero", np.array([(x * x).sum()], np.float32)), ("i32", x.size)])


def silu_mul(random, size):
    x, y = bf16(random.standard_normal(4096 * size + 904)), bf16(random.standard_normal(4096 * size + 904))
    v = f32(x).astype(np.float64)
    return Case("bf16", "silu_mul", ((x.size + 2047) // 2048,), (256,), [
        ("in", x), ("in", y), ("out", bf16(v / (1 + np.exp(-v)) * f32(y))), ("i32", x.size)])


def histogram(random, size):
    values = random.integers(0, 64, 4096 * size).astype(np.int32)
    return Case("scatter", "count", (16 * size,), (256,), [
        ("in", values), ("zero", np.bincount(values, minlength=64).astype(np.int32)), ("i32", values.size)])


CASES = {f.__name__: f for f in (softmax, gelu, lnfwd, lnbwd, transpose, gather, scatter_add, histogram, sumsq, silu_mul)}


def shape(array):
    return "x".join(map(str, array.shape)) + "x" + {"float32": "f32", "uint16": "bf16", "int32": "i32"}[array.dtype.name]


def command(case, folder, text=None):
    """Writes the arrays into a folder: the arguments for dmc-ptx-run, and (file, expected) for each result."""
    folder = pathlib.Path(folder)
    arguments, results = [], []
    for i, (kind, value) in enumerate(case.arguments):
        if not isinstance(value, (np.ndarray, tuple)):
            arguments.append(f"--arg={kind}={value}")
            continue
        output = folder / f"out{i}.npy"
        if kind in ("in", "inout"):
            np.save(folder / f"in{i}.npy", value[0] if kind == "inout" else value)
            arguments.append(f"--arg={kind}={folder}/in{i}.npy" + (f",{output}" if kind == "inout" else ""))
        else:
            arguments.append(f"--arg={kind}={shape(value)},{output}")
        if kind != "in":
            results.append((output, value[1] if kind == "inout" else value))
    return [str(text or KERNELS / f"{case.file}.ptx"), f"--kernel={case.kernel}", "--grid=" + ",".join(map(str, case.grid)),
            "--block=" + ",".join(map(str, case.block))] + arguments, results


def wrong(results):
    """What differs from what is expected, or nothing."""
    for path, expected in results:
        found = np.load(path)
        if expected.dtype == np.uint16:  # a last place of bf16
            found, expected = f32(found), f32(expected)
            tolerance = 2.0**-7
        else:
            tolerance = 1e-5
        error = np.abs(found - expected) / np.maximum(1, np.abs(expected))
        if not error.max() <= tolerance:
            return f"{path}: {np.isnan(error).sum()} NaN, largest error {np.nanmax(error)}"
    return None
