"""Tables as a reader sees them."""

import pandas as pd

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
