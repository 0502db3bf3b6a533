# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the texts of `dmc-compile --emit=sdy` and `--emit=stablehlo` of a plan by XLA, on devices of the host:
xla_programs.py SDY STABLEHLO FOLDER. FOLDER holds the arguments, 000.npy, ..., and takes the results, sdy000.npy, ... and stablehlo000.npy, ...

A process of its own: how many devices the host has is said before JAX starts.
"""
import math
import os
import pathlib
import re
import sys

sdy, stablehlo, folder = (pathlib.Path(word) for word in sys.argv[1:])
ranks = int(re.search(r"mhlo.num_partitions = (\d+)", sdy.read_text())[1])
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={ranks}"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import compiler  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jax._src.lib.mlir import ir  # noqa: E402

jax.config.update("jax_enable_x64", True)
devices = jax.devices()[:ranks]


class Boundary:
    """The mesh and the shardings of arguments and results, which the text says."""

    def __init__(self, module):
        text = str(next(op for op in module.body.operations if op.operation.name == "sdy.mesh"))
        self.sizes = {name: int(size) for name, size in re.findall(r'"(\w+)"=(\d+)', text)}
        main = next(op for op in module.body.operations if op.operation.name == "func.func")
        self.arguments, self.results = self.read(main, "arg_attrs"), self.read(main, "res_attrs")
        self.shapes = [tuple(ir.RankedTensorType(type).shape) for type in main.type.results]

    @staticmethod
    def read(main, name):
        dims = [re.search(r"\[(.*?)\]", str(ir.DictAttr(attrs)["sdy.sharding"]))[1] for attrs in main.operation.attributes[name]]
        return [[re.findall(r'"(\w+)"', axes) for axes in re.findall(r"{(.*?)}", text)] for text in dims]

    def span(self, extent, axes, rank):
        """Where the block of a dimension begins, how many elements of it there are, and how many it has room for."""
        position, rest = {}, rank
        for name, size in reversed(self.sizes.items()):
            position[name], rest = rest % size, rest // size
        begin, end, size = 0, extent, extent
        for name in axes:
            size = -(-size // self.sizes[name])
            begin = min(end, begin + position[name] * size)
            end = min(end, begin + size)
        return begin, end - begin, size

    def even(self, shape, dims):
        """Without the axes that cut a dimension into blocks of two sizes: XLA leaves them out on its boundary."""
        kept = []
        for extent, axes in zip(shape, dims):
            counts = [math.prod(self.sizes[name] for name in axes[:n]) for n in range(len(axes) + 1)]
            kept.append(axes[:max(n for n, count in enumerate(counts) if extent % count == 0)])
        return kept

    def block(self, array, dims, rank):
        """What a rank has of an array."""
        spans = [self.span(extent, axes, rank) for extent, axes in zip(array.shape, dims)]
        part = array[tuple(slice(begin, begin + count) for begin, count, _ in spans)]
        return np.pad(part, [(0, size - count) for _, count, size in spans]) if spans else part

    def join(self, blocks, shape, dims):
        """The array of which these are the blocks."""
        result = np.zeros(shape, blocks[0].dtype)
        for rank, part in enumerate(blocks):
            spans = [self.span(extent, axes, rank) for extent, axes in zip(shape, dims)]
            result[tuple(slice(begin, begin + count) for begin, count, _ in spans)] = part[tuple(slice(0, n) for _, n, _ in spans)]
        return result


def to_array(blocks):
    """One array whose parts are the blocks: what it is as a whole nobody asks."""
    mesh = jax.sharding.Mesh(np.array(devices), ("rank",))
    if blocks[0].ndim == 0:
        return jax.make_array_from_single_device_arrays((), jax.NamedSharding(mesh, jax.P()), blocks)
    shape = (ranks * blocks[0].shape[0],) + blocks[0].shape[1:]
    return jax.make_array_from_single_device_arrays(shape, jax.NamedSharding(mesh, jax.P("rank")), blocks)


def run(module, boundary, is_sharded, name):
    replicas, partitions = (1, ranks) if is_sharded else (ranks, 1)
    options = compiler.get_compile_options(replicas, partitions, np.array(devices).reshape(replicas, partitions))
    options.executable_build_options.use_spmd_partitioning = is_sharded
    options.executable_build_options.use_shardy_partitioner = is_sharded
    executable = devices[0].client.compile_and_load(module, executable_devices=xla_client.DeviceList(tuple(devices)),
                                                    compile_options=options)
    inputs = []
    for number, dims in enumerate(boundary.arguments):
        array = np.load(folder / f"{number:03}.npy")
        dims = boundary.even(array.shape, dims) if is_sharded else dims
        inputs.append(to_array([jax.device_put(boundary.block(array, dims, rank), device)
                                for rank, device in enumerate(devices)]))
    results = executable.execute_sharded(inputs).disassemble_into_single_device_arrays()
    for number, (shape, dims, parts) in enumerate(zip(boundary.shapes, boundary.results, results)):
        dims = boundary.even(shape, dims) if is_sharded else dims
        by_device = {next(iter(part.devices())): np.asarray(part) for part in parts}
        np.save(folder / f"{name}{number:03}.npy", boundary.join([by_device[device] for device in devices], shape, dims))


with mlir.make_ir_context(), ir.Location.unknown():
    sharded = ir.Module.parse(sdy.read_text())
    boundary = Boundary(sharded)
    run(sharded, boundary, True, "sdy")
    run(ir.Module.parse(stablehlo.read_text()), boundary, False, "stablehlo")
