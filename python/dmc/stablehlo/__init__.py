# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds programs of StableHLO as text, operation by operation, for importers and for programs that write programs.

    from dmc.stablehlo import Module

    module = Module("step")
    x = module.argument("x", (8, 6), "f32")
    w = module.argument("w", (6, 4), "f32")
    with module.location("model.py", 12, "dense"):
        y = module.maximum(module.matmul(x, w), 0.0)
    module.result("y", y)
    plan = dmc.compile(module.text())

Each operation infers the shape and type of its result, and raises dmc.Error where operands do not fit. Only
numpy is needed.
"""
from .complexes import ComplexNumbers
from .control import Control
from .core import Body, Operand, Value
from .types import (ANY, BITS, COMPLEX, FLOATS, INTEGERS, NUMBERS, SIGNED, UNSIGNED, bits_of, convert_array, dtype_of, is_float,
                    numpy_dtype, promote_dtypes, to_bfloat16_bits)


class Module(Control, ComplexNumbers):
    """A program: arguments, operations and results.

    Operands are values of the module; numbers in place of one are taken in the other operand's type. Shapes are static.
    Each method raises dmc.Error, at the location that is set, where operands do not fit.
    """


__all__ = ["ANY", "BITS", "Body", "COMPLEX", "FLOATS", "INTEGERS", "Module", "NUMBERS", "Operand", "SIGNED", "UNSIGNED", "Value",
           "bits_of", "convert_array", "dtype_of", "is_float", "numpy_dtype", "promote_dtypes", "to_bfloat16_bits"]
