# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers as descriptions: numbers, and which parameters have others. dmc.torch.train_step makes updates of them."""
from __future__ import annotations

import dataclasses
import fnmatch
import typing
from collections.abc import Callable, Mapping, Sequence
from numbers import Real

from .errors import Error

#: A number, or a function of the number of steps before this one, as a tensor of f32, that gives a tensor.
Rate = typing.Union[float, Callable[[typing.Any], typing.Any]]

_NUMBERS = ("weight_decay", "momentum", "dampening", "eps")


def _check(condition: bool, owner: object, message: str) -> None:
    if not condition:
        raise Error(f"{type(owner).__name__}: {message}")


def _are_betas(betas: typing.Any) -> bool:
    return isinstance(betas, Sequence) and len(betas) == 2 and all(isinstance(beta, Real) for beta in betas)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Optimizer:
    """What all optimizers have.

    lr: the learning rate, or a function of the step's number
    groups: other numbers for parameters whose names match, {"*.bias": {"weight_decay": 0}}; the last match counts
    """

    lr: Rate  # the learning rate, or a function of the number of steps before, as a tensor, that gives a tensor
    weight_decay: float = 0.0
    maximize: bool = False  # the loss, instead of minimizing it
    groups: Mapping[str, Mapping[str, typing.Any]] = dataclasses.field(default_factory=dict)  # other numbers by name patterns

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name in _NUMBERS or field.name == "lr" and not callable(value):
                _check(isinstance(value, Real), self, f"expected {field.name} as a number, found {value!r}")
        _check(isinstance(self.groups, Mapping) and all(isinstance(item, Mapping) for item in self.groups.values()), self,
               f"expected groups as mappings of numbers by name patterns, found {self.groups!r}")
        fields = {field.name for field in dataclasses.fields(self)} - {"groups"}
        for pattern, numbers in self.groups.items():
            unknown = sorted(set(numbers) - fields)
            _check(not unknown, self, f"unknown {', '.join(unknown)} in group {pattern!r}, expected {sorted(fields)}")
        self._check_numbers()

    def _check_numbers(self) -> None:
        _check(callable(self.lr) or self.lr >= 0, self,
               f"expected a learning rate that is not negative, found {self.lr}")
        _check(self.weight_decay >= 0, self,
               f"expected a weight decay that is not negative, found {self.weight_decay}")

    def for_parameter(self, name: str) -> "Optimizer":
        """The numbers that hold for a parameter, by its name."""
        mine: dict[str, typing.Any] = {}
        for pattern, numbers in self.groups.items():
            if name == pattern or fnmatch.fnmatchcase(name, pattern):
                mine.update(numbers)
        return dataclasses.replace(self, **mine, groups={}) if mine else self

    def state_names(self) -> Sequence[str]:
        """What the optimizer keeps for a parameter, of its shape."""
        return ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class SGD(Optimizer):
    """Gradient descent, as torch.optim.SGD; all numbers mean what they do there.

    momentum: the part of the last step that is added to this one; with 0 nothing is kept between steps
    dampening: the part of the gradient that is left out of the momentum
    nesterov: looks ahead by the momentum

    Raises dmc.Error for numbers out of range, as all optimizers do.
    """

    momentum: float = 0.0
    dampening: float = 0.0
    nesterov: bool = False

    def _check_numbers(self) -> None:
        super()._check_numbers()
        _check(self.momentum >= 0, self, f"expected a momentum that is not negative, found {self.momentum}")
        _check(not self.nesterov or (self.momentum > 0 and not self.dampening), self,
               "nesterov needs a momentum and no dampening")

    def state_names(self) -> Sequence[str]:
        """What is kept for a parameter, of its shape."""
        return ("momentum",) if self.momentum else ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Adam(Optimizer):
    """As torch.optim.Adam: weight decay is added to the gradient. Two tensors of a parameter's shape are its state, three
    with amsgrad.

    betas: decay of the means of the gradient and of its square, in [0, 1)
    eps: is added to the denominator
    amsgrad: uses the greatest mean of squares so far
    """

    lr: Rate = 1e-3
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    amsgrad: bool = False

    def _check_numbers(self) -> None:
        super()._check_numbers()
        _check(_are_betas(self.betas) and all(0 <= beta < 1 for beta in self.betas), self,
               f"expected two betas in [0, 1), found {self.betas}")
        _check(self.eps >= 0, self, f"expected an eps that is not negative, found {self.eps}")

    def state_names(self) -> Sequence[str]:
        """What is kept for a parameter, of its shape."""
        return ("exp_avg", "exp_avg_sq") + (("max_exp_avg_sq",) if self.amsgrad else ())


@dataclasses.dataclass(frozen=True, kw_only=True)
class AdamW(Adam):
    """As torch.optim.AdamW: weight decay acts on the parameter."""

    weight_decay: float = 1e-2


@dataclasses.dataclass(frozen=True, kw_only=True)
class Lion(Optimizer):
    """The sign of a mean of gradients (Chen et al. 2023); weight decay acts on the parameter."""

    lr: Rate = 1e-4
    betas: tuple[float, float] = (0.9, 0.99)

    def _check_numbers(self) -> None:
        super()._check_numbers()
        _check(_are_betas(self.betas) and all(0 <= beta < 1 for beta in self.betas), self,
               f"expected two betas in [0, 1), found {self.betas}")

    def state_names(self) -> Sequence[str]:
        """What is kept for a parameter, of its shape."""
        return ("exp_avg",)
