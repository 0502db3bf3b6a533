# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what dmc-ptx-run computes of llvm_programs.py with what this processor does: check_llvm.py FOLDER [-O0|-O2]"""
import ctypes
import pathlib
import subprocess
import sys

import numpy as np

import llvm_programs as programs

folder, level = pathlib.Path(sys.argv[1]), sys.argv[2]
bodies = programs.programs()
(folder / "device.ll").write_text(programs.device(bodies))
(folder / "host.ll").write_text(programs.host(bodies))
run = lambda *command: subprocess.run(command, check=True)
run("llc", "-march=nvptx64", "-mcpu=sm_90a", "-mattr=+ptx80", level, f"{folder}/device.ll", "-o", f"{folder}/device.ptx")
run("llc", "-relocation-model=pic", "-filetype=obj", "-O1", f"{folder}/host.ll", "-o", f"{folder}/host.o")
# What not every compiler's library has: results are the low half of a register.
(folder / "bf16.c").write_text("""
static float as_float(unsigned u) { union { unsigned u; float f; } v = {u}; return v.f; }
float __truncsfbf2(float x) {
  union { float f; unsigned u; } v = {x};
  return as_float(x != x ? 0x7fc0 : (v.u + 0x7fff + (v.u >> 16 & 1)) >> 16);
}
float __truncdfbf2(double x) { /* by a float rounded to odd */
  union { float f; unsigned u; } v = {(float)x};
  if (v.f == x || x != x)
    return __truncsfbf2(v.f);
  v.u -= __builtin_fabs((double)v.f) > __builtin_fabs(x);
  v.u |= 1;
  return __truncsfbf2(v.f);
}
""")
run("cc", "-O1", "-shared", "-fPIC", f"{folder}/bf16.c", f"{folder}/host.o", "-o", f"{folder}/host.so", "-lm")

# Numbers of all sizes, and special values of each format, also in halves.
random = np.random.default_rng(0)
special = [0, 1, 2, 7, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**63, 2**64 - 1,
           *(0x0001000100010001 * bits for bits in (0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x0001, 0x83FF, 0x7BFF, 0x3F80, 0xC080, 0x7F80, 0xFF80, 0x7E00, 0x4248)),
           *(0x100000001 * bits for bits in (0x3F800000, 0xC0200000, 0x7F800000, 0xFF800000, 1, 0x80000000, 0x7F7FFFFF, 0x7FC00000, 0x4B000001, 0x3EFFFFFF)),
           *(np.array([1.5, -2.5, 0.5, 1e300, -1e-310, np.inf, -np.inf, np.nan, 4503599627370497.5, -0.0]).view(np.uint64).tolist())]
threads = 128
rows = random.integers(0, 2**64, (threads, 3), np.uint64) >> random.integers(0, 64, (threads, 3), np.uint64)
rows[:64] = random.choice(np.array(special, np.uint64), (64, 3))
rows[64:80] = random.standard_normal((16, 3)).view(np.uint64)
rows[80:96] = (random.standard_normal((16, 6)) * 100).astype(np.float32).view(np.uint64)
rows[96:112] = (random.standard_normal((16, 12)) * 10).astype(np.float16).view(np.uint64)

expected = np.zeros((len(bodies), threads), np.uint64)
pointer = lambda a: a.ctypes.data_as(ctypes.c_void_p)
ctypes.CDLL(f"{folder}/host.so").all(pointer(rows), pointer(expected), ctypes.c_int64(threads))
np.save(folder / "in.npy", rows.view(np.int64))
done = subprocess.run(["dmc-ptx-run", f"{folder}/device.ptx", "--kernel=all", f"--block={threads}", f"--arg=in={folder}/in.npy",
                       f"--arg=out={len(bodies)}x{threads}xi64,{folder}/out.npy"], capture_output=True, text=True)
if done.returncode:
    sys.exit(done.stderr)
found = np.load(folder / "out.npy").view(np.uint64)


def parts(values, t):
    bits = programs.BITS[t]
    return values[..., None] >> np.arange(0, 64, bits, np.uint64) & np.uint64(2**bits - 1) if bits < 64 else values[..., None]


def is_nan(values, t):
    exponent = {"half": 0x7C00, "bfloat": 0x7F80, "float": 0x7F800000, "double": 0x7FF0000000000000}.get(t)
    return np.zeros(values.shape, bool) if exponent is None else (values & np.uint64(2 ** (programs.BITS[t] - 1) - 1)) > exponent


wrong = 0
for number, (name, (_, _, t)) in enumerate(bodies.items()):
    if t == "i1":
        t = "i64"
    a, b = parts(found[number], t), parts(expected[number], t)
    differs = ((a != b) & ~(is_nan(a, t) & is_nan(b, t))).any(1)
    # Of equal numbers the smaller or larger one may be either zero, and of NaN of the operands any is left: both are LLVM's to choose.
    if name.startswith(("test_minnum", "test_maxnum")):
        differs &= ~(((a | b) << np.uint64(65 - programs.BITS[t])) == 0).any(1)
    if differs.any():
        wrong += 1
        at = int(np.argmax(differs))
        print(f"{name}: {differs.sum()} of {threads} differ: {found[number][at]:x}, expected {expected[number][at]:x}, of "
              + ", ".join(f"{x:x}" for x in rows[at]))
print(f"{len(bodies)} programs, {wrong} wrong")
sys.exit(wrong > 0)
