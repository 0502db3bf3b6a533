# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""States in folders, as dmc-run writes and reads them: manifest.json and an array for each block."""
from __future__ import annotations

import itertools
import json
import os
import pathlib
import shutil
import tempfile
import typing
from collections.abc import Iterable, Mapping

import numpy

from ..errors import Error
from ..runtime import Value


def _blocks(value: Value) -> Iterable[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Offset and size of each distinct block that is not empty."""
    starts = [range(0, size, max(local, 1)) if size else [0] for size, local in zip(value.shape, value.local_shape)]
    for offset in itertools.product(*starts):
        yield offset, tuple(min(local, size - begin)
                            for local, size, begin in zip(value.local_shape, value.shape, offset))


def save(folder: str | os.PathLike[str], mesh: Mapping[str, int],
         values: Iterable[tuple[Value, numpy.ndarray]]) -> None:
    """Writes a state; the folder appears when it is complete, in place of a state that was there."""
    target = pathlib.Path(folder)
    if target.exists() and not (target / "manifest.json").is_file():
        raise Error(f"cannot write {str(target)!r}: it exists and is not a saved state")
    entries = []
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = pathlib.Path(tempfile.mkdtemp(prefix=target.name + ".", dir=target.parent))
    except OSError as problem:
        raise Error(f"cannot write {str(target)!r}: {problem.strerror}") from None
    try:
        for number, (value, array) in enumerate(values):
            shards = []
            for part, (offset, size) in enumerate(_blocks(value)):
                block = array[tuple(slice(begin, begin + count) for begin, count in zip(offset, size))]
                name = f"{number:03}.{part}.npy"
                _write(work / name, numpy.ascontiguousarray(block).reshape(size), value.type)
                shards.append({"file": name, "offset": list(offset), "size": list(size)})
            entries.append({"name": value.name, "type": value.type, "shape": list(value.shape),
                            "layout": {"dims": [list(dim) for dim in value.dims]}, "shards": shards})
        axes = [{"name": name, "size": size} for name, size in mesh.items()]
        manifest = {"version": 1, "mesh": axes, "values": entries}
        (work / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
        if target.exists():
            shutil.rmtree(target)
        work.chmod(0o755)
        work.rename(target)
    except OSError as problem:
        raise Error(f"cannot write {str(target)!r}: {problem.strerror}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _write(path: pathlib.Path, array: numpy.ndarray, kind: str) -> None:
    if kind == "bf16":
        # The bits, of the type that has no name in numpy.
        array = array.view("uint16").view("V2") if array.size else numpy.zeros(array.shape, "V2")
    numpy.save(path, array, allow_pickle=False)


def _read(path: pathlib.Path, kind: str) -> numpy.ndarray:
    array = numpy.load(path, allow_pickle=False)
    return array.view("uint16") if kind == "bf16" and array.dtype.itemsize == 2 else array


def load(folder: str | os.PathLike[str]) -> dict[str, tuple[str, numpy.ndarray]]:
    """The values of a state by name, each with its element type; of bf16 the bits."""
    source = pathlib.Path(folder)
    try:
        manifest = json.loads((source / "manifest.json").read_text())
        if manifest["version"] != 1:
            raise Error(f"unsupported version {manifest['version']} of the state in {str(source)!r}, expected 1")
        return {entry["name"]: (entry["type"], _assemble(source, entry)) for entry in manifest["values"]}
    except OSError as problem:
        raise Error(f"cannot read the state in {str(source)!r}: {problem.strerror}: {problem.filename}") from None
    except (KeyError, TypeError, ValueError) as problem:
        raise Error(f"malformed state in {str(source)!r}: {problem}") from None


def _assemble(source: pathlib.Path, entry: dict[str, typing.Any]) -> numpy.ndarray:
    shape = tuple(entry["shape"])
    array: numpy.ndarray | None = None
    filled = 0
    for shard in entry["shards"]:
        block = _read(source / pathlib.Path(shard["file"]).name, entry["type"])
        if block.shape != tuple(shard["size"]):
            raise Error(f"malformed state in {str(source)!r}: expected shape {tuple(shard['size'])} in "
                        f"{shard['file']}, found {block.shape}")
        if array is None:
            array = numpy.zeros(shape, block.dtype)
        array[tuple(slice(begin, begin + count) for begin, count in zip(shard["offset"], shard["size"]))] = block
        filled += block.size
    if array is None or filled != array.size:
        raise Error(f"malformed state in {str(source)!r}: the blocks of {entry['name']!r} do not make up shape {shape}")
    return array
