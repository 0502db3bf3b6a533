# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of benchmarks: examples/mlp, examples/gpt and the folders of benchmarks/models."""
import gzip
import json
import math
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


def folder_of(model):
    """The folder of a model, or None."""
    return next((f for f in (ROOT / "examples" / model, ROOT / "benchmarks/models" / model) if f.exists()), None)


def program_text(model):
    """The step for one device: StableHLO in MLIR's generic form."""
    folder = folder_of(model)
    if (folder / "step.mlir").exists():
        return (folder / "step.mlir").read_text()
    return gzip.decompress((folder / "step.mlir.gz").read_bytes()).decode()


def meta_of(model):
    return json.loads((folder_of(model) / "meta.json").read_text())


def cases_of(model):
    """By name, the mesh and the axes of each dimension of arguments and results."""
    return json.loads((folder_of(model) / "shardings.json").read_text())


def attributes(text):
    """The dictionaries of a list `{a = 1}, {}`, without their braces."""
    found, depth, begin = [], 0, 0
    for at, char in enumerate(text):
        if char == "{" and not depth:
            begin = at + 1
        depth += (char == "{") - (char == "}")
        if char == "}" and not depth:
            found.append(text[begin:at])
    return found


def annotated_text(model, case):
    """The step with the case's mesh, and a closed sdy.sharding on every argument and result."""
    text, entry = program_text(model), cases_of(model)[case]
    axes = ", ".join(f'"{name}"={size}' for name, size in entry["mesh"])
    begin = next(m.start() for m in re.finditer(r'^ *"func\.func"\(\) <\{.*$', text, flags=re.M) if 'sym_name = "main"' in m.group())
    head = text[begin:text.index("\n", begin)]
    for key, values in (("arg_attrs", entry["arguments"]), ("res_attrs", entry["results"])):
        found = re.search(key + r" = \[(.*?)\](?=, [a-z_]+ = |\}>)", head)
        old = attributes(found.group(1)) if found else [""] * len(values)
        new = []
        for own, dims in zip(old, values, strict=True):
            listed = ", ".join("{" + ", ".join(f'"{axis}"' for axis in dim) + "}" for dim in dims)
            new.append("{" + f"sdy.sharding = #sdy.sharding<@mesh, [{listed}]>" + (f", {own}" if own else "") + "}")
        listed = f"{key} = [{', '.join(new)}]"
        head = head.replace(found.group(), listed) if found else head.replace("<{", "<{" + listed + ", ", 1)
    mesh = f'  "sdy.mesh"() <{{mesh = #sdy.mesh<[{axes}]>, sym_name = "mesh"}}> : () -> ()\n'
    text = text[:begin] + mesh + head + text[text.index("\n", begin):]
    ranks = math.prod(size for _, size in entry["mesh"])
    return re.sub(r"mhlo\.num_partitions = \d+", f"mhlo.num_partitions = {ranks}", text)
