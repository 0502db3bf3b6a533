# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Diagnostics as dmc.Error, and every mistake that a user of the package can make: one clear message each."""
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import dmc
from dmc import _tools
from dmc.errors import locate, parse_diagnostics
from support import MATMUL, MLP, needs_numpy


class Diagnostics(unittest.TestCase):
    def test_location_and_notes(self):
        error = parse_diagnostics('step.mlir:3:8: error: dimension 1 is split\n  %0 = add\n       ^\n'
                                  'model.py:7:2: note: by this\n')
        self.assertEqual(error.message, "dimension 1 is split")
        self.assertEqual(error.location, dmc.Location("step.mlir", 3, 8))
        self.assertEqual(error.notes, [dmc.Note("by this", dmc.Location("model.py", 7, 2))])
        self.assertEqual(str(error), "step.mlir:3:8: dimension 1 is split\n  note: model.py:7:2: by this")

    def test_tool_error(self):
        error = parse_diagnostics("dmc-compile: error: cannot write 'x': it is a directory\n")
        self.assertEqual((error.message, error.location), ("cannot write 'x': it is a directory", None))

    def test_runtime_error(self):
        error = locate("layers.py:58:11 (dot_general): rank 1 failed")
        self.assertEqual((error.message, error.location), ("rank 1 failed", dmc.Location("layers.py", 58, 11)))
        self.assertEqual(locate("rank 1: failed").location, None)

    def test_warnings_are_not_errors(self):
        self.assertIsNone(parse_diagnostics("a.mlir:1:1: warning: slow\na.mlir:1:1: remark: fast\n"))

    def test_temporary_names_are_replaced(self):
        error = parse_diagnostics("/tmp/x/p.mlir:2:1: error: see /tmp/x/p.mlir\n", {"/tmp/x/p.mlir": "<program>"})
        self.assertEqual(str(error), "<program>:2:1: see <program>")


class Mistakes(unittest.TestCase):
    def check(self, pattern, function, *arguments, **options):
        with self.assertRaisesRegex(dmc.Error, pattern) as caught:
            function(*arguments, **options)
        self.assertNotIn("\n", caught.exception.message)
        return caught.exception

    def test_no_such_file(self):
        self.check("cannot open 'no-such.mlir'", dmc.compile, "no-such.mlir")
        self.check("cannot open", dmc.compile, pathlib.Path("no-such.mlir"))
        self.check("expected a program as text, path or lowered", dmc.compile, 3)

    def test_text_with_an_error(self):
        error = self.check("use of undeclared SSA value", dmc.compile, MATMUL.replace("return %0", "return %9"))
        self.assertEqual((error.location.file, error.location.line), ("<program>", 4))

    def test_unsupported_operation(self):
        self.check("unsupported", dmc.compile, MATMUL.replace("dot_general", "no_such_operation"))

    def test_mesh(self):
        self.check("expected mesh axes as names with positive sizes, found 'data': 0", dmc.compile, MATMUL, mesh={"data": 0})

    def test_unknown_axis(self):
        self.check('unknown mesh axis "dta" in the layout of argument 0; the mesh has "data"', dmc.compile, MATMUL,
                   mesh={"data": 2}, layouts={"arguments": [dmc.P("dta", None), dmc.P(None, None)]})
        self.check("dta", dmc.compile, MLP / "step.mlir", mesh={"data": 2}, strategy="data_parallel:axis=dta")

    def test_layouts(self):
        self.check("need the axes of mesh=", dmc.compile, MATMUL, layouts={"arguments": []})
        self.check("unknown key 'inputs'", dmc.compile, MATMUL, mesh={"data": 2}, layouts={"inputs": []})
        self.check("one entry for each dimension, found 'data'", dmc.compile, MATMUL, mesh={"data": 2},
                   layouts={"arguments": ["data"]})
        self.check("is on Mesh", dmc.compile, MATMUL, mesh={"data": 2},
                   layouts={"arguments": [dmc.Layout(dmc.Mesh(data=4), ["data", None])]})
        self.check("no-such.json", dmc.compile, MATMUL, layouts="no-such.json", case="a")
        error = self.check("", dmc.compile, MATMUL, mesh={"data": 2}, layouts={"arguments": [dmc.P("data", None)]})
        self.assertNotIn("/tmp", str(error))

    def test_unknown_strategy(self):
        self.check("no_such", dmc.compile, MATMUL, mesh={"data": 2}, strategy="no_such")

    def test_unknown_level(self):
        self.check("unknown level 'machine'", dmc.compile(MATMUL).text, "machine")

    def test_passes(self):
        self.check("unknown level 'llvm' of a pass, expected one of tensor, parallel, ranks, scheduled", dmc.compile, MATMUL,
                   passes={"llvm": str})
        self.check("expected a pass of level 'tensor' as a function, found int", dmc.compile, MATMUL, passes={"tensor": 3})
        self.check("expected the pass 'print' of level 'tensor' to return the text, found NoneType", dmc.compile, MATMUL,
                   passes={"tensor": unittest.mock.Mock(__name__="print", return_value=None)})
        error = self.check("expected", dmc.compile, MATMUL, passes={"ranks": lambda text: text.replace("linalg.matmul", "linalg.matmull")})
        self.assertEqual((error.location.file, error.notes[0].location.file), ("<program>", "<ranks>"))
        with self.assertRaises(ZeroDivisionError):
            dmc.compile(MATMUL, passes={"tensor": lambda text: 1 / 0})

    def test_unwritable(self):
        self.check("cannot write", dmc.compile(MATMUL).save, "/no/such/folder/a.so")

    def test_no_built_tree(self):
        with mock.patch.dict(os.environ, DMC_HOME="/no/such/tree"):
            self.check("found no built dmc in DMC_HOME: expected /no/such/tree/bin/dmc-compile", dmc.compile, MATMUL)
        with tempfile.TemporaryDirectory() as empty, mock.patch.dict(os.environ, PATH=empty), \
                mock.patch.object(_tools, "__file__", empty + "/python/dmc/_tools.py"):
            os.environ.pop("DMC_HOME", None)
            self.check("found no built dmc: expected dmc-compile in .* or on PATH", dmc.compile, MATMUL)

    def test_crash_is_told(self):
        with tempfile.TemporaryDirectory() as tree:
            tool = pathlib.Path(tree, "bin", "dmc-compile")
            tool.parent.mkdir()
            tool.write_text("#!/bin/sh\necho 'terminated: out of luck' >&2\nkill -9 $$\n")
            tool.chmod(0o755)
            with mock.patch.dict(os.environ, DMC_HOME=tree):
                self.check("dmc-compile ended with code -9: terminated: out of luck", dmc.compile, MATMUL)


@needs_numpy
class MistakesWithArrays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import numpy
        cls.plan = dmc.compile(MATMUL)
        cls.x, cls.w = numpy.ones((8, 6), "float32"), numpy.ones((6, 4), "float32")

    check = Mistakes.check

    def test_shape(self):
        self.check(r"argument 1 \(w: 6x4xf32\): expected shape \(6, 4\), found \(4, 6\)", self.plan.run, [self.x, self.w.T])

    def test_dtype(self):
        self.check("argument 0 .*: expected elements of float32, found float64", self.plan.run,
                   [self.x.astype("float64"), self.w])
        self.check("argument 0 .*: expected elements of float32, found <U1", self.plan.run, ["x", self.w])

    def test_number_of_arguments(self):
        self.check(r"missing argument 1 \(w: 6x4xf32\): expected 2, found 1", self.plan.run, [self.x])
        self.check("expected 2 arguments, found 3", self.plan.run, [self.x, self.w, self.w])
        self.check("missing argument 0 .*x", self.plan.run, {"w": self.w})
        self.check("unknown argument 'v'; the program has x, w", self.plan.run, {"x": self.x, "v": self.w})

    def test_step_before_arguments(self):
        session = self.plan.load()
        self.check("missing argument 0", session.step)
        self.check("there is no argument 7", session.set, 7, self.x)
        self.check("there is no result 1", session.result, 1)

    def test_closed(self):
        with self.plan.load() as session:
            pass
        self.check("the session is closed", session.step)

    def test_other_file(self):
        self.check("", dmc.Session, __file__)
        self.check("", dmc.Session, "no-such.so")


if __name__ == "__main__":
    unittest.main()
