# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs in DMC_CACHE_DIR: found for the same text, options and files, and for nothing else."""
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import dmc
from dmc import plan
from support import COUNT, MATMUL, needs_numpy


class Cache(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        environment = mock.patch.dict(os.environ, DMC_CACHE_DIR=folder.name)
        environment.start()
        self.addCleanup(environment.stop)

    def compiles(self, text=MATMUL, **options):
        """Whether a program was compiled, and its plan."""
        with mock.patch.object(plan.Plan, "_tool", autospec=True, side_effect=plan.Plan._tool) as tool:
            compiled = dmc.compile(text, **options)
        return tool.call_count == 1, compiled

    def test_same_program(self):
        first, one = self.compiles(mesh={"model": 2})
        second, two = self.compiles(mesh={"model": 2})
        self.assertEqual((first, second), (True, False))
        self.assertEqual((one.report, one.mesh), (two.report, two.mesh))

    @needs_numpy
    def test_it_runs(self):
        for expected in (True, False):
            compiled, plan_ = self.compiles(COUNT)
            self.assertEqual((compiled, plan_.run([[1.0] * 4, [2.0] * 4])[0].tolist()), (expected, [3.0] * 4))

    def test_other_options_and_texts(self):
        self.compiles()
        for text, options in ((COUNT, {}), (MATMUL, {"mesh": {"model": 2}}), (MATMUL + "\n", {}), (MATMUL, {"options": ["--no-threads"]})):
            self.assertTrue(self.compiles(text, **options)[0], options)

    def test_contents_of_files(self):
        layouts = lambda dims: {"arguments": [dims, dmc.P(None, None)], "results": [dmc.P(None, None)]}
        one, two = layouts(dmc.P("model", None)), layouts(dmc.P(None, None))
        found = [self.compiles(mesh={"model": 2}, layouts=each)[0] for each in (one, two, one, two)]
        self.assertEqual(found, [True, True, False, False])

    def test_damaged_entries(self):
        self.compiles()
        for entry in self.folder.glob("llvmcache-dmc-*"):
            entry.write_bytes(entry.read_bytes()[:-1])
            self.assertTrue(self.compiles()[0], entry.name)
            self.assertFalse(self.compiles()[0])
        self.assertFalse(list(self.folder.glob("dmc-tmp-*")))

    def test_interrupted(self):
        """An entry is there whole or not at all, and nothing else is."""
        with mock.patch("os.replace", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            self.compiles()
        self.assertEqual([path.name for path in self.folder.iterdir() if "program" in path.name or "tmp" in path.name], [])
        self.assertTrue(self.compiles()[0])

    def test_without_the_variable(self):
        with mock.patch.dict(os.environ, DMC_CACHE_DIR=""):
            self.assertEqual([self.compiles()[0], self.compiles()[0]], [True, True])
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
