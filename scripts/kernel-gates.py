#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the kernels of programs for CUDA devices use them well, without a device: each is run by the PTX simulator on
zeros, a scatter with indices that count up, and assembled if ptxas is installed. Prints a table, and exits with 1 if a kernel

- has reports or bank conflicts on the simulator; of a scatter these do not count, whose threads find the updates of their
  destinations in memory where the indices put them,
- touches more than 1.05 times as many sectors of memory as its operands have bytes in, of the larger operands that memory has to
  give (list_traffic says what an operand has; those of a sector, or of an eighth of the largest one's size or less, are read again by
  every row, team, warp or thread, which the caches answer, and so is all that a single warp reads),
- spills registers, or needs more than 128 of them, or more than 64 without teams of threads,
- has fewer bytes of its operands on the way at once than keep the device busy (count_wanted_bytes says which),
- has no instruction that accesses as many bytes at once as its plan says of an operand that is not small, if nvdisasm is
  installed, too (the column "at once" has the plan's bytes),

or if a program has no kernels, or the tools do not say what is checked.

Where all operands together are fewer bytes than keep the device busy, a third of them on the way at once is enough: such a
kernel takes as long as its launch and the reads of a thread that wait for each other, of which a few take no longer than the
launch. Products and convolutions that no library does read their operands again from the caches: of these neither sectors nor
bytes on the way count.

    kernel-gates.py [--bin build/bin] [--target cuda:sm_90a] [--multiprocessors 132] PROGRAM.mlir...
"""
import argparse
import math
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SECTOR, WARP, VECTOR = 32, 32, 16
# Bytes that the first cache of a multiprocessor keeps at least: half of what blocks cannot take of it as shared memory, which is 128 - 100,
# 192 - 164 or 256 - 228 KiB (as below); what passes has the other half.
CACHED = (128 - 100 << 10) // 2
# Reads of a small kernel that may wait for each other: as many as take the time between two kernels (lib/Fusion/FormKernels.cpp says whence
# the nanoseconds are).
FEW_READS = 2000 // 650
# Of a multiprocessor: its threads and its shared memory, which differ between chips (NVIDIA, CUDA programming guide, technical
# specifications per compute capability; the same as in lib/Codegen/GPU/CudaTarget.cpp), and its registers.
CHIPS = {"sm_80": (2048, 164), "sm_86": (1536, 100), "sm_87": (1536, 164), "sm_89": (1536, 100), "sm_120": (1536, 100), "sm_121": (1536, 100)}
LARGE_CHIP, REGISTERS = (2048, 228), 64 << 10  # of all others


def asked_bytes(shared):
    """What a launch has to ask for of the shared memory of a block: all of it, if that is more than a block has without."""
    return shared if shared > 48 << 10 else 0


def parse_nests(text):
    """The nests of a program's kernels, with their plans."""
    for line in text.splitlines():
        match = re.search(r"func\.func private @(\S+_nest\w*)\((.*)\) attributes .*#dmc\.nest<(\w+) iterations (\d+) flops \d+ loops \[(.*)", line)
        if not match:
            continue
        name, arguments, kind, iterations, rest = match.groups()
        loops, _, accesses = rest.partition(" accesses [")
        grid = re.match(r"<grid (\d+) \[<thread (\d+)(?: least \d+)?(?: \[<team (\d+))?", loops)
        if not grid:
            continue
        team = int(grid.group(3) or 1)
        yield {"name": name, "kind": kind, "iterations": int(iterations), "grid": int(grid.group(1)), "team": team,
               "block": int(grid.group(2)) * team, "rows": count_rows(loops) if kind == "blocks" else 1, "shared": int((re.search(r" shared (\d+)>", rest) or [0, 0])[1]), "arguments": list_arguments(arguments, "dmc.narrow_indices" in line), "unrolled": count_unrolled(loops),
               "lanes": max(map(int, re.findall(r"<lanes (\d+)", loops)), default=1),
               "accesses": [(what, int(size), form, int(vector or 1), int(number)) for what, number, size, form, vector in re.findall(
                   r"<(\w+) (-?\d+) : (\d+) (\w+)(?: stride -?\d+)?(?: vector (\d+))?>", accesses)]}


def list_arguments(text, is_narrow):
    """The shapes of arrays, and zeros of numbers, as dmc-ptx-run expects them, but for the range of iterations at the end."""
    types = re.findall(r"%arg\d+: (?:memref<(.*?)>|(\w+))", text)[:-2]
    index = "i32" if is_narrow else "i64"
    return [shape or f"{index if scalar == 'index' else scalar}=0" for shape, scalar in types]


def count_unrolled(loops):
    """Copies in the code of a thread: those that are within each other multiply."""
    most, products = 1, [1]
    for kind, count, end in re.findall(r"<(\w+) (\d+)|(>)", loops):
        if end:
            products.pop()
            continue
        products.append(products[-1] * (int(count) if kind == "unrolled" else 1))
        most = max(most, products[-1])
    return most


def count_rows(loops):
    """Rows that a team passes over: the iterations of loops that are in no other, in each of which it may have several rows."""
    rows, stack = 0, []
    for kind, count, end in re.findall(r"<(\w+) (\d+)|(>)", loops):
        if not end:
            if kind == "unrolled" and stack:
                stack[-1][1] = max(stack[-1][1], int(count))
            stack.append([int(count) if kind == "serial" else 0, 1])
            continue
        trips, together = stack.pop()
        if trips and not any(outer for outer, _ in stack):
            rows += trips * together
    return max(rows, 1)


def count_wanted_bytes(nest, registers, target, multiprocessors):
    """The least bytes that threads should have on the way at once. With 16 bytes, an access, of each thread that multiprocessors hold
    there are 4.3 MB on an H100, which are what 3.35 TB/s move in 1.3 us: longer than memory takes to answer. Registers and shared memory
    may let fewer threads run; and a smaller kernel has all of its bytes on the way."""
    threads, kilobytes = CHIPS.get(target.removeprefix("cuda:").rstrip("a"), LARGE_CHIP)
    registers = -(-(registers or (128 if nest["team"] > 1 else 64)) // 8) * 8
    blocks = min(threads // nest["block"], REGISTERS // (registers * nest["block"]))
    if nest["shared"]:
        blocks = min(blocks, (kilobytes << 10) // (nest["shared"] + 1024))
    reads = sum(size for kind, size, _ in list_large(nest) if kind == "read")
    busy = multiprocessors * max(blocks, 1) * nest["block"] * VECTOR
    return busy if reads > busy else reads // FEW_READS


def count_bytes_at_once(nest):
    """What threads have on the way: of each operand that is read, and not small, the accesses that no loop separates."""
    reads = sum(max(bytes_, nest["lanes"] * element) for is_read, bytes_, element in list_widths(nest) if is_read)
    return nest["grid"] * nest["block"] * nest["unrolled"] * reads


def list_large(nest):
    """How each operand that is not small is accessed, its bytes and its number."""
    return [(kind, size, number) for kind, size, _, _, number in nest["accesses"] if 8 * size > find_largest(nest) and number >= 0]


def find_largest(nest):
    return max((access[1] for access in nest["accesses"]), default=0)


def list_widths(nest):
    """For each operand that is not small, whether it is read, how many bytes a thread accesses at once by the plan, and those of an element."""
    widths = []
    for kind, size, _, vector, number in nest["accesses"]:
        if 8 * size > find_largest(nest) and number >= 0:
            bits = re.search(r"\d+$", nest["arguments"][number].split(",")[0].split("x")[-1])
            element = max(int(bits.group()) // 8, 1)
            widths.append((kind == "read", vector * element, element))
    return widths


def parse_array(text):
    """The sizes of an array, and the bits of an element."""
    *sizes, element = text.split(",")[0].split("x")
    return [int(size) for size in sizes], int(re.search(r"\d+$", element).group())


def list_traffic(nest, traffic):
    """Of each operand that is not small: its number, whether it is written, the sectors that are touched, the least and the most that should
    be. The least is each sector once that has bytes which are accessed.

    A smaller operand that the first cache keeps is read again as often as the largest one has its size: it is repeated along dimensions. A
    gather reads as much as it writes, also of an operand whose rows indices name again; a scatter writes as much as it reads, also where it
    combines updates of one destination, and each of its blocks looks through the indices. Parts of a merged launch read on their own. Where rows begin within sectors, two warps
    share one, and so do two updates of a scatter and the warps that have parts of its destinations. Elements that are left where vectors
    end are an access of their own. And elements of rows that indices name are read beside the rows."""
    rows = {}
    for kind, _, _, _, number in nest["accesses"]:
        key = (number, kind != "read")
        if key in traffic and traffic[key][3] > max(find_largest(nest) // 8, SECTOR):
            sectors, different, asked, bytes_ = traffic[key]
            elements = max(8 * bytes_ // parse_array(nest["arguments"][number])[1], 1)
            rows[key] = (sectors, different, elements, -(-asked // max(bytes_, 1)), bytes_ <= CACHED)
    moved = [max((different for (_, writes), (_, different, _, _, _) in rows.items() if writes == is_write), default=0) for is_write in (False, True)]
    repeated = {"gather": False, "scatter": True}.get(nest["kind"])
    warps = -(-nest["iterations"] * nest["team"] // WARP)
    most_elements = max((elements for _, _, elements, _, _ in rows.values()), default=1)
    result = []
    for (number, is_write), (sectors, different, elements, times, is_cached) in rows.items():
        least = max(different, moved[not is_write]) if is_write == repeated else different
        if is_write:
            times = 1
        elif nest["kind"] == "scatter":
            times = min(times, nest["grid"] if is_integer(nest, number) else count_uses(nest, number))
        else:
            times = min(times, max(-(-most_elements // elements) if is_cached else 1, count_parts(nest)))
        least *= times
        spare = 1 + (warps if any(begins_within_sectors(nest, other) for other, _ in rows) else 0)
        if nest["kind"] == "scatter" and not is_write and begins_within_sectors(nest, number):
            written = max((elements for (_, writes), (_, _, elements, _, _) in rows.items() if writes), default=0)
            spare += math.prod(parse_array(nest["arguments"][number])[0][:-1]) + -(-written // WARP)
        spare += nest["iterations"] if nest["team"] > 1 and not is_write and has_indices(nest) else 0
        result.append((number, is_write, sectors, least, 1.05 * least + spare))
    return result


def begins_within_sectors(nest, number):
    """Whether rows of an array may."""
    sizes, bits = parse_array(nest["arguments"][number])
    return len(sizes) > 1 and sizes[-1] * bits % (8 * SECTOR) != 0


def is_read(nest, number):
    return any(kind == "read" and number == of for kind, _, _, _, of in nest["accesses"])


def count_uses(nest, number):
    """How often a scatter reads an update: once for each index that names it."""
    indices = max((math.prod(parse_array(nest["arguments"][of])[0]) for kind, _, _, _, of in nest["accesses"]
                   if kind == "read" and of >= 0 and is_integer(nest, of)), default=1)
    return -(-indices // max(parse_array(nest["arguments"][number])[0][0], 1))


def count_parts(nest):
    """Of a merged launch."""
    more = re.search(r"_and_(\d+)_more_nest", nest["name"])
    return int(more.group(1)) + 1 if more else 1


def is_integer(nest, number):
    return re.search(r"x?i(32|64)\b", nest["arguments"][number]) is not None


def has_indices(nest):
    """Whether integers are read, which may be indices."""
    return any(is_integer(nest, number) and is_read(nest, number) for number, text in enumerate(nest["arguments"]) if "=" not in text)


def write_indices(path, text, below):
    """Writes an array of integers that count up to a bound, again and again."""
    sizes, bits = parse_array(text)
    header = f"{{'descr': '<i{bits // 8}', 'fortran_order': False, 'shape': {tuple(sizes)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    numbers = (number % below for number in range(math.prod(sizes)))
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     b"".join(number.to_bytes(bits // 8, "little") for number in numbers))


def give_argument(nest, number, folder):
    """An argument of a kernel as dmc-ptx-run takes it: zeros, but for integers that are read, which may be indices: those of a scatter are
    within its smallest dimension and name as many destinations as that has, others name the rows of the longest array."""
    text = nest["arguments"][number]
    if "=" in text:
        return text
    written = [parse_array(nest["arguments"][target])[0] for kind, _, _, _, target in nest["accesses"] if kind != "read" and target >= 0]
    read = [parse_array(nest["arguments"][source])[0] for kind, _, _, _, source in nest["accesses"] if kind == "read" and source >= 0]
    is_scatter = nest["kind"].startswith("scatter")
    below = min((written or [[]])[0], default=0) if is_scatter else max((sizes[0] for sizes in read if sizes), default=0)
    is_index = re.search(r"xi(32|64)\b", text) and below and is_read(nest, number)
    if not is_index or any(kind != "read" and target == number for kind, _, _, _, target in nest["accesses"]):
        return f"zero={text},{folder}/{number}.npy"
    write_indices(folder / f"{number}.in.npy", text, below)
    return f"in={folder}/{number}.in.npy"


def simulate(tools, ptx, nest, folder):
    command = [tools / "dmc-ptx-run", ptx, f"--kernel={nest['name']}", f"--grid={nest['grid']}", f"--block={nest['block']}", f"--shared={asked_bytes(nest['shared'])}", "--counts"]
    command += [f"--arg={give_argument(nest, number, folder)}" for number in range(len(nest["arguments"]))]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    counts = dict(re.findall(r"^(\D+?) +(\d+)$", run.stdout, re.M))
    traffic = {(int(number), what == "writes"): tuple(map(int, numbers)) for number, what, *numbers in re.findall(
        r"^parameter (\d+) +(reads|writes) +(\d+) +(\d+) +(\d+) +(\d+)", run.stdout, re.M)}
    return counts, traffic, run.stderr.strip() if run.returncode else ""


def assemble(ptx, target, cubin):
    """Registers and spilled bytes of each kernel; None without an assembler."""
    tool = shutil.which("ptxas")
    if not tool:
        return None
    run = subprocess.run([tool, f"-arch={target.removeprefix('cuda:')}", "-v", "-o", cubin, ptx], capture_output=True, text=True, check=True)
    uses = re.findall(r"entry function '(\S+)'.*?(\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers", run.stdout + run.stderr, re.S)
    return {name: (int(registers), int(stores) + int(loads)) for name, stores, loads, registers in uses}


def disassemble(cubin):
    """Of each kernel, whether each access to global memory is a read, and its bytes; None without a disassembler."""
    tool = shutil.which("nvdisasm")
    if not tool or not cubin.exists():
        return None
    text = subprocess.run([tool, "-c", cubin], capture_output=True, text=True, check=True).stdout
    kernels = {}
    for name, code in re.findall(r"^\.text\.(\S+):$(.*?)(?=^\.text\.|\Z)", text, re.S | re.M):
        kernels[name] = [(what == "LDG", int(bits or 32) // 8) for what, bits in re.findall(r"\b(LDG|STG)\.E\S*?(?:\.U?S?(8|16|64|128))?(?:\.CONSTANT)? ", code)]
    return kernels


def check(tools, program, target, multiprocessors, folder):
    texts = {}
    for level in ("kernels", "ptx"):
        texts[level] = folder / level
        if subprocess.run([tools / "dmc-compile", program, f"--target={target}", f"--emit={level}", "-o", texts[level]], check=False).returncode:
            return 1
    uses, failures = assemble(texts["ptx"], target, folder / "cubin"), 0
    instructions = disassemble(folder / "cubin")
    nests = list(parse_nests(texts["kernels"].read_text()))
    if not nests:
        print(f"{Path(program).stem:20} has no kernels")
        return 1
    for nest in nests:
        counts, traffic, report = simulate(tools, texts["ptx"], nest, folder)
        operands, widths = list_traffic(nest, traffic), [width[:2] for width in list_widths(nest)]
        registers, spills = (uses or {}).get(nest["name"], (0, 0))
        problems = [report] if report else []
        if not report and not {"global sectors", "bank conflicts"} <= counts.keys():
            problems.append("dmc-ptx-run printed no counts")
        if uses is not None and nest["name"] not in uses:
            problems.append("ptxas does not say what it takes")
        if instructions is not None and nest["name"] not in instructions:
            problems.append("nvdisasm does not list it")
        for access in sorted(set(widths)):
            # Parts of a merged launch that differ in their sizes alone have one body.
            least = 1 if count_parts(nest) > 1 else widths.count(access)
            if instructions is not None and instructions.get(nest["name"], []).count(access) < least:
                problems.append(f"has too few {'loads' if access[0] else 'stores'} of {access[1]} bytes")
        if int(counts.get("bank conflicts", 0)) and not nest["kind"].startswith("scatter"):
            problems.append(f"{counts['bank conflicts']} bank conflicts")
        is_product = nest["kind"] == "contraction"
        is_warp = nest["grid"] * nest["block"] <= WARP  # waits for its first reads; others find sectors in the cache
        touched, least, most = (sum(row[column] for row in operands) for column in (2, 3, 4))
        if touched > most and not is_product and not is_warp:
            worst = max(operands, key=lambda row: row[2] - row[4])
            problems.append(f"touches {touched} sectors of {least}, {worst[2]} of {worst[3]} where it {'writes' if worst[1] else 'reads'} operand {worst[0]}")
        wanted, at_once = count_wanted_bytes(nest, registers, target, multiprocessors), count_bytes_at_once(nest)
        if at_once < wanted and not is_product:
            problems.append(f"has {at_once} bytes on the way at once, fewer than {wanted}")
        if spills:
            problems.append(f"spills {spills} bytes")
        if registers > (128 if nest["team"] > 1 else 64):
            problems.append(f"needs {registers} registers")
        failures += bool(problems)
        print(f"{Path(program).stem:20} {nest['kind']:12} blocks {nest['grid']:6} x {nest['block']:4} team {nest['team']:4} "
              f"registers {registers or '-':>4} spills {spills if uses else '-':>3} sectors {touched / max(least, 1):5.2f} "
              f"of {most / max(least, 1):5.2f} at once {min((width for _, width in widths), default=0):2}  {'; '.join(problems) or 'ok'}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--bin", type=Path, default=Path("build/bin"))
    parser.add_argument("--target", default="cuda:sm_90a")
    parser.add_argument("--multiprocessors", type=int, default=132, help="of the device; those of an H100 SXM")
    options = parser.parse_args()
    failures = 0
    for program in options.programs:
        with tempfile.TemporaryDirectory() as folder:
            failures += check(options.bin, program, options.target, options.multiprocessors, Path(folder))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
