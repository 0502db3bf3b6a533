# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilations in this process: no child, any thread, the same errors as those of the tool."""
import io
import sys
import threading
import unittest
from unittest import mock

import dmc
from dmc import _compiler, _tools, plan
from support import MATMUL

needs_library = unittest.skipUnless((_tools.find_tree() / "lib" / "libdmc_compiler.so").exists(),
                                    "libdmc_compiler.so is not built")


@needs_library
class InProcess(unittest.TestCase):
    def test_no_child(self):
        with mock.patch.object(plan, "run_tool", side_effect=AssertionError("a child process")):
            self.assertIn("linalg.matmul", dmc.compile(MATMUL, mesh={"model": 2}).text("tensor"))
            with self.assertRaisesRegex(dmc.Error, "undeclared SSA value"):
                dmc.compile(MATMUL.replace("return %0", "return %9"))

    def test_error_while_another_is_handled(self):
        try:
            raise ValueError
        except ValueError:
            with self.assertRaisesRegex(dmc.Error, "undeclared SSA value"):
                dmc.compile(MATMUL.replace("return %0", "return %9"))

    def test_library_of_another_version(self):
        path = _tools.find_tree() / "lib" / "libdmc_compiler.so"
        with self.assertRaisesRegex(dmc.Error, "another version: expected it to have dmc_of_later"):
            _tools.load_library(path, {"dmc_compiler_version": (None, []), "dmc_of_later": (None, [])})

    def test_words_of_a_command_line(self):
        with mock.patch.object(plan, "compile_file", side_effect=AssertionError("not for the library")):
            dmc.compile(MATMUL, options=["--mesh", "model=2"])

    def test_same_error_as_the_tool(self):
        errors = []
        for absent in (False, True):
            with mock.patch.object(plan.pathlib.Path, "exists", return_value=not absent):
                with self.assertRaises(dmc.Error) as caught:
                    dmc.compile(MATMUL.replace("return %0", "return %9"))
                errors.append((caught.exception.message, caught.exception.location))
        self.assertEqual(*errors)

    def test_stack_of_new_threads_stays(self):
        before = threading.stack_size(1 << 20)
        try:
            dmc.compile(MATMUL)
            self.assertEqual(threading.stack_size(), 1 << 20)
        finally:
            threading.stack_size(before)

    def test_interrupt(self):
        with mock.patch.object(_compiler, "_wait", side_effect=KeyboardInterrupt), \
                self.assertRaises(KeyboardInterrupt):
            dmc.compile(MATMUL)
        self.assertEqual(dmc.compile(MATMUL).report.ranks, 1)


class Progress(unittest.TestCase):
    """What takes longer than two seconds says which stage runs: a line a second, or a bar of tqdm where somebody looks."""

    def wait(self, is_terminal, bar=None, progress=True):
        ended = threading.Event()
        threading.Timer(1.2, ended.set).start()
        stream = io.StringIO()
        stream.isatty = lambda: is_terminal
        modules = {"tqdm": mock.Mock(), "tqdm.auto": mock.Mock(tqdm=bar)} if bar else {"tqdm": None, "tqdm.auto": None}
        with mock.patch.object(_compiler, "_QUIET_SECONDS", 0), mock.patch.object(sys, "stderr", stream), \
                mock.patch.dict(sys.modules, modules):
            _compiler._wait(ended, [("import", 1, 5), ("codegen", 5, 5)], progress)
        return stream.getvalue()

    def test_lines(self):
        self.assertEqual(self.wait(False), "dmc-compile: codegen (1 s)\n")
        self.assertEqual(self.wait(True), "dmc-compile: codegen (1 s)\n")  # tqdm is not installed
        self.assertEqual(self.wait(True, progress=False), "")

    def test_bar(self):
        bar = mock.Mock()
        self.assertEqual(self.wait(True, bar), "")
        made = bar.return_value
        self.assertEqual((made.n, made.total), (5, 5))
        made.set_description_str.assert_called_with("dmc: codegen")
        made.close.assert_called_once()


if __name__ == "__main__":
    unittest.main()
