# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the input of reverse.ptx, or checks its output: reverse.py in|out FILE."""
import struct
import sys

mode, path = sys.argv[1:]
if mode == "in":
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (128,), }"
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<128f", *range(128)))
else:
    with open(path, "rb") as file:
        found = list(struct.unpack("<128f", file.read()[-512:]))
    expected = [0.5 * (64 * block + 63 - i) for block in range(2) for i in range(64)]
    assert found == expected, found
