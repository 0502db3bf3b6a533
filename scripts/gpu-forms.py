#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what instructions of PTX compute on a device with what the simulator computes: gpu-forms.py [--device=cuda|simulated]

One kernel has all forms, and computes each on the same operands: special values and others. Integers and IEEE floats have to be equal bit
for bit (any NaN equals any other), approximate ones within what NVIDIA documents of both. Prints a checksum of each form with --list.
"""
import argparse
import itertools
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np

BIN = pathlib.Path(os.environ.get("DMC_BIN") or pathlib.Path(__file__).resolve().parent.parent / "build/bin").absolute()
THREADS, BLOCKS = 128, 8
ROWS = THREADS * BLOCKS
# Units in the last place between the right value and what is documented, or a power of two if the error is absolute. That of sin and cos
# holds up to 2 pi, 2^-14.7 up to 100 pi, and nothing beyond.
APPROXIMATE = {"ex2": (2, None), "rcp": (1, None), "sqrt": (1, None), "rsqrt": (2, None), "div": (2, None),
               "lg2": (None, -22), "sin": (None, -20.5), "cos": (None, -20.5), "tanh": (4096, None)}
REGISTERS = {"16": ("%h", 16), "32": ("%r", 32), "64": ("%d", 64)}


def forms():
    """An instruction, the width of its operands and result, how many operands, and of floats the type of the result."""
    for t in ("s16", "u16", "s32", "u32", "s64", "u64"):
        w = t[1:]
        for op in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
            yield f"{op}.{t}", w, 2, None
        yield f"mad.lo.{t}", w, 3, None
    for w in ("16", "32", "64"):
        for op in ("and", "or", "xor"):
            yield f"{op}.b{w}", w, 2, None
        yield f"not.b{w}", w, 1, None
    for t in ("s16", "s32", "s64"):
        yield f"abs.{t}", t[1:], 1, None
        yield f"neg.{t}", t[1:], 1, None
    for op in ("add.sat.s32", "sub.sat.s32"):
        yield op, "32", 2, None
    yield "sad.s32", "32", 3, None
    yield "prmt.b32", "32", 3, None
    for op in ("brev.b32", "popc.b32", "clz.b32", "bfind.u32", "bfind.s32"):
        yield op, "32", 1, None
    for op in ("shf.l.wrap.b32", "shf.r.clamp.b32", "bfe.u32", "bfe.s32"):
        yield op, "32", 3, None
    for t in ("f32", "f64"):
        w, rounded = t[1:], ("rn", "rz", "rm", "rp")
        for op, mode in itertools.product(("add", "sub", "mul", "div"), rounded):
            yield f"{op}.{mode}.{t}", w, 2, t
        for mode in rounded:
            yield f"fma.{mode}.{t}", w, 3, t
            yield f"sqrt.{mode}.{t}", w, 1, t
            yield f"rcp.{mode}.{t}", w, 1, t
        for op in ("min", "max"):
            yield f"{op}.{t}", w, 2, t
        for op in ("abs", "neg"):
            yield f"{op}.{t}", w, 1, t
        for mode in ("rni", "rzi", "rmi", "rpi"):
            yield f"cvt.{mode}.{t}.{t}", w, 1, t
            yield f"cvt.{mode}.s{w}.{t}", w, 1, None
            yield f"cvt.{mode}.u{w}.{t}", w, 1, None
        for mode in rounded:
            yield f"cvt.{mode}.{t}.s{w}", w, 1, t
            yield f"cvt.{mode}.{t}.u{w}", w, 1, t
    for op, mode in itertools.product(("add", "sub", "mul"), ("rn", "rz", "rm", "rp")):
        yield f"{op}.{mode}.ftz.f32", "32", 2, "f32"
        yield f"{op}.{mode}.sat.f32", "32", 2, "f32"
    for mode in ("rn", "rz", "rm", "rp"):
        yield f"fma.{mode}.ftz.f32", "32", 3, "f32"
        yield f"sqrt.{mode}.ftz.f32", "32", 1, "f32"
    yield "min.NaN.f32", "32", 2, "f32"
    yield "max.NaN.f32", "32", 2, "f32"
    for op in ("add", "sub", "mul"):
        yield f"{op}.rn.f16", "16", 2, "f16"
        yield f"{op}.rn.f16x2", "32", 2, "f16x2"
    yield "fma.rn.f16", "16", 3, "f16"
    yield "fma.rn.bf16", "16", 3, "bf16"
    yield "fma.rn.bf16x2", "32", 3, "bf16x2"
    for op in ("ex2", "lg2", "sin", "cos", "rcp", "sqrt", "rsqrt"):
        yield f"{op}.approx.f32", "32", 1, "f32"
        yield f"{op}.approx.ftz.f32", "32", 1, "f32"
    yield "tanh.approx.f32", "32", 1, "f32"
    for op in ("div.approx.f32", "div.full.f32", "div.approx.ftz.f32"):
        yield op, "32", 2, "f32"


def text(all_forms):
    bodies = []
    for number, (form, width, operands, _) in enumerate(all_forms):
        register = REGISTERS[width][0]
        sources = ", ".join(f"{register}{i + 1}" for i in range(operands))
        wide = {"16": "cvt.u64.u16 %d0, %h0;", "32": "cvt.u64.u32 %d0, %r0;", "64": ""}[width]
        bodies.append(f"{form} {register}0, {sources};\n{wide}\nst.global.u64 [%out+{number * ROWS * 8}], %d0;")
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry forms(.param .u64 in, .param .u64 out)
{{
.reg .b16 %h<4>;
.reg .b32 %r<4>;
.reg .b64 %d<4>;
.reg .b32 %t, %c, %n;
.reg .b64 %in, %out, %o;
mov.u32 %t, %tid.x;
mov.u32 %c, %ctaid.x;
mov.u32 %n, %ntid.x;
mad.lo.s32 %t, %c, %n, %t;
ld.param.u64 %in, [in];
ld.param.u64 %out, [out];
mul.wide.u32 %o, %t, 24;
add.s64 %in, %in, %o;
mul.wide.u32 %o, %t, 8;
add.s64 %out, %out, %o;
ld.global.u64 %d1, [%in];
ld.global.u64 %d2, [%in+8];
ld.global.u64 %d3, [%in+16];
cvt.u32.u64 %r1, %d1;
cvt.u32.u64 %r2, %d2;
cvt.u32.u64 %r3, %d3;
cvt.u16.u64 %h1, %d1;
cvt.u16.u64 %h2, %d2;
cvt.u16.u64 %h3, %d3;
{chr(10).join(bodies)}
ret;
}}
"""


def operands():
    """Special values of each width in the low bits and others; those of floats are floats of all widths at different rows."""
    f32 = [0, 1, 1.5, 0.1, 3, 1e10, 1e-10, 2.0**31, 0.5, 2.5, 16777217, 65504, 3.4028235e38, 1.17549435e-38, 1e-45, float("inf"), float("nan")]
    special = [struct.unpack("<I", struct.pack("<f", sign * value))[0] for value in f32 for sign in (1, -1)]
    special += [struct.unpack("<Q", struct.pack("<d", sign * value))[0] for value in f32 + [1e300, 5e-324] for sign in (1, -1)]
    special += [0x3C00, 0xBC00, 0x0001, 0x7BFF, 0x7C00, 0x3F80, 0x7F7F, 1, 31, 32, 33, 2**15, 2**16 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]
    random = np.random.default_rng(1)
    rows = random.integers(0, 2**64, (ROWS, 3), dtype=np.uint64)
    chosen = np.array(special, np.uint64)[random.integers(0, len(special), (ROWS // 2, 3))]
    rows[:ROWS // 2] = chosen
    # Floats of ordinary size, where approximations differ.
    ordinary = random.uniform(-20, 20, (ROWS // 4, 3)).astype(np.float32)
    rows[ROWS // 2:ROWS // 2 + ROWS // 4] = ordinary.view(np.uint32)
    return rows


def floats(values, kind):
    if kind == "f64":
        return values.view(np.float64)
    if kind == "f32":
        return values.astype(np.uint32).view(np.float32)
    if kind == "f16":
        return values.astype(np.uint16).view(np.float16)
    return (values.astype(np.uint32) << 16).view(np.float32)  # bf16


def same(a, b, kind):
    if kind in ("f16x2", "bf16x2"):
        low, high = np.uint64(0xFFFF), np.uint64(16)
        return same(a & low, b & low, kind[:-2]) & same(a >> high, b >> high, kind[:-2])
    equal = a == b
    return equal | (np.isnan(floats(a, kind)) & np.isnan(floats(b, kind))) if kind else equal


@np.errstate(invalid="ignore")
def within(form, operand, a, b):
    """Of results of an approximate form in f32: both may be wrong by what is documented."""
    ulps, power = APPROXIMATE[form.split(".")[0]]
    x, y = floats(a, "f32").astype(np.float64), floats(b, "f32").astype(np.float64)
    if form.startswith(("sin", "cos")):
        size = np.abs(floats(operand, "f32").astype(np.float64))
        close = np.abs(x - y) <= np.select([size <= 2 * np.pi, size <= 100 * np.pi], [2 * 2.0**power, 2 * 2.0**-14.7], 2)
    elif power is not None:
        close = np.abs(x - y) <= 2 * 2.0**power * np.maximum(1, np.abs(y))
    else:
        ordered = [np.where(v < 2**31, v, 2**31 - v) for v in (a.astype(np.int64), b.astype(np.int64))]
        close = np.abs(ordered[0] - ordered[1]) <= 2 * ulps
    return same(a, b, "f32") | (np.isfinite(x) & np.isfinite(y) & close)


def run(folder, name, options):
    out = folder / f"{name}.npy"
    done = subprocess.run([BIN / "dmc-ptx-run", folder / "forms.ptx", f"--grid={BLOCKS}", f"--block={THREADS}",
                           f"--arg=in={folder}/in.npy", f"--arg=zero={COUNT}x{ROWS}xi64,{out}", *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip())
    return np.load(out).view(np.uint64)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--device", choices=["cuda", "simulated"], default="cuda")
parser.add_argument("--list", action="store_true", help="print the checksum of each form's results on the device")
arguments = parser.parse_args()
FORMS = list(forms())
COUNT = len(FORMS)
wrong = approximate = 0
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "forms.ptx").write_text(text(FORMS))
    rows = operands()
    np.save(folder / "in.npy", rows.view(np.int64))
    expected, found = run(folder, "expected", []), run(folder, "found", [f"--device={arguments.device}"])
for (form, *_, kind), a, b in zip(FORMS, found, expected):
    is_approximate = ".approx" in form or ".full" in form
    approximate += is_approximate
    good = within(form, rows[:, 0], a, b) if is_approximate else same(a, b, kind)
    if arguments.list:
        print(f"{form:24} {zlib.crc32(a.tobytes()):08x}")
    if not good.all():
        wrong += 1
        row = int(np.argmin(good))
        print(f"{form} of {' '.join(f'{int(v):#x}' for v in rows[row])}: {int(a[row]):#x} on the device, {int(b[row]):#x} by the simulator "
              f"({int((~good).sum())} rows differ)")
print(f"forms: {COUNT - wrong} passed, {wrong} failed ({approximate} of them approximate), checksum {zlib.crc32(found.tobytes()):08x}")
sys.exit(bool(wrong))
