# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of torch.export."""
from __future__ import annotations

import typing

import torch
from torch.export.graph_signature import InputKind, OutputKind

from ..errors import Error
from ..stablehlo import Value
from .decompositions import decompositions
from .importer import Importer, Program, add_input
from .random import Random
from .result import ProgramModule
from .tensors import to_array
from .trace import explained, plain_operators


def from_exported(exported: typing.Any, *, seed: int | None = None) -> Program:
    """Imports what torch.export.export returns: the inputs of the user come first, then parameters, buffers and
    constants by their names, with their values. A buffer that the program changes is donated.

    seed: of random numbers, the same in every run
    """
    if not isinstance(exported, torch.export.ExportedProgram):
        raise Error(f"expected what torch.export.export returns, found {type(exported).__name__}")
    with explained(), plain_operators():
        exported = exported.run_decompositions(decompositions())
    signature, graph_module = exported.graph_signature, exported.graph_module
    module = ProgramModule("main")
    importer, values, initial = Importer(module), {}, {}
    nodes = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    pairs = list(zip(nodes, signature.input_specs, strict=True))
    for is_input in (True, False):
        for node, spec in pairs:
            if (spec.kind == InputKind.USER_INPUT) != is_input:
                continue
            name = node.name if is_input else str(spec.target)
            values[node] = add_input(module, node, name)
            if not is_input:
                held = exported.state_dict.get(name, exported.constants.get(name))
                if not isinstance(held, torch.Tensor):
                    raise Error(f"unsupported input {name!r} of kind {spec.kind.name}")
                initial[name] = to_array(held)
    if seed is not None:
        module.random = Random(module, module.constant([seed, 0], dtype="i64"))
    found = importer.run(graph_module, [values[node] for node in nodes])
    arguments = dict(module.arguments)
    for number, (item, output) in enumerate(zip(found, signature.output_specs, strict=True)):
        if output.kind == OutputKind.USER_OUTPUT:
            module.expect(isinstance(item, Value), f"unsupported result {item!r}: expected a tensor")
            module.result(f"result {number}", item)
        elif output.kind in (OutputKind.BUFFER_MUTATION, OutputKind.USER_INPUT_MUTATION):
            name = str(output.target)
            module.result(name, item)
            module.donate(arguments[name], name)
    takes, gives = (tuple(name for name, _ in pairs) for pairs in (module.arguments, module.results))
    return Program(module.text(), takes, gives, initial | importer.initial_values)
