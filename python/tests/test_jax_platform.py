# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX_PLATFORMS=dmc: programs that know nothing of dmc, in processes of their own, against those on one processor."""
import ctypes
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import dmc
from support import ROOT, needs_jax, needs_numpy, needs_torch

needs_flax = unittest.skipUnless(importlib.util.find_spec("flax") and importlib.util.find_spec("optax"), "flax or optax is not installed")
needs_pypjrt = unittest.skipUnless(importlib.util.find_spec("pypjrt"), "pypjrt is not installed")
HERE = pathlib.Path(__file__).resolve().parent


def start(platform, *words, devices=1, **variables):
    path = os.pathsep.join([str(ROOT / "python"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    environment = {**os.environ, "JAX_PLATFORMS": platform, "DMC_NUM_DEVICES": str(devices), "PYTHONPATH": path, **variables}
    return subprocess.Popen([sys.executable, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(platform, *words, **options):
    process = start(platform, *words, **options)
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


@needs_jax
class Programs(unittest.TestCase):
    def check_program(self, form, devices=1, tolerance=1e-5):
        found = {}
        for platform in ("cpu", "dmc"):
            code, out, err = run(platform, str(HERE / "jax_platform_program.py"), form, devices=devices)
            self.assertEqual(code, 0, err)
            found[platform] = json.loads(out)
            self.assertEqual(found[platform].pop("platform"), platform)
        self.assertEqual(list(found["cpu"]), list(found["dmc"]))
        for name, arrays in found["cpu"].items():
            for want, got in zip(arrays, found["dmc"][name], strict=True):
                self.assertEqual(len(got), len(want), name)
                for g, w in zip(got, want):
                    self.assertAlmostEqual(g, w, delta=tolerance * max(1, abs(w)), msg=name)

    def test_eager(self):
        self.check_program("eager")

    def test_matrices(self):
        self.check_program("matrices", tolerance=1e-4)

    def test_sharded(self):
        self.check_program("sharded", devices=4)

    @needs_flax
    def test_loop(self):
        self.check_program("loop", tolerance=1e-4)


@needs_jax
class Mistakes(unittest.TestCase):
    def check_error(self, pattern, code, **options):
        """One exception of JAX that says so, and a process that ends as others do."""
        program = f"import jax, jax.numpy as jnp, numpy as np\ntry:\n    {code}\nexcept Exception as error:\n" \
                  "    print(type(error).__name__, str(error)[:600])\nelse:\n    print('no error')\nprint(jnp.ones(2).sum())\n"
        code, out, err = run("dmc", "-c", program, **options)
        self.assertEqual((code, err), (0, ""), out)
        self.assertRegex(out, pattern)
        self.assertTrue(out.rstrip().endswith("2.0"), out)

    def test_unsupported(self):
        self.check_error("JaxRuntimeError UNIMPLEMENTED: dmc: <string>:3:.* unsupported: .*f8E4M3FN", "jnp.ones(4).astype('float8_e4m3fn')")

    def test_unknown_decomposition(self):
        self.check_error("JaxRuntimeError UNIMPLEMENTED: dmc: <string>:3:.* unsupported: .*'lapack_sgeev_ffi', a function of LAPACK",
                         "jnp.linalg.eigvals(jnp.ones((2, 2)))")

    def test_callbacks(self):
        for name, code in (("debug_print", "jax.debug.print('{}', x)"), ("debug_callback", "jax.debug.callback(print, x)"),
                           ("pure_callback", "jax.pure_callback(lambda x: x, x, x)"),
                           ("io_callback", "jax.experimental.io_callback(lambda x: x, x, x)")):
            self.check_error(f"NotImplementedError dmc: unsupported: {name}, a function of the Python process",
                             f"import jax.experimental; jax.jit(lambda x: ({code}, x))(jnp.ones(2))")

    def test_deleted(self):
        self.check_error("deleted or donated|Array has been deleted", "x = jnp.ones(3); x.delete(); x + 1")

    def test_too_few_devices(self):
        self.check_error("ValueError.*4", "jax.make_mesh((4,), ('x',))", devices=2)

    def test_shapes(self):
        self.check_error("TypeError", "jnp.ones((2, 3)) @ jnp.ones((2, 3))")

    def test_number_of_devices(self):
        for given in ("0", "many", "-1"):
            code, _, err = run("dmc", "-c", "import jax; jax.devices()", devices=given)
            self.assertNotEqual(code, 0)
            self.assertIn(f"expected DMC_NUM_DEVICES as a number from 1 to 4096, found '{given}'", err)

    def test_no_built_tree(self):
        code, _, err = run("dmc", "-c", "import jax; jax.devices()", DMC_HOME="/no/such/tree")
        self.assertNotEqual(code, 0)
        self.assertIn("found no built dmc in DMC_HOME", err)

    def test_other_platforms_are_as_before(self):
        """The plugin is there, and stays out of the way."""
        code, out, err = run("cpu", "-c", "import jax, sys; print(jax.devices()[0].platform, 'dmc' in sys.modules)", DMC_HOME="/no/such/tree")
        self.assertEqual((code, out, err), (0, "cpu False\n", ""))

    def test_threads(self):
        program = "import jax, jax.numpy as jnp, threading\n" \
                  "step = jax.jit(lambda x: (x * 2).sum())\nfound = [None] * 8\n" \
                  "def run(i):\n    for _ in range(20): found[i] = float(step(jnp.ones(5) * i))\n" \
                  "threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]\n" \
                  "[thread.start() for thread in threads]; [thread.join() for thread in threads]\nprint(found)"
        self.assertEqual(run("dmc", "-c", program), (0, str([10.0 * i for i in range(8)]) + "\n", ""))

    def test_fork(self):
        program = "import os, warnings; warnings.simplefilter('ignore')\nimport jax, jax.numpy as jnp\n" \
                  "step = jax.jit(lambda x: x + 1); x = step(jnp.ones(2))\nchild = os.fork()\n" \
                  "if child == 0:\n    try: print(step(x))\n    except Exception as error: print(str(error), flush=True)\n    os._exit(0)\n" \
                  "os.waitpid(child, 0); print(step(x))"
        code, out, err = run("dmc", "-c", program)
        self.assertEqual(code, 0, err)
        self.assertRegex(out, r"a fork does not copy\n\[3\. 3\.\]")

    def test_interrupt(self):
        program = "import jax, jax.numpy as jnp\nstep = jax.jit(lambda x: x + 1); x = step(jnp.ones(2)); print('ready', flush=True)\n" \
                  "def run(x):\n    try:\n        while True:\n            x = step(x)\n            x = x\n" \
                  "    except KeyboardInterrupt: print('interrupted')\nrun(x)\nprint(step(jnp.ones(2)))"
        process = start("dmc", "-c", program)
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err), (0, "interrupted\n[2. 2.]\n", ""))


@needs_jax
class Executables(unittest.TestCase):
    """Compiled programs as bytes, and their figures."""

    PROGRAM = "import jax, jax.numpy as jnp\nfrom jax.experimental import serialize_executable as se\n" \
              "compiled = jax.jit(lambda x: (x @ x.T, x.sum())).lower(jnp.ones((2, 3))).compile()\n" \
              "blob, takes, gives = se.serialize(compiled)\n" \
              "load = lambda blob: se.deserialize_and_load(blob, takes, gives, execution_devices=jax.devices()[:1])\n"

    def check_output(self, program, output, **variables):
        self.assertEqual(run("dmc", "-c", program, **variables), (0, output, ""))

    def test_serialized(self):
        self.check_output(self.PROGRAM + "product, total = load(blob)(jnp.full((2, 3), 2.0))\nprint(product.tolist(), total)",
                          "[[12.0, 12.0], [12.0, 12.0]] 12.0\n")

    def test_on_several_devices(self):
        self.check_output("import jax, jax.numpy as jnp\nfrom jax.experimental import serialize_executable as se\n"
                          "from jax.sharding import NamedSharding, PartitionSpec as P\n"
                          "x = jax.device_put(jnp.arange(8.0), NamedSharding(jax.make_mesh((4,), ('a',)), P('a')))\n"
                          "y = se.deserialize_and_load(*se.serialize(jax.jit(lambda x: x * 2).lower(x).compile()))(x)\n"
                          "print(y.tolist(), y.sharding.spec)", "[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0] P('a',)\n", devices=4)

    def test_refused(self):
        """What is damaged or of another build, in one message."""
        with_other = "import dmc.pjrt.stored as stored\nstored.version = lambda: 'dmc 0.0.1 (build x)'\n"
        for change, message in (("blob = blob.replace(b'dmc executable 1\\n', b'dmc executable 9\\n')", "it is not one of dmc"),
                                ("at = blob.index(b'dmc executable') + 99; blob = blob[:at] + bytes([blob[at] ^ 1]) + blob[at + 1:]",
                                 "it is damaged, its contents do not have the checksum"),
                                (with_other, r"it was compiled by dmc .* \(build \w+\), expected dmc 0.0.1 \(build x\): compile the function again")):
            code, out, err = run("dmc", "-c", f"{self.PROGRAM}{change}\ntry: load(blob)\nexcept Exception as error: print(error)\n"
                                              "print(jnp.ones(2).sum())")
            self.assertEqual((code, err), (0, ""), out)
            self.assertRegex(out, "dmc: cannot load a serialized executable: " + message)
            self.assertTrue(out.endswith("\n2.0\n"), out)

    def test_compilation_cache(self):
        """A second process compiles nothing."""
        program = "import jax, jax.numpy as jnp\nimport dmc.pjrt.programs as programs\ncalls, of_dmc = [], programs.plans.compile\n" \
                  "programs.plans.compile = lambda *a, **k: calls.append(1) or of_dmc(*a, **k)\n" \
                  "print(jax.jit(lambda x: x @ x.T)(jnp.ones((2, 3))).tolist(), len(calls) > 0)"
        with tempfile.TemporaryDirectory() as folder:
            for is_compiled in (True, False):
                self.check_output(program, f"[[3.0, 3.0], [3.0, 3.0]] {is_compiled}\n", JAX_COMPILATION_CACHE_DIR=folder,
                                  JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="0")

    def test_figures(self):
        self.check_output(self.PROGRAM + "memory = compiled.memory_analysis()\nprint(sorted(compiled.cost_analysis().items()), memory.argument_size_in_bytes, "
                          "memory.output_size_in_bytes)", "[('bytes sent', 0.0), ('flops', 24.0)] 24 20\n")

    def test_memory_of_devices(self):
        self.check_output("import jax, jax.numpy as jnp\nx = jax.device_put(jnp.ones(1024), jax.devices()[1])\n"
                          "print([device.memory_stats()['bytes_in_use'] for device in jax.devices()][1])", "4096\n", devices=2)


@needs_jax
class Exchange(unittest.TestCase):
    """DLPack, which jaxlib has for its own platforms alone."""

    def check_output(self, program, output):
        head = "import jax, jax.numpy as jnp, numpy as np\njax.devices()\n"
        self.assertEqual(run("dmc", "-c", head + program), (0, output, ""))

    def test_numpy(self):
        self.check_output("x = jnp.arange(6.0).reshape(2, 3)\nview = np.from_dlpack(x)\n"
                          "print(view.tolist(), view.ctypes.data == x.unsafe_buffer_pointer())\n"
                          "print(jnp.from_dlpack(np.arange(4, dtype='int32')).tolist(), jnp.from_dlpack(np.ones((0, 2), 'float32')).shape)\n"
                          "print(jnp.from_dlpack(np.arange(6, dtype='int32').reshape(2, 3).T).tolist())",
                          "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] True\n[0, 1, 2, 3] (0, 2)\n[[0, 3], [1, 4], [2, 5]]\n")

    def test_copies(self):
        """Memory that steps can use is not copied, and not overwritten where its array is donated."""
        self.check_output("block = np.zeros(64, 'float32'); at = -block.ctypes.data % 64 // 4\naligned, other = block[at:at + 16], block[at + 1:at + 17]\n"
                          "x = jnp.from_dlpack(aligned)\nprint(x.unsafe_buffer_pointer() == aligned.ctypes.data)\n"
                          "print(jax.jit(lambda x: x + 1, donate_argnums=0)(x)[0], aligned[0], x.is_deleted())\n"
                          "print(jnp.from_dlpack(other, copy=True).sum())\ntry: jnp.from_dlpack(other, copy=False)\n"
                          "except ValueError as error: print(str(error)[:28])",
                          "True\n1.0 0.0 True\n0.0\nthe array has to be copied, \n")

    @needs_torch
    def test_torch(self):
        self.check_output("import torch\nprint(torch.from_dlpack(jnp.ones(2, 'bfloat16') * 3), torch.from_dlpack(jnp.arange(3) > 1))\n"
                          "x = jnp.from_dlpack(torch.ones(3, dtype=torch.bfloat16))\nprint(x.dtype, x.sum())",
                          "tensor([3., 3.], dtype=torch.bfloat16) tensor([False, False,  True])\nbfloat16 3\n")


@needs_numpy
class Layouts(unittest.TestCase):
    """The structs of the interface."""

    @needs_pypjrt
    def test_against_another_description(self):
        from pypjrt._abi import pjrt_0_114 as other

        from dmc.pjrt import layouts
        self.assertEqual(layouts.SLOTS.split(), [name[5:] for name, _ in other.PJRT_Api._fields_[3:]])
        self.assertEqual(ctypes.sizeof(layouts.Api), ctypes.sizeof(other.PJRT_Api))
        for name, struct in layouts.STRUCTS.items():
            theirs = getattr(other, f"PJRT_{name}_Args")
            offsets = lambda kind: [getattr(kind, field[0]).offset for field in kind._fields_]
            self.assertEqual((offsets(struct), ctypes.sizeof(struct)), (offsets(theirs), ctypes.sizeof(theirs)), name)
        for ours, theirs in ((layouts.NamedValue, other.PJRT_NamedValue), (layouts.Program, other.PJRT_Program),
                             (layouts.MemoryLayout, other.PJRT_Buffer_MemoryLayout)):
            self.assertEqual(ctypes.sizeof(ours), ctypes.sizeof(theirs))

    def test_messages(self):
        from dmc.pjrt.protos import read_compile_options, write_assignment
        assignment = write_assignment([300, 1])
        self.assertEqual(assignment, bytes([8, 1, 16, 2, 26, 4, 10, 2, 0xAC, 2, 26, 3, 10, 1, 1]))
        build = bytes([32, 1, 40, 2, 74, len(assignment)]) + assignment
        self.assertEqual(read_compile_options(bytes([26, len(build)]) + build), (1, 2, [300, 1]))
        self.assertEqual(read_compile_options(b""), (1, 1, []))


@needs_numpy
class Signatures(unittest.TestCase):
    """What jaxlib reads of a program: types, shapes and shardings, of complex numbers and of uneven blocks too."""

    def make(self, values, **complex_):
        from dmc.pjrt.programs import Program
        program = object.__new__(Program)
        program.num_partitions, program.mesh, program.name = 4, {"a": 2, "b": 2}, "m"
        program.arguments, program.results = [], values
        program._complex = {"arguments": frozenset(), "results": frozenset(), **complex_}
        program._is_even = [program._splits_evenly(value) for value in values]
        return program

    def test_shardings(self):
        value = lambda shape, local, dims: dmc.Value("x", "f32", shape, local, dims, -1)
        program = self.make([value((4, 6), (2, 6), (("a",), ())), value((8,), (2,), (("b", "a"),)), value((3,), (2,), (("a",),)),
                             value((4,), (4,), ((),))])
        self.assertEqual([program.sharding("results", i) for i in range(4)],
                         ["{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}", "{devices=[4]0,2,1,3}", "{replicated}", "{replicated}"])
        self.assertEqual([program.result_shape(i) for i in range(4)], [(2, 6), (2,), (3,), (4,)])
        self.assertEqual(program._is_even, [True, True, False, True])

    def test_complex_numbers(self):
        pairs = dmc.Value("x", "f32", (4, 2), (2, 2), (("a",), ()), -1)
        program = self.make([pairs, dmc.Value("y", "ui8", (4,), (4,), ((),), -1)], results=frozenset([0]))
        self.assertEqual((program.result_shape(0), program.result_type(0), program.result_type(1)), ((2,), "complex64", "ui8"))
        self.assertEqual(program.sharding("results", 0), "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}")
        self.assertIn("-> (tensor<4xcomplex<f32>>, tensor<4xui8>)", program.signature)
        self.assertIn("dense<(0.0, 0.0)> : tensor<4xcomplex<f32>>", program.signature)


if __name__ == "__main__":
    unittest.main()
