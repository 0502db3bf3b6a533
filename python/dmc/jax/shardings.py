# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardings as users of dmc.jax give them: those of JAX, or dmc's own on a mesh without devices."""
from __future__ import annotations

import typing
from collections.abc import Mapping

import jax

from ..conversions import dims_of_spec, is_partition_spec, to_jax_mesh
from ..errors import Error
from ..mesh import Layout, Mesh, P


def is_sharding(value: typing.Any) -> bool:
    return value is None or isinstance(value, (P, Layout, jax.sharding.Sharding)) or is_partition_spec(value)


def read_mesh(mesh: typing.Any) -> typing.Any:
    """None, or a mesh of JAX: of a mapping an abstract one, for which the process needs no devices."""
    if isinstance(mesh, Mapping):
        return to_jax_mesh(Mesh(mesh))
    if mesh is not None and not isinstance(mesh, (jax.sharding.Mesh, jax.sharding.AbstractMesh)):
        raise Error(f"expected a mesh as a mapping of axes to sizes, or one of JAX, found {type(mesh).__name__}")
    return mesh


def _read_sharding(value: typing.Any, mesh: typing.Any) -> typing.Any:
    if value is None or isinstance(value, jax.sharding.Sharding):
        return value
    if isinstance(value, Layout):
        return value.to_jax()
    if mesh is None:
        raise Error(f"a sharding as {value!r} needs mesh=, expected a NamedSharding or a mesh")
    spec = value if is_partition_spec(value) else jax.sharding.PartitionSpec(
        *(tuple(dim) if isinstance(dim, (list, tuple)) else dim for dim in value))
    known = tuple(mesh.axis_names)
    for axis in (axis for dim in dims_of_spec(spec, None) for axis in dim):
        if axis not in known:
            raise Error(f'unknown mesh axis "{axis}" in {value!r}; the mesh has {", ".join(map(repr, known))}')
    return jax.sharding.NamedSharding(mesh, spec)


def read_shardings(tree: typing.Any, mesh: typing.Any) -> typing.Any:
    """A tree, or a prefix of one, of shardings as jax.jit takes it."""
    return jax.tree.map(lambda value: _read_sharding(value, mesh), tree, is_leaf=is_sharding)


def has_abstract_mesh(tree: typing.Any) -> bool:
    """True if a sharding is on a mesh without devices."""
    leaves = jax.tree.leaves(tree, is_leaf=is_sharding)
    return any(isinstance(getattr(leaf, "mesh", None), jax.sharding.AbstractMesh) for leaf in leaves)
