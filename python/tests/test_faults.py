# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong types, wrong uses, signals, threads and forks: one error each, nothing left behind, and the process goes on."""
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
from dmc import P, _tools
from support import COUNT, MATMUL, MLP, ROOT, needs_jax, needs_numpy, needs_onnx, needs_torch

GPT = ROOT / "examples" / "gpt" / "step.mlir"


class Faults(unittest.TestCase):
    def check(self, pattern, function, *arguments, **options):
        with self.assertRaisesRegex(dmc.Error, pattern) as caught:
            function(*arguments, **options)
        self.assertNotIn("\n", caught.exception.message)
        self.assertNotIn("/tmp/dmc-python", str(caught.exception))
        return caught.exception


class Options(Faults):
    def test_types(self):
        for pattern, options in (
            ("expected mesh axes as names with positive sizes, found 'data': '2'", {"mesh": {"data": "2"}}),
            ("expected mesh axes as names with positive sizes, found 'data': 2.0", {"mesh": {"data": 2.0}}),
            ("expected mesh axes as names with positive sizes, found 3: 2", {"mesh": {3: 2}}),
            ("expected a mesh as a mapping of axes to sizes, or one of JAX or torch, found list", {"mesh": [("data", 2)]}),
            ("expected layouts as a JSON file or a mapping, found int", {"layouts": 3}),
            ("expected the name of a case, found int", {"layouts": MLP / "shardings.json", "case": 3}),
            ("expected the name of a strategy, or a list of such, found int", {"strategy": 3}),
            ("expected the name of a strategy, found int", {"strategy": ["fsdp", 3]}),
            ("expected the path of tactics, found NoneType", {"tactics": [None]}),
            ("expected machine as rates or a file, found dict", {"machine": {"link": 1e9}}),
            ("expected an option of dmc-compile, or a list of such, found bool", {"options": True}),
            ("expected passes as functions by level, found list", {"passes": [str]}),
            ("expected the layouts of arguments as a list, one for each, found int", {"mesh": {"a": 2}, "layouts": {"arguments": 3}}),
            ("expected the layouts of results as a list, one for each, found str", {"mesh": {"a": 2}, "layouts": {"results": "a"}}),
            ("expected None, an axis or several axes for dimension 1, found 3",
             {"mesh": {"a": 2}, "layouts": {"arguments": [P(None, 3), P()]}}),
            ("expected None, an axis or several axes for dimension 0, found \\('a', 1\\)",
             {"mesh": {"a": 2}, "layouts": {"arguments": [P(("a", 1), None), P()]}}),
        ):
            with self.subTest(pattern):
                self.check(pattern, dmc.compile, MATMUL, **options)

    def test_unknown_keyword(self):
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'meesh'"):
            dmc.compile(MATMUL, meesh={"data": 2})

    def test_what_stands_for_nothing(self):
        plan = dmc.compile(MATMUL, mesh={"a": 2}, strategy=None, tactics=None, options="--no-threads", machine=None)
        self.assertEqual(plan.mesh, {"a": 2})

    def test_unknown_option(self):
        self.check("unknown option|nknown", dmc.compile, MATMUL, options="--no-such-option=1")

    def test_unknown_strategy_names_the_known_ones(self):
        error = self.check("no_such", dmc.compile, MATMUL, mesh={"a": 2}, strategy="no_such")
        self.assertIn("data_parallel", str(error))

    def test_levels_and_formats(self):
        plan = dmc.compile(MATMUL, mesh={"a": 2})
        self.check("unknown format 'pdf', expected one of text, json, html", plan.explain, format="pdf")
        self.check("expected top as a number of entries, found -1", plan.explain, top=-1)
        self.assertIn("no tensor matches", plan.explain(value="no_such"))
        self.check("cannot write '/': ", plan.save, "/")
        self.check("cannot write", plan.save_plan, "/no/such/folder/plan.mlir")

    def test_dynamic_shapes(self):
        error = self.check("unsupported|static", dmc.compile, MATMUL.replace("8x", "?x"))
        self.assertEqual(error.location.file, "<program>")

    def test_layouts_that_do_not_fit(self):
        self.check("dimension", dmc.compile, MATMUL, mesh={"a": 2}, layouts={"arguments": [P("a"), P(None, None)], "results": [P(None, None)]})
        self.check("argument", dmc.compile, MATMUL, mesh={"a": 2}, layouts={"arguments": [P("a", None)], "results": [P(None, None)]})
        self.check("a", dmc.compile, MATMUL, mesh={"a": 2}, layouts={"arguments": [P("a", "a"), P(None, None)], "results": [P(None, None)]})


class FrontEnds(Faults):
    """Arguments of other types; what programs cannot hold is in the tests of each front end."""

    def test_optimizers(self):
        for pattern, function, options in (
            ("SGD: expected lr as a number, found 'a'", dmc.SGD, {"lr": "a"}),
            ("SGD: expected momentum as a number, found None", dmc.SGD, {"lr": 1, "momentum": None}),
            ("AdamW: expected eps as a number", dmc.AdamW, {"eps": "1"}),
            (r"Adam: expected two betas in \[0, 1\), found 0.9", dmc.Adam, {"betas": 0.9}),
            (r"Lion: expected two betas in \[0, 1\), found \('a', 0.9\)", dmc.Lion, {"betas": ("a", 0.9)}),
            ("SGD: expected groups as mappings", dmc.SGD, {"lr": 1, "groups": 3}),
            ("SGD: expected groups as mappings", dmc.SGD, {"lr": 1, "groups": {"*": 3}}),
        ):
            self.check(pattern, function, **options)
        self.assertEqual(dmc.SGD(lr=lambda step: 0.1).momentum, 0.0)

    @needs_jax
    def test_jax(self):
        self.check("expected a mesh as a mapping of axes to sizes, or one of JAX, found int", dmc.jax.jit, abs, mesh=3)
        self.check("unknown option 'meesh' of dmc.jax.jit", dmc.jax.jit, abs, meesh={"data": 2})
        self.check("static shape", dmc.compile, self.lower_symbolic())

    def lower_symbolic(self):
        import jax
        from jax import export
        argument = jax.ShapeDtypeStruct(export.symbolic_shape("b, 4"), "float32")
        return export.export(jax.jit(lambda x: x * 2))(argument).mlir_module()

    @needs_torch
    def test_torch(self):
        import torch
        model, x, y = torch.nn.Linear(8, 4), torch.ones(16, 8), torch.zeros(16, dtype=torch.int64)
        make = lambda **options: dmc.torch.train_step(model, torch.nn.functional.cross_entropy,
                                                      **{"optimizer": dmc.SGD(lr=0.1), "progress": False} | options)
        for pattern, options in (
            ("expected layouts as a mapping of name patterns, found int", {"mesh": {"data": 2}, "layouts": 3}),
            ("expected inputs as a number of tensors, found 'a'", {"inputs": "a"}),
            ("expected seed as a whole number, found 'a'", {"seed": "a"}),
            ("expected clip_norm as a positive number, found 'a'", {"clip_norm": "a"}),
            ("expected a mesh as a mapping of axes to sizes", {"mesh": 3}),
        ):
            self.check(pattern, make, **options)
        self.check("expected the name of a strategy, or a list of such, found int", make(mesh={"data": 2}, strategy=3), x, y)
        step = make(strategy=None)
        step(x, y)
        self.check("expected 'input' as a tensor with elements", step, x.to("meta"), y)
        self.check("expected a state as a mapping of names to tensors, found int", step.load_state_dict, 3)
        self.check("unsupported dynamic shape", dmc.compile,
                   torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("b")},)))
        step.close()
        self.check("the session is closed", step, x, y)

    @needs_onnx
    def test_onnx(self):
        self.check("expected shapes as a mapping, found int", dmc.onnx.load, "model.onnx", shapes=3)
        self.check("expected values as a mapping, found list", dmc.onnx.load, "model.onnx", values=[])
        self.check("cannot open 'model.onnx'", dmc.onnx.load, "model.onnx")


class Meshes(Faults):
    def test_too_many_ranks(self):
        """More ranks than a process can have threads, or than a program can number."""
        for ranks in (1 << 20, 1 << 40):
            with self.subTest(ranks):
                self.check("ranks|mesh", lambda: dmc.compile(COUNT, mesh={"data": ranks}).load())

    @needs_numpy
    def test_integers_of_numpy(self):
        import numpy
        self.assertEqual(dmc.compile(MATMUL, mesh={"a": numpy.int64(2)}).mesh, {"a": 2})


@needs_numpy
class Arrays(Faults):
    def setUp(self):
        import numpy
        self.numpy = numpy
        self.plan = dmc.compile(MATMUL)
        self.x, self.w = numpy.arange(48, dtype="float32").reshape(8, 6), numpy.arange(24, dtype="float32").reshape(6, 4)

    def test_memory_of_any_strides(self):
        wide = self.numpy.zeros((16, 12), "float32")
        wide[::2, ::2] = self.x
        for x in (wide[::2, ::2], self.numpy.asfortranarray(self.x), self.x[::-1][::-1], self.x[:, ::-1][:, ::-1]):
            self.numpy.testing.assert_array_equal(self.plan.run([x, self.w])[0], self.x @ self.w)
        flipped = self.x[::-1, ::-1]  # negative strides
        self.numpy.testing.assert_array_equal(self.plan.run([flipped, self.w])[0], flipped @ self.w)
        spread = self.numpy.broadcast_to(self.numpy.float32(2), (6, 4))  # strides of 0
        self.numpy.testing.assert_array_equal(self.plan.run([self.x, spread])[0], self.x @ spread)

    def test_other_arrays(self):
        run = self.plan.run
        self.check("argument 0 .*: expected elements of float32, found >f4", run, [self.x.astype(">f4"), self.w])
        self.check("argument 0 .*: expected elements of float32, found object", run, [None, self.w])
        self.check("argument 0 .*: expected elements of float32, found complex64", run, [self.x.astype("complex64"), self.w])
        self.check("argument 0 .*: expected an array, found list: ", run, [[[1.0], [1.0, 2.0]], self.w])
        self.check(r"argument 0 .*: expected shape \(8, 6\), found \(\)", run, [1.0, self.w])
        self.check("expected a sequence of arrays, or a mapping by name, found ndarray", run, self.x)
        self.check("expected a sequence of arrays, or a mapping by name, found int", run, 3)
        self.check("expected a sequence of arrays, or a mapping by name, found str", run, "xw")

    def test_nothing_is_taken_of_a_call_that_fails(self):
        session = dmc.compile(COUNT).load()
        self.addCleanup(session.close)
        session([1.0] * 4, [1.0] * 4)
        self.check("found float64", session, self.numpy.zeros(4, "float32"), self.numpy.zeros(4))
        self.check("missing argument 1|found 1", session.run, [[0.0] * 4])
        self.assertEqual(session([1.0] * 4)[0].tolist(), [3.0] * 4)

    def test_names(self):
        session = self.plan.load()
        self.addCleanup(session.close)
        self.check(r"argument 0 \(x: 8x6xf32\) is given twice", session, self.x, self.w, x=self.x)
        self.check(r"argument 0 \(x: 8x6xf32\) is given twice", session, self.x, x=self.x)
        self.check(r"argument 1 \(w: 6x4xf32\) is given twice", session.run, {"x": self.x, "w": self.w, "/w": self.w})
        self.check("expected the argument's number or name, found float", session.set, 1.0, self.x)
        self.check("unknown argument 'y'; the program has x, w", session.get, "y")
        self.check("unknown result 'x'; the program has y", session.result, "x")
        session.run([self.x, self.w])
        self.assertEqual(session.result("y").tolist(), session.result(self.numpy.int32(0)).tolist())

    @needs_jax
    def test_deleted_array(self):
        import jax
        x = jax.numpy.asarray(self.x)
        x.delete()
        self.check("argument 0 .*: expected an array, found ArrayImpl: .*deleted", self.plan.run, [x, self.w])

    @needs_torch
    def test_tensors_without_memory(self):
        import torch
        self.check("argument 0 .*: expected an array, found Tensor: ", self.plan.run, [torch.empty(8, 6, device="meta"), self.w])
        self.check("argument 0 .*: expected an array, found Tensor: ", self.plan.run, [torch.zeros(8, 6).to_sparse(), self.w])

    def test_replaced_library(self):
        """A file that a session has loaded may be written again."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "step.so")
            self.plan.save(path)
            with dmc.Session(path) as session:
                dmc.compile(COUNT).save(path)
                self.numpy.testing.assert_array_equal(session.run([self.x, self.w])[0], self.x @ self.w)
            self.assertEqual([entry.name for entry in path.parent.iterdir()], ["step.so"])
            self.assertTrue(os.access(path, os.R_OK))


@needs_numpy
class Threads(Faults):
    def run_in_threads(self, function, count=4, times=50):
        """What is wrong in calls of a function, by threads that start together: errors of dmc, or results."""
        start, wrong = threading.Barrier(count), []

        def run(number):
            start.wait()
            for call in range(times):
                try:
                    function(number * times + call)
                except Exception as problem:
                    wrong.append(problem)

        threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return wrong

    def test_one_session(self):
        """A result is that of the call's own arrays, or there is an error."""
        import numpy
        session = dmc.compile(COUNT, mesh={"data": 2}).load()
        self.addCleanup(session.close)

        def add(number):
            value = numpy.full(4, number, "float32")
            numpy.testing.assert_array_equal(session.run([value, value])[0], 2 * value)

        wrong = self.run_in_threads(add)
        self.assertEqual({str(problem) for problem in wrong} - {"the session is in use by another thread"}, set())
        add(3)

    def test_while_a_step_runs(self):
        """The arguments of another thread's call do not get into a step, nor its results out of it."""
        session, running, asked = dmc.compile(COUNT).load(), threading.Event(), threading.Event()
        self.addCleanup(session.close)
        library, results = session._library, []

        class Slow:
            def __getattr__(self, name):
                return getattr(library, name)

            def dmc_session_step(self, handle):
                running.set()
                asked.wait(60)
                return library.dmc_session_step(handle)

        session._library = Slow()
        thread = threading.Thread(target=lambda: results.append(session.run([[1.0] * 4, [2.0] * 4])[0].tolist()))
        thread.start()
        running.wait(60)
        for function, arguments in ((session.run, ([[5.0] * 4] * 2,)), (session, ([5.0] * 4,)), (session.set, (0, [5.0] * 4)),
                                    (session.get, (0,)), (session.result, (0,)), (session.step, ()), (lambda: session.state, ()),
                                    (session.bench, ()), (session.save_state, ("state",)), (session.load_state, ("state",))):
            self.check("^the session is in use by another thread$", function, *arguments)
        asked.set()
        thread.join()
        self.assertEqual(results, [[3.0] * 4])

    def test_compilations(self):
        wrong = self.run_in_threads(lambda number: dmc.compile(MATMUL, mesh={"model": 1 + number % 3}).text("ranks"), 3, 4)
        self.assertEqual(wrong, [])

    @needs_jax
    def test_jitted_function(self):
        """As jax.jit: threads wait for each other."""
        import jax
        function = dmc.jax.jit(lambda x: x + 1, mesh={"data": 2}, progress=False)
        self.assertEqual(self.run_in_threads(lambda number: self.assertEqual(
            function(jax.numpy.full(4, number, "float32")).tolist(), [number + 1.0] * 4), 3, 20), [])

    @needs_torch
    def test_training_step(self):
        import torch
        model = torch.nn.Linear(3, 2)
        function = dmc.torch.value_and_grad(model, lambda y, target: (y - target).square().mean(), progress=False)

        def run(number):
            x, y = torch.full((4, 3), float(number)), torch.zeros(4, 2)
            value, _ = function(x, y)
            torch.testing.assert_close(value, model(x).detach().square().mean())

        run(0)
        wrong = self.run_in_threads(run, 3, 20)
        self.assertEqual({str(problem) for problem in wrong} - {"the session is in use by another thread"}, set())


class Processes(Faults):
    def start(self, program, **more):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.temporary = pathlib.Path(folder.name)
        environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "TMPDIR": folder.name, "DMC_CACHE_DIR": ""} | more
        return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    def interrupt(self, work, times=1):
        """Repeats some work until Ctrl-C ends it by one KeyboardInterrupt; then dmc still compiles."""
        program = "import dmc, sys\n" \
                  f"plan = dmc.compile({MATMUL!r})\nplan.explain()\n" \
                  f"def work():\n    {work}\n" \
                  "def run():\n    try:\n        print('ready', flush=True)\n        while True: work()\n" \
                  f"    except KeyboardInterrupt:\n        print(dmc.compile({COUNT!r}).report.ranks)\n" \
                  "run()\ndel plan\n"
        child = self.start(program)
        self.assertEqual(child.stdout.readline(), "ready\n", child.stderr.read() if child.poll() else "")
        time.sleep(0.5)
        for _ in range(times):
            child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
        self.assertEqual((out, err, child.returncode), ("1\n", "", 0))
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_interrupted_compilation(self):
        self.interrupt(f"dmc.compile({str(GPT)!r}, mesh={{'data': 2, 'model': 2}}, strategy='auto', progress=False)")

    def test_interrupted_explanation(self):
        self.interrupt("plan.explain()")

    def test_compilation_interrupted_twice(self):
        """The second signal comes while the first one's compilation ends: no thread is left that uses what was freed."""
        program = "import dmc, os, signal, threading\nfrom dmc import _compiler\n" \
                  "kept, wait = _compiler._wait, threading.Event.wait\n" \
                  "def interrupted(*_):\n    threading.Event.wait = again\n    raise KeyboardInterrupt\n" \
                  "def again(self, timeout=None):\n    threading.Event.wait = wait\n    os.kill(os.getpid(), signal.SIGINT)\n    return wait(self, timeout)\n" \
                  "_compiler._wait = interrupted\n" \
                  f"try: dmc.compile({str(GPT)!r}, mesh={{'data': 2}}, progress=False)\n" \
                  "except KeyboardInterrupt: print('once', threading.active_count())\n" \
                  f"_compiler._wait = kept\nprint(dmc.compile({COUNT!r}).report.ranks)\n"
        child = self.start(program)
        out, err = child.communicate(timeout=120)
        self.assertEqual((out, err, child.returncode), ("once 1\n1\n", "", 0))

    def test_interrupted_tool(self):
        """A tool that runs as a child ends, though the signal is for the parent alone."""
        with tempfile.TemporaryDirectory() as tree:
            for name in ("dmc-compile", "dmc-explain"):
                tool = pathlib.Path(tree, "bin", name)
                tool.parent.mkdir(exist_ok=True)
                tool.write_text(f"#!/bin/sh\necho $$ >{tree}/written\nmv {tree}/written {tree}/started\nexec sleep 100\n")
                tool.chmod(0o755)
            started = pathlib.Path(tree, "started")

            def interrupt():
                while not started.exists():
                    time.sleep(0.01)
                os.kill(os.getpid(), signal.SIGINT)

            with mock.patch.dict(os.environ, DMC_HOME=tree), self.assertRaises(KeyboardInterrupt):
                threading.Thread(target=interrupt).start()
                _tools.run_tool("dmc-explain", [])
            with self.assertRaises(ProcessLookupError):
                os.kill(int(started.read_text()), 0)

    @needs_numpy
    def test_fork(self):
        """A child that a fork made compiles and runs what it compiled itself; of the parent's sessions it has none."""
        program = "import dmc, os\n" \
                  f"plan = dmc.compile({COUNT!r}, mesh={{'data': 2}})\n" \
                  "print(plan.run([[1.0] * 4, [1.0] * 4])[0][0], flush=True)\n" \
                  "child = os.fork()\n" \
                  "if child == 0:\n" \
                  "    try: plan.run([[1.0] * 4, [1.0] * 4])\n" \
                  "    except dmc.Error as error: print(error.message, flush=True)\n" \
                  f"    own = dmc.compile({MATMUL!r}, mesh={{'model': 2}})\n" \
                  "    print(own.run([[[1.0] * 6] * 8, [[1.0] * 4] * 6])[0][0, 0], flush=True)\n" \
                  "    os._exit(0)\n" \
                  "print(os.waitpid(child, 0)[1], plan.run([[2.0] * 4, [2.0] * 4])[0][0])\n"
        child = self.start(program)
        out, err = child.communicate(timeout=120)
        self.assertRegex(out, r"^2\.0\n[^\n]*a fork does not copy\n6\.0\n0 4\.0\n$")
        self.assertEqual((err, child.returncode), ("", 0))

    def test_failures_leave_nothing(self):
        wrong = MATMUL.replace("return %0", "return %9")
        program = "import dmc\n" \
                  f"for text, options in (({wrong!r}, {{}}), ({MATMUL!r}, dict(mesh={{'a': 2}}, strategy='no_such')),\n" \
                  f"                      ({MATMUL!r}, dict(mesh={{'a': 2}}, layouts={{'arguments': 3}}))):\n" \
                  "    try: dmc.compile(text, **options)\n    except dmc.Error: print('refused')\n" \
                  f"try: dmc.compile({MATMUL!r}).explain(format='pdf')\nexcept dmc.Error: print('refused')\n"
        child = self.start(program)
        out, err = child.communicate(timeout=120)
        self.assertEqual((out, err, child.returncode), ("refused\n" * 4, "", 0))
        self.assertEqual(list(self.temporary.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
