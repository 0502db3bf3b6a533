# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The conversions of operators, by kind; importing them registers them."""
from . import (control, elementwise, indexing, normalization, pooling, products, quantization, recurrent,  # noqa: F401
               reductions, resize, sampling, sequences, shapes)
