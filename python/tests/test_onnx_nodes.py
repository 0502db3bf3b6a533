# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own tests of its operators, through dmc.onnx.backend: those that onnx_node_cases.txt lists pass, all others are
refused as unsupported. A sample of them; DMC_ONNX_NODES=all runs all, another text those that have it in their name."""
import os
import pathlib
import unittest
import warnings

import dmc
from support import needs_onnx

LISTED = pathlib.Path(__file__).with_name("onnx_node_cases.txt")
EVERY = 4  # which of the cases are the sample


def read_tensor(path, onnx):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return onnx.numpy_helper.to_array(tensor)


def comparable(array):
    """numpy does not compare bfloat16."""
    return array.astype("float32") if array.dtype.name == "bfloat16" else array


@needs_onnx
class Nodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import onnx
        import onnx.numpy_helper
        from onnx.backend.test.loader import load_model_tests
        cls.onnx = onnx
        if onnx.__version__ != "1.22.0":
            raise unittest.SkipTest(f"the list of cases is that of onnx 1.22.0, found {onnx.__version__}")
        chosen = os.environ.get("DMC_ONNX_NODES", "")
        cases = sorted(load_model_tests(kind="node"), key=lambda case: case.name)
        cls.is_all = chosen == "all"
        cls.cases = cases if cls.is_all else [case for case in cases
                                              if chosen in case.name] if chosen else cases[::EVERY]

    def run_case(self, case):
        from onnx.backend.test.runner import Runner

        import dmc.onnx.backend
        folder = pathlib.Path(case.model_dir)
        model = self.onnx.load(folder / "model.onnx")
        data = folder / "test_data_set_0"
        kinds = [value.type.WhichOneof("value") for value in (*model.graph.input, *model.graph.output)]
        if set(kinds) != {"tensor_type"}:
            dmc.onnx.backend.prepare(model)
            dmc.onnx.load(model)  # says that it is unsupported
        inputs, expected = ([
            read_tensor(data / f"{kind}_{i}.pb", self.onnx) for i in range(len(list(data.glob(f"{kind}_*.pb"))))
        ] for kind in ("input", "output"))
        results = dmc.onnx.backend.run_model(model, inputs)
        self.assertEqual(len(results), len(expected))
        for got, want in zip(results, expected):
            Runner.assert_similar_outputs([comparable(want)], [comparable(got)], rtol=case.rtol, atol=case.atol)

    def test_cases(self):
        listed = set(LISTED.read_text().split())
        counts = {"passed": 0, "refused": 0}
        for case in self.cases:
            with self.subTest(case.name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if case.name in listed:
                    self.run_case(case)
                    counts["passed"] += 1
                else:
                    with self.assertRaisesRegex(dmc.Error, "unsupported"):
                        self.run_case(case)
                    counts["refused"] += 1
        print(
            f"onnx node cases: {counts['passed']} passed, {counts['refused']} refused as unsupported, of {len(self.cases)}"
        )
        if self.is_all:
            self.assertGreaterEqual(counts["passed"], len(listed))


if __name__ == "__main__":
    unittest.main()
