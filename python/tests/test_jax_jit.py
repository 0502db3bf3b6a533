# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dmc.jax.jit against JAX on one device, what export_step writes, and what is refused."""
import json
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import dmc
from dmc import _tools
from support import needs_jax


def to_numpy(leaf):
    import jax
    import numpy
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    array = numpy.asarray(leaf)
    return array.astype("float32") if array.dtype.name == "bfloat16" else array


@needs_jax
class Base(unittest.TestCase):
    def setUp(self):
        import jax
        import numpy

        import dmc.jax
        import jax_programs
        self.jax, self.numpy, self.programs, self.jit = jax, numpy, jax_programs, dmc.jax.jit

    def check_results(self, got, want, tolerance):
        self.assertEqual(self.jax.tree.structure(got), self.jax.tree.structure(want))
        for i, (g, w) in enumerate(zip(self.jax.tree.leaves(got), self.jax.tree.leaves(want))):
            self.assertEqual((g.dtype, g.shape), (w.dtype, w.shape))
            self.numpy.testing.assert_allclose(to_numpy(g), to_numpy(w), rtol=tolerance * 10, atol=tolerance, err_msg=f"result {i}")

    def check(self, pattern, function, *arguments, **options):
        with self.assertRaisesRegex(dmc.Error, pattern) as caught:
            function(*arguments, **options)
        self.assertNotIn("\n", caught.exception.message)
        return caught.exception


class Steps(Base):
    def check_step(self, name):
        program = getattr(self.programs, name)()
        step = self.jit(program.function, in_shardings=program.shardings, donate_argnums=program.donated, mesh=self.programs.MESH)
        want = self.jax.jit(program.function)(*program.arguments)
        self.check_results(step(*program.arguments), want, program.tolerance)
        self.assertEqual(step.plan(*program.arguments).mesh, self.programs.MESH)
        self.check_results(step(*program.arguments), want, program.tolerance)  # the arguments are as they were

    def test_shard_map(self):
        mesh = dmc.Mesh(self.programs.MESH).to_jax()
        program, reference = self.programs.shard_map_step(mesh)
        step = self.jit(program.function, in_shardings=program.shardings, donate_argnums=program.donated, mesh=mesh)
        self.check_results(step(*program.arguments), self.jax.jit(reference)(*program.arguments), program.tolerance)

    def test_loop(self):
        """Donated results go back in without a copy, and a new value where the caller changes one."""
        program = self.programs.momentum()
        step = self.jit(program.function, in_shardings=program.shardings, donate_argnums=program.donated, mesh=self.programs.MESH)
        plain = self.jax.jit(program.function)
        got, want = program.arguments[:2], program.arguments[:2]
        session = step.compile(*program.arguments).session
        for number in range(4):
            if number == 2:
                got, want = [self.jax.tree.map(lambda leaf: leaf * 0.5, state) for state in (got, want)]
            with mock.patch.object(session, "_set_all", wraps=session._set_all) as copies:
                *got, value = step(*got, *program.arguments[2:])
            self.assertEqual(sum(len(call.args[0]) for call in copies.call_args_list), 2 if number in (1, 3) else 8)
            *want, expected = plain(*want, *program.arguments[2:])
            self.assertAlmostEqual(float(value), float(expected), places=5)
        self.check_results(tuple(got), tuple(want), 1e-4)


for _name in ("momentum", "scanned_layers", "experts", "accumulated", "random_numbers", "other_generator",
              "depthwise_convolution", "unused_and_types"):
    setattr(Steps, f"test_{_name}", lambda self, name=_name: self.check_step(name))


class Forms(Base):
    """Arguments of all forms."""

    def test_decorator_and_named_arguments(self):
        @self.jit(static_argnames=("power", "shift"))
        def function(x, power, *, scale, shift=0):
            return {"y": x ** power * scale + shift}

        x = self.jax.numpy.arange(4.0)
        self.assertEqual(function(x, 2, scale=3.0)["y"].tolist(), [0.0, 3.0, 12.0, 27.0])
        self.assertEqual(function(x, power=3, scale=1.0, shift=2)["y"].tolist(), [2.0, 3.0, 10.0, 29.0])
        self.assertEqual(function.__name__, "function")

    def test_static_numbers(self):
        function = self.jit(lambda n, x, m: x * n + m, static_argnums=(0, -1))
        self.assertEqual(function(2, self.jax.numpy.ones(2), 5).tolist(), [7.0, 7.0])
        self.assertEqual(function(3, self.jax.numpy.ones(2), 5).tolist(), [8.0, 8.0])
        self.check("static arguments have to be hashable", function, [2], 1.0, 5)

    def test_compiled_once(self):
        function = self.jit(lambda x: x + 1)
        with mock.patch.object(dmc.plan, "compile", wraps=dmc.plan.compile) as compile_:
            for x in (self.numpy.ones(3, "float32"), self.jax.numpy.zeros(3), self.numpy.ones((2, 2), "float32"), 1.0, 2.0):
                function(x)
        self.assertEqual(compile_.call_count, 3)

    def test_methods(self):
        class Model:
            scale = 3

            @dmc.jax.jit(static_argnums=0)
            def apply(self, x):
                return x * self.scale

        self.assertEqual(Model().apply(2.0).item(), 6.0)

    def test_numbers_have_the_types_of_the_program(self):
        function = self.jit(lambda x, s, n: (x * s, n + 1))
        x, n = function(self.numpy.ones(2), 3, self.numpy.int64(4))  # float64 and int64, which JAX narrows
        self.assertEqual((x.dtype.name, x.tolist(), n.dtype.name, n.item()), ("float32", [3.0, 3.0], "int32", 5))

    def test_wide_types(self):
        with self.jax.enable_x64(True):
            (got,) = self.jit(lambda x: (x.astype("float64") + 1e-12,))(self.jax.numpy.ones(3))
            self.assertEqual((got.dtype.name, got[0] - 1 > 0), ("float64", True))

    def test_closed_over_arrays(self):
        """A large one is an argument of the program that a call does not give; a small one is in the text."""
        large, small = self.programs.draw(1, 32, 256), self.programs.draw(2, 8, 32)
        function = self.jit(lambda p, x: {"y": x @ p["w"] @ large}, in_shardings=({"w": dmc.P(None, "model")}, dmc.P("data")),
                            mesh=self.programs.MESH)
        x = self.programs.draw(3, 4, 8)
        program = function.lower({"w": small}, x)
        self.assertEqual([value.shape for value in program.constants], [(32, 256)])
        self.assertLess(len(program.text), 20000)
        self.check_results(function({"w": small}, x), {"y": x @ small @ large}, 1e-5)
        self.assertEqual(self.jit(lambda x: x @ small).lower(x).constants, [])

    def test_pairs(self):
        from dmc.jax.values import to_array, to_leaves
        z = self.jax.numpy.asarray([[1 + 2j, -3j], [4, 5 - 1j]])
        aval = self.jax.ShapeDtypeStruct(z.shape, z.dtype)
        pairs = to_array(z, aval, "z")
        self.assertEqual((pairs.dtype.name, pairs[0].tolist()), ("float32", [[1, 2], [0, -3]]))
        self.assertEqual(to_leaves([pairs], [aval])[0].tolist(), z.tolist())
        self.assertEqual(to_array(2, aval.update(shape=()), "z").tolist(), [2, 0])

    def test_complex_numbers(self):
        jnp = self.jax.numpy
        function = lambda x, z: (x * z * 1j, jnp.abs(z), jnp.real(z) + x)
        x, z = self.programs.draw(1, 3, 4), self.programs.draw(2, 3, 4) + 1j * self.programs.draw(3, 3, 4)
        self.check_results(self.jit(function)(x, z), self.jax.jit(function)(x, z), 1e-5)

    def test_decompositions(self):
        """In batches that are split among ranks; of vectors, whose signs are not unique, what they give."""
        linalg, jnp = self.jax.numpy.linalg, self.jax.numpy

        def function(x):
            values, vectors = linalg.eigh(x + jnp.swapaxes(x, -1, -2))
            left, singular, right = linalg.svd(x[:, :, :3], full_matrices=False)
            return (values, (vectors * values[:, None, :]) @ jnp.swapaxes(vectors, -1, -2), singular, (left * singular[:, None, :]) @ right,
                    jnp.abs(linalg.qr(x)[1]))

        x = self.programs.draw(1, 4, 5, 5)
        split = self.jit(function, in_shardings=dmc.P("data"), mesh={"data": 2})
        self.check_results(split(x), self.jax.jit(function)(x), 1e-5)

    def test_strategy(self):
        program = self.programs.momentum()
        step = self.jit(program.function, donate_argnums=program.donated, mesh={"data": 4}, strategy="data_parallel")
        self.check_results(step(*program.arguments), self.jax.jit(program.function)(*program.arguments), program.tolerance)
        self.assertGreater(step.plan(*program.arguments).collectives.bytes(axis="data"), 0)

    def test_layouts_of_results(self):
        function = self.jit(lambda x: x + 1, in_shardings=dmc.Layout(dmc.Mesh(data=2), ["data", None]),
                            out_shardings=dmc.P(None, "data"), mesh={"data": 2})
        self.check_results(function(self.jax.numpy.zeros((4, 4))), self.jax.numpy.ones((4, 4)), 0)
        self.assertEqual(function.compile(self.jax.numpy.zeros((4, 4))).session.results[0].dims, ((), ("data",)))

    def test_lowered_by_jax(self):
        lowered = self.jax.jit(lambda x: x * 2, keep_unused=True).lower(self.numpy.ones(3, "float32"))
        self.assertEqual(dmc.compile(lowered).run([[1.0, 2.0, 3.0]])[0].tolist(), [2.0, 4.0, 6.0])


class Lines(unittest.TestCase):
    """Source lines of operations whose own locations do not know them."""

    TEXT = """#loc = loc(unknown)
#loc1 = loc("model.py":7:4 to :9)
#loc2 = loc("mul"(#loc1))
module {
  func.func public @main() {
    %0 = call @inner() loc(#loc3)
    %1 = other.op loc(#loc2)
    %2 = other.op loc(callsite(#loc4 at #loc2))
  }
  func.func private @inner() {
    %0 = third.op loc(#loc)
  }
}
#loc3 = loc("call"("user.py":3:1))
#loc4 = loc("op"("layer.py":5:2))
"""

    def test_lines(self):
        from dmc.locations import source_of
        found = {line: str(source_of(self.TEXT, line)) for line in (1, 6, 7, 8, 11, 99)}
        self.assertEqual(found, {1: "None", 99: "None",
                                 6: "user.py:3:1", 7: "model.py:7:4", 8: "layer.py:5:2", 11: "user.py:3:1"})

    def test_errors(self):
        from dmc.locations import point_at_source
        error = point_at_source(dmc.Error("no", dmc.Location("<program>", 11, 5)), self.TEXT, "<program>")
        self.assertEqual((str(error.location), str(error.notes[0].location)), ("user.py:3:1", "<program>:11:5"))
        error = point_at_source(dmc.Error("no", None, [dmc.Note("called from", dmc.Location("a.py", 1))]), "", "<program>")
        self.assertEqual((str(error.location), error.notes), ("a.py:1", []))


class Exports(Base):
    def test_tools_take_it(self):
        program = self.programs.momentum()
        jitted = self.jit(program.function, in_shardings=program.shardings, donate_argnums=program.donated, mesh=self.programs.MESH)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "step")
            meta = dmc.jax.export_step(path, jitted, *program.arguments, rtol=1e-4, atol=1e-5)
            self.assertEqual(meta, json.loads((path / "meta.json").read_text()))
            self.assertEqual([value["name"] for value in meta["arguments"]][:3], ["params/b1", "params/w1", "params/w2"])
            self.assertEqual([value["role"] for value in meta["arguments"]], ["state"] * 6 + ["batch"] * 2)
            self.assertEqual(len(meta["donation"]), 6)
            bin_ = _tools.find_tree() / "bin"
            run = lambda tool, *words: subprocess.run([bin_ / tool, *words], cwd=path, check=True, capture_output=True, text=True)
            for options in ([], ["--layouts=shardings.json", "--case=step"]):
                run("dmc-compile", "step.mlir", *options, "-o", "step.so")
                run("dmc-run", "step.so", "--input-dir=inputs", "--expect-dir=expected", "--meta=meta.json")
            self.check("exists, expected a new folder", dmc.jax.export_step, path, jitted, *program.arguments)

    def test_of_a_plain_function(self):
        large = self.programs.draw(1, 64, 128)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "step")
            meta = dmc.jax.export_step(path, lambda key, x: jax_sum(key, x, large), self.jax.random.key(1), self.programs.draw(2, 4, 64),
                                       expected=False)
            self.assertEqual([value["dtype"] for value in meta["arguments"]], ["float32", "uint32", "float32"])
            self.assertFalse((path / "expected").exists())
            self.assertEqual(len(list((path / "inputs").iterdir())), 3)


def jax_sum(key, x, large):
    import jax
    return (x @ large + jax.random.normal(key, (128,))).sum()


class Refusals(Base):
    def test_by_name_and_line(self):
        lines = (pathlib.Path(self.programs.__file__)).read_text().splitlines()
        for name, (word, function, arguments) in self.programs.refused().items():
            with self.subTest(name):
                error = self.check("unsupported", self.jit(function), *arguments)
                self.assertIn(word, error.message)
                self.assertEqual(pathlib.Path(error.location.file).name, "jax_programs.py")
                self.assertIn(f'"{name}":', lines[error.location.line - 1])
                self.assertFalse([note for note in error.notes if "dmc/" in str(note.location)], error)

    def test_options(self):
        function = lambda x: x
        self.check("unknown option 'in_sharding' of dmc.jax.jit", self.jit, function, in_sharding=None)
        self.check("expected a function, found int", self.jit, 3)
        self.check("needs mesh=", self.jit, function, in_shardings=dmc.P("data"))
        self.check('unknown mesh axis "dta" in', self.jit, function, in_shardings=(dmc.P("dta"),), mesh={"data": 2})
        self.check("expected donate_argnums as numbers of arguments, found 'x'", self.jit, function, donate_argnums="x")
        self.check("no_such", self.jit(function, mesh={"data": 2}, strategy="no_such"), 1.0)

    def test_arguments(self):
        function = self.jit(lambda x: x)
        self.check("expected arrays, numbers and keys as arguments, found str", function, "x")
        x = self.jax.numpy.ones(3)
        compiled = function.compile(x)
        self.check("expected 1 arrays, found 2", compiled, x, x)
        x.delete()
        self.check("has been deleted or donated", compiled, x)


if __name__ == "__main__":
    unittest.main()
