"""Knobs of a page without a kernel: one choice is shown, and no two knobs share an id."""

import re

import pandas as pd
from lxml import html

from citectx.show.knobs import Knob
from citectx.show.predictions import closing, predict
from citectx.show.tables import Shown


def squares(k: int) -> Shown:
    return Shown(pd.DataFrame({"square": [k**2]}, ["<k>"]))


def test_a_button_for_each_choice_and_a_rule_that_shows_its_panel() -> None:
    page = html.fromstring(Knob(squares, {"k": [3, 5]})._repr_html_())
    buttons = page.xpath("//input[@type='radio']")
    assert [button.get("checked") is not None for button in buttons] == [True, False]
    assert [label.get("for") for label in page.xpath("//label")] == [b.get("id") for b in buttons]
    (style,) = page.xpath("//style/text()")
    for button in buttons:
        (panel,) = page.xpath(f"//div[@id='{button.get('id')}-panel']")
        assert f"#{button.get('id')}:checked ~ #{panel.get('id')} {{display: block}}" in style
    assert [cell.text for cell in page.xpath("//td")] == ["9", "25"]


def test_the_same_name_twice_on_a_page_has_different_ids() -> None:
    pages = [Knob(squares, {"k": [3]})._repr_html_() for _ in range(2)]
    first, second = ({*re.findall(r'(?:id|name)="([^"]+)"', page)} for page in pages)
    assert not first & second


def test_text_of_a_choice_is_not_taken_for_html() -> None:
    page = Knob(lambda word: f"<b>{word}</b>", {"word": ["<i>"]})._repr_html_()
    assert "<i>" not in page
    assert "<b>" not in page


def test_a_guess_stands_beside_the_results_and_three_dots_are_none() -> None:
    shown = closing("share", 0.5, {"teaching corpus": -0.1})
    assert shown.texts().to_numpy().tolist() == [["0.5", "−0.1"]]
    assert closing("share", ..., {}).texts().to_numpy().tolist() == [["none yet"]]


def test_a_guess_that_is_not_among_the_rows_is_not_kept(capsys) -> None:  # type: ignore[no-untyped-def]
    predict({"BM25", "Nothing"}, ["BM25", "LMD"])
    assert capsys.readouterr().out == "Nothing is not among BM25, LMD.\n"
