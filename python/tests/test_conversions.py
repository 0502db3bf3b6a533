# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts from and to those of JAX and torch."""
import importlib.util
import unittest

import dmc
from support import MATMUL, needs_jax, needs_numpy

needs_torch = unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
MESH = dmc.Mesh(data=2, model=4)


@needs_jax
class OfJax(unittest.TestCase):
    def setUp(self):
        import jax
        self.jax, self.spec = jax, jax.sharding.PartitionSpec

    def test_there_and_back(self):
        for dims in (("data", None), (None, ("model", "data")), (), (None,)):
            layout = dmc.Layout(MESH, dmc.P(*dims))
            sharding = layout.to_jax()
            self.assertEqual(sharding.spec, self.spec(*dims))
            back = dmc.Layout.from_jax(sharding, len(dims))
            self.assertEqual((back.mesh, back.dims.to_json()), (MESH, layout.dims.to_json()))

    def test_devices(self):
        mesh = dmc.Mesh(data=1).to_jax(self.jax.devices())
        self.assertEqual(dmc.Mesh(mesh), {"data": 1})
        with self.assertRaisesRegex(dmc.Error, "the mesh has 8 ranks, found"):
            MESH.to_jax(self.jax.devices()[:1])

    def test_missing_dimensions(self):
        sharding = self.jax.sharding.NamedSharding(MESH.to_jax(), self.spec("data"))
        self.assertEqual(dmc.Layout.from_jax(sharding, 3).dims.to_json(), [["data"], [], []])
        with self.assertRaisesRegex(dmc.Error, "has 1 dimensions, expected 0 at most"):
            dmc.Layout.from_jax(sharding, 0)

    def test_refused(self):
        with self.assertRaisesRegex(dmc.Error, "unconstrained"):
            dmc.Layout.from_jax(self.jax.sharding.NamedSharding(MESH.to_jax(), self.spec(self.spec.UNCONSTRAINED)))
        with self.assertRaisesRegex(dmc.Error, "expected a NamedSharding, found str"):
            dmc.Layout.from_jax("data")
        with self.assertRaisesRegex(dmc.Error, "which is a part of a mesh axis"):
            dmc.Layout(MESH, ["model:(1)2"]).to_jax()

    def test_layouts_of_a_compilation(self):
        sharding = self.jax.sharding.NamedSharding(dmc.Mesh(model=2).to_jax(), self.spec("model", None))
        plan = dmc.compile(MATMUL, mesh={"model": 2}, layouts={
            "arguments": [self.spec(None, "model"), sharding], "results": [self.spec(None, None)]})
        self.assertEqual(plan.collectives.count(kind="all_reduce"), 1)
        self.assertEqual(dmc.compile(MATMUL, mesh=dmc.Mesh(model=2).to_jax()).mesh, {"model": 2})


@needs_torch
@needs_numpy
class OfTorch(unittest.TestCase):
    def test_there_and_back(self):
        from torch.distributed.tensor import Replicate, Shard
        for placements, dims in (((Shard(0), Replicate()), [["data"], []]), ((Shard(1), Shard(1)), [[], ["data", "model"]]),
                                 ((Replicate(), Shard(-1)), [[], ["model"]])):
            layout = dmc.Layout.from_placements(MESH, placements, 2)
            self.assertEqual(layout.dims.to_json(), dims)
            self.assertEqual(dmc.Layout.from_placements(MESH, layout.to_placements(), 2), layout)

    def test_refused(self):
        from torch.distributed.tensor import Partial, Replicate, Shard
        with self.assertRaisesRegex(dmc.Error, 'unsupported: .* on mesh axis "model", expected Shard or Replicate'):
            dmc.Layout.from_placements(MESH, (Replicate(), Partial()), 2)
        with self.assertRaisesRegex(dmc.Error, "expected 2 placements, one for each mesh axis, found 1"):
            dmc.Layout.from_placements(MESH, (Shard(0),), 2)
        with self.assertRaisesRegex(dmc.Error, "the tensor has 2 dimensions"):
            dmc.Layout.from_placements(MESH, (Shard(2), Replicate()), 2)
        with self.assertRaisesRegex(dmc.Error, "are split in the order of the mesh, data, model"):
            dmc.Layout(MESH, [("model", "data")]).to_placements()


class OfOthers(unittest.TestCase):
    def test_mesh(self):
        with self.assertRaisesRegex(dmc.Error, "expected a mesh as a mapping of axes to sizes, .* found int"):
            dmc.Mesh(3)


if __name__ == "__main__":
    unittest.main()
