# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions: what they take and give, states, timings, and every wrong use: one error, and the session goes on."""
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import dmc
from dmc.state import box_of, boxes_of
from support import COUNT, MATMUL, ROOT, needs_jax, needs_numpy

DATA = {"arguments": [dmc.P("data")] * 2, "results": [dmc.P("data")]}
# Seven elements over six ranks: blocks of 2, 2, 0, 2, 1, 0.
UNEVEN = COUNT.replace("4x", "7x")
BF16 = COUNT.replace("xf32", "xbf16")

needs_torch = unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")


class Boxes(unittest.TestCase):
    def test_nested_cuts(self):
        mesh = {"a": 2, "b": 3}
        self.assertEqual([box_of((7,), [("a", "b")], mesh, rank) for rank in range(6)],
                         [[(0, 2)], [(2, 4)], [(4, 4)], [(4, 6)], [(6, 7)], [(7, 7)]])

    def test_order_of_axes(self):
        mesh = {"a": 2, "b": 2}
        self.assertEqual([box_of((4,), [("b", "a")], mesh, rank)[0][0] for rank in range(4)], [0, 2, 1, 3])

    def test_parts_of_an_axis(self):
        mesh = {"a": 8}
        self.assertEqual([box_of((8,), [("a:(1)2",)], mesh, rank)[0][0] for rank in range(8)], [0] * 4 + [4] * 4)
        self.assertEqual([box_of((8,), [("a:(2)4",)], mesh, rank)[0][0] for rank in range(8)], [0, 2, 4, 6] * 2)

    def test_distinct(self):
        self.assertEqual(list(boxes_of((2, 3), [("a",), ()], {"a": 2, "b": 2})), [[(0, 1), (0, 3)], [(1, 2), (0, 3)]])


@needs_numpy
class Sessions(unittest.TestCase):
    def setUp(self):
        import numpy
        self.numpy = numpy

    def make(self, text=COUNT, axes=None, layouts=DATA):
        session = dmc.compile(text, mesh=axes or {"data": 2}, layouts=layouts).load()
        self.addCleanup(session.close)
        return session

    def check(self, pattern, function, *arguments, **options):
        with self.assertRaisesRegex(dmc.Error, pattern) as caught:
            function(*arguments, **options)
        self.assertNotIn("\n", caught.exception.message)

    def test_donated_arguments_need_not_be_given_again(self):
        session = self.make()
        (first,) = session([0.0] * 4, [1.0] * 4)
        (second,) = session([2.0] * 4)  # x alone: w stays
        (third,) = session()  # and with x as it was
        self.assertEqual([first[0], second[0], third[0]], [1.0, 3.0, 5.0])
        (again,) = session([7.0] * 4, [1.0] * 4)
        self.assertEqual(again[0], 8.0)
        self.check("expected 2 arguments, or 2 beside those that stay, found 3", session, 1, 2, 3)

    def test_read_only_arrays(self):
        """A donated argument is given away, so that an array that its owner protects is refused; others are read."""
        numpy, session = self.numpy, self.make()
        fixed = numpy.ones(4, "float32")
        fixed.flags.writeable = False
        wide = numpy.broadcast_to(numpy.float32(1), 4)
        pattern = r"argument 0 \(arg0: 4xf32\): expected an array that can be written, .* donated, found a read-only array"
        for array in (fixed, wide):
            self.check(pattern, session, array, fixed)
            self.check(pattern, session.run, [array, fixed])
            self.check(pattern, session.set, 0, array)
        numpy.testing.assert_array_equal(session(fixed.copy(), wide)[0], [2.0] * 4)
        with tempfile.TemporaryDirectory() as folder:  # a file that is mapped to be read
            numpy.save(folder + "/w.npy", fixed)
            self.check(pattern, session, numpy.load(folder + "/w.npy", mmap_mode="r"), fixed)

    def test_arguments_by_name(self):
        session = dmc.compile(MATMUL).load()
        self.addCleanup(session.close)
        x, w = self.numpy.ones((8, 6), "float32"), self.numpy.ones((6, 4), "float32")
        self.numpy.testing.assert_array_equal(session(w=w, x=x)[0], x @ w)
        self.numpy.testing.assert_array_equal(session(x, w=2 * w)[0], 2 * x @ w)
        self.check("unknown argument 'v'", session, x, v=w)

    def test_state_and_shards(self):
        session = self.make()
        session([0.0, 1.0, 2.0, 3.0], [1.0] * 4)
        self.assertEqual({name: array.tolist() for name, array in session.state.items()},
                         {"arg0": [1.0, 2.0, 3.0, 4.0]})
        self.assertEqual(session.shard(0, 1).tolist(), [3.0, 4.0])
        self.check("there is no rank 2; the mesh has 2", session.shard, 0, 2)

    def test_state_of_another_mesh(self):
        for text, size in ((COUNT, 4), (UNEVEN, 7)):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "state")
                value = self.numpy.arange(size, dtype="float32")
                first = self.make(text, {"data": 3})
                first(value, value)
                first.save_state(path)
                second = self.make(text, {"data": 2})
                second.load_state(path)
                self.assertEqual(second.get(0).tolist(), (2 * value).tolist())
                self.check("exists, expected a new folder", first.save_state, path)

    def test_state_and_the_tools(self):
        """What a session saves dmc-run loads, and the reverse."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            plan = dmc.compile(UNEVEN, mesh={"data": 3}, layouts=DATA)
            plan.save(path / "step.so")
            session = plan.load()
            self.addCleanup(session.close)
            value = self.numpy.arange(7, dtype="float32")
            session(value, value)
            session.save_state(path / "one")
            (path / "in").mkdir()
            self.numpy.save(path / "in" / "001.npy", value)
            subprocess.run([dmc._tools.find_tree() / "bin" / "dmc-run", path / "step.so", "--load-state", path / "one",
                            "--input-dir", path / "in", "--save-state", path / "two"], check=True, stdout=subprocess.DEVNULL)
            session.load_state(path / "two")
            self.assertEqual(session.get(0).tolist(), (3 * value).tolist())

    def test_bfloat16_state(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "state")
            bits = self.numpy.array([0x3F80, 0x4000, 0x4040, 0x4080], "uint16")
            session = self.make(BF16)
            session(bits, bits)
            session.save_state(path)
            session(bits)
            session.load_state(path)
            self.assertEqual(session.get(0).view("uint16").tolist(), (bits + 0x80).tolist())

    def test_damaged_states(self):
        session = self.make()
        session([1.0] * 4, [1.0] * 4)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "state")
            self.check("cannot read", session.load_state, path)
            session.save_state(path)
            manifest = json.loads((path / "manifest.json").read_text())

            def check(pattern, **changes):
                value = {**manifest["values"][0], **changes}
                (path / "manifest.json").write_text(json.dumps({**manifest, "values": [value]}))
                self.check(pattern, session.load_state, path)

            shards = manifest["values"][0]["shards"]
            check("the state has arg0 as 5xf32, expected arg0: 4xf32", shape=[5])
            check("the state has no arg0", name="other")
            check("incomplete: its files hold 2 of 4", shards=shards[:1])
            check("is outside of", shards=[{**shards[0], "offset": [3]}])
            check("cannot read .*none.npy", shards=[{**shards[0], "file": "none.npy"}])
            check("is not a state that dmc wrote", shards=3)
            self.numpy.save(path / "000.0.npy", self.numpy.ones(2))
            check("expected 2 elements of float32, found 2 of float64")
            self.assertEqual(session.get(0).tolist(), [2.0] * 4)  # none of them changed anything

    def test_unwritable_state(self):
        session = self.make()
        session([1.0] * 4, [1.0] * 4)
        self.check("cannot write", session.save_state, "/no/such/folder/state")

    def test_bench(self):
        session = self.make()
        self.check("missing argument 0", session.bench)
        session([0.0] * 4, [1.0] * 4)
        timing = session.bench(5)
        self.assertEqual(len(timing.steps), 5)
        self.assertTrue(0 < timing.best <= timing.median)
        self.assertEqual(session.get(0)[0], 7.0)  # six more steps
        self.check("at least one step, found 0", session.bench, 0)

    def test_engine(self):
        self.check("unsupported engine 'mpi'", dmc.compile(COUNT).load, engine="mpi")

    def test_other_arrays_stay_untouched(self):
        """Ranks have memory of their own: the array of a donated argument stays as it is. One that cannot be written is
        refused all the same (test_read_only_arrays)."""
        session, value = self.make(), self.numpy.zeros(4, "float32")
        session(value, [1.0] * 4)
        session()
        self.assertEqual(value.tolist(), [0.0] * 4)

    def test_failed_step(self):
        """After a failure a session wants what is donated again, and then goes on."""
        with mock.patch.dict(os.environ, DMC_FAULT="rank=1,collective=0,action=fail"):
            text = MATMUL.replace('loc("x")', '{tf.aliasing_output = 1 : i32} loc("x")').replace(
                "-> (tensor<8x4xf32> {jax.result_info = \"y\"})", "-> (tensor<8x4xf32>, tensor<8x6xf32>)").replace(
                "return %0 : tensor<8x4xf32>", "return %0, %x : tensor<8x4xf32>, tensor<8x6xf32>")
            layouts = {"arguments": [dmc.P(None, "model"), dmc.P("model", None)],
                       "results": [dmc.P(None, None), dmc.P(None, "model")]}
            session = dmc.compile(text, mesh={"model": 2}, layouts=layouts).load()
        self.addCleanup(session.close)
        x, w = self.numpy.ones((8, 6), "float32"), self.numpy.ones((6, 4), "float32")
        for _ in range(2):
            self.check("fail", session, x, w)
            self.check("has no value", session.step)

    def test_two_threads(self):
        """Whatever two threads do to one session: a result or an error each, and the session goes on."""
        session, other = self.make(), []

        def run():
            for _ in range(200):
                try:
                    session.step()
                except dmc.Error as error:
                    other.append(error.message)

        session([0.0] * 4, [1.0] * 4)
        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(other) - {"the session is in use by another thread"}, set())
        self.assertEqual(session.get(0)[0], 401.0 - len(other))

    def test_fork(self):
        """A forked child has no ranks: an error there, and the parent goes on. In a process without other threads."""
        program = "import dmc, os\n" \
                  f"session = dmc.compile({COUNT!r}, mesh={{'data': 2}}).load()\n" \
                  "session([0.0] * 4, [1.0] * 4)\nchild = os.fork()\nif child == 0:\n" \
                  "    try: session.step()\n    except dmc.Error as error: print(error.message, flush=True)\n    os._exit(0)\n" \
                  "os.waitpid(child, 0)\nprint(session()[0][0])\n"
        found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60,
                               env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertRegex(found.stdout, r"a fork does not copy\n2\.0\n")
        self.assertEqual((found.returncode, found.stderr), (0, ""))

    def test_interrupt(self):
        """Ctrl-C in a step: one KeyboardInterrupt when the step ends, and a session that goes on."""
        program = "import dmc, sys\n" \
                  f"session = dmc.compile({COUNT!r}, mesh={{'data': 2}}).load()\n" \
                  "session([0.0] * 4, [1.0] * 4)\n" \
                  "def run():\n    try:\n        print('ready', flush=True)\n        while True:\n            session.step()\n            pass\n" \
                  "    except KeyboardInterrupt:\n        session.step()\n        print('interrupted')\nrun()\n"
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertEqual(child.stdout.readline(), "ready\n")
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual((out, err, child.returncode), ("interrupted\n", "", 0))

    def test_mesh_larger_than_the_machine(self):
        """Ranks are threads: there may be more than processors."""
        session = self.make(COUNT.replace("4x", "64x"), {"data": 64})
        value = self.numpy.arange(64, dtype="float32")
        self.assertEqual(session(value, value)[0].tolist(), (2 * value).tolist())

    @needs_torch
    def test_torch(self):
        import torch
        session = self.make()
        (got,) = session(torch.zeros(4), torch.arange(4.0).requires_grad_())
        self.assertTrue(torch.equal(got, torch.arange(4.0)))
        (got,) = self.make(BF16)(torch.ones(4, dtype=torch.bfloat16), torch.ones(4, dtype=torch.bfloat16))
        self.assertTrue(torch.equal(got, torch.full((4,), 2.0, dtype=torch.bfloat16)))
        self.check("expected elements of float32, found float64", session, torch.zeros(4, dtype=torch.float64))

    @needs_jax
    def test_jax(self):
        import jax
        (got,) = self.make()(jax.numpy.zeros(4), self.numpy.ones(4, "float32"))
        self.assertIsInstance(got, jax.Array)
        (got,) = self.make(BF16)(jax.numpy.ones(4, "bfloat16"), jax.numpy.ones(4, "bfloat16"))
        self.assertEqual((got.dtype, got.tolist()), (jax.numpy.bfloat16, [2.0] * 4))


class Differences(unittest.TestCase):
    def test_plans(self):
        plan = lambda dims, **options: dmc.compile(MATMUL, mesh={"model": 2},
                                                       layouts={"arguments": dims, "results": [dmc.P(None, None)]}, **options)
        sums = plan([dmc.P(None, "model"), dmc.P("model", None)])
        rows = plan([dmc.P(None, None), dmc.P(None, None)])
        self.assertFalse(sums.diff(sums))
        self.assertEqual(str(sums.diff(sums)), "no difference")
        found = sums.diff(rows)
        self.assertEqual([pair[1] for pair in found.collectives.values()], [None])
        self.assertIn("all_reduce model: 1 -> 0 times, 128 -> 0 bytes", str(found))
        self.assertIn("memory.arguments", str(found))
        self.assertTrue(found.decisions)
        with self.assertRaisesRegex(dmc.Error, "expected a Plan to compare with, found str"):
            sums.diff("other")


class Import(unittest.TestCase):
    def test_time(self):
        """Without frameworks, and without numpy."""
        code = "import sys, time; begin = time.process_time(); import dmc; end = time.process_time()\n" \
               "print(end - begin, *(name for name in ('numpy', 'torch', 'jax', 'onnx', 'tqdm') if name in sys.modules))"
        path = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        found = [subprocess.run([sys.executable, "-c", code], env=path, capture_output=True, text=True, check=True).stdout.split()
                 for _ in range(3)]
        self.assertEqual(found[0][1:], [])
        self.assertLess(min(float(words[0]) for words in found), 0.3)


if __name__ == "__main__":
    unittest.main()
