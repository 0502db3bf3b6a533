# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which overloads torch itself decomposes before a graph is imported."""
from __future__ import annotations

import typing

import torch

from . import ctc
from .samples import grid_sampler_3d

# Overloads that torch can decompose and the importer converts as they are: fewer operations, or ones that split better.
_KEPT = ("_embedding_bag", "_unsafe_index", "_unsafe_index_put", "cumprod", "cumsum", "elu", "embedding_dense_backward",
         "gelu", "index_add", "index_copy", "index_fill", "index_select", "native_dropout", "native_dropout_backward",
         "one_hot", "pixel_shuffle", "pixel_unshuffle", "repeat", "roll", "split", "split_with_sizes", "tril", "triu",
         "unbind", "upsample_bicubic2d", "upsample_bilinear2d", "upsample_linear1d", "upsample_nearest1d",
         "upsample_nearest2d", "upsample_nearest3d", "upsample_trilinear3d", "_upsample_nearest_exact1d",
         "_upsample_nearest_exact2d", "_upsample_nearest_exact3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
         "adaptive_avg_pool3d", "_scaled_dot_product_flash_attention_for_cpu", "bernoulli")
# Beyond those of the core set: norms, softmax and losses.
_MORE = ("_addmm_activation", "_batch_norm_no_update", "_batch_norm_with_update",
         "_batch_norm_with_update_functional", "_log_softmax", "_native_batch_norm_legit",
         "_native_batch_norm_legit_functional", "_native_batch_norm_legit_no_training", "_softmax",
         "addmm", "addmv", "batch_norm_backward", "dist",
         "grid_sampler_2d", "ldexp", "native_batch_norm", "native_group_norm", "native_layer_norm",
         "rrelu_with_noise_backward", "var", "std")


def decompositions() -> dict[typing.Any, typing.Any]:
    """A table for make_fx, aot_autograd and ExportedProgram.run_decompositions."""
    name = lambda overload: str(overload).split(".")[1]
    is_aten = lambda overload: str(overload).startswith("aten.")
    table = {overload: function for overload, function in torch._decomp.core_aten_decompositions().items()
             if not (is_aten(overload) and name(overload) in _KEPT)}
    for overload, function in torch._decomp.decomposition_table.items():
        if is_aten(overload) and name(overload) in _MORE and not str(overload).endswith("out"):
            table.setdefault(overload, function)
    for kept in ("var.correction", "var_mean.correction"):
        table.pop(getattr(getattr(torch.ops.aten, kept.split(".")[0]), kept.split(".")[1]), None)
    table[torch.ops.aten.grid_sampler_3d.default] = grid_sampler_3d
    return table | ctc.DECOMPOSITIONS
