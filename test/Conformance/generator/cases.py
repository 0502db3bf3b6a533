# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups of cases and the files that hold them (docs/testing.md: packed cases)."""
import json

from tensors import Tensor

BITS = {"kind": "bits"}
VALUE = {"kind": "value"}  # the sign of a zero aside


def ulp(count):
    return {"kind": "ulp", "max": count}


def close(atol, rtol):
    return {"kind": "close", "atol": atol, "rtol": rtol}


class Group:
    """Cases of one file. `made` says how their expected values were made."""

    def __init__(self, name, made):
        self.name, self.made, self.cases = name, made, []

    def add(self, name, op, arguments, body, results, tolerance=BITS, outside="", head=""):
        """A case of one program on global tensors. `body` computes %r0, %r1, ... of the arguments
        %a0, %a1, ...; `outside` is text of the module beside @main, `head` the module's attributes.
        An argument or result is a Tensor, or a pair of a Tensor and its attributes."""
        inputs, signature = split(arguments)
        outputs, returned = split(results)
        program = [f"module {head}{{" if head else "module {"] + lines(outside, 1)
        program += main(signature, returned, body) + ["}"]
        self.append(name, op, program, inputs, outputs, tolerance)
        self.cases[-1]["arguments"] = [x.values() for x in inputs]
        self.cases[-1]["results"] = [x.values() for x in outputs]

    def add_ranks(self, name, op, replicas, partitions, arguments, body, results, tolerance=BITS, outside=""):
        """A case in which every rank has arguments and results of its own: lists of lists."""
        inputs, outputs = arguments[0], results[0]
        head = (
            "module attributes {"
            f"mhlo.num_partitions = {partitions} : i32, mhlo.num_replicas = {replicas} : i32}} {{"
        )
        program = [head] + lines(outside, 1)
        program += main([(x.mlir, "") for x in inputs], [(x.mlir, "") for x in outputs], body) + ["}"]
        self.append(name, op, program, inputs, outputs, tolerance)
        case = self.cases[-1]
        case["ranks"] = {"replicas": replicas, "partitions": partitions}
        case["arguments"] = [[x.values() for x in rank] for rank in arguments]
        case["results"] = [[x.values() for x in rank] for rank in results]
        assert len(arguments) == len(results) == replicas * partitions

    def append(self, name, op, program, inputs, outputs, tolerance):
        assert all(case["name"] != name for case in self.cases), name
        self.cases.append(
            {
                "name": name,
                "op": op,
                "tolerance": tolerance,
                "program": program,
                "inputs": [x.text_type for x in inputs],
                "outputs": [x.text_type for x in outputs],
            }
        )

    def write(self, folder):
        """One line for each property of a case, so that differences of versions can be read."""
        text = ['{"made": ' + json.dumps(self.made) + ',\n"cases": [\n']
        for i, case in enumerate(self.cases):
            fields = []
            for key, value in case.items():
                if key == "program":
                    shown = "[\n  " + ",\n  ".join(json.dumps(line) for line in value) + "]"
                else:
                    shown = json.dumps(value, separators=(",", ":"))
                fields.append(f'"{key}": {shown}')
            text.append("{" + ",\n ".join(fields) + "}" + (",\n" if i + 1 < len(self.cases) else "\n"))
        text.append("]}\n")
        (folder / f"{self.name}.json").write_text("".join(text))


def split(values):
    """Tensors, and pairs of a type and attributes for the signature."""
    pairs = [(v, "") if isinstance(v, Tensor) else v for v in values]
    return [x for x, _ in pairs], [(x.mlir, attributes) for x, attributes in pairs]


def lines(text, depth):
    return ["  " * depth + line for line in text.strip("\n").split("\n") if line.strip()]


def main(arguments, results, body):
    def annotated(t, attributes):
        return t + (f" {{{attributes}}}" if attributes else "")

    signature = ", ".join(f"%a{i}: {annotated(*x)}" for i, x in enumerate(arguments))
    types = ", ".join(annotated(*x) for x in results)
    text = [f"  func.func @main({signature}) -> ({types}) {{"] + lines(body, 2)
    values = ", ".join(f"%r{i}" for i in range(len(results)))
    return text + [f"    return {values} : " + ", ".join(t for t, _ in results), "  }"]
