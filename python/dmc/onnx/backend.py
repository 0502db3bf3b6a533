# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""onnx.backend's interface: prepare, run_model, run_node and supports_device, on the CPU."""
from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence

import numpy
import onnx
import onnx.backend.base
import onnx.checker
import onnx.helper

from ..errors import Error
from ..plan import Plan, compile
from ..stablehlo import dtype_of
from .node import NeedsValue
from .program import Program, load


class BackendRep(onnx.backend.base.BackendRep):
    """A model that runs. It is compiled when it runs first, for the values of inputs that shapes depend on; other such
    values compile it again."""

    def __init__(self, model: onnx.ModelProto, options: Mapping[str, typing.Any]):
        self._model = model
        self._options = dict(options)
        self._needed: set[str] = set()
        self._programs: dict[tuple[bytes, ...], tuple[Program, Plan]] = {}

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs, in order."""
        held = {tensor.name for tensor in self._model.graph.initializer}
        return [item.name for item in self._model.graph.input if item.name not in held]

    def _load(self, arrays: Mapping[str, numpy.ndarray]) -> Program:
        shapes = {name: array.shape for name, array in arrays.items()}
        while True:
            try:
                return load(self._model, shapes, {name: arrays[name] for name in self._needed})
            except NeedsValue as problem:
                if not set(problem.inputs) - self._needed:
                    raise
                self._needed |= set(problem.inputs)

    def run(self, inputs: typing.Any, **kwargs: typing.Any) -> tuple[numpy.ndarray, ...]:
        """Results of arrays in the order of the model's inputs, or by name."""
        if kwargs:
            raise Error(f"unsupported: argument {sorted(kwargs)[0]!r} of run")
        names = self.inputs
        if not isinstance(inputs, Mapping):
            given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
            if len(given) != len(names):
                raise Error(f"expected {len(names)} inputs, found {len(given)}")
            inputs = dict(zip(names, given))
        missing = [name for name in names if name not in inputs]
        if missing:
            raise Error(f"missing input {missing[0]!r}")
        arrays = {}
        for name in names:
            if isinstance(inputs[name], (list, tuple)) or inputs[name] is None:
                raise Error(f"unsupported: input {name!r} that is not a tensor")
            arrays[name] = numpy.asarray(inputs[name])
            dtype_of(arrays[name])
        key = tuple(arrays[name].tobytes()
                    for name in sorted(self._needed)) + tuple(str(array.shape).encode() for array in arrays.values())
        if key not in self._programs:
            program = self._load(arrays)
            key = tuple(arrays[name].tobytes() for name in sorted(self._needed)) + tuple(
                str(array.shape).encode() for array in arrays.values())
            self._programs[key] = program, compile(program, progress=False, **self._options)
        program, plan = self._programs[key]
        return tuple(plan.run([arrays[name] for name in program.inputs]))


class Backend(onnx.backend.base.Backend):
    """dmc on the CPU; options of prepare are those of dmc.compile (mesh, strategy, ...)."""

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """True of "CPU" and "CPU:0"."""
        return device.split(":")[0] == "CPU"

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: typing.Any) -> BackendRep:
        """A model that runs. Raises dmc.Error if it is malformed, or the device is not the CPU."""
        if not cls.supports_device(device):
            raise Error(f"unsupported: device {device!r}; expected CPU")
        try:
            super().prepare(model, device, **kwargs)  # checks the model
        except (onnx.checker.ValidationError, ValueError) as problem:
            raise Error(f"the model is malformed: {str(problem).strip().splitlines()[0]}") from None
        return BackendRep(model, kwargs)

    @classmethod
    def run_node(cls,
                 node: onnx.NodeProto,
                 inputs: typing.Any,
                 device: str = "CPU",
                 outputs_info: Sequence[tuple[typing.Any, ...]] | None = None,
                 **kwargs: typing.Any) -> tuple[numpy.ndarray, ...]:
        """Runs one node on arrays. outputs_info: element types and shapes of the results, of nodes from which they do not follow."""
        names = [name for name in node.input if name]
        arrays = dict(zip(names, map(numpy.asarray, inputs))) if not isinstance(inputs, Mapping) else {
            name: numpy.asarray(inputs[name])
            for name in names
        }
        values = [
            onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in arrays.items()
        ]
        results = [onnx.helper.make_empty_tensor_value_info(name) for name in node.output if name]
        opset = kwargs.pop("opset_version", None) or onnx.defs.onnx_opset_version()
        graph = onnx.helper.make_graph([node], "node", values, results)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid(node.domain, opset)])
        return BackendRep(model, kwargs).run(arrays)


prepare = Backend.prepare
run_model = Backend.run_model
run_node = Backend.run_node
supports_device = Backend.supports_device
