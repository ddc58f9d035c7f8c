"""Tables as a reader sees them."""

import re

import pandas as pd
import pytest

from citectx.ledger.rule import VERDICTS
from citectx.show.tables import Shown, beside


def test_best_is_bold_and_what_is_missing_is_blank() -> None:
    paper = pd.DataFrame({"c-F": {"A": 20.0, "B": 21.0}})
    ours = pd.DataFrame({"c-F": {"B": 30.04, "C": 3.0}})
    marks = {("B", ("c-F", "paper")): "†"}
    page = Shown(beside(paper, ours), best=True, marks=marks)._repr_html_()
    assert "<b>21.0†</b>" in page
    assert "<b>30.0</b>" in page
    assert page.count("<b>") == 2
    assert "nan" not in page.lower()
    assert 'colspan="3"' in page
    assert ">9.0<" in page


def test_nothing_in_a_cell_is_markup_but_verdicts_are_coloured() -> None:
    words = ["contradicted −3.1 [−6.0, −0.2]", "<b>x</b>"]
    page = Shown(pd.DataFrame({"<i>": words}, ["a<b", "c"]), caption="<i>")._repr_html_()
    assert "<i>" not in page
    assert "<b>" not in page
    assert "a&lt;b" in page
    assert page.count("background:#f6d5d0") == 1


def test_same_table_same_text() -> None:
    frame = pd.DataFrame({"n": [1234], "share": [-0.5], "name": [None]}, ["row"])
    [texts] = Shown(frame, decimals=2).texts().to_numpy().tolist()
    assert texts == ["1,234", "−0.50", ""]
    assert repr(Shown(frame)) == repr(Shown(frame.copy()))


def luminance(colour: str) -> float:
    """The relative luminance of the Web Content Accessibility Guidelines."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_verdict_has_a_colour_of_its_own_and_is_readable_on_any_page(verdict: str) -> None:
    page = Shown(pd.DataFrame({"verdict": [verdict]}))._repr_html_()
    (colours,) = re.findall(r"background:(#\w{6});color:(#\w{6})", page)
    light, dark = sorted(map(luminance, colours), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5
    others = [Shown(pd.DataFrame({"v": [v]}))._repr_html_() for v in VERDICTS if v != verdict]
    assert not any(f"background:{colours[0]}" in other for other in others)
