# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pyproject.toml cannot say: the version, and where the built tree lies that the installed package uses."""
import os
import pathlib
import re
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py

root = pathlib.Path(__file__).resolve().parent
version = re.search(r"project\(dmc VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]


class BuildWithTree(build_py):
    def run(self):
        super().run()
        tree = pathlib.Path(os.environ.get("DMC_HOME", root / "build")).resolve()
        (pathlib.Path(self.build_lib) / "dmc" / "_built_tree.txt").write_text(f"{tree}\n")


# build/ is CMake's: setuptools would put all of build/lib into the wheel.
with tempfile.TemporaryDirectory() as folder:
    setup(version=version, cmdclass={"build_py": BuildWithTree},
          options={"build": {"build_base": folder}, "egg_info": {"egg_base": folder}})
