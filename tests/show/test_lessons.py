"""Widgets where there are any, the first choice where not."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from citectx.corpora.model import Corpus
from citectx.errors import ParameterError
from citectx.show.lessons import STATIC, about_this_run, explore, pick


def shown(k: int, method: str) -> str:
    return f"{k} by {method}"


def test_without_ipywidgets_the_first_choices_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STATIC, raising=False)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    assert explore(shown, k=[3, 5], method=["LMD", "VSM"]) == "3 by LMD"


def test_with_ipywidgets_each_choice_has_a_control(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}
    fake = SimpleNamespace(
        Dropdown=lambda **given: given | {"list": True},
        SelectionSlider=lambda **given: given,
        interact=lambda function, **controls: seen.update(controls),
    )
    monkeypatch.delenv(STATIC, raising=False)
    monkeypatch.setitem(sys.modules, "ipywidgets", fake)
    assert explore(shown, k=[3, 5, 1], method=["LMD", "VSM"]) is None
    assert seen["k"] == {"options": [1, 3, 5], "value": 3, "description": "k"}
    assert seen["method"]["list"]
    assert list(seen) == ["k", "method"]
    monkeypatch.setenv(STATIC, "1")
    assert explore(shown, k=[3, 5], method=["LMD", "VSM"]) == "3 by LMD"


@pytest.mark.parametrize("choices", [{}, {"k": []}])
def test_nothing_to_choose_from(choices: dict[str, list[int]]) -> None:
    with pytest.raises(ParameterError, match="nothing to choose from"):
        explore(shown, **choices)


def test_a_lesson_opens_on_its_citance_where_the_corpus_has_it_and_nothing_else_was_asked_for(
    teaching: Corpus,
) -> None:
    def picked(wanted: str | None = None, number: str | int | None = None) -> tuple[str, str]:
        topic, citance = pick(teaching, wanted, number, opens_on=("D9003_TEACH", "8"))
        return topic.topic_id, citance.citance_id

    assert picked() == picked("D9003_TEACH") == ("D9003_TEACH", "8")
    assert picked(None, "2") == picked(None, 2) == ("D9003_TEACH", "2")
    assert picked("D9001_TEACH") == ("D9001_TEACH", "1")
    topic, _ = pick(teaching, opens_on=("elsewhere", "8"))
    assert topic is teaching.topics[0]
    with pytest.raises(ParameterError, match=r"D9001_TEACH.*D9005_TEACH"):
        picked("D9009_TEACH")


def test_a_run_with_other_parameters_says_so_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    about_this_run(
        profile="teaching", citance=None, others=["culture", "plasma", "tumor"], words=None
    )
    assert capsys.readouterr().out == ""
    about_this_run(profile="open", citance="3", k=3)
    (line,) = capsys.readouterr().out.splitlines()
    assert (
        "profile = 'open' (default: 'teaching'), citance = '3' (default: None). The text describes"
        in line
    )
    assert " k " not in line
    with pytest.raises(ParameterError, match=r"methods must be a list, such as \['BM25'\]"):
        about_this_run(methods="BM25")
