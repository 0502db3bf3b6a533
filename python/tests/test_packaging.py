# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package as `pip install .` installs it, in a virtual environment that has numpy and nothing else."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from importlib import metadata

import dmc
from support import MATMUL, ROOT, needs_numpy

missing = [name for name in ("pip", "setuptools", "venv") if not importlib.util.find_spec(name)]
if not missing and int(metadata.version("setuptools").split(".")[0]) < 71 and not importlib.util.find_spec("wheel"):
    missing = ["wheel"]  # newer versions of setuptools have their own

PROGRAM = f"""
import sys
import time

begin = time.process_time()
import dmc
seconds = time.process_time() - begin
print(*(name for name in ("numpy", "torch", "jax", "onnx", "tqdm") if name in sys.modules))
print(seconds < 0.3)
print(dmc.__file__.startswith(sys.prefix))
x, w = [[1.0] * 6] * 8, [[2.0] * 4] * 6
print(dmc.compile({MATMUL!r}, mesh={{"model": 2}}, strategy="auto").run([x, w])[0][0, 0])
for name in ("jax", "torch", "onnx"):
    try:
        getattr(dmc, name)
    except dmc.Error as error:
        print(error)
"""


@needs_numpy
@unittest.skipIf(missing, f"{', '.join(missing)} is not installed")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        before = cls.status()
        cls.run_checked(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
                        "--wheel-dir", cls.folder, ROOT)
        cls.changed = (before, cls.status())
        (cls.wheel,) = cls.folder.glob("dmc-*.whl")
        cls.run_checked(sys.executable, "-m", "venv", "--without-pip", cls.folder / "env")
        cls.python = cls.folder / "env" / "bin" / "python"
        cls.run_checked(sys.executable, "-m", "pip", "--python", cls.python, "install", "--quiet", "--no-index", "--no-deps",
                        cls.wheel)
        # numpy of this interpreter, without what lies beside it.
        (cls.site,) = (cls.folder / "env" / "lib").glob("python*/site-packages")
        import numpy
        origin = pathlib.Path(numpy.__file__).resolve().parents[1]
        for name in ("numpy", "numpy.libs"):
            if (origin / name).exists():
                (cls.site / name).symlink_to(origin / name)

    @staticmethod
    def status():
        """The files beside the sources."""
        return sorted(path.name for path in (*ROOT.iterdir(), *(ROOT / "python").iterdir()))

    @staticmethod
    def environment():
        given = {name: value for name, value in os.environ.items() if name not in ("DMC_HOME", "PYTHONPATH", "PYTHONHOME")}
        return given | {"PYTHONDONTWRITEBYTECODE": "1"}

    @classmethod
    def run_checked(cls, *words):
        found = subprocess.run(words, capture_output=True, text=True)
        if found.returncode:
            raise AssertionError(f"{' '.join(map(str, words))}\n{found.stdout}{found.stderr}")

    def run_python(self, *words):
        return subprocess.run([self.python, *words], capture_output=True, text=True, cwd=self.folder, env=self.environment())

    def test_files(self):
        """All modules are in the wheel, and setup left nothing beside the sources."""
        sources = {path.relative_to(ROOT / "python").as_posix() for name in ("dmc", "jax_plugins")
                   for path in (ROOT / "python" / name).rglob("*.py")}
        with zipfile.ZipFile(self.wheel) as wheel:
            names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        self.assertEqual(names, sources | {"dmc/py.typed", "dmc/_built_tree.txt"})
        self.assertEqual(*self.changed)

    def test_use(self):
        """Imported in a moment, without frameworks; finds the tree that was there when it was installed."""
        found = self.run_python("-c", PROGRAM)
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        self.assertEqual(found.stdout.splitlines(), [
            "", "True", "True", "12.0", "dmc.jax needs JAX, which is not installed",
            "dmc.torch needs the package torch, which is not installed", "dmc.onnx needs the package onnx, which is not installed"
        ])

    def test_tools(self):
        for tool in ("compile", "run", "explain"):
            found = self.run_python("-m", "dmc", tool, "--help")
            self.assertEqual((found.returncode, found.stderr), (0, ""), tool)
            self.assertIn(f"dmc-{tool}", found.stdout)
        found = self.run_python("-m", "dmc", "--help")
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        self.assertIn("usage: python -m dmc TOOL", found.stdout)
        self.assertLessEqual({"  compile", "  explain", "  run"}, set(found.stdout.splitlines()))
        self.assertRegex(self.run_python("-m", "dmc", "--version").stdout, r"^dmc \d+\.\d+")

    def test_names_for_frameworks(self):
        code = "from importlib.metadata import entry_points, version\n" \
               "print(version('dmc'), *(entry.value for group in ('torch_dynamo_backends', 'jax_plugins')\n" \
               "                        for entry in entry_points(group=group)))"
        words = self.run_python("-c", code).stdout.split()
        self.assertRegex(words[0], r"^\d+\.\d+\.\d+$")
        self.assertEqual(words[1:], ["dmc.torch.backend:dmc", "jax_plugins.dmc"])

    def test_without_numpy(self):
        """Compiles and explains; only running needs arrays."""
        code = f"import dmc\nplan = dmc.compile({MATMUL!r})\nprint(len(plan.explain()) > 0)\n" \
               "try: plan.load().set(0, 1)\nexcept dmc.Error as error: print(error)"
        kept = self.site / "numpy"
        kept.rename(self.site / "another")
        try:
            found = self.run_python("-c", code)
        finally:
            (self.site / "another").rename(kept)
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        self.assertEqual(found.stdout, "True\nrunning a program needs numpy, which is not installed\n")


class Tree(unittest.TestCase):
    def test_no_tree(self):
        """A package whose tree is gone says where it looked."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "site")
            shutil.copytree(pathlib.Path(dmc.__file__).parent, place / "dmc", ignore=shutil.ignore_patterns("__pycache__"))
            (place / "dmc" / "_built_tree.txt").write_text("/no/such/tree\n")
            environment = {"PATH": "/no/such/folder", "PYTHONPATH": str(place)}
            found = subprocess.run([sys.executable, "-m", "dmc", "--help"], capture_output=True, text=True, env=environment)
            self.assertEqual((found.returncode, found.stdout), (1, ""))
            self.assertRegex(found.stderr, "^dmc: error: found no built dmc: expected dmc-compile in .*, /no/such/tree/bin or on PATH; "
                                           "build it with scripts/build.sh, or let DMC_HOME name a built tree\n$")


if __name__ == "__main__":
    unittest.main()
