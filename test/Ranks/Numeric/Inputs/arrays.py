#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arrays that a test pins, as .npy files.

    arrays.py TEST DIR        writes DIR/in/000.npy, ... and DIR/out/000.npy, ... (standard library only)
    arrays.py --check TEST    compares what is expected with what numpy computes
    arrays.py --update TEST   writes what numpy computes into the test

A test has lines of four kinds, in the order of the program's arguments and results:

    // IN NAME TYPE VALUES          an argument: numpy's name of the type (i4), values as JSON
    // NUMPY STATEMENT              computes results from the arguments
    // OUT NAME TYPE VALUES         a result, as the statements give it
    // OUT NAME                     a result that is the argument of that name
"""
import json
import pathlib
import struct
import sys

FORMATS = {"b1": "?", "i1": "b", "u1": "B", "i4": "i", "f4": "f"}


def parse(path):
    """The test's arguments and results as [name, type, values], and its statements."""
    arguments, results, statements = [], [], []
    for line in path.read_text().splitlines():
        if line.startswith("// NUMPY "):
            statements.append(line[len("// NUMPY "):])
            continue
        if not line.startswith(("// IN ", "// OUT ")):
            continue
        _, kind, name, *rest = line.split(" ", 4)
        if rest:
            entry = [name, rest[0], json.loads(rest[1])]
        else:
            entry = next(a for a in arguments if a[0] == name)
        (arguments if kind == "IN" else results).append(entry)
    return arguments, results, statements


def write_npy(path, dtype, values):
    shape, flat = [], values
    while isinstance(flat, list):
        shape.append(len(flat))
        flat = flat[0]

    def flatten(part):
        return [x for item in part for x in flatten(item)] if isinstance(part, list) else [part]

    order = "|" if dtype[1] == "1" else "<"
    dims = "".join(f"{size}, " for size in shape)
    header = f"{{'descr': '{order}{dtype}', 'fortran_order': False, 'shape': ({dims}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    elements = flatten(values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(elements)}{FORMATS[dtype]}", *elements))


def compute(arguments, results, statements):
    """What numpy makes of the results that are computed."""
    import numpy as np
    names = {"np": np}
    names.update((name, np.array(values, dtype)) for name, dtype, values in arguments)
    exec("\n".join(statements), names)
    return {name: np.asarray(names[name]).astype(dtype).tolist() for name, dtype, _ in results}


def main():
    if sys.argv[1] in ("--check", "--update"):
        path = pathlib.Path(sys.argv[2])
        arguments, results, statements = parse(path)
        computed = compute(arguments, results, statements)
        if sys.argv[1] == "--check":
            wrong = [name for name, _, values in results if computed[name] != values]
            sys.exit(f"{path}: numpy computes something else for {', '.join(wrong)}" if wrong else 0)
        lines = []
        for line in path.read_text().splitlines():
            words = line.split(" ", 4)
            if line.startswith("// OUT ") and len(words) > 3:
                line = " ".join(words[:4]) + " " + json.dumps(computed[words[2]])
            lines.append(line)
        path.write_text("\n".join(lines) + "\n")
        return
    arguments, results, _ = parse(pathlib.Path(sys.argv[1]))
    for folder, arrays in ("in", arguments), ("out", results):
        target = pathlib.Path(sys.argv[2], folder)
        target.mkdir(parents=True, exist_ok=True)
        for i, (_, dtype, values) in enumerate(arrays):
            write_npy(target / f"{i:03}.npy", dtype, values)


main()
