# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts as those of JAX (NamedSharding) and of torch (placements of a DTensor), and the reverse."""
from __future__ import annotations

import sys
import typing
from collections.abc import Mapping, Sequence

from .errors import Error

Dims = list[list[str]]


def is_partition_spec(value: typing.Any) -> bool:
    """True of jax.sharding.PartitionSpec, which is not a sequence in every version; without importing JAX."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.sharding.PartitionSpec)


def dims_of_spec(spec: typing.Any, rank: int | None) -> Dims:
    """Of a jax.sharding.PartitionSpec, which may leave out trailing dimensions."""
    dims: Dims = []
    for number, entry in enumerate(tuple(spec)):
        axes = () if entry is None else (entry,) if isinstance(entry, str) else entry
        if not isinstance(axes, (tuple, list)):
            raise Error(f"unsupported: dimension {number} of {spec} is unconstrained, expected None or mesh axes")
        dims.append(list(axes))
    if getattr(spec, "unreduced", None):
        raise Error(f"unsupported: {spec} is unreduced over {', '.join(sorted(spec.unreduced))}; "
                    "arguments and results have no partial values")
    if rank is not None:
        if len(dims) > rank:
            raise Error(f"{spec} has {len(dims)} dimensions, expected {rank} at most")
        dims += [[] for _ in range(rank - len(dims))]
    return dims


def axes_of_jax(mesh: typing.Any) -> dict[str, int]:
    """Of a jax.sharding.Mesh or AbstractMesh."""
    return dict(mesh.shape)


def axes_of_torch(mesh: typing.Any) -> dict[str, int]:
    """Of a torch DeviceMesh."""
    names = mesh.mesh_dim_names
    if not names:
        raise Error("the DeviceMesh has no mesh_dim_names, expected a name for each dimension")
    return dict(zip(names, mesh.shape))


def axes_of(mesh: typing.Any) -> dict[str, int]:
    """Of a mesh of JAX or torch."""
    if hasattr(mesh, "mesh_dim_names"):
        return axes_of_torch(mesh)
    if hasattr(mesh, "axis_names"):
        return axes_of_jax(mesh)
    raise Error(f"expected a mesh as a mapping of axes to sizes, or one of JAX or torch, found {type(mesh).__name__}")


def dims_of_placements(mesh: Mapping[str, int], placements: Sequence[typing.Any], rank: int) -> Dims:
    """Placements, one for each mesh axis, as the axes of each dimension in the mesh's order."""
    if len(placements) != len(mesh):
        raise Error(f"expected {len(mesh)} placements, one for each mesh axis, found {len(placements)}")
    dims: Dims = [[] for _ in range(rank)]
    for axis, placement in zip(mesh, placements):
        kind = type(placement).__name__
        if kind == "Shard":
            dim = placement.dim + rank if placement.dim < 0 else placement.dim
            if not 0 <= dim < rank:
                raise Error(f'{placement} on mesh axis "{axis}": the tensor has {rank} dimensions')
            dims[dim].append(axis)
        elif kind != "Replicate":
            raise Error(f'unsupported: {placement} on mesh axis "{axis}", expected Shard or Replicate')
    return dims


def to_placements(mesh: Mapping[str, int], dims: Dims) -> tuple[typing.Any, ...]:
    """One placement of torch for each mesh axis."""
    from torch.distributed.tensor import Replicate, Shard
    order = list(mesh)
    placements: list[typing.Any] = [Replicate() for _ in order]
    for number, axes in enumerate(dims):
        for axis in axes:
            if axis not in mesh:
                raise Error(f'unsupported: placements of "{axis}", which is a part of a mesh axis')
        if sorted(axes, key=order.index) != axes:
            raise Error(f"unsupported: placements of dimension {number}, which is split over {', '.join(axes)}; "
                        f"a DTensor's dimensions are split in the order of the mesh, {', '.join(order)}")
        for axis in axes:
            placements[order.index(axis)] = Shard(number)
    return tuple(placements)


def to_jax_mesh(mesh: Mapping[str, int], devices: Sequence[typing.Any] | None = None) -> typing.Any:
    """A jax.sharding.Mesh of devices; without them an AbstractMesh, which is enough to lower a function."""
    import jax
    names, sizes = tuple(mesh), tuple(mesh.values())
    if devices is None:
        return jax.sharding.AbstractMesh(sizes, names)
    import numpy
    count = int(numpy.prod(sizes, dtype=int))
    if len(devices) < count:
        raise Error(f"the mesh has {count} ranks, found {len(devices)} devices of JAX")
    return jax.sharding.Mesh(numpy.array(list(devices)[:count], dtype=object).reshape(sizes), names)


def to_named_sharding(mesh: Mapping[str, int], dims: Dims, devices: Sequence[typing.Any] | None) -> typing.Any:
    import jax
    for axis in (axis for axes in dims for axis in axes):
        if axis not in mesh:
            raise Error(f'unsupported: a NamedSharding of "{axis}", which is a part of a mesh axis')
    entries = [None if not axes else axes[0] if len(axes) == 1 else tuple(axes) for axes in dims]
    return jax.sharding.NamedSharding(to_jax_mesh(mesh, devices), jax.sharding.PartitionSpec(*entries))
