"""The intervals of one claim as a small picture, which has the colours of the page around it."""

from collections.abc import Mapping
from html import escape
from math import inf
from typing import Any

from matplotlib.colors import to_hex

from citectx.ledger.claim import Claim, Order
from citectx.ledger.report import effect
from citectx.show import forest
from citectx.show.forest import FIRST, LAST

SCALE = 50
"""How many points a unit of the axis has."""

LINE = 20
"""The height of a line in points."""

Bar = Mapping[Any, Any]
"""A row of `forest.drawable`: its numbers end in ``_drawn``."""


def at(number: float) -> float:
    """Return where a number lies in the picture; its ends hold what lies further.

    >>> at(0), at(99)
    (130.0, 290.0)
    """
    return round(SCALE * (min(max(number, FIRST), LAST) - FIRST), 1)


def picture(claim: Claim, rows: Mapping[str, Bar]) -> str:
    """Draw the intervals of a claim by stage, a line each; "" if there is none.

    The claim holds on the ground. 1 is the paper's effect, or the claim's margin.
    """
    if not rows:
        return ""
    height = LINE * len(rows)
    left, right = ground(claim)
    shapes = f'<rect class="ground" x="{left}" width="{right - left:.1f}" height="{height}"/>'
    shapes += f'<path class="zero" d="M{at(0)} 0V{height}"/>'
    is_fitted = any(row["fitted"] for row in rows.values())
    if not forest.has_margin(claim) and not is_fitted:
        shapes += f'<path class="printed" d="M{at(1)} 0V{height}"/>'
    for line, (stage, row) in enumerate(rows.items()):
        shapes += bar(row, LINE * line + LINE // 2, stage)
    told = escape("; ".join(f"{stage}: {effect(row)}" for stage, row in rows.items()))
    size = f'viewBox="0 0 {at(LAST)} {height}"'
    return f'<svg class="forest" role="img" aria-label="{told}" {size}>{shapes}</svg>'


def ground(claim: Claim) -> tuple[float, float]:
    """Return between which places of the picture a claim holds."""
    check = claim.check
    if not isinstance(check, Order) or not forest.has_margin(claim):
        return at(0), at(LAST)
    return at(FIRST if check.low == -inf else -1), at(1)


def bar(row: Bar, y: int, stage: str) -> str:
    """Draw an interval with its effect; an arrow says that it reaches past the axis."""
    low, high, effect = (row[f"{name}_drawn"] for name in ("rule_low", "rule_high", "effect"))
    shapes = f'<path d="M{at(low)} {y}H{at(high)}"/>'
    if FIRST <= effect <= LAST:
        shapes += f'<circle cx="{at(effect)}" cy="{y}" r="5"/>'
    if low < FIRST:
        shapes += f'<path class="arrow" d="M0 {y}l8 -5v10z"/>'
    if high > LAST:
        shapes += f'<path class="arrow" d="M{at(LAST)} {y}l-8 -5v10z"/>'
    kind, colour = stage.replace(" ", "-"), to_hex(forest.COLOURS[row["verdict"]])
    return f'<g class="{kind}" fill="{colour}" stroke="{colour}">{shapes}</g>'
