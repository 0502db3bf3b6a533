# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs published algorithms that are written in PTX, as they are and with a defect each: check_algorithms.py FOLDER"""
import pathlib
import re
import subprocess
import sys

import numpy as np

SOURCES = pathlib.Path(__file__).resolve().parent / "algorithms"
SEEDS = 20
folder = pathlib.Path(sys.argv[1])
random = np.random.default_rng(0)


def launch(text, kernel, grid, block, seed, *arguments):
    done = subprocess.run(["dmc-ptx-run", text, f"--kernel={kernel}", f"--grid={grid}", f"--block={block}", f"--seed={seed}",
                           "--most-instructions=100000", *(f"--arg={a}" for a in arguments)], capture_output=True, text=True)
    return done.stderr


def scan(text, seed):
    tiles = 23
    x = random.integers(0, 1000, 128 * tiles).astype(np.int32)
    np.save(folder / "x.npy", x)
    wrong = launch(text, "scan", tiles, 128, seed, f"in={folder}/x.npy", f"out={x.size}xi32,{folder}/y.npy", f"zero=1xi32,{folder}/t.npy",
                   f"zero={tiles}xi32,{folder}/f.npy", f"out={tiles}xi32,{folder}/s.npy", f"out={tiles}xi32,{folder}/p.npy")
    return wrong or ("" if np.array_equal(np.load(folder / "y.npy"), np.cumsum(x, dtype=np.int32)) else "wrong result")


def sort(text, seed):
    blocks, shift = 9, 4
    keys = random.integers(0, 4096, 128 * blocks).astype(np.int32)
    np.save(folder / "k.npy", keys)
    wrong = launch(text, "histogram", blocks, 128, seed, f"in={folder}/k.npy", f"out={16 * blocks}xi32,{folder}/c.npy", f"u32={shift}")
    wrong += launch(text, "offsets", 1, 1, seed, f"inout={folder}/c.npy,{folder}/o.npy", f"u32={16 * blocks}")
    wrong += launch(text, "scatter", blocks, 128, seed, f"in={folder}/k.npy", f"out={keys.size}xi32,{folder}/y.npy", f"in={folder}/o.npy",
                    f"u32={shift}")
    order = np.argsort(keys >> shift & 15, kind="stable")
    return wrong or ("" if np.array_equal(np.load(folder / "y.npy"), keys[order]) else "wrong result")


def reduce(text, seed):
    x = random.integers(-100, 100, 128 * 41).astype(np.float32)
    np.save(folder / "x.npy", x)
    wrong = launch(text, "reduce", 3, 96, seed, f"in={folder}/x.npy", f"zero=1xf32,{folder}/y.npy", "u32=41")
    return wrong or ("" if np.load(folder / "y.npy")[0] == x.sum() else "wrong result")


# What is planted: the text that is replaced (the number of the match), by what, and the report.
DEFECTS = {
    scan: [("no fence before the flag of a sum", r"membar.gl;", 0, "", "race"),
           ("no fence behind a flag", r"membar.gl;", 1, "", "race"),
           ("no fence before the flag of a prefix", r"membar.gl;", 2, "", "race"),
           ("a fence of the block alone", r"membar.gl;", 0, "membar.cta;", "race"),
           ("a flag that is stored plainly", r"st.volatile.global", 0, "st.global", "race"),
           ("no barrier behind the ticket", r"bar.sync 0;", 0, "", "race|uninitialized"),
           ("no barrier behind the look-back", r"bar.sync 0;", 2, "", "race|uninitialized")],
    sort: [("no barrier behind the zeros", r"bar.sync 0;", 0, "", "race|uninitialized"),
           ("no barrier behind the counts", r"bar.sync 0;", 1, "", "race"),
           ("counts that are no atomics", r"red.shared.add.u32 \[%i\], 1;", 0,
            "ld.shared.u32 %k, [%i];\nadd.u32 %k, %k, 1;\nst.shared.u32 [%i], %k;", "race"),
           ("all lanes of a digit lead", r"@%leads st.shared.u32 \[%i\], %number;", 0, "st.shared.u32 [%i], %rank;", "race"),
           ("no barrier behind the warps' counts", r"bar.sync 0;", 3, "", "race")],
    reduce: [("who copies does not wait", r"@!%p bra WAITEMPTY;", 0, "", "race"),
             ("who adds does not wait", r"@!%p bra WAITFULL;", 0, "", "race|uninitialized"),
             ("arrival before the copy ends", r"cp.async.mbarrier.arrive.noinc.shared.b64 \[%full\];", 0,
              "mbarrier.arrive.shared.b64 %state, [%full];", "race"),
             ("arrival before the loads", r"(ld.shared.v2[^;]*;)((?:.|\n)*?)(mbarrier.arrive[^;]*;)", 0, r"\3\n\1\2", "race"),
             ("no barrier between those that add", r"bar.sync 1, 64;", 0, "", "race|uninitialized"),
             ("barrier of one warp too many", r"bar.sync 1, 64;", 0, "bar.sync 1, 96;", "deadlock"),
             ("a count too high", r"\[barriers\+16\], 64", 0, "[barriers+16], 65", "endless loop")],
}

for algorithm, defects in DEFECTS.items():
    source = SOURCES / f"{algorithm.__name__}.ptx"
    wrong = [found for seed in range(SEEDS) if (found := algorithm(source, seed))]
    print(f"{algorithm.__name__}: {SEEDS - len(wrong)} of {SEEDS} seeds right" + "".join(wrong[:1]))
    number = 0
    for what, pattern, match, by, kinds in defects:
        text = source.read_text()
        place = list(re.finditer(pattern, text))[match]
        (folder / "defect.ptx").write_text(text[:place.start()] + place.expand(by) + text[place.end():])
        found = [algorithm(folder / "defect.ptx", seed) for seed in range(3)]
        if all(re.search(f"^dmc-ptx-run: ({kinds}): line", f, re.M) for f in found):
            number += 1
        else:
            print(f"{what}: expected {kinds}, found {found}")
    print(f"{algorithm.__name__}: {number} of {len(defects)} defects reported")
