# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""States as folders: a file for each distinct block and manifest.json, as dmc-run and dmc-reshard read and write them."""
from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import tempfile
import typing
from collections.abc import Iterator, Mapping, Sequence

from .errors import Error

if typing.TYPE_CHECKING:
    import numpy

    from .runtime import Value

_VERSION = 1
_PART = re.compile(r"^(?P<axis>.*):\((?P<before>\d+)\)(?P<size>\d+)$")

Box = list[tuple[int, int]]  # begin and end of each dimension


def _axis(axis: str, mesh: Mapping[str, int]) -> tuple[str, int, int]:
    """Its name, the positions behind which it counts, and its size: "data", or "data:(2)4" for a part."""
    if part := _PART.match(axis):
        return part["axis"], int(part["before"]), int(part["size"])
    return axis, 1, mesh[axis]


def _coordinate(axis: str, mesh: Mapping[str, int], rank: int) -> tuple[int, int]:
    """The coordinate of a rank along an axis or a part of it, and the size."""
    name, before, size = _axis(axis, mesh)
    position = rank
    for other in reversed(list(mesh)):
        if other == name:
            break
        position //= mesh[other]
    return position % mesh[name] // (mesh[name] // (before * size)) % size, size


def box_of(shape: Sequence[int], dims: Sequence[Sequence[str]], mesh: Mapping[str, int], rank: int) -> Box:
    """The elements of a value that a rank holds: each axis cuts the padded block of the one before."""
    box = []
    for size, axes in zip(shape, dims):
        begin, end, block = 0, size, size
        for axis in axes:
            coordinate, parts = _coordinate(axis, mesh, rank)
            block = -(-block // parts)
            begin = min(begin + coordinate * block, end)
            end = min(begin + block, end)
        box.append((begin, end))
    return box


def boxes_of(shape: Sequence[int], dims: Sequence[Sequence[str]], mesh: Mapping[str, int]) -> Iterator[Box]:
    """The distinct blocks that are not empty, by the first rank that has them."""
    ranks = 1
    for size in mesh.values():
        ranks *= size
    seen = set()
    for rank in range(ranks):
        box = box_of(shape, dims, mesh, rank)
        if tuple(box) not in seen and all(end > begin for begin, end in box):
            seen.add(tuple(box))
            yield box


def write_state(folder: str | os.PathLike[str], mesh: Mapping[str, int],
                values: Sequence[tuple["Value", "numpy.ndarray"]]) -> None:
    """Writes a new folder, whole or not at all."""
    import numpy
    path = pathlib.Path(folder)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise Error(f"cannot write {str(path)!r}: it exists, expected a new folder")
    try:
        temporary = tempfile.mkdtemp(prefix=path.name + ".tmp", dir=path.parent)
    except OSError as problem:
        raise Error(f"cannot write {str(path)!r}: {problem.strerror}") from None
    try:
        entries = []
        for number, (value, array) in enumerate(values):
            shards = []
            stored = array.view("V2") if value.type == "bf16" else array
            for index, box in enumerate(boxes_of(value.shape, value.dims, mesh)):
                file = f"{number:03}.{index}.npy"
                block = stored[tuple(slice(begin, end) for begin, end in box)]
                numpy.save(os.path.join(temporary, file), numpy.ascontiguousarray(block).reshape(block.shape))
                shards.append({"file": file, "offset": [begin for begin, _ in box], "size": [end - begin for begin, end in box]})
            entries.append({"name": value.name, "type": value.type, "shape": list(value.shape),
                            "layout": {"dims": [list(axes) for axes in value.dims]}, "shards": shards})
        manifest = {"version": _VERSION, "mesh": [{"name": name, "size": size} for name, size in mesh.items()], "values": entries}
        with open(os.path.join(temporary, "manifest.json"), "w") as output:
            json.dump(manifest, output, indent=1)
        os.chmod(temporary, 0o755)
        if path.exists():
            path.rmdir()
        os.rename(temporary, path)
    except OSError as problem:
        raise Error(f"cannot write {str(path)!r}: {problem.strerror}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _read_value(folder: pathlib.Path, entry: dict[str, typing.Any], value: "Value") -> "numpy.ndarray":
    import numpy
    if entry["type"] != value.type or tuple(entry["shape"]) != value.shape:
        found = "x".join(map(str, [*entry["shape"], entry["type"]]))
        raise Error(f"the state has {value.name} as {found}, expected {value}")
    array = numpy.empty(value.shape, value.dtype)
    filled = 0
    for shard in entry["shards"]:
        offset, size = shard["offset"], shard["size"]
        path = folder / shard["file"]
        try:
            block = numpy.load(path, mmap_mode="r" if size and all(size) else None, allow_pickle=False)
        except (OSError, ValueError) as problem:
            raise Error(f"cannot read {path}: {problem}") from None
        if block.dtype.itemsize == value.dtype.itemsize and (block.dtype.kind == "V" or value.type == "bf16"):
            block = block.view(value.dtype)
        if block.dtype != value.dtype or list(block.shape) != size:
            raise Error(f"{path}: expected {'x'.join(map(str, size))} elements of {value.dtype}, "
                        f"found {'x'.join(map(str, block.shape))} of {block.dtype}")
        try:
            target = array[tuple(slice(begin, begin + length) for begin, length in zip(offset, size))]
            target[...] = block
        except ValueError:
            raise Error(f"{path}: a block of {size} at {offset} is outside of {value}") from None
        filled += block.size
    if filled != array.size:
        raise Error(f"the state is incomplete: its files hold {filled} of {array.size} elements of {value}")
    return array


def read_state(folder: str | os.PathLike[str], values: Sequence["Value"]) -> dict[int, "numpy.ndarray"]:
    """The global arrays of a state by argument, from whatever mesh and layouts it was saved."""
    path = pathlib.Path(folder)
    try:
        manifest = json.loads((path / "manifest.json").read_text())
        if manifest["version"] != _VERSION:
            raise Error(f"{path} is a state of version {manifest['version']}, expected {_VERSION}")
        entries = {entry["name"]: entry for entry in manifest["values"]}
        found = {}
        for index, value in enumerate(values):
            if value.name in entries:
                found[index] = _read_value(path, entries.pop(value.name), value)
            elif value.alias >= 0:
                raise Error(f"the state has no {value.name}, which the program updates")
    except OSError as problem:
        raise Error(f"cannot read {str(path)!r}: {problem.strerror}") from None
    except (ValueError, KeyError, TypeError) as problem:
        raise Error(f"{path} is not a state that dmc wrote: {type(problem).__name__}: {problem}") from None
    if entries:
        raise Error(f"the state has {next(iter(entries))!r}, but the program no such argument")
    return found
