# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled program moves, needs and computes. All figures are per rank and step."""
from __future__ import annotations

import dataclasses
import difflib
import html
import json
import os
from collections.abc import Iterable


@dataclasses.dataclass(frozen=True)
class Collective:
    """All collectives of one kind over the same axes."""

    kind: str  # "all_reduce", "all_gather", ...
    axes: tuple[str, ...]
    count: int  # executions
    bytes: int  # of the operands, of all-gathers of the results
    wire_bytes: float  # that leave a rank


class Collectives(tuple[Collective, ...]):
    """The collectives of a program, which print as a table."""

    def select(self, kind: str | None = None, axis: str | None = None) -> "Collectives":
        """Those of a kind ("all_reduce", ...), and those over a mesh axis or a part of it."""
        def matches(row: Collective) -> bool:
            names = [name.split(":")[0] for name in row.axes]
            return (kind is None or row.kind == kind) and (axis is None or axis in names)

        return Collectives(row for row in self if matches(row))

    def count(self, kind: str | None = None, axis: str | None = None) -> int:
        """How often such collectives are executed."""
        return sum(row.count for row in self.select(kind, axis))

    def bytes(self, kind: str | None = None, axis: str | None = None) -> int:
        """Bytes of the operands of such collectives, of all-gathers of the results; in all executions, per rank."""
        return sum(row.bytes for row in self.select(kind, axis))

    def wire_bytes(self, kind: str | None = None, axis: str | None = None) -> float:
        """Bytes that such collectives send from each rank in a step."""
        return sum(row.wire_bytes for row in self.select(kind, axis))

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("collective", "axes", "count", "bytes", "wire bytes")]
        return rows + [(row.kind, ",".join(row.axes), f"{row.count:,}", f"{row.bytes:,}", f"{row.wire_bytes:,.0f}")
                       for row in self]

    def __str__(self) -> str:
        if not self:
            return "no collectives"
        rows = self._rows()
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        return "\n".join(
            "  ".join(cell.ljust(width) if i < 2 else cell.rjust(width)
                      for i, (cell, width) in enumerate(zip(row, widths))) for row in rows)

    def _repr_html_(self) -> str:
        """A table, which notebooks show."""
        if not self:
            return "<p>no collectives</p>"
        head, *rows = ["".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)
                       for tag, row in zip(["th", *["td"] * len(self)], self._rows())]
        return f"<table><thead><tr>{head}</tr></thead><tbody>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</tbody></table>"


@dataclasses.dataclass(frozen=True)
class Memory:
    """Bytes that a rank needs."""

    arguments: int  # blocks of the rank, padding included
    arena: int  # one block of memory for everything between arguments and results
    peak: int  # arguments, results that take over none, arena
    scratch: int  # beside these, of library calls while they run


@dataclasses.dataclass(frozen=True)
class PredictedCollective:
    """What the collectives of one kind over the same axes send in a step, as the plan says."""

    kind: str  # "all_reduce", ...
    axes: tuple[str, ...]
    messages: float  # one after the other
    wire_bytes: float  # that leave a rank


@dataclasses.dataclass(frozen=True)
class Prediction:
    """What a plan predicts of one step on one rank, and how good it is."""

    predicted_ms: float  # moves and computation, one after the other
    bound_ms: float  # no plan of the space that was searched takes less; 0 if layouts were not solved for
    proved_bound_ms: float  # the same as the search proved it, also by what certificates do not have; at least bound_ms
    gap: float  # (predicted - bound) / predicted, at least 0
    seconds: float  # that the search took
    certified: bool  # whether the certificate proves the gap that was asked for
    interrupted: bool  # whether the search was interrupted: the plan is the best until then
    fingerprint: str  # of the problem; empty if layouts were not solved for
    axes_together: tuple[tuple[str, ...], ...]  # groups of axes that split a dimension together or not at all: each alone would be too many
    peak: int  # bytes that a rank needs at once, estimated before operations are fused
    flops: float  # of a rank's contractions
    collectives: tuple[PredictedCollective, ...]

    @staticmethod
    def of(data: dict) -> "Prediction":
        """From the entry `plan` of a report."""
        rows = tuple(PredictedCollective(row["kind"], tuple(row["axes"]), row["messages"], row["wire_bytes"]) for row in data["collectives"])
        groups = tuple(tuple(axes) for axes in data["axes_together"])
        return Prediction(**{**data, "collectives": rows, "axes_together": groups})


@dataclasses.dataclass(frozen=True)
class Report:
    """What `dmc-compile --report` says of a program."""

    mesh: dict[str, int]  # axes and sizes, major to minor
    ranks: int
    collectives: Collectives
    memory: Memory
    flops: int  # floating point operations of contractions and convolutions
    compile_ms: dict[str, float]  # milliseconds by stage
    plan: Prediction | None = None  # where layouts were decided for several ranks
    predicted_step_ms: float | None = None  # of kernels, library calls and collectives on the machine that was given as a file

    @staticmethod
    def read(path: str | os.PathLike[str]) -> "Report":
        """From the JSON file that `dmc-compile --report` and `dmc-run --report` write."""
        with open(path) as file:
            data = json.load(file)
        rows: Iterable[dict] = data["collectives"]
        return Report(
            mesh=dict(data["mesh"]),
            ranks=data["ranks"],
            collectives=Collectives(
                Collective(row["kind"], tuple(row["axes"]), row["count"], row["bytes"], row["wire_bytes"]) for row in rows),
            memory=Memory(*(data["memory"][key] for key in ("arguments", "arena", "peak", "scratch"))),
            flops=data["flops"],
            compile_ms=dict(data["compile_ms"]),
            plan=Prediction.of(data["plan"]) if "plan" in data else None,
            predicted_step_ms=data.get("predicted_step_ms"),
        )


@dataclasses.dataclass(frozen=True)
class Difference:
    """What a second plan changes; figures are pairs, of the first plan and of the second. Equal things are left out."""

    collectives: dict[tuple[str, tuple[str, ...]], tuple[Collective | None, Collective | None]]  # by kind and axes
    memory: dict[str, tuple[int, int]]
    flops: tuple[int, int] | None
    mesh: tuple[dict[str, int], dict[str, int]] | None
    decisions: tuple[str, ...]  # lines of the saved plans: "-..." of the first alone, "+..." of the second

    @staticmethod
    def between(first: Report, second: Report, decided: str, decided_by_other: str) -> "Difference":
        """Of two reports, and of the texts of the plans as save_plan writes them."""
        rows = [{(row.kind, row.axes): row for row in report.collectives} for report in (first, second)]
        pairs = {key: (rows[0].get(key), rows[1].get(key)) for key in {**rows[0], **rows[1]}}
        fields = [field.name for field in dataclasses.fields(Memory)]
        memory = {name: (getattr(first.memory, name), getattr(second.memory, name)) for name in fields}
        lines = difflib.unified_diff(decided.splitlines(), decided_by_other.splitlines(), lineterm="", n=0)
        return Difference(
            collectives={key: pair for key, pair in pairs.items() if pair[0] != pair[1]},
            memory={name: pair for name, pair in memory.items() if pair[0] != pair[1]},
            flops=(first.flops, second.flops) if first.flops != second.flops else None,
            mesh=(first.mesh, second.mesh) if first.mesh != second.mesh else None,
            decisions=tuple(line for line in lines if line[:3] not in ("---", "+++") and line[:2] != "@@"),
        )

    def __bool__(self) -> bool:
        return bool(self.collectives or self.memory or self.flops or self.mesh or self.decisions)

    def __str__(self) -> str:
        lines = []
        if self.mesh:
            lines.append(f"mesh: {self.mesh[0]} -> {self.mesh[1]}")
        for (kind, axes), pair in self.collectives.items():
            counts, sizes = ([f"{getattr(row, name) if row else 0:,}" for row in pair] for name in ("count", "bytes"))
            lines.append(f"{kind} {','.join(axes)}: {counts[0]} -> {counts[1]} times, {sizes[0]} -> {sizes[1]} bytes")
        lines += [f"memory.{name}: {old:,} -> {new:,}" for name, (old, new) in self.memory.items()]
        if self.flops:
            lines.append(f"flops: {self.flops[0]:,} -> {self.flops[1]:,}")
        return "\n".join([*lines, *self.decisions]) or "no difference"

    def _repr_html_(self) -> str:
        """The text, which notebooks show."""
        return f"<pre>{html.escape(str(self))}</pre>"


class Reported:
    """What has a report: its figures, all per rank and step."""

    report: Report

    @property
    def collectives(self) -> Collectives:
        """What moves in a step: a tuple of dmc.Collective, which prints as a table; all figures are per rank."""
        return self.report.collectives

    @property
    def memory(self) -> Memory:
        """Bytes that a rank needs: of arguments, of the arena, at the peak."""
        return self.report.memory

    @property
    def flops(self) -> int:
        """Floating point operations of contractions and convolutions, per rank and step."""
        return self.report.flops
