"""Types that every layer shares: character spans, arrays, and parameters that are checked."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from citectx.errors import ParameterError, unknown

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Matrix = NDArray[np.float32]


class Span(NamedTuple):
    """A half-open range of characters.

    >>> Span(6, 10).of("Cells rest."), Span(6, 10).overlap(Span(8, 20))
    ('rest', 2)
    >>> Span.around([Span(8, 20), Span(6, 10)])
    Span(start=6, end=20)
    """

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return what a text holds there."""
        return text[self.start : self.end]

    def overlap(self, other: "Span") -> int:
        """Count the characters that are in both."""
        start = max(self.start, other.start)
        end = min(self.end, other.end)
        return max(0, end - start)

    @classmethod
    def around(cls, spans: Iterable["Span"]) -> "Span":
        """Return the range from the first to the last character of some spans, at least one."""
        starts, ends = zip(*spans, strict=True)
        return cls(min(starts), max(ends))


def merge(spans: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    """Sort ranges of characters, and join those that overlap or touch.

    >>> merge([(20, 25), (3, 7), (5, 9), (9, 12)])
    (Span(start=3, end=12), Span(start=20, end=25))
    """
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, end))
        else:
            merged.append(Span(start, end))
    return tuple(merged)


class Parameters:
    """Base of dataclasses whose fields are the parameters of a method.

    `allowed` gives the values of a field: an interval such as ``"(0, 1]"``, which None is never
    outside of, or a collection of names.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Mixture(Parameters):
    ...     weight: float
    ...     allowed: ClassVar = {"weight": "[0, 1)"}
    >>> Mixture(0.5).params()
    {'weight': 0.5}
    >>> Mixture(1)
    Traceback (most recent call last):
    citectx.errors.ParameterError: Mixture: weight=1 is outside [0, 1)
    """

    allowed: ClassVar[Mapping[str, str | Collection[str]]] = {}

    def __post_init__(self) -> None:
        for name, allowed in self.allowed.items():
            value = getattr(self, name)
            method = type(self).__name__
            if not isinstance(allowed, str):
                if value not in allowed:
                    raise unknown(f"{name} of {method}", value, allowed)
            elif value is not None and not _inside(value, allowed):
                raise ParameterError(f"{method}: {name}={value!r} is outside {allowed}")

    def params(self) -> dict[str, Any]:
        """Return the parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]


def _inside(value: object, interval: str) -> bool:
    if not isinstance(value, Real):
        return False
    number = float(value)
    low, high = map(float, interval[1:-1].split(","))
    above = low < number if interval.startswith("(") else low <= number
    return above and (number < high if interval.endswith(")") else number <= high)
