# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models as programs: arguments, shapes, loops, functions, and what is refused."""
import pathlib
import tempfile
import unittest

import dmc
from support import ROOT, check_page, needs_onnx


@needs_onnx
class Models(unittest.TestCase):
    def setUp(self):
        import numpy
        import onnx
        from onnx import helper

        import dmc.onnx
        self.np, self.onnx, self.helper = numpy, onnx, helper
        self.random = numpy.random.default_rng(1)

    def floats(self, *shape):
        return self.random.integers(-4, 5, shape).astype("float32")

    def model(self, nodes, inputs, outputs, initializers=None, opset=20, **more):
        """inputs: shapes by name, of floats, or (type, shape); initializers: arrays by name."""
        helper = self.helper

        def describe(name, entry):
            kind, shape = entry if entry and isinstance(entry[-1], tuple) else ("FLOAT", entry)
            return helper.make_tensor_value_info(name, getattr(self.onnx.TensorProto, kind), shape)

        held = [self.onnx.numpy_helper.from_array(array, name) for name, array in (initializers or {}).items()]
        results = [helper.make_tensor_value_info(name, self.onnx.TensorProto.FLOAT, [None, None]) for name in outputs]
        graph = helper.make_graph(nodes, "test", [describe(*item) for item in inputs.items()], results, held)
        return helper.make_model(graph,
                                 opset_imports=[helper.make_opsetid("", opset),
                                                helper.make_opsetid("own", 1)],
                                 **more)

    def dense(self, batch=4):
        node = self.helper.make_node
        return self.model([node("Gemm", ["x", "w", "b"], ["h"], name="dense"),
                           node("Relu", ["h"], ["y"], name="act")], {"x": (batch, 3)}, ["y"],
                          {"w": self.floats(3, 2), "b": self.np.array([1.0, -2.0], "float32")})

    def values(self, model):
        return {tensor.name: self.onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}

    def refused(self, pattern, model, **options):
        with self.assertRaisesRegex(dmc.Error, pattern) as caught:
            dmc.onnx.load(model, **options)
        self.assertNotIn("\n", caught.exception.message)
        return caught.exception

    def test_initializers_are_arguments(self):
        model = self.dense()
        program = dmc.onnx.load(model)
        self.assertEqual((program.arguments, program.inputs, program.results), (("x", "w", "b"), ("x",), ("y",)))
        held, x = self.values(model), self.floats(4, 3)
        expected = self.np.maximum(x @ held["w"] + held["b"], 0)
        plan = dmc.compile(program,
                           mesh={"model": 2},
                           layouts={
                               "arguments": [dmc.P(None, "model"),
                                             dmc.P("model", None),
                                             dmc.P(None)], "results": [dmc.P(None, None)]
                           })
        self.assertEqual(plan.collectives.wire_bytes(axis="model"), 4 * 2 * 4)  # an all-reduce, or its two halves
        (y,) = plan.run([x])
        self.np.testing.assert_array_equal(y, expected)
        self.np.testing.assert_array_equal(
            plan.run({"x": x, "b": self.np.zeros(2, "float32")})["y"], self.np.maximum(x @ held["w"], 0))
        with self.assertRaisesRegex(dmc.Error, "missing argument 0"):
            plan.run([])
        with self.assertRaisesRegex(dmc.Error, r"missing argument 0 \(x"):
            plan.run({"w": held["w"]})

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.onnx")
            self.onnx.save(self.dense(), path)
            self.assertEqual(dmc.onnx.load(path).text, dmc.onnx.load(str(path)).text)
            path.write_bytes(b"not a model")
            self.refused("cannot read .* as an ONNX model", path)
        self.refused("cannot open 'none.onnx'", "none.onnx")
        self.refused("expected an ONNX model or the path", 3)
        self.refused("found an empty one", self.onnx.ModelProto())

    def test_shapes(self):
        model, x = self.dense("batch"), self.floats(5, 3)
        error = self.refused(
            "unsupported: dimension 0 .batch. of input 'x' of dynamic size; give it by shapes={'batch': ...}", model)
        self.assertIn("dynamic", error.message)
        for shapes in ({"batch": 5}, {"x": (5, 3)}):
            self.assertEqual(dmc.compile(dmc.onnx.load(model, shapes=shapes)).run([x])[0].shape, (5, 2))
        self.refused("dimension 1 of input 'x' is 3, found 4", model, shapes={"x": (5, 4)})
        self.refused("has 2 dimensions, found", model, shapes={"x": (5,)})
        self.refused("given for 'z', which is neither", model, shapes={"batch": 5, "z": 3})
        self.refused("not negative for dimension 'batch', found -1", model, shapes={"batch": -1})
        self.refused("expected a size for dimension 'batch', found 'a'", model, shapes={"batch": "a"})
        self.refused("expected a shape of input 'x', found 4", model, shapes={"x": 4})

    def test_shapes_that_data_decide(self):
        node = self.helper.make_node
        model = self.model([node("Mul", ["s", "two"], ["t"]),
                            node("Reshape", ["x", "t"], ["y"], name="flat")], {"x": (4, 3), "s": ("INT64", (1, ))},
                           ["y"], {"two": self.np.array([2])})
        error = self.refused(
            "flat: unsupported: input 1 of operator Reshape that is not constant .it is computed from s.", model)
        self.assertEqual(error.inputs, ["s"])
        program = dmc.onnx.load(model, values={"s": self.np.array([6])})
        self.assertEqual(dmc.compile(program).run([self.floats(4, 3)])[0].shape, (12,))
        self.refused("expected a value of shape", model, values={"s": self.np.array(6)})
        self.refused("values are given for 'z'", model, values={"z": self.np.array(6)})

    def test_computed_shapes(self):
        node = self.helper.make_node
        nodes = [
            node("Shape", ["x"], ["s"]),
            node("Gather", ["s", "one"], ["n"]),
            node("Mul", ["n", "two"], ["m"]),
            node("Unsqueeze", ["m", "zero"], ["k"]),
            node("Concat", ["k", "rest"], ["t"], axis=0),
            node("Reshape", ["x", "t"], ["y"])
        ]
        model = self.model(
            nodes, {"x": (4, 3)}, ["y"],
            {"one": self.np.array(1), "two": self.np.array(2), "zero": self.np.array([0]), "rest": self.np.array([-1])})
        self.assertEqual(dmc.compile(dmc.onnx.load(model)).run([self.floats(4, 3)])[0].shape, (6, 2))

    def bags(self, trips):
        """Means of rows that a loop collects in a sequence."""
        node, helper = self.helper.make_node, self.helper
        scalar = lambda name, kind: helper.make_tensor_value_info(name, kind, ())
        body = helper.make_graph(
            [
                node("Add", ["i", "one"], ["j"]),
                node("Unsqueeze", ["i", "zero"], ["i1"]),
                node("Unsqueeze", ["j", "zero"], ["j1"]),
                node("Slice", ["x", "i1", "j1", "zero"], ["row"]),
                node("ReduceMean", ["row", "last"], ["mean"], keepdims=0),
                node("SequenceInsert", ["seq", "mean"], ["seq2"]),
                node("Identity", ["go"], ["go2"])
            ], "body",
            [scalar("i", 7), scalar("go", 9),
             helper.make_tensor_sequence_value_info("seq", 1, None)],
            [scalar("go2", 9), helper.make_tensor_sequence_value_info("seq2", 1, None)])
        nodes = [
            node("SequenceEmpty", [], ["empty"]),
            node("Loop", ["trips", "", "empty"], ["all"], body=body, name="bags"),
            node("ConcatFromSequence", ["all"], ["y"], axis=0, new_axis=1)
        ]
        held = {"zero": self.np.array([0]), "last": self.np.array([1]), "one": self.np.array(1)}
        inputs = {"x": (4, 3)} | ({"trips": ("INT64", ())} if trips is None else {})
        return self.model(nodes, inputs, ["y"], held | ({} if trips is None else {"trips": self.np.array(trips)}))

    def test_loop_with_a_sequence(self):
        x = self.floats(4, 3)
        (y,) = dmc.compile(dmc.onnx.load(self.bags(4))).run([x])
        self.np.testing.assert_allclose(y, x.mean(1)[:, None], rtol=1e-6)
        self.refused("bags: unsupported: input 0 of operator Loop that is not constant", self.bags(None))

    def test_slices_of_computed_size(self):
        """Reductions of a slice between places that data decide; other operators need to know them."""
        node, held = self.helper.make_node, {"axis": self.np.array([1])}
        inputs = {"x": (3, 5), "a": ("INT64", (1,)), "b": ("INT64", (1,))}
        x = self.floats(3, 5)
        cut = node("Slice", ["x", "a", "b", "axis"], ["s"])
        for op, expected in (("ReduceSum", self.np.sum), ("ReduceMean", self.np.mean), ("ReduceMax", self.np.max),
                             ("ReduceProd", self.np.prod)):
            for axes in ([1], [0, 1]):
                model = self.model([cut, node(op, ["s", "over"], ["y"], keepdims=0)], inputs, ["y"],
                                   held | {"over": self.np.array(axes)})
                plan = dmc.compile(dmc.onnx.load(model))
                for begin, end in ((1, 3), (-2, 5), (0, 99), (0, -1)):
                    (y,) = plan.run([x, self.np.array([begin]), self.np.array([end])])
                    self.np.testing.assert_allclose(y, expected(x[:, begin:end], axis=tuple(axes)), rtol=1e-6)
                if op in ("ReduceSum", "ReduceProd"):
                    (y,) = plan.run([x, self.np.array([2]), self.np.array([2])])
                    self.np.testing.assert_array_equal(y, expected(x[:, 2:2], axis=tuple(axes)))
        for nodes in ([cut, node("Relu", ["s"], ["y"])], [cut, node("ReduceSum", ["s", "zero"], ["y"])],
                      [cut, node("Identity", ["s"], ["y"])], [cut, node("ReduceL2", ["s", "axis"],
                                                                        ["y"])], [cut, node("Shape", ["s"], ["y"])]):
            error = self.refused("unsupported: o.* that is a slice of computed size .it is computed from a, b.",
                                 self.model(nodes, inputs, ["y"], held | {"zero": self.np.array([0])}))
            self.assertEqual(error.inputs, ["a", "b"])

    def test_initializers_of_a_body(self):
        """They are one argument, however often the body is converted, and another than that of the same name outside."""
        node, helper = self.helper.make_node, self.helper
        value = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
        body = helper.make_graph(
            [node("Add", ["a", "w"], ["b"]),
             node("Identity", ["b"], ["row"]),
             node("Identity", ["go"], ["more"])], "body",
            [value("i", 7, ()), value("go", 9, ()), value("a", 1, (2, ))],
            [value("more", 9, ()), value("b", 1,
                                         (2, )), value("row", 1, (2, ))],
            [self.onnx.numpy_helper.from_array(self.np.array([1, 2], "float32"), "w")])
        model = self.model([node("Mul", ["x", "w"], ["z"]),
                            node("Loop", ["n", "", "z"], ["last", "y"], body=body)], {"x": (2, )}, ["y"],
                           {"n": self.np.array(3), "w": self.np.array([3, 5], "float32")})
        program = dmc.onnx.load(model)
        self.assertEqual(program.arguments, ("x", "w", "w_1"))
        (y,) = dmc.compile(program).run([self.np.array([1, 1], "float32")])
        self.np.testing.assert_array_equal(y, [[4, 7], [5, 9], [6, 11]])

    def test_loop_that_data_end(self):
        node, helper = self.helper.make_node, self.helper
        value = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
        body = helper.make_graph([
            node("Add", ["a", "a"], ["b"]),
            node("ReduceMax", ["b"], ["peak"], keepdims=0),
            node("Less", ["peak", "limit"], ["more"])
        ], "body", [value("i", 7, ()), value("go", 9, ()), value("a", 1, (2, ))],
                                 [value("more", 9, ()), value("b", 1, (2, ))])
        model = self.model([node("Loop", ["", "yes", "x"], ["y"], body=body)], {"x": (2, )}, ["y"],
                           {"yes": self.np.array(True), "limit": self.np.float32(50)})
        (y,) = dmc.compile(dmc.onnx.load(model)).run([self.np.array([1, 3], "float32")])
        self.np.testing.assert_array_equal(y, [32, 96])

    def test_branch_that_data_choose(self):
        node, helper = self.helper.make_node, self.helper
        branch = lambda op: helper.make_graph([node(op, ["x"], [op])], op, [],
                                              [helper.make_tensor_value_info(op, 1, (3, ))])
        model = self.model([node("If", ["c"], ["y"], then_branch=branch("Neg"), else_branch=branch("Abs"))],
                           {"c": ("BOOL", ()), "x": (3, )}, ["y"])
        plan, x = dmc.compile(dmc.onnx.load(model)), self.floats(3)
        for condition in (True, False):
            self.np.testing.assert_array_equal(plan.run([condition, x])[0], -x if condition else abs(x))

    def test_function_of_the_model(self):
        node, helper = self.helper.make_node, self.helper
        scale = node("LeakyRelu", ["v"], ["out"])
        scale.attribute.append(
            self.onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=self.onnx.AttributeProto.FLOAT))
        function = helper.make_function("own", "Bend", ["v"], ["out"], [scale], [helper.make_opsetid("", 20)],
                                        ["slope"])
        model = self.model([node("Bend", ["x"], ["y"], domain="own", slope=0.5)], {"x": (5, )}, ["y"],
                           functions=[function])
        x = self.floats(5)
        self.np.testing.assert_array_equal(
            dmc.compile(dmc.onnx.load(model)).run([x])[0], self.np.where(x < 0, x / 2, x))

    def test_function_that_calls_itself(self):
        helper = self.helper
        endless = helper.make_function("own", "Endless", ["v"], ["w"],
                                       [helper.make_node("Endless", ["v"], ["w"], domain="own")],
                                       [helper.make_opsetid("own", 1)])
        self.refused(
            "unsupported: function Endless that calls itself",
            self.model([helper.make_node("Endless", ["x"], ["y"], domain="own")], {"x": (5, )}, ["y"],
                       functions=[endless]))

    def test_refused(self):
        node = self.helper.make_node
        shape = {"x": (4, 4)}
        for pattern, nodes, inputs in (("spec: unsupported: operator Det", [node("Det", ["x"], ["y"], name="spec")],
                                        shape), ("own1: unsupported: operator Foo of domain 'own'",
                                                 [node("Foo", ["x"], ["y"], name="own1", domain="own")
                                                  ], shape), ("unsupported: attribute 'slope' of operator Relu",
                                                              [node("Relu", ["x"], ["y"], slope=1.0)], shape),
                                       ("unsupported: mode 'area' of operator Resize",
                                        [node("Resize", ["x", "", "s"], ["y"],
                                              mode="area")], shape), ("unsupported: output 1 of operator Relu",
                                                                      [node("Relu", ["x"], ["y", "z"])], shape),
                                       ("late: .*'q' is computed by no node", [node("Relu", ["q"], ["y"], name="late")],
                                        shape), ("short: Range: malformed node|short: .*input",
                                                 [node("Range", ["z1", "z1"], ["y"], name="short")], shape),
                                       ("sum: cannot broadcast shapes", [node("Add", ["x", "z"], ["y"], name="sum")],
                                        shape | {"z": (3, 4)}), ("sum: expected operands of add of one shape and type",
                                                                 [node("Add", ["x", "z"], ["y"],
                                                                       name="sum")], shape | {"z": ("INT64", (4, 4))}),
                                       ("input 'x': unsupported element type STRING", [node("Identity", ["x"], ["y"])],
                                        {"x": ("STRING", (3, ))}), ("input 'x': unsupported element type COMPLEX64",
                                                                    [node("Identity", ["x"],
                                                                          ["y"])], {"x": ("COMPLEX64", (3, ))}),
                                       ("output 'y' that is not a tensor", [node("SequenceConstruct", ["x"],
                                                                                 ["y"])], shape)):
            with self.subTest(pattern):
                self.refused(
                    pattern,
                    self.model(nodes, inputs, ["y"],
                               {"s": self.np.array([2.0, 2.0], "float32"), "z1": self.np.array(1)}))

    def test_locations_are_node_names(self):
        self.assertIn('loc("dense")', dmc.onnx.load(self.dense()).text)

    def run_node(self, op, arrays, outputs=1, **attributes):
        from dmc.onnx import backend
        names = [f"i{i}" if array is not None else "" for i, array in enumerate(arrays)]
        node = self.helper.make_node(op, names, [f"o{i}" for i in range(outputs)], **attributes)
        return backend.run_node(node, {name: array for name, array in zip(names, arrays) if name}, opset_version=20)

    def test_slices_backward(self):
        x = self.floats(5, 6)
        for start, end, step in ((4, 0, -1), (-1, -(2**63), -2), (99, 1, -3), (1, 4, -1)):
            numbers = [self.np.array([number]) for number in (start, end, 1, step)]
            (y,) = self.run_node("Slice", [x, *numbers])
            self.np.testing.assert_array_equal(y, x[:, slice(start, None if end == -(2**63) else end, step)])

    def test_windows_at_the_edge(self):
        x = self.np.arange(1, 7, dtype="float32").reshape(1, 1, 6)
        # What padding adds does not count, or counts; the last window has elements that rounding up adds, which never do.
        for count, expected in ((0, [1, 2.5, 4.5, 6]), (1, [0.5, 2.5, 4.5, 3])):
            (y, ) = self.run_node("AveragePool", [x],
                                  kernel_shape=[2],
                                  strides=[2],
                                  pads=[1, 1],
                                  count_include_pad=count)
            self.np.testing.assert_array_equal(y.reshape(-1), expected)
        (y,) = self.run_node("AveragePool", [x], kernel_shape=[4], strides=[3], ceil_mode=1, count_include_pad=1)
        self.np.testing.assert_array_equal(y.reshape(-1), [2.5, 5])
        # A window that would begin in the padding behind is left out.
        (y,) = self.run_node("MaxPool", [x], kernel_shape=[1], strides=[4], pads=[0, 0], ceil_mode=1)
        self.np.testing.assert_array_equal(y.reshape(-1), [1, 5])
        (y,) = self.run_node("MaxPool", [x[..., :5]], kernel_shape=[2], strides=[3], pads=[1, 1], ceil_mode=1)
        self.np.testing.assert_array_equal(y.reshape(-1), [1, 4])

    def test_resize_by_a_scale_that_rounds(self):
        """Corners are aligned by the size before it is rounded down: 4 * 0.6."""
        x, scales = self.np.arange(1, 9, dtype="float32").reshape(1, 1, 2, 4), self.np.array([1, 1, 0.6, 0.6],
                                                                                             "float32")
        (y,) = self.run_node("Resize", [x, None, scales], mode="linear", coordinate_transformation_mode="align_corners")
        self.np.testing.assert_allclose(y, [[[[1, 1 + 3 / 1.4]]]], rtol=1e-5)

    def test_samples_beyond_the_edge(self):
        x = self.np.array([[[[1, 2, 4]]]], "float32")
        places = self.np.array([-2.0, -1, 0.5, 3, 4])  # of elements; corners are aligned
        grid = self.np.stack([places - 1, 0 * places], -1).astype("float32").reshape(1, 1, 5, 2)
        for mode, expected in (("zeros", [0, 0, 1.5, 0, 0]), ("border", [1, 1, 1.5, 4,
                                                                         4]), ("reflection", [4, 2, 1.5, 2, 1])):
            (y,) = self.run_node("GridSample", [x, grid], mode="linear", padding_mode=mode, align_corners=1)
            self.np.testing.assert_allclose(y.reshape(-1), expected, rtol=1e-6)

    def test_einsum_of_diagonals(self):
        x, y = self.floats(3, 4, 4), self.floats(4, 3)
        for equation in ("bii->bi", "bii,ib->b", "bii", "bij,jb->ib"):
            arrays = [x, y] if "," in equation else [x]
            (z,) = self.run_node("Einsum", arrays, equation=equation)
            self.np.testing.assert_allclose(z, self.np.einsum(equation, *arrays), rtol=1e-5)

    def test_recurrence_backward(self):
        x, w, r = (self.floats(*shape) / 8 for shape in ((4, 2, 3), (1, 5, 3), (1, 5, 5)))
        forward = self.run_node("RNN", [x[::-1].copy(), w, r], 2, hidden_size=5)
        state = self.np.zeros((2, 5), "float32")
        for now in x[::-1]:
            state = self.np.tanh(now @ w[0].T + state @ r[0].T)
        self.np.testing.assert_allclose(forward[1][0], state, rtol=1e-5, atol=1e-6)
        backward = self.run_node("RNN", [x, w, r], 2, hidden_size=5, direction="reverse")
        self.np.testing.assert_allclose(backward[0], forward[0][::-1], rtol=1e-6)
        self.np.testing.assert_allclose(backward[1], forward[1], rtol=1e-6)
        # A sequence keeps its state beyond its length.
        short = self.run_node("RNN", [x, w, r, None, self.np.array([4, 2], "int32")], 2, hidden_size=5)
        cut = self.run_node("RNN", [x[:2], w, r], 2, hidden_size=5)
        self.np.testing.assert_allclose(short[1][:, 1], cut[1][:, 1], rtol=1e-6)
        self.np.testing.assert_array_equal(short[0][2:, :, 1], 0)

    def test_normalizations(self):
        x, scale, bias = self.floats(2, 3, 4), self.floats(3), self.floats(3)
        centered = x - x.mean(2, keepdims=True)
        for epsilon in (1e-5, 0.5):
            (y,) = self.run_node("InstanceNormalization", [x, scale, bias], epsilon=epsilon)
            expected = centered / self.np.sqrt((centered**2).mean(2, keepdims=True) + epsilon)
            self.np.testing.assert_allclose(y, expected * scale[:, None] + bias[:, None], rtol=1e-4, atol=1e-5)
        (y,) = self.run_node("InstanceNormalization", [x, scale, bias])
        expected = centered / self.np.sqrt((centered**2).mean(2, keepdims=True) + 1e-5)
        self.np.testing.assert_allclose(y, expected * scale[:, None] + bias[:, None], rtol=1e-4, atol=1e-5)

    def test_page(self):
        check_page(self, ROOT / "docs" / "from-onnx.md")

    def test_positions_in_a_sequence(self):
        node, x = self.helper.make_node, self.floats(2)
        held = {"first": self.np.array(0), "last": self.np.array(-1), "one": self.np.array([7, 7], "float32")}
        for place, position, expected in (("last", "last", x), ("last", "first", held["one"]),
                                          ("first", "first", held["one"]), ("", "last", held["one"])):
            nodes = [
                node("SequenceConstruct", ["x"], ["s"]),
                node("SequenceInsert", ["s", "one", place], ["t"]),
                node("SequenceAt", ["t", position], ["y"])
            ]
            (y,) = dmc.compile(dmc.onnx.load(self.model(nodes, {"x": (2,)}, ["y"], held))).run([x])
            self.np.testing.assert_array_equal(y, expected)

    def test_loop_that_ends_itself(self):
        """Without a trip count; the condition is known in each iteration. Without a condition that of the body is ignored."""
        node, helper = self.helper.make_node, self.helper
        value = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
        nodes = [node("Add", ["a", "x"], ["b"]), node("Less", ["i", "two"], ["more"]), node("Identity", ["b"], ["row"])]
        body = helper.make_graph(
            nodes, "body", [value("i", 7, ()), value("go", 9,
                                                     ()), value("a", 1, (2, ))],
            [value("more", 9, ()), value("b", 1,
                                         (2, )), value("row", 1, (2, ))])
        for trips, condition, count in (("", "yes", 3), ("five", "", 5)):
            model = self.model([node("Loop", [trips, condition, "x"], ["last", "y"], body=body)], {"x": (2,)}, ["y"],
                               {"yes": self.np.array(True), "two": self.np.array(2), "five": self.np.array(5)})
            (y,) = dmc.compile(dmc.onnx.load(model)).run([self.np.array([1, 3], "float32")])
            self.np.testing.assert_array_equal(y,
                                               self.np.array([1, 3], "float32") * self.np.arange(2, 2 + count)[:, None])

    def test_loop_of_a_computed_trip_count(self):
        node, helper = self.helper.make_node, self.helper
        value = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
        body = helper.make_graph(
            [node("Add", ["a", "a"], ["b"]), node("Identity", ["go"], ["more"])], "body",
            [value("i", 7, ()), value("go", 9, ()), value("a", 1, (2, ))],
            [value("more", 9, ()), value("b", 1, (2, ))])
        model = self.model([node("Loop", ["n", "", "x"], ["y"], body=body)], {"n": ("INT64", ()), "x": (2,)}, ["y"])
        plan = dmc.compile(dmc.onnx.load(model))
        for count in (0, 3):
            self.np.testing.assert_array_equal(
                plan.run([count, self.np.array([1, 3], "float32")])[0], [2**count, 3 * 2**count])

    def test_backend(self):
        from dmc.onnx import backend
        self.assertTrue(backend.supports_device("CPU"))
        self.assertFalse(backend.supports_device("CUDA:1"))
        with self.assertRaisesRegex(dmc.Error, "unsupported: device 'CUDA'"):
            backend.prepare(self.dense(), "CUDA")
        node, x = self.helper.make_node("Add", ["a", "b"], ["c"]), self.floats(2, 3)
        self.np.testing.assert_array_equal(backend.run_node(node, [x, x])[0], 2 * x)
        rep = backend.prepare(self.dense(), mesh={"data": 2})
        with self.assertRaisesRegex(dmc.Error, "expected 1 inputs, found 2"):
            rep.run([x, x])
        for _ in range(2):  # the second is not compiled
            x = self.floats(4, 3)
            held = self.values(self.dense())
            self.assertEqual(rep.run([x])[0].shape, (4, 2))
        self.assertEqual((len(rep._programs), len(held)), (1, 2))

    def test_backend_of_shapes_that_data_decide(self):
        from dmc.onnx import backend
        model = self.model([self.helper.make_node("Reshape", ["x", "s"], ["y"])], {"x": (4, 3), "s": ("INT64", (2, ))},
                           ["y"])
        rep, x = backend.prepare(model), self.floats(4, 3)
        for shape in ((2, 6), (6, 2), (2, 6)):
            self.np.testing.assert_array_equal(rep.run([x, self.np.array(shape)])[0], x.reshape(shape))
        self.assertEqual((len(rep._programs), rep._needed), (2, {"s"}))


if __name__ == "__main__":
    unittest.main()
