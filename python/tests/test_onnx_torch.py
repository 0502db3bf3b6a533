# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that torch.onnx exports, imported and run on one rank and on a 2 x 2 mesh, against torch itself."""
import os
import tempfile
import unittest
import warnings

import dmc
from support import needs_onnx, needs_torch_export


def make_cases(torch):
    """Modules and their inputs by name."""
    nn, functional = torch.nn, torch.nn.functional
    normal = torch.randn

    class Apply(nn.Module):
        def __init__(self, function):
            super().__init__()
            self.function = function

        def forward(self, *arrays):
            return self.function(*arrays)

    class Recurrent(nn.Module):
        def __init__(self, kind, **options):
            super().__init__()
            self.layer = getattr(nn, kind)(5, 7, **options)

        def forward(self, x):
            return self.layer(x)[0]

    def resize(x):
        sizes = [
            functional.interpolate(x, size=(7, 11), mode="bilinear", align_corners=corners) for corners in (True, False)
        ]
        return (*sizes, functional.interpolate(x, scale_factor=1.7,
                                               mode="bicubic"), functional.interpolate(x, scale_factor=2))

    def update(x, i):
        return x.scatter_add(1, i, torch.ones(4, 3)), torch.gather(x, 1, i), x[:, i[0]], x.index_put((i[0], ),
                                                                                                     torch.zeros(3, 7))

    convolutions = nn.Sequential(nn.Conv2d(4, 8, 3, 2, 1, groups=2), nn.BatchNorm2d(8), nn.SiLU(),
                                 nn.MaxPool2d(3, 2, 1, ceil_mode=True),
                                 nn.ConvTranspose2d(8, 4, 3, 2, 1, output_padding=1, groups=2), nn.GroupNorm(2, 4),
                                 nn.AvgPool2d(2, ceil_mode=True, count_include_pad=False))
    for _ in range(3):
        convolutions(normal(4, 4, 15, 15))
    return {
        "convolutions": (convolutions, normal(4, 4, 15, 15)),
        "transformer": (nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True),
                                              2), normal(4, 5, 16)),
        "lstm": (Recurrent("LSTM", bidirectional=True, num_layers=2, batch_first=True), normal(4, 6, 5)),
        "gru": (Recurrent("GRU", batch_first=True), normal(4, 6, 5)),
        "resize": (Apply(resize), normal(4, 2, 5, 6)),
        "update": (Apply(update), (normal(4, 7), torch.tensor([[0, 3, 2], [1, 1, 0], [2, 0, 3], [0, 0, 0]]))),
        "einsum": (Apply(lambda a, b: torch.einsum("bij,bkj->bik", a, b)), (normal(4, 3, 4), normal(4, 5, 4))),
        "sort":
        (Apply(lambda x: (*torch.sort(x, descending=True), *torch.topk(x, 3, largest=False), x.argmax(1), x.cumsum(1))),
         normal(4, 7)),
        "statistics": (Apply(lambda x: (x.var(1), x.norm(dim=1), x.logsumexp(1), (x > 0).any(1))), normal(4, 7)),
        "bags": (nn.EmbeddingBag(20, 4, mode="mean"), torch.randint(0, 20, (4, 5))),
        "bags_by_offsets": (nn.EmbeddingBag(20, 4, mode="sum"), (torch.randint(0, 20, (12, )), torch.tensor([0, 3, 3, 9]))),
    }


@needs_onnx
@needs_torch_export
class Exported(unittest.TestCase):
    def check(self, module, inputs, mesh, options):
        import torch
        with torch.no_grad(), warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
            warnings.simplefilter("ignore")
            expected = module(*inputs)
            path = os.path.join(folder, "module.onnx")
            torch.onnx.export(module, inputs, dynamo=True, verbose=False).save(path)
            program = dmc.onnx.load(path)
        expected = [expected] if isinstance(expected, torch.Tensor) else list(expected)
        for each in ({}, {"mesh": mesh, "strategy": options + program.inputs[0]}):
            results = dmc.compile(program, **each).run([x.numpy() for x in inputs])
            for got, want in zip(results, expected, strict=True):
                torch.testing.assert_close(torch.from_numpy(got), want, rtol=2e-5, atol=2e-5)

    def test_modules(self):
        import logging

        import torch

        import dmc.onnx
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        torch.manual_seed(0)
        for name, (module, inputs) in make_cases(torch).items():
            with self.subTest(name):
                self.check(module.eval(), inputs if isinstance(inputs, tuple) else (inputs, ), {"data": 2, "model": 2},
                           "data_parallel:batch=")


if __name__ == "__main__":
    unittest.main()
